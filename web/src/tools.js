// What the mouse, fingers and keys do in the view: grab, push, pin; orbit, pan and zoom.
import * as THREE from 'three';
import { Arranging } from './arranging.js';
import { Hands } from './hands.js';
import { pin_place } from './markers.js';
import { PushTool } from './push_tool.js';
import { Signal } from './signal.js';

/** @typedef {'grab' | 'push' | 'pin' | 'arrange'} Mode */
/** @typedef {{kind: 'orbit' | 'pan' | 'hand' | 'poke' | 'arrange', x: number, y: number}} Drag */

const radiansPerPixel = 0.0065;
const pinReach = 14; // pixels within which a click means a pin
const keyboard = 'keyboard'; // in place of a pointer

export class Tools {
    /** @param {import('./view.js').View} view @param {import('./session.js').Session} session */
    constructor(view, session) {
        this.view = view;
        this.session = session;
        this.canvas = view.canvas;
        /** @type {Mode} */
        this.mode = 'grab';
        this.hands = new Hands(view, session);
        this.push = new PushTool(view, session);
        this.arranging = new Arranging(view, session);
        this.keeping = false; // hands that are let go stay where they are
        /** Whether a press is somebody else's. @type {(event: PointerEvent) => boolean} */
        this.claim = () => false;
        this.watching = false; // the next click chooses a point to watch
        /** @type {Signal<import('./view.js').Picked>} */
        this.watched = new Signal();
        this.pinShare = 0.03; // radius as a share of the scene's size
        /** @type {Map<number, Drag>} by pointer */
        this.drags = new Map();
        /** @type {{x: number, y: number} | null} where the pointer hovers, to be looked at with the next picture */
        this.hover = null;
        /** @type {Signal<Mode>} */
        this.modeChanged = new Signal();
        /** @type {Signal<void>} */
        this.grabbed = new Signal();
        this.listen();
        session.sceneChanged.listen(() => {
            this.push.forget(); // hands hold on: they are let go when the finger is
        });
        view.ticked.listen((seconds) => {
            this.hands.send_moves();
            this.push.update(seconds);
            this.look_around();
            view.mark_chosen(this.mode === 'arrange');
        });
    }

    get pinRadius() {
        return Number((this.pinShare * this.view.size).toPrecision(3));
    }

    /** @param {Mode} mode */
    set_mode(mode) {
        this.mode = mode;
        this.hands.release_all();
        this.push.set_active(mode === 'push');
        this.view.markers.show_ring(null, 0);
        this.canvas.dataset.mode = mode;
        this.modeChanged.send(mode);
        this.view.redraw();
    }

    listen() {
        const { canvas } = this;
        canvas.addEventListener('pointerdown', (event) => this.press(event));
        canvas.addEventListener('mousedown', (event) => event.preventDefault()); // no focus by mouse: it has a frame
        canvas.addEventListener('pointermove', (event) => this.move(event));
        for (const name of /** @type {const} */ (['pointerup', 'pointercancel', 'lostpointercapture'])) {
            canvas.addEventListener(name, (event) => this.lift(event));
        }
        canvas.addEventListener('pointerleave', () => {
            this.hover = null;
            this.view.markers.show_ring(null, 0);
        });
        canvas.addEventListener('wheel', (event) => this.turn_wheel(event), { passive: false });
        canvas.addEventListener('contextmenu', (event) => event.preventDefault());
        canvas.addEventListener('dblclick', (event) => {
            if (!this.view.pick(event.clientX, event.clientY)) {
                this.view.frame_bodies();
            }
        });
        canvas.addEventListener('keydown', (event) => this.press_key(event));
        canvas.addEventListener('blur', () => this.hands.release(keyboard));
    }

    /** @param {PointerEvent} event */
    press(event) {
        const { clientX: x, clientY: y, pointerId } = event;
        if (document.activeElement instanceof HTMLElement && document.activeElement !== this.canvas) {
            document.activeElement.blur(); // what was typed there is done, and keys are shortcuts again
        }
        try {
            this.canvas.setPointerCapture(pointerId);
        } catch {
            // a pointer that is gone already
        }
        const kind = this.choose_drag(event);
        if (kind) {
            this.drags.set(pointerId, { kind, x, y });
            this.canvas.dataset.drag = kind;
        }
    }

    /** @param {PointerEvent} event @returns {Drag['kind'] | null} what this press begins */
    choose_drag(event) {
        if (event.button === 1 || (event.button === 0 && event.shiftKey && this.mode !== 'arrange')) {
            return 'pan';
        }
        if (event.button === 2 || event.altKey) {
            return 'orbit';
        }
        if (event.button !== 0) {
            return null;
        }
        if (this.claim(event)) {
            return null;
        }
        const { clientX: x, clientY: y } = event;
        if (this.mode === 'push') {
            this.push.move(x, y);
            this.push.pressed = true;
            return 'poke';
        }
        if (this.mode === 'pin' && this.remove_pin_at(x, y)) {
            return null;
        }
        if (this.mode === 'grab' && this.take_kept_at(event)) {
            return 'hand';
        }
        const picked = this.view.pick(x, y);
        if (!picked) {
            return 'orbit';
        }
        if (this.watching) {
            this.watching = false;
            this.watched.send(picked);
            return null;
        }
        this.session.choose_body(picked.body);
        if (this.mode === 'arrange') {
            this.arranging.begin(picked, event.shiftKey);
            return 'arrange';
        }
        if (this.mode === 'pin') {
            this.session.ask({ type: 'pin', body: picked.body, point: picked.point, radius: this.pinRadius });
            return null;
        }
        this.hands.take(event.pointerId, picked);
        this.grabbed.send();
        return 'hand';
    }

    /** A hand that stays is taken again. @param {PointerEvent} event @returns {boolean} whether there was one */
    take_kept_at({ clientX: x, clientY: y, pointerId }) {
        for (const [key, hand] of this.hands.kept()) {
            const at = this.view.project(hand.target);
            if (Math.hypot(at.x - x, at.y - y) < pinReach) {
                this.hands.held.delete(key);
                this.hands.held.set(pointerId, hand);
                return true;
            }
        }
        return false;
    }

    /** The hand under the pointer stays where it is, or those that stay let go. */
    toggle_keep() {
        const held = [...this.hands.held.keys()].filter((pointer) => !String(pointer).startsWith('kept '));
        if (held.length > 0) {
            held.forEach((pointer) => this.hands.keep(pointer));
        } else {
            this.hands.kept().forEach(([key]) => this.hands.release(key));
        }
    }

    /** @param {number} x @param {number} y CSS pixels @returns {boolean} whether there was a pin */
    remove_pin_at(x, y) {
        const place = new THREE.Vector3();
        let nearest = pinReach, found = null;
        for (const pin of this.session.pins) {
            pin_place(pin, this.session.frame, place);
            const at = this.view.project(place);
            const away = Math.hypot(at.x - x, at.y - y);
            if (away < nearest) {
                [nearest, found] = [away, pin];
            }
        }
        if (found) {
            this.session.ask({ type: 'unpin', pin: found.pin });
        }
        return found !== null;
    }

    /** @param {PointerEvent} event */
    move(event) {
        const { clientX: x, clientY: y, pointerId } = event;
        const drag = this.drags.get(pointerId);
        if (this.mode === 'push') {
            this.push.move(x, y);
        }
        if (!drag) {
            this.hover = { x, y };
            return;
        }
        const dx = x - drag.x, dy = y - drag.y;
        const turning = [...this.drags.values()].filter(({ kind }) => kind === 'orbit');
        if (drag.kind === 'hand') {
            this.hands.move(pointerId, x, y);
        } else if (drag.kind === 'arrange') {
            this.arranging.move(x, y, event.shiftKey);
        } else if (drag.kind === 'pan') {
            this.view.following = false;
            this.view.orbit.pan(dx / this.canvas.clientHeight, dy / this.canvas.clientHeight);
        } else if (drag.kind === 'orbit' && turning.length === 2) {
            this.pinch(turning, drag, x, y);
        } else if (drag.kind === 'orbit') {
            this.view.rotate(radiansPerPixel * dx, radiansPerPixel * dy);
        }
        [drag.x, drag.y] = [x, y];
    }

    /**
     * Two fingers: nearer, farther, aside.
     * @param {Drag[]} both
     * @param {Drag} moved
     * @param {number} x
     * @param {number} y
     */
    pinch(both, moved, x, y) {
        const other = both[0] === moved ? both[1] : both[0];
        const before = Math.hypot(moved.x - other.x, moved.y - other.y), after = Math.hypot(x - other.x, y - other.y);
        this.view.following = false;
        this.view.zoom(Math.max(1, before) / Math.max(1, after));
        const height = this.canvas.clientHeight;
        this.view.orbit.pan((x - moved.x) / 2 / height, (y - moved.y) / 2 / height);
    }

    /** @param {PointerEvent} event */
    lift({ pointerId }) {
        const drag = this.drags.get(pointerId);
        if (!drag) {
            return;
        }
        this.drags.delete(pointerId);
        delete this.canvas.dataset.drag;
        if (drag.kind === 'hand') {
            if (!this.keeping || !this.hands.keep(pointerId)) {
                this.hands.release(pointerId);
            }
        } else if (drag.kind === 'arrange') {
            this.arranging.end();
        } else if (drag.kind === 'poke') {
            this.push.pressed = false;
        }
    }

    /** @param {WheelEvent} event */
    turn_wheel(event) {
        event.preventDefault();
        const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 * event.deltaY : event.deltaY;
        const turn = Math.max(-120, Math.min(120, pixels));
        if (this.mode === 'push' && !event.ctrlKey && !event.shiftKey) {
            this.push.shift_depth(-turn * 0.0006 * this.view.size);
        } else if (this.mode === 'arrange' && this.view.pick(event.clientX, event.clientY)?.body === this.session.body) {
            if (event.ctrlKey || event.shiftKey) {
                this.arranging.scale(Math.exp(-0.001 * turn));
            } else {
                this.arranging.turn(0.0022 * turn);
            }
        } else if (this.hands.held.size > this.hands.kept().length) {
            this.hands.shift_depth(-turn * 0.0006 * this.view.size);
        } else {
            this.view.zoom(Math.exp((event.ctrlKey ? 0.008 : 0.0014) * turn));
        }
    }

    /** What is under the pointer: the cursor shows it, and where a pin would be. */
    look_around() {
        if (!this.hover || this.drags.size > 0) {
            return;
        }
        const { x, y } = this.hover;
        this.hover = null;
        if (this.mode === 'push') {
            return;
        }
        const picked = this.view.pick(x, y);
        this.canvas.dataset.over = picked ? 'body' : '';
        if (this.mode === 'pin') {
            this.view.markers.show_ring(picked?.place ?? null, this.pinRadius);
            this.view.redraw();
        }
    }

    /**
     * Arrows turn the view, or move what the keyboard holds; Enter takes hold and lets go.
     * @param {KeyboardEvent} event
     */
    press_key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }
        const arrows = /** @type {Record<string, [number, number]>} */ ({
            ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
        });
        const arrow = arrows[event.key];
        if (arrow) {
            this.press_arrow(arrow[0], arrow[1], event.shiftKey);
        } else if (event.key === 'Enter') {
            this.toggle_keyboard_hand();
        } else if (event.key === '+' || event.key === '=') {
            this.view.zoom(0.85);
        } else if (event.key === '-') {
            this.view.zoom(1 / 0.85);
        } else if (event.key === 'Escape') {
            this.hands.release(keyboard);
        } else {
            return;
        }
        event.preventDefault();
    }

    /** @param {number} x @param {number} y @param {boolean} deep up and down mean away and nearer */
    press_arrow(x, y, deep) {
        if (!this.hands.held.has(keyboard)) {
            this.view.rotate(-0.12 * x, 0.08 * y);
            return;
        }
        const [right, up, back] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
        this.view.camera.matrixWorld.extractBasis(right, up, back);
        const step = 0.03 * this.view.size;
        this.hands.shift(
            keyboard,
            right.multiplyScalar(step * x).addScaledVector(deep ? back : up, (deep ? -step : step) * y)
        );
    }

    toggle_keyboard_hand() {
        if (this.hands.held.has(keyboard)) {
            this.hands.release(keyboard);
            return;
        }
        const picked = this.pick_near_middle();
        if (picked) {
            this.session.choose_body(picked.body);
            this.hands.take(keyboard, picked);
            this.grabbed.send();
        }
    }

    /**
     * @returns {import('./view.js').Picked | null} the chosen body's point that is nearest to the middle of the picture
     */
    pick_near_middle() {
        const { left, top, width, height } = this.canvas.getBoundingClientRect();
        for (let ring = 0; ring <= 12; ++ring) {
            for (let i = 0; i < Math.max(1, 6 * ring); ++i) {
                const angle = 2 * Math.PI * i / Math.max(1, 6 * ring);
                const away = ring / 12 * 0.45 * height;
                const picked = this.view.pick(
                    left + width / 2 + away * Math.cos(angle), top + height / 2 + away * Math.sin(angle));
                if (picked) {
                    return picked;
                }
            }
        }
        return null;
    }
}
