/* The linear law as it is packed: edges, each with its block of the stiffness matrix. */
#ifndef LIMBER_SRC_LINEAR_H
#define LIMBER_SRC_LINEAR_H

#include "base/node_offset.h"
#include "law/law.h"

/* LB_LANES edges, 56 bytes an edge. */
typedef struct lbLinearBatch {
    lbNodeOffset a[LB_LANES], b[LB_LANES];
    float rest[3][LB_LANES];  /* X_b - X_a, m */
    float block[9][LB_LANES]; /* -K_ab = dF_a / dx_b, row-major, N/m; all zero for padding */
} lbLinearBatch;

/* A tetrahedron, for what is measured in elements. */
typedef struct lbLinearTet {
    int node[4];
    float gradient[3][3]; /* of the basis functions of nodes 1 to 3, 1/m */
    float volume;         /* m^3 */
    float lambda, mu;     /* Pa */
} lbLinearTet;

typedef struct lbLinear {
    float dampingTime; /* s: phi / lambda = psi / mu */
    int batchCount;
    lbLinearBatch* batches;
    lbLinearTet* tets; /* (tetCount) for measures */
    int tetCount;
    lbLinearBoundary boundary;
    float* bounds; /* (batchCount x LB_LANES x 2) each edge's share of what bounds the stiffness at its ends, N/m */
} lbLinear;

lbResult lb_bake_linear(const lbMesh* mesh, const lbModelDef* def, void** elements, lbPlan* plan);
void lb_release_linear(const lbHost* host, void* elements);

/* linear_measure.c: in double, for whole bodies only. */
double lb_linear_energy(const lbScope* scope, const float* x);
void lb_linear_share_energy(const lbScope* scope, const float* x, float* energy);
void lb_linear_measure(const lbScope* scope, const float* x, lbFieldKind kind, float* sum, float* volume);

extern const lbPropertyList lb_linearProperties;

#endif
