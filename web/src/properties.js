// Which properties a body has, what they are set to, and what they were set to when the scene came.

/** @typedef {import('./protocol.js').Property} Property */
/** @typedef {import('./protocol.js').Body} Body */
/** @typedef {import('./protocol.js').Scene} Scene */
/** @typedef {import('./protocol.js').Value} Value */

/** @param {Property} property @param {Body} body */
export function applies_to(property, body) {
    const allows = (/** @type {string[] | undefined} */ names, /** @type {string | null | undefined} */ name) =>
        !names || name === null || name === undefined || names.includes(name);
    return allows(property.kinds, body.kind) && allows(property.meshes, body.mesh) &&
        allows(property.laws, body.law) && allows(property.integrators, body.integrator) &&
        allows(property.shapes, body.shape);
}

/**
 * Whether what it stands beside is set.
 * @param {Property} property
 * @param {(path: string) => Value | undefined} value_of
 */
export function counts_now(property, value_of) {
    if (!property.beside) {
        return true;
    }
    const other = value_of(property.beside);
    return property.besideChoice
        ? other === property.besideChoice
        : other !== undefined && other !== null && other !== 0;
}

/** @param {Scene} scene @param {Property} property @param {number} body @returns {Value | undefined} */
export function value_of(scene, property, body) {
    if (property.body) {
        return scene.bodies[body]?.values[property.path];
    }
    const named = scene.values?.[property.path];
    return named !== undefined ? named : look_up(scene.document, property.path) ?? property.default;
}

/** @param {any} object @param {string} path "gust.frequency" @returns {any} */
export function look_up(object, path) {
    return path.split('.').reduce((part, key) => part?.[key], object);
}

/** @param {Property} property @param {number} body @returns {string} as messages name it */
export function full_path(property, body) {
    return property.body ? `bodies[${body}].${property.path}` : property.path;
}

/** Remembers the values that a scene came with: the first ones seen, until another scene is there. */
export class FirstValues {
    constructor() {
        this.scene = '';
        /** @type {Map<string, Value>} */
        this.values = new Map();
    }

    /** @param {Scene} scene @param {Property[]} properties */
    see(scene, properties) {
        const name = `${scene.name}\n${scene.bodies.map((body) => body.name).join('\n')}`;
        if (name !== this.scene) {
            this.scene = name;
            this.values.clear();
        }
        for (const property of properties) {
            const count = property.body ? scene.bodies.length : 1;
            for (let body = 0; body < count; ++body) {
                const path = full_path(property, body);
                const value = value_of(scene, property, body);
                if (value !== undefined && !this.values.has(path)) {
                    this.values.set(path, structuredClone(value));
                }
            }
        }
    }

    /** @param {Property} property @param {number} body */
    get(property, body) {
        return this.values.get(full_path(property, body));
    }
}
