/* What the loops of laws on tetrahedra are made of: gathering gradients, scattering stresses. */
#ifndef LIMBER_SRC_TET_KERNELS_H
#define LIMBER_SRC_TET_KERNELS_H

#include "law/lanes33.h"
#include "law/tets.h"

/* Edges times Dm^-1. */
LB_INLINE lbLanes33 tet_from_edges(const lbTetBatch* batch, const lbLanes3 e[3]) {
    lbLanes33 F;
    F.column[0] = lanes3_scale(lanes_load(batch->rest[0]), e[0]);
    F.column[1] = lanes3_madd(lanes3_scale(lanes_load(batch->rest[1]), e[0]), lanes_load(batch->rest[2]), e[1]);
    F.column[2] = lanes3_scale(lanes_load(batch->rest[3]), e[0]);
    F.column[2] = lanes3_madd(F.column[2], lanes_load(batch->rest[4]), e[1]);
    F.column[2] = lanes3_madd(F.column[2], lanes_load(batch->rest[5]), e[2]);
    return F;
}

/* The gradient of a node vector: F for positions, its rate for velocities. */
LB_INLINE lbLanes33 tet_gradient(const lbTetBatch* batch, const float* q) {
    lbLanes3 e[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = lanes3_difference(q, batch->node[0], batch->node[k + 1]);
    }
    return tet_from_edges(batch, e);
}

/* P Dm^-T: minus the forces on nodes 1, 2, 3. */
LB_INLINE lbLanes33 tet_to_edges(const lbTetBatch* batch, const lbLanes33* P) {
    lbLanes33 g;
    g.column[0] = lanes3_scale(lanes_load(batch->rest[0]), P->column[0]);
    g.column[0] = lanes3_madd(g.column[0], lanes_load(batch->rest[1]), P->column[1]);
    g.column[0] = lanes3_madd(g.column[0], lanes_load(batch->rest[3]), P->column[2]);
    g.column[1] = lanes3_scale(lanes_load(batch->rest[2]), P->column[1]);
    g.column[1] = lanes3_madd(g.column[1], lanes_load(batch->rest[4]), P->column[2]);
    g.column[2] = lanes3_scale(lanes_load(batch->rest[5]), P->column[2]);
    return g;
}

/* phi tr(E') I + 2 psi E', E' = sym(F^T F'): F times this is the stress of damping. */
LB_INLINE lbLanesSymmetric damping_of_rate(const lbLanes33* F, const lbLanes33* rate, lbLanes phi, lbLanes psi) {
    const lbLanes3 *p = F->column, *q = rate->column;
    lbLanes along[3] = {lanes3_dot(p[0], q[0]), lanes3_dot(p[1], q[1]), lanes3_dot(p[2], q[2])};
    lbLanes pressure = phi * (along[0] + along[1] + along[2]), twice = psi + psi;
    return (lbLanesSymmetric){{pressure + twice * along[0], pressure + twice * along[1], pressure + twice * along[2],
                               psi * (lanes3_dot(p[0], q[1]) + lanes3_dot(p[1], q[0])),
                               psi * (lanes3_dot(p[0], q[2]) + lanes3_dot(p[2], q[0])),
                               psi * (lanes3_dot(p[1], q[2]) + lanes3_dot(p[2], q[1]))}};
}

LB_INLINE lbLanes33 damping_stress(const lbLanes33* F, const lbLanes33* rate, lbLanes phi, lbLanes psi) {
    lbLanesSymmetric S = damping_of_rate(F, rate, phi, psi);
    return lanes33_symmetric_times(F, &S);
}

LB_INLINE void add_damping(const lbLanes33* F, const lbLanes33* rate, lbLanes phi, lbLanes psi, lbLanes33* P) {
    lbLanes33 damping = damping_stress(F, rate, phi, psi);
    *P = lanes33_madd(P, LANES_ALL(1.0f), &damping);
}

/* ---- Bounds ------------------------------------------------------------------------------------------------------ */

typedef struct lbTetSpread {
    lbLanesSymmetric A; /* sum over the nodes of a_i a_i^T, a_i the gradient of a node's basis function; 1/m^2 */
    lbLanes largest;    /* at least A's largest eigenvalue */
} lbTetSpread;

LB_INLINE lbTetSpread tet_spread(const lbTetBatch* batch) {
    lbLanes zero = LANES_ALL(0.0f), b[6];
    for (int k = 0; k < 6; ++k) {
        b[k] = lanes_load(batch->rest[k]);
    }
    /* Columns of [a_1 a_2 a_3 a_0]^T, that is of Dm^-1 with the row of node 0 below. */
    lbLanes x[4] = {b[0], zero, zero, -b[0]}, y[4] = {b[1], b[2], zero, -b[1] - b[2]},
            z[4] = {b[3], b[4], b[5], -b[3] - b[4] - b[5]};
    lbTetSpread spread = {.A = {{zero, zero, zero, zero, zero, zero}}};
    for (int k = 0; k < 4; ++k) {
        lbLanes* e = spread.A.e;
        e[0] += x[k] * x[k], e[1] += y[k] * y[k], e[2] += z[k] * z[k];
        e[3] += x[k] * y[k], e[4] += x[k] * z[k], e[5] += y[k] * z[k];
    }
    spread.largest = symmetric_eigenvalue_bound(&spread.A);
    return spread;
}

/* sum_i |Q a_i|^2 */
LB_INLINE lbLanes tet_spread_through(const lbTetSpread* spread, const lbLanes33* Q) {
    const lbLanes* e = spread->A.e;
    lbLanesSymmetric C = lanes33_gram(Q);
    return C.e[0] * e[0] + C.e[1] * e[1] + C.e[2] * e[2] + 2.0f * (C.e[3] * e[3] + C.e[4] * e[4] + C.e[5] * e[5]);
}

/* Of the damping: 2 psi |sym(F^T dF)|^2 + phi (F : dF)^2, |F^T dF|^2 at most the largest eigenvalue of F F^T times
 * |dF|^2. */
LB_INLINE lbLanes largest_damping(const lbLanes33* F, lbLanes phi, lbLanes psi, const lbTetSpread* spread) {
    lbLanesSymmetric C = lanes33_gram(F);
    lbLanes positive = lanes_max(phi, LANES_ALL(0.0f));
    return 2.0f * psi * symmetric_eigenvalue_bound(&C) * spread->largest + positive * tet_spread_through(spread, F);
}

/* Adds a number of each lane to the diagonal of its node's block. */
static inline void tet_add_bounds(const lbNodeOffset* node, const float* numbers, float* blocks) {
    for (int lane = 0; lane < LB_LANES; ++lane) {
        float* block = blocks + 6 * (size_t)(node[lane] / 4);
        block[0] += numbers[lane], block[1] += numbers[lane], block[2] += numbers[lane];
    }
}

/* ---- In double, element by element, where accuracy counts and time does not -------------------------------------- */

static inline void tet_gradient_in_double(const lbTetBatch* batch, int lane, const float* x, double F[3][3]) {
    double e[3][3], b[6];
    for (int k = 0; k < 6; ++k) {
        b[k] = (double)batch->rest[k][lane];
    }
    for (int k = 0; k < 9; ++k) {
        e[k / 3][k % 3] = (double)x[batch->node[k / 3 + 1][lane] + (unsigned)(k % 3)] -
                          (double)x[batch->node[0][lane] + (unsigned)(k % 3)];
    }
    for (int r = 0; r < 3; ++r) {
        F[r][0] = b[0] * e[0][r];
        F[r][1] = b[1] * e[0][r] + b[2] * e[1][r];
        F[r][2] = b[3] * e[0][r] + b[4] * e[1][r] + b[5] * e[2][r];
    }
}

#endif
