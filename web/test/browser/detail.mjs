import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { block } from './support/scenes.mjs';

/** @param {import('./support/setup.mjs').Setup} setup */
export function detail(setup) {
    describe('levels of detail', () => {
        test('the line at the bottom says how many nodes are active and what of the frame they take', async () => {
            const { visitor } = setup;
            const { page } = visitor;
            await visitor.begin(block({ name: 'Plain' }));
            await visitor.until('frames come', async () => await page.locator('[data-stat=nodes]').isVisible());
            assert.ok(await page.locator('.detail-meter').isHidden(), 'a body without levels has no such meter');

            await visitor.begin(levels());
            await visitor.until('the meter is there', async () => await page.locator('.detail-meter').isVisible());
            assert.match(await page.locator('.detail-meter').innerText(), /^detail \d+ %/);
            assert.match(await page.locator('[data-stat=activeNodes]').innerText(), /active nodes$/);
        });

        test('thresholds that are moved while it runs make it finer', async () => {
            const { visitor } = setup;
            const { page } = visitor;
            const active = async () => Number((await page.locator('[data-stat=activeNodes]').innerText()).replace(/\D/g, ''));
            await visitor.begin(levels());
            await visitor.until('nodes are counted', async () => await page.locator('[data-stat=activeNodes]').isVisible());
            const before = await active();
            await visitor.send({ type: 'set', path: 'bodies[0].detail.split', value: 1e-5 });
            await visitor.until('more nodes are active', async () => await active() > before);
        });
    });
}

function levels() {
    return block({ name: 'Levels' }, { mesh: { kind: 'levels', edge: 0.1, levels: 2, structured: true }, detail: { split: 0.2 } });
}
