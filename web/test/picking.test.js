import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pick_triangle } from '../src/picking.js';

// Two parallel triangles, the second one behind the first.
const positions = Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -1, 1, 0, -1, 0, 1, -1]);
const triangles = Uint32Array.from([0, 1, 2, 3, 4, 5]);

test('the nearer triangle is met, and its nearest corner is the point', () => {
    const hit = pick_triangle([0.1, 0.8, 2], [0, 0, -1], positions, triangles);
    assert.deepEqual(hit, { distance: 2, triangle: 0, point: 2 });
    assert.equal(pick_triangle([0.8, 0.1, 2], [0, 0, -1], positions, triangles)?.point, 1);
    assert.equal(pick_triangle([0.1, 0.1, 2], [0, 0, -1], positions, triangles)?.point, 0);
});

test('triangles are met from behind, too, and never behind the ray', () => {
    assert.equal(pick_triangle([0.2, 0.2, -3], [0, 0, 1], positions, triangles)?.triangle, 1);
    assert.equal(pick_triangle([0.2, 0.2, -3], [0, 0, -1], positions, triangles), null);
});

test('a ray beside or along a triangle meets nothing', () => {
    assert.equal(pick_triangle([0.9, 0.9, 2], [0, 0, -1], positions, triangles), null);
    assert.equal(pick_triangle([-1, 0.2, 0], [1, 0, 0], positions, triangles), null);
});
