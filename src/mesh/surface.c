/* The surface of what is simulated: its triangles, and the hinges between them. */
#include "mesh/mesh.h"

#include "base/log.h"
#include "base/result.h"
#include "mesh/tet_mesh.h"
#include "shape/weld.h"

#include <stdlib.h>
#include <string.h>

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

static Face face_of(const lbMesh* mesh, int face) {
    const int *node = mesh->tets[face / 4].node, *corner = lb_tetFaces[face % 4];
    return make_face(node[corner[0]], node[corner[1]], node[corner[2]]);
}

/* The faces of one tetrahedron only, sorted by their corners: the order of the tetrahedra does not show. */
static lbResult collect_boundary(lbMesh* mesh, const int* across) {
    int64_t faceCount = 4 * (int64_t)mesh->tetCount;
    int count = 0;
    for (int64_t i = 0; i < faceCount; ++i) {
        count += across[i] < 0;
    }
    Face* faces = LB_NEW(mesh->host, Face, count);
    mesh->triangles = LB_NEW(mesh->host, int, 3 * (int64_t)count);
    if (faces == NULL || mesh->triangles == NULL) {
        lb_release(mesh->host, faces);
        return lb_out_of_memory("a mesh's surface");
    }
    count = 0;
    for (int64_t i = 0; i < faceCount; ++i) {
        if (across[i] < 0) {
            faces[count++] = face_of(mesh, (int)i);
        }
    }
    qsort(faces, (size_t)count, sizeof(Face), compare_faces);
    for (int i = 0; i < count; ++i) {
        memcpy(mesh->triangles + 3 * (size_t)i, faces[i].node, sizeof(faces[i].node));
    }
    mesh->triangleCount = count;
    lb_release(mesh->host, faces);
    return lb_success();
}

static lbResult find_boundary(lbMesh* mesh) {
    int* nodes = LB_NEW(mesh->host, int, 4 * (int64_t)mesh->tetCount);
    if (nodes == NULL) {
        return lb_out_of_memory("a mesh's surface");
    }
    for (int i = 0; i < mesh->tetCount; ++i) {
        memcpy(nodes + 4 * (size_t)i, mesh->tets[i].node, sizeof(mesh->tets[i].node));
    }
    lbFaceMatch match;
    lbResult result = lb_match_faces(mesh->host, nodes, mesh->tetCount, &match);
    lb_release(mesh->host, nodes);
    if (result.code == lb_ok) {
        result = collect_boundary(mesh, match.across);
        lb_release(mesh->host, match.across);
    }
    return result;
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
