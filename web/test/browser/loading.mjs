import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { count_colours, count_pixels, near_hue } from './support/pictures.mjs';

/** @param {import('./support/setup.mjs').Setup} setup */
export function loading(setup) {
    describe('the page loads', () => {
        test('it connects, and shows what the engine was started with', async () => {
            const { visitor } = setup;
            const state = await visitor.get('state');
            assert.equal(state.connected, true);
            assert.equal(state.scene, 'Block');
            assert.equal(state.clients, 1);
            assert.equal(await visitor.page.title(), 'limber');
            assert.match(await visitor.page.locator('.facts').innerText(), /125 nodes/);
        });

        test('the canvas is not blank: it has many colours, the body\'s own among them', async () => {
            const picture = await setup.visitor.canvas_picture();
            const all = picture.width * picture.height;
            assert.ok(count_colours(picture) > 30, `${count_colours(picture)} colours`);
            const ofBody = count_pixels(picture, near_hue(14)); // #e4572e
            assert.ok(ofBody > 0.01 * all, `${ofBody} of ${all} pixels have the body's colour`);
        });

        test('a hint says what to do first', async () => {
            assert.match(await setup.visitor.page.locator('#hint').innerText(), /drag/i);
        });

        test('time goes on, and every frame is drawn and answered', async () => {
            const { visitor } = setup;
            await visitor.go_on(10);
            const { frames, answered, refused } = await visitor.get('counts');
            assert.equal(refused, 0);
            assert.ok(frames - answered <= 2, `${frames} frames came, ${answered} were answered`);
        });

        test('nothing is complained about', () => {
            assert.deepEqual(setup.visitor.take_complaints(), []);
        });
    });
}
