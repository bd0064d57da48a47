/* Neo-Hookean, stable: finite and well-behaved for every F, flattened and inverted ones included (B. Smith, F. de Goes
 * and T. Kim, Stable Neo-Hookean Flesh Simulation, 2018, equations 13 and 14).
 *
 *   energy density m/2 (C - 3) + l/2 (J - a)^2 - m/2 log(C + 1), less what it is at rest;  C = |F|^2, J = det F
 *   P = m (1 - 1/(C + 1)) F + l (J - a) cof F
 *   dP = m (1 - 1/(C + 1)) dF + 2 m (F:dF) / (C + 1)^2 F + l (cof F : dF) cof F + l (J - a) d(cof F)
 *
 * with m = 4/3 mu, l = lambda + 5/6 mu (section 3.4: small strains then follow Hooke's law with the true lambda and mu)
 * and a = 1 + 3/4 m / l (no stress at rest). */
#include "law/precise.h"
#include "law/principal.h"
#include "law/tet_kernels.h"

typedef struct State {
    lbLanes33 F, cofactors;
    lbLanes lambda, mu; /* V times Lamé's */
    lbLanes l, m;       /* V times the law's own */
    lbLanes inverse;    /* 1 / (C + 1) */
    lbLanes along;      /* m (1 - 1 / (C + 1)) */
    lbLanes pressure;   /* l (J - a) */
} State;

LB_INLINE State measure(const lbLanes33* F, lbLanes lambda, lbLanes mu) {
    State state = {.F = *F, .cofactors = lanes33_cofactors(F), .lambda = lambda, .mu = mu};
    state.m = (4.0f / 3) * mu;
    state.l = lambda + (5.0f / 6) * mu;
    state.inverse = 1.0f / (lanes33_dot(F, F) + 1.0f);
    state.along = state.m - state.m * state.inverse;
    lbLanes J = lanes3_dot(F->column[0], state.cofactors.column[0]);
    state.pressure = state.l * (J - 1.0f) - mu;
    return state;
}

LB_INLINE lbLanes33 stress(const State* state) {
    lbLanes33 P = lanes33_scale(state->along, &state->F);
    return lanes33_madd(&P, state->pressure, &state->cofactors);
}

LB_INLINE lbLanes33 stress_and(const State* state, const lbLanesSymmetric* S) {
    lbLanesSymmetric sum = symmetric_shift(S, state->along);
    lbLanes33 P = lanes33_symmetric_times(&state->F, &sum);
    return lanes33_madd(&P, state->pressure, &state->cofactors);
}

LB_INLINE lbLanes33 stress_change(const State* state, const lbLanes33* dF) {
    const lbLanes3 *F = state->F.column, *d = dF->column;
    lbLanes stretching = 2.0f * state->m * state->inverse * state->inverse * lanes33_dot(&state->F, dF);
    lbLanes dilation = state->l * lanes33_dot(&state->cofactors, dF);
    lbLanes33 change = lanes33_scale(state->along, dF);
    change = lanes33_madd(&change, stretching, &state->F);
    change = lanes33_madd(&change, dilation, &state->cofactors);
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        lbLanes3 turned = lanes3_add(lanes3_cross(d[i], F[j]), lanes3_cross(F[i], d[j]));
        change.column[k] = lanes3_madd(change.column[k], state->pressure, turned);
    }
    return change;
}

LB_INLINE lbPrincipalSlopes principal_slopes(const State* state, const lbLanes s[3]) {
    lbPrincipalSlopes slopes;
    const lbLanes area[3] = {s[1] * s[2], s[0] * s[2], s[0] * s[1]}; /* dJ / ds */
    lbLanes q = 2.0f * state->m * state->inverse * state->inverse;
    for (int k = 0; k < 3; ++k) {
        int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2; /* place 3 + (2 - k): the pair (i, j) */
        slopes.stretching.e[k] = state->along + q * s[k] * s[k] + state->l * area[k] * area[k];
        slopes.stretching.e[5 - k] = q * s[i] * s[j] + state->l * area[i] * area[j] + state->pressure * s[k];
        slopes.shear[k] = state->along - state->pressure * s[k];
        slopes.turning[k] = state->along + state->pressure * s[k];
    }
    return slopes;
}

/* d(cof F) : dF is at most s |dF|^2 while it presses and nothing is inverted, and 2 s |dF|^2 in any case; s the largest
 * stretch. */
LB_INLINE lbLanes largest_stiffness(const State* state, const lbTetSpread* spread) {
    lbLanesSymmetric C = lanes33_gram(&state->F);
    lbLanes s = lanes_sqrt(symmetric_eigenvalue_bound(&C)), zero = LANES_ALL(0.0f);
    lbLanes J = lanes3_dot(state->F.column[0], state->cofactors.column[0]);
    lbLanes pressing = -state->pressure, both = 2.0f * lanes_max(state->pressure, pressing);
    lbLanes certain = lanes_copysign(LANES_ALL(1.0f), lanes_min(pressing, J)); /* 1 if neither is negative */
    lbLanes turning = 0.5f * ((1.0f + certain) * pressing + (1.0f - certain) * both) * s;
    lbLanes q = 2.0f * state->m * state->inverse * state->inverse;
    return (state->along + lanes_max(turning, zero)) * spread->largest + q * tet_spread_through(spread, &state->F) +
           state->l * tet_spread_through(spread, &state->cofactors);
}

static double energy_density(double F[3][3], double lambda, double mu) {
    double m = 4 * mu / 3, l = lambda + 5 * mu / 6, a = 1 + 0.75 * m / l, C = 0;
    for (int k = 0; k < 9; ++k) {
        C += F[k / 3][k % 3] * F[k / 3][k % 3];
    }
    double J = F[0][0] * (F[1][1] * F[2][2] - F[1][2] * F[2][1]) - F[0][1] * (F[1][0] * F[2][2] - F[1][2] * F[2][0]) +
               F[0][2] * (F[1][0] * F[2][1] - F[1][1] * F[2][0]);
    /* (J - a)^2 - (1 - a)^2 = (J - 1)(J + 1 - 2 a) */
    return 0.5 * m * (C - 3) + 0.5 * l * (J - 1) * (J + 1 - 2 * a) - 0.5 * m * log1p((C - 3) / 4);
}

#include "law/principal_definite.h"
#include "law/tet_loops.h"

const lbLaw lb_neoHookean = {
    .name = "neo-hookean",
    .label = "Neo-Hookean",
    .description = "Tetrahedra, like rubber: resists being pressed to nothing, comes back from any deformation",
    LB_TET_LAW,
    .precise = &lb_neoHookeanPrecise,
    .comesBack = true,
};
