// A camera that circles around a point, smoothly: inputs move its goal, and it follows.
import * as THREE from 'three';
import { calmMotion } from './dom.js';

const followTime = 0.09; // s
const lowest = THREE.MathUtils.degToRad(-80), highest = THREE.MathUtils.degToRad(89);
const fieldOfView = 32; // degrees
const across = 0.78; // share of the picture's width that a scene fills at first

/** What lies over the picture, as shares of its height. @typedef {{top: number, bottom: number}} Bars */
/** @typedef {{target: THREE.Vector3, azimuth: number, elevation: number, distance: number}} Pose angles in radians */

export class OrbitCamera {
    constructor() {
        this.camera = new THREE.PerspectiveCamera(fieldOfView, 1, 0.01, 100);
        this.pose = start_pose();
        this.goal = start_pose();
        this.size = 1; // m, of what is looked at
        /** @type {number | null} m: the camera stays above it */
        this.ground = null;
        this.right = new THREE.Vector3();
        this.up = new THREE.Vector3();
        /** @type {Bars} */
        this.bars = { top: 0.08, bottom: 0.16 };
    }

    /** @param {number} dx @param {number} dy radians */
    rotate(dx, dy) {
        this.goal.azimuth -= dx;
        this.goal.elevation = THREE.MathUtils.clamp(this.goal.elevation + dy, lowest, highest);
    }

    /** @param {number} dx @param {number} dy shares of the picture's height */
    pan(dx, dy) {
        const metres = 2 * this.goal.distance * Math.tan(THREE.MathUtils.degToRad(fieldOfView / 2));
        this.camera.matrixWorld.extractBasis(this.right, this.up, new THREE.Vector3());
        this.goal.target.addScaledVector(this.right, -dx * metres).addScaledVector(this.up, dy * metres);
    }

    /** @param {number} factor above 1: farther away */
    zoom(factor) {
        this.goal.distance = THREE.MathUtils.clamp(this.goal.distance * factor, 0.15 * this.size, 40 * this.size);
    }

    /**
     * Looks at a box, whole and as near as can be.
     * @param {THREE.Box3} box
     */
    look_at(box) {
        this.size = Math.max(1e-6, box.getSize(new THREE.Vector3()).length());
        const usual = start_pose();
        const turns = Math.round((this.goal.azimuth - usual.azimuth) / (2 * Math.PI)); // the shortest way round
        this.goal.azimuth = usual.azimuth + 2 * Math.PI * turns;
        this.goal.elevation = usual.elevation;
        box.getCenter(this.goal.target);
        const { distance, aside, upwards } = this.fit(box);
        this.goal.target.addScaledVector(this.right, aside).addScaledVector(this.up, upwards);
        this.goal.distance = distance;
    }

    /** Looks at a box anew, from as far as it takes and no nearer, if it has grown or gone out of the picture. @param {THREE.Box3} box */
    hold(box) {
        const { corners, low, high, wide } = this.measure(box);
        const half = Math.tan(THREE.MathUtils.degToRad(fieldOfView / 2));
        const asked = Math.max(...corners.map(([x, y, near]) => near + Math.max(Math.abs(x) / wide, y / high, y / low) / half));
        if (asked > 1.12 * this.goal.distance && asked < 40 * this.size) {
            const { distance, aside, upwards } = this.fit(box);
            this.goal.target.addScaledVector(this.right, aside).addScaledVector(this.up, upwards);
            this.goal.distance = Math.max(this.goal.distance, distance);
        }
    }

    /**
     * The corners of a box as they are seen from the goal's direction, and how far they may be from the picture's middle.
     * @param {THREE.Box3} box
     */
    measure(box) {
        const { azimuth, elevation, target } = this.goal;
        const back = new THREE.Vector3(
            Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation), Math.cos(elevation) * Math.cos(azimuth));
        const right = new THREE.Vector3(Math.cos(azimuth), 0, -Math.sin(azimuth));
        const up = new THREE.Vector3().crossVectors(back, right);
        const corners = Array.from({ length: 8 }, (_, i) => {
            const corner = new THREE.Vector3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z).sub(target);
            return [corner.dot(right), corner.dot(up), corner.dot(back)];
        });
        return { right, up, corners, low: 2 * this.bars.bottom - 1, high: 1 - 2 * this.bars.top, wide: across * this.camera.aspect };
    }

    /**
     * The least distance from which a box is seen whole, between the bars, and where to look for that. A corner at (x, y)
     * whose depth is z is seen at y / ((distance - z) half): what bounds the distance is linear in all of them.
     * @param {THREE.Box3} box
     */
    fit(box) {
        const { right, up, corners, low, high, wide } = this.measure(box);
        const half = Math.tan(THREE.MathUtils.degToRad(fieldOfView / 2));
        const most = (/** @type {number} */ axis, /** @type {number} */ end) => Math.max(...corners.map((at) => at[axis] + end * half * at[2]));
        const least = (/** @type {number} */ axis, /** @type {number} */ end) => Math.min(...corners.map((at) => at[axis] + end * half * at[2]));
        const distance = Math.max(
            (most(1, high) - least(1, low)) / (half * (high - low)), (most(0, wide) - least(0, -wide)) / (half * 2 * wide));
        this.right.copy(right);
        this.up.copy(up);
        return {
            distance,
            aside: (most(0, wide) + least(0, -wide)) / 2,
            upwards: (most(1, high) + least(1, low) - half * (high + low) * distance) / 2,
        };
    }

    /** Goes along with something. @param {THREE.Vector3} way m */
    shift(way) {
        this.goal.target.add(way);
        this.pose.target.add(way);
        this.place();
    }

    /** Nobody looks from below the floor. @param {Pose} pose */
    stay_above(pose) {
        if (this.ground !== null && pose.target.y > this.ground - this.size) {
            const least = (this.ground + 0.02 * this.size - pose.target.y) / pose.distance;
            pose.elevation = Math.max(pose.elevation, Math.asin(THREE.MathUtils.clamp(least, -1, 1)));
        }
    }

    /** Is at its goal at once. */
    jump() {
        this.pose.target.copy(this.goal.target);
        Object.assign(this.pose, { ...this.goal, target: this.pose.target });
        this.place();
    }

    /** @param {number} aspect */
    set_aspect(aspect) {
        this.camera.aspect = aspect;
        this.camera.updateProjectionMatrix();
    }

    /** @param {number} seconds @returns {boolean} whether it is still on its way */
    update(seconds) {
        const { pose, goal } = this;
        this.stay_above(goal);
        const away = Math.abs(pose.azimuth - goal.azimuth) + Math.abs(pose.elevation - goal.elevation) +
            Math.abs(Math.log(pose.distance / goal.distance)) + pose.target.distanceTo(goal.target) / goal.distance;
        if (away < 1e-4) {
            return false;
        }
        const share = calmMotion.matches ? 1 : 1 - Math.exp(-seconds / followTime);
        pose.azimuth += share * (goal.azimuth - pose.azimuth);
        pose.elevation += share * (goal.elevation - pose.elevation);
        pose.distance *= (goal.distance / pose.distance) ** share;
        pose.target.lerp(goal.target, share);
        this.place();
        return true;
    }

    place() {
        this.stay_above(this.pose);
        const { target, azimuth, elevation, distance } = this.pose;
        const flat = distance * Math.cos(elevation);
        this.camera.position.set(
            target.x + flat * Math.sin(azimuth), target.y + distance * Math.sin(elevation),
            target.z + flat * Math.cos(azimuth));
        this.camera.lookAt(target);
        this.camera.near = Math.max(0.02 * this.size, 0.02 * distance);
        this.camera.far = distance + 60 * this.size;
        this.camera.updateProjectionMatrix();
        this.camera.updateMatrixWorld();
    }
}

/** @returns {Pose} */
function start_pose() {
    return {
        target: new THREE.Vector3(0, 0.3, 0),
        azimuth: THREE.MathUtils.degToRad(22),
        elevation: THREE.MathUtils.degToRad(16),
        distance: 3,
    };
}
