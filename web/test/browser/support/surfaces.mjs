// Surfaces to drop on the page, made here or by `limber shape`.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { encode_png } from '../../png.js';
import { program } from './engine.mjs';

/** @param {string} folder @param {string} name "torus.stl" @param {string} kind @returns {Promise<{name: string, bytes: Buffer}>} */
export async function make_surface(folder, name, kind) {
    const path = join(folder, name);
    await promisify(execFile)(program, ['shape', kind, '--edge', '0.08', '-o', path, '--quiet']);
    return { name, bytes: await readFile(path) };
}

/** A box of half a metre as tetrahedra. @param {string} folder @param {string} name its ending says the format */
export async function make_tets(folder, name) {
    const path = join(folder, name);
    await promisify(execFile)(program, ['mesh', 'box', '--mesher', 'structured', '--cells', '3,3,3', '-o', path, '--quiet']);
    return { name, bytes: await readFile(path) };
}

/** A cube of 0.4 m as OBJ, its sides cut into 8 x 8 squares, its material in an MTL file, its texture green and blue. */
export function make_textured_cube() {
    const cuts = 8;
    /** @type {Map<string, number>} numbers of the points, by their places */
    const points = new Map();
    const number_of = (/** @type {number[]} */ place) => {
        const key = place.map((x) => (0.4 * x - 0.2).toFixed(4)).join(' ');
        points.set(key, points.get(key) ?? points.size + 1);
        return points.get(key);
    };
    const squares = [];
    for (let side = 0; side < 6; ++side) {
        const axis = side >> 1, end = side & 1;
        for (let i = 0; i < cuts * cuts; ++i) {
            const [u, v] = [i % cuts, Math.floor(i / cuts)];
            const corners = [[u, v], [u + 1, v], [u + 1, v + 1], [u, v + 1]].map(([a, b]) => {
                const place = [0, 0, 0];
                [place[axis], place[(axis + 1) % 3], place[(axis + 2) % 3]] = [end, a / cuts, b / cuts];
                return `${number_of(place)}/${b * (cuts + 1) + a + 1}`;
            });
            squares.push(`f ${(end ? corners : corners.reverse()).join(' ')}`);
        }
    }
    const coordinates = Array.from({ length: (cuts + 1) ** 2 }, (_, i) => `vt ${(i % (cuts + 1)) / cuts} ${Math.floor(i / (cuts + 1)) / cuts}`);
    const lines = ['mtllib cube.mtl', ...[...points.keys()].map((place) => `v ${place}`), ...coordinates, 'usemtl painted', ...squares];
    const pixels = new Uint8Array(3 * 64 * 64);
    for (let i = 0; i < 64 * 64; ++i) {
        pixels.set((i >> 4) % 2 === (i >> 10) % 2 ? [20, 220, 40] : [30, 60, 230], 3 * i);
    }
    return [
        { name: 'cube.obj', bytes: Buffer.from(`${lines.join('\n')}\n`) },
        { name: 'cube.mtl', bytes: Buffer.from('newmtl painted\nKd 1 1 1\nmap_Kd paint.png\n') },
        { name: 'paint.png', bytes: encode_png(64, 64, pixels) },
    ];
}

/** A plate as OBJ that stands on edge, as many files have it: thin along z. */
export function make_plate() {
    const corners = Array.from({ length: 8 }, (_, i) => `v ${i & 1 ? 0.3 : -0.3} ${i & 2 ? 0.6 : 0} ${i & 4 ? 0.03 : -0.03}`);
    const sides = ['1 3 4 2', '5 6 8 7', '1 2 6 5', '3 7 8 4', '1 5 7 3', '2 4 8 6'].map((side) => `f ${side}`);
    return { name: 'plate.obj', bytes: Buffer.from(`${[...corners, ...sides].join('\n')}\n`) };
}
