// The scenes that come with limber, with pictures: showpieces first, textbook cases apart.
import { make } from './dom.js';
import { icon } from './icons.js';

export class Gallery {
    /** @param {import('./session.js').Session} session @param {HTMLDialogElement} dialog */
    constructor(session, dialog) {
        this.session = session;
        this.dialog = dialog;
        dialog.addEventListener('click', (event) => {
            if (event.target === dialog) {
                dialog.close();
            }
        });
    }

    show() {
        const scenes = this.session.hello?.scenes ?? [];
        const textbook = scenes.filter(({ textbook: is }) => is), show = scenes.filter(({ textbook: is }) => !is);
        const part = (/** @type {string} */ title, /** @type {import('./protocol.js').SceneEntry[]} */ entries) => (entries.length === 0 ? [] : [
            make('h2', { textContent: title }), make('div', { class: 'cards' }, ...entries.map((entry) => this.make_card(entry)))]);
        this.dialog.replaceChildren(
            make('header', {}, make('h1', { textContent: 'Scenes' }), make('button', {
                type: 'button', class: 'icon-button', 'aria-label': 'Close', onclick: () => this.dialog.close() }, icon('close'))),
            ...part('To play with', show), ...part('Textbook cases, with known answers', textbook));
        this.dialog.showModal();
    }

    /** @param {import('./protocol.js').SceneEntry} entry */
    make_card({ file, name, description, picture: has }) {
        const picture = has
            ? make('img', { src: `pictures/${file.replace(/\.json$/, '.jpg')}`, alt: '', loading: 'lazy', width: 240, height: 150 })
            : make('div', { class: 'no-picture' }, icon('gallery'));
        return make('button', { type: 'button', class: 'card', title: description, 'data-scene': file, onclick: () => this.load(file) },
            picture, make('strong', { textContent: name || file }), make('span', { textContent: description }));
    }

    /** @param {string} file */
    load(file) {
        this.dialog.close();
        this.session.ask({ type: 'load', scene: file });
    }
}
