// A body's skin as a graphics card wants it: corners that share a point but not its texture coordinates are parted.

/** @typedef {import('./frames.js').Topology} Topology */

/**
 * index (T x 3) into vertices, triangles of one material together; vertexPoint (V): the skin point of each vertex, or null
 * when vertices are the points; textureCoordinates (V x 2) or null; groups: what of the index has which material.
 * @typedef {{
 *   vertexCount: number, index: Uint32Array, vertexPoint: Uint32Array | null, textureCoordinates: Float32Array | null,
 *   groups: {start: number, count: number, material: number}[],
 * }} Surface
 */

/** @param {Topology} topology @returns {Surface} */
export function make_surface(topology) {
    const { order, groups } = order_by_material(topology);
    const index = new Uint32Array(3 * topology.triangleCount);
    if (!topology.textureCoordinates) {
        for (let i = 0; i < order.length; ++i) {
            index.set(topology.triangles.subarray(3 * order[i], 3 * order[i] + 3), 3 * i);
        }
        return { vertexCount: topology.pointCount, index, vertexPoint: null, textureCoordinates: null, groups };
    }
    const coordinates = topology.textureCoordinates;
    /** @type {number[]} */
    const points = [];
    /** @type {number[]} */
    const placed = [];
    /** @type {Map<string, number>} */
    const seen = new Map();
    for (let i = 0; i < order.length; ++i) {
        for (let corner = 3 * order[i]; corner < 3 * order[i] + 3; ++corner) {
            const point = topology.triangles[corner];
            const [u, v] = [coordinates[2 * corner], coordinates[2 * corner + 1]];
            const key = `${point} ${u} ${v}`;
            let vertex = seen.get(key);
            if (vertex === undefined) {
                vertex = points.length;
                seen.set(key, vertex);
                points.push(point);
                placed.push(u, v);
            }
            index[3 * i + corner - 3 * order[i]] = vertex;
        }
    }
    return {
        vertexCount: points.length, index, vertexPoint: Uint32Array.from(points),
        textureCoordinates: Float32Array.from(placed), groups,
    };
}

/** @param {Topology} topology */
function order_by_material({ triangleCount, materials }) {
    const order = Uint32Array.from({ length: triangleCount }, (_, i) => i);
    if (!materials) {
        return { order, groups: [{ start: 0, count: 3 * triangleCount, material: 0 }] };
    }
    order.sort((a, b) => materials[a] - materials[b] || a - b);
    const groups = [];
    for (let start = 0, end = 0; start < triangleCount; start = end) {
        const material = materials[order[start]];
        while (end < triangleCount && materials[order[end]] === material) {
            ++end;
        }
        groups.push({ start: 3 * start, count: 3 * (end - start), material });
    }
    return { order, groups };
}

/**
 * Each edge of the surface once, between points.
 * @param {Topology} topology
 * @returns {{edges: Uint32Array, closed: boolean}} edges (E x 2); closed: every edge has two triangles
 */
export function find_edges({ triangles, pointCount }) {
    /** @type {Map<number, number>} triangles at an edge, which is known by both of its points */
    const counts = new Map();
    for (let i = 0; i < triangles.length; i += 3) {
        for (let k = 0; k < 3; ++k) {
            const a = triangles[i + k], b = triangles[i + (k + 1) % 3];
            const key = Math.min(a, b) * pointCount + Math.max(a, b);
            counts.set(key, (counts.get(key) ?? 0) + 1);
        }
    }
    const edges = new Uint32Array(2 * counts.size);
    let i = 0, closed = true;
    for (const [key, count] of counts) {
        edges[i++] = Math.floor(key / pointCount);
        edges[i++] = key % pointCount;
        closed &&= count === 2;
    }
    return { edges, closed };
}
