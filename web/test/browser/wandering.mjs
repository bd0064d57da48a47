// Somebody presses whatever there is, in an order that a seed decides: nothing breaks, and there is always a way on.
// LIMBER_WALK="ACTIONS SEED" walks farther, or elsewhere. tests/test_random_walk.py does the same without a page.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { block } from './support/scenes.mjs';

const [actions, seed] = (process.env.LIMBER_WALK ?? '200 7').split(' ').map(Number);
const stretch = 50; // actions on one scene

/** Numbers from 0 to 1 that look random and are the same each time (mulberry32). @param {number} start */
function make_random(start) {
    let state = start;
    return () => {
        state = (state + 0x6d2b79f5) | 0;
        let t = Math.imul(state ^ (state >>> 15), 1 | state);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
}

/** Runs in the page. Uses one control that is there. @param {number[]} chance @returns {string} which, and how */
function use_control([which, how]) {
    const without = '#open, #save, #picture, #video, #show-gallery, [data-scene], #scene-select, a';
    const slow = (/** @type {Element} */ one) => /anew/.test(one.closest('.row')?.getAttribute('title') ?? '');
    const controls = [...document.querySelectorAll('button, input, select, summary')].filter((one) => (
        one.checkVisibility({ visibilityProperty: true }) && !one.matches(`:disabled, ${without}`) && !slow(one)));
    const control = controls[Math.floor(which * controls.length)];
    const name = `${control.tagName}#${control.id} ${control.getAttribute('aria-label') ?? control.textContent?.trim().slice(0, 30)}`;
    const tell = (/** @type {string[]} */ ...events) => events.forEach((event) => control.dispatchEvent(new Event(event, { bubbles: true })));
    if (control instanceof HTMLSelectElement) {
        const open = [...control.options].filter(({ disabled }) => !disabled);
        control.value = open[Math.floor(how * open.length)]?.value ?? '';
        tell('change');
    } else if (control instanceof HTMLInputElement && control.type === 'range') {
        const share = how < 0.2 ? 0 : how > 0.8 ? 1 : (how - 0.2) / 0.6; // its ends often
        control.value = String(Number(control.min) + share * (Number(control.max) - Number(control.min)));
        tell('input', 'change');
    } else if (control instanceof HTMLInputElement && control.type === 'text') {
        control.focus();
        control.value = ['', '0', '1e30', '-5', 'nan', '50 psi', '3', 'a name'][Math.floor(8 * how)];
        tell('input', 'change');
        control.blur();
    } else {
        /** @type {HTMLElement} */ (control).click();
    }
    return name;
}

/** @param {import('./support/setup.mjs').Setup} setup */
export function wandering(setup) {
    describe('whatever is pressed', () => {
        test(`${actions} actions, seed ${seed}: no dead end, nothing that is not finite, no complaint`, async (t) => {
            const { visitor } = setup, { page } = visitor;
            const random = make_random(seed);
            const keys = [' ', '.', 'r', 'g', 't', 'p', 'a', 'k', 'i', 'x', 'w', 'm', 'c', 'v', 'f', '[', ']', 'l', 'd', 'Delete', 'Control+z', 'Control+Shift+z', 'Control+d', 'Escape', 'Enter', 'ArrowUp'];
            const place = () => ({ x: 120 + 700 * random(), y: 90 + 400 * random() });
            /** @type {string[]} */
            let done = [];
            for (let i = 0; i < actions; ++i) {
                if (i % stretch === 0) {
                    await visitor.begin(block({ name: `Walk ${i}` }));
                    await visitor.resume();
                    done = [];
                }
                const kind = random();
                if (kind < 0.25) {
                    const key = keys[Math.floor(keys.length * random())];
                    await page.keyboard.press(key);
                    done.push(key);
                } else if (kind < 0.4) {
                    const from = place(), to = place();
                    await page.mouse.move(from.x, from.y);
                    await page.mouse.down();
                    await page.mouse.move(to.x, to.y, { steps: 2 });
                    await page.mouse.up();
                    done.push(`drag ${JSON.stringify([from, to])}`);
                } else {
                    done.push(await page.evaluate(use_control, [random(), random()]));
                }
                assert.deepEqual(visitor.take_complaints(), [], done.join('\n'));
                if (i % stretch === stretch - 1) {
                    await back_to_life(done);
                }
            }
            t.diagnostic(`${(await visitor.get('notices')).length} notices`);
            await visitor.begin(block());

            /** Whatever was done, a few presses that anybody would try bring a world that goes on. @param {string[]} what */
            async function back_to_life(what) {
                await page.mouse.up();
                await page.evaluate(() => document.querySelectorAll('dialog[open]').forEach((one) => /** @type {HTMLDialogElement} */ (one).close()));
                await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.blur());
                await visitor.until_state('there is a frame', ({ ready }) => ready);
                await visitor.send({ type: 'speed', value: 1 });
                const { time } = await visitor.get('stats');
                await visitor.resume();
                await visitor.until(`time goes on after\n${what.join('\n')}`, async () => (await visitor.get('stats')).time !== time);
                const { bodies } = await visitor.get('scene');
                for (let body = 0; body < bodies.length; ++body) {
                    assert.ok((await visitor.positions(body)).every(Number.isFinite));
                }
            }
        });
    });
}
