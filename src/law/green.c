/* Green: St. Venant and Kirchhoff's law, stress linear in Green's strain (G. Debunne, M. Desbrun, M.-P. Cani and A.
 * Barr, Dynamic Real-Time Deformations using Space and Time Adaptive Sampling, 2001, in the usual notation).
 *
 *   E = (F^T F - I) / 2,  S = lambda tr(E) I + 2 mu E,  P = F S,  energy density lambda/2 tr(E)^2 + mu E:E
 *
 * No rotation makes a force. Under strong compression it softens and gives way, as the theory does. */
#include "law/precise.h"
#include "law/principal.h"
#include "law/tet_kernels.h"

typedef struct State {
    lbLanes33 F;
    lbLanesSymmetric S;
    lbLanes lambda, mu;
} State;

LB_INLINE State measure(const lbLanes33* F, lbLanes lambda, lbLanes mu) {
    lbLanesSymmetric C = lanes33_gram(F), S;
    lbLanes pressure = 0.5f * lambda * (symmetric_trace(&C) - 3.0f) - mu;
    for (int k = 0; k < 6; ++k) {
        S.e[k] = k < 3 ? pressure + mu * C.e[k] : mu * C.e[k];
    }
    return (State){*F, S, lambda, mu};
}

LB_INLINE lbLanes33 stress(const State* state) {
    return lanes33_symmetric_times(&state->F, &state->S);
}

LB_INLINE lbLanes33 stress_and(const State* state, const lbLanesSymmetric* S) {
    lbLanesSymmetric sum = symmetric_add(&state->S, S);
    return lanes33_symmetric_times(&state->F, &sum);
}

/* dP = dF S + F dS */
LB_INLINE lbLanes33 stress_change(const State* state, const lbLanes33* dF) {
    lbLanes33 change = damping_stress(&state->F, dF, state->lambda, state->mu);
    lbLanes33 turned = lanes33_symmetric_times(dF, &state->S);
    return lanes33_madd(&change, LANES_ALL(1.0f), &turned);
}

/* p_i = s_i (k + mu s_i^2), k = lambda tr(E) - mu */
LB_INLINE lbPrincipalSlopes principal_slopes(const State* state, const lbLanes s[3]) {
    lbPrincipalSlopes slopes;
    lbLanes lambda = state->lambda, mu = state->mu, square[3] = {s[0] * s[0], s[1] * s[1], s[2] * s[2]};
    lbLanes k = 0.5f * lambda * (square[0] + square[1] + square[2] - 3.0f) - mu;
    for (int c = 0; c < 3; ++c) {
        int i = c == 0 ? 1 : 0, j = c == 2 ? 1 : 2; /* place 5 - c: the pair (i, j) */
        lbLanes product = s[i] * s[j], both = k + mu * (square[i] + square[j]);
        slopes.stretching.e[c] = k + (3.0f * mu + lambda) * square[c];
        slopes.stretching.e[5 - c] = lambda * product;
        slopes.shear[c] = both + mu * product;
        slopes.turning[c] = both - mu * product;
    }
    return slopes;
}

LB_INLINE lbLanes largest_stiffness(const State* state, const lbTetSpread* spread) {
    lbLanes pulling = lanes_max(symmetric_eigenvalue_bound(&state->S), LANES_ALL(0.0f));
    return pulling * spread->largest + largest_damping(&state->F, state->lambda, state->mu, spread);
}

static double energy_density(double F[3][3], double lambda, double mu) {
    double trace = 0, square = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double strain = i == j ? -0.5 : 0;
            for (int k = 0; k < 3; ++k) {
                strain += 0.5 * F[k][i] * F[k][j];
            }
            trace += i == j ? strain : 0;
            square += strain * strain;
        }
    }
    return 0.5 * lambda * trace * trace + mu * square;
}

#include "law/principal_definite.h"
#include "law/tet_loops.h"

const lbLaw lb_green = {
    .name = "green",
    .label = "Green",
    .description = "Tetrahedra, Green's strain (St. Venant-Kirchhoff): turns freely, gives way when pressed hard",
    LB_TET_LAW,
    .precise = &lb_greenPrecise,
};
