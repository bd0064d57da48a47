import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { block } from './support/scenes.mjs';

/** @param {import('./support/setup.mjs').Setup} setup */
export function clients(setup) {
    describe('two pages watch one world', () => {
        /** @type {import('./support/visitor.mjs').Visitor} */
        let other;

        before(async () => {
            await setup.visitor.begin(block({ name: 'Shared' }));
            other = await setup.visit({ width: 900, height: 600 });
        });
        after(async () => {
            if (other && !other.page.isClosed()) {
                await setup.leave(other);
            }
        });

        test('both are counted, and both say so', async () => {
            for (const visitor of [setup.visitor, other]) {
                await visitor.until_state('there are two', (state) => state.clients === 2);
                await visitor.until('the status line says so', async () => /2 pages/.test(await visitor.page.locator('#status').innerText()));
            }
        });

        test('they see the same: every position of the same frame', async () => {
            const { visitor } = setup;
            await visitor.pause();
            let last = -1;
            for (let i = 0; i < 3; ++i) {
                await visitor.send({ type: 'step' });
                await visitor.still();
                await other.still();
                const [a, b] = [await visitor.get('state'), await other.get('state')];
                assert.deepEqual([a.revision, a.frame], [b.revision, b.frame]);
                assert.ok(a.frame > last);
                last = a.frame;
                assert.deepEqual(await visitor.positions(), await other.positions());
            }
            await other.resume();
            await visitor.until_state('one lets time go on for both', ({ paused }) => !paused);
        });

        test('the hand of one is seen by the other, with its force', async () => {
            const { visitor } = setup;
            const owner = (await visitor.get('hello')).client;
            assert.notEqual((await other.get('hello')).client, owner);
            await visitor.pull(await visitor.find(), { x: 0, y: -80 });
            await other.until('the other sees the hand', async () => (await other.get('tools')).some((/** @type {any} */ tool) => (
                tool.kind === 1000 && tool.owner === owner && Math.hypot(...tool.force) > 1)));
            await other.page.locator('#labels .label:visible').first().waitFor({ state: 'visible' });
            await visitor.page.mouse.up();
            await other.until('the other sees that it is gone', async () => (
                (await other.get('tools')).every((/** @type {any} */ { kind }) => kind !== 1000)));
        });

        test('what one sets, the other\'s panel shows', async () => {
            const { visitor } = setup;
            await visitor.enter('material.density', '700');
            const field = other.row('material.density').locator('input.number');
            await other.until('the other shows it', async () => /^700/.test(await field.inputValue()));
        });

        test('one that goes takes its hand with it', async () => {
            const { visitor } = setup;
            await other.pull(await other.find(), { x: 0, y: -60 });
            const is_held = async () => (await visitor.get('tools')).some((/** @type {any} */ { kind }) => kind === 1000);
            await visitor.until('it is held', is_held);
            await setup.leave(other);
            await visitor.until('nobody holds it', async () => !await is_held());
            await visitor.until_state('one is left', (state) => state.clients === 1);
            await visitor.go_on();
        });

        test('nothing is complained about', () => {
            assert.deepEqual([...setup.visitor.take_complaints(), ...other.take_complaints()], []);
        });
    });
}
