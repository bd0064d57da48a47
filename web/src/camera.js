// A camera that circles around a point, smoothly: inputs move its goal, and it follows.
import * as THREE from 'three';
import { calmMotion } from './dom.js';

const followTime = 0.09; // s
const lowest = THREE.MathUtils.degToRad(-80), highest = THREE.MathUtils.degToRad(89);
const fieldOfView = 32; // degrees
// Shares of the picture that a scene fills at first: bars lie over its edges.
const margin = { across: 0.86, along: 0.72 };

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
        this.goal.target.y -= 0.08 * (box.max.y - box.min.y); // what falls ends up below
        this.goal.distance = this.distance_for(box);
    }

    /** From how far all corners of a box are well within the picture. @param {THREE.Box3} box */
    distance_for(box) {
        const { azimuth, elevation, target } = this.goal;
        const back = new THREE.Vector3(
            Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation), Math.cos(elevation) * Math.cos(azimuth));
        const right = new THREE.Vector3(Math.cos(azimuth), 0, -Math.sin(azimuth));
        const up = new THREE.Vector3().crossVectors(back, right);
        const half = Math.tan(THREE.MathUtils.degToRad(fieldOfView / 2));
        const corner = new THREE.Vector3();
        let distance = 0;
        for (let i = 0; i < 8; ++i) {
            corner
                .set(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z)
                .sub(target);
            const across = Math.abs(corner.dot(right)) / (margin.across * this.camera.aspect);
            const along = Math.abs(corner.dot(up)) / margin.along;
            distance = Math.max(distance, Math.max(across, along) / half + corner.dot(back));
        }
        return distance;
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
