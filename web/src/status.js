// The line at the bottom: how fast, how many; and a banner when the engine cannot keep real time.
import { DetailMeter } from './detail_meter.js';
import { find, make } from './dom.js';
import { format_count, format_quantity } from './units.js';

const lateBelow = 0.85; // of the speed that was asked for: less is not seen
const keepsUp = 0.95; // what was said before is no longer true
const lateFor = 2; // s until it is said, and until it is taken back
const updateEvery = 0.25; // s

/** Stages as people who have not read the engine call them. @type {Record<string, string>} */
const inWords = { adapt: 'changing resolution', collide: 'finding contacts', solve: 'contact', advance: 'integration', publish: 'sending' };
/** What is always said first, where the engine has it. The rest of its times and counts is told on hovering. */
const quietAtZero = new Set(['activeNodes', 'unsolved', 'dropped']); // nobody asks why nothing failed
const first = ['realTime', 'total', 'nodes', 'activeNodes', 'unsolved', 'dropped'];

export class Status {
    /** @param {import('./session.js').Session} session @param {import('./view.js').View} view */
    constructor(session, view) {
        this.session = session;
        this.view = view;
        this.line = find('status');
        this.banner = find('banner');
        /** @type {Map<number, HTMLElement>} by index of the stat */
        this.items = new Map();
        this.rate = make('span', { class: 'item', title: 'Drawn by this page; the engine may simulate more' });
        this.rest = make('span', { class: 'item rest' });
        this.clients = make('span', { class: 'item', title: 'Pages that watch this world' });
        this.detail = new DetailMeter();
        this.sinceUpdate = 0;
        this.pictures = 0;
        this.late = 0; // s
        this.notice = ''; // the engine's own words on why it is late
        this.advice = ''; // and on what would make it faster
        session.helloChanged.listen(() => this.build());
        session.sceneChanged.listen(() => { this.notice = this.advice = ''; this.late = 0; this.banner.hidden = true; });
    }

    /** @param {string} name */
    index_of(name) {
        return this.session.hello?.stats.findIndex((stat) => stat.name === name) ?? -1;
    }

    build() {
        this.items.clear();
        for (const name of first) {
            const index = this.index_of(name);
            if (index >= 0) {
                this.items.set(
                    index,
                    make('span', { class: 'item', title: this.session.hello?.stats[index].label, 'data-stat': name })
                );
            }
        }
        this.line.replaceChildren(...this.items.values(), this.detail.element, this.rate, this.clients, this.rest);
    }

    /** At the display's pace. @param {number} seconds */
    tick(seconds) {
        this.sinceUpdate += seconds;
        if (this.sinceUpdate >= updateEvery) {
            this.update();
            this.sinceUpdate = 0;
            this.pictures = 0;
        }
    }

    count_picture() {
        ++this.pictures;
    }

    update() {
        const { frame, hello, state } = this.session;
        if (!hello) {
            return;
        }
        put(this.rate, state.paused ? '' : `${Math.round(this.pictures / this.sinceUpdate)} frames/s drawn`);
        put(this.clients, state.clients > 1 ? `${state.clients} pages` : '');
        if (!frame) {
            return;
        }
        for (const [index, item] of this.items) {
            const isRatio = hello.stats[index].name === 'realTime';
            put(item, isRatio && state.paused ? 'Paused' : say(hello.stats[index], frame.stats[index]));
            item.hidden = quietAtZero.has(hello.stats[index].name) && frame.stats[index] === 0;
        }
        this.detail.update(hello.stats, frame.stats);
        const rest = hello.stats.map((stat, i) => ({ stat, value: frame.stats[i] }))
            .filter(({ stat }) => ['time', 'count'].includes(stat.group) && !first.includes(stat.name));
        this.line.title = rest
            .map(({ stat, value }) => `${stat.label}: ${format_quantity(value, stat.unit === '1' ? '' : stat.unit)}`)
            .join('\n');
        this.judge(frame, this.sinceUpdate);
    }

    /** @param {import('./frames.js').Frame} frame @param {number} seconds */
    judge(frame, seconds) {
        const index = this.index_of('realTime');
        const { paused } = this.session.state;
        if (index < 0 || paused) {
            this.late = 0;
            this.banner.hidden = true;
            return;
        }
        const ratio = frame.stats[index];
        this.late = Math.min(2 * lateFor, Math.max(0, this.late + (ratio < lateBelow ? seconds : -seconds)));
        const percent = Math.round(100 * ratio);
        if (this.late > lateFor && ratio < keepsUp) {
            this.banner.hidden = false;
            put(
                this.banner,
                `${this.notice.replace(/\(\d+ %\)/, `(${percent} %)`) || `Slower than real time: ${percent} % of the speed. ${this.why(frame)}`} ${this.advice}`
            );
        } else {
            this.banner.hidden = true;
            this.notice = this.late > 0 || ratio < keepsUp ? this.notice : '';
        }
    }

    /**
     * The engine's words on its pace stay in the banner as long as they are true; that it is fast again is seen.
     * @param {string} message
     * @returns {boolean} whether it was such
     */
    take(message) {
        if (/^Slower than real time/.test(message)) {
            this.notice = message;
            return true;
        }
        if (/because of its damping/.test(message)) { // of interest where it is slow, and nowhere else
            this.advice = `${message[0].toUpperCase()}${message.slice(1)}.`;
            return true;
        }
        return /^Simulated time keeps up/.test(message);
    }

    /** Where the time goes. @param {import('./frames.js').Frame} frame */
    why(frame) {
        const stages = (this.session.hello?.stats ?? []).map((stat, i) => ({ stat, value: frame.stats[i] }))
            .filter(({ stat }) => stat.group === 'stage').sort((a, b) => b.value - a.value);
        if (stages.length === 0) {
            return '';
        }
        const [{ stat, value }] = stages;
        const [total, budget] = ['total', 'budget'].map((name) => frame.stats[this.index_of(name)]);
        if (total < budget) {
            return `This computer has other work to do: a frame would take ${format_quantity(total, 'ms', 2)} of ${format_quantity(budget, 'ms', 3)}.`;
        }
        return `Most of a frame goes to ${inWords[stat.name] ?? stat.label.toLowerCase()}: ${format_quantity(value, stat.unit)}.`;
    }
}

/** @param {import('./protocol.js').Stat} stat @param {number} value */
function say(stat, value) {
    if (stat.name === 'realTime') {
        return `${Math.round(100 * value)} % of real time`;
    }
    if (stat.group === 'count') {
        return `${format_count(value)} ${stat.label.toLowerCase()}`;
    }
    return `${stat.label} ${format_quantity(value, stat.unit, 2)}`;
}

/** @param {HTMLElement} element @param {string} text */
function put(element, text) {
    if (element.textContent !== text) {
        element.textContent = text;
        element.hidden = text === '';
    }
}
