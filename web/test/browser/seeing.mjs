// What the picture shows of bodies, and where it is seen from.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { count_pixels, near_hue } from './support/pictures.mjs';
import { decode_png } from './support/read_png.mjs';
import { block } from './support/scenes.mjs';
import { make_plate } from './support/surfaces.mjs';

const [red, blue, orange] = [near_hue(13, 25), near_hue(211, 25), near_hue(38, 25)]; // the block; the cloth; an arrow on the ball

/** A blue sheet that lies on a grey ball: a tool, or a body that does not move. @param {boolean} isTool */
function draped(isTool) {
    const tool = { name: 'ball', kind: 'sphere', radius: 0.3, position: [0, 0, 0] };
    const standing = { name: 'ball', kind: 'rigid', guided: true, shape: { kind: 'sphere', radius: 0.3, edge: 0.05, color: '#808080' }, position: [0, 0, 0] };
    return {
        limber: 1, name: 'Draped', gravity: [0, -9.81, 0],
        bodies: [{
            name: 'sheet', shape: { kind: 'cloth', size: [0.8, 1, 0.8], edge: 0.05, color: '#2f6fb3', roughness: 1 }, mesh: { kind: 'cloth', thickness: 0.001 },
            material: { density: 300, youngsModulus: 100000, stiffnessDamping: 0.0004, massDamping: 4 }, position: [0, 0.35, 0],
        }, ...(isTool ? [] : [standing])],
        tools: isTool ? [tool] : [],
    };
}

/** @param {import('./support/setup.mjs').Setup} setup */
export function seeing(setup) {
    /** The middle of the picture. @param {number} half pixels from its middle to its edge */
    const middle_picture = async (half) => {
        const { page } = setup.visitor;
        const box = /** @type {{x: number, y: number, width: number, height: number}} */ (await page.locator('#canvas').boundingBox());
        return decode_png(await page.screenshot({
            clip: { x: box.x + box.width / 2 - half, y: box.y + box.height / 2 - half, width: 2 * half, height: 2 * half },
            animations: 'disabled', style: '#toasts, #banner, #hint, #labels { visibility: hidden }',
        }));
    };
    /** The camera, and the part of the window between the bars. */
    const camera = () => setup.visitor.page.evaluate(() => {
        const { view } = /** @type {any} */ (window).limber.parts;
        const [canvas, corner, transport] = ['canvas', 'corner', 'transport'].map((id) => /** @type {HTMLElement} */ (document.getElementById(id)).getBoundingClientRect());
        return { height: view.camera.position.y, distance: view.orbit.pose.distance, left: canvas.left, right: canvas.right, top: corner.bottom, bottom: transport.top };
    });
    /** Where all points of all bodies are on the screen. */
    const seen_box = () => setup.visitor.page.evaluate(() => {
        const { limber } = /** @type {any} */ (window);
        const places = limber.scene.bodies.flatMap((/** @type {any} */ { points }, /** @type {number} */ body) => (
            Array.from({ length: points }, (_, point) => limber.project(body, point))));
        const [xs, ys] = ['x', 'y'].map((axis) => places.map((/** @type {any} */ place) => place[axis]));
        return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
    });
    /** @param {string} what */
    const all_is_seen = (what) => setup.visitor.until(what, async () => {
        const [box, area] = [await seen_box(), await camera()];
        return box.left >= area.left && box.right <= area.right && box.top >= area.top && box.bottom <= area.bottom;
    });

    describe('what is seen', () => {
        for (const what of ['a tool', 'a body']) {
            test(`cloth that lies on a ball hides it: ${what}`, async () => {
                const { visitor } = setup;
                await visitor.begin(draped(what === 'a tool'));
                await visitor.until('it lies on the ball', async () => (await visitor.extent('y')).lower < 0.15);
                await visitor.pause();
                for (const elevation of [88, 50]) {
                    await visitor.get('look', { elevation, distance: 1.6 });
                    await visitor.still();
                    const picture = await middle_picture(elevation > 80 ? 60 : 40);
                    const share = count_pixels(picture, (r, g, b) => blue(r, g, b) || orange(r, g, b)) / (picture.width * picture.height);
                    assert.ok(share > 0.995, `${(100 * share).toFixed(1)} % of what is above the ball is cloth, seen from ${elevation} degrees`);
                }
                await visitor.resume();
            });
        }

        test('a skin has an inside: where one is folded there are no holes', async () => {
            const { visitor } = setup;
            await visitor.begin(block({ name: 'Inside', gravity: [0, 0, 0] }));
            await visitor.pause();
            await visitor.get('look', { elevation: 10, distance: 0.05 }); // the eye is within the body
            await visitor.still();
            const picture = await middle_picture(80);
            assert.equal(count_pixels(picture, red), picture.width * picture.height);
            await visitor.page.locator('#canvas').focus();
            await visitor.page.keyboard.press('f');
            await visitor.resume();
        });

        test('what falls stays in sight, however fast', async () => {
            const { visitor } = setup;
            await visitor.begin(block({ name: 'Falling', ground: undefined, gravity: [0, -30, 0] }));
            await visitor.until('it is fast', async () => (await visitor.extent('y')).mean < -30);
            await visitor.pause(); // what has come is drawn
            const box = await seen_box(), area = await camera();
            const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
            assert.ok(x > area.left && x < area.right && y > area.top && y < area.bottom, JSON.stringify({ box, area }));
            await visitor.resume();
        });

        test('a wide or high scene is seen whole, between the bars; also when it spreads', async () => {
            const { visitor } = setup;
            const [body] = block().bodies;
            const row = [-3, -1.5, 0, 1.5, 3].map((x, i) => ({ ...body, name: `block ${i}`, position: [x, 0.21, 0] }));
            await visitor.begin(block({ name: 'Wide', bodies: row, probes: [] }));
            await all_is_seen('all of a wide scene');
            const apart = [-1, 1].map((way) => ({ ...body, name: `to ${way}`, position: [0.3 * way, 0.21, 0], velocity: [4 * way, 1, 0] }));
            await visitor.begin(block({ name: 'Spreading', bodies: apart, probes: [] }));
            await visitor.until('they are apart', async () => (await visitor.extent('x', 1)).mean > 1);
            await all_is_seen('both of them');
            const tower = [0.21, 1.5, 2.8, 4.1].map((y, i) => ({ ...body, name: `floor ${i}`, position: [0, y, 0] }));
            await visitor.begin(block({ name: 'High', gravity: [0, 0, 0], bodies: tower, probes: [] }));
            await all_is_seen('all of a high scene');
        });

        test('who goes nearer stays there, and nobody looks from below the floor', async () => {
            const { visitor } = setup, { page } = visitor;
            await visitor.begin(block());
            await page.mouse.move(150, 300);
            const { distance: before } = await camera();
            for (let i = 0; i < 6; ++i) {
                await page.mouse.wheel(0, -100);
            }
            await visitor.until('it is nearer', async () => (await camera()).distance < 0.5 * before);
            await visitor.go_on(20);
            assert.ok((await camera()).distance < 0.5 * before);
            await visitor.pull({ x: 150, y: 500 }, { x: 0, y: -400 });
            await page.mouse.up();
            await visitor.go_on(10);
            const { height } = await camera();
            assert.ok(height > 0, `the eye is at ${height} m`);
            await visitor.get('look', { elevation: -40, distance: 3 });
            await visitor.still();
            const { height: asked } = await camera();
            assert.ok(asked > 0, `asked to look from below, the eye is at ${asked} m`);
        });

        test('sharpness falls under load and comes back as soon as nothing moves', async () => {
            const sharp = await setup.visit({ width: 640, height: 400, density: 1, full: true });
            const pixels = () => sharp.page.evaluate(() => /** @type {HTMLCanvasElement} */ (document.getElementById('canvas')).width);
            const whole = await sharp.page.evaluate(() => document.getElementById('canvas')?.clientWidth);
            const fewer = await sharp.page.evaluate(() => {
                const { view } = /** @type {any} */ (window).limber.parts;
                view.quality.level = 2; // as after a second of slow pictures
                view.resize();
                return view.canvas.width; // at once: a page that waits for a picture for long is sharp again
            });
            assert.ok(fewer < Number(whole));
            await sharp.send({ type: 'pause', value: true });
            await sharp.until('all pixels are there', async () => await pixels() === whole);
            await sharp.send({ type: 'pause', value: false });
            await sharp.until('it moves, and has fewer', async () => await pixels() < Number(whole));
            await setup.leave(sharp);
        });

        test('a flat thing that stands on edge is laid down, on the ground', async () => {
            const { visitor } = setup;
            const { revision } = await visitor.get('state');
            await visitor.drop([make_plate()]);
            await visitor.built_after(revision);
            const [x, y, z] = [await visitor.extent('x'), await visitor.extent('y'), await visitor.extent('z')];
            assert.ok(y.size < 0.2 * Math.min(x.size, z.size), `${x.size} x ${y.size} x ${z.size} m`);
            await visitor.at_rest(); // its file has twelve triangles: were it to stand on eight points, it would sink in
            const lying = await visitor.extent('y');
            assert.ok(lying.lower > -2e-3 && lying.lower < 0.01, `it is ${lying.lower} m above the ground`);
            assert.ok(lying.size > 0.9 * 0.06, `it is ${lying.size} m thick`);
        });

        test('nothing is complained about', () => {
            assert.deepEqual(setup.visitor.take_complaints(), []);
        });
    });
}
