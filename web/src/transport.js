// Time: pause, step, reset, slow motion; and recording, with what can be taken away.
import { find, make } from './dom.js';
import { icon } from './icons.js';
import { format_duration } from './units.js';

const speeds = /** @type {const} */ ([
    [1, '1', 'Real time'],
    [0.5, '½', 'Half speed'],
    [0.25, '¼', 'Quarter speed'],
    [0.1, '⅒', 'A tenth of the speed'],
]);

export class Transport {
    /** @param {import('./session.js').Session} session @param {(path: string) => string} address_of */
    constructor(session, address_of) {
        this.session = session;
        const button = (
            /** @type {import('./icons.js').IconName} */ name,
            /** @type {string} */ label,
            /** @type {string} */ id,
            /** @type {() => void} */ run
        ) =>
            make(
                'button',
                { type: 'button', class: 'icon-button', id, title: label, 'aria-label': label, onclick: run },
                icon(name)
            );
        this.resetButton = button('reset', 'Start over (R)', 'reset', () => this.reset());
        this.pauseButton = button('pause', 'Pause (space)', 'pause', () => this.toggle_pause());
        this.stepButton = button('step', 'One frame (.)', 'step', () => this.step());
        this.speedButtons = speeds.map(([speed, label, name]) => make('button', {
            type: 'button', class: 'speed', role: 'radio', title: name, 'aria-label': name, textContent: label,
            onclick: () => session.ask({ type: 'speed', value: speed }),
        }));
        this.recordButton = make('button', {
            type: 'button', class: 'record', id: 'record', title: 'Record the motion (E)', 'aria-pressed': 'false',
            onclick: () => this.toggle_record(),
        }, icon('record'), make('span', { textContent: 'Record' }));
        this.downloads = make(
            'span',
            { class: 'downloads', hidden: true },
            make('a', {
                class: 'button',
                id: 'download-glb',
                href: address_of('/download/recording.glb'),
                download: 'recording.glb',
                textContent: 'GLB',
                title: 'The motion, for Blender and every glTF viewer',
            }),
            make('a', {
                class: 'button',
                id: 'download-csv',
                href: address_of('/download/recording.csv'),
                download: 'recording.csv',
                textContent: 'CSV',
                title: 'Probes and numbers of each frame',
            })
        );
        this.loopButton = button('loop', 'Begin again at the end of the scene', 'loop', () => session.ask({ type: 'loop', value: !session.state.looping }));
        this.timeline = make('input', { type: 'range', min: '0', max: '1000', value: '1000', id: 'timeline', 'aria-label': 'Time',
            title: 'Back in time: drag, then go on from there' });
        this.time = make('output', { class: 'time', id: 'time-now' });
        /** @type {number | null} s, where the person wants to be; sent one at a time */
        this.wanted = null;
        this.seeking = false;
        this.dragging = false;
        this.timeline.addEventListener('input', () => this.seek());
        for (const name of /** @type {const} */ (['pointerdown', 'pointerup', 'pointercancel'])) {
            this.timeline.addEventListener(name, () => { this.dragging = name === 'pointerdown'; });
        }
        session.frameArrived.listen((frame) => this.show_time(frame));
        find('transport').replaceChildren(
            make('div', { class: 'part timeline' }, this.timeline, this.time),
            make('div', { class: 'part' }, this.resetButton, this.pauseButton, this.stepButton, this.loopButton),
            make('div', { class: 'part speeds', role: 'radiogroup', 'aria-label': 'Speed' }, ...this.speedButtons),
            make('div', { class: 'part' }, this.recordButton, this.downloads));
        session.stateChanged.listen((state) => this.show(state));
        session.recordingChanged.listen((recording) => this.show_recording(recording));
    }

    /** @param {string} name @param {import('./frames.js').Frame} frame */
    stat(name, frame) {
        return frame.stats[this.session.hello?.stats.findIndex((stat) => stat.name === name) ?? -1] ?? 0;
    }

    /** @param {import('./frames.js').Frame} frame */
    show_time(frame) {
        const [now, oldest, newest] = ['time', 'oldest', 'newest'].map((name) => this.stat(name, frame));
        if (!this.dragging && !this.seeking) {
            const share = newest > oldest ? (now - oldest) / (newest - oldest) : 1;
            this.timeline.value = String(Math.round(1000 * share));
            this.timeline.style.setProperty('--filled', `${100 * share}%`);
        }
        const text = `${now.toFixed(2)} s`;
        if (this.time.textContent !== text) {
            this.time.textContent = text;
        }
    }

    async seek() {
        const { frame } = this.session;
        if (!frame) {
            return;
        }
        const oldest = this.stat('oldest', frame), newest = this.stat('newest', frame);
        this.wanted = oldest + Number(this.timeline.value) / 1000 * (newest - oldest);
        this.timeline.style.setProperty('--filled', `${Number(this.timeline.value) / 10}%`);
        while (this.wanted !== null && !this.seeking) {
            const time = this.wanted;
            this.wanted = null;
            this.seeking = true;
            await this.session.ask({ type: 'seek', time });
            this.seeking = false;
        }
    }

    toggle_pause() {
        this.session.ask({ type: 'pause', value: !this.session.state.paused });
    }

    step() {
        this.session.ask({ type: 'step' });
    }

    reset() {
        this.session.ask({ type: 'reset' });
    }

    toggle_record() {
        this.session.ask({ type: 'record', value: !this.session.state.recording });
    }

    /** @param {number} step 1: slower */
    change_speed(step) {
        const { speed } = this.session.state;
        const index = speeds.findIndex(([value]) => Math.abs(value - speed) < 1e-3);
        const next = speeds[Math.min(speeds.length - 1, Math.max(0, index + step))];
        this.session.ask({ type: 'speed', value: next[0] });
    }

    /** @param {import('./protocol.js').State} state */
    show({ paused, speed, recording, looping }) {
        this.loopButton.setAttribute('aria-pressed', String(looping ?? false));
        this.pauseButton.replaceChildren(icon(paused ? 'play' : 'pause'));
        const label = paused ? 'Go on (space)' : 'Pause (space)';
        this.pauseButton.title = label;
        this.pauseButton.setAttribute('aria-label', label);
        this.pauseButton.classList.toggle('strong', paused);
        for (const [i, [value]] of speeds.entries()) {
            this.speedButtons[i].setAttribute('aria-checked', String(Math.abs(value - speed) < 1e-3));
        }
        this.recordButton.setAttribute('aria-pressed', String(recording));
        if (recording) {
            this.downloads.hidden = true;
            this.show_seconds(0);
        } else {
            this.recordButton.replaceChildren(icon('record'), make('span', { textContent: 'Record' }));
        }
    }

    /** @param {number} seconds */
    show_seconds(seconds) {
        this.recordButton.replaceChildren(
            icon('stop'),
            make('span', { class: 'time', textContent: format_duration(seconds) })
        );
    }

    /** @param {import('./protocol.js').Recording} recording */
    show_recording({ seconds, ready }) {
        if (this.session.state.recording && !ready) {
            this.show_seconds(seconds);
        }
        this.downloads.hidden = !ready;
    }
}
