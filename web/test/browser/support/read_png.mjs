// Reads PNG files as browsers write them: 8 bits, no interlacing.
import { inflateSync } from 'node:zlib';

/** @typedef {{width: number, height: number, data: Uint8Array}} Picture data: (height x width x 4), red, green, blue, alpha */

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** @param {Buffer} file @returns {Picture} */
export function decode_png(file) {
    /** @type {Buffer[]} */
    const packed = [];
    let width = 0, height = 0, channels = 0;
    for (let at = signature.length; at < file.length;) {
        const size = file.readUInt32BE(at), kind = file.toString('latin1', at + 4, at + 8);
        const part = file.subarray(at + 8, at + 8 + size);
        if (kind === 'IHDR') {
            [width, height] = [part.readUInt32BE(0), part.readUInt32BE(4)];
            channels = { 2: 3, 6: 4 }[part[9]] ?? 0;
            if (part[8] !== 8 || channels === 0 || part[12] !== 0) {
                throw new Error('a PNG of another form than tests can read');
            }
        } else if (kind === 'IDAT') {
            packed.push(part);
        }
        at += size + 12;
    }
    return unfilter(inflateSync(Buffer.concat(packed)), width, height, channels);
}

/** @param {Buffer} lines @param {number} width @param {number} height @param {number} channels @returns {Picture} */
function unfilter(lines, width, height, channels) {
    const stride = width * channels;
    const data = new Uint8Array(4 * width * height).fill(255);
    let above = new Uint8Array(stride);
    for (let y = 0; y < height; ++y) {
        const filter = lines[y * (stride + 1)];
        const line = Uint8Array.from(lines.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
        for (let i = 0; i < stride; ++i) {
            const left = i >= channels ? line[i - channels] : 0, corner = i >= channels ? above[i - channels] : 0;
            line[i] += predict(filter, left, above[i], corner);
        }
        for (let x = 0; x < width; ++x) {
            data.set(line.subarray(x * channels, (x + 1) * channels), 4 * (y * width + x));
        }
        above = line;
    }
    return { width, height, data };
}

/** @param {number} filter @param {number} left @param {number} above @param {number} corner */
function predict(filter, left, above, corner) {
    switch (filter) {
    case 1: return left;
    case 2: return above;
    case 3: return (left + above) >> 1;
    case 4: return paeth(left, above, corner);
    default: return 0;
    }
}

/** @param {number} a @param {number} b @param {number} c */
function paeth(a, b, c) {
    const da = Math.abs(b - c), db = Math.abs(a - c), dc = Math.abs(a + b - 2 * c);
    return da <= db && da <= dc ? a : db <= dc ? b : c;
}
