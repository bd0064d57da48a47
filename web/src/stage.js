// What a scene stands in: light, sky, and a ground with a soft shadow that fades into the background.
import * as THREE from 'three';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';

/** @typedef {{ground: string, grid: string, gridStrength: number, lamp: number, sky: number, environment: number}} Look */

/** @type {Record<'light' | 'dark', Look>} */
const looks = {
    light: { ground: '#e9ecf1', grid: '#7d8899', gridStrength: 0.4, lamp: 2.1, sky: 0.65, environment: 0.38 },
    dark: { ground: '#41444a', grid: '#aeb6c2', gridStrength: 0.13, lamp: 2.1, sky: 0.45, environment: 0.36 },
};
const lampDirection = new THREE.Vector3(-0.55, 1.25, 0.75).normalize();

export class Stage {
    /** @param {THREE.WebGLRenderer} renderer @param {THREE.Scene} scene @param {number} shadowSize pixels */
    constructor(renderer, scene, shadowSize) {
        this.scene = scene;
        this.size = 1; // m
        const generator = new THREE.PMREMGenerator(renderer);
        scene.environment = generator.fromScene(new RoomEnvironment(), 0.04).texture;
        generator.dispose();
        this.lamp = new THREE.DirectionalLight('#fff4e6', 2.5);
        this.lamp.castShadow = true;
        this.lamp.shadow.mapSize.set(shadowSize, shadowSize);
        this.lamp.shadow.radius = 5;
        this.sky = new THREE.HemisphereLight('#eaf2ff', '#a89d92', 0.7);
        this.ground = make_ground();
        scene.add(this.lamp, this.lamp.target, this.sky, this.ground);
    }

    /** @param {'light' | 'dark'} theme */
    set_theme(theme) {
        const look = looks[theme];
        const { uniforms } = this.ground.material.userData;
        this.ground.material.color.set(look.ground);
        uniforms.gridColour.value.set(look.grid);
        uniforms.gridStrength.value = look.gridStrength;
        this.lamp.intensity = look.lamp;
        this.sky.intensity = look.sky;
        this.scene.environmentIntensity = look.environment;
    }

    /**
     * @param {THREE.Box3} box of all bodies
     * @param {number | null} height of the ground, m; null: there is none
     */
    fit(box, height) {
        const middle = box.getCenter(new THREE.Vector3());
        const size = Math.max(1e-6, box.getSize(new THREE.Vector3()).length());
        this.ground.visible = height !== null;
        const { uniforms } = this.ground.material.userData;
        this.ground.position.set(middle.x, (height ?? 0) - 5e-4 * size, middle.z); // a hair lower, for what lies on it
        this.ground.scale.setScalar(9 * size);
        uniforms.reach.value = 4.5 * size;
        uniforms.cell.value = 10 ** Math.round(Math.log10(size / 12));
        this.size = size;
        this.light(middle);
        const reach = 1.15 * size; // some room around, for bodies that are pulled and thrown
        Object.assign(this.lamp.shadow.camera, {
            left: -reach, right: reach, top: reach, bottom: -reach, near: 0.2 * size, far: 6 * size,
        });
        this.lamp.shadow.camera.updateProjectionMatrix();
        this.lamp.shadow.normalBias = 0.004 * size;
        this.lamp.shadow.bias = -0.0004;
    }

    /** Shadows fall around this place. @param {THREE.Vector3} middle */
    light(middle) {
        this.lamp.target.position.copy(middle);
        this.lamp.position.copy(middle).addScaledVector(lampDirection, 3 * this.size);
        this.lamp.target.updateMatrixWorld();
    }
}

// Lambert: it fills most of the picture, and a dull floor needs no more.
/** @returns {THREE.Mesh<THREE.CircleGeometry, THREE.MeshLambertMaterial>} */
function make_ground() {
    const material = new THREE.MeshLambertMaterial({ transparent: true, depthWrite: false });
    const uniforms = {
        gridColour: { value: new THREE.Color() }, gridStrength: { value: 0.3 }, cell: { value: 0.1 }, reach: { value: 5 },
    };
    material.userData = { uniforms };
    material.onBeforeCompile = (shader) => {
        Object.assign(shader.uniforms, uniforms);
        shader.vertexShader = shader.vertexShader
            .replace('#include <common>', '#include <common>\nvarying vec3 groundPlace;\nvarying vec2 groundOffset;')
            .replace('#include <begin_vertex>', `#include <begin_vertex>
                groundPlace = (modelMatrix * vec4(position, 1.0)).xyz;
                groundOffset = groundPlace.xz - modelMatrix[3].xz;`);
        shader.fragmentShader = shader.fragmentShader
            .replace('#include <common>', `#include <common>
                varying vec3 groundPlace;
                varying vec2 groundOffset;
                uniform vec3 gridColour;
                uniform float gridStrength, cell, reach;
                float grid_lines(vec2 place, float pitch) {
                    vec2 at = place / pitch;
                    vec2 width = fwidth(at);
                    vec2 away = abs(fract(at - 0.5) - 0.5) / max(width, vec2(1e-6));
                    vec2 line = 1.0 - min(away, 1.0);
                    vec2 calm = 1.0 - smoothstep(0.15, 0.5, width); // far away lines would flicker
                    return max(line.x * calm.x, line.y * calm.y);
                }`)
            .replace('#include <color_fragment>', `#include <color_fragment>
                float away = length(groundOffset) / reach;
                float lines = max(0.55 * grid_lines(groundPlace.xz, cell), grid_lines(groundPlace.xz, 10.0 * cell));
                diffuseColor.rgb = mix(diffuseColor.rgb, gridColour, gridStrength * lines * (1.0 - smoothstep(0.1, 0.5, away)));
                diffuseColor.a *= 1.0 - smoothstep(0.25, 1.0, away);`);
    };
    const geometry = new THREE.CircleGeometry(0.5, 96).rotateX(-Math.PI / 2);
    const ground = new THREE.Mesh(geometry, material);
    ground.receiveShadow = true;
    ground.renderOrder = -1;
    return ground;
}
