import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { block } from './support/scenes.mjs';

/** @param {import('./support/setup.mjs').Setup} setup */
export function choosing(setup) {
    describe('scenes, shapes and kinds are chosen', () => {
        test('all that the engine offers is in the list', async () => {
            const { visitor } = setup;
            const { scenes, shapes } = await visitor.get('hello');
            const offered = await visitor.page.locator('#scene-select optgroup option').evaluateAll((options) => (
                options.map((option) => /** @type {HTMLOptionElement} */ (option).value)));
            assert.deepEqual(offered, [
                ...scenes.map((/** @type {any} */ { file }) => `scene ${file}`), ...shapes.map((/** @type {any} */ { name }) => `shape ${name}`),
            ]);
        });

        test('a scene is chosen: it is there, with its name and description', async () => {
            const { visitor } = setup;
            const { revision } = await visitor.get('state');
            await visitor.page.selectOption('#scene-select', 'scene cube-press.json');
            await visitor.built_after(revision);
            const scene = await visitor.get('scene');
            assert.equal((await visitor.get('state')).scene, 'One cube, guided and pressed');
            assert.equal(await visitor.page.locator('.scene .description').innerText(), scene.description);
            assert.equal(await visitor.page.inputValue('#scene-select'), 'scene cube-press.json');
            await visitor.go_on();
        });

        test('a shape is chosen: it lies on the ground as a body with good defaults', async () => {
            const { visitor } = setup;
            const { revision } = await visitor.get('state');
            await visitor.page.selectOption('#scene-select', 'shape torus');
            await visitor.built_after(revision);
            const [body] = (await visitor.get('scene')).bodies;
            assert.equal(body.shape, 'torus');
            assert.equal(await visitor.page.inputValue('#scene-select'), 'shape torus');
            await visitor.go_on();
            const { lower } = await visitor.extent('y');
            assert.ok(lower > -0.05 && lower < 0.2, `its bottom is at ${lower} m`);
        });

        test('with several bodies, the panel edits the one that is chosen or touched', async () => {
            const { visitor } = setup;
            const [first] = block().bodies;
            const second = { ...first, name: 'other', position: [0.7, 0.21, 0], material: { ...first.material, youngsModulus: 60000 } };
            await visitor.begin(block({ name: 'Two', bodies: [first, second] }));
            const field = visitor.row('material.youngsModulus').locator('input.number');
            assert.equal(await field.inputValue(), '30 kPa');
            await visitor.page.selectOption('#body-select', '1');
            await visitor.until('the other body\'s value', async () => await field.inputValue() === '60 kPa');
            const { x, y } = await visitor.find(0);
            await visitor.page.mouse.click(x, y);
            await visitor.until_state('the body that was touched', ({ body }) => body === 0);
            assert.equal(await field.inputValue(), '30 kPa');
        });

        test('another mesh builds the body anew, and the panel shows what it has', async () => {
            const { visitor } = setup;
            // Thin layers of heavily damped matter would need more steps than a frame may have.
            const material = { density: 1000, youngsModulus: 30000, stiffnessDamping: 0.0002, massDamping: 2 };
            await visitor.begin(block({ name: 'Meshes' }, { material }));
            const offered = await visitor.page.locator('#kind-mesh option').evaluateAll((options) => (
                options.map((option) => /** @type {HTMLOptionElement} */ (option).value)));
            assert.ok(offered.includes('tets') && !offered.includes('file'), `offered: ${offered}`);
            for (const mesh of offered.filter((name) => name !== 'tet-grid')) {
                const before = await visitor.get('state');
                await visitor.page.selectOption('#kind-mesh', mesh);
                await visitor.built_after(before.revision);
                const [body] = (await visitor.get('scene')).bodies;
                assert.equal(await visitor.page.inputValue('#kind-mesh'), body.mesh, 'the panel shows what there is');
                assert.equal(body.mesh, mesh, 'a box takes them all');
                await visitor.go_on();
            }
        });

        test('another law builds the body anew', async (t) => {
            const { visitor } = setup;
            await visitor.begin(block({ name: 'Laws' }));
            const { laws } = await visitor.get('hello');
            const others = laws.filter((/** @type {any} */ { name, meshes }) => name !== 'springs' && meshes.includes('tet-grid'));
            t.diagnostic(`laws beside springs: ${others.map((/** @type {any} */ { name }) => name).join(', ') || 'none'}`);
            for (const { name } of others) {
                const { revision } = await visitor.get('state');
                await visitor.page.selectOption('#kind-law', name);
                await visitor.built_after(revision);
                assert.equal((await visitor.get('scene')).bodies[0].law, name);
                await visitor.go_on();
            }
        });

        test('a property that cannot change live builds the body anew', async () => {
            const { visitor } = setup;
            await visitor.begin(block({ name: 'Finer' }));
            const { revision } = await visitor.get('state');
            await visitor.enter('mesh.edge', '0.2');
            await visitor.built_after(revision);
            assert.ok((await visitor.get('scene')).bodies[0].nodes < 125);
            await visitor.go_on();
        });

        test('every integrator is taken, and time goes on with it', async () => {
            const { visitor } = setup;
            const [{ mesh }] = (await visitor.get('scene')).bodies;
            const integrators = (await visitor.get('hello')).integrators.filter((/** @type {any} */ { meshes }) => meshes.includes(mesh));
            assert.ok(integrators.some((/** @type {any} */ { implicit }) => implicit));
            for (const { name } of integrators.slice(1)) {
                await visitor.page.selectOption('#kind-integrator', name);
                await visitor.until(`it is ${name}`, async () => (await visitor.get('scene')).bodies[0].integrator === name);
                await visitor.go_on(1);
            }
            assert.equal((await setup.engine.document()).bodies[0].integrator.kind, integrators.at(-1).name);
        });

        test('every scene and every shape of the list can be loaded', async () => {
            const client = setup.engine.connect();
            const { open } = await client.opened;
            assert.ok(open);
            const hello = await setup.visitor.get('hello');
            const loads = [
                ...hello.scenes.map((/** @type {any} */ { file }) => ({ scene: file })),
                ...hello.shapes.map((/** @type {any} */ { name }) => ({ shape: name })),
            ];
            await setup.visitor.pause(); // what is drawn is the first frame of each
            for (const what of loads) {
                assert.equal(await client.ask({ type: 'load', ...what }), null, JSON.stringify(what));
            }
            await client.drop();
            await setup.visitor.begin(block());
            await setup.visitor.resume();
        });

        test('nothing is complained about', () => {
            assert.deepEqual(setup.visitor.take_complaints(), []);
        });
    });
}
