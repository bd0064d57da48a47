// Small texts at places of the 3D view.
import * as THREE from 'three';
import { make } from './dom.js';

export class Labels {
    /** @param {HTMLElement} parent */
    constructor(parent) {
        this.parent = parent;
        /** @type {HTMLElement[]} */
        this.pool = [];
        this.used = 0;
        this.projected = new THREE.Vector3();
    }

    begin() {
        this.used = 0;
    }

    /** @param {THREE.Vector3} place @param {string} text @param {string} kind a class @param {THREE.Camera} camera */
    add(place, text, kind, camera) {
        const { x, y, z } = this.projected.copy(place).project(camera);
        if (z > 1 || Math.abs(x) > 1.1 || Math.abs(y) > 1.1) {
            return;
        }
        let label = this.pool[this.used];
        if (!label) {
            label = make('span');
            this.pool.push(label);
            this.parent.append(label);
        }
        ++this.used;
        const { clientWidth: width, clientHeight: height } = this.parent;
        label.className = `label ${kind}`;
        label.hidden = false;
        if (label.textContent !== text) {
            label.textContent = text;
        }
        const left = Math.min(width - 60, Math.max(4, (0.5 + 0.5 * x) * width + 10));
        const top = Math.min(height - 24, Math.max(4, (0.5 - 0.5 * y) * height - 10));
        label.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
    }

    end() {
        for (let i = this.used; i < this.pool.length; ++i) {
            this.pool[i].hidden = true;
        }
    }
}
