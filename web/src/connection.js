// The socket to the engine: sends messages, pairs answers with questions, and comes back when the line is cut.
import { Signal } from './signal.js';
import { subprotocol } from './protocol.js';

/** @typedef {import('./protocol.js').ClientMessage} ClientMessage */
/** @typedef {import('./protocol.js').ServerMessage} ServerMessage */
/** @typedef {{open: boolean, attempt: number, retryIn: number}} ConnectionState retryIn: s until the next attempt */

const firstDelay = 0.4; // s
const longestDelay = 8; // s
const patience = 30; // s that an answer may take: building a large body is slow

/** The engine said no, and why. */
export class Refusal extends Error {}

/** Before the n-th attempt in a row, seconds. @param {number} attempt 1, 2, ... */
export function retry_delay(attempt) {
    return Math.min(longestDelay, firstDelay * 2 ** (attempt - 1));
}

export class Connection {
    /** @param {string} address of the socket */
    constructor(address) {
        this.address = address;
        /** @type {Signal<ServerMessage>} */
        this.text = new Signal();
        /** @type {Signal<ArrayBuffer>} */
        this.binary = new Signal();
        /** @type {Signal<ConnectionState>} */
        this.changed = new Signal();
        /** @type {WebSocket | null} */
        this.socket = null;
        this.attempt = 0;
        this.timer = 0;
        this.nextId = 1;
        /** @type {Map<number, {resolve: () => void, reject: (error: Error) => void, timer: number}>} */
        this.waiting = new Map();
    }

    get open() {
        return this.socket?.readyState === WebSocket.OPEN;
    }

    connect() {
        clearTimeout(this.timer);
        this.socket?.close();
        const socket = new WebSocket(this.address, subprotocol);
        socket.binaryType = 'arraybuffer';
        socket.onopen = () => {
            this.attempt = 0;
            this.changed.send({ open: true, attempt: 0, retryIn: 0 });
        };
        socket.onmessage = ({ data }) => (typeof data === 'string' ? this.receive_text(data) : this.binary.send(data));
        socket.onclose = () => {
            if (this.socket === socket) {
                this.lose();
            }
        };
        this.socket = socket;
    }

    lose() {
        this.socket = null;
        for (const { reject, timer } of this.waiting.values()) {
            clearTimeout(timer);
            reject(new Refusal('the connection to the engine was lost'));
        }
        this.waiting.clear();
        ++this.attempt;
        const delay = retry_delay(this.attempt);
        this.timer = window.setTimeout(() => this.connect(), 1000 * delay);
        this.changed.send({ open: false, attempt: this.attempt, retryIn: delay });
    }

    /** @param {string} data */
    receive_text(data) {
        /** @type {ServerMessage} */
        let message;
        try {
            message = JSON.parse(data);
        } catch {
            console.error('limber: a message that is not JSON', data.slice(0, 200));
            return;
        }
        if ((message.type === 'done' || message.type === 'error') && message.id !== undefined) {
            const asked = this.waiting.get(message.id);
            if (asked) {
                this.waiting.delete(message.id);
                clearTimeout(asked.timer);
                if (message.type === 'done') {
                    asked.resolve();
                } else {
                    asked.reject(new Refusal(message.message));
                }
                return;
            }
        }
        this.text.send(message);
    }

    /** Sends what needs no answer; without a connection it is dropped. @param {ClientMessage} message */
    send(message) {
        if (this.open) {
            this.socket?.send(JSON.stringify(message));
        }
    }

    /** @param {ClientMessage} message @returns {Promise<void>} ends when the engine has done it; rejects with its reason */
    ask(message) {
        if (!this.open) {
            return Promise.reject(new Refusal('there is no connection to the engine'));
        }
        const id = this.nextId++;
        return new Promise((resolve, reject) => {
            const timer = window.setTimeout(() => {
                this.waiting.delete(id);
                reject(new Refusal(`the engine has not answered "${message.type}" for ${patience} s`));
            }, 1000 * patience);
            this.waiting.set(id, { resolve, reject, timer });
            this.send({ ...message, id });
        });
    }
}
