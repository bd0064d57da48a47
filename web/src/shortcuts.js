// Single keys for what is done often. They do nothing while a field takes text.
import { takes_text } from './dom.js';

/** @typedef {{key: string, label: string, run: () => void, shown?: string}} Shortcut */

/** @param {Shortcut[]} shortcuts */
export function listen_to_keys(shortcuts) {
    give_focus_back();
    const byKey = new Map(shortcuts.map((shortcut) => [shortcut.key, shortcut]));
    window.addEventListener('keydown', (event) => {
        if (event.altKey || takes_text(event.target) || event.defaultPrevented) {
            return;
        }
        const onButton =
            event.target instanceof HTMLButtonElement ||
            event.target instanceof HTMLAnchorElement ||
            event.target instanceof HTMLInputElement ||
            (event.target instanceof HTMLElement && event.target.tagName === 'SUMMARY');
        if (event.key === ' ' && onButton) {
            return; // there, it presses the button
        }
        if (document.querySelector('dialog[open]')) {
            return;
        }
        const ctrl = event.ctrlKey || event.metaKey;
        const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        const redo = ctrl && name === 'y'; // as some are used to
        const shortcut = byKey.get(redo ? 'Ctrl Shift z' : ctrl ? `Ctrl ${event.shiftKey ? 'Shift ' : ''}${name}` : name);
        if (shortcut && !(event.repeat && event.key !== '.')) {
            event.preventDefault();
            shortcut.run();
        }
    });
}

/** What was used by mouse does not keep the focus: space pauses, instead of pressing the button again. */
function give_focus_back() {
    let byPointer = false;
    window.addEventListener('pointerdown', () => { byPointer = true; }, true);
    window.addEventListener('keydown', () => { byPointer = false; }, true);
    for (const name of /** @type {const} */ (['click', 'change'])) {
        window.addEventListener(name, ({ target }) => {
            const used =
                target instanceof Element ? target.closest(name === 'click' ? 'button, a, summary' : 'select') : null;
            if (byPointer && used instanceof HTMLElement && !used.closest('dialog')) {
                used.blur();
            }
        });
    }
}
