/* Strain and stress of tetrahedra, to be shown. */
#ifndef LIMBER_SRC_TET_MEASURES_H
#define LIMBER_SRC_TET_MEASURES_H

#include "law/principal.h"
#include "law/tet_kernels.h"

/* s - 1 of the principal stretch s that is farthest from 1. An element that is inside out has a negative stretch. */
static inline lbLanes largest_strain(const lbLanes33* F) {
    lbLanes s[3];
    lbLanes33 U, V;
    principal_axes(F, s, &U, &V);
    lbLanes high = lanes_max(s[0], lanes_max(s[1], s[2])) - 1.0f, low = lanes_min(s[0], lanes_min(s[1], s[2])) - 1.0f;
    lbLanes chosen = lanes_copysign(LANES_ALL(0.5f), high + low); /* the upper one if they are as far */
    return (0.5f + chosen) * high + (0.5f - chosen) * low;
}

/* Of P F^T / J, P times the volume: so is the result. Flat elements are counted as a twentieth as thick as they were.
 */
static inline lbLanes von_mises_stress(const lbLanes33* F, const lbLanes33* P) {
    lbLanes33 cofactors = lanes33_cofactors(F), sigma;
    lbLanes J = lanes3_dot(F->column[0], cofactors.column[0]);
    lbLanes inverse = 1.0f / lanes_max(lanes_max(J, -J), LANES_ALL(0.05f));
    for (int c = 0; c < 3; ++c) { /* column c of P F^T: columns of P times row c of F */
        lbLanes3 row = {{F->column[0].c[c], F->column[1].c[c], F->column[2].c[c]}};
        sigma.column[c] = lanes3_scale(inverse, lanes33_apply(P, row));
    }
    lbLanes mean = lanes33_trace(&sigma) * (1.0f / 3);
    for (int c = 0; c < 3; ++c) {
        sigma.column[c].c[c] -= mean;
    }
    return lanes_sqrt(1.5f * lanes33_dot(&sigma, &sigma));
}

/* Which of a batch's elements are pressed flat or inside out: their volume is at most a hundredth of what it was. A bit
 * for each lane. */
static inline unsigned inverted_lanes(const lbLanes33* F, const float* mu) {
    float J[LB_LANES];
    lbLanes determinant = lanes3_dot(F->column[0], lanes3_cross(F->column[1], F->column[2]));
    memcpy(J, &determinant, sizeof(J));
    unsigned bits = 0;
    for (int lane = 0; lane < LB_LANES; ++lane) {
        bits |= (unsigned)(!(J[lane] > 0.01f) && mu[lane] != 0) << lane;
    }
    return bits;
}

#endif
