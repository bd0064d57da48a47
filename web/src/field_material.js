// How a field looks on a surface: each point's value, looked up in a colour map, under the light of the scene.
import * as THREE from 'three';
import { hue_bytes, map_bytes } from './colours.js';

const mapSize = 256;

/** What all bodies share: the map and the range of the chosen field. */
export class FieldLook {
    constructor() {
        this.maps = [map_bytes(false, mapSize), map_bytes(true, mapSize), hue_bytes(mapSize)].map(make_map);
        this.diverging = this.hues = false;
        this.uniforms = { fieldMap: { value: this.maps[0] }, fieldRange: { value: new THREE.Vector2(0, 1) },
            isolines: { value: 0 } };
    }

    /** @param {boolean} diverging */
    set_diverging(diverging) {
        this.diverging = diverging;
        this.choose_map();
    }

    /** @param {boolean} hues of fields that have no sign: all hues, instead of equal steps */
    set_hues(hues) {
        this.hues = hues;
        this.choose_map();
    }

    choose_map() {
        this.uniforms.fieldMap.value = this.maps[this.diverging ? 1 : this.hues ? 2 : 0];
    }

    /** @param {number} lower @param {number} upper */
    set_range(lower, upper) {
        this.uniforms.fieldRange.value.set(lower, 1 / Math.max(1e-30, upper - lower));
    }

    /** Lines of equal value, ten from end to end. @param {boolean} visible */
    set_isolines(visible) {
        this.uniforms.isolines.value = visible ? 1 : 0;
    }

    /** @param {THREE.Side} side @returns {THREE.MeshStandardMaterial} */
    make_material(side) {
        const material = new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0, side });
        material.polygonOffset = true;
        material.polygonOffsetFactor = material.polygonOffsetUnits = 1;
        material.onBeforeCompile = (shader) => {
            Object.assign(shader.uniforms, this.uniforms);
            shader.vertexShader = shader.vertexShader
                .replace('#include <common>', '#include <common>\nattribute float field;\nvarying float fieldValue;')
                .replace('#include <begin_vertex>', '#include <begin_vertex>\nfieldValue = field;');
            shader.fragmentShader = shader.fragmentShader
                .replace(
                    '#include <common>',
                    `#include <common>
                    varying float fieldValue;
                    uniform sampler2D fieldMap;
                    uniform float isolines;
                    uniform vec2 fieldRange;`
                )
                .replace(
                    '#include <color_fragment>',
                    `#include <color_fragment>
                    float fieldShare = clamp((fieldValue - fieldRange.x) * fieldRange.y, 0.0, 1.0);
                    float fieldPlace = mix(0.5, ${mapSize}.0 - 0.5, fieldShare) / ${mapSize}.0;
                    diffuseColor.rgb = texture2D(fieldMap, vec2(fieldPlace, 0.5)).rgb;
                    float level = (fieldValue - fieldRange.x) * fieldRange.y * 10.0;
                    float width = max(fwidth(level), 1e-6);
                    float line = 1.0 - smoothstep(0.5, 1.4, abs(fract(level - 0.5) - 0.5) / width);
                    diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.02), 0.75 * isolines * line * step(width, 0.5));`
                );
        };
        return material;
    }
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
function make_map(bytes) {
    const texture = new THREE.DataTexture(bytes, mapSize, 1);
    texture.colorSpace = THREE.SRGBColorSpace;
    texture.minFilter = texture.magFilter = THREE.LinearFilter;
    texture.needsUpdate = true;
    return texture;
}
