// The panel's part on controls of precomputed bodies: which one is chosen, what the gizmo does, what holds it; and, over
// the picture, why the engine keeps the last shape.
import { find, make } from './dom.js';
import { format_quantity } from './units.js';

/** @typedef {import('./protocol.js').Control} Control */
/** @typedef {import('./protocol.js').ControlledBody} ControlledBody */
/** @typedef {'translate' | 'rotate' | 'scale'} GizmoMode */

const refusals = /** @type {Record<string, string>} */ ({
    strain: 'some of it would be strained by',
    stretch: 'a control would be scaled against the others by',
    angle: 'a control would be turned against the mean by',
    singular: 'its controls are turned half a turn apart, and have no mean',
});
/** @type {{mode: GizmoMode, label: string, title: string}[]} */
const modes = [
    { mode: 'translate', label: 'Move', title: 'The gizmo moves the control' },
    { mode: 'rotate', label: 'Turn', title: 'The gizmo turns the control' },
    { mode: 'scale', label: 'Scale', title: 'The gizmo scales the control along its own axes' },
];

/** @param {ControlledBody} body @returns {string | null} null: nothing is refused */
export function refusal_words({ refusal, value, limit }) {
    if (!refusal) {
        return null;
    }
    const shown = (/** @type {number} */ number) => (
        refusal === 'angle' ? `${(number * 180 / Math.PI).toFixed(1)}°` : `${(100 * number).toPrecision(3)} %`);
    const by = refusal === 'singular' ? '' : ` ${shown(value)}; the limit is ${shown(limit)}`;
    return `The last shape stays: ${refusals[refusal] ?? refusal}${by}.`;
}

export class ControlPart {
    /**
     * @param {{
     *   choose: (body: number, control: number) => void, set_mode: (mode: GizmoMode) => void, let_go: () => void,
     * }} actions
     */
    constructor(actions) {
        this.actions = actions;
        this.list = make('div', { class: 'toggles', role: 'radiogroup', 'aria-label': 'Control' });
        /** @type {Map<GizmoMode, HTMLElement>} */
        this.modeButtons = new Map(modes.map(({ mode, label, title }) => [mode, make('button', {
            type: 'button', class: 'chip-button', id: `gizmo-${mode}`, textContent: label, title, 'aria-pressed': 'false',
            onclick: () => actions.set_mode(mode),
        })]));
        this.freeButton = make('button', {
            type: 'button', class: 'chip-button', id: 'gizmo-free', textContent: 'Let go',
            title: 'Nothing holds the control: it is where forces balance. Its gizmo holds it again.', onclick: () => actions.let_go(),
        });
        this.numbers = make('p', { class: 'note', id: 'control-forces' });
        this.section = make('section', { class: 'display', 'aria-label': 'Controls', id: 'control-part', hidden: true },
            make('h2', { textContent: 'Controls' }), this.list,
            make('div', { class: 'toggles' }, ...this.modeButtons.values(), this.freeButton), this.numbers);
        this.refusal = make('div', { id: 'refusal', class: 'refusal', role: 'status', hidden: true });
        find('body-part').before(this.section);
        find('view').append(this.refusal);
    }

    /** @param {GizmoMode} mode */
    show_mode(mode) {
        for (const [name, button] of this.modeButtons) {
            button.setAttribute('aria-pressed', String(name === mode));
        }
    }

    /**
     * @param {ControlledBody[]} bodies
     * @param {{body: number, control: number}} chosen
     * @param {Control | null} control the chosen one
     */
    show(bodies, chosen, control) {
        this.section.hidden = bodies.length === 0;
        this.show_list(bodies, chosen);
        const size = (/** @type {number[]} */ v) => Math.hypot(...v);
        this.numbers.textContent = control
            ? `${control.free ? 'Free. ' : ''}Force ${format_quantity(size(control.force), 'N')}, torque ${format_quantity(size(control.torque), 'N m')}`
            : '';
        this.freeButton.setAttribute('aria-pressed', String(control?.free ?? false));
        const words = bodies.map(refusal_words).find((text) => text !== null) ?? null;
        this.refusal.hidden = words === null;
        this.refusal.textContent = words ?? '';
    }

    /** @param {ControlledBody[]} bodies @param {{body: number, control: number}} chosen */
    show_list(bodies, chosen) {
        const all = bodies.flatMap(({ body, controls }) => controls.map((control, index) => ({ body, index, control })));
        const wanted = all.map(({ body, index, control }) => `${body} ${index} ${control.name}`).join('|');
        if (this.list.dataset.shown !== wanted) { // buttons stay while they are the same, and with them the focus
            this.list.dataset.shown = wanted;
            this.list.replaceChildren(...all.map(({ body, index, control }) => make('button', {
                type: 'button', class: 'chip-button', role: 'radio', disabled: control.fixed,
                textContent: control.fixed ? `${control.name} (fixed)` : control.name, onclick: () => this.actions.choose(body, index),
            })));
        }
        all.forEach(({ body, index }, i) => {
            const on = String(body === chosen.body && index === chosen.control);
            this.list.children[i]?.setAttribute('aria-checked', on);
            this.list.children[i]?.setAttribute('aria-pressed', on);
        });
    }
}
