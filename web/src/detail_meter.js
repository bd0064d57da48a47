// Bodies with levels of detail: how much of what a frame's time allows their nodes take, and whether they would be finer.
import { make } from './dom.js';

const width = 60; // px

export class DetailMeter {
    constructor() {
        this.bar = make('span', { class: 'bar' });
        this.text = make('span', {});
        this.element = make('span', { class: 'item detail-meter', hidden: true }, make('span', { class: 'track' }, this.bar), this.text);
    }

    /** @param {import('./protocol.js').Stat[]} infos @param {ArrayLike<number>} values */
    update(infos, values) {
        const value_of = (/** @type {string} */ name) => {
            const index = infos.findIndex((info) => info.name === name);
            return index < 0 ? 0 : values[index];
        };
        const share = value_of('detail'), limited = value_of('limited') > 0;
        this.element.hidden = !(share > 0);
        this.element.dataset.limited = String(limited);
        this.element.title = limited
            ? 'Nodes that are simulated take what a frame has time for: where more is asked, the rest stays coarser'
            : 'Nodes that are simulated, of what a frame has time for';
        this.bar.style.width = `${Math.round(width * Math.min(1, share))}px`;
        const words = `detail ${Math.round(100 * share)} %${limited ? ', limited' : ''}`;
        if (this.text.textContent !== words) {
            this.text.textContent = words;
        }
    }
}
