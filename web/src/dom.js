// Elements, made in one expression.

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} properties `class`, `aria-*`, `data-*`, `role` and `for` are attributes, `on*` functions are listeners
 * @param {(Node | string | null | undefined)[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, properties = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
        if (value === undefined || value === null) {
            continue;
        }
        if (name.startsWith('on')) {
            node.addEventListener(name.slice(2), value);
        } else if (/^(class|role|for|list)$|^(aria|data)-/.test(name)) {
            node.setAttribute(name, String(value));
        } else {
            /** @type {any} */ (node)[name] = value;
        }
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
}

/** @param {string} id @returns {HTMLElement} */
export function find(id) {
    const node = document.getElementById(id);
    if (!node) {
        throw new Error(`the page has no element "${id}"`);
    }
    return node;
}

/**
 * Fills a select. Groups without options are left out.
 * @param {HTMLSelectElement} select
 * @param {{value: string, label: string, title?: string, group?: string, disabled?: boolean}[]} options
 * @param {string} chosen
 */
export function fill_select(select, options, chosen) {
    /** @type {Map<string, HTMLElement>} */
    const groups = new Map();
    select.replaceChildren();
    for (const { value, label, title, group, disabled } of options) {
        /** @type {HTMLElement} */
        let parent = select;
        if (group) {
            parent = groups.get(group) ?? make('optgroup', { label: group });
            if (!groups.has(group)) {
                groups.set(group, parent);
                select.append(parent);
            }
        }
        parent.append(make('option', { value, textContent: label, title, disabled }));
    }
    select.value = chosen;
    if (select.value !== chosen) {
        select.selectedIndex = -1;
    }
}

/** Whether a key press belongs to what has the focus, and so is no shortcut. @param {EventTarget | null} target */
export function takes_text(target) {
    return target instanceof HTMLElement &&
        (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement ||
         (target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'range'].includes(target.type)));
}

export const calmMotion = matchMedia('(prefers-reduced-motion: reduce)');
