// Arrows, dots and lines over the bodies. They keep their thickness on the screen, however far away they are.
import * as THREE from 'three';

const up = new THREE.Vector3(0, 1, 0);
const shaftRadius = 1.6, headRadius = 4.6, headLength = 12; // pixels
const alwaysSeen = { depthTest: false, depthWrite: false, transparent: true };
const toneless = { toneMapped: false };

/** @param {string} colour */
function overlay_material(colour) {
    return new THREE.MeshBasicMaterial({ color: colour, ...alwaysSeen, ...toneless });
}

export class Arrow {
    /** @param {string} colour */
    constructor(colour) {
        this.material = overlay_material(colour);
        this.shaft = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0), this.material);
        this.head = new THREE.Mesh(new THREE.ConeGeometry(1, 1, 20).translate(0, 0.5, 0), this.material);
        this.group = new THREE.Group();
        this.group.add(this.shaft, this.head);
        this.group.renderOrder = this.shaft.renderOrder = this.head.renderOrder = 20;
        this.tip = new THREE.Vector3();
    }

    /**
     * @param {THREE.Vector3} from m
     * @param {THREE.Vector3} direction of length 1
     * @param {number} length pixels
     * @param {number} pixel its size there, m
     */
    place(from, direction, length, pixel) {
        const shaft = Math.max(0.1, length - headLength);
        this.group.position.copy(from);
        this.group.quaternion.setFromUnitVectors(up, direction);
        this.shaft.scale.set(shaftRadius * pixel, shaft * pixel, shaftRadius * pixel);
        this.head.scale.set(headRadius * pixel, headLength * pixel, headRadius * pixel);
        this.head.position.set(0, shaft * pixel, 0);
        this.tip.copy(from).addScaledVector(direction, length * pixel);
    }

    dispose() {
        this.group.removeFromParent();
        this.shaft.geometry.dispose();
        this.head.geometry.dispose();
        this.material.dispose();
    }
}

/** A straight line between two places. */
export class Rod {
    /** @param {string} colour @param {number} radius pixels */
    constructor(colour, radius) {
        this.radius = radius;
        this.material = overlay_material(colour);
        this.mesh = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0), this.material);
        this.mesh.renderOrder = 18;
        this.direction = new THREE.Vector3();
    }

    /** @param {THREE.Vector3} from @param {THREE.Vector3} to @param {number} pixel m */
    place(from, to, pixel) {
        const length = this.direction.subVectors(to, from).length();
        this.mesh.visible = length > pixel;
        if (this.mesh.visible) {
            this.mesh.position.copy(from);
            this.mesh.quaternion.setFromUnitVectors(up, this.direction.divideScalar(length));
            this.mesh.scale.set(this.radius * pixel, length, this.radius * pixel);
        }
    }

    dispose() {
        this.mesh.removeFromParent();
        this.mesh.geometry.dispose();
        this.material.dispose();
    }
}

/** Many equal dots. */
export class Dots {
    /** @param {string} colour @param {number} radius pixels @param {number} capacity @param {number} opacity */
    constructor(colour, radius, capacity, opacity = 1) {
        this.radius = radius;
        this.capacity = capacity;
        this.material = overlay_material(colour);
        this.material.opacity = opacity;
        this.mesh = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 16, 12), this.material, capacity);
        this.mesh.frustumCulled = false;
        this.mesh.renderOrder = 19;
        this.mesh.count = 0;
        this.matrix = new THREE.Matrix4();
    }

    clear() {
        this.mesh.count = 0;
    }

    /** @param {number} x @param {number} y @param {number} z m @param {number} pixel m @param {number} scale */
    add(x, y, z, pixel, scale = 1) {
        if (this.mesh.count < this.capacity) {
            const radius = scale * this.radius * pixel;
            this.matrix.makeScale(radius, radius, radius).setPosition(x, y, z);
            this.mesh.setMatrixAt(this.mesh.count++, this.matrix);
            this.mesh.instanceMatrix.needsUpdate = true;
        }
    }
}

/** Many thin lines of one pixel. */
export class Strokes {
    /** @param {string} colour @param {number} capacity */
    constructor(colour, capacity) {
        this.capacity = capacity;
        this.count = 0;
        this.positions = new THREE.BufferAttribute(new Float32Array(6 * capacity), 3).setUsage(THREE.DynamicDrawUsage);
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute('position', this.positions);
        this.object = new THREE.LineSegments(
            geometry, new THREE.LineBasicMaterial({ color: colour, ...alwaysSeen, ...toneless, opacity: 0.7 }));
        this.object.frustumCulled = false;
        this.object.renderOrder = 18;
    }

    clear() {
        this.count = 0;
        this.object.geometry.setDrawRange(0, 0);
    }

    /** @param {number} x @param {number} y @param {number} z from, m @param {number} u @param {number} v @param {number} w to, m */
    add(x, y, z, u, v, w) {
        if (this.count < this.capacity) {
            this.positions.setXYZ(2 * this.count, x, y, z);
            this.positions.setXYZ(2 * this.count + 1, u, v, w);
            ++this.count;
            this.object.geometry.setDrawRange(0, 2 * this.count);
            this.positions.needsUpdate = true;
        }
    }
}
