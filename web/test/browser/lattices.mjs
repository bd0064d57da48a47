import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { count_changes } from './support/pictures.mjs';

/** What happens in the page is typed there, not here. @type {any} */
const limber = undefined;

const voxels = {
    limber: 1, name: 'Voxels', description: 'A soft bunny of voxels, turning.', frameRate: 60, frames: 600, gravity: [0, -9.81, 0], ground: {},
    bodies: [{
        name: 'bunny', shape: { kind: 'bunny', edge: 0.04, color: '#e4572e' }, mesh: { kind: 'voxels', depth: 5, mechanicalDepth: 3 },
        material: { density: 1000, youngsModulus: 20000, poissonsRatio: 0.3 }, integrator: 'implicit-euler', position: [0, 0.35, 0],
        rotation: { axis: [1, 2, 3], degrees: 100 }, angularVelocity: [1, 3, 2],
    }],
};

/** @param {import('./support/setup.mjs').Setup} setup */
export function lattices(setup) {
    describe('skins on a lattice', () => {
        test('the graphics card moves them to where their points are, and turns their normals', async () => {
            const { visitor } = setup;
            await visitor.begin(voxels);
            await visitor.until('it lies bent on the ground', async () => (await visitor.get('stats')).time > 0.6);
            await visitor.pause();
            await visitor.still();
            const moved = await visitor.canvas_picture();
            // The same body again, by points and normals that are found here.
            await visitor.page.evaluate(async () => {
                const { BodyView } = await import(/** @type {any} */ ('/src/body_view.js'));
                const { view, session } = limber.parts;
                const [old] = view.bodies, body = session.frame.bodies[0], { triangles } = old.topology;
                if (!old.lattice || body.normals) {
                    throw new Error('it does not hang on a lattice');
                }
                const { positions, pointCount } = body, areas = new Float64Array(3 * pointCount), normals = new Int8Array(4 * pointCount);
                for (let i = 0; i < triangles.length; i += 3) {
                    const corners = [0, 1, 2].map((k) => positions.subarray(3 * triangles[i + k], 3 * triangles[i + k] + 3));
                    const [a, b] = [1, 2].map((k) => corners[k].map((/** @type {number} */ x, /** @type {number} */ c) => x - corners[0][c]));
                    for (let k = 0; k < 9; ++k) {
                        const c = k % 3, d = (c + 1) % 3, e = (c + 2) % 3;
                        areas[3 * triangles[i + Math.floor(k / 3)] + c] += a[d] * b[e] - a[e] * b[d];
                    }
                }
                for (let i = 0; i < pointCount; ++i) {
                    const length = Math.hypot(areas[3 * i], areas[3 * i + 1], areas[3 * i + 2]) || 1;
                    normals.set([0, 1, 2].map((c) => Math.round(127 * areas[3 * i + c] / length)), 4 * i);
                }
                const plain = new BodyView({ ...old.topology, lattice: null }, session.scene.bodies[0].materials, view.fieldLook,
                    () => '', { flat: false, stiff: false }, () => view.redraw());
                old.group.visible = false;
                view.scene.add(plain.group);
                plain.update({ ...body, positions, normals, lattice: null }, false);
                limber.plain = plain;
                view.redraw();
            });
            await visitor.still();
            const plain = await visitor.canvas_picture();
            await visitor.page.evaluate(() => { limber.plain.group.visible = false; limber.parts.view.redraw(); });
            await visitor.still();
            const none = await visitor.canvas_picture();
            await visitor.page.evaluate(() => {
                limber.plain.dispose();
                limber.parts.view.bodies[0].group.visible = true;
                limber.parts.view.redraw();
            });
            const seen = count_changes(none, plain, 40), different = count_changes(moved, plain, 40);
            assert.ok(seen > 3000, `${seen} pixels of it are seen`);
            assert.ok(different < 0.02 * seen, `${different} of ${seen} pixels differ`);
        });

        test('they are picked, pulled, and shown in a field\'s colours and as wires', async () => {
            const { visitor } = setup;
            const place = await visitor.find();
            const before = (await visitor.positions()).slice(3 * place.point, 3 * place.point + 3);
            await visitor.resume();
            await visitor.pull(place, { x: 20, y: -80 });
            await visitor.until('it is pulled', async () => (
                Math.hypot(...(await visitor.positions()).slice(3 * place.point, 3 * place.point + 3).map((value, i) => value - before[i])) > 0.04));
            await visitor.pause();
            await visitor.page.mouse.up();
            await visitor.still();
            const plain = await visitor.canvas_picture();
            await visitor.page.selectOption('#colour-select', 'strain');
            await visitor.still();
            const coloured = await visitor.canvas_picture();
            assert.ok(count_changes(plain, coloured, 40) > 2000, 'strain is seen');
            await visitor.page.selectOption('#colour-select', '');
            await visitor.page.locator('label:has(#show-wireframe)').click();
            await visitor.still();
            assert.ok(count_changes(plain, await visitor.canvas_picture()) > 300, 'wires are seen');
            await visitor.page.locator('label:has(#show-wireframe)').click();
            await visitor.resume();
            assert.deepEqual(visitor.take_complaints(), []);
        });
    });
}
