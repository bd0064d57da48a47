// Colour maps made in OKLab (Ottosson 2020, "A perceptual color space for image processing"), in which equal distances
// look equal: steps along a map are equally long, so equal differences of a field look alike wherever they are.

/** @typedef {[number, number, number]} Triple */

const samplesAlong = 1024;

/**
 * @param {Triple} lab L from 0 to 1, a, b
 * @returns {Triple} linear red, green, blue; outside 0 to 1 if not displayable
 */
export function oklab_to_linear([lightness, a, b]) {
    const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
    const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
    const s = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3;
    return [
        4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
    ];
}

/** @param {number} value linear, 0 to 1 @returns {number} sRGB, 0 to 1 */
export function linear_to_srgb(value) {
    return value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;
}

/** @param {Triple} linear */
function is_displayable(linear) {
    return linear.every((value) => value >= -1e-4 && value <= 1 + 1e-4);
}

/**
 * The colour of this lightness and hue, as strong as asked for or as a screen can show.
 * @param {number} lightness @param {number} chroma @param {number} hue degrees
 * @returns {Triple} OKLab
 */
function displayable(lightness, chroma, hue) {
    const angle = hue * Math.PI / 180;
    const lab = (/** @type {number} */ c) =>
        /** @type {Triple} */ ([lightness, c * Math.cos(angle), c * Math.sin(angle)]);
    let low = 0, high = chroma;
    if (is_displayable(oklab_to_linear(lab(high)))) {
        return lab(high);
    }
    for (let i = 0; i < 24; ++i) {
        const middle = (low + high) / 2;
        if (is_displayable(oklab_to_linear(lab(middle)))) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return lab(low);
}

// From a deep blue by violet and orange to a pale yellow; lightness rises all the way.
/** @param {number} t 0 to 1 @returns {Triple} OKLab */
function sequential(t) {
    const hue = 275 + (455 - 275) * (0.35 * t + 0.65 * t * t); // 455 is yellow (95), once around
    return displayable(0.33 + 0.61 * t, 0.085 + 0.14 * Math.sin(Math.PI * Math.min(1, 0.12 + 0.85 * t)), hue);
}

// Blue below, red above, equally dark at both ends, a light grey in the middle.
/** @param {number} t 0 to 1 @returns {Triple} OKLab */
function diverging(t) {
    const s = Math.abs(2 * t - 1);
    return displayable(0.95 - 0.5 * s, 0.17 * s ** 0.8, t < 0.5 ? 255 : 27);
}

/** @param {Triple} p @param {Triple} q */
export function distance(p, q) {
    return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

/**
 * @param {boolean} isDiverging
 * @param {number} count
 * @returns {Triple[]} OKLab, equally far from one to the next
 */
export function map_colours(isDiverging, count) {
    const curve = isDiverging ? diverging : sequential;
    const points = Array.from({ length: samplesAlong + 1 }, (_, i) => curve(i / samplesAlong));
    const lengths = [0];
    for (let i = 1; i < points.length; ++i) {
        lengths.push(lengths[i - 1] + distance(points[i - 1], points[i]));
    }
    const total = lengths[samplesAlong];
    let k = 0;
    return Array.from({ length: count }, (_, i) => {
        const target = total * i / (count - 1);
        while (k < samplesAlong - 1 && lengths[k + 1] < target) {
            ++k;
        }
        const share = Math.min(1, (target - lengths[k]) / (lengths[k + 1] - lengths[k]));
        const [p, q] = [points[k], points[k + 1]];
        return /** @type {Triple} */ (p.map((value, axis) => value + share * (q[axis] - value)));
    });
}

/** @param {boolean} isDiverging @param {number} count @returns {Uint8Array<ArrayBuffer>} sRGB with alpha (count x 4) */
export function map_bytes(isDiverging, count) {
    const bytes = new Uint8Array(4 * count);
    for (const [i, lab] of map_colours(isDiverging, count).entries()) {
        const linear = oklab_to_linear(lab);
        for (let axis = 0; axis < 3; ++axis) {
            bytes[4 * i + axis] = Math.round(255 * linear_to_srgb(Math.min(1, Math.max(0, linear[axis]))));
        }
        bytes[4 * i + 3] = 255;
    }
    return bytes;
}

/**
 * Hues at full saturation and value, from blue to red, as Klimenko, Nikitina and Nikitin colour energy: more hues to
 * tell apart, but steps that do not look equal.
 * @param {number} count @returns {Uint8Array<ArrayBuffer>} sRGB with alpha (count x 4)
 */
export function hue_bytes(count) {
    const bytes = new Uint8Array(4 * count);
    for (let i = 0; i < count; ++i) {
        const sixths = 4 * (1 - i / (count - 1)); // of the circle of hues: 4 is blue, 0 red
        for (let axis = 0; axis < 3; ++axis) {
            const away = (sixths + 6 - 2 * axis) % 6; // from where this colour is strongest
            bytes[4 * i + axis] = Math.round(255 * Math.min(1, Math.max(0, 2 - Math.min(away, 6 - away))));
        }
        bytes[4 * i + 3] = 255;
    }
    return bytes;
}

/** @param {boolean} isDiverging @param {boolean} [hues] @returns {string} the map as a CSS gradient, from left to right */
export function map_gradient(isDiverging, hues = false) {
    const count = 24;
    const bytes = hues && !isDiverging ? hue_bytes(count) : map_bytes(isDiverging, count);
    const stops = Array.from({ length: count }, (_, i) => `rgb(${bytes.subarray(4 * i, 4 * i + 3).join(' ')})`);
    return `linear-gradient(to right, ${stops.join(', ')})`;
}
