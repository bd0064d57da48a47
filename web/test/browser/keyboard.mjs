import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { block } from './support/scenes.mjs';

/** Runs in the page: numbers every control that is there to be used, but in notices, which come and go. @returns {string[]} what they are */
function number_controls() {
    const wanted = 'a[href], button, input, select, summary, textarea, [tabindex]';
    const controls = [...document.querySelectorAll(wanted)].filter((control) => (
        control instanceof HTMLElement && control.tabIndex >= 0 && control.checkVisibility({ visibilityProperty: true }) && !control.matches(':disabled, #toasts *')));
    return controls.map((control, i) => {
        control.setAttribute('data-tab-number', String(i));
        return `${control.tagName.toLowerCase()}#${control.id} "${control.getAttribute('aria-label') ?? control.textContent?.trim()}"`;
    });
}

/** Runs in the page. @returns {{number: number, marked: boolean}} where the focus is, and whether that is seen */
function look_at_focus() {
    const focused = document.activeElement;
    if (!(focused instanceof HTMLElement)) {
        return { number: -1, marked: false };
    }
    const shown = focused.matches('.chip-box') ? focused.parentElement ?? focused : focused; // a box that its label stands for
    const marks = [focused, shown, ...shown.children].map((one) => getComputedStyle(one));
    return {
        number: Number(focused.dataset.tabNumber ?? -1),
        marked: marks.some(({ outlineStyle, outlineWidth, boxShadow }) => (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none'),
    };
}

/**
 * Presses the tab key until every control should have been reached.
 * @param {import('playwright-core').Page} page @param {string[]} controls @returns {Promise<number[]>} their numbers
 */
async function tab_around(page, controls) {
    const order = [];
    for (let i = 0; i < controls.length + 5; ++i) {
        await page.keyboard.press('Tab');
        const { number, marked } = await page.evaluate(look_at_focus);
        if (number >= 0) {
            assert.ok(marked, `${controls[number]} has the focus, and it is not seen`);
            order.push(number);
        }
    }
    return order;
}

/** @param {import('./support/setup.mjs').Setup} setup */
export function keyboard(setup) {
    describe('the keyboard is enough', () => {
        test('the tab key reaches every control once around, in their order, and shows where it is', async () => {
            const { visitor } = setup;
            const { page } = visitor;
            await visitor.begin(block({ name: 'Keys' }, { position: [0, 1 / 3, 0] })); // a number that no field shows wholly
            await visitor.pause();
            const { document: before } = await visitor.get('scene');
            const controls = await page.evaluate(number_controls);
            assert.ok(controls.length > 30, `${controls.length} controls`);
            await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.blur());
            try {
                const order = await tab_around(page, controls);
                assert.deepEqual(controls.filter((_, i) => !order.includes(i)), []);
                const first = order.indexOf(0);
                assert.deepEqual(order.slice(first, first + controls.length), controls.map((_, i) => i).slice(0, order.length - first));
                const { document: after } = await visitor.get('scene');
                assert.deepEqual(after, before, 'nothing is changed by looking at it');
            } finally { // the next ones begin as they would without this one
                await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.blur());
                await visitor.resume();
            }
        });

        test('who has the focus keeps it when a setting changes, or another body comes', async () => {
            const { visitor } = setup;
            const { page } = visitor;
            await visitor.begin(block({ name: 'Focus' }));
            const focused = () => page.evaluate(() => document.activeElement?.outerHTML.slice(0, 80));
            for (const selector of ['#matters [data-matter=cork]', '#bodies [data-do=duplicate]']) {
                await page.focus(selector);
                const before = await focused();
                await visitor.send({ type: 'set', path: 'bodies[0].material.density', value: 700 });
                await visitor.until('the density is told', async () => (await visitor.get('scene')).bodies[0].values['material.density'] === 700);
                assert.equal(await focused(), before);
                const { revision } = await visitor.get('state');
                await visitor.send({ type: 'duplicate', body: 0 });
                await visitor.built_after(revision);
                assert.equal(await focused(), before);
            }
            await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.blur());
        });

        test('every control has a name that can be read out', async () => {
            const nameless = await setup.visitor.page.evaluate(() => (
                [...document.querySelectorAll('a[href], button, input, select, summary')].filter((control) => {
                    const labels = /** @type {HTMLInputElement} */ (control).labels;
                    const label = labels && [...labels].map((one) => one.textContent).join('');
                    return !(control.getAttribute('aria-label') || label || control.textContent?.trim() || control.getAttribute('title'));
                }).map((control) => control.outerHTML.slice(0, 120))));
            assert.deepEqual(nameless, []);
        });

        test('each key does what the help says', async (t) => {
            const { visitor } = setup;
            const { page } = visitor;
            await visitor.begin(block({ name: 'Keys' }));
            const there_are = (/** @type {number} */ count, /** @type {'undo' | 'redo'} */ next) => visitor.until(`there are ${count} bodies`, () => (
                page.evaluate(({ wanted, back }) => {
                    const { session } = /** @type {any} */ (window).limber.parts;
                    return session.scene.bodies.length === wanted && session.frame && session.state[back];
                }, { wanted: count, back: next })));
            const pressed = (/** @type {string} */ id) => page.locator(id).getAttribute('aria-pressed');
            /** @type {[string, string, () => Promise<unknown>][]} */
            const keys = [
                ['Space', 'pauses', async () => visitor.press('Space', 'it is paused', ({ paused }) => paused)],
                ['.', 'steps', async () => {
                    const { time } = await visitor.get('stats');
                    await page.keyboard.press('.');
                    await visitor.until('a frame later', async () => (await visitor.get('stats')).time > time);
                }],
                ['Space', 'goes on', async () => visitor.press('Space', 'it goes on', ({ paused }) => !paused)],
                ['T', 'takes the tool', async () => visitor.press('t', 'it pushes', ({ mode }) => mode === 'push')],
                ['P', 'takes pins', async () => visitor.press('p', 'it pins', ({ mode }) => mode === 'pin')],
                ['G', 'takes the hand', async () => visitor.press('g', 'it grabs', ({ mode }) => mode === 'grab')],
                ['W', 'shows the wireframe', async () => visitor.press('w', 'it is shown', ({ wireframe }) => wireframe)],
                ['W', 'hides the wireframe', async () => visitor.press('w', 'it is hidden', ({ wireframe }) => !wireframe)],
                ['M', 'shows the mesh', async () => visitor.press('m', 'it is shown', ({ mesh }) => mesh)],
                ['M', 'hides the mesh', async () => visitor.press('m', 'it is hidden', ({ mesh }) => !mesh)],
                ['C', 'shows contacts', async () => visitor.press('c', 'they are shown', ({ contacts }) => contacts)],
                ['C', 'hides contacts', async () => visitor.press('c', 'they are hidden', ({ contacts }) => !contacts)],
                ['V', 'shows the next field', async () => visitor.press('v', 'a field is shown', ({ field }) => field === 'speed')],
                ['V', 'comes back to plain', async () => {
                    const { length } = (await visitor.get('scene')).bodies[0].fields;
                    for (let i = 0; i < length; ++i) {
                        await page.keyboard.press('v');
                    }
                    await visitor.until_state('it is plain', ({ field }) => field === null);
                }],
                ['[', 'is slower', async () => visitor.press('[', 'it is slower', ({ speed }) => speed < 1)],
                [']', 'is faster', async () => visitor.press(']', 'it is as fast as before', ({ speed }) => speed === 1)],
                ['E', 'records', async () => visitor.press('e', 'it records', (state) => state.recording)],
                ['E', 'ends the recording', async () => visitor.press('e', 'it does not', (state) => !state.recording)],
                ['F', 'looks at everything', async () => {
                    await visitor.get('look', { distance: 30 });
                    const far = await visitor.get('project', 0, 0);
                    await page.keyboard.press('f');
                    await visitor.until('it is near again', async () => {
                        const { x, y } = await visitor.get('project', 0, 0);
                        return Math.hypot(x - far.x, y - far.y) > 20;
                    });
                }],
                ['L', 'hides the plots', async () => {
                    const before = await pressed('#toggle-plots');
                    await page.keyboard.press('l');
                    assert.notEqual(await pressed('#toggle-plots'), before);
                    assert.equal(await page.locator('#plots').isVisible(), before === 'false');
                    await page.keyboard.press('l');
                }],
                ['H', 'hides the panel', async () => {
                    await page.keyboard.press('h');
                    assert.ok(await page.locator('#panel').isHidden());
                    await page.keyboard.press('h');
                    assert.ok(await page.locator('#panel').isVisible());
                }],
                ['D', 'changes dark and light', async () => {
                    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
                    const before = await theme();
                    await page.keyboard.press('d');
                    assert.notEqual(await theme(), before);
                    await page.keyboard.press('d');
                    assert.equal(await theme(), before);
                }],
                ['O', 'opens files', async () => {
                    const asked = page.evaluate(() => new Promise((done) => { // instead of the browser's own dialog
                        document.getElementById('file-input')?.addEventListener('click', (event) => {
                            event.preventDefault();
                            done(true);
                        }, { once: true });
                        document.body.dataset.listening = 'yes';
                    }));
                    await page.waitForSelector('body[data-listening=yes]');
                    await page.keyboard.press('o');
                    assert.ok(await asked);
                }],
                ['A', 'moves bodies', async () => visitor.press('a', 'it moves bodies', ({ mode }) => mode === 'arrange')],
                ['G', 'takes the hand again', async () => visitor.press('g', 'it grabs', ({ mode }) => mode === 'grab')],
                ['K', 'does nothing without a hand', async () => page.keyboard.press('k')],
                ['I', 'shows isolines, and not', async () => {
                    for (const shown of [true, false]) {
                        await page.keyboard.press('i');
                        assert.equal(await page.locator('#show-isolines').isChecked(), shown);
                    }
                }],
                ['U', 'shows hues, and not', async () => {
                    for (const shown of [true, false]) {
                        await page.keyboard.press('u');
                        assert.equal(await page.locator('#show-hues').isChecked(), shown);
                    }
                }],
                ['X', 'cuts, and does not', async () => {
                    for (const shown of [true, false]) {
                        await page.keyboard.press('x');
                        assert.equal(await page.locator('#show-section').isChecked(), shown);
                    }
                }],
                ['S', 'saves a picture', async () => Promise.all([page.waitForEvent('download'), page.keyboard.press('s')])],
                ['Q', 'shows the gallery', async () => {
                    await page.keyboard.press('q');
                    await page.locator('#gallery').waitFor({ state: 'visible' });
                    await page.keyboard.press('Escape');
                }],
                ['Ctrl D', 'makes a copy', async () => {
                    await page.keyboard.press('Control+d');
                    await there_are(2, 'undo');
                }],
                ['Del', 'deletes it', async () => {
                    await page.keyboard.press('Delete');
                    await there_are(1, 'undo');
                }],
                ['Ctrl Z', 'takes that back', async () => {
                    await page.keyboard.press('Control+z');
                    await there_are(2, 'redo');
                }],
                ['Ctrl Shift Z', 'does it again', async () => {
                    await page.keyboard.press('Control+Shift+z');
                    await there_are(1, 'undo');
                }],
                ['R', 'starts over', async () => {
                    const { revision } = await visitor.get('state');
                    await visitor.press('r', 'it began anew', (state) => state.revision > revision && state.ready);
                }],
                ['?', 'helps', async () => {
                    await page.keyboard.press('?');
                    await page.locator('#help').waitFor({ state: 'visible' });
                }],
                ['N', 'does nothing behind the help', async () => {
                    const { revision } = await visitor.get('state');
                    await page.keyboard.press('n');
                    await visitor.go_on();
                    assert.equal((await visitor.get('state')).revision, revision);
                    await page.keyboard.press('Escape');
                    await page.locator('#help').waitFor({ state: 'hidden' });
                }],
                ['N', 'goes to the next scene', async () => {
                    const { revision } = await visitor.get('state');
                    await page.keyboard.press('n');
                    await visitor.built_after(revision);
                }],
            ];
            for (const [key, does, run] of keys) {
                await t.test(`${key} ${does}`, run);
            }
            const help = await page.locator('#help kbd').allTextContents();
            const tried = [...new Set(keys.map(([key]) => key))];
            assert.deepEqual([...help].sort(), tried.sort(), 'every key that the help names was tried');
        });

        test('a field that takes text keeps its letters to itself', async () => {
            const { visitor } = setup;
            await visitor.begin(block({ name: 'Typing' }));
            const before = await visitor.get('state');
            const field = visitor.row('material.density').locator('input.number');
            await field.focus();
            await visitor.page.keyboard.type('prwm.');
            await field.press('Escape');
            await visitor.go_on();
            const state = await visitor.get('state');
            assert.deepEqual([state.mode, state.wireframe, state.mesh, state.revision, state.paused], ['grab', false, false, before.revision, false]);
        });

        test('bodies are pulled by keys alone', async () => {
            const { visitor } = setup;
            const { page } = visitor;
            await visitor.at_rest();
            const { upper } = await visitor.extent('y');
            await page.focus('#canvas');
            await page.keyboard.press('Enter');
            await visitor.until_state('the keyboard holds the body', ({ hands }) => hands === 1);
            for (let i = 0; i < 6; ++i) {
                await page.keyboard.press('ArrowUp');
            }
            await visitor.until('it is pulled up', async () => (await visitor.extent('y')).upper > upper + 0.03);
            await page.keyboard.press('Escape');
            await visitor.until_state('it is let go', ({ hands }) => hands === 0);
            const before = await visitor.get('project', 0, 0);
            await page.keyboard.press('ArrowLeft');
            await visitor.until('arrows turn the view again', async () => {
                const { x, y } = await visitor.get('project', 0, 0);
                return Math.hypot(x - before.x, y - before.y) > 5;
            });
        });

        test('nothing is complained about', () => {
            assert.deepEqual(setup.visitor.take_complaints(), []);
        });
    });
}
