import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distance, hue_bytes, linear_to_srgb, map_bytes, map_colours, map_gradient, oklab_to_linear } from '../src/colours.js';

const count = 64;

test('equal steps of a field look equal: neighbours are equally far apart in OKLab', () => {
    for (const diverging of [false, true]) {
        const colours = map_colours(diverging, count);
        const steps = colours.slice(1).map((colour, i) => distance(colour, colours[i]));
        const mean = steps.reduce((sum, step) => sum + step) / steps.length;
        for (const [i, step] of steps.entries()) {
            const atTheTurn = diverging && Math.abs(i - (count - 2) / 2) < 1; // there the straight line is shorter
            assert.ok(
                atTheTurn || Math.abs(step - mean) < 0.05 * mean,
                `step ${i} of ${diverging}: ${step}, mean ${mean}`
            );
        }
    }
});

test('the sequential map gets lighter all the way, so that it also reads in grey', () => {
    const lightness = map_colours(false, count).map(([value]) => value);
    assert.ok(lightness.every((value, i) => i === 0 || value > lightness[i - 1]));
});

test('the diverging map is lightest and grey at its middle, and equally dark at both ends', () => {
    const colours = map_colours(true, 65);
    const middle = colours[32];
    assert.ok(Math.hypot(middle[1], middle[2]) < 0.02);
    assert.ok(colours.every(([lightness]) => lightness <= middle[0] + 1e-9));
    assert.ok(Math.abs(colours[0][0] - colours[64][0]) < 0.01);
    assert.ok(colours[0][2] < 0 && colours[64][1] > 0, 'blue below, red above');
});

test('every colour can be displayed', () => {
    for (const diverging of [false, true]) {
        for (const colour of map_colours(diverging, count)) {
            assert.ok(oklab_to_linear(colour).every((value) => value > -0.01 && value < 1.01));
        }
    }
});

test('white is white, and bytes and gradient have the colours', () => {
    assert.ok(oklab_to_linear([1, 0, 0]).every((value) => Math.abs(value - 1) < 1e-3));
    assert.ok(Math.abs(linear_to_srgb(0.2140411) - 0.5) < 1e-4);
    const bytes = map_bytes(false, count);
    assert.equal(bytes.length, 4 * count);
    assert.ok(bytes.every((byte, i) => i % 4 !== 3 || byte === 255));
    assert.match(map_gradient(true), /^linear-gradient\(to right, rgb\(/);
});

test('hues go from blue by green to red, each with one colour full and one at nothing', () => {
    const bytes = hue_bytes(5);
    const triples = Array.from({ length: 5 }, (_, i) => [...bytes.subarray(4 * i, 4 * i + 3)]);
    assert.deepEqual(triples, [[0, 0, 255], [0, 255, 255], [0, 255, 0], [255, 255, 0], [255, 0, 0]]);
    const fine = hue_bytes(256);
    for (let i = 0; i < 256; ++i) {
        const triple = fine.subarray(4 * i, 4 * i + 3);
        assert.ok(Math.max(...triple) === 255 && Math.min(...triple) === 0, `${i}: ${triple}`);
    }
    assert.notEqual(map_gradient(false, true), map_gradient(false));
    assert.equal(map_gradient(true, true), map_gradient(true), 'what has a sign keeps its map');
});
