// Makes the pictures of the gallery (web/pictures) from the real page: `node web/test/gallery_pictures.js [SCENE...]`.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { launch_browser, start_engine } from './browser.js';

const folder = fileURLToPath(new URL('../pictures/', import.meta.url));
const scenes = fileURLToPath(new URL('../../scenes/', import.meta.url));
/** Frames after which a scene is at its best; others: 45. @type {Record<string, number>} */
const best = { 'seesaw.json': 62, 'flag.json': 150, 'fish.json': 90, 'gummy-bowl.json': 60, 'sheet-over-ball.json': 80, 'twisted-bar.json': 90, 'free-fall.json': 12, 'rolling-sphere.json': 236 };

/** What happens in the page is typed there, not here. @type {any} */
const limber = undefined;

mkdirSync(folder, { recursive: true });
const wanted = process.argv.slice(2);
const files = readdirSync(scenes).filter((file) => file.endsWith('.json') && (wanted.length === 0 || wanted.some((name) => file.startsWith(name))));
const engine = await start_engine(['box']);
const browser = await launch_browser();
const context = await browser.newContext({ viewport: { width: 480, height: 326 }, colorScheme: 'light', reducedMotion: 'reduce' });
const page = await context.newPage();
await page.goto(engine.address);
await page.waitForFunction(() => limber?.state.ready, null, { timeout: 60000 });
await page.addStyleTag({ content: '#toolbar, #tool-options, #corner, #transport, #hint, #toasts, #banner, #panel, #status, #plots { display: none !important } body { grid-template: 1fr / 1fr !important; grid-template-areas: "view" !important }' });
for (const file of files) {
    await page.evaluate(async ({ file: scene, frames }) => {
        await limber.send({ type: 'load', scene });
        await limber.send({ type: 'pause', value: true });
        for (let i = 0; i < frames; ++i) {
            await limber.send({ type: 'step' });
        }
        const { view } = limber.parts;
        view.needsFraming = true;
        view.keepCamera = false;
    }, { file, frames: best[file] ?? 45 });
    await page.waitForTimeout(2500);
    await page.evaluate(() => { limber.parts.view.frame_bodies(); limber.parts.view.orbit.jump(); limber.parts.view.redraw(); });
    await page.waitForTimeout(1500);
    writeFileSync(`${folder}${file.replace(/\.json$/, '.jpg')}`, await page.screenshot({ type: 'jpeg', quality: 72, clip: { x: 0, y: 13, width: 480, height: 300 } }));
    console.log(file);
}
await browser.close();
engine.stop();
