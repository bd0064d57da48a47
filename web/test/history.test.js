import assert from 'node:assert/strict';
import { test } from 'node:test';
import { History, nice_ceiling } from '../src/history.js';

test('a full ring keeps the newest samples', () => {
    const history = new History(1, 4);
    for (let i = 0; i < 10; ++i) {
        history.series[0][history.push(i)] = 10 * i;
    }
    assert.equal(history.count, 4);
    assert.deepEqual([0, 1, 2, 3].map((age) => history.series[0][history.place(age)]), [90, 80, 70, 60]);
    assert.equal(history.newest, 9);
    assert.equal(history.count_within(1.5), 2);
    history.clear();
    assert.equal(history.count_within(100), 0);
});

test('axes end with 1, 2 or 5', () => {
    assert.deepEqual([0.03, 1, 1.2, 3, 7, 450].map(nice_ceiling).map((x) => Number(x.toPrecision(6))), [0.05, 1, 2, 5, 10, 500]);
    assert.equal(nice_ceiling(0), 1);
    assert.equal(nice_ceiling(NaN), 1);
});
