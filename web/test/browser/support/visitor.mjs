// A person at the page: what they see, and what they do with mouse and keys.
import assert from 'node:assert/strict';
import { decode_png } from './read_png.mjs';
import { until } from './waiting.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('./read_png.mjs').Picture} Picture */
/** @typedef {{x: number, y: number}} Place CSS pixels in the window */

export class Visitor {
    /** @param {Page} page */
    constructor(page) {
        this.page = page;
        /** @type {string[]} what the browser found wrong */
        this.complaints = [];
        page.on('console', (message) => {
            if (message.type() === 'error' || message.type() === 'warning') {
                this.complaints.push(`${message.type()}: ${message.text()}`);
            }
        });
        page.on('pageerror', (error) => this.complaints.push(String(error.stack ?? error)));
    }

    /** @param {string} address */
    async go(address) {
        await this.page.goto(address);
        await this.ready();
    }

    /** Part of the page's test interface (web/src/test_interface.js). @param {string} name @param {unknown[]} args @returns {Promise<any>} */
    get(name, ...args) {
        return this.page.evaluate(({ name: wanted, args: given }) => {
            const part = /** @type {any} */ (window).limber?.[wanted];
            return typeof part === 'function' ? part(...given) : part;
        }, { name, args });
    }

    /** @param {string} what @param {() => any} look */
    until(what, look) {
        return until(what, look, async () => ({ state: await this.get('state'), notices: await this.get('notices') }));
    }

    /** @param {string} what @param {(state: any) => unknown} holds @returns {Promise<any>} the state */
    until_state(what, holds) {
        return this.until(what, async () => {
            const state = await this.get('state');
            return state && holds(state) ? state : null;
        });
    }

    /** The newest scene is there and drawn. */
    async ready() {
        await this.until_state('a scene is there', ({ ready }) => ready);
        await this.drawn();
    }

    /** What has come is drawn. @param {number} pictures */
    async drawn(pictures = 1) {
        if ((await this.get('state')).paused) {
            await this.still();
            return;
        }
        const { draws } = await this.get('counts');
        await this.until('a picture is drawn', async () => (await this.get('counts')).draws >= draws + pictures);
    }

    /** Time goes on. @param {number} frames of the engine, at least */
    async go_on(frames = 3) {
        // Of a scene that was told just now no frame may have come yet.
        const { revision } = await this.until_state('a frame is there', ({ ready }) => ready);
        const before = await this.get('stats');
        await this.until('time goes on', async () => {
            const [stats, state] = [await this.get('stats'), await this.get('state')];
            return state.revision !== revision || stats.frames >= before.frames + frames;
        });
    }

    /** @param {object} message @returns {Promise<void>} rejects if the engine refuses */
    send(message) {
        return this.get('send', message);
    }

    /** A new scene, and hands off it: whatever was before. @param {object} document */
    async begin(document) {
        await this.page.mouse.up();
        if ((await this.get('state')).mode !== 'grab') {
            await this.page.click('#tool-grab');
        }
        await this.load({ type: 'load', document });
    }

    /** @param {object} message of the type load, or what builds the scene anew */
    async load(message) {
        const { revision } = await this.get('state');
        await this.send(message);
        await this.built_after(revision);
    }

    /** @param {number} revision */
    async built_after(revision) {
        await this.until_state('the scene is built anew', (state) => state.revision > revision && state.ready);
        await this.drawn(2);
    }

    async pause() {
        await this.send({ type: 'pause', value: true });
        await this.until_state('it is paused', ({ paused }) => paused);
        await this.still();
    }

    async resume() {
        await this.send({ type: 'pause', value: false });
        await this.until_state('it is not paused', ({ paused }) => !paused);
    }

    /** While time stands still: all that was asked for has come and is drawn. */
    async still() {
        // Answered twice: what the first answer's round of the engine published is on its way before the second.
        await this.send({ type: 'pause', value: true });
        await this.send({ type: 'pause', value: true });
        let before = -1;
        await this.until('nothing moves', async () => {
            const { frames, open } = await this.page.evaluate(async () => {
                for (let i = 0; i < 2; ++i) {
                    await new Promise((done) => { requestAnimationFrame(done); });
                }
                const { counts, parts: { view, session } } = /** @type {any} */ (window).limber;
                return { frames: counts.frames, open: view.frameIsNew || view.dirty || session.unanswered.length > 0 };
            });
            const still = !open && frames === before;
            before = frames;
            return still;
        });
    }

    /** A body moves no more: nowhere by more than this within a third of a second. @param {number} metres */
    async at_rest(metres = 5e-4, body = 0) {
        await this.until('the body is at rest', async () => {
            const before = await this.positions(body);
            await this.go_on(20);
            const after = await this.positions(body);
            return before.every((x, i) => Math.abs(x - after[i]) < metres);
        });
    }

    /** @param {number} body @returns {Promise<number[]>} (P x 3) m */
    positions(body = 0) {
        return this.until('positions', () => this.get('positions', body));
    }

    /** The values of a body's positions along an axis. @param {'x' | 'y' | 'z'} axis @param {number} body */
    async extent(axis, body = 0) {
        const offset = { x: 0, y: 1, z: 2 }[axis];
        const values = (await this.positions(body)).filter((_, i) => i % 3 === offset);
        const lower = values.reduce((a, b) => Math.min(a, b)), upper = values.reduce((a, b) => Math.max(a, b));
        return { lower, upper, size: upper - lower, mean: values.reduce((a, b) => a + b) / values.length };
    }

    /** A place well inside of a body as it is seen, when the view no longer moves. @param {number} body @returns {Promise<Place & {point: number}>} */
    find(body = 0) {
        let before = '';
        return this.until(`body ${body} is seen`, async () => {
            const found = await this.page.evaluate(find_inside, body);
            const moved = JSON.stringify(found) !== before;
            before = JSON.stringify(found);
            return moved ? null : found;
        });
    }

    /** The canvas without what lies over it: bars at its edges, messages that come and go. @returns {Promise<Picture>} */
    async canvas_picture() {
        const box = await this.page.locator('#canvas').boundingBox();
        assert.ok(box);
        const clip = { x: box.x + 100, y: box.y + 70, width: box.width - 200, height: box.height - 190 };
        return decode_png(await this.page.screenshot({
            clip, animations: 'disabled', style: '#toasts, #banner, #hint { visibility: hidden }',
        }));
    }

    /** Takes hold and pulls, and keeps holding. @param {Place} from @param {Place} by */
    async pull(from, by) {
        const { mouse } = this.page;
        await mouse.move(from.x, from.y);
        await mouse.down();
        await mouse.move(from.x + by.x, from.y + by.y, { steps: 4 });
    }

    /** @param {string} key @param {string} what @param {(state: any) => unknown} holds */
    async press(key, what, holds) {
        await this.page.keyboard.press(key);
        return this.until_state(what, holds);
    }

    /** @param {string} path of a property, as its row has it @returns {import('playwright-core').Locator} */
    row(path) {
        return this.page.locator(`.row[data-path="${path}"]`);
    }

    /** Opens the panel's group that a property is in. @param {string} path */
    async unfold(path) {
        await this.page.evaluate((wanted) => {
            const details = document.querySelector(`.row[data-path="${wanted}"]`)?.closest('details');
            details?.setAttribute('open', '');
        }, path);
        await this.row(path).scrollIntoViewIfNeeded();
    }

    /** Writes a number into a property's field. @param {string} path @param {string} text */
    async enter(path, text) {
        await this.unfold(path);
        const field = this.row(path).locator('input.number').first();
        await field.fill(text);
        await field.press('Enter');
    }

    /** @param {RegExp} message @param {string} level */
    noticed(message, level = 'error') {
        return this.until(`a message like ${message}`, async () => (
            (await this.get('notices')).find((/** @type {any} */ one) => one.level === level && message.test(one.message))));
    }

    /** Drops files on the page. @param {{name: string, bytes: Buffer}[]} files @param {string} onto */
    async drop(files, onto = '#canvas') {
        const transfer = await this.page.evaluateHandle((given) => {
            const made = new DataTransfer();
            for (const { name, base64 } of given) {
                made.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name));
            }
            return made;
        }, files.map(({ name, bytes }) => ({ name, base64: bytes.toString('base64') })));
        await this.page.dispatchEvent('#canvas', 'dragenter', { dataTransfer: transfer });
        await this.page.locator('#drop').waitFor({ state: 'visible' });
        await this.page.dispatchEvent('#canvas', 'dragover', { dataTransfer: transfer });
        await this.page.dispatchEvent(onto, 'drop', { dataTransfer: transfer });
        await this.page.locator('#drop').waitFor({ state: 'hidden' });
        await transfer.dispose();
    }

    /** Clicks what downloads. @param {string} selector @returns {Promise<Buffer>} */
    async download(selector) {
        const [download] = await Promise.all([this.page.waitForEvent('download'), this.page.click(selector)]);
        const stream = await download.createReadStream();
        const parts = [];
        for await (const part of stream) {
            parts.push(part);
        }
        return Buffer.concat(parts);
    }

    /** What the browser found wrong since this was asked last. */
    take_complaints() {
        return this.complaints.splice(0);
    }
}

/** Runs in the page. @param {number} body @returns {{x: number, y: number, point: number} | null} whole pixels */
function find_inside(body) {
    const { limber } = /** @type {any} */ (window);
    const canvas = document.getElementById('canvas');
    const count = (limber.positions(body) ?? []).length / 3;
    const seen = Array.from({ length: count }, (_, point) => limber.project(body, point));
    const [left, right, top, bottom] = [
        Math.min(...seen.map(({ x }) => x)), Math.max(...seen.map(({ x }) => x)), Math.min(...seen.map(({ y }) => y)), Math.max(...seen.map(({ y }) => y)),
    ];
    for (let i = 0; i < 81; ++i) { // from the middle outwards: 4, 5, 3, 6, ...
        const [u, v] = [i % 9, Math.floor(i / 9)].map((k) => 4 + (k % 2 ? 1 : -1) * Math.ceil(k / 2));
        const x = Math.round(left + (u + 1) / 10 * (right - left)), y = Math.round(top + (v + 1) / 10 * (bottom - top));
        const around = [[0, 0], [5, 0], [-5, 0], [0, 5], [0, -5]].map(([dx, dy]) => (
            document.elementFromPoint(x + dx, y + dy) === canvas ? limber.pick(x + dx, y + dy) : null));
        if (around.every((hit) => hit?.body === body)) {
            return { x, y, point: around[0].point };
        }
    }
    return null;
}
