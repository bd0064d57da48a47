// A plane that cuts the chosen body open: what is before it is not drawn, and where it goes through the simulated tetrahedra, they
// and the field inside are.
import * as THREE from 'three';
import { cut_tets } from './cut.js';

export class Section {
    /** @param {import('./view.js').View} view */
    constructor(view) {
        this.view = view;
        this.plane = new THREE.Plane(new THREE.Vector3(-1, 0, 0), 0);
        this.group = new THREE.Group();
        view.scene.add(this.group);
        /** @type {{faces: THREE.Mesh<THREE.BufferGeometry, THREE.Material>, lines: THREE.LineSegments, plain: THREE.MeshLambertMaterial, coloured: THREE.Material}[]} */
        this.parts = [];
    }

    /** With each frame, and when the plane moves. */
    update() {
        const { section } = this.view.shown;
        this.group.visible = section !== null;
        if (!section) {
            return;
        }
        const chosen = this.view.session.body;
        const box = new THREE.Box3();
        this.view.bodies[chosen]?.expand(box);
        if (box.isEmpty()) {
            return;
        }
        const normal = new THREE.Vector3(Number(section.axis === 0), Number(section.axis === 1), Number(section.axis === 2));
        const lower = box.min.getComponent(section.axis), upper = box.max.getComponent(section.axis);
        this.plane.set(normal.negate(), lower + section.share * (upper - lower));
        this.show(0, this.view.bodies[chosen]);
    }

    /** @param {number} index @param {import('./body_view.js').BodyView | null} body */
    show(index, body) {
        const part = this.parts[index] ??= this.make_part();
        const { latest, topology } = body ?? {};
        const inside = latest?.nodes && topology?.tets
            ? cut_tets(topology.tets, latest.nodes, this.view.shown.field ? latest.nodeField : null, this.plane, this.view.session.scene?.bodies[this.view.session.body].mesh === 'voxels')
            : null;
        part.faces.visible = part.lines.visible = inside !== null && inside.positions.length > 0;
        if (!inside || !body) {
            return;
        }
        const { faces, lines, plain, coloured } = part;
        faces.geometry.setAttribute('position', new THREE.BufferAttribute(inside.positions, 3));
        faces.geometry.setAttribute('normal', new THREE.BufferAttribute(inside.normals, 3));
        faces.geometry.setAttribute('field', new THREE.BufferAttribute(inside.values, 1));
        lines.geometry.setAttribute('position', new THREE.BufferAttribute(inside.edges, 3));
        plain.color.copy(body.materials[0].color).multiplyScalar(0.75); // duller than the skin
        faces.material = inside.hasField ? coloured : plain;
    }

    make_part() {
        const plain = new THREE.MeshLambertMaterial({ side: THREE.DoubleSide });
        const coloured = this.view.fieldLook.make_material(THREE.DoubleSide); // a body's own may move its skin
        const faces = new THREE.Mesh(new THREE.BufferGeometry(), /** @type {THREE.Material} */ (plain));
        const lines = new THREE.LineSegments(
            new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: '#10141a', transparent: true, opacity: 0.45 }));
        faces.frustumCulled = lines.frustumCulled = false;
        this.group.add(faces, lines);
        return { faces, lines, plain, coloured };
    }
}
