/* Tetrahedra as they are packed, for all laws that work on deformation gradients.
 *
 *   F = Ds Dm^-1, Ds = [x1 - x0, x2 - x0, x3 - x0], Dm the same at rest;  [f1 f2 f3] = -V P(F) Dm^-T, f0 = -(f1 + f2 +
 * f3)
 *
 * All these laws are isotropic: how an element lay at rest is of no account to them. So each element has a frame at
 * rest of its own, its first edge along x and its second in the plane of x and y: Dm^-1 is then upper triangular, six
 * numbers instead of nine to stream, and 18 operations instead of 27 for F, and as many fewer for the forces. */
#ifndef LIMBER_SRC_TETS_H
#define LIMBER_SRC_TETS_H

#include "base/node_offset.h"
#include "law/law.h"

/* LB_LANES tetrahedra, one in each lane, 48 bytes a tetrahedron. */
typedef struct lbTetBatch {
    lbNodeOffset node[4][LB_LANES];
    float rest[6][LB_LANES]; /* Dm^-1: 00, 01, 11, 02, 12, 22; 1/m */
    float lambda[LB_LANES];  /* V lambda, J */
    float mu[LB_LANES];      /* V mu, J; 0 for padding, which has the first lane's nodes and shape */
} lbTetBatch;

typedef struct lbTets {
    float dampingTime; /* s: phi / lambda = psi / mu */
    int batchCount;
    lbTetBatch* batches;
    int* numbers;       /* (batchCount x LB_LANES) lbTet.number of each place; -1: padding */
    uint8_t* continues; /* (batchCount) not 0: goes on with the fans of the batch before it (law/fans.h) */
    float* volumes;     /* (batchCount x LB_LANES) V, m^3; 0: padding */
} lbTets;

lbResult lb_bake_tets(const lbMesh* mesh, const lbModelDef* def, void** elements, lbPlan* plan);
void lb_release_tets(const lbHost* host, void* elements);
bool lb_tet_nodes(const void* elements, int index, int* nodes);

/* How many are flat or inside out, and the number of one of them (lbTet.number; -1: none). */
int lb_count_inverted_tets(const lbScope* scope, const float* x, int* number);

/* Lamé's coefficients of one of a mesh's tetrahedra, Pa, as far as the element itself carries them; */
typedef struct lbLame {
    double lambda, mu;
} lbLame;
lbLame lb_tet_lame(const lbMesh* mesh, const lbModelDef* def, int tet);
/* and what is left of lambda for averages around its nodes (averaged_volume.h). */
double lb_tet_averaged_lambda(const lbMesh* mesh, const lbModelDef* def, int tet);
/* m^3, however full it is. */
double lb_tet_size(const lbMesh* mesh, int tet);
/* That there are tetrahedra at all, and that each has a size. */
lbResult lb_check_tets(const lbMesh* mesh, const char* law);

#endif
