// The page in a real browser, drawn by software, with the engine behind it: one engine and one browser for all.
// Needs a built engine (build/limber, or what LIMBER says) and Chromium. Pictures go to build/screenshots (or where
// LIMBER_SCREENSHOTS says). A word as argument runs only the parts that have it in their name.
import { after, before, describe } from 'node:test';
import { Setup } from './support/setup.mjs';
import { loading } from './loading.mjs';
import { touching } from './touching.mjs';
import { materials } from './materials.mjs';
import { displaying } from './displaying.mjs';
import { choosing } from './choosing.mjs';

const parts = [loading, touching, materials, displaying, choosing];

const setup = new Setup();
const wanted = process.argv[2] ?? '';
describe('the page in a browser', () => {
    before(() => setup.open());
    after(() => setup.close());
    parts.filter(({ name }) => name.includes(wanted)).forEach((part) => part(setup));
});
