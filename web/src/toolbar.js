// Which tool the mouse is, and the tool's own settings.
import { fill_select, find, make } from './dom.js';
import { icon } from './icons.js';
import { make_scale } from './scales.js';
import { forms } from './push_tool.js';
import { is_endless } from './tool_shapes.js';
import { format_quantity } from './units.js';

/** @typedef {import('./tools.js').Mode} Mode */

const modes = /** @type {const} */ ([
    { mode: 'grab', label: 'Grab', key: 'G', hint: 'Drag a body to pull it' },
    { mode: 'push', label: 'Push', key: 'T', hint: 'Move to push, press to poke; the wheel sets the depth' },
    { mode: 'pin', label: 'Pin', key: 'P', hint: 'Click to hold the surface; click a pin to let go' },
    { mode: 'arrange', label: 'Move', key: 'A', hint: 'Drag: along the ground; Shift: up; wheel: turn; Ctrl and wheel: size' },
]);
const sizeScale = make_scale(0.01, 0.3, 'log'); // shares of the scene's size

export class Toolbar {
    /** @param {import('./session.js').Session} session @param {import('./tools.js').Tools} tools */
    constructor(session, tools) {
        this.session = session;
        this.tools = tools;
        this.buttons = new Map(modes.map(({ mode, label, key, hint }) => [mode, make('button', {
            type: 'button', role: 'radio', class: 'tool', id: `tool-${mode}`, title: `${hint} (${key})`,
            onclick: () => tools.set_mode(mode),
        }, icon(mode), make('span', { textContent: label }))]));
        const bar = find('toolbar');
        bar.replaceChildren(...this.buttons.values());
        bar.addEventListener('keydown', (event) => this.move_choice(event));
        this.kind = make('select', { id: 'tool-kind', 'aria-label': 'Kind of tool' });
        this.kind.addEventListener('change', () => {
            tools.push.choose(this.kind.value);
        });
        this.keep = make('input', { type: 'checkbox', class: 'chip-box', id: 'keep-hands' });
        this.keep.addEventListener('change', () => { tools.keeping = this.keep.checked; });
        this.keepLabel = make('label', { class: 'chip', title: 'A hand that is let go stays where it is (K); press its dot to take it again' },
            this.keep, make('span', { textContent: 'Hands stay' }));
        this.freeLabel = make('button', { type: 'button', class: 'plain', id: 'free-hands', textContent: 'Let go',
            title: 'Hands that stay let go (K)', onclick: () => tools.toggle_keep() });
        const act = (/** @type {string} */ label, /** @type {string} */ title, /** @type {string} */ id, /** @type {() => void} */ run) => make(
            'button', { type: 'button', class: 'plain', id, textContent: label, title, onclick: run });
        this.arrange = make('span', { class: 'arrange' },
            act('⟲', 'Turn left', 'turn-left', () => tools.arranging.turn(Math.PI / 12)),
            act('⟳', 'Turn right', 'turn-right', () => tools.arranging.turn(-Math.PI / 12)),
            act('−', 'Smaller', 'make-smaller', () => tools.arranging.scale(1 / 1.15)),
            act('+', 'Larger', 'make-larger', () => tools.arranging.scale(1.15)));
        this.size = make('input', { type: 'range', min: '0', max: '1000', id: 'tool-size', 'aria-label': 'Radius' });
        this.sizeText = make('output', { class: 'number' });
        this.size.addEventListener('input', () => this.set_size());
        this.hint = make('span', { class: 'tool-hint' });
        this.kindLabel = make('label', { class: 'kind' }, this.kind);
        this.sizeLabel = make(
            'label',
            { class: 'size' },
            make('span', { textContent: 'Radius' }),
            this.size,
            this.sizeText
        );
        find('tool-options').replaceChildren(this.hint, this.kindLabel, this.sizeLabel, this.keepLabel, this.freeLabel, this.arrange);
        session.helloChanged.listen(() => this.fill_kinds());
        session.sceneChanged.listen(() => requestAnimationFrame(() => this.show()));
        tools.modeChanged.listen(() => this.show());
        session.frameArrived.listen(() => {
            if (tools.mode === 'grab' && this.freeLabel.hidden !== (tools.hands.kept().length === 0)) {
                this.show();
            }
        });
        tools.view.framed.listen(() => this.show());
        this.show();
    }

    fill_kinds() {
        const all = this.session.hello?.tools ?? [];
        const kinds = all.filter(({ name }) => !is_endless(name) && name !== 'mesh'); // a mesh needs a shape
        const own = Object.entries(forms).filter(([, { kind }]) => all.some(({ name }) => name === kind));
        const options = [
            ...(kinds.length > 0 ? kinds : all).map(({ name, label, description }) => ({ value: name, label, title: description })),
            ...own.map(([name, { label }]) => ({ value: name, label, title: '' })),
        ];
        const kept = options.some(({ value }) => value === this.tools.push.form)
            ? this.tools.push.form
            : (options[0]?.value ?? '');
        this.tools.push.choose(kept);
        fill_select(this.kind, options, kept);
        this.show();
    }

    set_size() {
        const share = sizeScale.to_value(Number(this.size.value) / 1000);
        if (this.tools.mode === 'push') {
            this.tools.push.share = share;
            this.tools.push.changed = true;
        } else {
            this.tools.pinShare = share;
        }
        this.show();
    }

    show() {
        const { mode, push } = this.tools;
        for (const [name, button] of this.buttons) {
            button.setAttribute('aria-checked', String(name === mode));
            button.tabIndex = name === mode ? 0 : -1;
        }
        const options = find('tool-options');
        const hasKept = this.tools.hands.kept().length > 0;
        options.hidden = false;
        this.keepLabel.hidden = mode !== 'grab';
        this.freeLabel.hidden = mode !== 'grab' || !hasKept;
        this.arrange.hidden = mode !== 'arrange';
        this.sizeLabel.hidden = mode !== 'push' && mode !== 'pin';
        this.hint.hidden = mode === 'grab';
        this.kindLabel.hidden = mode !== 'push' || this.kind.options.length < 2;
        this.hint.textContent = modes.find((one) => one.mode === mode)?.hint ?? '';
        const share = mode === 'push' ? push.share : this.tools.pinShare;
        this.size.value = String(Math.round(1000 * sizeScale.to_position(share)));
        this.size.style.setProperty('--filled', `${Number(this.size.value) / 10}%`);
        this.sizeText.textContent = format_quantity(mode === 'push' ? push.radius : this.tools.pinRadius, 'm', 2);
    }

    /** @param {KeyboardEvent} event */
    move_choice(event) {
        const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
        if (step) {
            event.preventDefault();
            const index = modes.findIndex(({ mode }) => mode === this.tools.mode);
            const { mode } = modes[(index + step + modes.length) % modes.length];
            this.tools.set_mode(mode);
            this.buttons.get(mode)?.focus();
        }
    }
}
