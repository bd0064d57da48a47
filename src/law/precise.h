/* Laws in double, element by element: for static equilibrium, where float32 is not enough. The bending of a slender
 * body changes forces by far less than the rounding of positions to float32 does.
 *
 * Elements are those that were baked, with their moduli; their shape at rest is taken from the mesh, which is in
 * double. What moves are displacements, not positions: they are small where strains are, and keep their digits. */
#ifndef LIMBER_SRC_PRECISE_H
#define LIMBER_SRC_PRECISE_H

#include "law/law.h"

enum { lb_mostPreciseNodes = 8, lb_mostPreciseNumbers = 3 * lb_mostPreciseNodes };

typedef struct lbPreciseScope {
    const void* elements;
    const float* activation; /* as in lbScope */
    const lbVec3d* rest;     /* (nodeCount) m, where nodes stand when the body has been placed and not deformed */
    const lbVec3d* original; /* (nodeCount) m, the mesh's nodes, before it was placed, */
    const lbVec3d* turned;   /* (nodeCount) m, and how far its rotation has moved each: for the linear law, to which
                              * that is a deformation. NULL: it is not turned */
} lbPreciseScope;

typedef struct lbPrecise {
    int nodesPerElement;
    bool planned; /* elements are those of the law's plan: place `index` is lane index % LB_LANES of a batch */
    int (*count)(const void* elements);                         /* of places; some may hold no element */
    bool (*nodes)(const void* elements, int index, int* nodes); /* false: there is no element */
    /* The element's forces (3 n), N, at displacements u (nodeCount x 3), m; and minus their derivative (3 n x 3 n),
     * N/m, where `stiffness` is not NULL. `kind` exact or definite, as in law.h. */
    void (*evaluate)(const lbPreciseScope* scope, int index, const double* u, lbTangentKind kind, double* force,
                     double* stiffness);
} lbPrecise;

extern const lbPrecise lb_greenPrecise, lb_corotationalPrecise, lb_neoHookeanPrecise, lb_linearPrecise,
    lb_springPrecise, lb_hexPrecise;

/* For evaluate: how far a node is displaced, and where it is. */
static inline lbVec3d lb_displaced(const double* u, int node) {
    const double* d = u + 3 * (size_t)node;
    return vec3d(d[0], d[1], d[2]);
}
static inline lbVec3d lb_place_of(const lbPreciseScope* scope, const double* u, int node) {
    return vec3d_add(scope->rest[node], lb_displaced(u, node));
}

/* The same as the linear law sees it. */
static inline lbVec3d lb_displaced_and_turned(const lbPreciseScope* scope, const double* u, int node) {
    return scope->turned == NULL ? lb_displaced(u, node) : vec3d_add(lb_displaced(u, node), scope->turned[node]);
}

/* By a rotation whose length is put right in double: rounding of its numbers would be a strain. */
static inline lbVec3d lb_turned(lbQuat rotation, lbVec3d p) {
    double x = (double)rotation.x, y = (double)rotation.y, z = (double)rotation.z, w = (double)rotation.w;
    double length = sqrt(x * x + y * y + z * z + w * w);
    lbVec3d axis = vec3d(x / length, y / length, z / length), across = vec3d_cross(axis, p);
    lbVec3d more = vec3d_add(vec3d_scale(w / length, across), vec3d_cross(axis, across));
    return vec3d_madd(p, 2, more);
}

/* Gradients of the basis functions of a tetrahedron's nodes, 1/m. */
void lb_precise_gradients(const lbVec3d* rest, const int node[4], double gradient[4][3]);

/* Jacobi's method: the symmetric matrix A (n x n) becomes diagonal, the rows of V are its eigenvectors. */
void lb_diagonalize(int n, double* A, double* V);

/* Takes from a symmetric matrix (n x n, n at most lb_mostPreciseNumbers) the parts with negative eigenvalues. */
void lb_make_semidefinite(int n, double* matrix);

/* The second derivative (12 x 12) of scale times the determinant of a tetrahedron's three edges from its first node. */
void lb_volume_turning(const lbVec3d edges[3], double scale, double turning[144]);

/* ---- Averages of volumes (averaged_volume.h), which reach beyond elements ---------------------------------------- */

/* How much volume one of its elements has gained, m^3, and the gradient of that (4 x 3), m^2. False: it takes no part.
 * The nodes are those of lb_averagedVolume.nodes. */
bool lb_precise_volume(const lbPreciseScope* scope, int index, const double* u, const int* nodes, double* gained,
                       double gradient[12]);
/* How the gradient turns: the second derivative of the volume (12 x 12), m. False where it is zero. */
bool lb_precise_volume_turning(const lbPreciseScope* scope, int index, const double* u, const int* nodes,
                               double turning[144]);

#endif
