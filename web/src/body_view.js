// One body as it is drawn: its skin in its own colours or in those of a field, its wireframe, its simulated mesh.
import * as THREE from 'three';
import { expand_by, LatticeSkin } from './lattice_skin.js';
import { find_edges, make_surface } from './surface.js';

/** @typedef {import('./frames.js').Topology} Topology */
/** @typedef {import('./frames.js').FrameBody} FrameBody */
/** @typedef {import('./protocol.js').Material} Material */
/** @typedef {{field: boolean, wireframe: boolean, mesh: boolean}} Shown */

/** Of surfaces that come without a material, as most files do; where points have colours, those count. @type {Material} */
const plain = { name: '', color: '#d98a5b', metallic: 0, roughness: 0.4, texture: null };
const meshSkinOpacity = 0.38; // of the skin while the simulated mesh inside it is shown

export class BodyView {
    /**
     * @param {Topology} topology
     * @param {Material[]} materials
     * @param {import('./field_material.js').FieldLook} fieldLook
     * @param {(material: number) => string} texture_address
     * @param {{flat: boolean, stiff: boolean}} look flat: its triangles are shaded each by itself; stiff: what lies on it is
     *     drawn before it
     * @param {() => void} redraw called when a texture has come
     */
    constructor(topology, materials, fieldLook, texture_address, { flat, stiff }, redraw) {
        this.topology = topology;
        this.surface = make_surface(topology);
        this.group = new THREE.Group();
        this.shown = { field: false, wireframe: false, mesh: false };
        this.hasField = false;
        /** @type {FrameBody | null} the last one shown; its positions are used for picking */
        this.latest = null;
        this.positions = moving(new Float32Array(3 * this.surface.vertexCount), 3);
        this.normals = new THREE.BufferAttribute(new Int8Array(4 * this.surface.vertexCount), 4, true);
        this.normals.setUsage(THREE.DynamicDrawUsage);
        this.field = moving(new Float32Array(this.surface.vertexCount), 1);
        this.edges = find_edges(topology).edges;
        const side = THREE.DoubleSide; // closed skins too: one that is folded would show holes
        const given = materials.length > 0 ? materials : [{ ...plain, color: topology.colours ? '#ffffff' : plain.color }];
        this.materials = given.map((material, i) =>
            make_material(material, side, topology, texture_address(i), redraw)
        );
        this.materials.forEach((material) => {
            material.flatShading = flat;
            material.polygonOffsetFactor = material.polygonOffsetUnits = stiff ? 6 : 1;
        });
        this.fieldMaterial = fieldLook.make_material(side);
        const { lattice, nodeCount } = topology;
        /** Moves the skin on the graphics card; null: frames say where its points are. @type {LatticeSkin | null} */
        this.lattice = lattice && new LatticeSkin(lattice, nodeCount, this.surface.vertexPoint);
        [...this.materials, this.fieldMaterial].forEach((material) => this.lattice?.move(material));
        this.skin = this.make_skin();
        /** @type {THREE.LineSegments | null} made when first asked for */
        this.wires = null;
        /** @type {THREE.LineSegments | null} */
        this.mesh = null;
        this.nodes = moving(new Float32Array(3 * topology.nodeCount), 3);
        this.group.add(this.skin);
    }

    make_skin() {
        const { index, textureCoordinates, vertexPoint, groups } = this.surface;
        const geometry = new THREE.BufferGeometry();
        geometry.setIndex(new THREE.BufferAttribute(index, 1));
        geometry.setAttribute('position', this.positions);
        geometry.setAttribute('normal', this.normals);
        geometry.setAttribute('field', this.field);
        this.lattice?.dress(geometry);
        if (textureCoordinates) {
            geometry.setAttribute('uv', new THREE.BufferAttribute(textureCoordinates, 2));
        }
        if (this.topology.colours) {
            const colours = this.topology.colours;
            const array = new Float32Array(4 * this.surface.vertexCount);
            for (let i = 0; i < this.surface.vertexCount; ++i) {
                const point = vertexPoint ? vertexPoint[i] : i;
                array.set(colours.subarray(4 * point, 4 * point + 4), 4 * i);
            }
            geometry.setAttribute('color', new THREE.BufferAttribute(array, 4));
        }
        const last = Math.max(0, this.materials.length - 1);
        for (const { start, count, material } of groups) {
            geometry.addGroup(start, count, Math.min(material, last));
        }
        /** @type {THREE.Mesh<THREE.BufferGeometry, THREE.Material | THREE.Material[]>} */
        const skin = new THREE.Mesh(geometry, this.materials);
        skin.castShadow = skin.receiveShadow = true;
        skin.customDepthMaterial = this.lattice?.depth;
        skin.frustumCulled = false; // its bounds change with every frame
        return skin;
    }

    /** @param {FrameBody} body @param {boolean} fieldIsRight whether its field is the one that is shown */
    update(body, fieldIsRight) {
        if (body.pointCount !== this.topology.pointCount) {
            return;
        }
        this.latest = body;
        this.move_skin(body);
        if (fieldIsRight) {
            this.update_field(body.field);
        }
        if (this.mesh && body.nodes && body.nodes.length === this.nodes.array.length) {
            this.nodes.array.set(body.nodes);
            this.nodes.needsUpdate = true;
            this.mesh.visible = this.shown.mesh;
        }
    }

    /** @param {FrameBody} body */
    move_skin({ positions, normals, nodes }) {
        const { vertexPoint } = this.surface;
        if (this.lattice) { // frames that the engine made before it was asked for nodes have none: the next one does
            if (nodes) {
                this.lattice.update(nodes);
            }
            return;
        }
        if (!normals) {
            return;
        }
        if (vertexPoint) {
            gather(this.positions.array, positions, vertexPoint, 3);
            gather(this.normals.array, normals, vertexPoint, 4);
        } else {
            this.positions.array.set(positions);
            this.normals.array.set(normals);
        }
        this.positions.needsUpdate = this.normals.needsUpdate = true;
    }

    /** @param {Float32Array | null} field */
    update_field(field) {
        if (this.hasField !== (field !== null)) {
            this.hasField = field !== null;
            this.choose_material();
        }
        if (!field) {
            return;
        }
        if (this.surface.vertexPoint) {
            gather(this.field.array, field, this.surface.vertexPoint, 1);
        } else {
            this.field.array.set(field);
        }
        this.field.needsUpdate = true;
    }

    /** @param {Shown} shown */
    show(shown) {
        this.shown = { ...shown };
        this.choose_material();
        if (shown.wireframe && !this.wires) {
            this.wires = this.make_wires();
            this.group.add(this.wires);
        }
        if (this.wires) {
            this.wires.visible = shown.wireframe;
        }
        if (shown.mesh && !this.mesh && this.topology.edgeCount > 0) {
            this.mesh = this.make_mesh();
            this.group.add(this.mesh);
        }
        if (this.mesh && !shown.mesh) {
            this.mesh.visible = false; // shown again with the first nodes that come
        }
    }

    /** @param {THREE.Plane[] | null} planes behind which nothing is drawn */
    cut(planes) {
        for (const material of [...this.materials, this.fieldMaterial]) {
            material.clippingPlanes = planes;
        }
        for (const part of [this.wires, this.mesh]) {
            if (part) {
                /** @type {THREE.Material} */ (part.material).clippingPlanes = planes;
            }
        }
    }

    choose_material() {
        this.skin.material = this.shown.field && this.hasField ? this.fieldMaterial : this.materials;
        for (const material of [...this.materials, this.fieldMaterial]) {
            const through = this.shown.mesh;
            if (material.transparent !== through) {
                material.transparent = through;
                material.opacity = through ? meshSkinOpacity : 1;
                material.depthWrite = !through;
                material.needsUpdate = true;
            }
        }
    }

    make_wires() {
        const geometry = new THREE.BufferGeometry();
        const { vertexPoint } = this.surface;
        geometry.setAttribute('position', this.positions); // shared with the skin: sent to the graphics card once
        geometry.setIndex(
            new THREE.BufferAttribute(vertexPoint ? to_vertices(this.edges, vertexPoint) : this.edges, 1)
        );
        const material = new THREE.LineBasicMaterial({ color: '#000000', transparent: true, opacity: 0.35 });
        this.lattice?.dress(geometry);
        this.lattice?.move(material);
        return lines(geometry, material);
    }

    make_mesh() {
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute('position', this.nodes);
        geometry.setIndex(new THREE.BufferAttribute(this.topology.edges, 1));
        // Many lines over each other must not make a blot.
        const opacity = THREE.MathUtils.clamp(700 / this.topology.edgeCount, 0.13, 0.6);
        const material = new THREE.LineBasicMaterial({ color: '#3aa0ff', transparent: true, opacity });
        const mesh = lines(geometry, material);
        mesh.visible = false;
        return mesh;
    }

    /** @param {{wire: string, mesh: string}} colours */
    set_line_colours({ wire, mesh }) {
        /** @type {THREE.LineBasicMaterial | undefined} */ (this.wires?.material)?.color.set(wire);
        /** @type {THREE.LineBasicMaterial | undefined} */ (this.mesh?.material)?.color.set(mesh);
    }

    /** @param {THREE.Box3} box grows to hold the body as it is */
    expand(box) {
        if (this.latest) {
            expand_by(this.latest, box);
        }
    }

    dispose() {
        this.group.removeFromParent();
        for (const part of [this.skin, this.wires, this.mesh]) {
            part?.geometry.dispose();
        }
        for (const material of this.materials) {
            material.map?.dispose();
            material.dispose();
        }
        this.fieldMaterial.dispose();
        this.lattice?.dispose();
        /** @type {THREE.Material | undefined} */ (this.wires?.material)?.dispose();
        /** @type {THREE.Material | undefined} */ (this.mesh?.material)?.dispose();
    }
}

/** @param {Float32Array} array @param {number} itemSize */
function moving(array, itemSize) {
    const attribute = new THREE.BufferAttribute(array, itemSize);
    attribute.setUsage(THREE.DynamicDrawUsage);
    return attribute;
}

/** @param {THREE.BufferGeometry} geometry @param {THREE.LineBasicMaterial} material */
function lines(geometry, material) {
    const object = new THREE.LineSegments(geometry, material);
    object.frustumCulled = false;
    object.renderOrder = 1;
    return object;
}

/**
 * @param {THREE.TypedArray} to (V x stride)
 * @param {ArrayLike<number>} from (P x stride)
 * @param {Uint32Array} points (V)
 * @param {number} stride
 */
function gather(to, from, points, stride) {
    for (let i = 0; i < points.length; ++i) {
        const source = stride * points[i], target = stride * i;
        for (let k = 0; k < stride; ++k) {
            to[target + k] = from[source + k];
        }
    }
}

/**
 * Any vertex of each point will do: they are at the same place.
 * @param {Uint32Array} edges
 * @param {Uint32Array} vertexPoint
 */
function to_vertices(edges, vertexPoint) {
    const pointVertex = new Uint32Array(vertexPoint.reduce((most, point) => Math.max(most, point), 0) + 1);
    vertexPoint.forEach((point, vertex) => { pointVertex[point] = vertex; });
    return edges.map((point) => pointVertex[point]);
}

/**
 * @param {Material} described
 * @param {THREE.Side} side
 * @param {Topology} topology
 * @param {string} address of its texture
 * @param {() => void} redraw
 * @returns {THREE.MeshPhysicalMaterial}
 */
function make_material(described, side, topology, address, redraw) {
    const material = new THREE.MeshPhysicalMaterial({
        roughness: described.roughness, metalness: described.metallic, side,
        // Nothing soft is quite without a sheen: a thin wet coat, more of it the glossier the body is.
        clearcoat: 0.6 * (1 - described.roughness), clearcoatRoughness: 0.25,
        polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1, // so that lines on it are seen
        vertexColors: topology.colours !== null,
    });
    if (typeof described.color === 'string') {
        material.color.set(described.color);
    } else if (Array.isArray(described.color)) {
        material.color.setRGB(described.color[0], described.color[1], described.color[2]);
    }
    if (described.texture !== null && described.texture !== undefined && topology.textureCoordinates) {
        material.map = new THREE.TextureLoader().load(address, redraw);
        material.map.colorSpace = THREE.SRGBColorSpace;
        material.map.wrapS = material.map.wrapT = THREE.RepeatWrapping;
        material.map.anisotropy = 8;
    }
    return material;
}
