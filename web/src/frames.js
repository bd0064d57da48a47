// Binary messages (docs/protocol.md), decoded by views on the bytes as they came: nothing is copied.

const headerWords = 8;
const toolWords = 16;
const bodyWords = 8;
const contactWords = 8;
const contactWithTool = 1000000; // what is added to the number of a tool

export const topologyKind = 1;
export const frameKind = 2;

/**
 * triangles (T x 3), textureCoordinates (T x 3 x 2, v upwards), colours (P x 4, linear), materials (T), edges (E x 2),
 * tets (four nodes each); lattice: what the skin hangs on, if it can be moved by the nodes alone
 * @typedef {{
 *   revision: number, body: number, pointCount: number, triangleCount: number, nodeCount: number, edgeCount: number,
 *   triangles: Uint32Array, textureCoordinates: Float32Array | null, colours: Float32Array | null,
 *   materials: Uint32Array | null, edges: Uint32Array, tets: Uint32Array | null, lattice: Lattice | null,
 * }} Topology
 */

/**
 * sides (3, m) of a hexahedron at rest, corners (P x 8, nodes), shares (P x 3, of the way from the lower corners to the upper
 * ones), normals (P x 4) of the skin at rest, 127 is 1
 * @typedef {{sides: Float32Array, corners: Uint32Array, shares: Float32Array, normals: Int8Array}} Lattice
 */

/**
 * A tool or a hand: position (3, m), rotation (4, quaternion x y z w), size (radius, m), force on it (3, N), extent (3, m:
 * the edges of a box; of a capsule the second, its straight part; of a hand without meaning).
 * @typedef {{
 *   kind: number, owner: number, position: Float32Array, rotation: Float32Array, size: number, force: Float32Array,
 *   body: number, point: number, extent: Float32Array,
 * }} FrameTool
 */

/**
 * positions (P x 3, m), normals (P x 4, 127 is 1; null where the skin hangs on a lattice: nodes are there then), field (P), nodes (N x 3, m), nodeField (N), contacts (C x 8: point m, force N,
 * pressure Pa last), others (C x 8: what it touches, the seventh of each row), lattice: what the points hang on where they
 * were not sent
 * @typedef {{
 *   pointCount: number, nodeCount: number, contactCount: number, positions: Float32Array, normals: Int8Array | null,
 *   field: Float32Array | null, nodes: Float32Array | null, nodeField: Float32Array | null, contacts: Float32Array, others: Uint32Array,
 *   lattice: Lattice | null,
 * }} FrameBody
 */

/**
 * field: which of the engine's fields the bodies have, by its number; -1: none.
 * @typedef {{
 *   revision: number, frame: number, field: number, stats: Float32Array, probes: Float32Array, tools: FrameTool[],
 *   bodies: FrameBody[], toolPoints: Float32Array,
 * }} Frame
 */

/** Takes one array after the other from a message, and says what is missing when it is too short. */
class Cursor {
    /** @param {ArrayBuffer} buffer @param {string} what */
    constructor(buffer, what) {
        if (buffer.byteLength % 4 !== 0) {
            throw new Error(`${what}: ${buffer.byteLength} bytes; expected a multiple of 4`);
        }
        this.buffer = buffer;
        this.what = what;
        this.offset = 0;
    }

    /** @param {number} count @param {string} name  @returns {number} where these words begin, in bytes */
    take(count, name) {
        const start = this.offset;
        if (start + 4 * count > this.buffer.byteLength) {
            throw new Error(`${this.what}: ends within its ${name}; expected ${count} words at byte ${start}`);
        }
        this.offset += 4 * count;
        return start;
    }

    /** @param {number} count @param {string} name */
    words(count, name) {
        return new Uint32Array(this.buffer, this.take(count, name), count);
    }

    /** @param {number} count @param {string} name */
    floats(count, name) {
        return new Float32Array(this.buffer, this.take(count, name), count);
    }

    finish() {
        const rest = this.buffer.byteLength - this.offset;
        if (rest !== 0) {
            throw new Error(`${this.what}: ${rest} bytes after its end`);
        }
    }
}

/** @param {ArrayBuffer} buffer */
export function message_kind(buffer) {
    return buffer.byteLength >= 4 ? new DataView(buffer).getUint32(0, true) : 0;
}

/** @param {ArrayBuffer} buffer @returns {Topology} */
export function decode_topology(buffer) {
    const cursor = new Cursor(buffer, 'topology');
    const [, revision, body, pointCount, triangleCount, flags, nodeCount, edgeCount] = cursor.words(
        headerWords,
        'head'
    );
    const triangles = cursor.words(3 * triangleCount, 'triangles');
    const textureCoordinates = flags & 1 ? cursor.floats(6 * triangleCount, 'texture coordinates') : null;
    const colours = flags & 2 ? cursor.floats(4 * pointCount, 'colours') : null;
    const materials = flags & 4 ? cursor.words(triangleCount, 'material indices') : null;
    const edges = cursor.words(2 * edgeCount, 'edges');
    const tets = flags & 8 ? cursor.words(4 * cursor.words(1, 'count of tetrahedra')[0], 'tetrahedra') : null;
    const lattice = flags & 16 ? decode_lattice(cursor, pointCount) : null;
    cursor.finish();
    return {
        revision,
        body,
        pointCount,
        triangleCount,
        nodeCount,
        edgeCount,
        triangles,
        textureCoordinates,
        colours,
        materials,
        edges,
        tets,
        lattice,
    };
}

/** @param {Cursor} cursor @param {number} pointCount @returns {Lattice} */
function decode_lattice(cursor, pointCount) {
    const sides = cursor.floats(3, 'sides of hexahedra');
    const corners = cursor.words(8 * pointCount, 'corners'), shares = cursor.floats(3 * pointCount, 'shares');
    const normals = new Int8Array(cursor.buffer, cursor.take(pointCount, 'normals at rest'), 4 * pointCount);
    return { sides, corners, shares, normals };
}

/** @param {ArrayBuffer} buffer @returns {Frame} */
export function decode_frame(buffer) {
    const cursor = new Cursor(buffer, 'frame');
    const [, revision, frame, flags, statCount, probeCount, toolCount, bodyCount] = cursor.words(headerWords, 'head');
    const stats = cursor.floats(statCount, 'stats');
    const probes = cursor.floats(probeCount, 'probes');
    const tools = [];
    for (let i = 0; i < toolCount; ++i) {
        tools.push(decode_tool(cursor));
    }
    const bodies = [];
    for (let i = 0; i < bodyCount; ++i) {
        bodies.push(decode_body(cursor));
    }
    const [toolPointCount] = cursor.words(1, 'count of tool points');
    const toolPoints = cursor.floats(3 * toolPointCount, 'tool points');
    cursor.finish();
    return { revision, frame, field: (flags >>> 8) - 1, stats, probes, tools, bodies, toolPoints };
}

/** @param {Cursor} cursor @returns {FrameTool} */
function decode_tool(cursor) {
    const start = cursor.take(toolWords, 'tools');
    const words = new Uint32Array(cursor.buffer, start, toolWords);
    const floats = new Float32Array(cursor.buffer, start, toolWords);
    return {
        kind: words[0], owner: words[1], position: floats.subarray(2, 5), rotation: floats.subarray(5, 9),
        size: floats[9], force: floats.subarray(10, 13), body: words[13], point: words[14],
        extent: floats.subarray(13, 16),
    };
}

/** @param {Cursor} cursor @returns {FrameBody} */
function decode_body(cursor) {
    const [pointCount, nodeCount, flags, contactCount] = cursor.words(bodyWords, 'bodies');
    const onLattice = (flags & 8) !== 0; // its points: lattice_skin.js
    const positions = onLattice ? new Float32Array() : cursor.floats(3 * pointCount, 'positions');
    const normals = onLattice ? null : new Int8Array(cursor.buffer, cursor.take(pointCount, 'normals'), 4 * pointCount);
    const field = flags & 1 ? cursor.floats(pointCount, 'field values') : null;
    const nodes = flags & 2 ? cursor.floats(3 * nodeCount, 'node positions') : null;
    const nodeField = flags & 4 ? cursor.floats(nodeCount, 'field values inside') : null;
    const contacts = cursor.floats(contactWords * contactCount, 'contacts');
    const others = new Uint32Array(cursor.buffer, contacts.byteOffset, contacts.length);
    return { pointCount, nodeCount, contactCount, positions, normals, field, nodes, nodeField, contacts, others, lattice: null };
}

/** @param {FrameBody} body @param {number} index of a contact @returns {number} of a tool in the frame; below 0: none */
export function contact_tool({ others }, index) {
    return others[contactWords * index + 6] - contactWithTool;
}
