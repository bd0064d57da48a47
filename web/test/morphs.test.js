// The modes of a precomputed body, exported as morph targets, as three.js reads them: their names, and that weights add
// up to the shapes they stand for.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

const limber = process.env.LIMBER ?? fileURLToPath(new URL('../../build/limber', import.meta.url));

const scene = {
    limber: 1,
    bodies: [
        {
            name: 'tube',
            kind: 'elastostatic',
            elastostatic: { tube: { length: 1, axial: 10, around: 8, radial: 1, controlWidth: 0.2 } },
        },
    ],
};

/** @returns {Promise<any>} the mesh in the exported file */
async function export_and_load() {
    const folder = mkdtempSync(join(tmpdir(), 'limber-morphs-'));
    try {
        writeFileSync(join(folder, 'scene.json'), JSON.stringify(scene));
        const glb = join(folder, 'modes.glb');
        execFileSync(limber, ['precompute', join(folder, 'scene.json'), '-o', join(folder, 'x.lbe'), '--morphs', glb]);
        const bytes = readFileSync(glb);
        const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
        const gltf = await new GLTFLoader().parseAsync(/** @type {ArrayBuffer} */ (buffer), '');
        assert.equal(gltf.animations.length, 1);
        /** @type {any} */
        let mesh = null;
        gltf.scene.traverse((/** @type {any} */ object) => {
            mesh = object.isMesh ? object : mesh;
        });
        return mesh;
    } finally {
        rmSync(folder, { recursive: true });
    }
}

test('modes are morph targets that add up', { skip: !existsSync(limber) && 'limber is not built' }, async () => {
    const mesh = await export_and_load();
    const names = Object.keys(mesh.morphTargetDictionary);
    assert.equal(names.length, 27);
    for (const name of ['start Tx', 'start Mzz', 'end Tx', 'end Mxy', 'gravity y']) {
        assert.ok(names.includes(name), name);
    }
    const targets = mesh.geometry.morphAttributes.position;
    const rest = mesh.geometry.attributes.position;
    const of = (/** @type {string} */ name) => targets[mesh.morphTargetDictionary[name]];
    let worst = 0;
    for (let i = 0; i < rest.count; ++i) {
        // Both ends moved along x: so does all else.
        const x = of('start Tx').getX(i) + of('end Tx').getX(i);
        const y = of('start Tx').getY(i) + of('end Tx').getY(i);
        worst = Math.max(worst, Math.abs(x - 1), Math.abs(y));
        // Nodes of the end follow their control, and those of the other end stay.
        if (rest.getY(i) > 0.31) {
            worst = Math.max(worst, Math.abs(of('end Tx').getX(i) - 1), Math.abs(of('start Tx').getX(i)));
        }
    }
    assert.ok(worst < 1e-5, `off by ${worst}`);
    // Gravity along -y's opposite pulls the middle up, and the ends nowhere.
    const middle = [...Array(rest.count).keys()].reduce((a, b) => (Math.abs(rest.getY(b)) < Math.abs(rest.getY(a)) ? b : a));
    assert.ok(of('gravity y').getY(middle) > 0);
});
