// Writes the binary messages of docs/protocol.md, for tests and for the stand-in server.

/**
 * @param {{
 *   revision: number, body: number, pointCount: number, triangles: number[], textureCoordinates?: number[],
 *   colours?: number[], materials?: number[], nodeCount: number, edges: number[],
 *   lattice?: {sides: number[], corners: number[], shares: number[], normals: number[]},
 * }} topology
 */
export function encode_topology({
    revision, body, pointCount, triangles, textureCoordinates, colours, materials, nodeCount, edges, lattice,
}) {
    const flags = (textureCoordinates ? 1 : 0) | (colours ? 2 : 0) | (materials ? 4 : 0) | (lattice ? 16 : 0);
    return join([
        new Uint32Array([1, revision, body, pointCount, triangles.length / 3, flags, nodeCount, edges.length / 2]),
        new Uint32Array(triangles), new Float32Array(textureCoordinates ?? []), new Float32Array(colours ?? []),
        new Uint32Array(materials ?? []), new Uint32Array(edges),
        new Float32Array(lattice?.sides ?? []), new Uint32Array(lattice?.corners ?? []),
        new Float32Array(lattice?.shares ?? []), new Uint32Array(new Int8Array(lattice?.normals ?? []).buffer),
    ]);
}

/**
 * @typedef {{
 *   kind: number, owner: number, position: number[], rotation: number[], size: number, force: number[], body: number,
 *   point: number,
 * }} Tool
 * @typedef {{
 *   positions: ArrayLike<number>, normals: ArrayLike<number>, pointCount?: number, field: ArrayLike<number> | null,
 *   nodes: ArrayLike<number> | null, contacts: number[],
 * }} Body
 * @param {{
 *   revision: number, frame: number, stats: number[], probes: number[], tools: Tool[], bodies: Body[],
 *   toolPoints?: number[],
 * }} frame
 */
export function encode_frame({ revision, frame, stats, probes, tools, bodies, toolPoints = [] }) {
    const parts = [
        new Uint32Array([2, revision, frame, 0, stats.length, probes.length, tools.length, bodies.length]),
        new Float32Array(stats), new Float32Array(probes),
    ];
    for (const { kind, owner, position, rotation, size, force, body, point } of tools) {
        parts.push(new Uint32Array([kind, owner]), new Float32Array([...position, ...rotation, size, ...force]));
        parts.push(new Uint32Array([body, point, 0]));
    }
    for (const { positions, normals, pointCount, field, nodes, contacts } of bodies) {
        const flags = (field ? 1 : 0) | (nodes ? 2 : 0) | (pointCount ? 8 : 0); // with a count: they hang on a lattice
        const counts = [pointCount ?? positions.length / 3, nodes ? nodes.length / 3 : 0, flags, contacts.length / 8];
        parts.push(new Uint32Array([...counts, 0, 0, 0, 0]), new Float32Array(positions));
        parts.push(new Uint32Array(new Int8Array(normals).buffer));
        parts.push(new Float32Array(field ?? []), new Float32Array(nodes ?? []), new Float32Array(contacts));
    }
    parts.push(new Uint32Array([toolPoints.length / 3]), new Float32Array(toolPoints));
    return join(parts);
}

/** @param {(Uint32Array | Float32Array)[]} parts @returns {ArrayBuffer} */
function join(parts) {
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
    let offset = 0;
    for (const part of parts) {
        bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), offset);
        offset += part.byteLength;
    }
    return bytes.buffer;
}
