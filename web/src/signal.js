/**
 * Something that happens, and those who want to know.
 * @template T
 */
export class Signal {
    constructor() {
        /** @type {Set<(value: T) => void>} */
        this.listeners = new Set();
    }

    /** @param {(value: T) => void} listener @returns {() => void} stops listening */
    listen(listener) {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
    }

    /** @param {T} value */
    send(value) {
        for (const listener of this.listeners) {
            listener(value);
        }
    }
}
