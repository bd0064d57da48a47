import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { count_changes, count_pixels, near_colour } from './support/pictures.mjs';
import { block } from './support/scenes.mjs';

const arrow = near_colour(0xff, 0xb0, 0x20);

/** @param {number[]} positions @param {number} point */
function place_of(positions, point) {
    return positions.slice(3 * point, 3 * point + 3);
}

/** @param {number[]} a @param {number[]} b */
function distance(a, b) {
    return Math.hypot(...a.map((x, i) => x - b[i]));
}

/** @param {import('./support/setup.mjs').Setup} setup */
export function touching(setup) {
    describe('the mouse touches bodies', () => {
        test('a drag on a body deforms it, an arrow and a number say how strongly; it springs back when it is let go', async () => {
            const { visitor } = setup;
            await visitor.begin(block());
            await visitor.at_rest();
            const from = await visitor.find();
            const before = await visitor.positions();
            const pictureBefore = await visitor.canvas_picture();
            assert.equal(count_pixels(pictureBefore, arrow), 0);

            await visitor.pull(from, { x: 0, y: -75 });
            await visitor.until_state('a hand holds it', ({ hands }) => hands === 1);
            await visitor.until('the point follows', async () => (
                distance(place_of(await visitor.positions(), from.point), place_of(before, from.point)) > 0.04));
            const held = (await visitor.get('tools')).filter((/** @type {any} */ { kind }) => kind === 1000);
            assert.equal(held.length, 1);
            const label = visitor.page.locator('#labels .label:visible');
            await label.first().waitFor({ state: 'visible' });
            assert.match(await label.first().innerText(), /^[\d.]+ k?N$/);
            await visitor.drawn();
            const pulled = await visitor.canvas_picture();
            assert.ok(count_pixels(pulled, arrow) > 10, 'the arrow is seen');
            assert.ok(count_changes(pictureBefore, pulled) > 100, 'the picture has changed');
            assert.ok(await visitor.page.locator('#hint').isHidden(), 'the hint is gone: it was understood');
            const height_of = async () => place_of(await visitor.positions(), from.point)[1];
            const heldAt = await height_of();

            await visitor.page.mouse.up();
            await visitor.until('nobody holds it', async () => (
                (await visitor.get('tools')).every((/** @type {any} */ { kind }) => kind !== 1000)));
            await visitor.until('it has sunk back', async () => await height_of() < heldAt - 0.03);
            await visitor.until('its arrow is gone', async () => await label.count() === 0);
            await visitor.go_on();
        });

        test('a drag beside the bodies turns the view and leaves the world alone', async () => {
            const { visitor } = setup;
            const point = (await visitor.find()).point;
            const before = await visitor.get('project', 0, point);
            await visitor.pull({ x: 120, y: 400 }, { x: 150, y: 0 });
            await visitor.page.mouse.up();
            await visitor.until('the view has turned', async () => {
                const { x, y } = await visitor.get('project', 0, point);
                return Math.hypot(x - before.x, y - before.y) > 10;
            });
            assert.equal((await visitor.get('tools')).filter((/** @type {any} */ { kind }) => kind === 1000).length, 0);
        });

        test('a pin holds what hangs from it, and a click on it lets go', async () => {
            const { visitor } = setup;
            await visitor.begin(block({ name: 'Hanging', gravity: [0, 0, 0] }, { position: [0, 0.8, 0] }));
            await visitor.press('p', 'the mouse pins', ({ mode }) => mode === 'pin');
            const { x, y } = await visitor.find();
            await visitor.page.mouse.click(x, y);
            await visitor.until_state('there is a pin', ({ pins }) => pins === 1);
            const [{ point, own }] = await visitor.get('pins');
            assert.equal(own, true);
            const before = place_of(await visitor.positions(), point);
            const height = (await visitor.extent('y')).mean;
            await visitor.send({ type: 'set', path: 'gravity', value: [0, -9.81, 0] });
            await visitor.until('the body hangs', async () => (await visitor.extent('y')).mean < height - 0.01);
            await visitor.go_on(60);
            assert.ok(distance(place_of(await visitor.positions(), point), before) < 1e-3, 'the pinned point stays');
            assert.ok((await visitor.extent('y')).lower > 0.1, 'it does not fall');

            await visitor.until('the pin is clicked away', async () => {
                const at = await visitor.get('project_pin', 0);
                if (at) {
                    await visitor.page.mouse.click(at.x, at.y);
                    await visitor.until('the engine has heard of it', async () => (await visitor.get('state')).pins === 0);
                }
                return (await visitor.get('state')).pins === 0;
            });
            await visitor.until('it falls', async () => place_of(await visitor.positions(), point)[1] < before[1] - 0.1);
            await visitor.press('g', 'the mouse grabs', ({ mode }) => mode === 'grab');
        });

        test('the tool pushes: it presses a dent, and says how strongly', async () => {
            const { visitor } = setup;
            await visitor.begin(block());
            await visitor.at_rest();
            // The pointer is on the body already: browsers tell of it again when something else appears, and where it is first
            // decides how deep the tool's plane lies.
            const { x, y } = await visitor.find();
            await visitor.page.mouse.move(x, y);
            await visitor.press('t', 'the mouse pushes', ({ mode }) => mode === 'push');
            await visitor.page.locator('#tool-options').waitFor({ state: 'visible' });
            await visitor.page.mouse.move(x + 1, y);
            await visitor.until('the tool is there', async () => (await visitor.get('tools')).some((/** @type {any} */ { owner }) => owner !== 0));
            await visitor.page.mouse.down();
            await visitor.until('it feels the body', async () => (
                (await visitor.get('tools')).some((/** @type {any} */ { owner, force }) => owner !== 0 && Math.hypot(...force) > 1)));
            await visitor.page.locator('#labels .label:visible').first().waitFor({ state: 'visible' });
            await visitor.page.mouse.up();
            await visitor.press('g', 'the mouse grabs', ({ mode }) => mode === 'grab');
            await visitor.until('the tool is gone', async () => (await visitor.get('tools')).every((/** @type {any} */ { owner }) => owner === 0));
        });

        test('a box, a capsule, a plate, a needle and a ring push too, each in its own shape', async () => {
            const { visitor } = setup, { page } = visitor;
            await visitor.begin(block({ name: 'Pushed' }, { material: { density: 1000, youngsModulus: 60000, stiffnessDamping: 0.02, massDamping: 10 } }));
            await visitor.at_rest();
            const { x, y } = await visitor.find();
            await page.mouse.move(x, y);
            await visitor.press('t', 'the mouse pushes', ({ mode }) => mode === 'push');
            const kinds = (await visitor.get('hello')).tools.map((/** @type {any} */ { name }) => name);
            const own = async () => (await visitor.get('tools')).find((/** @type {any} */ { owner }) => owner !== 0);
            const offered = await page.locator('#tool-kind option').evaluateAll((options) => options.map((option) => /** @type {any} */ (option).value));
            assert.deepEqual([...offered].sort(), ['box', 'capsule', 'needle', 'plate', 'ring', 'sphere']);
            const expected = /** @type {[string, string, (size: number, extent: number[]) => boolean][]} */ ([
                ['box', 'box', (_, [a, b, c]) => a > 0 && b > 0 && c > 0],
                ['capsule', 'capsule', (size, [, length]) => size > 0 && length > 0],
                ['plate', 'box', (_, [a, b, c]) => a > 4 * b && c > 4 * b && b > 0],
                ['needle', 'capsule', (size, [, length]) => length > 20 * size],
                ['ring', 'mesh', (size) => size > 0],
            ]);
            for (const [form, kind, looks_right] of expected) {
                await visitor.at_rest(3e-3);
                await page.selectOption('#tool-kind', form);
                await page.mouse.move(x + 1, y);
                await page.mouse.move(x, y);
                await visitor.until(`the tool is a ${form}`, async () => {
                    const tool = await own();
                    return tool && kinds[tool.kind] === kind && looks_right(tool.size, tool.extent);
                });
                await page.mouse.down();
                await visitor.until(`the ${form} feels the body`, async () => Math.hypot(...(await own())?.force ?? [0]) > 0.5);
                await page.mouse.up();
                await visitor.until(`the ${form} is back`, async () => Math.hypot(...(await own())?.force ?? [1]) < 0.01);
            }
            await page.selectOption('#tool-kind', 'sphere');
            await visitor.press('g', 'the mouse grabs', ({ mode }) => mode === 'grab');
        });

        test('nothing is complained about', () => {
            assert.deepEqual(setup.visitor.take_complaints(), []);
        });
    });
}
