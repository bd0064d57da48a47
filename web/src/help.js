// The page's help: what the mouse does, and every key.
import { make } from './dom.js';

/** @typedef {import('./shortcuts.js').Shortcut} Shortcut */

const mouse = [
    ['Drag a body', 'Grab: take hold of it and pull. Wheel: nearer, farther'],
    ['Drag the background, or right drag', 'Turn the view'],
    ['Shift drag, or middle drag', 'Move the view aside'],
    ['Wheel', 'Zoom; with the push tool: its depth'],
    ['Push: move, press', 'The tool follows the pointer; press to poke'],
    ['Pin: click', 'Hold the surface there; click a pin to let go'],
    ['Double click the background', 'Look at everything'],
    ['Double click a slider', 'Back to what the scene came with'],
    ['Arrows, Enter (in the view)', 'Turn; take hold, then pull by arrows'],
];

/** @param {HTMLDialogElement} dialog @param {Shortcut[]} shortcuts @param {string} version */
export function fill_help(dialog, shortcuts, version) {
    const rows = (/** @type {string[][]} */ pairs, /** @type {boolean} */ keys) => make('dl', {}, ...pairs.flatMap(([what, does]) => [
        make('dt', {}, keys ? make('kbd', { textContent: what }) : what), make('dd', { textContent: does }),
    ]));
    const keys = shortcuts.map(({ key, shown, label }) => [shown ?? key.toUpperCase(), label]);
    dialog.replaceChildren(
        make('header', {},
            make('h2', { textContent: 'How to use limber' }),
            make('button', { type: 'button', class: 'plain', textContent: 'Close', onclick: () => dialog.close() })),
        make('div', { class: 'columns' },
            make('section', {}, make('h3', { textContent: 'Mouse and fingers' }), rows(mouse, false)),
            make('section', {}, make('h3', { textContent: 'Keys' }), rows(keys, true))),
        make('footer', { textContent: version ? `limber ${version}` : '' }));
}
