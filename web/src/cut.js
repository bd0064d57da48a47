// Tetrahedra and a plane: where they meet is a triangle or a quadrangle in each.

/**
 * positions, normals (V x 3), values (V) of triangles; edges (E x 2 x 3) around each tetrahedron's piece
 * @typedef {{
 *   positions: Float32Array, normals: Float32Array, values: Float32Array, edges: Float32Array, hasField: boolean,
 * }} Cut
 */

const pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/**
 * @param {Uint32Array} tets (T x 4)
 * @param {Float32Array} nodes (N x 3) m
 * @param {Float32Array | null} field (N)
 * @param {{normal: {x: number, y: number, z: number}, constant: number}} plane what is on its positive side is kept
 * @param {boolean} hexes the tetrahedra are hexahedra cut along diagonals from their first node to their last: edges there are not drawn
 * @returns {Cut}
 */
export function cut_tets(tets, nodes, field, { normal, constant }, hexes = false) {
    /** @type {number[]} */
    const positions = [], /** @type {number[]} */ values = [], /** @type {number[]} */ edges = [];
    const side = (/** @type {number} */ node) => (
        normal.x * nodes[3 * node] + normal.y * nodes[3 * node + 1] + normal.z * nodes[3 * node + 2] + constant);
    const hair = 1e-5; // so that the piece is on the side that is drawn
    for (let t = 0; t < tets.length; t += 4) {
        const heights = [side(tets[t]), side(tets[t + 1]), side(tets[t + 2]), side(tets[t + 3])];
        const above = heights.filter((height) => height > 0).length;
        if (above === 0 || above === 4) {
            continue;
        }
        /** @type {number[][]} x, y, z, value */
        const corners = [], /** @type {number[][]} */ ends = [];
        for (const [a, b] of pairs) {
            if ((heights[a] > 0) !== (heights[b] > 0)) {
                const share = heights[a] / (heights[a] - heights[b]), from = tets[t + a], to = tets[t + b];
                const corner = [0, 1, 2].map((k) => nodes[3 * from + k] + share * (nodes[3 * to + k] - nodes[3 * from + k]));
                corner.push(field ? field[from] + share * (field[to] - field[from]) : 0);
                corners.push(corner);
                ends.push([a, b]);
            }
        }
        // Of four corners in the order of the pairs the last two are across from the first two.
        const order = corners.length === 3 ? [0, 1, 2] : [0, 1, 3, 2];
        const ring = order.map((i) => corners[i]);
        for (let i = 1; i + 1 < ring.length; ++i) {
            for (const corner of [ring[0], ring[i], ring[i + 1]]) {
                positions.push(corner[0] + hair * normal.x, corner[1] + hair * normal.y, corner[2] + hair * normal.z);
                values.push(corner[3]);
            }
        }
        for (let i = 0; i < ring.length; ++i) {
            const next = (i + 1) % ring.length, a = ring[i], b = ring[next];
            const face = [...ends[order[i]], ...ends[order[next]]]; // a line lies in one
            if (hexes && face.includes(0) && face.includes(3)) {
                continue;
            }
            edges.push(a[0], a[1], a[2], b[0], b[1], b[2]);
        }
    }
    const normals = new Float32Array(positions.length);
    for (let i = 0; i < normals.length; i += 3) {
        normals.set([-normal.x, -normal.y, -normal.z], i);
    }
    return {
        positions: new Float32Array(positions), normals, values: new Float32Array(values), edges: new Float32Array(edges),
        hasField: field !== null,
    };
}
