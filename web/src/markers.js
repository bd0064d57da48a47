// What acts on the bodies, made visible: tools, hands with their pull, forces as arrows with numbers, contacts, pins.
import * as THREE from 'three';
import { Arrow, Dots, Rod, Strokes } from './arrows.js';
import { contact_tool } from './frames.js';
import { place_of } from './lattice_skin.js';
import { handKind } from './protocol.js';
import { is_endless, make_tool, measures_of, place_tool, shape_tool, thin_plane } from './tool_shapes.js';
import { format_quantity } from './units.js';

/** @typedef {import('./frames.js').Frame} Frame */
/** @typedef {import('./frames.js').FrameTool} FrameTool */
/** @typedef {import('./protocol.js').Pin} Pin */

const colours = { hand: '#ff4f7b', force: '#ffb020', tool: '#ffb020', contact: '#ffd166', pin: '#3ec5ff' };
const contactCapacity = 1024, pinCapacity = 256, handCapacity = 64;
const leastForce = 1e-4; // N; below, no arrow

/** How long an arrow is: tenfold forces are equally much longer. @param {number} force N @returns {number} pixels */
export function arrow_length(force) {
    return Math.min(150, 16 + 34 * Math.log10(1 + force / 0.05));
}

export class Markers {
    /** @param {import('./view.js').View} view @param {import('./labels.js').Labels} labels */
    constructor(view, labels) {
        this.view = view;
        this.labels = labels;
        this.group = new THREE.Group();
        this.hands = new Dots(colours.hand, 5.5, handCapacity);
        this.taken = new Dots(colours.hand, 3.2, handCapacity);
        this.contacts = new Dots(colours.contact, 2.4, contactCapacity, 0.9);
        this.contactForces = new Strokes(colours.contact, contactCapacity);
        this.pins = new Dots(colours.pin, 6, pinCapacity);
        this.pinCores = new Dots('#ffffff', 2.2, pinCapacity);
        this.ring = new THREE.Mesh(
            new THREE.SphereGeometry(1, 40, 24),
            new THREE.MeshBasicMaterial({ color: colours.pin, transparent: true, opacity: 0.28, depthWrite: false }));
        this.ring.visible = false;
        this.pinCores.mesh.renderOrder = 20;
        for (const dots of [this.hands, this.taken, this.contacts, this.pins, this.pinCores]) {
            this.group.add(dots.mesh);
        }
        this.group.add(this.contactForces.object, this.ring);
        /** @type {Arrow[]} */
        this.arrows = [];
        /** @type {Rod[]} */
        this.rods = [];
        /** @type {{mesh: THREE.Mesh<THREE.BufferGeometry, THREE.Material>, look: string}[]} */
        this.tools = [];
        this.planeCount = 0; // but for the ground
        /** @type {'none' | 'own' | 'all'} own: those at this page's tool */
        this.showContacts = 'none';
        this.from = new THREE.Vector3();
        this.to = new THREE.Vector3();
        this.direction = new THREE.Vector3();
    }

    /** @param {Frame} frame @param {Pin[]} pins */
    update(frame, pins) {
        this.hands.clear();
        this.taken.clear();
        this.labels.begin();
        let arrowCount = 0, rodCount = 0, toolCount = 0;
        const names = this.view.session.hello?.tools ?? [];
        this.planeCount = frame.tools.filter(
            (tool) => is_endless(names[tool.kind]?.name ?? '') && !this.view.is_ground(tool)
        ).length;
        let point = 0; // the first of the tools' points that is still to be shown
        for (const [i, tool] of frame.tools.entries()) {
            if (tool.kind === handKind) {
                rodCount += this.show_hand(tool, frame, rodCount);
            } else {
                const described = tool.owner === 0 ? this.view.session.scene?.tools[i] : undefined;
                const points = described?.deforms ? described.points?.length ?? 0 : 0;
                const used = this.show_tool(tool, toolCount, i, described);
                if (used > 0 && points > 0) {
                    shape_tool(this.tools[toolCount].mesh, frame.toolPoints.subarray(point, point + points));
                }
                point += points;
                toolCount += used;
            }
            arrowCount += this.show_force(tool, frame, arrowCount);
        }
        this.labels.end();
        hide_rest(this.arrows.map((arrow) => arrow.group), arrowCount);
        hide_rest(this.rods.map((rod) => rod.mesh), rodCount);
        hide_rest(this.tools.map((tool) => tool.mesh), toolCount);
        this.update_contacts(frame);
        this.update_pins(frame, pins);
    }

    /** @param {FrameTool} hand @param {Frame} frame @param {number} index @returns {number} rods used */
    show_hand(hand, frame, index) {
        this.to.fromArray(hand.position);
        const pixel = this.view.pixel_at(this.to);
        this.hands.add(this.to.x, this.to.y, this.to.z, pixel);
        if (!point_of(hand, frame, this.from)) {
            return 0;
        }
        this.taken.add(this.from.x, this.from.y, this.from.z, pixel);
        const rod = this.rods[index] ?? new Rod(colours.hand, 1);
        if (!this.rods[index]) {
            this.rods.push(rod);
            this.group.add(rod.mesh);
        }
        rod.place(this.from, this.to, pixel);
        return 1;
    }

    /**
     * @param {FrameTool} tool
     * @param {number} index of the mesh to use
     * @param {number} place in the frame
     * @param {import('./protocol.js').SceneTool} [described] if it is the scene's
     * @returns {number} meshes used
     */
    show_tool(tool, index, place, described) {
        const kind = this.view.session.hello?.tools[tool.kind]?.name ?? '';
        if (is_endless(kind) && this.view.is_ground(tool)) {
            return 0;
        }
        const own = tool.owner !== 0;
        const used = this.tools[index];
        const mesh_of = described?.points ? `${this.view.session.scene?.revision} ${place}` : '';
        const look = `${own} ${measures_of(tool)} ${mesh_of}`;
        if (used?.look !== look) {
            used?.mesh.removeFromParent();
            used?.mesh.geometry.dispose();
            used?.mesh.material.dispose();
            const mesh = make_tool(kind, own, tool, described);
            this.tools[index] = { mesh, look };
            this.group.add(mesh);
        }
        const { mesh } = this.tools[index];
        mesh.visible = true;
        place_tool(mesh, tool, kind, this.view.size);
        if (is_endless(kind)) {
            thin_plane(mesh.material, this.planeCount);
        }
        return 1;
    }

    /**
     * Of a hand: how it pulls the body. Of a tool: what it feels.
     * @param {FrameTool} tool @param {Frame} frame @param {number} index @returns {number} arrows used
     */
    show_force(tool, frame, index) {
        const isHand = tool.kind === handKind;
        const kind = this.view.session.hello?.tools[tool.kind]?.name ?? '';
        const newtons = this.direction.fromArray(tool.force).length();
        if (!(newtons > leastForce) || is_endless(kind)) {
            return 0;
        }
        this.direction.divideScalar(isHand ? -newtons : newtons);
        if (!isHand || !point_of(tool, frame, this.from)) {
            this.from.fromArray(tool.position);
        }
        let arrow = this.arrows[index];
        if (!arrow) {
            arrow = new Arrow(colours.force);
            this.arrows.push(arrow);
            this.group.add(arrow.group);
        }
        arrow.group.visible = true;
        arrow.place(this.from, this.direction, arrow_length(newtons), this.view.pixel_at(this.from));
        this.labels.add(arrow.tip, format_quantity(newtons, 'N', 2), isHand ? 'of-hand' : 'of-tool', this.view.camera);
        return 1;
    }

    /** @param {Frame} frame */
    update_contacts(frame) {
        this.contacts.clear();
        this.contactForces.clear();
        if (this.showContacts === 'none') {
            return;
        }
        const client = this.view.session.hello?.client;
        for (const body of frame.bodies) {
            const { contacts, contactCount } = body;
            for (let c = 0; c < contactCount; ++c) {
                const i = 8 * c;
                const [x, y, z] = [contacts[i], contacts[i + 1], contacts[i + 2]];
                if (this.showContacts === 'own' && frame.tools[contact_tool(body, c)]?.owner !== client) {
                    continue;
                }
                const pixel = this.view.pixel_at(this.from.set(x, y, z));
                this.contacts.add(x, y, z, pixel);
                this.direction.set(contacts[i + 3], contacts[i + 4], contacts[i + 5]);
                const newtons = this.direction.length();
                if (newtons > leastForce) {
                    const {
                        x: u,
                        y: v,
                        z: w,
                    } = this.direction.multiplyScalar((0.4 * arrow_length(newtons) * pixel) / newtons);
                    this.contactForces.add(x, y, z, x + u, y + v, z + w);
                }
            }
        }
    }

    /** @param {Frame} frame @param {Pin[]} pins */
    update_pins(frame, pins) {
        this.pins.clear();
        this.pinCores.clear();
        for (const pin of pins) {
            pin_place(pin, frame, this.from);
            const pixel = this.view.pixel_at(this.from);
            this.pins.add(this.from.x, this.from.y, this.from.z, pixel, pin.own ? 1 : 0.7);
            this.pinCores.add(this.from.x, this.from.y, this.from.z, pixel, pin.own ? 1 : 0.7);
        }
    }

    /** Shows what a pin would hold. @param {THREE.Vector3 | null} place @param {number} radius m */
    show_ring(place, radius) {
        this.ring.visible = place !== null;
        if (place) {
            this.ring.position.copy(place);
            this.ring.scale.setScalar(radius);
        }
    }
}

/** @param {THREE.Object3D[]} objects @param {number} used */
function hide_rest(objects, used) {
    for (let i = used; i < objects.length; ++i) {
        objects[i].visible = false;
    }
}

/**
 * @param {FrameTool} hand
 * @param {Frame} frame
 * @param {THREE.Vector3} place is set
 * @returns {boolean} whether there is such a point
 */
function point_of(hand, frame, place) {
    const body = frame.bodies[hand.body];
    if (!body || hand.point >= body.pointCount) {
        return false;
    }
    place_of(body, hand.point, place);
    return true;
}

/** @param {Pin} pin @param {Frame | null} frame @param {THREE.Vector3} place is set */
export function pin_place(pin, frame, place) {
    const body = frame?.bodies[pin.body];
    if (pin.point !== null && body && pin.point < body.pointCount) {
        place_of(body, pin.point, place);
    } else {
        place.fromArray(pin.position);
    }
}
