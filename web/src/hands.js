// Hands that hold a body's skin by a point and pull it, one for each finger or mouse.
import * as THREE from 'three';
import { handCount } from './protocol.js';

/** @typedef {import('./view.js').Picked} Picked */
/** @typedef {{hand: number, target: THREE.Vector3, moved: boolean}} Hand target: m */

export class Hands {
    /** @param {import('./view.js').View} view @param {import('./session.js').Session} session */
    constructor(view, session) {
        this.view = view;
        this.session = session;
        /** @type {Map<number | string, Hand>} by pointer */
        this.held = new Map();
        this.plane = new THREE.Plane();
        this.normal = new THREE.Vector3();
    }

    /** @param {number | string} pointer @param {Picked} picked */
    take(pointer, { body, point, place }) {
        const used = new Set([...this.held.values()].map(({ hand }) => hand));
        const hand = Array.from({ length: handCount }, (_, i) => i).find((i) => !used.has(i));
        if (hand === undefined) {
            return;
        }
        this.held.set(pointer, { hand, target: place.clone(), moved: false });
        this.session.ask({ type: 'grab', hand, body, point, target: place.toArray() });
    }

    /**
     * Within the plane that faces the camera.
     * @param {number | string} pointer
     * @param {number} x
     * @param {number} y CSS pixels
     */
    move(pointer, x, y) {
        const hand = this.held.get(pointer);
        if (!hand) {
            return;
        }
        this.view.camera.getWorldDirection(this.normal);
        this.plane.setFromNormalAndCoplanarPoint(this.normal, hand.target);
        if (this.view.ray_at(x, y).intersectPlane(this.plane, hand.target)) {
            this.lift_above_ground(hand);
            hand.moved = true;
        }
    }

    /** @param {number | string} pointer @param {THREE.Vector3} offset m */
    shift(pointer, offset) {
        const hand = this.held.get(pointer);
        if (hand) {
            hand.target.add(offset);
            this.lift_above_ground(hand);
            hand.moved = true;
        }
    }

    // Nobody reaches through the floor; and the hand stays in sight.
    /** @param {Hand} hand */
    lift_above_ground(hand) {
        if (this.view.groundHeight !== null) {
            hand.target.y = Math.max(hand.target.y, this.view.groundHeight);
        }
    }

    /** Away from the person or nearer. @param {number} metres */
    shift_depth(metres) {
        this.view.camera.getWorldDirection(this.normal).multiplyScalar(metres);
        for (const pointer of this.held.keys()) {
            if (String(pointer).startsWith('kept ')) {
                continue;
            }
            this.shift(pointer, this.normal);
        }
    }

    /** Once for each picture: no more messages than are seen. */
    send_moves() {
        for (const hand of this.held.values()) {
            if (hand.moved) {
                hand.moved = false;
                this.session.send({ type: 'moveGrab', hand: hand.hand, target: hand.target.toArray() });
            }
        }
    }

    /**
     * A hand that stays where it is, so that one mouse has two. @param {number | string} pointer
     * @returns {boolean} whether it held something
     */
    keep(pointer) {
        const hand = this.held.get(pointer);
        if (hand) {
            this.held.delete(pointer);
            this.held.set(`kept ${hand.hand}`, hand);
        }
        return hand !== undefined;
    }

    /** @returns {[string, Hand][]} those that stay */
    kept() {
        return /** @type {[string, Hand][]} */ ([...this.held].filter(([pointer]) => String(pointer).startsWith('kept ')));
    }

    /** @param {number | string} pointer */
    release(pointer) {
        const hand = this.held.get(pointer);
        if (hand) {
            this.held.delete(pointer);
            this.session.send({ type: 'release', hand: hand.hand });
        }
    }

    release_all() {
        [...this.held.keys()].forEach((pointer) => this.release(pointer));
    }
}
