/* After G. Debunne, M. Desbrun, M.-P. Cani and A. H. Barr, Adaptive Simulation of Soft Bodies in Real-Time (2000),
 * sections 2.2 and 2.3, with the elements' volumes that its equations (5) and (6) leave out. */
#include "mesh/operators.h"

#include <string.h>

static void tet_points(const lbMesh* mesh, int tet, lbVec3d p[4]) {
    for (int k = 0; k < 4; ++k) {
        p[k] = mesh->nodes[mesh->tets[tet].node[k]];
    }
}

void lb_tet_gradients(const lbMesh* mesh, int tet, lbVec3d gradient[4]) {
    lbVec3d p[4], e[3];
    tet_points(mesh, tet, p);
    for (int k = 0; k < 3; ++k) {
        e[k] = vec3d_sub(p[k + 1], p[0]);
    }
    double inverse = 1 / vec3d_dot(e[0], vec3d_cross(e[1], e[2]));
    gradient[0] = vec3d(0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        gradient[k + 1] = vec3d_scale(inverse, vec3d_cross(e[(k + 1) % 3], e[(k + 2) % 3]));
        gradient[0] = vec3d_sub(gradient[0], gradient[k + 1]);
    }
}

/* ---- Voronoi volumes --------------------------------------------------------------------------------------------- */

/* As far from a as from a + b, a + c and a + d. */
static lbVec3d circumcenter(lbVec3d a, lbVec3d b, lbVec3d c, lbVec3d d) {
    lbVec3d sum = vec3d_scale(vec3d_dot(b, b), vec3d_cross(c, d));
    sum = vec3d_madd(sum, vec3d_dot(c, c), vec3d_cross(d, b));
    sum = vec3d_madd(sum, vec3d_dot(d, d), vec3d_cross(b, c));
    return vec3d_madd(a, 0.5 / vec3d_dot(b, vec3d_cross(c, d)), sum);
}

static lbVec3d triangle_circumcenter(lbVec3d a, lbVec3d b, lbVec3d c) {
    lbVec3d ab = vec3d_sub(b, a), ac = vec3d_sub(c, a), n = vec3d_cross(ab, ac);
    lbVec3d sum = vec3d_scale(vec3d_dot(ac, ac), vec3d_cross(n, ab));
    sum = vec3d_madd(sum, vec3d_dot(ab, ab), vec3d_cross(ac, n));
    return vec3d_madd(a, 0.5 / vec3d_dot(n, n), sum);
}

/* A tetrahedron falls apart into 24 small ones with corners at a node, an edge's middle, a face's circumcentre and its
 * own: each with a sign, negative where a circumcentre lies beyond its face. */
static void share_face(const lbVec3d p[4], lbVec3d center, const int face[3], double share[4]) {
    lbVec3d a = p[face[0]], b = p[face[1]], c = p[face[2]], top = p[6 - face[0] - face[1] - face[2]];
    lbVec3d normal = vec3d_normalize(vec3d_cross(vec3d_sub(b, a), vec3d_sub(c, a)));
    lbVec3d middle = triangle_circumcenter(a, b, c);
    double side = vec3d_dot(vec3d_sub(top, a), normal) > 0 ? 1 : -1;
    double height = side * vec3d_dot(vec3d_sub(center, middle), normal);
    for (int k = 0; k < 3; ++k) {
        int i = face[k], j = face[(k + 1) % 3], opposite = face[(k + 2) % 3];
        lbVec3d half = vec3d_scale(0.5, vec3d_sub(p[j], p[i])), at = vec3d_add(p[i], half);
        lbVec3d across = vec3d_normalize(vec3d_cross(normal, half));
        double inwards = vec3d_dot(vec3d_sub(p[opposite], at), across) > 0 ? 1 : -1;
        double volume = vec3d_length(half) * inwards * vec3d_dot(vec3d_sub(middle, at), across) * height / 6;
        share[i] += volume;
        share[j] += volume;
    }
}

static void share_volume(const lbVec3d p[4], double share[4]) {
    static const int faces[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    lbVec3d center = circumcenter(p[0], vec3d_sub(p[1], p[0]), vec3d_sub(p[2], p[0]), vec3d_sub(p[3], p[0]));
    memset(share, 0, 4 * sizeof(double));
    for (int f = 0; f < 4; ++f) {
        share_face(p, center, faces[f], share);
    }
}

/* On meshes that are far from Delaunay's a node may be left with next to nothing: it then gets quarters of its
 * tetrahedra, which are always positive. */
void lb_voronoi_volumes(const lbMesh* mesh, double* volumes) {
    memset(volumes, 0, (size_t)mesh->nodeCount * sizeof(double));
    for (int i = 0; i < mesh->tetCount; ++i) {
        lbVec3d p[4];
        double share[4];
        tet_points(mesh, i, p);
        share_volume(p, share);
        for (int k = 0; k < 4; ++k) {
            volumes[mesh->tets[i].node[k]] += share[k];
        }
    }
    for (int i = 0; i < mesh->nodeCount; ++i) {
        const double least = 0.1; /* of the quarters */
        volumes[i] = volumes[i] > least * mesh->nodeVolumes[i] ? volumes[i] : mesh->nodeVolumes[i];
    }
}

/* ---- The operators ----------------------------------------------------------------------------------------------- */

static lbVec3d field_at(const double* d, int node) {
    const double* at = d + 3 * (size_t)node;
    return vec3d(at[0], at[1], at[2]);
}

static void add_to(double* result, int node, double s, lbVec3d v) {
    double* at = result + 3 * (size_t)node;
    at[0] += s * v.x, at[1] += s * v.y, at[2] += s * v.z;
}

static void divide_by_volumes(const lbMesh* mesh, const double* volumes, double* result) {
    for (int i = 0; i < 3 * mesh->nodeCount; ++i) {
        result[i] /= volumes[i / 3];
    }
}

void lb_laplacian(const lbMesh* mesh, const double* volumes, const double* d, double* result) {
    memset(result, 0, 3 * (size_t)mesh->nodeCount * sizeof(double));
    for (int t = 0; t < mesh->tetCount; ++t) {
        const lbTet* tet = &mesh->tets[t];
        lbVec3d a[4];
        lb_tet_gradients(mesh, t, a);
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 4; ++j) {
                add_to(result, tet->node[i], -tet->volume * vec3d_dot(a[i], a[j]), field_at(d, tet->node[j]));
            }
        }
    }
    divide_by_volumes(mesh, volumes, result);
}

void lb_grad_div(const lbMesh* mesh, const double* volumes, const double* d, double* result) {
    memset(result, 0, 3 * (size_t)mesh->nodeCount * sizeof(double));
    for (int t = 0; t < mesh->tetCount; ++t) {
        const lbTet* tet = &mesh->tets[t];
        lbVec3d a[4];
        double divergence = 0;
        lb_tet_gradients(mesh, t, a);
        for (int j = 0; j < 4; ++j) {
            divergence += vec3d_dot(a[j], field_at(d, tet->node[j]));
        }
        for (int i = 0; i < 4; ++i) {
            add_to(result, tet->node[i], -tet->volume * divergence, a[i]);
        }
    }
    divide_by_volumes(mesh, volumes, result);
}
