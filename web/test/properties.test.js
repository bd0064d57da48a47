import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applies_to, counts_now, FirstValues, full_path, look_up, value_of } from '../src/properties.js';

/** @type {any} */
const body = {
    name: 'jelly',
    shape: 'bunny',
    mesh: 'tet-grid',
    law: 'springs',
    integrator: 'rk4',
    values: { 'material.density': 1000 },
};
/** @type {any} */
const scene = { name: 's', bodies: [body], document: { gravity: [0, -9.81, 0], gust: { frequency: 2 } } };
/** @type {any} */
const density = { path: 'material.density', body: true, type: 'number', label: 'Density' };
/** @type {any} */
const gravity = { path: 'gravity', type: 'vector', label: 'Gravity' };

test('a property shows only for bodies of the kinds it names', () => {
    assert.ok(applies_to(density, body));
    assert.ok(applies_to({ ...density, meshes: ['tet-grid'], laws: ['springs'] }, body));
    assert.ok(!applies_to({ ...density, meshes: ['cloth'] }, body));
    assert.ok(!applies_to({ ...density, integrators: ['implicit-euler'] }, body));
    assert.ok(!applies_to({ ...density, shapes: ['file'] }, body));
});

test('what moves as a whole has no mesh, law or integrator, but properties of its kind', () => {
    const rigid = { ...body, kind: 'rigid', mesh: null, law: null, integrator: null };
    assert.ok(applies_to({ ...density, kinds: ['dynamic', 'rigid'] }, rigid));
    assert.ok(!applies_to({ ...density, kinds: ['dynamic'], laws: ['springs'] }, rigid));
    assert.ok(!applies_to({ ...density, kinds: ['rigid', 'guided'] }, { ...body, kind: 'dynamic' }));
});

test('what stands beside another property counts only where that is set', () => {
    const beside = { ...density, beside: 'drag' };
    assert.ok(counts_now(density, () => undefined));
    assert.ok(!counts_now(beside, () => null));
    assert.ok(!counts_now(beside, () => 0));
    assert.ok(counts_now(beside, () => 3));
    assert.ok(counts_now({ ...beside, besideChoice: 'fast' }, () => 'fast'));
    assert.ok(!counts_now({ ...beside, besideChoice: 'fast' }, () => 'slow'));
});

test('values come from the body, from the scene, or from its document', () => {
    assert.equal(value_of(scene, density, 0), 1000);
    assert.deepEqual(value_of(scene, gravity, 0), [0, -9.81, 0]);
    assert.deepEqual(value_of({ ...scene, values: { gravity: [0, 0, 0] } }, gravity, 0), [0, 0, 0]);
    assert.equal(look_up(scene.document, 'gust.frequency'), 2);
    assert.equal(look_up(scene.document, 'no.such.thing'), undefined);
    assert.equal(full_path(density, 3), 'bodies[3].material.density');
    assert.equal(full_path(gravity, 3), 'gravity');
});

test('first values stay those that the scene came with, until another scene is there', () => {
    const first = new FirstValues();
    first.see(scene, [density, gravity]);
    const later = { ...scene, bodies: [{ ...body, values: { 'material.density': 500 } }] };
    first.see(later, [density, gravity]);
    assert.equal(first.get(density, 0), 1000);
    first.see({ ...later, name: 'another' }, [density, gravity]);
    assert.equal(first.get(density, 0), 500);
});
