// The panel's part on what is seen: colours with their legend, wireframe, simulated mesh, contacts.
import { map_gradient } from './colours.js';
import { fill_select, find, make } from './dom.js';
import { icon } from './icons.js';
import { choose_unit, format_number, pretty_unit } from './units.js';

export class DisplayPart {
    /** @param {import('./session.js').Session} session @param {import('./view.js').View} view */
    constructor(session, view) {
        this.session = session;
        this.view = view;
        this.wish = ''; // the field that the person chose, also while a scene does not have it
        this.select = make('select', { id: 'colour-select' });
        this.select.addEventListener('change', () => this.choose(this.select.value));
        this.toggles = {
            wireframe: this.make_toggle('Wireframe', 'wireframe', 'W'),
            mesh: this.make_toggle('Simulated mesh', 'mesh', 'M'),
            contacts: this.make_toggle('Contacts', 'contacts', 'C'),
            isolines: this.make_toggle('Isolines', 'isolines', 'I'),
            hues: this.make_toggle('Hues', 'hues', 'U'),
        };
        this.sectionBox = make('input', { type: 'checkbox', class: 'chip-box', id: 'show-section' });
        this.sectionAxis = make('select', { id: 'section-axis', class: 'inline', 'aria-label': 'Section across' });
        fill_select(this.sectionAxis, [['0', 'x'], ['1', 'y'], ['2', 'z']].map(([value, label]) => ({ value, label })), '2');
        this.sectionPlace = make('input', { type: 'range', min: '0', max: '1000', value: '500', id: 'section-place', 'aria-label': 'Where the section is' });
        for (const control of [this.sectionBox, this.sectionAxis, this.sectionPlace]) {
            control.addEventListener('input', () => this.show_section());
        }
        this.sectionRow = make('div', { class: 'row section', hidden: true }, this.sectionAxis, this.sectionPlace);
        this.noInside = make('div', { id: 'no-inside', hidden: true, textContent: 'Nothing is simulated inside the chosen body: it is shown whole.' });
        find('display-part').replaceChildren(
            make(
                'section',
                { class: 'display', 'aria-label': 'Display' },
                make(
                    'div',
                    { class: 'row choice' },
                    make('label', { for: 'colour-select', textContent: 'Colours' }),
                    this.select
                ),
                make('div', { class: 'toggles' }, ...Object.values(this.toggles).map(({ element }) => element),
                    make('label', { class: 'chip', title: 'Cuts the chosen body open and shows what is inside (X)' }, this.sectionBox, make('span', { textContent: 'Section' })),
                    make('button', { type: 'button', class: 'chip-button', id: 'watch', 'aria-pressed': 'false', textContent: 'Watch a point',
                        title: 'Then click a body: its field there is plotted over time' })),
                this.sectionRow,
                this.noInside
            )
        );
        this.build_legend();
        session.sceneChanged.listen(() => this.begin_scene());
        session.helloChanged.listen(() => this.begin_scene());
        session.bodyChosen.listen(() => this.tell_inside());
        session.topologyChanged.listen(() => this.tell_inside());
    }

    /** Cut open, or whole again. */
    toggle_section() {
        this.sectionBox.checked = !this.sectionBox.checked;
        this.show_section();
    }

    show_section() {
        const on = this.sectionBox.checked;
        this.tell_inside();
        this.view.show({ section: on ? { axis: Number(this.sectionAxis.value), share: Number(this.sectionPlace.value) / 1000 } : null });
    }

    /** Whether there is something to cut. */
    tell_inside() {
        const on = this.sectionBox.checked, topology = this.view.bodies[this.session.body]?.topology;
        this.noInside.hidden = !on || !topology || topology.tets !== null;
        this.sectionRow.hidden = !on || !this.noInside.hidden;
    }

    /** @param {string} label @param {'wireframe' | 'mesh' | 'contacts' | 'isolines' | 'hues'} what @param {string} key */
    make_toggle(label, what, key) {
        const box = make('input', { type: 'checkbox', class: 'chip-box', id: `show-${what}` });
        box.addEventListener('change', () => this.show_toggle(what, box.checked));
        return {
            box,
            element: make(
                'label',
                { class: 'chip', title: `${label} (${key})` },
                box,
                make('span', { textContent: label })
            ),
        };
    }

    /** @param {'wireframe' | 'mesh' | 'contacts' | 'isolines' | 'hues'} what */
    toggle(what) {
        const { box } = this.toggles[what];
        box.checked = !box.checked;
        this.show_toggle(what, box.checked);
    }

    /** @param {'wireframe' | 'mesh' | 'contacts' | 'isolines' | 'hues'} what @param {boolean} on */
    show_toggle(what, on) {
        this.view.show({ [what]: on });
        this.show_map();
    }

    build_legend() {
        this.legend = find('legend');
        this.title = make('span', { class: 'title' });
        this.bar = make('div', { class: 'bar' });
        this.ticks = make('div', { class: 'ticks' });
        this.lower = make('input', { type: 'text', class: 'number', 'aria-label': 'Lower end of the colours' });
        this.upper = make('input', { type: 'text', class: 'number', 'aria-label': 'Upper end of the colours' });
        this.middle = make('span');
        this.lockButton = make(
            'button',
            {
                type: 'button',
                class: 'icon-button small',
                id: 'lock-range',
                'aria-pressed': 'false',
                title: 'Hold this range',
                'aria-label': 'Hold this range',
                onclick: () => this.toggle_lock(),
            },
            icon('unlock')
        );
        this.ticks.append(this.lower, this.middle, this.upper);
        this.legend.replaceChildren(make('header', {}, this.title, this.lockButton), this.bar, this.ticks);
        for (const field of [this.lower, this.upper]) {
            field.addEventListener('change', () => this.enter_range());
            field.addEventListener('focus', () => field.select());
        }
    }

    begin_scene() {
        const { hello, scene } = this.session;
        if (!hello || !scene) {
            return;
        }
        const there = new Set(scene.bodies.flatMap((body) => body.fields));
        const fields = hello.fields.filter(({ name }) => there.has(name));
        const options = [
            { value: '', label: 'Plain', title: 'The bodies as they are' },
            ...fields.map(({ name, label, unit, description }) => (
                { value: name, label: unit ? `${label} (${pretty_unit(unit)})` : label, title: description })),
        ];
        const field = there.has(this.wish) ? this.wish : '';
        fill_select(this.select, options, field);
        this.show_field(field);
    }

    /** @param {string} field "": plain */
    choose(field) {
        this.wish = field;
        this.select.value = field;
        this.show_field(field);
    }

    /** The next of the list. */
    cycle() {
        const { options, selectedIndex } = this.select;
        this.choose(options[(selectedIndex + 1) % options.length].value);
    }

    /** @param {string} field */
    show_field(field) {
        this.view.show({ field: field || null });
        this.field = this.session.hello?.fields.find(({ name }) => name === field) ?? null;
        const { legend } = this;
        if (legend) {
            legend.hidden = !this.field;
        }
        if (this.field && this.title && this.bar) {
            this.title.textContent = this.field.label;
            legend?.setAttribute('title', this.field.description ?? '');
            this.show_map();
        }
        this.show_lock();
    }

    /** The legend's colours. */
    show_map() {
        if (this.field && this.bar) {
            this.bar.style.background = map_gradient(this.field.diverging ?? false, this.view.shown.hues);
        }
    }

    toggle_lock() {
        const { range } = this.view;
        if (range.locked) {
            range.restart(range.diverging);
            this.view.look_again(); // time may stand still
        } else {
            range.lock(range.lower, range.upper);
        }
        this.show_lock();
    }

    show_lock() {
        const { locked } = this.view.range;
        this.lockButton?.setAttribute('aria-pressed', String(locked));
        this.lockButton?.replaceChildren(icon(locked ? 'lock' : 'unlock'));
        if (this.lockButton) {
            this.lockButton.title = locked ? 'Let the range follow the field' : 'Hold this range';
        }
    }

    enter_range() {
        const { range } = this.view;
        const factor = this.factor ?? 1;
        const [lower, upper] = [this.lower, this.upper].map(
            (field) => Number(field?.value.replace('−', '-').replace(',', '.')) * factor
        );
        if (Number.isFinite(lower) && Number.isFinite(upper) && lower !== upper) {
            range.lock(lower, upper);
            this.view.fieldLook.set_range(range.lower, range.upper);
            this.view.redraw();
        }
        this.show_lock();
    }

    /** After each picture: the legend's numbers. */
    tick() {
        if (!this.field) {
            return;
        }
        const { lower, upper } = this.view.range;
        const { factor, text } = this.field.unit ?
            choose_unit(Math.max(Math.abs(lower), Math.abs(upper)), this.field.unit) : { factor: 0.01, text: '%' };
        this.factor = factor;
        for (const [field, value] of /** @type {const} */ ([[this.lower, lower], [this.upper, upper]])) {
            if (field && document.activeElement !== field) {
                field.value = format_number(value / factor, 3);
            }
        }
        if (this.middle) {
            this.middle.textContent = text;
        }
    }
}
