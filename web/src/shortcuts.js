// Single keys for what is done often. They do nothing while a field takes text.
import { takes_text } from './dom.js';

/** @typedef {{key: string, label: string, run: () => void, shown?: string}} Shortcut */

/** @param {Shortcut[]} shortcuts */
export function listen_to_keys(shortcuts) {
    const byKey = new Map(shortcuts.map((shortcut) => [shortcut.key, shortcut]));
    window.addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || takes_text(event.target) || event.defaultPrevented) {
            return;
        }
        const onButton = event.target instanceof HTMLButtonElement || event.target instanceof HTMLAnchorElement ||
            event.target instanceof HTMLInputElement || (event.target instanceof HTMLElement && event.target.tagName === 'SUMMARY');
        if (event.key === ' ' && onButton) {
            return; // there, it presses the button
        }
        if (document.querySelector('dialog[open]')) {
            return;
        }
        const shortcut = byKey.get(event.key.length === 1 ? event.key.toLowerCase() : event.key);
        if (shortcut && !(event.repeat && event.key !== '.')) {
            event.preventDefault();
            shortcut.run();
        }
    });
}
