import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cut_tets } from '../src/cut.js';

const nodes = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]);
const tets = new Uint32Array([0, 1, 2, 3]);

/** @param {Float32Array} p @returns {number} of all triangles */
function area(p) {
    let sum = 0;
    for (let i = 0; i < p.length; i += 9) {
        const [a, b] = [[0, 1, 2].map((k) => p[i + 3 + k] - p[i + k]), [0, 1, 2].map((k) => p[i + 6 + k] - p[i + k])];
        sum += Math.hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]) / 2;
    }
    return sum;
}

test('a plane through a tetrahedron cuts a triangle or a quadrangle of the right area', () => {
    const triangle = cut_tets(tets, nodes, null, { normal: { x: 0, y: 1, z: 0 }, constant: -0.5 });
    assert.equal(triangle.positions.length, 9);
    assert.ok(Math.abs(area(triangle.positions) - 0.125) < 1e-6);
    const slant = Math.SQRT1_2; // x + y = 1/2 passes between two edges and the other two: a rectangle of 1/2 by sqrt(1/2)
    const quad = cut_tets(tets, nodes, null, { normal: { x: slant, y: slant, z: 0 }, constant: -slant / 2 });
    assert.equal(quad.positions.length, 18);
    assert.ok(Math.abs(area(quad.positions) - Math.SQRT1_2 / 2) < 1e-6);
    assert.equal(quad.edges.length, 4 * 6);
});

test('a field that is linear inside is linear on the cut, and a plane beside cuts nothing', () => {
    const field = new Float32Array([1, 3, 1, 1]); // 1 + 2 x
    const { positions, values, hasField } = cut_tets(tets, nodes, field, { normal: { x: 0, y: 1, z: 0 }, constant: -0.25 });
    assert.ok(hasField);
    values.forEach((value, i) => assert.ok(Math.abs(value - 1 - 2 * positions[3 * i]) < 1e-5));
    assert.equal(cut_tets(tets, nodes, null, { normal: { x: 0, y: 1, z: 0 }, constant: -2 }).positions.length, 0);
});

test('of a hexahedron in six tetrahedra the whole section is drawn, but no line that is only theirs', () => {
    const corners = new Float32Array(24).map((_, i) => (Math.floor(i / 3) >> (i % 3)) & 1);
    const six = new Uint32Array([[1, 3], [2, 6], [4, 5], [5, 1], [3, 2], [6, 4]].flatMap(([a, b]) => [0, a, b, 7]));
    for (const normal of [{ x: 1, y: 0, z: 0 }, { x: 0, y: 1, z: 0 }, { x: 0, y: 0, z: 1 }]) {
        const { positions, edges } = cut_tets(six, corners, null, { normal, constant: -0.4 }, true);
        assert.ok(Math.abs(area(positions) - 1) < 1e-4);
        let length = 0;
        for (let i = 0; i < edges.length; i += 6) {
            length += Math.hypot(edges[i + 3] - edges[i], edges[i + 4] - edges[i + 1], edges[i + 5] - edges[i + 2]);
        }
        assert.ok(Math.abs(length - 4) < 1e-5, `lines of ${length} around a square of 1`);
    }
});
