// When the line to the engine is cut: says so over the page, and when it will try again.
import { find, make } from './dom.js';

export class Line {
    /** @param {import('./connection.js').Connection} connection @param {string} token */
    constructor(connection, token) {
        this.connection = connection;
        this.token = token;
        this.overlay = find('offline');
        this.text = make('p');
        this.retry = make('button', {
            type: 'button',
            class: 'button strong',
            textContent: 'Try now',
            onclick: () => connection.connect(),
        });
        this.overlay.replaceChildren(make('div', { class: 'card' },
            make('h2', { textContent: 'The engine is out of reach' }), this.text, this.retry));
        this.until = 0;
        this.timer = 0;
        /** @type {string | undefined} why trying again will not help */
        this.reason = undefined;
        connection.changed.listen(({ open, retryIn }) => (open ? this.hide() : this.show(retryIn)));
    }

    hide() {
        this.overlay.hidden = true;
        clearInterval(this.timer);
    }

    /** @param {number} retryIn s */
    show(retryIn) {
        this.overlay.hidden = false;
        this.until = performance.now() + 1000 * retryIn;
        clearInterval(this.timer);
        this.timer = window.setInterval(() => this.count_down(), 200);
        this.count_down();
        this.check_token();
    }

    count_down() {
        const seconds = Math.max(0, Math.ceil((this.until - performance.now()) / 1000));
        this.text.textContent = this.reason ?? (seconds > 0 ? `Trying again in ${seconds} s …` : 'Trying again …');
    }

    /** A server that was started anew has another token: this address will not do any more. */
    async check_token() {
        try { // of what asks for the token, the scene is the smallest
            const answer = await fetch(`/download/scene.json?token=${encodeURIComponent(this.token)}`, { cache: 'no-store' });
            this.reason = answer.status === 403 ?
                'The engine was started anew and has another address: open the one that it printed.' : undefined;
        } catch {
            this.reason = undefined; // nobody there: go on trying
        }
    }
}
