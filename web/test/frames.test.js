import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contact_tool, decode_frame, decode_topology, message_kind } from '../src/frames.js';
import { encode_frame, encode_topology } from './encode.js';

const triangles = [0, 1, 2, 0, 2, 3];

test('a topology comes back as it was written, with and without its optional parts', () => {
    const plain = decode_topology(
        encode_topology({ revision: 7, body: 1, pointCount: 4, triangles, nodeCount: 2, edges: [0, 1] })
    );
    assert.deepEqual([plain.revision, plain.body, plain.pointCount, plain.triangleCount], [7, 1, 4, 2]);
    assert.deepEqual([...plain.triangles], triangles);
    assert.deepEqual([...plain.edges], [0, 1]);
    assert.equal(plain.textureCoordinates, null);
    assert.equal(plain.colours, null);
    assert.equal(plain.materials, null);

    const textureCoordinates = Array.from({ length: 12 }, (_, i) => i / 16);
    const colours = Array.from({ length: 16 }, (_, i) => i / 32);
    const full = decode_topology(
        encode_topology({
            revision: 1,
            body: 0,
            pointCount: 4,
            triangles,
            textureCoordinates,
            colours,
            materials: [0, 1],
            nodeCount: 0,
            edges: [],
        })
    );
    assert.deepEqual([...full.textureCoordinates ?? []], textureCoordinates);
    assert.deepEqual([...full.colours ?? []], colours);
    assert.deepEqual([...full.materials ?? []], [0, 1]);
});

test('a frame comes back as it was written', () => {
    const tool = {
        kind: 1000,
        owner: 3,
        position: [1, 2, 3],
        rotation: [0, 0, 0, 1],
        size: 0.5,
        force: [4, 5, 6],
        body: 1,
        point: 9,
    };
    const bodies = [
        {
            positions: [0, 0, 0, 1, 0, 0],
            normals: [0, 127, 0, 0, 0, -127, 0, 0],
            field: [0.5, 2],
            nodes: null,
            contacts: [],
        },
        {
            positions: [7, 8, 9],
            normals: [127, 0, 0, 0],
            field: null,
            nodes: [1, 2, 3, 4, 5, 6],
            contacts: [1, 2, 3, 4, 5, 6, 0, 7],
        },
    ];
    const buffer = encode_frame({ revision: 2, frame: 41, stats: [1, 2], probes: [3], tools: [tool], bodies, toolPoints: [1, 2, 3] });
    assert.equal(message_kind(buffer), 2);
    const frame = decode_frame(buffer);
    assert.deepEqual([frame.revision, frame.frame, ...frame.stats, ...frame.probes], [2, 41, 1, 2, 3]);
    const [hand] = frame.tools;
    assert.deepEqual([hand.kind, hand.owner, hand.size, hand.body, hand.point], [1000, 3, 0.5, 1, 9]);
    assert.deepEqual([[...hand.position], [...hand.rotation], [...hand.force]], [[1, 2, 3], [0, 0, 0, 1], [4, 5, 6]]);
    assert.deepEqual([...frame.bodies[0].positions], bodies[0].positions);
    assert.deepEqual([...frame.bodies[0].normals ?? []], bodies[0].normals);
    assert.deepEqual([...frame.bodies[0].field ?? []], [0.5, 2]);
    assert.equal(frame.bodies[0].nodes, null);
    assert.deepEqual([...frame.bodies[1].nodes ?? []], bodies[1].nodes);
    assert.deepEqual([...frame.bodies[1].contacts], bodies[1].contacts);
    assert.deepEqual([...frame.toolPoints], [1, 2, 3]);
});

test('a contact says which tool of the frame it is with', () => {
    const contacts = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    const body = { positions: [1, 2, 3], normals: [0, 0, 127, 0], field: null, nodes: null, contacts };
    const buffer = encode_frame({ revision: 1, frame: 1, stats: [], probes: [], tools: [], bodies: [body] });
    const { bodies } = decode_frame(buffer);
    bodies[0].others[8 + 6] = 1000002;
    assert.ok(contact_tool(bodies[0], 0) < 0); // a body
    assert.equal(contact_tool(bodies[0], 1), 2);
});

test('arrays are views of the message, not copies', () => {
    const body = { positions: [1, 2, 3], normals: [0, 0, 127, 0], field: null, nodes: null, contacts: [] };
    const buffer = encode_frame({ revision: 1, frame: 1, stats: [], probes: [], tools: [], bodies: [body] });
    assert.equal(decode_frame(buffer).bodies[0].positions.buffer, buffer);
});

test('a message that is too short or too long is refused', () => {
    const body = { positions: [1, 2, 3], normals: [0, 0, 127, 0], field: null, nodes: null, contacts: [] };
    const buffer = encode_frame({ revision: 1, frame: 1, stats: [1], probes: [], tools: [], bodies: [body] });
    for (let length = 0; length < buffer.byteLength; length += 4) {
        assert.throws(() => decode_frame(buffer.slice(0, length)), /frame: ends within/);
    }
    assert.throws(() => decode_frame(buffer.slice(0, 33)), /multiple of 4/);
    const longer = new ArrayBuffer(buffer.byteLength + 4);
    new Uint8Array(longer).set(new Uint8Array(buffer));
    assert.throws(() => decode_frame(longer), /4 bytes after its end/);
    assert.throws(() => decode_topology(encode_topology({
        revision: 1, body: 0, pointCount: 4, triangles, nodeCount: 0, edges: [],
    }).slice(0, 40)), /topology: ends within its triangles/);
});
