// What tools look like. A kind that is not here is drawn as a ball of its size, so that a new one is seen, too.
import * as THREE from 'three';

/** Of size 1; drawn a hair smaller than they are, so that what they touch is not half hidden. */
const geometries = /** @type {Record<string, () => THREE.BufferGeometry>} */ ({
    'sphere': () => new THREE.SphereGeometry(1, 64, 40),
    'box': () => new THREE.BoxGeometry(2, 2, 2),
    'capsule': () => new THREE.CapsuleGeometry(1, 2, 16, 48),
    'half-space': () => new THREE.CircleGeometry(1, 64).rotateX(-Math.PI / 2),
});
const endless = new Set(['half-space']);
const hair = 0.996;

/** @param {string} kind @returns {boolean} whether it has no size of its own */
export function is_endless(kind) {
    return endless.has(kind);
}

/** @param {string} kind @param {boolean} own moved by this page's person */
export function make_tool(kind, own) {
    const geometry = (geometries[kind] ?? geometries.sphere)();
    const through = own || is_endless(kind); // what has no end would hide all that is behind it
    const material = new THREE.MeshPhysicalMaterial({
        color: own ? '#f4f6f8' : '#c3ccd6',
        roughness: 0.28,
        metalness: through ? 0.1 : 0.7,
        clearcoat: 0.5,
        transparent: through,
        opacity: is_endless(kind) ? 0.25 : own ? 0.55 : 1,
        depthWrite: !through,
        side: is_endless(kind) ? THREE.DoubleSide : THREE.FrontSide,
    });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.castShadow = !is_endless(kind);
    mesh.receiveShadow = !is_endless(kind);
    return mesh;
}

/**
 * @param {THREE.Mesh} mesh
 * @param {import('./frames.js').FrameTool} tool
 * @param {string} kind
 * @param {number} sceneSize m, for what has no size
 */
export function place_tool(mesh, tool, kind, sceneSize) {
    mesh.position.fromArray(tool.position);
    mesh.quaternion.fromArray(tool.rotation);
    mesh.scale.setScalar(is_endless(kind) ? 0.8 * sceneSize : hair * tool.size);
}
