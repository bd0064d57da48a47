// What tests of the page in a browser may use, as window.limber. Described in README.md.
import * as THREE from 'three';
import { pin_place } from './markers.js';

/**
 * @param {{
 *   session: import('./session.js').Session, view: import('./view.js').View, tools: import('./tools.js').Tools,
 *   toasts: import('./toasts.js').Toasts, display: import('./display_part.js').DisplayPart,
 *   opening: import('./opening.js').Opening, controls: import('./controls.js').Controls, status: import('./status.js').Status,
 * }} parts
 */
export function make_test_interface({ session, view, tools, toasts, display, opening, controls, status }) {
    const place = new THREE.Vector3();
    return {
        /** For a closer look while developing; not for tests. */
        parts: { session, view, tools, display, toasts, status },
        get state() {
            const { scene, hello, connection } = session;
            return {
                connected: connection.open,
                ready: hello !== null && session.frame !== null,
                paused: session.state.paused,
                speed: session.state.speed,
                recording: session.state.recording,
                clients: session.state.clients,
                revision: scene?.revision ?? null,
                scene: scene?.name ?? null,
                body: session.body,
                mode: tools.mode,
                field: view.shown.field,
                wireframe: view.shown.wireframe,
                mesh: view.shown.mesh,
                contacts: view.shown.contacts,
                range: [view.range.lower, view.range.upper],
                pins: session.pins.length,
                hands: tools.hands.held.size,
                frame: session.frame?.frame ?? null,
            };
        },
        get counts() {
            return { ...session.counts, ...view.counts };
        },
        get hello() {
            return session.hello;
        },
        get scene() {
            return session.scene;
        },
        get pins() {
            return session.pins;
        },
        /** Of precomputed bodies. */
        get controls() {
            return controls.bodies;
        },
        /** @returns {{x: number, y: number} | null} where the chosen control's centre is drawn */
        project_control() {
            const control = controls.control;
            return control && view.project(place.fromArray(control.center));
        },
        get notices() {
            return toasts.log;
        },
        /** @param {number} body @returns {number[] | null} (P x 3) m */
        positions(body = 0) {
            const positions = session.frame?.bodies[body]?.positions;
            return positions ? Array.from(positions) : null;
        },
        /** @param {number} body @returns {number[] | null} (P) */
        field(body = 0) {
            const field = session.frame?.bodies[body]?.field;
            return field ? Array.from(field) : null;
        },
        /** @param {number} body @returns {number[] | null} (N x 3) m */
        nodes(body = 0) {
            const nodes = session.frame?.bodies[body]?.nodes;
            return nodes ? Array.from(nodes) : null;
        },
        /** @returns {Record<string, number>} by name */
        stats() {
            const stats = session.frame?.stats;
            return Object.fromEntries((session.hello?.stats ?? []).map(({ name }, i) => [name, stats?.[i] ?? NaN]));
        },
        /** @returns {{kind: number, owner: number, size: number, position: number[], extent: number[], force: number[]}[]} tools and hands */
        tools() {
            return (session.frame?.tools ?? []).map(({ kind, owner, size, position, extent, force }) => (
                { kind, owner, size, position: Array.from(position), extent: Array.from(extent), force: Array.from(force) }));
        },
        /**
         * @param {number} body
         * @param {number} point
         * @returns {{x: number, y: number} | null} CSS pixels in the window
         */
        project(body, point) {
            const positions = session.frame?.bodies[body]?.positions;
            return positions ? view.project(place.fromArray(positions, 3 * point)) : null;
        },
        /**
         * @param {number} x
         * @param {number} y CSS pixels
         * @returns {{body: number, point: number} | null} what is drawn there
         */
        pick(x, y) {
            const picked = view.pick(x, y);
            return picked && { body: picked.body, point: picked.point };
        },
        /**
         * A place on the screen where a body can be taken.
         * @param {number} body
         * @returns {{x: number, y: number, point: number} | null}
         */
        find(body = 0) {
            const positions = session.frame?.bodies[body]?.positions ?? new Float32Array();
            const { left, top, width, height } = view.canvas.getBoundingClientRect();
            for (let point = 0; 3 * point < positions.length; ++point) {
                const { x, y } = view.project(place.fromArray(positions, 3 * point));
                const inside = x > left + 20 && x < left + width - 20 && y > top + 60 && y < top + height - 80;
                const hit = inside && document.elementFromPoint(x, y) === view.canvas ? view.pick(x, y) : null;
                if (hit && hit.body === body && hit.place.distanceTo(place) < 0.05 * view.size) {
                    return { x, y, point: hit.point };
                }
            }
            return null;
        },
        /** @param {number} index @returns {{x: number, y: number} | null} where a pin is drawn */
        project_pin(index) {
            const pin = session.pins[index];
            if (!pin) {
                return null;
            }
            pin_place(pin, session.frame, place);
            return view.project(place);
        },
        /** Cuts the line, as a fault would; the page comes back by itself. */
        disconnect() {
            session.connection.socket?.close();
        },
        /** @param {{azimuth?: number, elevation?: number, distance?: number}} pose degrees, m */
        look(pose) {
            const { goal } = view.orbit;
            goal.azimuth = pose.azimuth !== undefined ? THREE.MathUtils.degToRad(pose.azimuth) : goal.azimuth;
            goal.elevation = pose.elevation !== undefined ? THREE.MathUtils.degToRad(pose.elevation) : goal.elevation;
            goal.distance = pose.distance ?? goal.distance;
            view.orbit.jump();
            view.redraw();
        },
        send: (/** @type {import('./protocol.js').ClientMessage} */ message) => session.connection.ask(message),
        choose_field: (/** @type {string} */ field) => display.choose(field),
        open: (/** @type {File[]} */ files) => opening.open(files),
    };
}
