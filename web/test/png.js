// Writes PNG files small: each row with the filter that suits it, packed as tightly as can be.
import { deflateSync } from 'node:zlib';

/** Paeth's predictor (PNG specification, 9.4). @param {number} a left @param {number} b above @param {number} c left above */
function paeth(a, b, c) {
    const [p, q, r] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
    return p <= q && p <= r ? a : q <= r ? b : c;
}

const filters = [
    () => 0,
    (/** @type {number} */ a) => a,
    (/** @type {number} */ _a, /** @type {number} */ b) => b,
    (/** @type {number} */ a, /** @type {number} */ b) => (a + b) >> 1,
    paeth,
];

/** @param {Uint8Array} row @param {Uint8Array} above @returns {Buffer} with the filter's number before it */
function filter_row(row, above) {
    let best = Buffer.alloc(0), least = Infinity;
    for (const [number, predict] of filters.entries()) {
        const filtered = Buffer.alloc(row.length + 1);
        filtered[0] = number;
        let sum = 0;
        for (let i = 0; i < row.length; ++i) {
            const left = i >= 3 ? row[i - 3] : 0, corner = i >= 3 ? above[i - 3] : 0;
            const rest = (row[i] - predict(left, above[i], corner)) & 255;
            filtered[i + 1] = rest;
            sum += rest < 128 ? rest : 256 - rest;
        }
        if (sum < least) {
            [best, least] = [filtered, sum];
        }
    }
    return best;
}

/** @param {Buffer} bytes */
function checksum(bytes) {
    let sum = ~0;
    for (const byte of bytes) {
        sum ^= byte;
        for (let k = 0; k < 8; ++k) {
            sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
        }
    }
    return ~sum >>> 0;
}

/** @param {string} type @param {Buffer} data */
function chunk(type, data) {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const result = Buffer.alloc(body.length + 8);
    result.writeUInt32BE(data.length, 0);
    body.copy(result, 4);
    result.writeUInt32BE(checksum(body), body.length + 4);
    return result;
}

/** @param {number} width @param {number} height @param {Uint8Array} pixels red, green, blue @returns {Buffer} */
export function encode_png(width, height, pixels) {
    const head = Buffer.alloc(13);
    head.writeUInt32BE(width, 0);
    head.writeUInt32BE(height, 4);
    head[8] = 8; // bits
    head[9] = 2; // red, green, blue
    const rows = [];
    /** @type {Uint8Array} */
    let above = new Uint8Array(3 * width);
    for (let y = 0; y < height; ++y) {
        const row = pixels.subarray(3 * width * y, 3 * width * (y + 1));
        rows.push(filter_row(row, above));
        above = row;
    }
    return Buffer.concat([
        Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk('IHDR', head),
        chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })), chunk('IEND', Buffer.alloc(0)),
    ]);
}
