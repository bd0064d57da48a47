// The page in a real browser, drawn by software, with the engine behind it: one engine and one browser for all.
// Needs a built engine (build/limber, or what LIMBER says) and Chromium. Pictures go to build/screenshots (or where
// LIMBER_SCREENSHOTS says). An expression as argument runs only the parts whose names it matches: 'files|time'.
import { after, before, describe } from 'node:test';
import { Setup } from './support/setup.mjs';
import { loading } from './loading.mjs';
import { touching } from './touching.mjs';
import { materials } from './materials.mjs';
import { seeing } from './seeing.mjs';
import { displaying } from './displaying.mjs';
import { choosing } from './choosing.mjs';
import { files } from './files.mjs';
import { time } from './time.mjs';
import { recording } from './recording.mjs';
import { connection } from './connection.mjs';
import { clients } from './clients.mjs';
import { hostile } from './hostile.mjs';
import { keyboard } from './keyboard.mjs';
import { lattices } from './lattices.mjs';
import { layout } from './layout.mjs';
import { building } from './building.mjs';
import { controls } from './controls.mjs';
import { detail } from './detail.mjs';
import { wandering } from './wandering.mjs';

const parts = [
    loading, touching, materials, displaying, seeing, choosing, files, time, recording, connection, clients, hostile, keyboard, layout, building, controls, detail, lattices, wandering,
];

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => process.exit(1)); // an exit that is seen: what was started is ended, too
}
const setup = new Setup();
const wanted = new RegExp(process.argv[2] ?? '');
describe('the page in a browser', () => {
    before(() => setup.open());
    after(() => setup.close());
    parts.filter(({ name }) => wanted.test(name)).forEach((part) => part(setup));
});
