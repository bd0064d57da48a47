// Sends changes of properties: while one is under way only the newest of each path waits, so that a slider that is dragged
// never makes a queue.

/** @typedef {import('./protocol.js').Value} Value */

const pause = 40; // ms at least between two values of one slider

export class Setter {
    /** @param {(path: string, value: Value) => Promise<boolean>} send */
    constructor(send) {
        this.send = send;
        /** @type {Map<string, Value>} */
        this.waiting = new Map();
        /** @type {Set<string>} */
        this.busy = new Set();
    }

    /** @param {string} path @param {Value} value */
    set(path, value) {
        this.waiting.set(path, value);
        if (!this.busy.has(path)) {
            this.busy.add(path);
            this.work(path);
        }
    }

    /** @param {string} path */
    async work(path) {
        while (this.waiting.has(path)) {
            const value = /** @type {Value} */ (this.waiting.get(path));
            this.waiting.delete(path);
            await Promise.all([this.send(path, value), new Promise((done) => { setTimeout(done, pause); })]);
        }
        this.busy.delete(path);
    }
}
