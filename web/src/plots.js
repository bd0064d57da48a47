// The plots under the view: time of each stage against what a frame has, energies, forces, and one number of choice.
// Which stages, energies and probes there are, the engine says.
import { fill_select, find, make } from './dom.js';
import { History } from './history.js';
import { Plot } from './plot.js';
import { handKind } from './protocol.js';
import { is_endless } from './tool_shapes.js';
import { format_quantity } from './units.js';

/** @typedef {import('./frames.js').Frame} Frame */
/** @typedef {import('./plot.js').PlotColours} PlotColours */

const redrawEvery = 2; // pictures

export class Plots {
    /** @param {import('./session.js').Session} session */
    constructor(session) {
        this.session = session;
        this.element = find('plots');
        this.probe = make('select', { class: 'inline', 'aria-label': 'What to plot' });
        this.stages = new Plot('Time per frame', { stacked: true });
        this.energies = new Plot('Energy');
        this.forces = new Plot('Force');
        this.probes = new Plot('', { from_zero: false, controls: this.probe });
        this.all = [this.stages, this.energies, this.forces, this.probes];
        this.element.replaceChildren(...this.all.map(({ element }) => element));
        /** @type {number[]} indices into a frame's stats */
        this.stageStats = [];
        /** @type {number[]} */
        this.energyStats = [];
        this.timeStat = -1;
        this.budgetStat = -1;
        this.histories = {
            stages: new History(0), energies: new History(0), forces: new History(2), probes: new History(1),
        };
        /** @type {() => string | null} the name of the field that is shown */
        this.field_shown = () => null;
        this.colours = read_colours();
        this.pictures = 0; // since the plots were drawn
        this.calm = 0; // ticks without a picture
        this.limit = NaN; // ms that a frame has
        /** @type {{body: string, point: number} | null} a point whose field is followed over time */
        this.watched = null;
        session.helloChanged.listen(() => this.begin());
        session.sceneChanged.listen(() => this.begin_scene());
        session.frameArrived.listen((frame) => this.add(frame));
        this.probe.addEventListener('change', () => this.choose_probe());
    }

    get visible() {
        return !this.element.hidden;
    }

    /** @param {boolean} visible */
    show(visible) {
        this.element.hidden = !visible;
    }

    set_theme() {
        this.colours = read_colours();
        this.begin();
        this.choose_probe(true);
        this.draw();
    }

    begin() {
        const stats = this.session.hello?.stats ?? [];
        const of_group = (/** @type {string} */ group) => stats.flatMap((stat, i) => (stat.group === group ? [i] : []));
        this.stageStats = of_group('stage');
        this.energyStats = of_group('energy');
        this.timeStat = stats.findIndex(({ name }) => name === 'time');
        this.budgetStat = stats.findIndex(({ name }) => name === 'budget');
        const series = (/** @type {number[]} */ indices) => (
            indices.map((i, colour) => ({ label: stats[i].label, unit: stats[i].unit, colour })));
        this.stages.set_series(series(this.stageStats), this.colours);
        this.energies.set_series(series(this.energyStats), this.colours);
        this.forces.set_series(
            [{ label: 'Hands', unit: 'N', colour: 4 }, { label: 'Tools', unit: 'N', colour: 2 }], this.colours);
        if (this.histories.stages.series.length !== this.stageStats.length) {
            this.histories.stages = new History(this.stageStats.length);
        }
        if (this.histories.energies.series.length !== this.energyStats.length) {
            this.histories.energies = new History(this.energyStats.length);
        }
    }

    begin_scene() {
        this.clear();
        const { hello, scene } = this.session;
        const watched = this.watched && scene?.bodies.some(({ name }) => name === this.watched?.body);
        const options = [
            ...(watched ? [{ value: 'watch 0', label: `Point of ${this.watched?.body}`, group: 'Watched' }] : []),
            ...(scene?.probes ?? []).map(({ name }, i) => ({
                value: `probe ${i}`,
                label: name,
                group: 'Probes of the scene',
            })),
            ...(hello?.stats ?? []).map(({ label }, i) => ({ value: `stat ${i}`, label, group: 'Engine' })),
        ];
        const before = this.probe.selectedOptions[0]?.textContent;
        const kept = options.find(({ label }) => label === before);
        const usual = options.find(({ label }) => label.endsWith('.y')) ?? options[0]; // up and down is the liveliest
        fill_select(this.probe, options, (kept ?? usual)?.value ?? '');
        this.choose_probe();
    }

    /** @param {boolean} keep its history */
    choose_probe(keep = false) {
        const [kind, index] = this.probe.value.split(' ');
        const { hello, scene } = this.session;
        const field = hello?.fields.find(({ name }) => name === this.field_shown());
        const source = kind === 'watch' ? { name: field ? `${field.label} there` : 'Height there', unit: field?.unit ?? 'm' } : kind === 'probe' ? scene?.probes[Number(index)] : hello?.stats[Number(index)];
        if (!keep) {
            this.histories.probes.clear();
        }
        this.probes.set_series(source ? [{ label: source.name, unit: source.unit, colour: 3 }] : [], this.colours);
    }

    /** The field that is shown, at this point from now on. @param {{body: number, point: number}} picked */
    watch({ body, point }) {
        this.watched = { body: this.session.scene?.bodies[body]?.name ?? '', point };
        this.begin_scene();
        this.probe.value = 'watch 0';
        this.choose_probe();
    }

    /** @param {Frame} frame @returns {number} of the field, or the height where none is shown */
    watched_value(frame) {
        const index = this.session.scene?.bodies.findIndex(({ name }) => name === this.watched?.body) ?? -1;
        const body = frame.bodies[index], point = this.watched?.point ?? 0;
        return body?.field?.[point] ?? body?.positions[3 * point + 1] ?? 0;
    }

    clear() {
        Object.values(this.histories).forEach((history) => history.clear());
    }

    /** @param {Frame} frame */
    add(frame) {
        const { scene, state } = this.session;
        const rate = scene?.frameRate ?? 60;
        const time = this.timeStat >= 0 ? frame.stats[this.timeStat] : frame.frame / rate;
        if (time < this.histories.forces.newest - 1e-9) {
            this.clear(); // it began anew
        } else if (this.histories.forces.count > 0 && time === this.histories.forces.newest) {
            return; // sent again while paused
        }
        add_stats(this.histories.stages, time, frame, this.stageStats);
        add_stats(this.histories.energies, time, frame, this.energyStats);
        this.add_forces(time, frame);
        const [kind, index] = this.probe.value.split(' ');
        const place = this.histories.probes.push(time);
        this.histories.probes.series[0][place] = kind === 'watch' ? this.watched_value(frame)
            : (kind === 'probe' ? frame.probes : frame.stats)[Number(index)] ?? 0;
        const unit = this.stages.series[0]?.unit ?? 'ms';
        const budget =
            this.budgetStat >= 0 ? frame.stats[this.budgetStat] : (unit === 's' ? 1 : 1000) / (rate * state.speed);
        if (this.limit !== budget) {
            this.limit = budget;
            this.stages.limit = { value: budget, label: `budget ${format_quantity(budget, unit)}` };
        }
    }

    /** @param {number} time @param {Frame} frame */
    add_forces(time, frame) {
        const history = this.histories.forces;
        const place = history.push(time);
        let hands = 0, tools = 0;
        for (const { kind, force } of frame.tools) {
            const newtons = Math.hypot(force[0], force[1], force[2]);
            if (kind === handKind) {
                hands += newtons;
            } else if (!is_endless(this.session.hello?.tools[kind]?.name ?? '')) { // the ground would hide the rest
                tools += newtons;
            }
        }
        history.series[0][place] = hands;
        history.series[1][place] = tools;
    }

    /** After each picture. */
    note_picture() {
        ++this.pictures;
        this.calm = 0;
    }

    /** At the display's pace: with every second picture, and with the last. */
    tick() {
        const last = this.calm++ === redrawEvery;
        if (this.visible && (last || this.pictures >= redrawEvery)) {
            this.pictures = 0;
            this.draw();
        }
    }

    draw() {
        this.stages.draw(this.histories.stages, this.colours);
        this.energies.draw(this.histories.energies, this.colours);
        this.forces.draw(this.histories.forces, this.colours);
        this.probes.draw(this.histories.probes, this.colours);
    }
}

/** @param {History} history @param {number} time @param {Frame} frame @param {number[]} stats */
function add_stats(history, time, frame, stats) {
    const place = history.push(time);
    for (let k = 0; k < stats.length; ++k) {
        history.series[k][place] = frame.stats[stats[k]];
    }
}

/** @returns {PlotColours} of the theme */
function read_colours() {
    const style = getComputedStyle(document.documentElement);
    const get = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    return {
        ground: get('--panel'),
        ink: get('--ink'),
        faint: get('--ink-faint'),
        line: get('--line'),
        warning: get('--warning'),
        series: Array.from({ length: 8 }, (_, i) => get(`--series-${i + 1}`)),
    };
}
