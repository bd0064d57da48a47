import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode_frame, decode_topology } from '../src/frames.js';
import { expand_by, hang_points, LatticeSkin, place_of } from '../src/lattice_skin.js';
import { encode_frame, encode_topology } from './encode.js';
import * as THREE from 'three';

// One hexahedron of sides 1, 2, 4, and two points in it; the second vertex stands for the first point, too.
const cube = Array.from({ length: 8 }, (_, k) => [k & 1, 2 * (k >> 1 & 1), 4 * (k >> 2)]);
const lattice = {
    sides: [1, 2, 4], corners: [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7], shares: [0.25, 0.5, 0.75, 1, 0, 0],
    normals: [127, 0, 0, 0, 0, 127, 0, 0],
};
const topology = decode_topology(encode_topology({ revision: 1, body: 0, pointCount: 2, triangles: [0, 1, 1], nodeCount: 8, edges: [], lattice }));

/** @param {(place: number[]) => number[]} move */
function frame_of(move) {
    const nodes = cube.flatMap(move);
    const bodies = [{ positions: [], normals: [], pointCount: 2, field: null, nodes, contacts: [] }];
    const [body] = decode_frame(encode_frame({ revision: 1, frame: 1, stats: [], probes: [], tools: [], bodies })).bodies;
    assert.ok(topology.lattice);
    hang_points(body, topology.lattice);
    return body;
}

test('points are where an affine motion of the nodes takes them', () => {
    const body = frame_of(([x, y, z]) => [x + 2 * y + 1, y - z, 3 * z - x]);
    assert.equal(body.normals, null);
    assert.deepEqual([...body.positions], [3.25, -2, 8.75, 2, 0, -1]);
    assert.deepEqual(place_of(body, 0, new THREE.Vector3()).toArray(), [3.25, -2, 8.75]);
    const box = new THREE.Box3();
    expand_by(body, box);
    assert.deepEqual([box.min.toArray(), box.max.toArray()], [[2, -2, -1], [3.25, 0, 8.75]]);
});

test('the graphics card gets each vertex what its point hangs on', () => {
    assert.ok(topology.lattice);
    const skin = new LatticeSkin(topology.lattice, 8, Uint32Array.from([1, 0, 1]));
    const parts = Object.fromEntries(skin.attributes);
    assert.deepEqual([...parts.latticeShares.array], [1, 0, 0, 0.25, 0.5, 0.75, 1, 0, 0]);
    assert.deepEqual([...parts.latticeUpper.array], [4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7]);
    assert.deepEqual([...parts.normal.array], [0, 127, 0, 0, 127, 0, 0, 0, 0, 127, 0, 0]);
    skin.update(Float32Array.from(cube.flat()));
    assert.deepEqual([...skin.places.subarray(28, 32)], [1, 2, 4, 0]);
    skin.dispose();
});
