// What tests ask of pictures.

/** @typedef {import('./read_png.mjs').Picture} Picture */
/** @typedef {(red: number, green: number, blue: number) => boolean} ColourTest */

/** @param {Picture} picture @param {ColourTest} is_wanted @returns {number} pixels */
export function count_pixels({ data }, is_wanted) {
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
        count += Number(is_wanted(data[i], data[i + 1], data[i + 2]));
    }
    return count;
}

/** How many pixels differ by more than noise. @param {Picture} a @param {Picture} b @param {number} noise of 255 */
export function count_changes(a, b, noise = 12) {
    if (a.width !== b.width || a.height !== b.height) {
        throw new Error(`pictures of ${a.width} x ${a.height} and ${b.width} x ${b.height} cannot be compared`);
    }
    let count = 0;
    for (let i = 0; i < a.data.length; i += 4) {
        const most = Math.max(...[0, 1, 2].map((k) => Math.abs(a.data[i + k] - b.data[i + k])));
        count += Number(most > noise);
    }
    return count;
}

/** @param {Picture} picture @returns {number} different colours, as far as they differ clearly */
export function count_colours({ data }) {
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) {
        seen.add(((data[i] >> 4) << 8) | ((data[i + 1] >> 4) << 4) | (data[i + 2] >> 4));
    }
    return seen.size;
}

/** @param {number} red @param {number} green @param {number} blue @returns {{hue: number, strength: number}} hue in degrees; strength 0: grey */
export function hue_of(red, green, blue) {
    const most = Math.max(red, green, blue), least = Math.min(red, green, blue), range = most - least;
    if (range === 0) {
        return { hue: 0, strength: 0 };
    }
    const hue = most === red ? (green - blue) / range : most === green ? 2 + (blue - red) / range : 4 + (red - green) / range;
    return { hue: (60 * hue + 360) % 360, strength: range / most };
}

/** Of clearly this hue, in light and in shade. @param {number} wanted degrees @param {number} within degrees @returns {ColourTest} */
export function near_hue(wanted, within = 20) {
    return (red, green, blue) => {
        const { hue, strength } = hue_of(red, green, blue);
        const away = Math.abs((hue - wanted + 540) % 360 - 180);
        return strength > 0.35 && Math.max(red, green, blue) > 40 && away < within;
    };
}

/** @param {number} red @param {number} green @param {number} blue @param {number} within of 255 @returns {ColourTest} */
export function near_colour(red, green, blue, within = 12) {
    return (r, g, b) => Math.abs(r - red) <= within && Math.abs(g - green) <= within && Math.abs(b - blue) <= within;
}
