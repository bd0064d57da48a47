// One small plot against time, on a canvas: lines, or areas that stand on one another.
import { make } from './dom.js';
import { nice_ceiling } from './history.js';
import { choose_unit, format_number, format_quantity } from './units.js';

/** @typedef {import('./history.js').History} History */
/** @typedef {{label: string, unit: string, colour: number}} Series colour: which of the theme's */
/** @typedef {{ground: string, ink: string, faint: string, line: string, warning: string, series: string[]}} PlotColours */

const seconds = 8; // shown
const padding = { top: 5, right: 1, bottom: 3, left: 1 };

export class Plot {
    /** @param {string} title @param {{stacked?: boolean, from_zero?: boolean, controls?: HTMLElement}} options */
    constructor(title, { stacked = false, from_zero = true, controls } = {}) {
        this.stacked = stacked;
        this.fromZero = from_zero;
        this.canvas = make('canvas', { role: 'img', 'aria-label': title });
        this.value = make('output', { class: 'value' });
        this.key = make('div', { class: 'key' });
        this.element = make(
            'figure', { class: 'plot' },
            make('figcaption', {}, make('span', { class: 'title', textContent: title }), controls, this.value),
            make('div', { class: 'area' }, this.canvas), this.key);
        this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
        /** @type {Series[]} */
        this.series = [];
        /** @type {HTMLElement[]} */
        this.readings = [];
        this.title = title;
        this.top = 1; // where the axis ends
        this.bottom = 0;
        /** @type {{value: number, label: string} | null} a level to hold against */
        this.limit = null;
        /** @type {number | null} CSS pixels: where the pointer is */
        this.pointer = null;
        this.canvas.addEventListener('pointermove', (event) => { this.pointer = event.offsetX; });
        this.canvas.addEventListener('pointerleave', () => { this.pointer = null; });
    }

    /** @param {Series[]} series @param {PlotColours} colours */
    set_series(series, colours) {
        this.series = series;
        // "Kinetic energy" is "Kinetic" under the title "Energy".
        const short = (/** @type {string} */ label) => label.replace(new RegExp(`(.) ${this.title}$`, 'i'), '$1');
        this.readings = series.map(({ label, unit }) => make('span', { class: 'reading', textContent: format_quantity(0, unit, 2), title: label }));
        this.key.replaceChildren(...series.map(({ label, colour }, i) => {
            const chip = make('i');
            chip.style.background = colours.series[colour % colours.series.length];
            return make('span', { class: 'entry', title: label }, chip, make('span', { class: 'name', textContent: short(label) }), this.readings[i]);
        }));
        this.key.hidden = series.length < 2;
        this.key.classList.toggle('dense', series.length > 3);
    }

    /** @param {History} history @param {PlotColours} colours */
    draw(history, colours) {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        if (width === 0 || height === 0) {
            return;
        }
        const ratio = Math.min(3, window.devicePixelRatio || 1);
        if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
            this.canvas.width = Math.round(width * ratio);
            this.canvas.height = Math.round(height * ratio);
        }
        const { context } = this;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, width, height);
        const count = history.count_within(seconds);
        this.fit_axis(history, count);
        this.draw_grid(width, height, colours);
        if (count > 1) {
            context.save();
            context.beginPath();
            context.rect(0, padding.top, width, height - padding.top - padding.bottom + 1);
            context.clip();
            if (this.stacked) {
                this.draw_areas(history, count, width, height, colours);
            } else {
                this.draw_lines(history, count, width, height, colours);
            }
            context.restore();
        }
        this.draw_limit(width, height, colours);
        this.draw_texts(height, colours);
        this.read(history, count, width, height, colours);
    }

    /** @param {History} history @param {number} count */
    fit_axis(history, count) {
        let least = 0, most = 0;
        if (!this.fromZero && count > 0) {
            least = Infinity;
            most = -Infinity;
        }
        for (let age = 0; age < count; ++age) {
            const place = history.place(age);
            let sum = 0;
            for (const values of history.series) {
                const value = values[place];
                sum += value;
                least = value < least ? value : least;
                most = value > most ? value : most;
            }
            most = this.stacked && sum > most ? sum : most;
        }
        if (this.limit) { // in sight, whatever happens: a single spike may leave the plot
            most = Math.min(Math.max(most, 1.15 * this.limit.value), 3 * this.limit.value);
        }
        if (this.fromZero) {
            const top = nice_ceiling(Math.max(most, -least));
            // Calm: the axis grows at once and shrinks only when much room is left.
            this.top = top > this.top || 2.2 * top <= this.top ? top : this.top;
            this.bottom = least < -1e-3 * this.top ? -this.top : 0;
        } else {
            const room = Math.max(most - least, 1e-3 * Math.max(Math.abs(most), Math.abs(least))) || 1;
            const step = nice_ceiling(room / 4);
            this.top = step * Math.ceil(most / step + 0.25);
            this.bottom = step * Math.floor(least / step - 0.25);
        }
    }

    /** @param {number} value @param {number} height @returns {number} CSS pixels from the top */
    y(value, height) {
        const share = (value - this.bottom) / (this.top - this.bottom || 1);
        return padding.top + (1 - share) * (height - padding.top - padding.bottom);
    }

    /** @param {number} time @param {number} newest @param {number} width */
    x(time, newest, width) {
        return width - padding.right - (newest - time) / seconds * (width - padding.left - padding.right);
    }

    /** @param {number} width @param {number} height @param {PlotColours} colours */
    draw_grid(width, height, colours) {
        const { context } = this;
        context.strokeStyle = colours.line;
        context.lineWidth = 1;
        context.beginPath();
        for (const value of [this.bottom, (this.bottom + this.top) / 2, this.top]) {
            const y = Math.round(this.y(value, height)) + 0.5;
            context.moveTo(0, y);
            context.lineTo(width, y);
        }
        context.stroke();
    }

    /** @param {History} history @param {number} count @param {number} width @param {number} height @param {PlotColours} colours */
    draw_areas(history, count, width, height, colours) {
        const { context } = this;
        const newest = history.newest;
        for (let k = history.series.length - 1; k >= 0; --k) { // the whole stack first, then without its last, and so on
            context.fillStyle = colours.series[this.series[k].colour % colours.series.length];
            context.beginPath();
            context.moveTo(this.x(newest, newest, width), this.y(0, height));
            for (let age = 0; age < count; ++age) {
                const place = history.place(age);
                let sum = 0;
                for (let i = 0; i <= k; ++i) {
                    sum += history.series[i][place];
                }
                context.lineTo(this.x(history.times[place], newest, width), this.y(sum, height));
            }
            context.lineTo(this.x(history.times[history.place(count - 1)], newest, width), this.y(0, height));
            context.fill();
        }
    }

    /** @param {History} history @param {number} count @param {number} width @param {number} height @param {PlotColours} colours */
    draw_lines(history, count, width, height, colours) {
        const { context } = this;
        const newest = history.newest;
        context.lineWidth = 1.6;
        context.lineJoin = 'round';
        for (const [k, values] of history.series.entries()) {
            context.strokeStyle = colours.series[this.series[k].colour % colours.series.length];
            context.beginPath();
            for (let age = 0; age < count; ++age) {
                const place = history.place(age);
                context.lineTo(this.x(history.times[place], newest, width), this.y(values[place], height));
            }
            context.stroke();
        }
    }

    /** @param {number} width @param {number} height @param {PlotColours} colours */
    draw_limit(width, height, colours) {
        if (!this.limit) {
            return;
        }
        const { context } = this;
        const y = Math.round(this.y(this.limit.value, height)) + 0.5;
        context.strokeStyle = colours.warning;
        context.setLineDash([4, 3]);
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(0, y);
        context.lineTo(width, y);
        context.stroke();
        context.setLineDash([]);
        context.font = '10px system-ui, sans-serif';
        context.textAlign = 'right';
        context.textBaseline = 'middle';
        const middle = y > 16 ? y - 7 : y + 8;
        const room = context.measureText(this.limit.label).width + 6;
        context.globalAlpha = 0.7; // readable over the areas
        context.fillStyle = colours.ground;
        context.fillRect(width - room, middle - 6, room, 12);
        context.globalAlpha = 1;
        context.fillStyle = colours.warning;
        context.fillText(this.limit.label, width - 3, middle);
    }

    /** @param {number} height @param {PlotColours} colours */
    draw_texts(height, colours) {
        const { context } = this;
        const unit = this.series[0]?.unit ?? '';
        const { factor, text } = choose_unit(Math.max(Math.abs(this.top), Math.abs(this.bottom)), unit);
        context.fillStyle = colours.faint;
        context.font = '10px system-ui, sans-serif';
        context.textAlign = 'left';
        context.textBaseline = 'top';
        if (!this.limit || this.y(this.limit.value, height) > padding.top + 14) {
            context.fillText(`${format_number(this.top / factor)} ${text}`, 3, padding.top + 2);
        }
        context.textBaseline = 'bottom';
        if (this.bottom !== 0) {
            context.fillText(format_number(this.bottom / factor), 3, height - padding.bottom - 1);
        }
    }

    /**
     * The newest values, or those under the pointer.
     * @param {History} history @param {number} count @param {number} width @param {number} height @param {PlotColours} colours
     */
    read(history, count, width, height, colours) {
        if (count === 0 || this.series.length === 0) {
            this.value.textContent = '';
            return;
        }
        let age = 0;
        if (this.pointer !== null) {
            const time = history.newest - (width - this.pointer) / width * seconds;
            while (age < count - 1 && history.times[history.place(age)] > time) {
                ++age;
            }
            const x = Math.round(this.x(history.times[history.place(age)], history.newest, width)) + 0.5;
            this.context.strokeStyle = colours.ink;
            this.context.lineWidth = 1;
            this.context.beginPath();
            this.context.moveTo(x, padding.top);
            this.context.lineTo(x, height);
            this.context.stroke();
        }
        const place = history.place(age);
        let sum = 0;
        for (const [k, values] of history.series.entries()) {
            sum += values[place];
            put_text(this.readings[k], format_quantity(values[place], this.series[k].unit, 2));
        }
        if (this.pointer !== null) {
            this.canvas.title = this.series.map(({ label }, k) => `${label}: ${this.readings[k].textContent}`).join('\n');
        }
        const alone = this.series.length === 1;
        put_text(this.value, this.stacked || alone ? format_quantity(sum, this.series[0].unit, 3) : '');
    }
}

/** @param {HTMLElement} element @param {string} text */
function put_text(element, text) {
    if (element.textContent !== text) {
        element.textContent = text;
    }
}
