// The tool that pushes: it follows the pointer in a plane that faces the camera; the wheel moves the plane, and a
// pressed button pokes.
import * as THREE from 'three';

const pokeTime = 0.11; // s
const pokeDepth = 0.3; // in radii, beyond its reach: into what the pointer was on

/**
 * Tools that are one of the engine's kinds with sides of their own, in radii. Their own y axis goes the way of a poke.
 * reach: how far they go before the pointer; slanted: the pointer is at the tip, and the rest is seen beside it.
 * @type {Record<string, {kind: string, label: string, size: number[], reach: number, radius?: number, slanted?: boolean}>}
 */
export const forms = {
    plate: { kind: 'box', label: 'Plate', size: [4, 0.8, 4], reach: 1.9 },
    needle: { kind: 'capsule', label: 'Needle', size: [0, 5, 0], reach: 0.4, radius: 0.12, slanted: true },
    ring: { kind: 'mesh', label: 'Ring', size: [0, 0, 0], reach: 1.1 },
};
const upwards = new THREE.Vector3(0, 1, 0);
/** Of kinds that have no form of their own. @type {Record<string, number>} */
const reaches = { sphere: 1.3, box: 1.9, capsule: 2.4 };

export class PushTool {
    /** @param {import('./view.js').View} view @param {import('./session.js').Session} session */
    constructor(view, session) {
        this.view = view;
        this.session = session;
        this.kind = ''; // of the engine
        this.form = ''; // as people call it: a kind, or one of the forms
        this.share = 0.045; // radius as a share of the scene's size
        this.active = false;
        this.present = false; // the engine has it
        this.pressed = false;
        this.poke = 0; // 0 to 1
        this.depth = 0; // m from the camera to the plane, along its direction
        this.x = 0;
        this.y = 0;
        this.changed = false;
        this.position = new THREE.Vector3();
        this.direction = new THREE.Vector3();
        this.plane = new THREE.Plane();
        this.turn = new THREE.Quaternion();
        this.basis = new THREE.Matrix4();
        this.reset = true;
    }

    get radius() {
        return Number((this.share * this.view.size).toPrecision(3));
    }

    /** How far it goes before the pointer, in radii. */
    get reach() {
        return forms[this.form]?.reach ?? reaches[this.kind] ?? 2;
    }

    /** @param {string} form */
    choose(form) {
        this.form = form;
        this.kind = forms[form]?.kind ?? form;
        this.reset = true; // in front of what the pointer is on, however long it is
        this.changed = true;
    }

    /** @param {boolean} active */
    set_active(active) {
        this.active = active;
        this.view.toolActive = active;
        this.reset = true;
        this.pressed = false;
        this.poke = 0;
        if (!active) {
            this.remove();
        }
        this.view.redraw();
    }

    remove() {
        if (this.present) {
            this.session.send({ type: 'tool', kind: null });
        }
        this.present = false;
        this.changed = false;
    }

    /** A world that was built anew knows of no tool. */
    forget() {
        this.present = false;
        this.reset = true;
    }

    /** @param {number} x @param {number} y CSS pixels in the window */
    move(x, y) {
        [this.x, this.y] = [x, y];
        if (this.reset) {
            this.choose_depth();
            this.reset = false;
        }
        this.changed = true;
    }

    // Through the middle of the bodies; but in front of one that the pointer is on, so that the tool is not inside it.
    choose_depth() {
        const { camera } = this.view;
        camera.getWorldDirection(this.direction);
        const middle = this.view.bounds().getCenter(new THREE.Vector3());
        this.depth = this.direction.dot(middle.sub(camera.position));
        const picked = this.view.pick(this.x, this.y);
        if (picked) {
            this.depth = this.direction.dot(picked.place.sub(camera.position)) - this.reach * this.radius;
        }
    }

    /** @param {number} metres */
    shift_depth(metres) {
        this.depth = Math.max(2 * this.view.camera.near, this.depth + metres);
        this.changed = true;
    }

    /** Once for each picture. @param {number} seconds since the last */
    update(seconds) {
        const goal = this.pressed ? 1 : 0;
        if (this.poke !== goal) {
            const step = seconds / pokeTime; // not at once, whoever wants less motion: it would jump into the body
            this.poke = this.poke < goal ? Math.min(goal, this.poke + step) : Math.max(goal, this.poke - step);
            this.changed = true;
        }
        if (this.active && this.changed && this.kind && !this.reset) {
            this.changed = false;
            this.send();
        }
    }

    send() {
        const { camera } = this.view;
        camera.getWorldDirection(this.direction);
        const ease = this.poke * this.poke * (3 - 2 * this.poke);
        const depth = this.depth + ease * (this.reach + pokeDepth) * this.radius;
        this.position.copy(camera.position).addScaledVector(this.direction, depth);
        this.plane.setFromNormalAndCoplanarPoint(this.direction, this.position);
        if (!this.view.ray_at(this.x, this.y).intersectPlane(this.plane, this.position)) {
            return;
        }
        this.turn_form();
        const message = {
            type: 'tool',
            kind: this.kind,
            position: this.position.toArray(),
            rotation: this.turn.toArray(),
            radius: this.radius * (forms[this.form]?.radius ?? 1),
            ...(forms[this.form] ? { size: forms[this.form].size.map((share) => share * this.radius) } : {}),
        };
        if (this.present) {
            this.session.send(message);
        } else {
            this.present = true; // asked once, so that a refusal is seen once
            this.session.ask(message).then((done) => { this.present &&= done; });
        }
    }

    /** Turns a tool that has a form the way it pokes. */
    turn_form() {
        const form = forms[this.form];
        this.turn.identity();
        if (!form) {
            return;
        }
        const [right, up, back] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
        this.view.camera.matrixWorld.extractBasis(right, up, back);
        if (!form.slanted) { // upright as it is seen
            this.turn.setFromRotationMatrix(this.basis.makeBasis(right, back.negate(), up));
            return;
        }
        const way = this.direction.clone().addScaledVector(right, -0.6).addScaledVector(up, -0.5).normalize();
        this.position.addScaledVector(way, -0.5 * form.size[1] * this.radius);
        this.turn.setFromUnitVectors(upwards, way);
    }
}
