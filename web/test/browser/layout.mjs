import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { block } from './support/scenes.mjs';

/** Runs in the page. @returns {string[]} what lies over something else, is cut off or stands outside */
function find_faults() {
    /** @type {string[]} */
    const faults = [];
    const name_of = (/** @type {Element} */ one) => (
        `${one.tagName.toLowerCase()}${one.id ? `#${one.id}` : ''}${one.classList.length ? `.${[...one.classList].join('.')}` : ''} "${(one.textContent ?? '').trim().slice(0, 30)}"`);
    const seen = (/** @type {string} */ selector) => [...document.querySelectorAll(selector)].filter((one) => {
        const { width, height } = one.getBoundingClientRect();
        return one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && width > 0 && height > 0;
    });
    const within = (/** @type {DOMRect} */ a, /** @type {DOMRect} */ b) => (
        a.left >= b.left - 0.5 && a.right <= b.right + 0.5 && a.top >= b.top - 0.5 && a.bottom <= b.bottom + 0.5);

    const view = /** @type {Element} */ (document.getElementById('view')).getBoundingClientRect();
    const floats = seen('#toolbar, #tool-options, #legend, #banner, #transport, #corner, #hint, #progress, .toast');
    for (const [i, one] of floats.entries()) {
        const a = one.getBoundingClientRect();
        if (!within(a, view)) {
            faults.push(`${name_of(one)} stands out of the view`);
        }
        for (const other of floats.slice(i + 1)) {
            const b = other.getBoundingClientRect();
            if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) {
                faults.push(`${name_of(one)} lies over ${name_of(other)}`);
            }
        }
    }
    for (const control of seen('button, a[href], input, select, summary, output')) {
        const box = control.getBoundingClientRect();
        const scroll = control.closest('.scroll, dialog')?.getBoundingClientRect();
        if (control.closest('#plots') && innerWidth < 820) {
            continue; // they are moved sideways
        }
        const room = scroll ? new DOMRect(scroll.x, -1e5, scroll.width, 2e5) : new DOMRect(0, 0, innerWidth, innerHeight); // it can be scrolled to
        if (!control.matches('.chip-box') && !within(box, room)) {
            faults.push(`${name_of(control)} is cut off`);
        }
    }
    for (const text of seen('button, a, label, summary, output, h1, h2, h3, p, dt, dd, .item, .title, .label, .tool-hint, header, input.number')) {
        const { overflowX } = getComputedStyle(text);
        if (text.scrollWidth > text.clientWidth + 1 && overflowX !== 'visible' && text.clientWidth > 0) {
            faults.push(`${name_of(text)} does not fit: ${text.scrollWidth} in ${text.clientWidth}`);
        }
    }
    const { scrollWidth, scrollHeight } = document.documentElement;
    if (scrollWidth > innerWidth || scrollHeight > innerHeight) {
        faults.push(`the page is ${scrollWidth} x ${scrollHeight} in a window of ${innerWidth} x ${innerHeight}`);
    }
    return faults;
}

/** Runs in the page. @returns {string[]} texts of too little contrast (WCAG 2.2, 1.4.3: 4.5) */
function find_faint_texts() {
    const parse = (/** @type {string} */ colour) => {
        const context = /** @type {CanvasRenderingContext2D} */ (new OffscreenCanvas(1, 1).getContext('2d'));
        context.fillStyle = colour;
        context.fillRect(0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data];
    };
    const luminance = (/** @type {number[]} */ colour) => colour.slice(0, 3).map((byte) => {
        const share = byte / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    }).reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
    const ground_of = (/** @type {Element | null} */ one) => {
        for (let at = one; at; at = at.parentElement) {
            const colour = parse(getComputedStyle(at).backgroundColor);
            if (colour[3] > 230) {
                return colour;
            }
        }
        return null;
    };
    /** @type {string[]} */
    const faint = [];
    const texts = [...document.querySelectorAll('#panel *, #status *, #toolbar *, #transport *, #plots *, #legend *, #hint, #banner, .toast *')];
    for (const one of texts) {
        const own = [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim());
        const ground = own && one.checkVisibility({ visibilityProperty: true }) ? ground_of(one) : null;
        if (ground) {
            const [a, b] = [luminance(parse(getComputedStyle(one).color)), luminance(ground)];
            const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (contrast < 4.5) {
                faint.push(`${one.tagName.toLowerCase()}.${one.className} "${one.textContent?.trim().slice(0, 30)}": ${contrast.toFixed(2)}`);
            }
        }
    }
    return [...new Set(faint)];
}

/** @typedef {import('./support/visitor.mjs').Visitor} Visitor */

/** What a page can look like; each is entered, and left again. @type {Record<string, [(visitor: Visitor) => Promise<unknown>, (visitor: Visitor) => Promise<unknown>]>} */
const situations = {
    plain: [async () => {}, async () => {}],
    busy: [async ({ page }) => {
        await page.click('#tool-push');
        await page.selectOption('#colour-select', 'energy-density');
        await page.evaluate(() => {
            const { toasts } = /** @type {any} */ (window).limber.parts;
            toasts.show('error', 'model.obj:17: expected three numbers after "v", found "v 1.0 x". Nothing was changed.');
            toasts.show('info', 'Simulated time keeps up with real time again.');
            const banner = /** @type {HTMLElement} */ (document.getElementById('banner'));
            banner.hidden = false;
            banner.textContent = 'The engine cannot keep real time: a frame takes 24.2 ms and has 16.7 ms; most goes into forces. ' +
                'Simulated time gave way: it runs at 59 % of the speed wished for.';
            /** @type {HTMLElement} */ (document.querySelector('.downloads')).hidden = false;
        });
    }, async ({ page }) => {
        await page.click('#tool-grab');
        await page.selectOption('#colour-select', '');
        await page.evaluate(() => {
            document.querySelectorAll('.toast').forEach((toast) => toast.remove());
            /** @type {any} */ (window).limber.parts.toasts.shown.clear();
            /** @type {HTMLElement} */ (document.getElementById('banner')).hidden = true;
            /** @type {HTMLElement} */ (document.querySelector('.downloads')).hidden = true;
        });
    }],
    unfolded: [({ page }) => page.evaluate(() => document.querySelectorAll('details').forEach((one) => { one.open = true; })),
        ({ page }) => page.evaluate(() => document.querySelectorAll('details').forEach((one, i) => { one.open = i === 0; }))],
    help: [({ page }) => page.keyboard.press('?'), ({ page }) => page.keyboard.press('Escape')],
    offline: [({ page }) => page.evaluate(() => { /** @type {HTMLElement} */ (document.getElementById('offline')).hidden = false; }),
        ({ page }) => page.evaluate(() => { /** @type {HTMLElement} */ (document.getElementById('offline')).hidden = true; })],
};

/** Several bodies, every field, more to say than there is room for. */
const [springy] = block().bodies;
const crowd = block({
    name: 'Crowd',
    description: 'A soft block of springs and one of tetrahedra, side by side, which fall to the ground and wobble there for a while: drag them as far as you like.',
    bodies: [springy, { ...springy, name: 'a body whose name is a little longer', position: [0.6, 0.21, 0], law: 'corotational' }],
});

/** @param {import('./support/setup.mjs').Setup} setup */
export function layout(setup) {
    describe('all of the page is seen', () => {
        const light = ['plain', 'busy', 'unfolded', 'help', 'offline'].map((name) => ({ name, dark: false }));
        const dark = ['plain', 'busy'].map((name) => ({ name, dark: true }));
        const windows = [
            { width: 1280, height: 720, density: 0.5, looks: [...light, ...dark] },
            { width: 1440, height: 900, density: 1, looks: [light[1]] },
            { width: 900, height: 600, density: 0.5, looks: [light[1], light[2]] },
            { width: 390, height: 844, density: 0.5, looks: [light[0], light[1], light[3], dark[1]] }, // a phone
        ];
        for (const { width, height, density, looks } of windows) {
            test(`nothing overlaps, is cut off or too faint at ${width} x ${height}, density ${density}`, async (t) => {
                const same = density === 0.5; // as the page that is there: another one takes long to open
                const visitor = same ? setup.visitor : await setup.visit({ width, height, density });
                const { page } = visitor;
                await page.setViewportSize({ width, height });
                await visitor.begin(crowd);
                await visitor.go_on(10);
                await visitor.pause();
                for (const { name, dark: isDark } of looks) {
                    await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light', reducedMotion: 'reduce' });
                    const [enter, leave] = situations[name];
                    await t.test(`${name}, ${isDark ? 'dark' : 'light'}`, async () => {
                        await enter(visitor);
                        await visitor.still();
                        const file = `${name}-${width}x${height}-${isDark ? 'dark' : 'light'}.png`;
                        await page.screenshot({ path: join(setup.screenshots, file) });
                        const faults = [...await page.evaluate(find_faults), ...await page.evaluate(find_faint_texts)];
                        await leave(visitor);
                        assert.deepEqual(faults, []);
                    });
                }
                assert.deepEqual(visitor.take_complaints(), []);
                await visitor.resume();
                await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
                await (same ? page.setViewportSize({ width: 1280, height: 720 }) : setup.leave(visitor));
            });
        }

        test('on a phone the banner is a line or few, help scrolls, and plots are shown when asked for', async () => {
            const { visitor } = setup, { page } = visitor;
            await page.setViewportSize({ width: 390, height: 844 });
            await visitor.begin(block());
            const { width, height } = await page.evaluate(() => { // at once: it goes when there is no reason for it
                const banner = /** @type {HTMLElement} */ (document.getElementById('banner'));
                banner.hidden = false;
                banner.textContent = 'Slower than real time: 59 % of the speed. Most of a frame goes to forces: 24.2 ms.';
                const size = banner.getBoundingClientRect();
                banner.hidden = true;
                return { width: size.width, height: size.height };
            });
            assert.ok(width > 250 && height < 80, `the banner is ${width} x ${height}`);

            await page.keyboard.press('?');
            const help = await page.locator('#help').evaluate((one) => {
                one.scrollTop = one.scrollHeight;
                const inner = one.querySelector('.scroll') ?? one;
                inner.scrollTop = inner.scrollHeight;
                const last = [...one.querySelectorAll('kbd')].at(-1)?.getBoundingClientRect();
                const { left, right, top, bottom } = one.getBoundingClientRect();
                return { inside: left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight, last: last !== undefined && last.bottom <= innerHeight };
            });
            assert.deepEqual(help, { inside: true, last: true });
            await page.keyboard.press('Escape');

            const plots = page.locator('#plots');
            if (!await plots.isVisible()) {
                await page.keyboard.press('l');
            }
            await plots.waitFor({ state: 'visible' });
            const box = await plots.boundingBox();
            assert.ok(box && box.height > 60 && box.width > 200, JSON.stringify(box));
            await page.setViewportSize({ width: 1280, height: 720 });
        });

        test('plots show what the engine measures, with units, and its budget', async () => {
            const { visitor } = setup;
            await visitor.load({ type: 'load', scene: 'cube-press.json' });
            await visitor.go_on(60);
            await visitor.drawn(4);
            const { page } = visitor;
            const plots = page.locator('#plots > *');
            assert.ok(await plots.count() >= 4);
            for (const plot of await plots.all()) {
                const lines = await plot.locator('canvas').evaluate((canvas) => {
                    const { width, height } = /** @type {HTMLCanvasElement} */ (canvas);
                    const pixels = /** @type {HTMLCanvasElement} */ (canvas).getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
                    return new Set(Array.from({ length: pixels.length / 4 }, (_, i) => `${pixels[4 * i]} ${pixels[4 * i + 1]} ${pixels[4 * i + 2]}`)).size;
                });
                assert.ok(lines > 2, `${await plot.innerText()}: ${lines} colours`);
            }
            const text = await page.locator('#plots').innerText();
            for (const word of [/Time per frame/, /\d [mµ]s/, /Energy/, /Kinetic/, /\d [a-zµ]?J/, /Force/, /\d [mµ]?N/]) {
                assert.match(text, word);
            }
            const select = page.locator('#plots select');
            const probes = (await visitor.get('scene')).probes.map((/** @type {any} */ { name }) => name);
            const offered = await select.locator('option').allTextContents();
            assert.ok(probes.length > 0 && probes.every((/** @type {string} */ name) => offered.includes(name)), `${probes} among ${offered}`);
            await select.selectOption({ label: probes.at(-1) });
            await visitor.go_on();
        });

        test('the banner tells the pace as it is now, and is gone when the engine keeps up', async () => {
            const { visitor } = setup;
            await visitor.begin(block());
            await visitor.resume();
            /** What is said when the engine has been slow for a while and is this fast now. @param {number} ratio */
            const said = (ratio) => visitor.page.evaluate((now) => {
                const { status, session } = /** @type {any} */ (window).limber.parts;
                const stats = Array.from(session.frame.stats);
                stats[status.index_of('realTime')] = now;
                status.late = 10;
                status.notice = 'Slower than real time (20 %): a frame takes 80.0 ms of 16.7 ms, most of it for contact.';
                status.judge({ stats }, 0.25);
                return status.banner.hidden ? '' : status.banner.textContent;
            }, ratio);
            const why = (/** @type {Record<string, number>} */ values) => visitor.page.evaluate((given) => {
                const { status, session } = /** @type {any} */ (window).limber.parts;
                const stats = session.hello.stats.map((/** @type {any} */ { name }) => given[name] ?? 0);
                return status.why({ stats });
            }, values);
            assert.match(await said(0.5), /^Slower than real time \(50 %\): a frame takes/);
            assert.match(await why({ collide: 7, forces: 1, total: 9, budget: 17 }), /other work to do: a frame would take 9 ms of 17 ms/);
            assert.match(await why({ collide: 30, forces: 1, total: 35, budget: 17 }), /^Most of a frame goes to finding contacts: 30/);
            assert.equal(await said(0.96), '');
            assert.equal(await said(1), '');
        });

        test('when the engine cannot keep real time, the page says so, and what gave way', async () => {
            const { visitor } = setup;
            await visitor.load({ type: 'load', shape: 'box' });
            await visitor.send({ type: 'set', path: 'bodies[0].integrator.steps', value: 1000 });
            await visitor.send({ type: 'set', path: 'frameRate', value: 500 });
            const banner = visitor.page.locator('#banner');
            await banner.waitFor({ state: 'visible' });
            assert.match(await banner.innerText(), /real time/);
            assert.match(await banner.innerText(), /\d m?s/);
            assert.match(await visitor.page.locator('#status').innerText(), /% of real time/);
        });

        test('nothing is complained about', () => {
            assert.deepEqual(setup.visitor.take_complaints(), []);
        });
    });
}
