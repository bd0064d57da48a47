import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { block } from './support/scenes.mjs';

/** @param {import('./support/setup.mjs').Setup} setup */
export function time(setup) {
    describe('time is in the person\'s hands', () => {
        test('the pause button stops time, and lets it go on', async () => {
            const { visitor } = setup;
            await visitor.begin(block({ name: 'Falling' }, { position: [0, 1.2, 0] }));
            await visitor.page.click('#pause');
            await visitor.until_state('it is paused', ({ paused }) => paused);
            await visitor.still();
            const [before, at] = [await visitor.positions(), (await visitor.get('stats')).time];
            await visitor.still();
            assert.deepEqual(await visitor.positions(), before);
            assert.equal((await visitor.get('stats')).time, at);
            await visitor.page.click('#pause');
            await visitor.until_state('it goes on', ({ paused }) => !paused);
            await visitor.go_on();
        });

        test('a step is one frame', async () => {
            const { visitor } = setup;
            await visitor.pause();
            const before = (await visitor.get('stats')).time;
            for (let i = 1; i <= 3; ++i) {
                await visitor.page.click('#step');
                await visitor.until(`frame ${i}`, async () => Math.abs((await visitor.get('stats')).time - before - i / 60) < 1e-4);
            }
            assert.equal((await visitor.get('state')).paused, true);
        });

        test('reset starts over, as it was at first', async () => {
            const { visitor } = setup;
            const { revision } = await visitor.get('state');
            await visitor.page.click('#reset');
            await visitor.until_state('it is built anew', (state) => state.revision > revision && state.ready);
            await visitor.still();
            assert.ok((await visitor.get('stats')).time < 0.1);
            const { lower, upper } = await visitor.extent('y');
            assert.ok(Math.abs(lower - 1) < 1e-3 && Math.abs(upper - 1.4) < 1e-3, `from ${lower} to ${upper} m`);
            await visitor.resume();
        });

        test('each speed is taken: slow motion is as slow as it says', async () => {
            const { visitor } = setup;
            const speeds = visitor.page.locator('#transport [role=radio]');
            const count = await speeds.count();
            assert.ok(count >= 3);
            for (let i = count - 1; i >= 0; --i) {
                await speeds.nth(i).click();
                await visitor.until('the button shows it', async () => await speeds.nth(i).getAttribute('aria-checked') === 'true');
                const { speed } = await visitor.get('state');
                // A frame has as much more time as time runs slower.
                await visitor.until('the engine has it', async () => Math.abs((await visitor.get('stats')).budget - 1000 / 60 / speed) < 0.1);
                await visitor.go_on(1);
            }
            assert.equal((await visitor.get('state')).speed, 1);
        });

        test('nothing is complained about', () => {
            assert.deepEqual(setup.visitor.take_complaints(), []);
        });
    });
}
