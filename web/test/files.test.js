import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ending_of, plan_upload } from '../src/files.js';

const loadable = ['obj', 'stl', 'ply', 'glb', 'json'];

test('what belongs to a surface goes first, the surface last', () => {
    const { main, order } = plan_upload(['spot.obj', 'spot.mtl', 'spot.png'], loadable);
    assert.equal(main, 'spot.obj');
    assert.deepEqual(order, ['spot.mtl', 'spot.png', 'spot.obj']);
});

test('a scene is the main file, and the surfaces it names go with it', () => {
    const { main, order } = plan_upload(['bunny.ply', 'scene.JSON'], loadable);
    assert.equal(main, 'scene.JSON');
    assert.deepEqual(order, ['bunny.ply', 'scene.JSON']);
});

test('files that have no part in it stay behind', () => {
    const { order, left } = plan_upload(['read me.txt', 'cow.stl'], loadable);
    assert.deepEqual([order, left], [['cow.stl'], ['read me.txt']]);
});

test('if nothing can be loaded, the error says what could be', () => {
    assert.throws(() => plan_upload(['letter.docx'], loadable), /letter\.docx: none.*\.obj, \.stl/);
    assert.throws(() => plan_upload([], ['.glb']), /nothing: none.*\.glb/);
});

test('endings are found whatever their case', () => {
    assert.equal(ending_of('A.B.OBJ'), 'obj');
    assert.equal(ending_of('none'), '');
});

test('other surfaces are bodies of their own; what a scene names is not', () => {
    assert.deepEqual(plan_upload(['a.obj', 'b.obj', 'a.mtl'], loadable).more, ['b.obj']);
    assert.deepEqual(plan_upload(['a.obj', 'scene.json'], loadable).more, []);
    assert.deepEqual(plan_upload(['a.node', 'a.ele'], ['.node', '.ele']).more, []);
});
