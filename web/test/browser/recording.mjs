import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { block } from './support/scenes.mjs';

/**
 * Opens a GLB with three's own loader, in the page, and plays it. @param {string} base64
 * @returns {Promise<{meshes: number, points: number, duration: number, moved: number, lowest: number[]}>} moved: m, the farthest
 *     that a point gets; lowest: height of the lowest point at the first and the last frame, m
 */
async function play_glb(base64) {
    const [loaders, three] = [await import(/** @type {any} */ ('three/addons/loaders/GLTFLoader.js')), await import('three')];
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const gltf = await new loaders.GLTFLoader().parseAsync(bytes.buffer, '');
    const [clip] = gltf.animations;
    const mixer = new three.AnimationMixer(gltf.scene);
    mixer.clipAction(clip).play();
    const places_at = (/** @type {number} */ seconds) => {
        mixer.setTime(seconds);
        gltf.scene.updateMatrixWorld(true);
        /** @type {import('three').Vector3[]} */
        const places = [];
        gltf.scene.traverse((/** @type {any} */ part) => {
            for (let i = 0; part.isMesh && i < part.geometry.attributes.position.count; ++i) {
                places.push(part.localToWorld(part.getVertexPosition(i, new three.Vector3())));
            }
        });
        return places;
    };
    const [first, last] = [places_at(0), places_at(clip.duration - 1e-4)];
    let meshes = 0;
    gltf.scene.traverse((/** @type {any} */ part) => { meshes += Number(Boolean(part.isMesh)); });
    return {
        meshes, points: first.length, duration: clip.duration, moved: Math.max(...first.map((place, i) => place.distanceTo(last[i]))),
        lowest: [first, last].map((places) => Math.min(...places.map(({ y }) => y))),
    };
}

/** @param {import('./support/setup.mjs').Setup} setup */
export function recording(setup) {
    describe('what happened is taken away', () => {
        const frames = 40;

        test('a recording is made by the button, and says how long it is', async () => {
            const { visitor } = setup;
            const { page } = visitor;
            await visitor.begin(block({ name: 'Recorded' }, { position: [0, 1.2, 0] }));
            await visitor.pause();
            await visitor.page.click('#reset');
            await visitor.still();
            assert.ok(await page.locator('#download-glb').isHidden(), 'nothing is there yet');
            await page.click('#record');
            await visitor.until_state('it records', (state) => state.recording);
            for (let i = 0; i < frames; ++i) {
                await visitor.send({ type: 'step' });
            }
            await visitor.still();
            await page.click('#record');
            await visitor.until_state('it no longer records', (state) => !state.recording);
            await page.locator('#download-glb').waitFor({ state: 'visible' });
            await page.locator('#download-csv').waitFor({ state: 'visible' });
        });

        test('the GLB opens in three\'s own loader, and its animation moves the points as they moved', async () => {
            const { visitor } = setup;
            const glb = await visitor.download('#download-glb');
            assert.equal(glb.toString('latin1', 0, 4), 'glTF');
            const seen = await visitor.page.evaluate(play_glb, glb.toString('base64'));
            assert.equal(seen.meshes, 1);
            assert.ok(Math.abs(seen.duration - frames / 60) < 2 / 60, `${seen.duration} s`);
            // It falls by g t^2 / 2 for 2/3 s, less by its damping.
            assert.ok(Math.abs(seen.lowest[0] - 1) < 0.01, `it begins at ${seen.lowest[0]} m`);
            assert.ok(seen.moved > 0.5 && seen.moved < 2.2, `points move by ${seen.moved} m`);
            const now = await visitor.extent('y');
            assert.ok(Math.abs(seen.lowest[1] - now.lower) < 0.02, `it ends at ${seen.lowest[1]} m, the body is at ${now.lower} m`);
        });

        test('the CSV has a row for each frame and a column for each thing measured, with its unit', async () => {
            const { visitor } = setup;
            const [head, ...rows] = (await visitor.download('#download-csv')).toString().trim().split('\n').map((line) => line.split(','));
            assert.deepEqual(head.slice(0, 2), ['frame', 'time [s]']);
            for (const column of ['middle.x [m]', 'middle.y [m]', 'middle.z [m]', 'kinetic energy [J]']) {
                assert.ok(head.includes(column), `${column} among ${head.join(', ')}`);
            }
            assert.ok(Math.abs(rows.length - frames) <= 2, `${rows.length} rows`);
            assert.ok(rows.every((row) => row.length === head.length && row.every((cell) => Number.isFinite(Number(cell)))));
            const y = head.indexOf('middle.y [m]');
            assert.ok(Number(rows.at(-1)?.[y]) < Number(rows[0][y]) - 0.5, 'the middle has fallen');
            await visitor.resume();
        });

        test('a recording that ends because the scene is built anew is told, and can be had', async () => {
            const { visitor } = setup, { page } = visitor;
            await visitor.begin(block({ name: 'Interrupted' }));
            await page.click('#record');
            await visitor.until_state('it records', (state) => state.recording);
            await visitor.go_on(10);
            await visitor.load({ type: 'set', path: 'bodies[0].mesh.edge', value: 0.2 });
            const { message } = await visitor.noticed(/^The recording ended with \d+ frames: .* It can be downloaded\.$/, 'warning');
            assert.ok(Number(message.match(/\d+/)?.[0]) >= 10, message);
            await visitor.until_state('it no longer records', (state) => !state.recording);
            await page.locator('#download-glb').waitFor({ state: 'visible' });
            assert.equal((await visitor.download('#download-glb')).toString('latin1', 0, 4), 'glTF');
        });

        test('a scene that is saved comes back the same when it is dropped in', async () => {
            const { visitor } = setup;
            await visitor.begin(block({ name: 'Saved' }));
            await visitor.enter('material.youngsModulus', '77k');
            await visitor.until('the engine has it', async () => (await setup.engine.document()).bodies[0].material.youngsModulus === 77000);
            await visitor.send({ type: 'set', path: 'gravity', value: [0, -3.7, 0] });
            await visitor.page.click('#tool-pin'); // by mouse: letters would go to the field that was written in
            await visitor.until_state('the mouse pins', ({ mode }) => mode === 'pin');
            const { x, y } = await visitor.find();
            await visitor.page.mouse.click(x, y);
            await visitor.until_state('there is a pin', ({ pins }) => pins === 1);
            const saved = await visitor.download('#save');
            const scene = JSON.parse(saved.toString());
            assert.equal(scene.bodies[0].material.youngsModulus, 77000);
            assert.deepEqual(scene.gravity, [0, -3.7, 0]);
            assert.equal(scene.pins.length, 1);
            const { bodies: [body] } = await visitor.get('scene');

            await visitor.begin(block({ name: 'Another' }));
            const { revision } = await visitor.get('state');
            await visitor.drop([{ name: 'mine.json', bytes: saved }]);
            await visitor.built_after(revision);
            const again = await visitor.get('scene');
            assert.equal(again.name, 'Saved');
            assert.deepEqual(again.bodies[0].values, body.values);
            assert.equal((await visitor.get('state')).pins, 1);
            assert.deepEqual(JSON.parse((await visitor.download('#save')).toString()), scene);
        });

        test('nothing is complained about', () => {
            assert.deepEqual(setup.visitor.take_complaints(), []);
        });
    });
}
