// What the page knows of the engine: what exists, the scene that runs, and the newest frame. Everything else listens
// here.
import { Connection } from './connection.js';
import { decode_frame, decode_topology, frameKind, message_kind, topologyKind } from './frames.js';
import { hang_points } from './lattice_skin.js';
import { version } from './protocol.js';
import { Signal } from './signal.js';

/** @typedef {import('./protocol.js').Hello} Hello */
/** @typedef {import('./protocol.js').Scene} Scene */
/** @typedef {import('./protocol.js').ClientMessage} ClientMessage */
/** @typedef {import('./frames.js').Frame} Frame */
/** @typedef {import('./frames.js').Topology} Topology */

export class Session {
    /** @param {Connection} connection */
    constructor(connection) {
        this.connection = connection;
        /** @type {Hello | null} */
        this.hello = null;
        /** @type {Scene | null} */
        this.scene = null;
        this.state = /** @type {import('./protocol.js').State} */ (
            { type: 'state', paused: false, speed: 1, recording: false, clients: 1 });
        /** @type {import('./protocol.js').Pin[]} */
        this.pins = [];
        /** @type {import('./protocol.js').ControlsMessage | null} of precomputed bodies */
        this.controls = null;
        /** @type {Frame | null} the newest of this scene */
        this.frame = null;
        /** @type {(import('./frames.js').Lattice | null)[]} of the bodies of this scene */
        this.lattices = [];
        /** @type {number[]} frames that have come and are not answered yet */
        this.unanswered = [];
        this.body = 0; // the one that the panel edits
        this.counts = { frames: 0, bytes: 0, answered: 0, topologies: 0, refused: 0 };

        /** @type {Signal<Hello>} */
        this.helloChanged = new Signal();
        /** @type {Signal<Scene>} */
        this.sceneChanged = new Signal();
        /** @type {Signal<Topology>} */
        this.topologyChanged = new Signal();
        /** @type {Signal<Frame>} */
        this.frameArrived = new Signal();
        /** @type {Signal<import('./protocol.js').State>} */
        this.stateChanged = new Signal();
        /** @type {Signal<import('./protocol.js').Pin[]>} */
        this.pinsChanged = new Signal();
        /** @type {Signal<import('./protocol.js').ControlsMessage>} */
        this.controlsChanged = new Signal();
        /** @type {Signal<import('./protocol.js').Values>} */
        this.valueChanged = new Signal();
        /** @type {Signal<import('./protocol.js').Notice>} */
        this.noticed = new Signal();
        /** @type {Signal<import('./protocol.js').Recording>} */
        this.recordingChanged = new Signal();
        /** @type {Signal<number>} */
        this.bodyChosen = new Signal();

        connection.text.listen((message) => this.receive(message));
        connection.binary.listen((buffer) => this.receive_binary(buffer));
        connection.changed.listen(({ open }) => {
            if (!open) {
                this.unanswered.length = 0;
            }
        });
    }

    /** @param {import('./protocol.js').ServerMessage} message */
    receive(message) {
        switch (message.type) {
        case 'hello': return this.receive_hello(message);
        case 'scene': return this.receive_scene(message);
        case 'objects':
            this.pins = message.pins;
            return this.pinsChanged.send(this.pins);
        case 'controls':
            this.controls = message;
            return this.controlsChanged.send(message);
        case 'state':
            this.state = message;
            return this.stateChanged.send(message);
        case 'values': return this.receive_value(message);
        case 'notice': return this.noticed.send(message);
        case 'recording': return this.recordingChanged.send(message);
        case 'error': return this.noticed.send({ type: 'notice', level: 'error', message: message.message });
        default: return undefined;
        }
    }

    /** @param {Hello} hello */
    receive_hello(hello) {
        this.hello = hello;
        if (hello.protocol !== version) {
            const message = `the engine speaks protocol ${hello.protocol}, this page ${version}: reload the page`;
            this.noticed.send({ type: 'notice', level: 'error', message });
        }
        this.helloChanged.send(hello);
    }

    /** @param {Scene} scene */
    receive_scene(scene) {
        const chosen = this.scene?.bodies[this.body]?.name;
        const known = new Set(this.scene?.name === scene.name ? this.scene.bodies.map(({ name }) => name) : []);
        const added = scene.bodies.findIndex(({ name }) => known.size > 0 && !known.has(name));
        const same = scene.bodies.findIndex(({ name }) => name === chosen);
        this.scene = scene;
        this.frame = null;
        this.lattices = [];
        // What was just added is chosen; else the body that was, by its name: others may have come or gone before it.
        this.body = added >= 0 ? added : Math.max(0, known.size > 0 ? same : 0);
        this.sceneChanged.send(scene);
        this.bodyChosen.send(this.body);
    }

    /** @param {import('./protocol.js').Values} message */
    receive_value(message) {
        const { path, value } = message;
        const match = path.match(/^bodies\[(\d+)\]\.(.*)$/);
        if (match) {
            const body = this.scene?.bodies[Number(match[1])];
            if (body) {
                body.values[match[2]] = value;
                if (message.method) { // what was chosen may follow from it
                    body.method = message.method;
                    body.steps = message.steps;
                    body.undampedSteps = message.undampedSteps;
                }
            }
        } else if (this.scene) {
            if (this.scene.values) {
                this.scene.values[path] = value;
            }
            this.scene.document[path] = value;
            if (path === 'frameRate') {
                this.scene.frameRate = Number(value);
            }
        }
        this.valueChanged.send(message);
    }

    /** @param {ArrayBuffer} buffer */
    receive_binary(buffer) {
        const kind = message_kind(buffer);
        try {
            if (kind === topologyKind) {
                ++this.counts.topologies;
                this.receive_topology(decode_topology(buffer));
            } else if (kind === frameKind) {
                this.receive_frame(buffer);
            }
        } catch (error) {
            ++this.counts.refused;
            console.error('limber:', error);
        }
    }

    /** @param {import('./frames.js').Topology} topology */
    receive_topology(topology) {
        if (topology.revision === this.scene?.revision) {
            this.lattices[topology.body] = topology.lattice;
        }
        this.topologyChanged.send(topology);
    }

    /** @param {ArrayBuffer} buffer */
    receive_frame(buffer) {
        const frame = decode_frame(buffer);
        ++this.counts.frames;
        this.counts.bytes += buffer.byteLength;
        this.unanswered.push(frame.frame);
        if (frame.revision === this.scene?.revision) { // else it is of the scene before this one
            frame.bodies.forEach((body, i) => {
                const lattice = this.lattices[i];
                if (body.normals === null && lattice) {
                    hang_points(body, lattice);
                }
            });
            this.frame = frame;
            this.frameArrived.send(frame);
        }
    }

    /** Tells the engine that what came is drawn, so that it sends more. */
    answer_frames() {
        for (const frame of this.unanswered) {
            this.connection.send({ type: 'ack', frame });
            ++this.counts.answered;
        }
        this.unanswered.length = 0;
    }

    /** @param {number} body */
    choose_body(body) {
        if (this.scene && body !== this.body && body < this.scene.bodies.length) {
            this.body = body;
            this.bodyChosen.send(body);
        }
    }

    /** @param {ClientMessage} message */
    send(message) {
        this.connection.send(message);
    }

    /**
     * Asks, and tells the person if the engine refuses.
     * @param {ClientMessage} message
     * @returns {Promise<boolean>} done?
     */
    async ask(message) {
        try {
            await this.connection.ask(message);
            return true;
        } catch (error) {
            const reason = error instanceof Error ? error.message : String(error);
            this.noticed.send({ type: 'notice', level: 'error', message: reason });
            return false;
        }
    }
}
