/* The tangent of an isotropic law in principal stretches, made definite: what each of an element's nine motions gives
 * way by is left out (B. Smith, F. de Goes and T. Kim, Analytic Eigensystems for Isotropic Distortion Energies, 2019).
 *
 *   F = U diag(s) V^T, energy density psi(s), p_i = d psi / d s_i. With dF' = U^T dF V the tangent falls apart into
 *   stretching   the 3x3 matrix A_ij = d p_i / d s_j on the diagonal of dF'
 *   shear        (p_i - p_j) / (s_i - s_j) on (dF'_ij + dF'_ji) / 2
 *   turning      (p_i + p_j) / (s_i + s_j) on (dF'_ij - dF'_ji) / 2 */
#ifndef LIMBER_SRC_PRINCIPAL_H
#define LIMBER_SRC_PRINCIPAL_H

#include "law/rotation.h"

/* ---- Eigenvectors ------------------------------------------------------------------------------------------------ */

/* Turns columns p and q of V so that the entry (p, q) of A = V^T S V vanishes. A is kept in full. */
LB_INLINE void rotate_plane(lbLanes A[3][3], lbLanes33* V, int p, int q) {
    lbLanes across = A[p][q] + A[p][q], d = A[q][q] - A[p][p];
    lbLanes root = lanes_sqrt(d * d + across * across + 1e-36f);
    lbLanes t = across / (d + lanes_copysign(root, d));
    lbLanes c = 1.0f / lanes_sqrt(t * t + 1.0f), s = t * c;
    int r = 3 - p - q;
    lbLanes first = A[p][r], second = A[q][r];
    A[p][p] -= 0.5f * t * across;
    A[q][q] += 0.5f * t * across;
    A[p][q] = A[q][p] = LANES_ALL(0.0f);
    A[p][r] = A[r][p] = c * first - s * second;
    A[q][r] = A[r][q] = s * first + c * second;
    lbLanes3 a = V->column[p], b = V->column[q];
    V->column[p] = lanes3_madd(lanes3_scale(c, a), -s, b);
    V->column[q] = lanes3_madd(lanes3_scale(s, a), c, b);
}

/* S = V diag(values) V^T, by Jacobi's method: four sweeps are enough for float32. */
static inline void symmetric_eigenvectors(const lbLanesSymmetric* S, lbLanes values[3], lbLanes33* V) {
    const lbLanes* e = S->e;
    lbLanes zero = LANES_ALL(0.0f), one = LANES_ALL(1.0f);
    lbLanes A[3][3] = {{e[0], e[3], e[4]}, {e[3], e[1], e[5]}, {e[4], e[5], e[2]}};
    *V = (lbLanes33){{{{one, zero, zero}}, {{zero, one, zero}}, {{zero, zero, one}}}};
    for (int sweep = 0; sweep < 4; ++sweep) {
        rotate_plane(A, V, 0, 1);
        rotate_plane(A, V, 0, 2);
        rotate_plane(A, V, 1, 2);
    }
    for (int k = 0; k < 3; ++k) {
        values[k] = A[k][k];
    }
}

/* ---- The tangent ------------------------------------------------------------------------------------------------- */

/* Pairs (1, 2), (0, 2), (0, 1): index k is the axis that has no part in it. */
typedef struct lbPrincipalSlopes {
    lbLanesSymmetric stretching;
    lbLanes shear[3], turning[3];
} lbPrincipalSlopes;

LB_INLINE void principal_axes(const lbLanes33* F, lbLanes s[3], lbLanes33* U, lbLanes33* V) {
    lbLanes trace;
    lbLanes33 R = nearest_rotation(F, &trace);
    lbLanesSymmetric S = lanes33_symmetric_product(&R, F);
    symmetric_eigenvectors(&S, s, V);
    *U = lanes33_product(&R, V);
}

/* Leaves out what gives way. */
static inline void make_definite(lbPrincipalSlopes* slopes) {
    lbLanes zero = LANES_ALL(0.0f), values[3];
    lbLanes33 V;
    symmetric_eigenvectors(&slopes->stretching, values, &V);
    for (int k = 0; k < 6; ++k) {
        static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
        slopes->stretching.e[k] = zero;
        for (int i = 0; i < 3; ++i) {
            slopes->stretching.e[k] += lanes_max(values[i], zero) * V.column[i].c[row[k]] * V.column[i].c[column[k]];
        }
    }
    for (int k = 0; k < 3; ++k) {
        slopes->shear[k] = lanes_max(slopes->shear[k], zero);
        slopes->turning[k] = lanes_max(slopes->turning[k], zero);
    }
}

#endif
