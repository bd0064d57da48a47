// The 3D view: draws the newest frame when there is one, and nothing while nothing changes.
import * as THREE from 'three';
import { BodyView } from './body_view.js';
import { OrbitCamera } from './camera.js';
import { FieldLook } from './field_material.js';
import { FieldRange } from './field_range.js';
import { Markers } from './markers.js';
import { pick_triangle } from './picking.js';
import { draws_in_software, Quality } from './quality.js';
import { Signal } from './signal.js';
import { Section } from './section.js';
import { Stage } from './stage.js';

/** @typedef {import('./session.js').Session} Session */
/** @typedef {{body: number, point: number, place: THREE.Vector3}} Picked */
/**
 * section: where a plane cuts bodies open, null: nowhere; axis 0, 1, 2: x, y, z; share of the way through the scene
 * @typedef {{
 *   field: string | null, wireframe: boolean, mesh: boolean, contacts: boolean, isolines: boolean, hues: boolean,
 *   section: {axis: number, share: number} | null,
 * }} Shown
 */

const lineColours = {
    light: { wire: '#10141a', mesh: '#123f7a' },
    dark: { wire: '#0b0d10', mesh: '#a8d8ff' },
};

const followBeyond = 0.5; // share of the way from the picture's middle to its edge

export class View {
    /**
     * @param {HTMLCanvasElement} canvas
     * @param {Session} session
     * @param {import('./labels.js').Labels} labels
     * @param {(revision: number, body: number, material: number) => string} texture_address
     */
    constructor(canvas, session, labels, texture_address) {
        this.canvas = canvas;
        this.session = session;
        this.texture_address = texture_address;
        const modest = draws_in_software();
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !modest, alpha: true });
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFShadowMap;
        this.renderer.toneMapping = THREE.NeutralToneMapping; // keeps the bodies' own colours
        this.scene = new THREE.Scene();
        this.stage = new Stage(this.renderer, this.scene, modest);
        this.orbit = new OrbitCamera();
        this.camera = this.orbit.camera;
        this.fieldLook = new FieldLook();
        this.range = new FieldRange();
        /** @type {(BodyView | null)[]} */
        this.bodies = [];
        /** @type {BodyView[]} of the scene before, to be disposed of once the new ones are drawn: they share shaders */
        this.retired = [];
        this.markers = new Markers(this, labels);
        this.scene.add(this.markers.group);
        this.quality = new Quality(this, modest);
        this.size = 1; // m, of the scene
        /** @type {number | null} m */
        this.groundHeight = null;
        /** @type {'light' | 'dark'} */
        this.theme = 'dark';
        /** @type {Shown} */
        this.shown = { field: null, wireframe: false, mesh: false, contacts: false, isolines: false, hues: false, section: null };
        this.section = new Section(this);
        this.renderer.localClippingEnabled = true;
        this.chosen = new THREE.Box3Helper(new THREE.Box3(), new THREE.Color('#3ea6ff'));
        this.chosen.visible = false;
        this.scene.add(this.chosen);
        this.middle = new THREE.Vector3(); // of the bodies, m
        this.chasing = false;
        this.toolActive = false;
        this.dirty = true;
        this.frameIsNew = false;
        this.needsFraming = true;
        this.framedScene = '';
        /** @type {string[]} */
        this.framedBodies = [];
        this.keepCamera = false;
        this.following = true; // until the person moves the view aside
        this.fitting = true; // until the person turns the view, or goes nearer or farther
        /** What lies over the picture. @type {() => import('./camera.js').Bars} */
        this.bars = () => this.orbit.bars;
        this.lastTime = 0;
        this.drewLast = false;
        this.counts = { draws: 0, framesDrawn: 0 };
        /** @type {Signal<number>} s since the last; at the display's pace, drawn or not */
        this.ticked = new Signal();
        /** @type {Signal<number>} s since the last tick; after each picture */
        this.drawn = new Signal();
        /** @type {Signal<void>} the size of the scene is known */
        this.framed = new Signal();
        this.caster = new THREE.Raycaster();

        session.sceneChanged.listen((scene) => this.begin_scene(scene));
        session.topologyChanged.listen((topology) => this.add_body(topology));
        session.frameArrived.listen(() => { this.frameIsNew = true; });
        session.pinsChanged.listen(() => this.redraw());
        session.bodyChosen.listen(() => {
            this.bodies.forEach((body) => body && this.show_body(body));
            this.section.update();
            this.redraw();
        });
        new ResizeObserver(() => this.resize()).observe(canvas.parentElement ?? canvas);
        this.resize();
        requestAnimationFrame((time) => this.loop(time));
    }

    redraw() {
        this.dirty = true;
    }

    /** @param {'light' | 'dark'} theme */
    set_theme(theme) {
        this.theme = theme;
        this.stage.set_theme(theme);
        this.bodies.forEach((body) => body?.set_line_colours(lineColours[theme]));
        this.redraw();
    }

    resize() {
        const parent = this.canvas.parentElement ?? this.canvas;
        const width = Math.max(1, parent.clientWidth), height = Math.max(1, parent.clientHeight);
        const { ratio, shadows } = this.quality.now();
        this.stage.lamp.castShadow = shadows;
        this.renderer.setPixelRatio(ratio);
        this.renderer.setSize(width, height, false);
        this.orbit.set_aspect(width / height);
        this.draw(); // at once: a canvas of another size is empty
    }

    /** @param {import('./protocol.js').Scene} scene */
    begin_scene(scene) {
        this.retired.push(...this.bodies.filter((body) => body !== null)); // seen until the new ones have a frame
        this.bodies = scene.bodies.map(() => null);
        const names = scene.bodies.map((body) => body.name);
        this.needsFraming = true;
        // Built anew, or added to: the person stays where they are.
        this.keepCamera = scene.name === this.framedScene && names.some((name) => this.framedBodies.includes(name));
        this.framedScene = scene.name;
        this.framedBodies = names;
        const height = scene.document?.ground?.height;
        this.groundHeight = scene.document?.ground ? Number(height ?? 0) : null;
        if (this.shown.field) {
            this.range.restart(this.range.diverging);
        }
        this.redraw();
    }

    /** @param {import('./frames.js').Topology} topology */
    add_body(topology) {
        const { scene } = this.session;
        if (!scene || topology.revision !== scene.revision || topology.body >= scene.bodies.length) {
            return;
        }
        const { revision, body } = topology;
        this.bodies[body]?.dispose();
        const address = (/** @type {number} */ material) => this.texture_address(revision, body, material);
        const { materials, kind, shape } = scene.bodies[body];
        const stiff = kind !== undefined && kind !== 'dynamic';
        const flat = shape === 'box' && kind !== undefined && kind !== 'dynamic'; // its sides stay flat, its edges sharp
        const view = new BodyView(topology, materials, this.fieldLook, address, { flat, stiff }, () => this.redraw());
        view.group.visible = false; // until its first frame
        this.bodies[body] = view;
        this.scene.add(view.group);
        this.show_body(view);
        this.redraw();
    }

    /** @param {BodyView} body */
    show_body(body) {
        body.show({ field: this.shown.field !== null, wireframe: this.shown.wireframe, mesh: this.shown.mesh });
        body.cut(this.shown.section && body.topology.tets && body === this.bodies[this.session.body] ? [this.section.plane] : null);
        body.set_line_colours(lineColours[this.theme]);
    }

    /** @param {Partial<Shown>} change */
    show(change) {
        const field = change.field !== undefined && change.field !== this.shown.field;
        Object.assign(this.shown, change);
        if (field) {
            const described = this.session.hello?.fields.find(({ name }) => name === this.shown.field);
            this.fieldLook.set_diverging(described?.diverging ?? false);
            this.range.restart(described?.diverging ?? false);
        }
        this.fieldLook.set_isolines(this.shown.isolines);
        this.fieldLook.set_hues(this.shown.hues);
        this.bodies.forEach((body) => body && this.show_body(body));
        this.section.update();
        this.tell_engine();
        this.redraw();
    }

    async tell_engine() {
        if (!this.session.connection.open) {
            return; // will be told with the next hello
        }
        const mesh = this.shown.mesh || this.shown.section !== null;
        await this.session.ask({ type: 'view', field: this.shown.field, mesh, lattice: true });
    }

    /** @param {number} time ms */
    loop(time) {
        requestAnimationFrame((next) => this.loop(next));
        const seconds = Math.min(0.25, (time - this.lastTime) / 1000);
        this.lastTime = time;
        this.ticked.send(seconds);
        const moving = this.orbit.update(seconds);
        if (this.frameIsNew) {
            this.take_frame(seconds);
        }
        const draw = moving || this.dirty;
        if (draw) {
            this.draw();
            if (this.drewLast) {
                this.quality.measure(seconds);
            }
            this.drawn.send(seconds);
        } else {
            this.quality.rest(seconds);
        }
        this.drewLast = draw;
        this.session.answer_frames();
    }

    /** Shows the frame that is there as if it had just come. */
    look_again() {
        this.frameIsNew = true;
    }

    /** @param {number} seconds */
    take_frame(seconds) {
        this.frameIsNew = false;
        const { frame } = this.session;
        if (!frame) {
            return;
        }
        ++this.counts.framesDrawn;
        this.retired.forEach(({ group }) => { group.visible = false; });
        const { hello } = this.session;
        const fieldIsRight = this.shown.field !== null && hello?.fields[frame.field]?.name === this.shown.field;
        for (const [i, body] of frame.bodies.entries()) {
            const view = this.bodies[i];
            if (view) {
                view.update(body, fieldIsRight);
                view.group.visible = true;
            }
        }
        if (fieldIsRight) {
            this.range.update(frame.bodies.flatMap((body) => body.field ?? []), seconds);
            this.fieldLook.set_range(this.range.lower, this.range.upper);
        }
        this.section.update();
        if (this.needsFraming) {
            this.frame_bodies(!this.keepCamera);
            this.needsFraming = false;
        }
        this.follow();
        this.dirty = true;
    }

    /** Bodies that swim, fly or fall away stay in sight: once they leave the middle, the camera goes along with them. */
    follow() {
        const box = this.bounds(false);
        const middle = box.getCenter(new THREE.Vector3());
        const way = middle.clone().sub(this.middle);
        this.middle.copy(middle);
        const inReach = box.getSize(new THREE.Vector3()).length() < 20 * this.size;
        if (!this.following || !inReach) {
            this.chasing = false;
            return;
        }
        const { x, y } = middle.clone().project(this.camera);
        const away = Math.max(Math.abs(x), Math.abs(y));
        this.chasing = away > followBeyond || (this.chasing && way.length() > 1e-3 * this.size);
        if (this.chasing) { // as fast as they are, and nearer
            this.orbit.shift(way);
            this.orbit.goal.target.lerp(middle, 0.15);
            this.stage.light(middle);
        }
        if (this.fitting && !this.is_touched()) {
            this.orbit.hold(box);
        }
    }

    /** Whether this page's person has a hand on something: what is pulled does not run away from who pulls it. */
    is_touched() {
        const { frame, hello } = this.session;
        return this.toolActive || frame?.tools.some(({ owner }) => owner === hello?.client) === true;
    }

    /** @param {number} dx @param {number} dy radians */
    rotate(dx, dy) {
        this.fitting = false;
        this.orbit.rotate(dx, dy);
    }

    /** @param {number} factor above 1: farther away */
    zoom(factor) {
        this.fitting = false;
        this.orbit.zoom(factor);
    }

    /** The body that is edited has a frame around it where that helps. @param {boolean} visible */
    mark_chosen(visible) {
        const body = this.bodies[this.session.body];
        this.chosen.visible = visible && Boolean(body?.latest);
        if (this.chosen.visible && body) {
            this.chosen.box.makeEmpty();
            body.expand(this.chosen.box);
            this.chosen.box.expandByScalar(0.01 * this.size);
            this.chosen.position.copy(body.group.position);
        }
    }

    /** @param {boolean} all with what stands about @returns {THREE.Box3} of all bodies as they are */
    bounds(all = true) {
        const box = new THREE.Box3();
        const { scene, frame, hello } = this.session;
        this.bodies.forEach((body, i) => {
            if (all || scene?.bodies[i]?.kind !== 'guided') {
                body?.expand(box);
            }
        });
        for (const { owner, kind, position, size, extent } of all ? frame?.tools ?? [] : []) {
            if (owner === 0 && hello?.tools[kind] && !['half-space', 'mesh'].includes(hello.tools[kind].name)) {
                const half = Math.max(size, ...extent.map((length) => length / 2 + size));
                box.expandByPoint(new THREE.Vector3(...position).addScalar(half));
                box.expandByPoint(new THREE.Vector3(...position).subScalar(half));
            }
        }
        if (box.isEmpty()) {
            box.set(new THREE.Vector3(-0.5, 0, -0.5), new THREE.Vector3(0.5, 1, 0.5));
        }
        return box;
    }

    /** Looks at all bodies. @param {boolean} moveCamera */
    frame_bodies(moveCamera = true) {
        const box = this.bounds();
        this.size = box.getSize(new THREE.Vector3()).length();
        if (this.groundHeight !== null && box.min.y - this.groundHeight < 2 * this.size) {
            box.expandByPoint(box.getCenter(new THREE.Vector3()).setY(this.groundHeight)); // where things will fall to
        }
        this.orbit.ground = this.groundHeight;
        this.middle.copy(this.bounds(false).getCenter(new THREE.Vector3()));
        this.stage.fit(box, this.groundHeight);
        if (moveCamera) {
            this.following = this.fitting = true;
            this.orbit.bars = this.bars();
            this.orbit.look_at(box);
            if (this.counts.framesDrawn <= 1) {
                this.orbit.jump();
            }
        }
        this.framed.send();
        this.redraw();
    }

    draw() {
        this.dirty = false;
        ++this.counts.draws;
        const { frame, pins } = this.session;
        if (frame) {
            this.markers.showContacts = this.shown.contacts ? 'all' : this.toolActive ? 'own' : 'none';
            this.markers.update(frame, pins);
        }
        this.renderer.render(this.scene, this.camera);
        if (frame && this.retired.length > 0) {
            this.retired.forEach((body) => body.dispose());
            this.retired.length = 0;
        }
    }

    /** @param {THREE.Vector3} place @returns {number} how large a pixel is there, m */
    pixel_at(place) {
        const distance = Math.max(this.camera.near, place.distanceTo(this.camera.position));
        return 2 * distance * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)) / this.canvas.clientHeight;
    }

    /**
     * @param {import('./frames.js').FrameTool} tool
     * @returns {boolean} whether this is the ground that is drawn already
     */
    is_ground(tool) {
        const [x, , z] = tool.rotation;
        return (
            this.groundHeight !== null &&
            Math.abs(tool.position[1] - this.groundHeight) < 1e-4 &&
            Math.hypot(x, z) < 1e-4
        );
    }

    /** @param {number} x @param {number} y CSS pixels in the window @returns {THREE.Ray} valid until the next call */
    ray_at(x, y) {
        const { left, top, width, height } = this.canvas.getBoundingClientRect();
        this.caster.setFromCamera(
            new THREE.Vector2((2 * (x - left)) / width - 1, 1 - (2 * (y - top)) / height),
            this.camera
        );
        return this.caster.ray;
    }

    /** @param {number} x @param {number} y CSS pixels in the window @returns {Picked | null} */
    pick(x, y) {
        const ray = this.ray_at(x, y);
        const origin = ray.origin.toArray(), direction = ray.direction.toArray();
        /** @type {Picked | null} */
        let best = null;
        let nearest = Infinity;
        for (const [body, view] of this.bodies.entries()) {
            const hit =
                view?.latest && pick_triangle(origin, direction, view.latest.positions, view.topology.triangles);
            if (hit && hit.distance < nearest) {
                nearest = hit.distance;
                best = { body, point: hit.point, place: ray.at(hit.distance, new THREE.Vector3()) };
            }
        }
        return best;
    }

    /** @param {THREE.Vector3} place @returns {{x: number, y: number}} CSS pixels in the window */
    project(place) {
        const { left, top, width, height } = this.canvas.getBoundingClientRect();
        const { x, y } = place.clone().project(this.camera);
        return { x: left + (0.5 + 0.5 * x) * width, y: top + (0.5 - 0.5 * y) * height };
    }
}
