// What tests share: one engine, one browser, one page, one folder for what they write; and what they leave is cleaned up.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch_browser } from '../../browser.js';
import { Engine } from './engine.mjs';
import { block } from './scenes.mjs';
import { Visitor } from './visitor.mjs';
import { patience } from './waiting.mjs';

/**
 * width, height: of the window, CSS pixels; density: the display's pixels in one of them. Half a pixel shows all there is
 * and is drawn four times as fast. full: drawn as for people, with shadows, which takes most of the time.
 * @typedef {{width?: number, height?: number, density?: number, dark?: boolean, newcomer?: boolean, full?: boolean}} Window
 */

/** How many times slower the page's processor is made to look: what passes here at 4 to 6 passes on slow machines, too. */
const slowness = Number(process.env.LIMBER_SLOWNESS ?? 1);

export class Setup {
    constructor() {
        this.folder = '';
        /** @type {import('playwright-core').Browser[]} */
        this.browsers = [];
        /** @type {Engine[]} */
        this.engines = [];
        this.screenshots = process.env.LIMBER_SCREENSHOTS ?? fileURLToPath(new URL('../../../../build/screenshots', import.meta.url));
        /** @type {any} */
        this.shared = {};
    }

    async open() {
        mkdirSync(this.screenshots, { recursive: true });
        this.folder = await mkdtemp(join(tmpdir(), 'limber-page-'));
        const scene = await this.write('block.json', JSON.stringify(block()));
        this.shared.engine = await this.start_engine([scene]);
        this.browsers.push(await launch_browser({
            timeout: 1000 * patience,
            env: { ...process.env, HOME: this.folder, TMPDIR: this.folder, XDG_CONFIG_HOME: this.folder, XDG_CACHE_HOME: this.folder },
        }));
        this.shared.visitor = await this.visit();
    }

    async close() {
        await Promise.all(this.browsers.map((browser) => browser.close()));
        await Promise.all(this.engines.map((engine) => engine.stop()));
        await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
    }

    /** @returns {Engine} that most tests use */
    get engine() {
        return this.shared.engine;
    }

    /** @returns {Visitor} that most tests use */
    get visitor() {
        return this.shared.visitor;
    }

    /** @param {string} name @param {string | Buffer} contents @returns {Promise<string>} its path */
    async write(name, contents) {
        const path = join(this.folder, name);
        await writeFile(path, contents);
        return path;
    }

    /** @param {string[]} options */
    async start_engine(options) {
        const engine = await Engine.start([...options, '--threads', '1'], this.folder);
        this.engines.push(engine);
        return engine;
    }

    /** A page of its own, with nothing remembered. @param {Window} [window] @param {Engine} [engine] */
    async visit({ width = 1280, height = 720, density = 0.5, dark = false, newcomer = false, full = false } = {}, engine = this.engine) {
        const context = await this.browsers[0].newContext({
            viewport: { width, height }, deviceScaleFactor: density, colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce',
            acceptDownloads: true,
        });
        context.setDefaultTimeout(1000 * patience);
        if (!newcomer) { // who has been here before sees all controls
            await context.addInitScript(() => {
                localStorage.getItem('limber.controls') ?? localStorage.setItem('limber.controls', 'all');
                localStorage.getItem('limber.plots') ?? localStorage.setItem('limber.plots', '1');
            });
        }
        if (!full) {
            await context.addInitScript(() => localStorage.setItem('limber.quality', 'draft'));
        }
        const page = await context.newPage();
        if (slowness > 1) {
            await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: slowness });
        }
        const visitor = new Visitor(page);
        await visitor.go(engine.address);
        return visitor;
    }

    /** @param {Visitor} visitor */
    async leave(visitor) {
        await visitor.page.context().close();
    }
}
