// When the line to the engine is cut: says so over the page, and when it will try again.
import { find, make } from './dom.js';

export class Line {
    /** @param {import('./connection.js').Connection} connection @param {string} token */
    constructor(connection, token) {
        this.connection = connection;
        this.token = token;
        this.overlay = find('offline');
        this.text = make('p');
        this.retry = make('button', { type: 'button', class: 'button strong', textContent: 'Try now', onclick: () => connection.connect() });
        this.overlay.replaceChildren(make('div', { class: 'card' },
            make('h2', { textContent: 'The engine is out of reach' }), this.text, this.retry));
        this.until = 0;
        this.timer = 0;
        connection.changed.listen(({ open, retryIn, attempt }) => (open ? this.hide() : this.show(retryIn, attempt)));
    }

    hide() {
        this.overlay.hidden = true;
        clearInterval(this.timer);
    }

    /** @param {number} retryIn s @param {number} attempt */
    show(retryIn, attempt) {
        this.overlay.hidden = false;
        this.until = performance.now() + 1000 * retryIn;
        clearInterval(this.timer);
        this.timer = window.setInterval(() => this.count_down(), 200);
        this.count_down();
        if (attempt === 3) {
            this.check_token();
        }
    }

    count_down() {
        const seconds = Math.max(0, Math.ceil((this.until - performance.now()) / 1000));
        this.text.textContent = this.reason ?? (seconds > 0 ? `Trying again in ${seconds} s …` : 'Trying again …');
    }

    /** A server that was started anew has another token: this address will not do any more. */
    async check_token() {
        try {
            const answer = await fetch(`/?token=${encodeURIComponent(this.token)}`, { cache: 'no-store' });
            if (answer.status === 401 || answer.status === 403) {
                this.reason = 'The engine was started anew and has another address: open the one that it printed.';
            }
        } catch {
            this.reason = undefined; // nobody there: go on trying
        }
    }
}
