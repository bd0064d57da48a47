// Dark or light: as the system says, unless the person chose.
import { Signal } from './signal.js';

/** @typedef {'light' | 'dark'} Theme */

const key = 'limber.theme';
const system = matchMedia('(prefers-color-scheme: dark)');

export class ThemeChoice {
    constructor() {
        /** @type {Signal<Theme>} */
        this.changed = new Signal();
        system.addEventListener('change', () => this.apply());
    }

    /** @returns {Theme | null} what the person chose */
    get chosen() {
        const stored = localStorage.getItem(key);
        return stored === 'light' || stored === 'dark' ? stored : null;
    }

    /** @returns {Theme} */
    get theme() {
        return this.chosen ?? (system.matches ? 'dark' : 'light');
    }

    toggle() {
        const next = this.theme === 'dark' ? 'light' : 'dark';
        // Chosen as the system has it anyway: follow the system again.
        if (next === (system.matches ? 'dark' : 'light')) {
            localStorage.removeItem(key);
        } else {
            localStorage.setItem(key, next);
        }
        this.apply();
    }

    apply() {
        document.documentElement.dataset.theme = this.theme;
        this.changed.send(this.theme);
    }
}
