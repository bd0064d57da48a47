// Opening files: by a button or by dropping them anywhere on the page; a bar shows how far it is.
import { find, make } from './dom.js';
import { dropped_files, upload } from './files.js';

export class Opening {
    /**
     * @param {import('./session.js').Session} session
     * @param {import('./toasts.js').Toasts} toasts
     * @param {(name: string) => string} upload_address
     */
    constructor(session, toasts, upload_address) {
        this.session = session;
        this.toasts = toasts;
        this.upload_address = upload_address;
        this.busy = false;
        this.input = make('input', { type: 'file', multiple: true, hidden: true, 'aria-label': 'Files to open' });
        this.input.id = 'file-input';
        this.input.addEventListener('change', () => {
            this.open([...this.input.files ?? []]);
            this.input.value = '';
        });
        document.body.append(this.input);
        this.overlay = find('drop');
        this.bar = find('progress');
        this.depth = 0; // of elements that a drag has entered
        /** @type {(x: number, y: number) => number[] | null} where on the ground or on a body that is */
        this.place_at = () => null;
        this.listen();
    }

    choose() {
        this.input.click();
    }

    listen() {
        const has_files = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes('Files') ?? false;
        window.addEventListener('dragenter', (event) => {
            if (has_files(event)) {
                event.preventDefault();
                ++this.depth;
                this.overlay.hidden = false;
            }
        });
        window.addEventListener('dragover', (event) => {
            if (has_files(event)) {
                event.preventDefault();
            }
        });
        window.addEventListener('dragleave', (event) => {
            if (has_files(event) && --this.depth <= 0) {
                this.leave();
            }
        });
        window.addEventListener('drop', async (event) => {
            if (has_files(event) && event.dataTransfer) {
                event.preventDefault();
                const adds = event.target instanceof Element && event.target.closest('#drop-add') !== null;
                const at = adds ? this.place_at(event.clientX, event.clientY) : null;
                this.leave();
                this.open(await dropped_files(event.dataTransfer), adds, at);
            }
        });
    }

    leave() {
        this.depth = 0;
        this.overlay.hidden = true;
    }

    /**
     * @param {File[]} files
     * @param {boolean} adds to the scene that is there, instead of taking its place
     * @param {number[] | null} at where, m
     */
    async open(files, adds = false, at = null) {
        if (files.length === 0) {
            return;
        }
        if (this.busy) {
            this.toasts.show('warning', 'Other files are still being opened');
            return;
        }
        this.busy = true;
        try {
            const { main, more, left } = await upload(files, this.session.hello?.files ?? [], this.upload_address, (share, name) =>
                this.show(share, name)
            );
            if (left.length > 0) {
                this.toasts.show('warning', `${left.join(', ')}: left out, since no body needs ${left.length > 1 ? 'them' : 'it'}`);
            }
            this.show(1, `building ${main}`);
            const place = at ? { at } : {};
            const scene = main.toLowerCase().endsWith('.json');
            const done = await this.session.ask(adds && !scene ? { type: 'add', file: main, ...place } : { type: 'load', file: main });
            for (const file of done ? more : []) {
                this.show(1, `building ${file}`);
                await this.session.ask({ type: 'add', file });
            }
        } catch (error) {
            this.toasts.show('error', error instanceof Error ? error.message : String(error));
        } finally {
            this.busy = false;
            this.bar.hidden = true;
        }
    }

    /** @param {number} share @param {string} text */
    show(share, text) {
        this.bar.hidden = false;
        this.bar.setAttribute('aria-valuenow', String(Math.round(100 * share)));
        this.bar.style.setProperty('--share', `${100 * share}%`);
        const label = this.bar.querySelector('span');
        if (label) {
            label.textContent = text;
        }
    }
}
