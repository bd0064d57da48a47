// Moving, turning and scaling the chosen body as a whole. While that goes on only its picture moves; the engine is told
// once, when it is done, and puts the body there anew.
import * as THREE from 'three';

const tellAfter = 250; // ms after the last turn of the wheel

export class Arranging {
    /** @param {import('./view.js').View} view @param {import('./session.js').Session} session */
    constructor(view, session) {
        this.view = view;
        this.session = session;
        this.active = false;
        this.start = new THREE.Vector3(); // where it was taken
        this.way = new THREE.Vector3();
        this.angle = 0;
        this.factor = 1;
        this.plane = new THREE.Plane();
        this.hit = new THREE.Vector3();
        this.timer = 0;
        session.sceneChanged.listen(() => this.forget());
    }

    /** @returns {import('./body_view.js').BodyView | null} */
    get body() {
        return this.view.bodies[this.session.body] ?? null;
    }

    /** @returns {THREE.Vector3} of the body as it is drawn without being moved */
    middle() {
        const box = new THREE.Box3();
        this.body?.expand(box);
        return box.getCenter(new THREE.Vector3());
    }

    /** @param {import('./view.js').Picked} picked @param {boolean} upwards */
    begin(picked, upwards) {
        this.active = true;
        this.start.copy(picked.place);
        this.way.set(0, 0, 0);
        this.face(upwards);
    }

    /** The plane in which it moves: level, or upright and facing the person. @param {boolean} upwards */
    face(upwards) {
        const normal = new THREE.Vector3(0, 1, 0);
        if (upwards) {
            this.view.camera.getWorldDirection(normal).setY(0).normalize();
        }
        this.plane.setFromNormalAndCoplanarPoint(normal, this.start);
        this.upwards = upwards;
    }

    /** @param {number} x @param {number} y CSS pixels @param {boolean} upwards */
    move(x, y, upwards) {
        if (!this.active) {
            return;
        }
        if (upwards !== this.upwards) {
            this.start.add(this.way);
            const before = this.way.clone();
            this.face(upwards);
            this.start.sub(before);
            this.plane.translate(before.multiplyScalar(0));
        }
        if (this.view.ray_at(x, y).intersectPlane(this.plane, this.hit) && this.hit.distanceTo(this.start) < 20 * this.view.size) {
            this.hit.sub(this.start);
            this.way.set(upwards ? 0 : this.hit.x, upwards ? this.hit.y : this.way.y, upwards ? 0 : this.hit.z);
            this.show();
        }
    }

    /** @param {number} angle rad, about the vertical */
    turn(angle) {
        this.angle += angle;
        this.tell_soon();
    }

    /** @param {number} factor */
    scale(factor) {
        this.factor = THREE.MathUtils.clamp(this.factor * factor, 0.1, 10);
        this.tell_soon();
    }

    tell_soon() {
        this.show();
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => this.tell(), tellAfter);
    }

    show() {
        const { body } = this;
        if (body) {
            const middle = this.middle();
            const turn = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 1, 0), this.angle);
            body.group.quaternion.copy(turn);
            body.group.scale.setScalar(this.factor);
            body.group.position.copy(middle).sub(middle.clone().multiplyScalar(this.factor).applyQuaternion(turn)).add(this.way);
            this.view.redraw();
        }
    }

    end() {
        this.active = false;
        if (this.way.length() > 1e-4 * this.view.size) {
            this.tell();
        } else if (this.angle === 0 && this.factor === 1) {
            this.forget();
        }
    }

    async tell() {
        clearTimeout(this.timer);
        const center = this.middle().add(this.way).toArray();
        const turn = [0, Math.sin(this.angle / 2), 0, Math.cos(this.angle / 2)];
        const { body } = this.session;
        const scale = this.factor;
        if (!await this.session.ask({ type: 'place', body, center, turn, scale })) {
            this.forget();
        }
    }

    forget() {
        const { body } = this;
        clearTimeout(this.timer);
        this.active = false;
        this.way.set(0, 0, 0);
        [this.angle, this.factor] = [0, 1];
        if (body) {
            body.group.position.set(0, 0, 0);
            body.group.quaternion.identity();
            body.group.scale.setScalar(1);
            this.view.redraw();
        }
    }
}
