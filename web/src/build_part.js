// Building a scene: what was done is taken back, bodies are added, chosen, named, coloured, copied and deleted, and made of
// something that people know by name.
import { fill_select, find, make } from './dom.js';
import { icon } from './icons.js';
import { format_quantity } from './units.js';

export class BuildPart {
    /** @param {import('./session.js').Session} session */
    constructor(session) {
        this.session = session;
        this.listed = ''; // what the lists show: they are made anew only where that changes
        this.offered = '';
        this.rebuilding = false;
        const button = (
            /** @type {import('./icons.js').IconName} */ name, /** @type {string} */ label, /** @type {string} */ id, /** @type {() => void} */ run
        ) => make('button', { type: 'button', class: 'icon-button', id, title: label, 'aria-label': label, onclick: run }, icon(name));
        this.undoButton = button('undo', 'Undo (Ctrl Z)', 'undo', () => this.undo(false));
        this.redoButton = button('redo', 'Redo (Ctrl Shift Z)', 'redo', () => this.undo(true));
        this.backButton = make('button', { type: 'button', class: 'plain', id: 'settings-back', textContent: 'All settings back',
            title: 'Everything is set as the scene came; bodies stay where they were put', onclick: () => session.ask({ type: 'reset', settings: true }) });
        this.addButton = make('button', { type: 'button', class: 'plain strong', id: 'add', title: 'Add a body or a thing', 'aria-expanded': 'false',
            onclick: () => this.show_choices(this.choices.hidden) }, icon('add'), 'Add');
        this.choices = make('div', { class: 'choices', id: 'add-choices', hidden: true });
        this.matterOfNew = make('select', { id: 'add-matter', 'aria-label': 'What it is made of' });
        this.list = make('ul', { class: 'bodies', id: 'bodies', 'aria-label': 'Bodies' });
        this.matters = make('div', { class: 'matters', id: 'matters', role: 'group', 'aria-label': 'Matter' });
        find('build-part').replaceChildren(make('section', { class: 'build', 'aria-label': 'Build' },
            make('div', { class: 'bar' }, this.addButton, make('span', { class: 'gap' }), this.undoButton, this.redoButton, this.backButton),
            this.choices, this.list, this.matters));
        session.helloChanged.listen(() => this.fill());
        session.sceneChanged.listen(() => this.show());
        session.bodyChosen.listen(() => this.show());
        session.stateChanged.listen(() => this.show_undo());
        session.valueChanged.listen(() => this.show_matter());
        this.show_undo();
    }

    fill() {
        const { hello } = this.session;
        const matters = hello?.matters ?? [];
        fill_select(this.matterOfNew, [
            { value: '', label: 'of what suits it' },
            ...matters.filter(({ sheet }) => !sheet).map(({ name, label, description }) => ({ value: name, label: `of ${label.toLowerCase()}`, title: description })),
        ], '');
        const group = (/** @type {string} */ title, /** @type {import('./protocol.js').Described[]} */ items, /** @type {'shape' | 'object'} */ kind) => [
            make('h3', { textContent: title }),
            make('div', { class: 'grid' }, ...items.map(({ name, label, description }) => make('button', {
                type: 'button', class: 'chip-button', textContent: label, title: description, 'data-add': name,
                onclick: () => this.add(kind, name),
            }))),
        ];
        this.choices.replaceChildren(
            make('label', { class: 'row choice' }, make('span', { textContent: 'Soft bodies' }), this.matterOfNew),
            make('div', { class: 'grid' }, ...(hello?.shapes ?? []).map(({ name, label, description }) => make('button', {
                type: 'button', class: 'chip-button', textContent: label, title: description, 'data-add': name,
                onclick: () => this.add('shape', name),
            }))),
            ...group('Rigid things', (hello?.objects ?? []).filter(({ fixed }) => !fixed), 'object'),
            ...group('Things that stand', (hello?.objects ?? []).filter(({ fixed }) => fixed), 'object'),
            make('p', { class: 'description', textContent: 'Or drop a file on the left half of the view.' }));
    }

    /** @param {boolean} visible */
    show_choices(visible) {
        this.choices.hidden = !visible;
        this.addButton.setAttribute('aria-expanded', String(visible));
    }

    /** @param {'shape' | 'object'} kind @param {string} name */
    async add(kind, name) {
        const sheet = name === 'cloth';
        const matter = kind === 'shape' && !sheet && this.matterOfNew.value ? { matter: this.matterOfNew.value } : {};
        if (await this.session.ask({ type: 'add', [kind]: name, ...matter })) {
            this.show_choices(false);
        }
    }

    /** @param {boolean} redo */
    undo(redo) {
        const { state } = this.session;
        if (redo ? state.redo : state.undo) {
            this.session.ask({ type: redo ? 'redo' : 'undo' });
        }
    }

    show_undo() {
        const { undo, redo } = this.session.state;
        for (const [button, label, what, keys] of /** @type {const} */ ([
            [this.undoButton, 'Undo', undo, 'Ctrl Z'], [this.redoButton, 'Redo', redo, 'Ctrl Shift Z']])) {
            button.disabled = !what;
            button.title = what ? `${label}: ${what} (${keys})` : `${label} (${keys})`;
        }
    }

    duplicate() {
        return this.session.ask({ type: 'duplicate', body: this.session.body });
    }

    remove() {
        return this.session.ask({ type: 'remove', body: this.session.body });
    }

    show() {
        const { scene, body: chosen } = this.session;
        const many = (scene?.bodies.length ?? 0) > 40;
        const bodies = many ? [] : scene?.bodies ?? [];
        this.list.hidden = many; // then the list below is for that
        const content = JSON.stringify(bodies.map((body) => [body.name, body.kind, colour_of(body)]));
        if (content !== this.listed) { // else who has the focus keeps it
            this.listed = content;
            this.rebuilding = true;
            keep_focus(this.list, () => this.list.replaceChildren(...bodies.map((body, i) => this.make_item(body, i))));
            this.rebuilding = false;
        }
        for (const [i, item] of [...this.list.children].entries()) {
            if (i === chosen) {
                item.setAttribute('aria-current', 'true');
            } else {
                item.removeAttribute('aria-current');
            }
        }
        this.list.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
        this.show_matter();
    }

    /** @param {import('./protocol.js').Body} body @param {number} index */
    make_item(body, index) {
        const colour = make('input', { type: 'color', value: colour_of(body), 'aria-label': `Colour of ${body.name}`, title: 'Colour' });
        colour.addEventListener('change', () => this.session.ask({ type: 'set', path: `bodies[${index}].shape.color`, value: colour.value }));
        const name = make('input', { type: 'text', class: 'name', value: body.name, 'aria-label': 'Name', maxLength: 60, spellcheck: false });
        name.addEventListener('focus', () => this.rebuilding || this.session.choose_body(index));
        name.addEventListener('change', async () => {
            if (!name.value.trim() || !await this.session.ask({ type: 'rename', body: index, name: name.value.trim() })) {
                name.value = body.name;
            }
        });
        name.addEventListener('keydown', (event) => {
            if (event.key === 'Enter') {
                name.blur();
            }
        });
        const act = (/** @type {import('./icons.js').IconName} */ icon_name, /** @type {string} */ label, /** @type {string} */ what, /** @type {() => void} */ run) => make(
            'button', { type: 'button', class: 'icon-button small', title: label, 'aria-label': `${label} ${body.name}`, 'data-do': what, onclick: run }, icon(icon_name));
        const item = make('li', { class: 'body-item', 'data-body': index },
            colour, name, make('span', { class: 'kind', textContent: body.kind === 'dynamic' || !body.kind ? '' : body.kind === 'guided' ? 'fixed' : body.kind }),
            act('duplicate', 'Duplicate', 'duplicate', () => this.session.ask({ type: 'duplicate', body: index })),
            act('remove', 'Delete', 'remove', () => this.session.ask({ type: 'remove', body: index })));
        item.addEventListener('click', () => this.session.choose_body(index));
        return item;
    }

    show_matter() {
        const { hello, scene, body: index } = this.session;
        const body = scene?.bodies[index];
        const sheet = body?.mesh === 'cloth' || body?.mesh === 'layered';
        this.matters.hidden = !body || body.kind === 'guided';
        const near = (/** @type {unknown} */ a, /** @type {number} */ b) => typeof a === 'number' && Math.abs(a - b) <= 1e-3 * b;
        const offered = (hello?.matters ?? []).filter((matter) => matter.sheet === sheet || (matter.rigid && !sheet));
        const content = offered.map(({ name }) => name).join(' ');
        if (content !== this.offered) {
            this.offered = content;
            this.matters.replaceChildren(...offered.map((matter) => this.make_matter(matter)));
        }
        for (const [i, matter] of offered.entries()) {
            const is = body !== undefined && near(body.values['material.density'], matter.density) && (
                body.kind === 'rigid' ? matter.rigid : near(body.values['material.youngsModulus'], matter.youngsModulus));
            this.matters.children[i].setAttribute('aria-pressed', String(is));
        }
    }

    /** @param {import('./protocol.js').Matter} matter */
    make_matter(matter) {
        const facts = matter.rigid ? format_quantity(matter.density, 'kg/m^3')
            : `${format_quantity(matter.youngsModulus, 'Pa')}, ${format_quantity(matter.density, 'kg/m^3')}, Poisson's ratio ${matter.poissonsRatio}`;
        return make('button', {
            type: 'button', class: 'chip-button', textContent: matter.label, 'data-matter': matter.name,
            title: `${matter.description}.\n${facts}.\n${matter.source}.`,
            onclick: () => this.session.ask({ type: 'matter', body: this.session.body, name: matter.name }),
        });
    }
}

/**
 * What had the focus in a list has it again when the list was made anew.
 * @param {HTMLElement} list @param {() => void} change
 */
function keep_focus(list, change) {
    const focused = list.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement) : null;
    const index = focused ? [...list.children].findIndex((item) => item.contains(focused)) : -1;
    const place = focused ? [...list.children[index].querySelectorAll('input, button')].indexOf(focused) : -1;
    change();
    const item = list.children[Math.min(index, list.children.length - 1)];
    if (item) {
        /** @type {HTMLElement | undefined} */ ([...item.querySelectorAll('input, button')][place])?.focus();
    }
}

/** @param {import('./protocol.js').Body} body @returns {string} "#rrggbb" */
function colour_of({ materials }) {
    const colour = materials[0]?.color;
    if (typeof colour === 'string') {
        return colour;
    }
    const byte = (/** @type {number} */ linear) => Math.round(255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055));
    return Array.isArray(colour) ? `#${colour.slice(0, 3).map((value) => byte(Math.min(1, Math.max(0, value))).toString(16).padStart(2, '0')).join('')}` : '#d98a5b';
}
