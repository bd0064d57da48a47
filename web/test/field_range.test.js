import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FieldRange } from '../src/field_range.js';

const ramp = (/** @type {number} */ from, /** @type {number} */ to) => (
    Float32Array.from({ length: 1000 }, (_, i) => from + (to - from) * i / 999));

test('the first values are taken at once, later ones calmly', () => {
    const range = new FieldRange();
    range.update([ramp(10, 12)], 0.016);
    assert.ok(range.lower === 0 && Math.abs(range.upper - 12) < 0.05, 'from zero: what is nearly even looks so');
    range.update([ramp(10, 20)], 0.016);
    assert.ok(range.upper > 12 && range.upper < 14);
    for (let i = 0; i < 600; ++i) {
        range.update([ramp(10, 20)], 0.016);
    }
    assert.ok(Math.abs(range.upper - 20) < 0.1);
});

test('a single spike does not stretch the range', () => {
    const field = ramp(0, 1);
    field[500] = 1000;
    const range = new FieldRange();
    range.update([field], 0.016);
    assert.ok(range.upper < 10, `${range.upper}`);
});

test('a diverging field is shown about zero', () => {
    const range = new FieldRange();
    range.restart(true);
    range.update([ramp(-1, 3)], 0.016);
    assert.equal(range.lower, -range.upper);
    assert.ok(Math.abs(range.upper - 3) < 0.05);
});

test('several bodies share one range', () => {
    const range = new FieldRange();
    range.update([ramp(0, 1), ramp(4, 5)], 0.016);
    assert.ok(range.lower === 0 && Math.abs(range.upper - 5) < 0.05);
});

test('a locked range stays; values that are not finite, and none at all, do no harm', () => {
    const range = new FieldRange();
    range.update([Float32Array.from([NaN, 1, 2, Infinity])], 0.016);
    assert.ok(Number.isFinite(range.lower) && Number.isFinite(range.upper));
    range.lock(5, 3);
    range.update([ramp(0, 100)], 1);
    assert.deepEqual([range.lower, range.upper], [3, 5]);
    new FieldRange().update([], 1);
});

test('a field that is the same everywhere has a range nonetheless', () => {
    const range = new FieldRange();
    range.update([new Float32Array(10)], 0.016);
    assert.ok(range.upper > range.lower);
});

test('what comes to rest is not shown by its rounding errors', () => {
    const range = new FieldRange();
    range.restart(false);
    range.update([ramp(0, 2000)], 0.1);
    for (let i = 0; i < 200; ++i) {
        range.update([ramp(0, 2e-5)], 0.1);
    }
    assert.ok(range.lower === 0 && range.upper > 3 && range.upper < 5, `${range.lower} to ${range.upper}`);
});
