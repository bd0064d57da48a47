import assert from 'node:assert/strict';
import { test } from 'node:test';
import { make_scale, round_digits } from '../src/scales.js';

const close = (/** @type {number} */ a, /** @type {number} */ b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

test('both ends of a scale are exact', () => {
    for (const kind of /** @type {const} */ (['linear', 'log'])) {
        const scale = make_scale(100, 1e7, kind);
        assert.equal(scale.to_value(0), 100);
        assert.equal(scale.to_value(1), 1e7);
        close(scale.to_position(100), 0);
        close(scale.to_position(1e7), 1);
    }
});

test('a log scale gives each decade the same room', () => {
    const scale = make_scale(1e2, 1e6, 'log');
    [1e2, 1e3, 1e4, 1e5, 1e6].forEach((value, i) => close(scale.to_position(value), i / 4));
    assert.equal(scale.to_value(0.5), 1e4);
});

test('a log scale that begins with 0 reaches exactly 0', () => {
    const scale = make_scale(0, 10, 'log');
    assert.equal(scale.to_value(0), 0);
    assert.equal(scale.to_position(0), 0);
    assert.equal(scale.to_value(1), 10);
    assert.ok(scale.to_value(0.03) > 0);
});

test('where 0 may be given beside the range, it stands before its beginning', () => {
    const scale = make_scale(0.01, 0.5, 'log', { zero: true });
    assert.equal(scale.to_value(0), 0);
    assert.equal(scale.to_position(0), 0);
    assert.ok(scale.to_position(0.01) > 0);
    assert.equal(scale.to_value(scale.to_position(0.01)), 0.01);
    assert.equal(scale.to_value(1), 0.5);
    assert.equal(make_scale(0.01, 0.5, 'log').to_value(0), 0.01);
});

test('a value that a slider gives stands where the slider stood', () => {
    for (const scale of [make_scale(-2, 5), make_scale(0.01, 1e5, 'log'), make_scale(0, 3, 'log')]) {
        for (let position = 0; position <= 1; position += 1 / 64) {
            const value = scale.to_value(position);
            assert.ok(Math.abs(scale.to_position(value) - position) < 0.031, `${position} became ${value}`);
        }
    }
});

test('values outside are held at the ends; whole numbers stay whole', () => {
    const scale = make_scale(1, 30, 'linear', { whole: true });
    assert.equal(scale.to_position(-7), 0);
    assert.equal(scale.to_position(99), 1);
    assert.equal(scale.to_value(2), 30);
    for (let position = 0; position <= 1; position += 0.01) {
        assert.ok(Number.isInteger(scale.to_value(position)));
    }
    assert.ok(scale.step(3) >= 1);
});

test('a scale without extent is refused', () => {
    assert.throws(() => make_scale(1, 1), /expected the second to be larger/);
});

test('rounding keeps significant digits', () => {
    assert.equal(round_digits(123456, 3), 123000);
    assert.equal(round_digits(0.00123456, 3), 0.00123);
    assert.equal(round_digits(0, 3), 0);
});
