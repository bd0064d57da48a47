// The panel at the side: the scene, the body that is edited, and what the engine lets one change. All from `hello`.
import { fill_select, find, make } from './dom.js';
import { make_control } from './property_control.js';
import { applies_to, counts_now, FirstValues, full_path, value_of } from './properties.js';
import { Setter } from './setter.js';
import { format_count, format_quantity } from './units.js';

/** @typedef {import('./protocol.js').Property} Property */
/** @typedef {import('./protocol.js').Value} Value */
/** @typedef {import('./protocol.js').Described} Described */

const openGroups = 1; // of bodies, and of the scene: the rest is folded until asked for
/** The nouns of a body that have kinds, each a choice at "NOUN.kind". */
const nouns = /** @type {const} */ ([
    { noun: 'mesh', list: 'meshes', label: 'Mesh' }, { noun: 'law', list: 'laws', label: 'Law' },
    { noun: 'integrator', list: 'integrators', label: 'Integrator' },
]);

export class Panel {
    /** @param {import('./session.js').Session} session */
    constructor(session) {
        this.session = session;
        this.firstValues = new FirstValues();
        this.setter = new Setter((path, value) => this.set(path, value));
        /** @type {Map<string, import('./property_control.js').Control>} by full path */
        this.controls = new Map();
        /** @type {Record<string, boolean>} which groups the person opened or closed */
        this.folded = {};
        this.shape = ''; // of what is shown: rebuilt only when it changes
        this.sceneSelect = make('select', { id: 'scene-select', 'aria-label': 'Scene or shape' });
        this.sceneText = make('p', { class: 'description' });
        this.bodySelect = make('select', { id: 'body-select', 'aria-label': 'Body to edit' });
        this.bodyFacts = make('p', { class: 'facts' });
        this.kinds = make('div', { class: 'kinds' });
        this.groups = make('div', { class: 'groups' });
        this.bodyRow = make(
            'div',
            { class: 'row choice' },
            make('label', { for: 'body-select', textContent: 'Body' }),
            this.bodySelect
        );
        this.build();
        session.helloChanged.listen(() => this.fill_scenes());
        session.sceneChanged.listen(() => this.begin_scene());
        session.bodyChosen.listen(() => this.show_body());
        session.valueChanged.listen(({ path, value }) => this.receive(path, value));
    }

    build() {
        this.sceneSelect.addEventListener('change', () => this.load());
        this.bodySelect.addEventListener('change', () => this.session.choose_body(Number(this.bodySelect.value)));
        const sceneSection = make(
            'section', { class: 'scene', 'aria-label': 'Scene' },
            make('div', { class: 'choose' }, this.sceneSelect, make('button', {
                type: 'button', class: 'icon-button', id: 'show-gallery', title: 'Scenes with pictures (Q)', 'aria-label': 'Scenes with pictures' })), this.sceneText);
        const bodySection = make(
            'section', { class: 'body', 'aria-label': 'Body' }, this.bodyRow, this.bodyFacts, this.kinds);
        find('scene-part').replaceChildren(sceneSection);
        const more = make('details', { class: 'all-settings', id: 'all-settings', open: localStorage.getItem('limber.controls') === 'all' },
            make('summary', { textContent: 'All settings' }), bodySection, this.groups);
        more.addEventListener('toggle', () => localStorage.setItem('limber.controls', more.open ? 'all' : 'few'));
        find('body-part').replaceChildren(more);
    }

    fill_scenes() {
        const { hello } = this.session;
        const options = [
            ...(hello?.scenes ?? []).map(({ file, name, description }) => (
                { value: `scene ${file}`, label: name || file, title: description, group: 'Scenes' })),
            ...(hello?.shapes ?? []).map(({ name, label, description }) => (
                { value: `shape ${name}`, label, title: description, group: 'A body of this shape' })),
        ];
        fill_select(this.sceneSelect, options, '');
    }

    async load() {
        const [, kind, name] = /** @type {string[]} */ (this.sceneSelect.value.match(/^(\w+) (.*)$/) ?? []);
        if (kind) {
            this.sceneSelect.disabled = true;
            await this.session.ask({ type: 'load', [kind]: name });
            this.sceneSelect.disabled = false;
            this.show_scene();
        }
    }

    /** Another scene of the list. @param {number} step 1: the next */
    load_next(step) {
        const count = this.sceneSelect.options.length;
        this.sceneSelect.selectedIndex = (Math.max(0, this.sceneSelect.selectedIndex) + step + count) % count;
        this.load();
    }

    begin_scene() {
        const { scene, hello } = this.session;
        if (scene && hello) {
            this.firstValues.see(scene, hello.properties);
        }
        this.show_scene();
    }

    show_scene() {
        const { scene, hello } = this.session;
        if (!scene || !hello) {
            return;
        }
        const known = hello.scenes.find(({ name }) => name === scene.name);
        const shape =
            scene.bodies.length === 1 &&
            hello.shapes.find(({ name, label }) => scene.name === name || scene.name === label);
        const value = known ? `scene ${known.file}` : shape ? `shape ${shape.name}` : '';
        this.sceneSelect.querySelector('option[value=""]')?.remove();
        if (value === '') {
            this.sceneSelect.prepend(make('option', { value: '', textContent: scene.name || 'Own scene' }));
        }
        this.sceneSelect.value = value;
        this.sceneText.textContent = scene.description;
        this.sceneText.title = scene.description;
        this.sceneText.hidden = !scene.description;
        const options = scene.bodies.map(({ name }, i) => ({ value: String(i), label: name }));
        fill_select(this.bodySelect, options, String(this.session.body));
        this.bodyRow.hidden = scene.bodies.length < 2;
    }

    /** What the chosen body consists of, and what it moves by. */
    show_facts() {
        const { scene, hello, body: index } = this.session;
        const body = scene?.bodies[index];
        if (!hello || !body) {
            return;
        }
        const parts = [
            [body.nodes, 'nodes'], [body.springs, 'springs'], [body.tets, 'tetrahedra'], [body.triangles, 'triangles'],
        ].filter(([count]) => Number(count) > 0).map(([count, what]) => `${format_count(Number(count))} ${what}`);
        const kind = hello.kinds?.find(({ name }) => name === body.kind && name !== 'dynamic');
        this.bodyFacts.textContent = [
            ...(kind ? [kind.label] : []), ...parts, ...(body.mass > 0 && body.kind !== 'guided' ? [format_quantity(body.mass, 'kg')] : []),
            ...(body.integrator === 'automatic' && body.method ? [say_method(hello, body)] : []),
            ...(body.undampedSteps ? [`damping sets the step: ${body.undampedSteps} would do without`] : []),
        ].join(' · ');
    }

    show_body() {
        const { scene, hello, body: index } = this.session;
        const body = scene?.bodies[index];
        if (!scene || !hello || !body) {
            return;
        }
        this.bodySelect.value = String(index);
        this.show_facts();
        const shape = JSON.stringify([
            index,
            scene.bodies.length,
            body.kind,
            body.shape,
            body.mesh,
            body.law,
            body.integrator,
            this.visible_properties().map(({ path }) => path),
        ]);
        if (shape !== this.shape) {
            this.shape = shape;
            this.build_controls();
        }
        this.show_values();
    }

    /** @returns {Property[]} that the chosen body and the scene have, without the kinds */
    visible_properties() {
        const { scene, hello, body: index } = this.session;
        const body = scene?.bodies[index];
        if (!scene || !hello || !body) {
            return [];
        }
        const beside = (/** @type {Property} */ property) => counts_now(property, (path) => {
            const other = hello.properties.find(
                (one) => one.path === path && Boolean(one.body) === Boolean(property.body)
            );
            return other && value_of(scene, other, index);
        });
        const kinds = new Set(nouns.map(({ noun }) => `${noun}.kind`));
        return hello.properties.filter(
            (property) =>
                !(property.body && kinds.has(property.path)) &&
                (!property.body || applies_to(property, body)) &&
                beside(property) &&
                value_of(scene, property, index) !== undefined
        );
    }

    build_controls() {
        const focused = /** @type {HTMLElement | null} */ (document.activeElement?.closest('[data-path]'))?.dataset
            .path;
        this.controls.clear();
        this.build_kinds();
        /** @type {Map<string, Property[]>} */
        const groups = new Map();
        for (const property of this.visible_properties()) {
            const name = property.group ?? (property.body ? 'Body' : 'World');
            groups.set(name, [...groups.get(name) ?? [], property]);
        }
        // What is changed most stands first: a body's first group, then the world, then the rest.
        const all = [...groups];
        const ofBody = all.filter(([, [first]]) => first.body), ofScene = all.filter(([, [first]]) => !first.body);
        const build = (/** @type {[string, Property[]]} */ [name, properties], /** @type {number} */ i) => (
            this.build_group(name, properties, i < openGroups));
        const [first, ...rest] = ofBody.map(build);
        this.groups.replaceChildren(...[first, ...ofScene.map(build), ...rest].filter((group) => group !== undefined));
        if (focused) {
            const same = this.groups.querySelector(`[data-path="${CSS.escape(focused)}"] :is(input, select)`);
            /** @type {HTMLElement | null} */ (same)?.focus();
        }
    }

    /** @param {string} name @param {Property[]} properties @param {boolean} open */
    build_group(name, properties, open) {
        const rows = properties.map((property) => {
            const path = full_path(property, this.session.body);
            const body = this.session.body;
            const control = make_control(
                property,
                (value, final) => this.change(property, path, value, final),
                () => this.firstValues.get(property, body)
            );
            this.controls.set(path, control);
            return control.element;
        });
        const details = make('details', { class: 'group', open: this.folded[name] ?? open, 'data-group': name },
            make('summary', { textContent: name }), make('div', { class: 'rows' }, ...rows));
        details.addEventListener('toggle', () => { this.folded[name] = details.open; });
        return details;
    }

    build_kinds() {
        const { hello, scene, body: index } = this.session;
        const body = scene?.bodies[index];
        if (!hello || !body) {
            return;
        }
        // What moves as a whole has neither mesh nor law nor integrator.
        this.kinds.replaceChildren(...nouns.filter(({ noun }) => body[noun] !== null).map(({ noun, list, label }) => {
            const select = make('select', { id: `kind-${noun}` });
            // What needs more than its name, as a mesh from a file does, is no choice, but shown where it is.
            const choices = hello.properties.find(({ path, body: ofBody }) => ofBody && path === `${noun}.kind`)?.choices;
            const offered = new Set([body[noun] ?? '', ...(choices ?? hello[list]).map((choice) => (
                typeof choice === 'string' ? choice : choice.name))]);
            const kinds = hello[list].filter(({ name }) => offered.has(name));
            const options = kinds.map((/** @type {Described & {meshes?: string[]}} */ kind) => {
                const fits = !kind.meshes || kind.meshes.includes(body.mesh ?? '');
                return {
                    value: kind.name,
                    label: fits ? kind.label : `${kind.label} (not on this mesh)`,
                    title: kind.description,
                    disabled: !fits,
                };
            });
            fill_select(select, options, body[noun] ?? '');
            select.title = hello[list].find(({ name }) => name === body[noun])?.description ?? '';
            select.addEventListener('change', () => this.setter.set(`bodies[${index}].${noun}.kind`, select.value));
            return make(
                'div',
                { class: 'row choice', 'data-path': `${noun}.kind` },
                make('label', { for: select.id, textContent: label }),
                select
            );
        }));
    }

    show_values() {
        const { scene, hello, body: index } = this.session;
        const body = scene?.bodies[index];
        if (!scene || !hello || !body) {
            return;
        }
        for (const { noun } of nouns) {
            const select = /** @type {HTMLSelectElement | null} */ (this.kinds.querySelector(`#kind-${noun}`));
            if (select) {
                select.value = body[noun] ?? '';
            }
        }
        for (const property of this.visible_properties()) {
            const value = value_of(scene, property, index);
            if (value !== undefined) {
                this.controls.get(full_path(property, index))?.set(value);
            }
        }
    }

    /** @param {Property} property @param {string} path @param {Value} value @param {boolean} final */
    change(property, path, value, final) {
        if (final || property.live) { // what builds the scene anew waits for the end of a drag
            this.setter.set(path, value);
        }
    }

    /** @param {string} path @param {Value} value */
    async set(path, value) {
        const done = await this.session.ask({ type: 'set', path, value });
        if (!done) {
            this.show_values(); // as they still are
        }
        return done;
    }

    /** @param {string} path @param {Value} value */
    receive(path, value) {
        this.show_facts();
        if (this.setter.busy.has(path)) {
            return; // the person is ahead of this
        }
        this.controls.get(path)?.set(value);
        this.show_body(); // other properties may stand beside it
    }
}

/**
 * What the engine chose: "automatic: implicit, 1 step".
 * @param {import('./protocol.js').Hello} hello @param {import('./protocol.js').Body} body
 */
export function say_method(hello, body) {
    const implicit = hello.integrators.find(({ name }) => name === body.method)?.implicit;
    const steps = body.steps ? `, ${body.steps} ${body.steps === 1 ? 'step' : 'steps'}` : '';
    return `automatic: ${implicit ? 'implicit' : 'explicit'}${steps}`;
}
