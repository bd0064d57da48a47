// Controls of precomputed bodies: dots where they are, arrows for the force and the torque that hold them, and a gizmo
// that drags, turns and scales the chosen one. A shape that the engine refuses as too far from linear is said to be so.
import * as THREE from 'three';
import { TransformControls } from 'three/addons/controls/TransformControls.js';
import { Arrow, Dots } from './arrows.js';
import { ControlPart } from './control_part.js';
import { find } from './dom.js';
import { arrow_length } from './markers.js';

/** @typedef {import('./protocol.js').Control} Control */
/** @typedef {import('./protocol.js').ControlledBody} ControlledBody */
/** @typedef {import('./control_part.js').GizmoMode} GizmoMode */

const colours = { control: '#37d67a', chosen: '#ffffff', force: '#ffb020', torque: '#b388ff' };
const reach = 16; // pixels within which a press means a control

export class Controls {
    /**
     * @param {import('./view.js').View} view
     * @param {import('./session.js').Session} session
     * @param {import('./tools.js').Tools} tools
     */
    constructor(view, session, tools) {
        this.view = view;
        this.session = session;
        this.chosen = { body: -1, control: -1 };
        this.asked = false; // the gizmo is not yet where the engine was told
        this.telling = false;
        this.dots = new Dots(colours.control, 7, 256);
        this.cores = new Dots(colours.chosen, 2.6, 256);
        this.cores.mesh.renderOrder = 21;
        /** @type {Arrow[]} */
        this.arrows = [];
        this.proxy = new THREE.Object3D();
        this.gizmo = new TransformControls(view.camera, view.canvas);
        this.gizmo.setSize(0.8);
        this.helper = this.gizmo.getHelper();
        view.scene.add(this.dots.mesh, this.cores.mesh, this.proxy, this.helper);
        this.gizmo.addEventListener('change', () => view.redraw());
        this.gizmo.addEventListener('objectChange', () => { this.asked = true; });
        this.gizmo.addEventListener('dragging-changed', () => this.follow());
        tools.claim = (event) => this.takes(event);
        session.controlsChanged.listen(() => this.update());
        session.sceneChanged.listen(() => this.update());
        view.ticked.listen(() => {
            this.tell();
            this.place_marks();
        });
        this.part = new ControlPart({
            choose: (body, control) => this.choose(body, control),
            set_mode: (mode) => this.set_mode(mode),
            let_go: () => this.let_go(),
        });
        this.set_mode('translate');
        this.update();
    }

    // ---- What there is

    /** @returns {ControlledBody[]} of the scene that is shown */
    get bodies() {
        const { controls, scene } = this.session;
        return controls && controls.revision === scene?.revision ? controls.bodies : [];
    }

    /** @returns {Control | null} the chosen one */
    get control() {
        const body = this.bodies.find((one) => one.body === this.chosen.body);
        return body?.controls[this.chosen.control] ?? null;
    }

    /** @param {number} body @param {number} control */
    choose(body, control) {
        this.chosen = { body, control };
        this.session.choose_body(body);
        this.update();
    }

    update() {
        const control = this.control;
        if (!control || control.fixed) {
            const body = this.bodies[0];
            const first = body?.controls.findLastIndex((one) => !one.fixed) ?? -1;
            if (first >= 0 && body && (this.chosen.body !== body.body || this.chosen.control !== first)) {
                this.choose(body.body, first);
                return;
            }
        }
        find('hint').textContent = this.bodies.length > 0 ? 'Drag the arrows' : first_hint(this.session.scene);
        this.follow();
        this.part.show(this.bodies, this.chosen, this.control);
        this.view.redraw();
    }

    /** The gizmo goes where the control is, but while a person has it. */
    follow() {
        const control = this.control;
        if (control && !control.fixed) {
            if (!this.gizmo.dragging && !this.asked) {
                const axis = (/** @type {number[]} */ a) => new THREE.Vector3().fromArray(a);
                const matrix = new THREE.Matrix4().makeBasis(axis(control.x), axis(control.y), axis(control.z));
                matrix.setPosition(axis(control.center)).decompose(this.proxy.position, this.proxy.quaternion, this.proxy.scale);
                this.proxy.updateMatrixWorld();
            }
            if (this.gizmo.object !== this.proxy) {
                this.gizmo.attach(this.proxy);
            }
        } else if (this.gizmo.object) {
            this.gizmo.detach();
        }
        this.view.redraw();
    }

    // ---- What a person does

    /** @param {GizmoMode} mode */
    set_mode(mode) {
        this.gizmo.setMode(mode);
        this.gizmo.setSpace(mode === 'translate' ? 'world' : 'local');
        this.part.show_mode(mode);
        this.view.redraw();
    }

    /** Whether a press belongs to the gizmo, or chooses a control. @param {PointerEvent} event */
    takes(event) {
        if (event.button !== 0 || this.bodies.length === 0) {
            return false;
        }
        if (this.gizmo.object) {
            const { left, top, width, height } = this.view.canvas.getBoundingClientRect();
            const x = 2 * (event.clientX - left) / width - 1, y = 1 - 2 * (event.clientY - top) / height;
            this.gizmo.pointerHover(/** @type {any} */ ({ x, y, button: event.button }));
            if (this.gizmo.axis !== null) {
                return true;
            }
        }
        return this.choose_at(event.clientX, event.clientY);
    }

    /** @param {number} x @param {number} y CSS pixels @returns {boolean} whether a control is there */
    choose_at(x, y) {
        const place = new THREE.Vector3();
        for (const { body, controls } of this.bodies) {
            for (const [index, control] of controls.entries()) {
                const at = this.view.project(place.fromArray(control.center));
                if (!control.fixed && Math.hypot(at.x - x, at.y - y) < reach) {
                    this.choose(body, index);
                    return true;
                }
            }
        }
        return false;
    }

    /** One message at a time, of the newest place. */
    async tell() {
        if (!this.asked || this.telling || !this.control) {
            return;
        }
        this.asked = false;
        this.telling = true;
        const { position, quaternion, scale } = this.proxy;
        const size = scale.toArray().map((s) => Math.min(1000, Math.max(1e-3, Math.abs(s))));
        await this.session.ask({
            type: 'control', ...this.chosen, center: position.toArray(), rotation: quaternion.toArray(), scale: size,
        });
        this.telling = false;
    }

    /** The chosen control moves by forces from now on. */
    let_go() {
        this.session.ask({ type: 'control', ...this.chosen, free: true });
    }

    // ---- What is seen

    place_marks() {
        this.dots.clear();
        this.cores.clear();
        let used = 0;
        const from = new THREE.Vector3(), along = new THREE.Vector3();
        for (const { body, controls } of this.bodies) {
            for (const [index, control] of controls.entries()) {
                const [x, y, z] = control.center;
                const pixel = this.view.pixel_at(from.set(x, y, z));
                this.dots.add(x, y, z, pixel, control.fixed ? 0.6 : 1);
                if (body === this.chosen.body && index === this.chosen.control) {
                    this.cores.add(x, y, z, pixel);
                }
                for (const [vector, colour] of /** @type {[number[], string][]} */ ([[control.force, colours.force], [control.torque, colours.torque]])) {
                    const size = along.fromArray(vector).length();
                    if (size > 1e-6) {
                        used += this.show_arrow(used, colour, from, along.divideScalar(size), arrow_length(size), pixel);
                    }
                }
            }
        }
        this.arrows.forEach((arrow, i) => { arrow.group.visible = i < used; });
    }

    /**
     * @param {number} index
     * @param {string} colour
     * @param {THREE.Vector3} from
     * @param {THREE.Vector3} direction
     * @param {number} length pixels
     * @param {number} pixel m
     */
    show_arrow(index, colour, from, direction, length, pixel) {
        let arrow = this.arrows[index];
        if (!arrow) {
            arrow = new Arrow(colour);
            this.arrows.push(arrow);
            this.view.scene.add(arrow.group);
        }
        arrow.material.color.set(colour);
        arrow.place(from, direction, length, pixel);
        return 1;
    }
}

/** What a newcomer is told to do: in words of what there is. @param {import('./protocol.js').Scene | null} scene */
function first_hint(scene) {
    const soft = scene?.bodies.filter(({ kind }) => kind === undefined || kind === 'dynamic') ?? [];
    const only = soft.length === 1 && /^[a-z]+$/.test(soft[0].name) ? soft[0].name : '';
    return only ? `Drag the ${only}` : soft.length > 0 ? 'Drag the jelly' : 'Drag a body';
}
