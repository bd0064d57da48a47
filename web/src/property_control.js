// One property of the engine as a row of the panel. What it is, its range, its unit: all of that is the engine's word.
import { fill_select, make } from './dom.js';
import { make_scale } from './scales.js';
import { format_quantity, parse_quantity, pretty_unit } from './units.js';

/** @typedef {import('./protocol.js').Property} Property */
/** @typedef {import('./protocol.js').Value} Value */

const sliderSteps = 1000;
let nextId = 1;

/**
 * @typedef {object} Control
 * @property {HTMLElement} element
 * @property {(value: Value) => void} set shows a value that came from elsewhere, unless the person is just changing it
 */

/**
 * @param {Property} property
 * @param {(value: Value, final: boolean) => void} change final: not in the middle of a drag
 * @param {() => Value | undefined} first what the scene came with, to which a double click goes back
 * @returns {Control}
 */
export function make_control(property, change, first) {
    switch (property.type) {
    case 'boolean': return make_switch(property, change, first);
    case 'choice': return make_choice(property, change, first);
    case 'vector': return make_vector(property, change, first);
    default: return make_number(property, change, first);
    }
}

/**
 * A row with a label, which goes back to the first value by a double click; so does the dot that says it was changed.
 * @param {Property} property
 * @param {() => Value | undefined} first
 * @param {(value: Value) => void} reset
 * @param {(Node | string)[]} parts
 */
function make_row(property, first, reset, ...parts) {
    const id = `property-${nextId++}`;
    const dot = make('button', {
        type: 'button', class: 'changed', hidden: true, title: 'Changed: back to what the scene came with',
        'aria-label': `Reset ${property.label}`,
    });
    const label = make('label', { for: id, textContent: property.label });
    const go_back = () => {
        const value = first();
        if (value !== undefined) {
            reset(value);
        }
    };
    dot.addEventListener('click', go_back);
    label.addEventListener('dblclick', go_back);
    const title = [property.description, property.live ? '' : 'Builds the scene anew.']
        .filter(Boolean)
        .join('. ')
        .replace('..', '.');
    const element = make(
        'div',
        { class: `row ${property.type}`, title, 'data-path': property.path },
        dot,
        label,
        ...parts
    );
    const mark = (/** @type {Value} */ value) => {
        const was = first();
        const same = (/** @type {Value} */ one) =>
            JSON.stringify(Array.isArray(value) && !Array.isArray(one) ? value.map(() => one) : one);
        dot.hidden = was === undefined || same(was) === JSON.stringify(value);
    };
    return { element, id, mark, go_back };
}

/** @param {Property} property @param {number | null} value */
function say(property, value) {
    if (value === null) {
        return property.optional ? 'not set' : '–';
    }
    return value === 0 && property.zero ? property.zero : format_quantity(value, property.unit ?? '', 4);
}

/** Something that the person should know of what they typed. @param {HTMLElement} field @param {string} message */
function tell(field, message) {
    field.dispatchEvent(new CustomEvent('notice', { bubbles: true, detail: message }));
}

/**
 * A field that shows "50 kPa" and takes "50k".
 * @param {Property} property
 * @param {string} name
 * @param {(value: number | null) => void} enter
 */
function make_number_field(property, name, enter) {
    const field = make('input', {
        type: 'text', class: 'number', inputMode: 'decimal', autocomplete: 'off', spellcheck: false, 'aria-label': name,
    });
    /** @type {number | null} */
    let shown = null;
    let offered = ''; // the text that a person found there: left as it is, it changes nothing, rounded though it may be
    const { minimum = -Infinity, maximum = Infinity } = property;
    const show = (/** @type {number | null} */ value) => {
        shown = value;
        if (document.activeElement !== field) {
            field.value = say(property, value);
        }
    };
    const finish = () => {
        const text = field.value.trim();
        if (text === offered) {
            field.value = say(property, shown);
            return;
        }
        let value = text === property.zero ? 0 : parse_quantity(text, property.unit ?? '');
        const cleared = text === '' && property.optional;
        if (Number.isNaN(value) && !cleared) {
            if (text !== say(property, shown)) {
                const unit = property.unit ? ` in ${pretty_unit(property.unit)}` : '';
                tell(field, `${property.label}: "${text}" is not understood; expected a number${unit}`);
            }
            field.value = offered = say(property, shown);
            return;
        }
        if (!cleared && !(value === 0 && property.zero)) {
            const wanted = value;
            value = Math.min(maximum, Math.max(minimum, property.type === 'integer' ? Math.round(value) : value));
            if (wanted < minimum || wanted > maximum) {
                tell(field, `${property.label}: ${text} is out of range; it is ${say(property, value)} now, the ${wanted < minimum ? 'least' : 'most'}`);
            }
        }
        const next = cleared ? null : value;
        const changed = next !== shown;
        shown = next;
        field.value = offered = say(property, next);
        if (changed) {
            enter(next);
        }
    };
    field.addEventListener('focus', () => {
        const unit = property.unit ? ` ${pretty_unit(property.unit)}` : '';
        field.value = offered = shown === null ? '' : `${Number(shown.toPrecision(6))}${unit}`;
        field.select();
    });
    field.addEventListener('blur', finish);
    field.addEventListener('keydown', (event) => {
        if (event.key === 'Enter') {
            finish();
            field.select();
        } else if (event.key === 'Escape') {
            field.value = say(property, shown);
            field.blur();
        } else {
            return;
        }
        event.stopPropagation();
    });
    return { field, show };
}

/**
 * Where a slider begins and ends. A range of many decades is for all bodies there may be; this one's goes from a hundredth
 * of what it came with to a hundred times that, and as far as it was set by other means.
 * @param {Property} property @param {Value | undefined} first what the body came with @param {number} value
 * @returns {[number, number]}
 */
export function slider_ends({ minimum = 0, maximum = 1, scale, live, body, zero }, first, value) {
    const decades = 2;
    if (scale !== 'log' || !live || !body || zero !== undefined || typeof first !== 'number' || !(first > 0)) {
        return [minimum, maximum];
    }
    return [
        minimum > 0 ? Math.max(minimum, Math.min(first / 10 ** decades, value > 0 ? value : first)) : minimum, // nothing at all is a choice
        Math.min(maximum, Math.max(first * 10 ** decades, value)),
    ];
}

/** @type {(...args: Parameters<typeof make_control>) => Control} */
function make_number(property, change, first) {
    const { minimum = 0, maximum = 1, scale: kind = 'linear', label } = property;
    const options = { whole: property.type === 'integer', zero: property.zero !== undefined };
    let scale = make_scale(minimum, maximum, kind, options);
    /** The slider goes where this body may want to be; numbers that are entered go as far as the engine does. @param {number} value */
    const follow = (value) => {
        const [lower, upper] = slider_ends(property, first(), value);
        scale = make_scale(lower, upper, kind, options);
        slider.dataset.from = String(lower);
        slider.dataset.to = String(upper);
    };
    let held = false;
    /** @type {number | null} */
    let current = null;
    const show = (/** @type {number | null} */ value, /** @type {boolean} */ moveSlider) => {
        current = value;
        if (moveSlider) {
            follow(value ?? minimum);
            slider.value = String(Math.round(sliderSteps * (value === null ? 0 : scale.to_position(value))));
        }
        slider.style.setProperty('--filled', `${100 * Number(slider.value) / sliderSteps}%`);
        slider.setAttribute('aria-valuetext', say(property, value));
        number.show(value);
        row.mark(value);
    };
    const set_and_tell = (/** @type {Value} */ value) => {
        show(/** @type {number | null} */ (value), true);
        change(value, true);
    };
    const slider = make('input', { type: 'range', min: '0', max: String(sliderSteps), step: '1' });
    const number = make_number_field(property, `${label}, as a number`, set_and_tell);
    const row = make_row(property, first, set_and_tell, slider, number.field);
    slider.id = row.id;
    slider.addEventListener('input', () => {
        const value = scale.to_value(Number(slider.value) / sliderSteps);
        show(value, false);
        change(value, false);
    });
    slider.addEventListener('change', () => change(current, true));
    slider.addEventListener('pointerdown', () => { held = true; });
    slider.addEventListener('pointerup', () => { held = false; });
    slider.addEventListener('pointercancel', () => { held = false; });
    slider.addEventListener('dblclick', row.go_back);
    slider.addEventListener('keydown', (event) => {
        const sign = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
        if (sign && current !== null && property.type === 'integer') { // a thousandth of the way may be no whole number
            event.preventDefault();
            set_and_tell(Math.min(maximum, Math.max(minimum, current + sign * scale.step(current))));
        }
    });
    return {
        element: row.element,
        set: (value) => {
            if (!held) {
                show(typeof value === 'number' ? value : null, true);
            }
        },
    };
}

/** @type {(...args: Parameters<typeof make_control>) => Control} */
function make_switch(property, change, first) {
    const box = make('input', { type: 'checkbox', class: 'switch' });
    const set_and_tell = (/** @type {Value} */ value) => {
        box.checked = Boolean(value);
        row.mark(value);
        change(value, true);
    };
    const row = make_row(property, first, set_and_tell, box);
    box.id = row.id;
    box.addEventListener('change', () => set_and_tell(box.checked));
    return {
        element: row.element,
        set: (value) => {
            box.checked = Boolean(value);
            row.mark(value);
        },
    };
}

/** @type {(...args: Parameters<typeof make_control>) => Control} */
function make_choice(property, change, first) {
    const choices = (property.choices ?? []).map((choice) => (
        typeof choice === 'string' ? { value: choice, label: choice } :
            { value: choice.name, label: choice.label, title: choice.description }));
    const select = make('select');
    const set_and_tell = (/** @type {Value} */ value) => {
        select.value = String(value);
        row.mark(value);
        change(value, true);
    };
    const row = make_row(property, first, set_and_tell, select);
    select.id = row.id;
    fill_select(select, choices, '');
    select.addEventListener('change', () => set_and_tell(select.value));
    return {
        element: row.element,
        set: (value) => {
            select.value = String(value);
            row.mark(value);
        },
    };
}

/**
 * How strong, by a slider that keeps the direction, and each of the three numbers.
 * @type {(...args: Parameters<typeof make_control>) => Control}
 */
function make_vector(property, change, first) {
    const { minimum = -1, maximum = 1 } = property;
    const reach = Math.max(Math.abs(minimum), Math.abs(maximum));
    const scale = make_scale(0, reach);
    let held = false;
    let current = [0, 0, 0];
    let direction = [0, -1, 0];
    const length = (/** @type {number[]} */ v) => Math.hypot(v[0], v[1], v[2]);
    const show = (/** @type {number[]} */ value, /** @type {boolean} */ moveSlider) => {
        current = value;
        if (length(value) > 1e-9 * reach) {
            direction = value.map((x) => x / length(value));
        }
        if (moveSlider) {
            slider.value = String(Math.round(sliderSteps * scale.to_position(length(value))));
        }
        slider.style.setProperty('--filled', `${100 * Number(slider.value) / sliderSteps}%`);
        const text = format_quantity(length(value), property.unit ?? '', 3);
        slider.setAttribute('aria-valuetext', text);
        strength.textContent = text;
        fields.forEach((field, axis) => field.show(value[axis]));
        row.mark(value);
    };
    // A scene may say one number for three equal ones.
    const three = (/** @type {Value} */ value) =>
        Array.isArray(value) ? value : [Number(value), Number(value), Number(value)];
    const set_and_tell = (/** @type {Value} */ value) => {
        show(three(value), true);
        change(value, true);
    };
    const slider = make('input', { type: 'range', min: '0', max: String(sliderSteps), step: '1' });
    const strength = make('output', { class: 'number' });
    const bare = { ...property, unit: '' };
    const fields = ['x', 'y', 'z'].map((axis, i) =>
        make_number_field(bare, `${property.label} along ${axis}`, (value) => {
            set_and_tell(current.map((old, k) => (k === i ? (value ?? 0) : old)));
        })
    );
    const axes = make('div', { class: 'axes' }, ...fields.map(({ field }, i) => (
        make('span', { class: 'axis' }, make('span', { textContent: 'xyz'[i], 'aria-hidden': 'true' }), field))));
    const row = make_row(property, first, set_and_tell, slider, strength, axes);
    slider.id = row.id;
    const along = () => {
        const strong = scale.to_value(Number(slider.value) / sliderSteps);
        return direction.map((x) => Number((x * strong).toPrecision(5)) + 0);
    };
    slider.addEventListener('input', () => {
        show(along(), false);
        change(current, false);
    });
    slider.addEventListener('change', () => change(current, true));
    slider.addEventListener('pointerdown', () => { held = true; });
    slider.addEventListener('pointerup', () => { held = false; });
    slider.addEventListener('dblclick', row.go_back);
    return {
        element: row.element,
        set: (value) => {
            if (!held && value !== null) {
                show(three(value), true);
            }
        },
    };
}
