import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { count_pixels, near_colour } from './support/pictures.mjs';

const force = near_colour(0xff, 0xb0, 0x20);

/** A rubber tube along x with a fixed and a movable end, precomputed in a moment. @param {object} limits */
function tube(limits = {}) {
    return {
        limber: 1,
        name: 'Tube',
        gravity: [0, -9.81, 0],
        bodies: [{
            name: 'tube',
            kind: 'elastostatic',
            position: [0, 0.3, 0],
            rotation: { axis: [0, 0, 1], degrees: 90 },
            material: { density: 1100, youngsModulus: 2e6, poissonsRatio: 0.45 },
            elastostatic: {
                tube: { length: 0.5, outerDiameter: 0.06, innerDiameter: 0.04, axial: 16, around: 12, radial: 1 },
                controls: [{ name: 'start', fixed: true }, { name: 'end' }],
                limits,
            },
        }],
    };
}

/** @param {import('./support/setup.mjs').Setup} setup */
export function controls(setup) {
    /** The control that can be moved. */
    const end = async () => (await setup.visitor.get('controls'))[0].controls[1];
    /** @param {number[]} v */
    const length = (v) => Math.hypot(...v);

    describe('controls of precomputed bodies', () => {
        test('a gizmo drags, turns and scales a control; arrows and numbers say what holds it', async () => {
            const { visitor } = setup;
            await visitor.begin(tube());
            await visitor.until('controls are there', async () => (await visitor.get('controls')).length === 1);
            assert.ok(await visitor.page.locator('#control-part').isVisible());
            const before = await end(), positions = await visitor.positions();
            await visitor.pull(await visitor.get('project_control'), { x: 10, y: -70 });
            await visitor.until('the control follows', async () => (await end()).center[1] > before.center[1] + 0.02);
            await visitor.page.mouse.up();
            const moved = await visitor.positions();
            assert.ok(moved.some((/** @type {number} */ x, /** @type {number} */ i) => Math.abs(x - positions[i]) > 0.02), 'the body follows');
            assert.ok(length((await end()).force) > length(before.force), 'more force holds it');
            assert.match(await visitor.page.locator('#control-forces').innerText(), /Force [\d.]+ \S*N, torque [\d.]+ \S*N/);
            await visitor.drawn();
            assert.ok(count_pixels(await visitor.canvas_picture(), force) > 10, 'an arrow is seen');

            await visitor.page.locator('#gizmo-scale').click();
            await visitor.pull(await visitor.get('project_control'), { x: 40, y: -40 });
            await visitor.until('the control is wider', async () => length((await end()).x) > 1.1);
            await visitor.page.mouse.up();

            await visitor.page.locator('#gizmo-rotate').click();
            const upright = (await end()).y;
            await visitor.pull(await visitor.get('project_control'), { x: 30, y: 20 }); // the ball between the rings
            await visitor.until('the control is turned', async () => {
                const { y } = await end();
                return length(y.map((/** @type {number} */ c, /** @type {number} */ i) => c - upright[i])) > 0.05;
            });
            await visitor.page.mouse.up();
            await visitor.page.locator('#gizmo-free').click();
            await visitor.until('it is free', async () => (await end()).free);
            await visitor.until('nothing but gravity is on it', async () => length((await end()).force) < 1e-3);
        });

        test('what is too far from linear is refused, in words, and the last shape stays', async () => {
            const { visitor } = setup;
            await visitor.begin(tube({ strain: 0.05 }));
            await visitor.until('controls are there', async () => (await visitor.get('controls')).length === 1);
            await visitor.page.locator('#gizmo-translate').click();
            const refusal = visitor.page.locator('#refusal');
            assert.ok(await refusal.isHidden());
            await visitor.pull(await visitor.get('project_control'), { x: 160, y: -160 });
            await refusal.waitFor({ state: 'visible' });
            assert.match(await refusal.innerText(), /^The last shape stays: some of it would be strained by [\d.e+]+ %; the limit is 5\.00 %\.$/);
            await visitor.page.mouse.up();
            const kept = await visitor.positions();
            await visitor.send({ type: 'control', body: 0, control: 1, center: (await end()).center, rotation: [0, 0, 0.7071068, 0.7071068] });
            await refusal.waitFor({ state: 'hidden' });
            const after = await visitor.positions();
            assert.ok(Math.max(...after.map((/** @type {number} */ x, /** @type {number} */ i) => Math.abs(x - kept[i]))) < 0.05, 'it was where it had been');
            await assert.rejects(visitor.send({ type: 'control', body: 0, control: 0, center: [0, 0, 0] }), /is fixed/);
            await assert.rejects(visitor.send({ type: 'control', body: 0, control: 7, center: [0, 0, 0] }), /has no control 7/);
            await assert.rejects(visitor.send({ type: 'control', body: 5, control: 0, center: [0, 0, 0] }), /body: is 5; expected less than 1/);
        });

        test('such a body has colours and a wireframe', async () => {
            const { visitor } = setup;
            for (const field of ['area-change', 'volume-change', 'energy-density']) {
                await visitor.get('choose_field', field);
                await visitor.until(`${field} is shown`, async () => (await visitor.get('field'))?.some((/** @type {number} */ value) => value !== 0));
            }
            await visitor.press('w', 'the wireframe', ({ wireframe }) => wireframe);
            await visitor.drawn();
            await visitor.press('w', 'no wireframe', ({ wireframe }) => !wireframe);
            await visitor.get('choose_field', '');
        });
    });
}
