// Short messages at the edge of the view. Errors stay longer; the same one twice is counted, not repeated.
import { make } from './dom.js';
import { icon } from './icons.js';

/** @typedef {'info' | 'warning' | 'error'} Level */

const seconds = { info: 5, warning: 9, error: 15 };
const most = 4;

export class Toasts {
    /** @param {HTMLElement} parent */
    constructor(parent) {
        this.parent = parent;
        /** @type {Map<string, {element: HTMLElement, level: Level, cures: boolean, since: number, count: number, timer: number}>} since: ms */
        this.shown = new Map();
        /** @type {{level: Level, message: string}[]} all there were, for tests */
        this.log = [];
    }

    /** @param {Level} level @param {string} message @param {{label: string, run: () => void}[]} actions */
    show(level, message, actions = []) {
        this.log.push({ level, message });
        const known = this.shown.get(message);
        if (known) {
            ++known.count;
            const count = known.element.querySelector('.count');
            if (count) {
                count.textContent = `× ${known.count}`;
            }
            clearTimeout(known.timer);
            known.timer = this.time_out(message, level);
            return;
        }
        if (this.shown.size >= most) {
            this.hide(/** @type {string} */ (this.shown.keys().next().value));
        }
        const element = make(
            'div', { class: `toast ${level}`, role: level === 'error' ? 'alert' : 'status' },
            make('span', { class: 'text' }, message, ...actions.map(({ label, run }) => make('button', {
                type: 'button', class: 'action', textContent: label,
                onclick: () => {
                    this.hide(message);
                    run();
                },
            }))),
            make('span', { class: 'count' }),
            make('button', {
                type: 'button', class: 'icon-button small', 'aria-label': 'Dismiss', onclick: () => this.hide(message),
            }, icon('close')));
        this.parent.append(element);
        this.shown.set(message, { element, level, cures: actions.length > 0, since: performance.now(), count: 1, timer: this.time_out(message, level) });
    }

    /** @param {string} message @param {Level} level */
    time_out(message, level) {
        return window.setTimeout(() => this.hide(message), 1000 * seconds[level]);
    }

    /** @param {string} message */
    hide(message) {
        const known = this.shown.get(message);
        if (known) {
            clearTimeout(known.timer);
            known.element.remove();
            this.shown.delete(message);
        }
    }

    /** What was said of a scene that is gone is of no use, and a cure would harm; other errors stay, and what was said just now may be of the new one. */
    leave_scene() {
        for (const [message, { level, cures, since }] of [...this.shown]) {
            if ((level !== 'error' || cures) && performance.now() - since > 1000) {
                this.hide(message);
            }
        }
    }
}
