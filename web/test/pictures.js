// Makes the pictures of docs/page.md from the real page: `npm run pictures`, after building limber.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { launch_browser, start_engine } from './browser.js';
import { encode_png } from './png.js';

/** @typedef {import('playwright-core').Page} Page */

const images = new URL('../../docs/images/', import.meta.url);
const largest = 298_000; // bytes of a picture

/** What happens in the page is typed there, not here. @type {any} */
const limber = undefined;

/** @type {{name: string, theme: string, phone?: boolean, arrange: (page: Page) => Promise<void>}[]} */
const pictures = [
    { name: 'page', theme: 'dark', arrange: pull_bunny },
    { name: 'page-stress', theme: 'light', arrange: twist_bar },
    { name: 'page-colours', theme: 'light', arrange: compare_laws },
    { name: 'page-push', theme: 'dark', arrange: push_liver },
    { name: 'page-mesh', theme: 'light', arrange: show_mesh },
    { name: 'page-cloth', theme: 'light', arrange: drape_ball },
    { name: 'page-section', theme: 'dark', arrange: cut_bar },
    { name: 'page-phone', theme: 'light', phone: true, arrange: pull_bunny },
    { name: 'page-phone-dark', theme: 'dark', phone: true, arrange: drape_ball },
    { name: 'page-gizmo', theme: 'light', arrange: move_control },
    { name: 'elastostatic-wireframe', theme: 'light', arrange: widen_tube },
    { name: 'bem-rolling', theme: 'light', arrange: roll_sphere },
];

/** @param {Page} page @param {string} scene @param {number} frames */
async function run_to(page, scene, frames) {
    await page.evaluate((file) => limber.send({ type: 'load', scene: file }), scene);
    await step(page, frames);
}

/** @param {Page} page @param {number} frames */
async function step(page, frames) {
    await page.evaluate(async (count) => {
        for (let i = 0; i < count; ++i) {
            await limber.send({ type: 'step' });
        }
    }, frames);
    await settle(page);
}

/** Until the last frame has come and is drawn, which takes long without a graphics card. @param {Page} page */
async function settle(page) {
    for (let calm = 0, before = -1, tries = 0; calm < 4; ++tries) {
        if (tries > 400) {
            throw new Error('frames do not come to rest: is the engine still there?');
        }
        await page.waitForTimeout(300);
        const { frames, open } = await page.evaluate(() => (
            { frames: limber.counts.frames, open: limber.parts.view.frameIsNew || limber.parts.view.dirty }));
        calm = frames === before && !open ? calm + 1 : 0;
        before = frames;
    }
}

/** A rubber tube whose end is moved by its gizmo, in the colours of surface strain. @param {Page} page */
async function move_control(page) {
    await run_to(page, 'rubber-tube.json', 330);
    await page.evaluate(() => limber.send({ type: 'control', body: 0, control: 1, center: [-0.22, 0.36, 0.06], rotation: [0, 0, 0.87, 0.5] }));
    await page.evaluate(() => limber.choose_field('area-change'));
    await step(page, 2);
}

/** Model a: an end pulled over a connector, its triangles seen. @param {Page} page */
async function widen_tube(page) {
    await run_to(page, 'tube-connector.json', 250);
    await page.evaluate(() => { limber.parts.view.show({ wireframe: true }); limber.look({ azimuth: 25, elevation: 18 }); });
    await step(page, 1);
}

/** Model e: a sphere that is rolled over a body, a second one beside it; energy as hues, forces. @param {Page} page */
async function roll_sphere(page) {
    await page.evaluate(async () => {
        await limber.send({ type: 'load', scene: 'rolling-sphere.json' });
        await limber.send({ type: 'pause', value: true });
        await limber.send({ type: 'reset' });
        limber.choose_field('energy-density');
        limber.look({ azimuth: 10, elevation: 48 });
    });
    await page.keyboard.press('u');
    await page.keyboard.press('c');
    await step(page, 236);
}

/** @param {Page} page */
async function pull_bunny(page) {
    await run_to(page, 'jelly-drop.json', 75);
    const ear = await page.evaluate(() => {
        const positions = limber.positions(0);
        let top = 0;
        for (let i = 0; 3 * i < positions.length; ++i) {
            top = positions[3 * i + 1] > positions[3 * top + 1] ? i : top;
        }
        const { x, y } = limber.project(0, top);
        for (let i = 0; i < 40 * 40; ++i) { // the nearest place below it where the bunny is in front
            const [dx, dy] = [(i % 40) - 20, 8 + Math.floor(i / 40)];
            if ([-3, 0, 3].every((k) => limber.pick(x + dx + k, y + dy)?.body === 0)) {
                return { x: x + dx, y: y + dy };
            }
        }
        throw new Error('the ear is not seen');
    });
    await page.mouse.move(ear.x, ear.y);
    await page.mouse.down();
    const far = Math.min(1, (page.viewportSize()?.width ?? 1280) / 1000); // to the edge of no window
    for (let i = 1; i <= 12; ++i) {
        await page.mouse.move(ear.x + 13 * far * i, ear.y - 7 * far * i);
        await step_quickly(page, 2);
    }
    await step(page, 4);
}

/** @param {Page} page @param {number} frames */
async function step_quickly(page, frames) {
    await page.waitForTimeout(120); // the hand's move is sent with the next picture
    await page.evaluate(async (count) => {
        for (let i = 0; i < count; ++i) {
            await limber.send({ type: 'step' });
        }
    }, frames);
}

/** @param {Page} page */
async function twist_bar(page) {
    await page.evaluate(() => limber.choose_field('stress'));
    await run_to(page, 'twisted-bar.json', 180);
}

/** A sheet that fell over a ball. @param {Page} page */
async function drape_ball(page) {
    await run_to(page, 'sheet-over-ball.json', 200);
    await page.evaluate(() => limber.look({ azimuth: 30, elevation: 14 }));
    await settle(page);
}

/** What is inside a bar while it is twisted. @param {Page} page */
async function cut_bar(page) {
    await page.evaluate(() => limber.choose_field('stress'));
    await run_to(page, 'twisted-bar.json', 170);
    await page.locator('label:has(#show-section)').click();
    await page.locator('label:has(#show-isolines)').click();
    await step(page, 2);
}

/** @param {Page} page */
async function compare_laws(page) {
    await page.evaluate(() => limber.choose_field('strain'));
    await run_to(page, 'five-laws.json', 300);
    await page.evaluate(() => limber.parts.view.frame_bodies());
    await page.evaluate(() => limber.look({ azimuth: 25, elevation: 22 }));
    await settle(page);
}

/** @param {Page} page */
async function push_liver(page) {
    await page.evaluate(() => limber.choose_field('stress'));
    await run_to(page, 'poke-liver.json', 200);
    await page.evaluate(() => limber.look({ azimuth: 15, elevation: 20 }));
    await page.keyboard.press('t');
    const box = await page.locator('#canvas').boundingBox();
    const [x, y] = [(box?.width ?? 0) * 0.33, (box?.height ?? 0) * 0.5];
    await page.mouse.move(x, y); // in front of the body that is there
    await step_quickly(page, 2);
    for (let i = 0; i < 10; ++i) { // the wheel: a few millimetres a frame
        await page.mouse.wheel(0, -15);
        await step_quickly(page, 2);
    }
    await step(page, 6);
}

/** @param {Page} page */
async function show_mesh(page) {
    await run_to(page, 'grab-starfish.json', 90);
    await page.keyboard.press('m');
    await page.evaluate(() => limber.parts.view.frame_bodies());
    await step(page, 1);
}

/**
 * With as many levels of each colour as keep it small; nobody sees the difference.
 * @param {Page} page @param {Buffer} png @returns {Promise<Buffer>}
 */
async function shrink(page, png) {
    const { width, height, text } = await page.evaluate(async (data) => {
        const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d'));
        context.drawImage(image, 0, 0);
        const pixels = context.getImageData(0, 0, image.width, image.height).data.filter((_, i) => i % 4 !== 3);
        const text = Array.from(pixels, (byte) => String.fromCharCode(byte)).join('');
        return { width: image.width, height: image.height, text: btoa(text) };
    }, png.toString('base64'));
    const pixels = Uint8Array.from(Buffer.from(text, 'base64'));
    for (const unit of [1, 1.25, 1.5, 2, 3, 4]) {
        const small = encode_png(width, height, pixels.map((value) => Math.min(255, unit * Math.round(value / unit))));
        if (small.length < largest) {
            return small;
        }
    }
    throw new Error(`a picture has more than ${largest} bytes, whatever is done`);
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} address
 * @param {typeof pictures[number]} picture
 */
async function take(browser, address, { name, theme, arrange, phone = false }) {
    const page = await browser.newPage({
        viewport: phone ? { width: 390, height: 844 } : { width: 1280, height: 720 },
        colorScheme: /** @type {'light' | 'dark'} */ (theme),
        reducedMotion: 'reduce',
    });
    page.setDefaultTimeout(120_000);
    page.on('pageerror', (error) => console.error(`${name}: ${error.message}`));
    await page.addInitScript(() => localStorage.setItem('limber.quality', 'full'));
    await page.goto(address);
    await page.waitForFunction(() => limber?.state.ready);
    await page.evaluate(() => limber.send({ type: 'pause', value: true }));
    await settle(page);
    await arrange(page);
    await settle(page);
    await page.evaluate(() =>
        document.querySelectorAll('.toast button').forEach((button) => /** @type {HTMLElement} */ (button).click())
    );
    await page.evaluate(() => { /** @type {HTMLElement} */ (document.getElementById('hint')).hidden = true; });
    const png = await page.screenshot({ timeout: 120_000 });
    const file = new URL(`${name}.png`, images);
    writeFileSync(file, await shrink(page, png));
    console.log(fileURLToPath(file));
    await page.close();
}

const wanted = process.argv.slice(2);
const engine = await start_engine();
const browser = await launch_browser();
try {
    for (const picture of pictures.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
        await take(browser, engine.address, picture);
    }
} finally {
    await browser.close();
    engine.stop();
}
