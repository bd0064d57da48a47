// What render.mjs opens in a browser: recordings on a ground under a studio's light, shown at any time.
// A picture is the mean of many renders, each with lights and camera a little elsewhere: soft shadows, smooth edges.
import * as THREE from 'three';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { toCreasedNormals } from 'three/addons/utils/BufferGeometryUtils.js';

const background = new THREE.Color('#dfe4ea');
const palette = ['#e8386d', '#f7a51b', '#35b56a', '#1f9be0', '#7d4fd6']; // of shapes that have no colour
const hair = 0.004; // how much smaller and lower tools and ground are drawn, so that cloth on them is not half hidden

const scene = new THREE.Scene();
const players = []; // {mixer, end}
const moving = []; // {object, path, smooth}
const surfaces = []; // meshes of the recordings
const stills = []; // what is shown in their place where edges are to be sharp
let renderer, camera, lamp, sky, picture, crease;

// options: see render.mjs. Resolves when the recordings are loaded.
window.prepare = async (options) => {
    make_renderer();
    const { models, animations } = await load_models(options.models);
    crease = options.crease && THREE.MathUtils.degToRad(options.crease);
    arrange(models, options);
    add_tools(options.tools ?? []);
    for (const [i, clip] of animations) {
        const mixer = new THREE.AnimationMixer(models[i]);
        mixer.clipAction(clip).play();
        players.push({ mixer, end: clip.duration - 1e-4 }); // at its very end a clip begins anew
    }
    const box = bounds_over(options.times);
    add_ground(options.ground ?? box.min.y, box);
    add_lights(box);
    aim_camera(box, options);
    if (options.labels) {
        add_labels(models, options.labels);
    }
};

window.show = (time, samples) => {
    set_time(time);
    if (crease) {
        show_stills();
    }
    const { width, height } = renderer.domElement;
    const sum = new Float32Array(4 * width * height);
    const pixels = new Uint8Array(4 * width * height);
    const gl = renderer.getContext();
    for (let i = 0; i < samples; ++i) {
        move_lights(i, samples);
        camera.setViewOffset(width, height, spread(i, 2) - 0.5, spread(i, 3) - 0.5, width, height);
        renderer.render(scene, camera);
        gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
        pixels.forEach((value, k) => { sum[k] += value; });
    }
    const mean = new ImageData(width, height);
    for (let row = 0; row < height; ++row) { // WebGL's lowest row comes first
        const line = sum.subarray(4 * width * (height - 1 - row), 4 * width * (height - row));
        mean.data.set(line.map((value) => value / samples), 4 * width * row);
    }
    picture.putImageData(mean, 0, 0);
};

function make_renderer() {
    renderer = new THREE.WebGLRenderer({ preserveDrawingBuffer: true });
    renderer.setSize(window.innerWidth, window.innerHeight);
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = THREE.PCFShadowMap;
    renderer.toneMapping = THREE.ACESFilmicToneMapping;
    const canvas = document.createElement('canvas');
    canvas.width = renderer.domElement.width;
    canvas.height = renderer.domElement.height;
    picture = canvas.getContext('2d');
    document.body.append(canvas);
    scene.background = background;
    scene.environment = new THREE.PMREMGenerator(renderer).fromScene(new RoomEnvironment(), 0.04).texture;
    scene.environmentIntensity = 0.3;
}

async function load_models(addresses) {
    const files = await Promise.all(addresses.map((address) => new GLTFLoader().loadAsync(address)));
    for (const [i, file] of files.entries()) {
        file.scene.traverse((object) => {
            if (object.isMesh) {
                if (!file.parser.json.materials) {
                    const look = { color: palette[i % palette.length], roughness: 0.35, side: THREE.DoubleSide };
                    object.material = new THREE.MeshStandardMaterial(look);
                }
                surfaces.push(object);
                object.castShadow = object.receiveShadow = true;
                object.frustumCulled = false; // morphing takes bodies out of the bounds they were loaded with
            }
        });
        scene.add(file.scene);
    }
    const animations = files.flatMap((file, i) => file.animations.map((clip) => [i, clip]));
    return { models: files.map((file) => file.scene), animations };
}

// Several models stand in rows on the ground, each in a cell of its own, so deep that no row hides the next.
function arrange(models, options) {
    if (models.length < 2) {
        return;
    }
    const columns = options.columns ?? Math.ceil(Math.sqrt(models.length));
    const boxes = models.map((model) => new THREE.Box3().setFromObject(model, true));
    const cell = 1.2 * Math.max(...boxes.map((box) => Math.max(box.max.x - box.min.x, box.max.z - box.min.z)));
    const rows = Math.ceil(models.length / columns);
    for (const [i, model] of models.entries()) {
        const middle = boxes[i].getCenter(new THREE.Vector3());
        const column = i % columns, row = Math.floor(i / columns);
        model.position.x += (column - (columns - 1) / 2) * cell - middle.x;
        model.position.y -= boxes[i].min.y;
        model.position.z += (row - (rows - 1) / 2) * 2 * cell - middle.z;
    }
}

// The spheres of a scene file, which are not in its recording.
function add_tools(tools) {
    for (const tool of tools.filter((one) => one.kind === 'sphere')) {
        const material = new THREE.MeshPhysicalMaterial({ color: '#c9d1d8', roughness: 0.3, metalness: 0.85 });
        const ball = new THREE.Mesh(new THREE.SphereGeometry(tool.radius * (1 - hair), 96, 48), material);
        ball.castShadow = ball.receiveShadow = true;
        ball.position.fromArray(tool.position ?? [0, 0, 0]);
        scene.add(ball);
        if (tool.path) {
            moving.push({ object: ball, path: tool.path, smooth: tool.smooth ?? false });
        }
    }
}

function position_on_path({ path, smooth }, time) {
    const next = path.findIndex((point) => point.time > time);
    if (next <= 0) {
        return new THREE.Vector3(...path.at(next).position);
    }
    const from = path[next - 1], to = path[next];
    const s = (time - from.time) / (to.time - from.time);
    const share = smooth ? s * s * (3 - 2 * s) : s; // as src/scene/motion.c has it
    return new THREE.Vector3(...from.position).lerp(new THREE.Vector3(...to.position), share);
}

function set_time(time) {
    for (const { mixer, end } of players) {
        mixer.setTime(Math.min(time, end));
    }
    for (const mover of moving) {
        mover.object.position.copy(position_on_path(mover, time));
    }
    scene.updateMatrixWorld(true);
}

// Recordings have one normal a point, which rounds the edges of boxes: surfaces as they are now, with a normal a corner.
function show_stills() {
    for (const still of stills.splice(0)) {
        still.geometry.dispose();
        scene.remove(still);
    }
    for (const surface of surfaces) {
        const { position, uv } = surface.geometry.attributes;
        const places = new Float32Array(3 * position.count);
        for (let i = 0; i < position.count; ++i) {
            surface.localToWorld(surface.getVertexPosition(i, new THREE.Vector3())).toArray(places, 3 * i);
        }
        const geometry = new THREE.BufferGeometry().setIndex(surface.geometry.index);
        geometry.setAttribute('position', new THREE.BufferAttribute(places, 3));
        if (uv) {
            geometry.setAttribute('uv', uv);
        }
        const still = new THREE.Mesh(toCreasedNormals(geometry, crease), surface.material);
        still.castShadow = still.receiveShadow = true;
        surface.visible = false;
        stills.push(still);
        scene.add(still);
    }
}

// The precise box of all bodies and tools at all the times that are shown.
function bounds_over(times) {
    const box = new THREE.Box3();
    for (const time of times) {
        set_time(time);
        for (const object of scene.children) {
            box.expandByObject(object, true);
        }
    }
    return box;
}

function add_ground(height, box) {
    const size = box.getSize(new THREE.Vector3()).length();
    const material = new THREE.MeshStandardMaterial({ color: '#c6ced7', roughness: 0.9 });
    const ground = new THREE.Mesh(new THREE.CircleGeometry(40 * size, 64).rotateX(-Math.PI / 2), material);
    ground.position.set(0, height - hair * size / 4, 0);
    ground.receiveShadow = true;
    scene.add(ground);
}

// A lamp, and one spot of the sky, which comes from all over it in turn.
function add_lights(box) {
    const middle = box.getCenter(new THREE.Vector3());
    const size = box.getSize(new THREE.Vector3()).length();
    [lamp, sky] = [new THREE.DirectionalLight('#fff1e0', 2.2), new THREE.DirectionalLight('#eaf2ff', 1.6)];
    for (const light of [lamp, sky]) {
        light.target.position.copy(middle);
        light.castShadow = true;
        light.shadow.mapSize.set(2048, 2048);
        light.shadow.normalBias = 0.002 * size;
        light.shadow.bias = -0.0002;
        const reach = 0.75 * size;
        Object.assign(light.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach });
        Object.assign(light.shadow.camera, { near: 0.1 * size, far: 4 * size });
        light.userData.distance = 2 * size;
        scene.add(light, light.target);
    }
}

// The i-th of evenly spread numbers from 0 to 1, another series for each dimension (Roberts' R4).
function spread(i, dimension) {
    return (0.5 + (i + 1) / 1.1673039782614187 ** (dimension + 1)) % 1;
}

function move_lights(i, count) {
    const turn = 2 * Math.PI * spread(i, 0), out = Math.sqrt((i + 0.5) / count);
    place(lamp, new THREE.Vector3(-0.6 + 0.22 * out * Math.cos(turn), 1.25, 0.7 + 0.22 * out * Math.sin(turn)));
    place(sky, new THREE.Vector3(out * Math.cos(turn), Math.sqrt(1.02 - out * out), out * Math.sin(turn)));
}

function place(light, direction) {
    light.position.copy(light.target.position).addScaledVector(direction.normalize(), light.userData.distance);
}

// As near as can be with the whole box in the picture.
function aim_camera(box, options) {
    const middle = box.getCenter(new THREE.Vector3());
    const [azimuth, elevation] = (options.view ?? [20, 15]).map(THREE.MathUtils.degToRad);
    const direction = new THREE.Vector3(
        Math.sin(azimuth) * Math.cos(elevation), Math.sin(elevation), Math.cos(azimuth) * Math.cos(elevation));
    const size = box.getSize(new THREE.Vector3()).length();
    const fieldOfView = options.models.length > 1 ? 8 : 28; // degrees; from afar, rows look equally large
    camera = new THREE.PerspectiveCamera(fieldOfView, window.innerWidth / window.innerHeight, 0.02 * size, 60 * size);
    const room = 0.86 * (options.zoom ?? 1);
    let near = 0.2 * size, far = 50 * size;
    while (far - near > 1e-3 * size) {
        const distance = (near + far) / 2;
        camera.position.copy(middle).addScaledVector(direction, distance);
        camera.lookAt(middle);
        camera.updateMatrixWorld();
        const inside = corners(box).every((corner) => {
            const p = corner.project(camera);
            return Math.abs(p.x) < room && Math.abs(p.y) < room && p.z < 1;
        });
        if (inside) {
            far = distance;
        } else {
            near = distance;
        }
    }
    scene.fog = new THREE.Fog(background, far + size, far + 6 * size);
}

function corners({ min, max }) {
    return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => new THREE.Vector3(
        i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z));
}

function add_labels(models, labels) {
    for (const [i, model] of models.entries()) {
        const box = new THREE.Box3().setFromObject(model, true);
        const foot = box.getCenter(new THREE.Vector3()).setY(box.min.y).setZ(box.max.z).project(camera);
        const label = document.createElement('span');
        label.textContent = labels[i];
        label.style.left = `${50 + 50 * foot.x}%`;
        label.style.top = `calc(${50 - 50 * foot.y}% + 18px)`;
        document.body.append(label);
    }
}
