import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choose_unit, format_count, format_duration, format_number, format_quantity, parse_quantity, pretty_unit } from '../src/units.js';

test('quantities have the prefix with which they read from 1 to 1000', () => {
    assert.equal(format_quantity(50000, 'Pa'), '50 kPa');
    assert.equal(format_quantity(1.2e6, 'Pa'), '1.2 MPa');
    assert.equal(format_quantity(0.0012, 'm'), '1.2 mm');
    assert.equal(format_quantity(1500, 'm'), '1.5 km');
    assert.equal(format_quantity(1500, 's'), '1500 s');
    assert.equal(format_quantity(0.25, 'kg'), '250 g');
    assert.equal(format_quantity(1000, 'kg/m^3'), '1000 kg/m³');
    assert.equal(format_quantity(-9.81, 'm/s^2'), '−9.81 m/s²');
    assert.equal(format_quantity(2500, 'N/m'), '2.5 kN/m');
    assert.equal(format_quantity(0, 'Pa'), '0 Pa');
    assert.equal(format_quantity(0.45, ''), '0.45');
    assert.equal(format_quantity(60, '1/s'), '60 1/s');
    assert.equal(format_quantity(0.004, 'm^2'), '0.004 m²');
});

test('a value that is rounded up to 1000 takes the next prefix', () => {
    assert.equal(format_quantity(999960, 'Pa'), '1 MPa');
    assert.equal(format_quantity(999400, 'Pa'), '999 kPa');
});

test('units that have a prefix already are understood', () => {
    assert.equal(format_quantity(3.2, 'ms'), '3.2 ms');
    assert.equal(format_quantity(0.02, 'ms'), '20 µs');
    assert.equal(format_quantity(2500, 'kPa'), '2.5 MPa');
    assert.equal(choose_unit(2500, 'kPa').factor, 1000);
});

test('numbers keep their significant digits and no needless zeros', () => {
    assert.equal(format_number(3.14159), '3.14');
    assert.equal(format_number(100), '100');
    assert.equal(format_number(1234.4), '1234');
    assert.equal(format_number(-0.00001234), '−1.23e−5');
    assert.equal(format_number(2.5e9), '2.5e9');
    assert.equal(format_number(-1e-20 * 0), '0');
    assert.equal(format_number(NaN), '–');
});

test('what is written can be read again', () => {
    for (const unit of ['Pa', 'm', 'kg', 's', 'kg/m^3', 'm/s^2', 'N/m', 'N s/m', '1/s', '', 'ms', 'J', 'kg/(m^2 s)']) {
        for (const value of [0, 1, 0.5, 25, 999.96, 12300, 4.56e-3, 7.8e7, -3.3e-5]) {
            const back = parse_quantity(format_quantity(value, unit, 4), unit);
            assert.ok(Math.abs(back - value) <= 1e-3 * Math.abs(value), `${value} ${unit} came back as ${back}`);
        }
    }
});

test('people may write prefixes, units, exponents and decimal commas', () => {
    assert.equal(parse_quantity('50k', 'Pa'), 50000);
    assert.equal(parse_quantity('50 kPa', 'Pa'), 50000);
    assert.equal(parse_quantity('5e4', 'Pa'), 50000);
    assert.equal(parse_quantity(' 0,5 mm ', 'm'), 0.0005);
    assert.equal(parse_quantity('2 m/s^2', 'm/s^2'), 2);
    assert.equal(parse_quantity('1k', ''), 1000);
    assert.equal(parse_quantity('3 ms', 'ms'), 3);
    assert.equal(parse_quantity('3', 'ms'), 3);
    assert.ok(Number.isNaN(parse_quantity('soft', 'Pa')));
    assert.ok(Number.isNaN(parse_quantity('5 parsec', 'm')));
    assert.ok(Number.isNaN(parse_quantity('', 'm')));
});

test('units, counts and durations are set as in print', () => {
    assert.equal(pretty_unit('kg/(m^2 s)'), 'kg/(m²·s)');
    assert.equal(format_count(1234567), '1\u202f234\u202f567');
    assert.equal(format_duration(62.31), '1:02.3');
});
