/* The surface of what is simulated: its triangles, and the hinges between them. */
#include "mesh/mesh.h"

#include "base/log.h"
#include "base/result.h"
#include "shape/weld.h"

#include <stdlib.h>

static void report_left_out(const lbHost* host, int count, const char* what) {
    if (count > 0) {
        lb_log(host, lb_logWarning, "a surface mesh leaves out %d %s", count, what);
    }
}

lbResult lb_mesh_surface_nodes(const lbShape* shape, lbMesh* mesh) {
    const float* points = lbShape_GetPoints(shape);
    const int* triangles = lbShape_GetTriangles(shape);
    mesh->skinPointCount = lbShape_GetPointCount(shape);
    mesh->skinWidth = 1;
    mesh->skinNodes = LB_NEW(mesh->host, int, mesh->skinPointCount);
    mesh->skinWeights = LB_NEW(mesh->host, float, mesh->skinPointCount);
    mesh->nodes = LB_NEW(mesh->host, lbVec3d, 2 * (int64_t)mesh->skinPointCount); /* room for a second layer */
    mesh->nodeVolumes = LB_NEW(mesh->host, double, 2 * (int64_t)mesh->skinPointCount);
    mesh->triangles = LB_NEW(mesh->host, int, 3 * (int64_t)lbShape_GetTriangleCount(shape));
    if (mesh->skinNodes == NULL || mesh->skinWeights == NULL || mesh->nodes == NULL || mesh->nodeVolumes == NULL ||
        mesh->triangles == NULL || lb_join_points(mesh->host, shape, mesh->skinNodes) < 0) {
        return lb_out_of_memory("a surface mesh");
    }
    int unusedCount = 0;
    for (int i = 0; i < mesh->skinPointCount; ++i) {
        unusedCount += mesh->skinNodes[i] < 0;
        if (mesh->skinNodes[i] == mesh->nodeCount) { /* places are numbered as they appear */
            mesh->nodes[mesh->nodeCount++] = vec3d_load(points + 3 * (size_t)i);
        }
        mesh->skinNodes[i] = int_max(mesh->skinNodes[i], 0); /* unused points hang on node 0, where nobody sees them */
        mesh->skinWeights[i] = 1;
    }
    for (int t = 0; t < lbShape_GetTriangleCount(shape); ++t) {
        int* node = mesh->triangles + 3 * (size_t)mesh->triangleCount;
        for (int k = 0; k < 3; ++k) {
            node[k] = mesh->skinNodes[triangles[3 * (size_t)t + k]];
        }
        mesh->triangleCount += node[0] != node[1] && node[1] != node[2] && node[2] != node[0];
    }
    report_left_out(mesh->host, unusedCount, "points that no triangle uses");
    report_left_out(mesh->host, lbShape_GetTriangleCount(shape) - mesh->triangleCount,
                    "triangles with two corners at one place, whose springs would have no length");
    return lb_success();
}

lbResult lb_check_matter(const lbMesh* mesh) {
    for (int i = 0; i < mesh->nodeCount; ++i) {
        if (!(mesh->nodeVolumes[i] > 0)) {
            return lb_error(lb_errorArgument,
                            "the surface has no area around (%g, %g, %g): its points would have no mass there",
                            mesh->nodes[i].x, mesh->nodes[i].y, mesh->nodes[i].z);
        }
    }
    return lb_success();
}

/* ---- Boundary faces ---------------------------------------------------------------------------------------------- */

typedef struct Face {
    int sorted[3];
    int node[3]; /* outwards */
} Face;

static int compare_faces(const void* left, const void* right) {
    const Face *p = left, *q = right;
    for (int c = 0; c < 3; ++c) {
        if (p->sorted[c] != q->sorted[c]) {
            return p->sorted[c] < q->sorted[c] ? -1 : 1;
        }
    }
    return 0;
}

static Face make_face(int a, int b, int c) {
    int low = int_min(a, int_min(b, c)), high = int_max(a, int_max(b, c));
    return (Face){{low, a + b + c - low - high, high}, {a, b, c}};
}

/* Faces of one tetrahedron only. */
static lbResult find_boundary(lbMesh* mesh) {
    int64_t faceCount = 4 * (int64_t)mesh->tetCount;
    Face* faces = LB_NEW(mesh->host, Face, faceCount);
    mesh->triangles = LB_NEW(mesh->host, int, 3 * faceCount);
    if (faces == NULL || mesh->triangles == NULL) {
        lb_release(mesh->host, faces);
        return lb_out_of_memory("a mesh's surface");
    }
    for (int i = 0; i < mesh->tetCount; ++i) {
        const int* n = mesh->tets[i].node;
        Face* face = faces + 4 * (size_t)i;
        face[0] = make_face(n[0], n[2], n[1]);
        face[1] = make_face(n[0], n[1], n[3]);
        face[2] = make_face(n[1], n[2], n[3]);
        face[3] = make_face(n[0], n[3], n[2]);
    }
    qsort(faces, (size_t)faceCount, sizeof(Face), compare_faces);
    for (int64_t i = 0; i < faceCount; ++i) {
        bool shared = (i > 0 && compare_faces(&faces[i - 1], &faces[i]) == 0) ||
                      (i + 1 < faceCount && compare_faces(&faces[i], &faces[i + 1]) == 0);
        for (int k = 0; !shared && k < 3; ++k) {
            mesh->triangles[3 * (size_t)mesh->triangleCount + (size_t)k] = faces[i].node[k];
        }
        mesh->triangleCount += !shared;
    }
    lb_release(mesh->host, faces);
    return lb_success();
}

/* ---- Hinges ------------------------------------------------------------------------------------------------------ */

/* A triangle's edge with the corner that faces it. */
typedef struct Side {
    int a, b; /* a < b */
    int facing;
} Side;

static int compare_sides(const void* left, const void* right) {
    const Side *p = left, *q = right;
    if (p->a != q->a) {
        return p->a < q->a ? -1 : 1;
    }
    if (p->b != q->b) {
        return p->b < q->b ? -1 : 1;
    }
    return p->facing < q->facing ? -1 : p->facing > q->facing;
}

static lbResult find_hinges(lbMesh* mesh) {
    int64_t sideCount = 3 * (int64_t)mesh->triangleCount;
    Side* sides = LB_NEW(mesh->host, Side, sideCount);
    mesh->hinges = LB_NEW(mesh->host, lbHinge, sideCount);
    if (sides == NULL || mesh->hinges == NULL) {
        lb_release(mesh->host, sides);
        return lb_out_of_memory("a mesh's surface");
    }
    for (int64_t i = 0; i < sideCount; ++i) {
        const int* node = mesh->triangles + i / 3 * 3;
        int a = node[i % 3], b = node[(i + 1) % 3];
        sides[i] = (Side){int_min(a, b), int_max(a, b), node[(i + 2) % 3]};
    }
    qsort(sides, (size_t)sideCount, sizeof(Side), compare_sides);
    for (int64_t i = 1; i < sideCount; ++i) { /* an edge of more than two triangles has a hinge between neighbours */
        const Side *p = &sides[i - 1], *q = &sides[i];
        if (p->a == q->a && p->b == q->b && p->facing != q->facing) {
            mesh->hinges[mesh->hingeCount++] = (lbHinge){{q->a, q->b}, {p->facing, q->facing}};
        }
    }
    lb_release(mesh->host, sides);
    return lb_success();
}

lbResult lb_find_mesh_surface(lbMesh* mesh) {
    if (mesh->triangles == NULL) {
        LB_TRY(find_boundary(mesh));
    }
    return mesh->hinges == NULL ? find_hinges(mesh) : lb_success();
}
