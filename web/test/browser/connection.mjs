import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { block } from './support/scenes.mjs';

/** Runs in the page. Cuts the line; ends when the page has said so, however shortly. */
function cut_line() {
    const overlay = /** @type {HTMLElement} */ (document.getElementById('offline'));
    const said = new Promise((done) => {
        new MutationObserver(() => !overlay.hidden && done(true)).observe(overlay, { attributes: true });
    });
    /** @type {any} */ (window).limber.disconnect();
    return said;
}

/** @param {import('./support/setup.mjs').Setup} setup */
export function connection(setup) {
    describe('the line is cut', () => {
        test('a line that was cut comes back by itself, to the same world', async () => {
            const { visitor } = setup;
            await visitor.begin(block({ name: 'Lasting' }));
            await visitor.send({ type: 'set', path: 'bodies[0].material.youngsModulus', value: 55000 });
            const { revision } = await visitor.get('state');
            assert.equal(await visitor.page.evaluate(cut_line), true);
            await visitor.until_state('it is connected again', ({ connected, ready }) => connected && ready);
            await visitor.page.locator('#offline').waitFor({ state: 'hidden' });
            await visitor.go_on();
            assert.equal((await visitor.get('state')).revision, revision);
            assert.equal((await visitor.get('scene')).bodies[0].values['material.youngsModulus'], 55000);
            assert.equal((await visitor.get('state')).clients, 1);
        });

        test('a hand that held a body lets go when its page\'s line is cut', async () => {
            const { visitor } = setup;
            const from = await visitor.find();
            await visitor.pull(from, { x: 0, y: -60 });
            const is_held = async () => (await visitor.get('tools')).some((/** @type {any} */ { kind }) => kind === 1000);
            await visitor.until('it is held', is_held);
            await visitor.page.evaluate(cut_line);
            await visitor.until_state('it is connected again', ({ connected, ready }) => connected && ready);
            await visitor.until('nobody holds it', async () => !await is_held());
            await visitor.page.mouse.up();
            await visitor.go_on();
        });

        test('an engine that died is missed; one that was started anew has another address, and the page says so', async () => {
            const scene = await setup.write('block.json', JSON.stringify(block()));
            const first = await setup.start_engine([scene]);
            const visitor = await setup.visit({ width: 900, height: 600 }, first);
            await first.kill();
            const overlay = visitor.page.locator('#offline');
            await overlay.waitFor({ state: 'visible' });
            assert.match(await overlay.innerText(), /out of reach/);
            const retry = overlay.getByRole('button', { name: 'Try now' });
            const press = () => retry.evaluate((button) => /** @type {HTMLElement} */ (button).click());
            for (let i = 0; i < 4; ++i) { // it does not give up, and tells later than at first, too
                await press();
            }
            await visitor.until('it goes on trying', async () => /again/.test(await overlay.innerText()));

            const second = await setup.start_engine([scene, '--port', String(first.port)]);
            assert.notEqual(second.token, first.token);
            await visitor.until('the page knows', async () => {
                await press();
                return /another address/.test(await overlay.innerText());
            });
            await visitor.go(second.address);
            assert.ok(await overlay.isHidden());
            await visitor.go_on();

            assert.equal(await second.stop(), 0, 'it ends as it should');
            assert.equal(second.complaints, '');
            await overlay.waitFor({ state: 'visible' });
            await setup.leave(visitor);
        });

        test('nothing is complained about', () => {
            assert.deepEqual(setup.visitor.take_complaints(), []);
        });
    });
}
