// Where a value stands on a slider, from 0 to 1.

/**
 * @typedef {{
 *   to_position: (value: number) => number, to_value: (position: number) => number, step: (value: number) => number,
 * }} Scale
 */

const decadesAboveZero = 6; // how far down a logarithmic scale reaches that begins with 0
const zeroShare = 0.03; // of a slider, at its beginning, where it says 0

/**
 * @param {number} minimum
 * @param {number} maximum
 * @param {'linear' | 'log'} kind
 * @param {{whole?: boolean, zero?: boolean}} options whole: only whole numbers; zero: 0 may be given, too, though it is below
 *     the minimum. A log scale from 0 upwards always has its 0.
 * @returns {Scale} step: a sensible change of a value, for keys
 */
export function make_scale(minimum, maximum, kind = 'linear', { whole = false, zero = false } = {}) {
    if (!(maximum > minimum)) {
        throw new Error(`a scale from ${minimum} to ${maximum}; expected the second to be larger`);
    }
    const hasZero = minimum > 0 ? zero : kind === 'log' && minimum === 0;
    const lowest = kind === 'log' && minimum === 0 ? maximum / 10 ** decadesAboveZero : minimum;
    const scale = kind === 'log' && minimum >= 0 ? log_scale(lowest, maximum) : linear_scale(minimum, maximum);
    const withZero = hasZero ? with_zero(scale, lowest) : scale;
    const clamp = (/** @type {number} */ value) => (
        hasZero && value <= 0 ? 0 : Math.min(maximum, Math.max(minimum, value)));
    const tidy = (/** @type {number} */ value) => (whole ? Math.round(value) : round_digits(value, 3));
    return {
        to_position: (value) => Math.min(1, Math.max(0, withZero.to_position(clamp(value)))),
        to_value: (position) => clamp(tidy(withZero.to_value(Math.min(1, Math.max(0, position))))),
        step: (value) => (whole ? Math.max(1, Math.round(scale.step(value))) : scale.step(value)),
    };
}

/** @param {number} minimum @param {number} maximum @returns {Scale} */
function linear_scale(minimum, maximum) {
    const span = maximum - minimum;
    return {
        to_position: (value) => (value - minimum) / span,
        to_value: (position) => minimum + span * position,
        step: () => 10 ** Math.floor(Math.log10(span / 50)),
    };
}

/** @param {number} minimum above 0 @param {number} maximum @returns {Scale} */
function log_scale(minimum, maximum) {
    const decades = Math.log10(maximum / minimum);
    return {
        to_position: (value) => Math.log10(value / minimum) / decades,
        to_value: (position) => minimum * 10 ** (decades * position),
        step: (value) => 10 ** Math.floor(Math.log10(Math.max(value, minimum)) - 1e-9),
    };
}

/** A scale that begins with 0, and then with `lowest`. @param {Scale} scale @param {number} lowest @returns {Scale} */
function with_zero(scale, lowest) {
    return {
        to_position: (value) => (value < lowest ? 0 : zeroShare + (1 - zeroShare) * scale.to_position(value)),
        to_value: (position) => (position < zeroShare ? 0 : scale.to_value((position - zeroShare) / (1 - zeroShare))),
        step: scale.step,
    };
}

/** @param {number} value @param {number} digits significant ones */
export function round_digits(value, digits) {
    return Number(value.toPrecision(digits));
}
