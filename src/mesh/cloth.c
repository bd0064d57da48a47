/* The surface itself as a mesh: a node for each place, springs along the triangles' edges, and across each inner edge
 * a weak one between the two opposite corners, which resists bending. */
#include "mesh/mesh.h"

#include "base/result.h"
#include "shape/weld.h"

#include <stdlib.h>

/* A triangle's edge with the corner that faces it. */
typedef struct Side {
    int a, b; /* a < b */
    int facing;
    double area; /* m^2 of its triangle */
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

/* One node for all points at one place; points that no triangle uses hang on node 0, where nobody sees them. */
static lbResult join_points(const lbShape* shape, lbMesh* mesh) {
    const float* points = lbShape_GetPoints(shape);
    mesh->skinPointCount = lbShape_GetPointCount(shape);
    mesh->skinWidth = 1;
    mesh->skinNodes = LB_NEW(mesh->host, int, mesh->skinPointCount);
    mesh->skinWeights = LB_NEW(mesh->host, float, mesh->skinPointCount);
    mesh->nodes = LB_NEW(mesh->host, lbVec3d, mesh->skinPointCount);
    mesh->nodeVolumes = LB_NEW(mesh->host, double, mesh->skinPointCount);
    if (mesh->skinNodes == NULL || mesh->skinWeights == NULL || mesh->nodes == NULL || mesh->nodeVolumes == NULL ||
        lb_join_points(mesh->host, shape, mesh->skinNodes) < 0) {
        return lb_out_of_memory("a cloth mesh");
    }
    for (int i = 0; i < mesh->skinPointCount; ++i) {
        if (mesh->skinNodes[i] == mesh->nodeCount) { /* places are numbered as they appear */
            mesh->nodes[mesh->nodeCount++] = vec3d_load(points + 3 * (size_t)i);
        }
        mesh->skinNodes[i] = int_max(mesh->skinNodes[i], 0);
        mesh->skinWeights[i] = 1;
    }
    return lb_success();
}

/* Writes the sides of all triangles that have an area; shares their matter among their corners. */
static int collect_sides(const lbShape* shape, double thickness, lbMesh* mesh, Side* sides) {
    const int* triangles = lbShape_GetTriangles(shape);
    int count = 0;
    for (int t = 0; t < lbShape_GetTriangleCount(shape); ++t) {
        int node[3];
        for (int k = 0; k < 3; ++k) {
            node[k] = mesh->skinNodes[triangles[3 * (size_t)t + k]];
        }
        lbVec3d ab = vec3d_sub(mesh->nodes[node[1]], mesh->nodes[node[0]]);
        lbVec3d ac = vec3d_sub(mesh->nodes[node[2]], mesh->nodes[node[0]]);
        double area = 0.5 * vec3d_length(vec3d_cross(ab, ac));
        if (node[0] == node[1] || node[1] == node[2] || node[2] == node[0]) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            int a = node[k], b = node[(k + 1) % 3];
            sides[count++] = (Side){int_min(a, b), int_max(a, b), node[(k + 2) % 3], area};
            mesh->nodeVolumes[a] += thickness * area / 3;
        }
    }
    return count;
}

static void springs_from_sides(const Side* sides, int sideCount, const lbMeshDef* def, lbMesh* mesh) {
    int count = 0;
    for (int i = 0; i < sideCount; ++i) {
        mesh->springs[count++] = (lbSpring){sides[i].a, sides[i].b, def->thickness * sides[i].area, 1, 1};
        bool sameEdge = i > 0 && sides[i - 1].a == sides[i].a && sides[i - 1].b == sides[i].b;
        int a = sameEdge ? sides[i - 1].facing : 0, b = sides[i].facing;
        if (sameEdge && a != b && def->bend > 0) {
            double volume = def->thickness * (sides[i - 1].area + sides[i].area);
            mesh->springs[count++] = (lbSpring){a, b, volume, def->bend, 1};
        }
    }
    mesh->springCount = lb_merge_springs(mesh->springs, count);
}

static lbResult check_nodes(const lbMesh* mesh) {
    for (int i = 0; i < mesh->nodeCount; ++i) {
        if (!(mesh->nodeVolumes[i] > 0)) {
            return lb_error(lb_errorArgument,
                            "the surface has no area around (%g, %g, %g): a cloth's points would have no mass there",
                            mesh->nodes[i].x, mesh->nodes[i].y, mesh->nodes[i].z);
        }
    }
    return lb_success();
}

lbResult lb_mesh_cloth(const lbShape* shape, const lbMeshDef* def, lbMesh* mesh) {
    if (!(def->thickness > 0) || !isfinite(def->thickness)) {
        return lb_error(lb_errorArgument, "mesh thickness is %g; expected more than 0 m", def->thickness);
    }
    if (!(def->bend >= 0 && def->bend <= 1)) {
        return lb_error(lb_errorArgument, "mesh bend is %g; expected 0 to 1", def->bend);
    }
    LB_TRY(join_points(shape, mesh));
    int64_t sideRoom = 3 * (int64_t)lbShape_GetTriangleCount(shape);
    Side* sides = LB_NEW(mesh->host, Side, sideRoom);
    mesh->springs = LB_NEW(mesh->host, lbSpring, 2 * sideRoom);
    lbResult result = sides == NULL || mesh->springs == NULL ? lb_out_of_memory("a cloth mesh") : lb_success();
    if (result.code == lb_ok) {
        int sideCount = collect_sides(shape, def->thickness, mesh, sides);
        qsort(sides, (size_t)sideCount, sizeof(Side), compare_sides);
        springs_from_sides(sides, sideCount, def, mesh);
        result = check_nodes(mesh);
    }
    lb_release(mesh->host, sides);
    return result;
}
