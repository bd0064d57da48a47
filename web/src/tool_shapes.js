// What tools look like. A kind that is not here is drawn as a ball of its size, so that a new one is seen, too.
import * as THREE from 'three';

/** @typedef {import('./frames.js').FrameTool} FrameTool */
/** @typedef {import('./protocol.js').SceneTool} SceneTool */

/** In their own measures, m. */
const geometries = /** @type {Record<string, (tool: FrameTool, described?: SceneTool) => THREE.BufferGeometry>} */ ({
    'sphere': ({ size }) => new THREE.SphereGeometry(size, 64, 40),
    'box': ({ extent: [x, y, z] }) => new THREE.BoxGeometry(x, y, z),
    'capsule': ({ size, extent }) => new THREE.CapsuleGeometry(size, extent[1], 16, 48),
    'half-space': () => new THREE.CircleGeometry(1, 64).rotateX(-Math.PI / 2),
    'mesh': (tool, described) => described ? mesh_geometry(described) : new THREE.TorusGeometry(tool.size, 0.35 * tool.size, 24, 56).rotateX(Math.PI / 2),
});
const endless = new Set(['half-space']);
const planeOpacity = 0.25;
const hair = 0.988; // drawn a hair smaller than they are, so that what they touch is not half hidden

/** @param {SceneTool} [described] */
function mesh_geometry(described) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(described?.points ?? []), 3));
    geometry.setIndex(described?.triangles ?? []);
    geometry.computeVertexNormals();
    return geometry;
}

/** @param {string} kind @returns {boolean} whether it has no size of its own */
export function is_endless(kind) {
    return endless.has(kind);
}

/** @param {FrameTool} tool @returns {string} the same for tools that look the same */
export function measures_of({ kind, size, extent }) {
    return [kind, size, ...extent].join(' ');
}

/** @param {string} kind @param {boolean} own moved by this page's person @param {FrameTool} tool @param {SceneTool} [described] */
export function make_tool(kind, own, tool, described) {
    const geometry = (geometries[kind] ?? geometries.sphere)(tool, described);
    const through = own || is_endless(kind); // what has no end would hide all that is behind it
    const material = new THREE.MeshPhysicalMaterial({
        color: own ? '#f4f6f8' : '#c3ccd6',
        roughness: 0.28,
        metalness: through ? 0.1 : 0.7,
        clearcoat: 0.5,
        transparent: through,
        opacity: is_endless(kind) ? planeOpacity : own ? 0.55 : 1,
        depthWrite: !through,
        side: is_endless(kind) ? THREE.DoubleSide : THREE.FrontSide,
    });
    material.polygonOffset = !own; // cloth lies exactly on it, and is drawn before it
    material.polygonOffsetFactor = material.polygonOffsetUnits = 6;
    const mesh = new THREE.Mesh(geometry, material);
    mesh.castShadow = !is_endless(kind);
    mesh.receiveShadow = !is_endless(kind);
    return mesh;
}

/**
 * @param {THREE.Mesh} mesh
 * @param {FrameTool} tool
 * @param {string} kind
 * @param {number} sceneSize m, for what has no size
 */
export function place_tool(mesh, tool, kind, sceneSize) {
    mesh.position.fromArray(tool.position);
    mesh.quaternion.fromArray(tool.rotation);
    mesh.scale.setScalar(is_endless(kind) ? 0.8 * sceneSize : hair);
}

/** Many planes, as those of a bowl, hide no more than one does. @param {THREE.Material} material @param {number} count */
export function thin_plane(material, count) {
    material.opacity = planeOpacity / Math.max(1, count);
}

/** A tool that changes its shape is where its points are. @param {THREE.Mesh} mesh @param {Float32Array} points m */
export function shape_tool(mesh, points) {
    const { geometry } = mesh;
    geometry.getAttribute('position').array.set(points);
    geometry.getAttribute('position').needsUpdate = true;
    geometry.computeVertexNormals();
    mesh.frustumCulled = false;
    mesh.position.set(0, 0, 0);
    mesh.quaternion.identity();
    mesh.scale.setScalar(1);
}
