import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { count_pixels, near_hue } from './support/pictures.mjs';
import { block } from './support/scenes.mjs';
import { make_surface, make_tets, make_textured_cube } from './support/surfaces.mjs';

/** @param {import('./support/setup.mjs').Setup} setup */
export function files(setup) {
    describe('files are dropped on the page', () => {
        test('an OBJ file with its material and texture becomes a body that shows the texture', async () => {
            const { visitor } = setup;
            await visitor.begin(block());
            const { revision } = await visitor.get('state');
            await visitor.drop(make_textured_cube());
            await visitor.built_after(revision);
            const [body] = (await visitor.get('scene')).bodies;
            assert.equal(body.triangles, 6 * 8 * 8 * 2);
            assert.ok(body.tets > 0, 'it is a solid');
            assert.equal(body.integrator, 'automatic', 'the engine chooses how it moves');
            assert.ok(body.materials.some((/** @type {any} */ { texture }) => texture !== null));
            await visitor.until('the texture is seen', async () => {
                const picture = await visitor.canvas_picture();
                return count_pixels(picture, near_hue(126)) > 300 && count_pixels(picture, near_hue(231)) > 300;
            });
            await visitor.go_on();
        });

        for (const ending of ['stl', 'ply', 'glb']) {
            test(`a surface as .${ending} becomes a body`, async () => {
                const { visitor } = setup;
                const { revision } = await visitor.get('state');
                await visitor.drop([await make_surface(setup.folder, `ring.${ending}`, 'torus')]);
                await visitor.built_after(revision);
                const { name, bodies: [body] } = await visitor.get('scene');
                assert.match(name, /ring/);
                assert.ok(body.triangles > 100 && body.nodes > 20);
                const { size } = await visitor.extent('x');
                assert.ok(size > 0.1 && size < 1.5, `${size} m`);
                if (body.materials.length === 0) { // as most files come
                    await visitor.until('it is seen all the same', async () => (
                        count_pixels(await visitor.canvas_picture(), near_hue(22)) > 300));
                }
                await visitor.go_on();
            });
        }

        test('tetrahedra as .msh become a body as they are', async () => {
            const { visitor } = setup;
            const { revision } = await visitor.get('state');
            await visitor.drop([await make_tets(setup.folder, 'block.msh')]);
            await visitor.built_after(revision);
            const [body] = (await visitor.get('scene')).bodies;
            assert.deepEqual([body.mesh, body.law, body.tets], ['file', 'corotational', 6 * 27]);
            assert.ok(body.fields.includes('stress'));
            assert.equal(await visitor.page.inputValue('#kind-mesh'), 'file', 'shown where it is, though it is no choice elsewhere');
            await visitor.go_on();
        });

        test('files are also opened by the button', async () => {
            const { visitor } = setup;
            const { revision } = await visitor.get('state');
            const { name, bytes } = await make_surface(setup.folder, 'ball.obj', 'sphere');
            const [chooser] = await Promise.all([visitor.page.waitForEvent('filechooser'), visitor.page.click('#open')]);
            await chooser.setFiles([{ name, mimeType: 'model/obj', buffer: bytes }]);
            await visitor.built_after(revision);
            assert.match((await visitor.get('state')).scene, /ball/);
        });

        const bad = /** @type {[string, string, RegExp][]} */ ([
            ['nothing.obj', 'this is no surface\n', /nothing\.obj/],
            ['broken.glb', 'glTF\u0002\u0000\u0000\u0000 and no more', /broken\.glb/],
            ['short.stl', 'solid', /short\.stl/],
            ['scene.json', '{"limber": 1, "bodies": [}', /scene\.json/],
            ['letter.txt', 'dear limber', /letter\.txt.*expected one of/],
        ]);
        for (const [name, text, message] of bad) {
            test(`${name}, which cannot be read, is refused with words that name it, and the world goes on`, async () => {
                const { visitor } = setup;
                const before = await visitor.get('state');
                await visitor.drop([{ name, bytes: Buffer.from(text, 'latin1') }]);
                const { message: said } = await visitor.noticed(message);
                assert.ok(said.length > name.length + 10, said);
                assert.ok(!said.includes(setup.folder), `it names no folder of the engine: ${said}`);
                await visitor.page.locator('.toast.error', { hasText: name }).waitFor({ state: 'visible' });
                assert.equal((await visitor.get('state')).revision, before.revision);
                await visitor.go_on();
            });
        }

        test('nothing is complained about', () => {
            assert.deepEqual(setup.visitor.take_complaints(), []);
        });
    });
}
