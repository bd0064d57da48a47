// Quantities as people write them: 50 kPa, 1.2 mm, 1000 kg/m³. Everything the engine says is in SI units.

const prefixes = /** @type {[string, number][]} */ ([
    ['p', 1e-12], ['n', 1e-9], ['µ', 1e-6], ['m', 1e-3], ['', 1], ['k', 1e3], ['M', 1e6], ['G', 1e9], ['T', 1e12],
]);
const factors = new Map([...prefixes, ['u', 1e-6]]);
const prefixable = ['Pa', 'Hz', 'N', 'J', 'W', 'm', 's'];
const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/**
 * A unit as one symbol that can have a prefix and a rest that stays: "kN/m" is {factor: 1000, symbol: "N", rest: "/m"}.
 * Powers of a symbol (m^2) and "kg" have no symbol, for a prefix would mean something else there.
 * @param {string} unit
 * @returns {{factor: number, symbol: string, rest: string}}
 */
export function split_unit(unit) {
    const [, head, rest] = /** @type {string[]} */ (unit.match(/^([A-Za-zµ]*)(.*)$/s));
    if (rest.startsWith('^') || head === 'kg') {
        return { factor: 1, symbol: '', rest: unit };
    }
    if (prefixable.includes(head)) {
        return { factor: 1, symbol: head, rest };
    }
    const symbol = prefixable.find((one) => head.endsWith(one) && factors.has(head.slice(0, -one.length)));
    if (!symbol) {
        return { factor: 1, symbol: '', rest: unit };
    }
    return { factor: factors.get(head.slice(0, -symbol.length)) ?? 1, symbol, rest };
}

/** @param {string} unit "m/s^2" @returns {string} "m/s²" */
export function pretty_unit(unit) {
    return unit.replace(/\^(-?)(\d+)/g, (_, sign, digits) => (
        (sign ? '⁻' : '') + [...digits].map((digit) => superscripts[Number(digit)]).join('')
    )).replace(/ /g, '·');
}

/**
 * The prefix with which a value reads as a number from 1 to 1000.
 * @param {number} value in SI
 * @param {string} unit
 * @returns {{factor: number, text: string}} value / factor is what stands before the text
 */
export function choose_unit(value, unit) {
    const { factor, symbol, rest } = split_unit(unit);
    const magnitude = Math.abs(value) * factor;
    if (symbol === '' && unit === 'kg' && magnitude > 0 && magnitude < 0.9995) {
        return { factor: 1e-3, text: 'g' };
    }
    if (symbol === '' || magnitude === 0 || !Number.isFinite(magnitude)) {
        return { factor: 1, text: pretty_unit(unit) };
    }
    // 999.96 kPa would be rounded to 1000 kPa: it is 1 MPa.
    let chosen = prefixes[0];
    for (const prefix of prefixes) {
        const allowed =
            symbol === 's' || symbol === 'm' ? prefix[1] <= 1 || (symbol === 'm' && prefix[0] === 'k') : true;
        if (allowed && magnitude >= 0.9995 * prefix[1]) {
            chosen = prefix;
        }
    }
    return { factor: chosen[1] / factor, text: chosen[0] + symbol + pretty_unit(rest) };
}

/** @param {number} value @param {number} digits significant ones @returns {string} without needless zeros */
export function format_number(value, digits = 3) {
    if (!Number.isFinite(value)) {
        return Number.isNaN(value) ? '–' : value > 0 ? '∞' : '−∞';
    }
    const magnitude = Math.abs(value);
    if (magnitude !== 0 && (magnitude >= 1e6 || magnitude < 1e-4)) {
        const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
        return `${trim(mantissa)}e${Number(exponent)}`.replace('-', '−').replace('e-', 'e−');
    }
    const decimals = magnitude === 0 ? 0 : Math.max(0, digits - 1 - Math.floor(Math.log10(magnitude) + 1e-12));
    return trim(value.toFixed(Math.min(decimals, 12))).replace('-', '−');
}

/** @param {string} text */
function trim(text) {
    const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
    return short === '-0' ? '0' : short;
}

/**
 * @param {number} value in SI
 * @param {string} unit
 * @param {number} digits significant ones
 * @returns {string} "50 kPa"
 */
export function format_quantity(value, unit, digits = 3) {
    const { factor, text } = choose_unit(value, unit ?? '');
    const number = format_number(value / factor, digits);
    return text ? `${number} ${text}` : number;
}

/** Units that people use besides: what one of them is in the unit itself. @type {Record<string, Record<string, number>>} */
const others = {
    Pa: { psi: 6894.757, bar: 1e5, mbar: 100, atm: 101325, mmhg: 133.3224 },
    m: { inch: 0.0254, in: 0.0254, ft: 0.3048, foot: 0.3048 },
    kg: { lb: 0.45359237, oz: 0.0283495 },
    N: { lbf: 4.448222, kgf: 9.80665 },
};

/**
 * Reads what a person types: "50k", "50 kPa", "5e4", "0,5 mm". A number alone is in the unit itself.
 * @param {string} text
 * @param {string} unit
 * @returns {number} NaN if it cannot be understood
 */
export function parse_quantity(text, unit) {
    const plain = text
        .trim()
        .replace(/−/g, '-')
        .replace(/^([+-]?\d+),(\d+)/, '$1.$2')
        .replace(/(\d)[\s  ](?=\d{3})/g, '$1');
    const match = plain.match(/^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(.*)$/i);
    if (!match) {
        return NaN;
    }
    const number = Number(match[1]);
    const written = pretty_unit(match[2].trim());
    const { factor, symbol, rest } = split_unit(unit);
    if (written === '' || written === pretty_unit(unit)) {
        return number;
    }
    const foreign = others[unit]?.[written.toLowerCase()];
    if (foreign !== undefined) {
        return number * foreign;
    }
    if (unit === 'kg' && written === 'g') {
        return number / 1000;
    }
    const tail = symbol + pretty_unit(rest);
    const prefix = tail !== '' && written.endsWith(tail) ? written.slice(0, -tail.length) : written;
    const scale = factors.get(prefix);
    if (scale === undefined) {
        return NaN;
    }
    return written === prefix && symbol === '' ? number * scale : number * scale / factor;
}

/** @param {number} seconds @returns {string} "1:02.3" */
export function format_duration(seconds) {
    const minutes = Math.floor(seconds / 60);
    return `${minutes}:${(seconds - 60 * minutes).toFixed(1).padStart(4, '0')}`;
}

/** @param {number} count @returns {string} "12 345" with narrow spaces that do not break */
export function format_count(count) {
    return Math.round(count).toString().replace(/\B(?=(\d{3})+$)/g, '\u202f');
}
