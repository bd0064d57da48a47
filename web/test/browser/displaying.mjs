import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { count_changes } from './support/pictures.mjs';
import { block } from './support/scenes.mjs';

/** @param {import('./support/setup.mjs').Setup} setup */
export function displaying(setup) {
    describe('fields and overlays', () => {
        test('each field that the engine has is shown as colours, with a legend in its unit', async (t) => {
            const { visitor } = setup;
            const { page } = visitor;
            await visitor.begin(block({ name: 'Colours' }));
            // Held by a hand, so that every field has something to show; and then time stands still.
            const { x, y, point } = await visitor.find();
            const before = (await visitor.positions()).slice(3 * point, 3 * point + 3);
            await visitor.pull({ x, y }, { x: 30, y: -90 });
            await visitor.until('it is pulled', async () => (
                Math.hypot(...(await visitor.positions()).slice(3 * point, 3 * point + 3).map((value, i) => value - before[i])) > 0.05));
            await visitor.pause();
            await page.mouse.up();
            await visitor.still();
            const plain = await visitor.canvas_picture();
            assert.ok(await page.locator('#legend').isHidden(), 'plain colours need no legend');

            const [hello, scene] = [await visitor.get('hello'), await visitor.get('scene')];
            const offered = await page.locator('#colour-select option').evaluateAll((options) => options.map((option) => /** @type {any} */ (option).value));
            assert.deepEqual(offered, ['', ...hello.fields.map((/** @type {any} */ { name }) => name).filter((/** @type {string} */ name) => scene.bodies[0].fields.includes(name))]);
            assert.ok(offered.length >= 4);
            for (const name of offered.slice(1)) {
                const { label, unit } = hello.fields.find((/** @type {any} */ one) => one.name === name);
                await t.test(`${name}, in ${unit || '1'}`, async () => {
                    await page.selectOption('#colour-select', name);
                    await visitor.still();
                    const values = await visitor.get('field', 0);
                    assert.equal(values.length, scene.bodies[0].points);
                    assert.ok(values.every(Number.isFinite));
                    assert.ok(values.some((/** @type {number} */ value) => value !== values[0]), 'it varies over the body');
                    assert.ok(await page.locator('#legend').isVisible());
                    assert.equal(await page.locator('#legend .title').innerText(), label);
                    const [lower, upper] = await page.locator('#legend .ticks input').evaluateAll((fields) => (
                        fields.map((field) => Number(/** @type {any} */ (field).value.replace('−', '-')))));
                    assert.ok(lower < upper, `${lower} to ${upper}`);
                    const shown = await page.locator('#legend .ticks span').innerText();
                    const base = unit.replace('^3', '³').replace('^2', '²');
                    assert.ok(unit === '' ? ['1', '%'].includes(shown) : shown.endsWith(base), `"${shown}" for "${unit}"`);
                    const changed = count_changes(plain, await visitor.canvas_picture());
                    assert.ok(changed > 1000, `${changed} pixels`);
                });
            }
            await page.selectOption('#colour-select', '');
            await visitor.still();
            assert.equal(await visitor.get('field', 0), null);
            const changed = count_changes(plain, await visitor.canvas_picture());
            assert.ok(changed < 20, `plain again but for ${changed} pixels`);
        });

        test('the legend follows from one field to another while time stands still', async () => {
            const { visitor } = setup, { page } = visitor;
            const upper_of = async (/** @type {string} */ field) => {
                await page.selectOption('#colour-select', field);
                await visitor.still();
                const { range } = await visitor.get('state');
                const [shown, most] = [await page.locator('#legend .ticks input').last().inputValue(), Math.max(...await visitor.get('field', 0))];
                assert.ok(range[1] <= 1.001 * most && range[1] > 0.3 * most, `${field}: up to ${most}, the legend to ${range[1]}`);
                assert.ok(Number(shown) > 0);
                return range[1];
            };
            const energy = await upper_of('energy-density'), displacement = await upper_of('displacement');
            assert.ok(energy > 10 && displacement < 1, `${energy} J/m³, ${displacement} m`);
            assert.equal(await upper_of('energy-density'), energy);
        });

        test('contact pressure is shown where it is: below what lies on the ground', async () => {
            const { visitor } = setup, { page } = visitor;
            await visitor.resume();
            await visitor.begin(block({ name: 'Lying' }));
            await visitor.at_rest();
            await page.selectOption('#colour-select', 'contact-pressure');
            await visitor.until('the field has come', async () => (await visitor.get('field', 0))?.some((/** @type {number} */ value) => value > 0));
            await visitor.pause();
            const [values, positions] = [await visitor.get('field', 0), await visitor.positions()];
            const at = values.map((/** @type {number} */ value, /** @type {number} */ i) => ({ value, height: positions[3 * i + 1] }));
            const below = at.filter((/** @type {any} */ { height }) => height < 0.01), above = at.filter((/** @type {any} */ { height }) => height > 0.2);
            const mean = below.reduce((/** @type {number} */ sum, /** @type {any} */ { value }) => sum + value, 0) / below.length;
            // Its weight on its base: 1000 kg/m^3 x 9.81 m/s^2 x 0.4 m; at edges more, and the base is a little wider.
            assert.ok(mean > 0.6 * 3924 && mean < 1.5 * 3924, `${mean} Pa`);
            assert.ok(above.length > 0 && above.every((/** @type {any} */ { value }) => value === 0));
            assert.match(await page.locator('#legend .ticks span').innerText(), /Pa$/);
            await page.selectOption('#colour-select', '');
            await visitor.still();
        });

        test('the range of the colours can be held and entered', async () => {
            const { visitor } = setup;
            const { page } = visitor;
            await page.selectOption('#colour-select', 'displacement');
            await visitor.still();
            const free = await visitor.canvas_picture();
            const upper = page.locator('#legend .ticks input').last();
            await upper.fill('1000');
            await upper.press('Enter');
            await upper.blur();
            await visitor.until_state('the range is held', ({ range }) => range[1] >= 1);
            assert.equal(await page.locator('#lock-range').getAttribute('aria-pressed'), 'true');
            await visitor.still();
            assert.ok(count_changes(free, await visitor.canvas_picture()) > 100);
            await page.click('#lock-range');
            await visitor.until_state('the range follows the field again', ({ range }) => range[1] < 1);
            assert.equal(await page.locator('#lock-range').getAttribute('aria-pressed'), 'false');
            await page.selectOption('#colour-select', '');
            await visitor.still();
        });

        for (const what of /** @type {const} */ (['wireframe', 'mesh'])) {
            test(`the ${what} is laid over the body, and taken away again`, async () => {
                const { visitor } = setup;
                const { page } = visitor;
                const box = page.locator(`label:has(#show-${what})`);
                const before = await visitor.canvas_picture();
                await box.click();
                await visitor.until_state('it is on', (state) => state[what]);
                if (what === 'mesh') {
                    const nodes = await visitor.until('positions of the nodes come', () => visitor.get('nodes', 0));
                    assert.equal(nodes.length, 3 * (await visitor.get('scene')).bodies[0].nodes);
                }
                await visitor.still();
                assert.ok(count_changes(before, await visitor.canvas_picture()) > 300, 'it is seen');
                await box.click();
                await visitor.until_state('it is off', (state) => !state[what]);
                await visitor.still();
                assert.ok(count_changes(before, await visitor.canvas_picture()) < 20, 'it is gone');
            });
        }

        test('nothing is complained about', async () => {
            const { visitor } = setup;
            await visitor.resume();
            await visitor.go_on();
            assert.deepEqual(visitor.take_complaints(), []);
        });
    });
}
