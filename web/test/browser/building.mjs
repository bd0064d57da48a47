import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { count_changes, count_pixels, near_hue } from './support/pictures.mjs';
import { decode_png } from './support/read_png.mjs';
import { block } from './support/scenes.mjs';
import { make_surface } from './support/surfaces.mjs';

/**
 * Runs in the page: plays a film from its beginning to its end.
 * @param {string} base64 @returns {Promise<{width: number, height: number, seconds: number, pictures: number}>} pictures: that
 *     the browser showed
 */
async function play_film(base64) {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const video = document.createElement('video');
    video.muted = true;
    video.src = URL.createObjectURL(new Blob([bytes], { type: 'video/webm' }));
    let pictures = 0;
    const count = () => {
        ++pictures;
        video.requestVideoFrameCallback(count);
    };
    video.requestVideoFrameCallback(count);
    await new Promise((done, fail) => {
        video.onended = done;
        video.onerror = () => fail(new Error(video.error?.message));
        video.play().catch(fail);
    });
    URL.revokeObjectURL(video.src);
    return { width: video.videoWidth, height: video.videoHeight, seconds: video.currentTime, pictures };
}

/** @param {import('./support/setup.mjs').Setup} setup */
export function building(setup) {
    /** @returns {Promise<string[]>} */
    const names = async () => (await setup.visitor.get('scene')).bodies.map((/** @type {any} */ { name }) => name);
    /** @param {string} what @param {() => Promise<any>} act */
    const rebuilt = async (what, act) => {
        const { revision } = await setup.visitor.get('state');
        await act();
        await setup.visitor.until_state(what, (state) => state.revision > revision && state.ready);
    };
    const hands = async () => (await setup.visitor.get('tools')).filter((/** @type {any} */ { kind }) => kind === 1000).length;

    describe('a scene is built', () => {
        test('bodies and things are added, chosen, copied, named, deleted; all of it is taken back and done again', async () => {
            const { visitor } = setup, { page } = visitor;
            await visitor.begin(block());
            await page.click('#add');
            await rebuilt('a ball is there', () => page.click('#add-choices [data-add="ball"]'));
            assert.deepEqual(await names(), ['block', 'ball']);
            assert.equal((await visitor.get('state')).body, 1, 'what is new is chosen');
            const colours = await page.locator('#bodies input[type=color]').evaluateAll((boxes) => boxes.map((box) => /** @type {HTMLInputElement} */ (box).value));
            assert.equal(new Set(colours).size, 2, 'and has a colour of its own');
            await rebuilt('it is there twice', () => page.keyboard.press('Control+d'));
            const item = page.locator('#bodies [data-body="2"]');
            await rebuilt('it has another name', async () => {
                await item.locator('.name').fill('twin');
                await item.locator('.name').press('Enter');
            });
            assert.deepEqual(await names(), ['block', 'ball', 'twin']);
            await rebuilt('it is gone', () => page.locator('#bodies [data-body="2"] [data-do="remove"]').click());
            assert.deepEqual(await names(), ['block', 'ball']);
            await page.locator('#canvas').focus();
            await rebuilt('it is back', () => page.keyboard.press('Control+z'));
            assert.deepEqual(await names(), ['block', 'ball', 'twin']);
            await rebuilt('and gone again', () => page.click('#redo'));
            await rebuilt('back', () => page.click('#undo'));
            await visitor.go_on();
        });

        test('matter is chosen by name, and colours too', async () => {
            const { visitor } = setup, { page } = visitor;
            await visitor.begin(block());
            await page.click('#matters [data-matter="foam"]');
            await visitor.until('it is foam', async () => (await visitor.get('scene')).bodies[0].values['material.density'] === 25);
            assert.equal(await page.getAttribute('#matters [data-matter="foam"]', 'aria-pressed'), 'true');
            await rebuilt('it is green', () => page.locator('#bodies input[type=color]').first().fill('#20a040'));
            await rebuilt('all settings are back', () => page.click('#settings-back'));
            assert.notEqual((await visitor.get('scene')).bodies[0].values['material.density'], 25);
        });

        test('a body is moved along the ground, turned and made larger', async () => {
            const { visitor } = setup, { page } = visitor;
            await visitor.begin(block());
            await visitor.pause();
            const before = await visitor.extent('x');
            await page.click('#tool-arrange');
            await rebuilt('it has moved', async () => {
                await visitor.pull(await visitor.find(), { x: 120, y: 0 });
                await page.mouse.up();
            });
            const moved = await visitor.extent('x');
            assert.ok(moved.mean > before.mean + 0.02, `${before.mean} to ${moved.mean} m`);
            await rebuilt('it is larger', () => page.click('#make-larger'));
            assert.ok((await visitor.extent('y')).size > 1.1 * before.size);
            await page.click('#tool-grab');
            await visitor.resume();
        });

        test('a setting that breaks the world is undone and named, and its cure is one click away', async () => {
            const { visitor } = setup, { page } = visitor;
            const scene = block();
            Object.assign(scene.bodies[0], { integrator: 'symplectic-euler' });
            await visitor.begin(scene);
            await visitor.send({ type: 'set', path: 'bodies[0].material.youngsModulus', value: 1e12 });
            const cure = page.locator('.toast .action');
            await cure.first().waitFor({ state: 'visible' });
            assert.match(await page.locator('.toast.error .text').first().innerText(), /Stiffness.*taken back/i);
            await visitor.go_on();
            await cure.first().click();
            await visitor.until('implicit steps', async () => (await visitor.get('scene')).bodies[0].integrator === 'implicit-euler');
            await visitor.go_on();
        });

        test('two surfaces dropped together are two bodies; dropped on the left half they are added', async () => {
            const { visitor } = setup;
            await visitor.begin(block());
            const rings = [await make_surface(setup.folder, 'ring.stl', 'torus'), await make_surface(setup.folder, 'ball.stl', 'sphere')];
            await visitor.drop(rings);
            await visitor.until('both are there', async () => (await names()).length === 2);
            await visitor.drop(rings.slice(0, 1), '#drop-add');
            await visitor.until('a third is added', async () => (await names()).length === 3);
            await visitor.go_on();
        });

        test('what takes long to build says so and can be cancelled; what is out of all measure is refused with its number', async () => {
            const { visitor } = setup, { page } = visitor;
            await visitor.begin(block());
            const { revision } = await visitor.get('state');
            const built = visitor.send({ type: 'set', path: 'bodies[0].mesh.edge', value: 0.0088 }).then(() => '', String);
            await page.click('#cancel-building'); // waits until it is there to be clicked
            assert.match(await built, /cancelled/);
            await page.locator('#building').waitFor({ state: 'hidden' });
            assert.equal((await visitor.get('state')).revision, revision);
            await assert.rejects(visitor.send({ type: 'set', path: 'bodies[0].mesh.edge', value: 0.001 }), /\d+.* expected at most \d+/);
            await visitor.go_on();
        });

        test('an empty file is called empty', async () => {
            const { visitor } = setup;
            await visitor.drop([{ name: 'nothing.obj', bytes: Buffer.from('') }]);
            await visitor.until('it is said', async () => (await visitor.get('notices')).some((/** @type {any} */ { message }) => /nothing\.obj: is empty/.test(message)));
        });
    });

    describe('no hand is left behind', () => {
        test('one that holds while the scene begins anew lets go with the mouse', async () => {
            const { visitor } = setup, { page } = visitor;
            await visitor.begin(block());
            await visitor.pull(await visitor.find(), { x: 0, y: -60 });
            await visitor.until('it holds', async () => await hands() === 1);
            await rebuilt('it begins anew', () => page.keyboard.press('r'));
            await page.mouse.up();
            await visitor.until('it has let go', async () => await hands() === 0);
            await visitor.go_on();
        });

        test('one that is to stay does, beside another, until it is told', async () => {
            const { visitor } = setup, { page } = visitor;
            await visitor.begin(block());
            await visitor.pull(await visitor.find(), { x: -40, y: -60 });
            await page.keyboard.press('k');
            await page.mouse.up();
            await visitor.go_on();
            assert.equal(await hands(), 1);
            await visitor.pull(await visitor.find(), { x: 60, y: 0 });
            await visitor.until('two hands', async () => await hands() === 2);
            await page.mouse.up();
            await visitor.until('one of them stays', async () => await hands() === 1);
            await page.keyboard.press('k');
            await visitor.until('none', async () => await hands() === 0);
        });

        test('all hands stay while that is switched on; one that stays is taken again by its dot', async () => {
            const { visitor } = setup, { page } = visitor;
            await visitor.begin(block());
            await page.click('label:has(#keep-hands)');
            const from = await visitor.find();
            await visitor.pull(from, { x: -50, y: -70 });
            await page.mouse.up();
            await visitor.until('it stays', async () => await hands() === 1);
            const dot = async () => (await visitor.get('tools')).find((/** @type {any} */ { kind }) => kind === 1000).position;
            const [before] = await dot();
            await visitor.pull({ x: from.x - 50, y: from.y - 70 }, { x: 100, y: 0 });
            await visitor.until('it has moved', async () => (await dot())[0] > before + 0.02);
            assert.equal(await hands(), 1, 'it is the same hand');
            await page.mouse.up();
            await page.click('#free-hands');
            await visitor.until('it has let go', async () => await hands() === 0);
            await page.click('label:has(#keep-hands)');
        });
    });

    /** What the section shows of the chosen body. */
    const section = () => setup.visitor.page.evaluate(() => {
        const { view } = /** @type {any} */ (window).limber.parts;
        const { faces, coloured } = view.section.parts[0];
        return { points: faces.visible ? faces.geometry.getAttribute('position').count : 0, coloured: faces.material === coloured };
    });

    describe('time, inside, and what is taken away', () => {
        test('time is dragged back and goes on from there', async () => {
            const { visitor } = setup, { page } = visitor;
            await visitor.begin(block());
            await visitor.go_on(30);
            await page.locator('#timeline').fill('0');
            await visitor.until_state('it is paused', ({ paused }) => paused);
            await visitor.until('it is where it began', async () => (await visitor.get('stats')).time < 0.1);
            await page.click('#pause');
            await visitor.go_on(3);
        });

        test('a section shows what is inside, isolines lie on it; the legend follows while time stands still', async () => {
            const { visitor } = setup, { page } = visitor;
            await visitor.begin(block());
            await visitor.pause();
            const whole = await visitor.canvas_picture();
            await visitor.page.locator('#canvas').focus();
            await page.keyboard.press('x');
            await visitor.until('tetrahedra are cut', () => page.evaluate(() => {
                const [part] = /** @type {any} */ (window).limber.parts.view.section.parts;
                return part?.faces.visible && part.faces.geometry.getAttribute('position').count > 10;
            }));
            await visitor.still();
            assert.ok(count_changes(whole, await visitor.canvas_picture()) > 100);
            for (const field of ['speed', 'strain', 'speed']) {
                await visitor.get('choose_field', field);
                await visitor.until(`the frame has ${field}`, () => page.evaluate((name) => {
                    const { session } = /** @type {any} */ (window).limber.parts;
                    return session.hello.fields[session.frame.field]?.name === name;
                }, field));
            }
            await visitor.get('choose_field', 'strain'); // laws measure it, inside too
            await visitor.until('the field is shown inside', async () => (await section()).coloured);
            await visitor.still();
            const plain = await visitor.canvas_picture();
            await page.keyboard.press('i');
            await visitor.still();
            const lines = count_changes(plain, await visitor.canvas_picture());
            assert.ok(lines > 20, `isolines change ${lines} pixels`);
            await page.keyboard.press('i');
            await visitor.get('choose_field', '');
            await visitor.resume();
        });

        test('a section of voxels shows them; a body without an inside is not cut, and that is said', async () => {
            const { visitor } = setup, { page } = visitor;
            const [body] = block().bodies;
            const rigid = { name: 'rigid', kind: 'rigid', shape: { kind: 'box', size: 0.2 }, position: [1, 0.2, 0] };
            await visitor.begin(block({ name: 'Voxels', bodies: [{ ...body, mesh: { kind: 'voxels', depth: 4, mechanicalDepth: 2 } }, rigid], probes: [] }));
            assert.equal(await page.locator('#show-section').isChecked(), true);
            await visitor.until('voxels are cut', async () => (await section()).points > 30);
            await page.locator('#show-section').focus();
            await page.click('#bodies li:nth-child(2) .kind');
            await visitor.until('it is said', () => page.locator('#no-inside').isVisible());
            assert.equal(await page.evaluate(() => /** @type {any} */ (window).limber.parts.view.bodies[1].materials[0].clippingPlanes), null);
            await page.locator('#canvas').focus();
            await page.keyboard.press('x');
            await visitor.until('nothing is said', async () => !await page.locator('#no-inside').isVisible());
        });

        test('a point is watched over time', async () => {
            const { visitor } = setup, { page } = visitor;
            await visitor.begin(block());
            await page.click('#watch');
            const { x, y } = await visitor.find();
            await page.mouse.click(x, y);
            await visitor.until('it is plotted', () => page.evaluate(() => (
                [...document.querySelectorAll('#plots select option')].some(({ textContent }) => /Point of block/.test(textContent ?? '')))));
            assert.equal(await hands(), 0);
        });

        test('a picture is saved', async () => {
            const { visitor } = setup, { page } = visitor;
            await visitor.begin(block());
            await visitor.pause();
            const saved = decode_png(await visitor.download('#picture'));
            const shown = await page.evaluate(() => { const { width, height } = /** @type {HTMLCanvasElement} */ (document.getElementById('canvas')); return { width, height }; });
            assert.deepEqual([saved.width, saved.height], [shown.width, shown.height]);
            assert.ok(saved.data.every((value, i) => i % 4 !== 3 || value === 255), 'what is behind the bodies is in it');
            assert.ok(count_pixels(saved, near_hue(13)) > 300, 'and so are they');
            await page.selectOption('#colour-select', 'speed');
            await visitor.drawn(2);
            const coloured = decode_png(await visitor.download('#picture'));
            const bar = await page.evaluate(() => {
                const { left, top } = /** @type {HTMLCanvasElement} */ (document.getElementById('canvas')).getBoundingClientRect();
                const box = /** @type {Element} */ (document.querySelector('#legend .bar')).getBoundingClientRect();
                return { x: box.left - left, y: box.top - top + box.height / 2, width: box.width };
            });
            const ratio = saved.width / await page.evaluate(() => /** @type {Element} */ (document.getElementById('canvas')).getBoundingClientRect().width);
            const along = [0.1, 0.3, 0.5, 0.7, 0.9].map((share) => {
                const at = 4 * (Math.round(ratio * bar.y) * coloured.width + Math.round(ratio * (bar.x + share * bar.width)));
                return [...coloured.data.subarray(at, at + 3)];
            });
            for (let i = 1; i < along.length; ++i) {
                assert.ok(Math.hypot(...along[i].map((value, k) => value - along[i - 1][k])) > 20, `the legend is in it: ${JSON.stringify(along)}`);
            }
            await page.selectOption('#colour-select', '');
            await visitor.resume();
        });

        test('a video is saved, and plays: it has a length, a size and pictures that differ', async () => {
            const { visitor } = setup, { page } = visitor;
            await visitor.begin(block({ name: 'Filmed' }, { position: [0, 1, 0] }));
            await page.click('#video');
            await visitor.until('it films', async () => await page.getAttribute('#video', 'aria-pressed') === 'true');
            await visitor.drawn(20);
            const film = await visitor.download('#video');
            assert.deepEqual([...film.subarray(0, 4)], [0x1a, 0x45, 0xdf, 0xa3], 'Matroska');
            const cinema = await page.context().newPage(); // limber's own page may load no films
            const seen = await cinema.evaluate(play_film, film.toString('base64'));
            await cinema.close();
            assert.ok(seen.width > 100 && seen.height > 50, JSON.stringify(seen));
            assert.ok(seen.pictures >= 3 && seen.seconds > 0.05, JSON.stringify(seen));
            assert.equal(await page.getAttribute('#video', 'aria-pressed'), 'false');
        });

        test('the gallery shows scenes with their pictures, and loads one', async () => {
            const { visitor } = setup, { page } = visitor;
            await page.click('#show-gallery');
            assert.equal(await page.locator('#gallery h2').count(), 2);
            await visitor.until('its first picture is there', () => page.evaluate(() => (
                /** @type {HTMLImageElement} */ (document.querySelector('#gallery img')).naturalWidth > 100)));
            await rebuilt('it is loaded', () => page.click('#gallery [data-scene="free-fall.json"]'));
            await visitor.begin(block());
        });

        test('a newcomer sees few controls, and all are one click further', async () => {
            const visitor = await setup.visit({ newcomer: true });
            assert.ok(await visitor.page.locator('#kind-law').isHidden());
            assert.ok(await visitor.page.locator('#plots').isHidden());
            assert.ok(await visitor.page.locator('#matters').isVisible());
            await visitor.page.click('#all-settings > summary');
            assert.ok(await visitor.page.locator('#kind-law').isVisible());
            await setup.leave(visitor);
        });
    });
}
