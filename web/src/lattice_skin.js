// Skins that hang on a lattice of hexahedra: frames bring the lattice's nodes, and the graphics card moves the skin. Each
// point lies within one hexahedron, shares u, v, w of the way between its corners along x, y and z, and
//
//     x = sum over corners of w_k x_k,   F = dx/dX,   n = cof(F) N,
//
// which is how areas turn. What needs points on this side (picking, hands, the box around a body) asks for them, and they
// are computed once a frame then.
import * as THREE from 'three';

/** @typedef {import('./frames.js').Topology} Topology */
/** @typedef {import('./frames.js').FrameBody} FrameBody */
/** @typedef {import('./frames.js').Lattice} Lattice */

const textureWidth = 1024; // nodes

/**
 * @param {Lattice} lattice
 * @param {Float32Array} nodes (N x 3) m
 * @param {number} point
 * @param {{[index: number]: number}} place is set, from `at` on
 * @param {number} at
 */
export function place_point({ corners, shares }, nodes, point, place, at = 0) {
    const u = shares[3 * point], v = shares[3 * point + 1], w = shares[3 * point + 2];
    let x = 0, y = 0, z = 0;
    for (let k = 0; k < 8; ++k) {
        const weight = (k & 1 ? u : 1 - u) * (k & 2 ? v : 1 - v) * (k & 4 ? w : 1 - w);
        const node = 3 * corners[8 * point + k];
        x += weight * nodes[node];
        y += weight * nodes[node + 1];
        z += weight * nodes[node + 2];
    }
    place[at] = x;
    place[at + 1] = y;
    place[at + 2] = z;
}

/**
 * Gives the body of a frame its points, which are computed when somebody asks for them.
 * @param {FrameBody} body
 * @param {Lattice} lattice
 */
export function hang_points(body, lattice) {
    const { nodes, pointCount } = body;
    /** @type {Float32Array | null} */
    let positions = null;
    body.lattice = lattice;
    Object.defineProperty(body, 'positions', {
        get() {
            if (!positions) {
                positions = new Float32Array(3 * pointCount);
                for (let i = 0; nodes && i < pointCount; ++i) {
                    place_point(lattice, nodes, i, positions, 3 * i);
                }
            }
            return positions;
        },
    });
}

/**
 * Where one point of a body is.
 * @param {FrameBody} body
 * @param {number} point
 * @param {THREE.Vector3} place is set
 */
export function place_of(body, point, place) {
    const { lattice, nodes } = body;
    if (!lattice || !nodes) {
        return place.fromArray(body.positions, 3 * point);
    }
    place_point(lattice, nodes, point, found);
    return place.fromArray(found);
}

const found = [0, 0, 0];
const mostSamples = 3000;

/**
 * @param {FrameBody} body
 * @param {THREE.Box3} box grows to hold the body; where its points were not sent, some of them
 */
export function expand_by(body, box) {
    const step = body.lattice ? Math.ceil(body.pointCount / mostSamples) : 1;
    for (let i = 0; i < body.pointCount; i += step) {
        box.expandByPoint(place_of(body, i, sample));
    }
}

const sample = new THREE.Vector3();

/** What the graphics card has of one body's lattice. */
export class LatticeSkin {
    /**
     * @param {Lattice} lattice
     * @param {number} nodeCount
     * @param {Uint32Array | null} vertexPoint (V) the point of each vertex; null: they are the points
     */
    constructor(lattice, nodeCount, vertexPoint) {
        this.nodeCount = nodeCount;
        const rows = Math.max(1, Math.ceil(nodeCount / textureWidth));
        this.places = new Float32Array(4 * textureWidth * rows);
        this.texture = new THREE.DataTexture(this.places, textureWidth, rows, THREE.RGBAFormat, THREE.FloatType);
        this.texture.minFilter = this.texture.magFilter = THREE.NearestFilter;
        this.texture.needsUpdate = true;
        this.uniforms = {
            latticeNodes: { value: this.texture }, latticeSides: { value: new THREE.Vector3(...lattice.sides) },
        };
        const points = vertexPoint ?? Uint32Array.from({ length: lattice.shares.length / 3 }, (_, i) => i);
        const lower = new Float32Array(4 * points.length), upper = new Float32Array(4 * points.length);
        const shares = new Float32Array(3 * points.length), normals = new Int8Array(4 * points.length);
        points.forEach((point, vertex) => {
            lower.set(lattice.corners.subarray(8 * point, 8 * point + 4), 4 * vertex);
            upper.set(lattice.corners.subarray(8 * point + 4, 8 * point + 8), 4 * vertex);
            shares.set(lattice.shares.subarray(3 * point, 3 * point + 3), 3 * vertex);
            normals.set(lattice.normals.subarray(4 * point, 4 * point + 4), 4 * vertex);
        });
        /** @type {[string, THREE.BufferAttribute][]} numbers of nodes are whole, and exact in 32 bits up to 16 million */
        this.attributes = [
            ['latticeLower', new THREE.BufferAttribute(lower, 4)], ['latticeUpper', new THREE.BufferAttribute(upper, 4)],
            ['latticeShares', new THREE.BufferAttribute(shares, 3)], ['normal', new THREE.BufferAttribute(normals, 4, true)],
        ];
        this.depth = new THREE.MeshDepthMaterial(); // what shadows are made with
        this.move(this.depth);
    }

    /** @param {THREE.BufferGeometry} geometry */
    dress(geometry) {
        this.attributes.forEach(([name, attribute]) => geometry.setAttribute(name, attribute));
    }

    /** Lets a material draw the skin where the nodes carry it. @param {THREE.Material} material */
    move(material) {
        const before = material.onBeforeCompile.bind(material), key = material.customProgramCacheKey();
        material.onBeforeCompile = (shader, renderer) => {
            before(shader, renderer);
            Object.assign(shader.uniforms, this.uniforms);
            shader.vertexShader = shader.vertexShader
                .replace('#include <common>', `#include <common>\n${declarations}`)
                .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = lattice_normal();')
                .replace('#include <begin_vertex>', '#include <begin_vertex>\ntransformed = lattice_place();');
        };
        material.customProgramCacheKey = () => `lattice ${key}`;
    }

    /** @param {Float32Array} nodes (N x 3) m */
    update(nodes) {
        const { places } = this;
        for (let i = 0, from = 0, to = 0; i < this.nodeCount; ++i, from += 3, to += 4) {
            places[to] = nodes[from];
            places[to + 1] = nodes[from + 1];
            places[to + 2] = nodes[from + 2];
        }
        this.texture.needsUpdate = true;
    }

    dispose() {
        this.texture.dispose();
        this.depth.dispose();
    }
}

const declarations = `
    attribute vec4 latticeLower;
    attribute vec4 latticeUpper;
    attribute vec3 latticeShares;
    uniform highp sampler2D latticeNodes;
    uniform vec3 latticeSides;

    vec3 lattice_node(float number) {
        int i = int(number + 0.5);
        return texelFetch(latticeNodes, ivec2(i % ${textureWidth}, i / ${textureWidth}), 0).xyz;
    }

    vec3 lattice_place() {
        vec4 l = latticeLower, u = latticeUpper;
        vec3 s = latticeShares;
        vec3 below = mix(mix(lattice_node(l.x), lattice_node(l.y), s.x), mix(lattice_node(l.z), lattice_node(l.w), s.x), s.y);
        vec3 above = mix(mix(lattice_node(u.x), lattice_node(u.y), s.x), mix(lattice_node(u.z), lattice_node(u.w), s.x), s.y);
        return mix(below, above, s.z);
    }

    vec3 lattice_normal() {
        vec4 l = latticeLower, u = latticeUpper;
        vec3 s = latticeShares;
        vec3 a = lattice_node(l.x), b = lattice_node(l.y), c = lattice_node(l.z), d = lattice_node(l.w);
        vec3 e = lattice_node(u.x), f = lattice_node(u.y), g = lattice_node(u.z), h = lattice_node(u.w);
        vec3 x = mix(mix(b - a, d - c, s.y), mix(f - e, h - g, s.y), s.z) / latticeSides.x;
        vec3 y = mix(mix(c - a, d - b, s.x), mix(g - e, h - f, s.x), s.z) / latticeSides.y;
        vec3 z = mix(mix(e - a, f - b, s.x), mix(g - c, h - d, s.x), s.y) / latticeSides.z;
        vec3 n = normal.x * cross(y, z) + normal.y * cross(z, x) + normal.z * cross(x, y);
        return n / max(length(n), 1e-20);
    }
`;
