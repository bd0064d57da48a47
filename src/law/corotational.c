/* Corotational: linear elasticity in a frame that turns with each element.
 *
 *   F = R S, R the rotation nearest to F;  P = 2 mu (F - R) + lambda tr(S - I) R
 *   energy density mu |F - R|^2 + lambda/2 tr(S - I)^2, of which P is the exact gradient
 *   dP = R (2 mu G + lambda tr(G) I + (lambda tr(S - I) - 2 mu) W), G = R^T dF, dR = R W,
 *   W the antisymmetric matrix with W S + S W = G - G^T
 *
 * R is always proper (no reflection): an element that is turned inside out is pushed back along the axis where that is
 * shortest. */
#include "law/precise.h"
#include "law/principal.h"
#include "law/tet_blocks.h"
#include "law/tet_fan.h"

typedef struct State {
    lbLanes33 F, R;
    lbLanes lambda, mu;
    lbLanes trace; /* tr(S) */
} State;

LB_INLINE State measure(const lbLanes33* F, lbLanes lambda, lbLanes mu) {
    State state = {.F = *F, .lambda = lambda, .mu = mu};
    state.R = nearest_rotation(F, &state.trace);
    return state;
}

LB_INLINE lbLanes33 stress(const State* state) {
    lbLanes twice = 2.0f * state->mu;
    lbLanes along = state->lambda * (state->trace - 3.0f) - twice;
    lbLanes33 P = lanes33_scale(twice, &state->F);
    return lanes33_madd(&P, along, &state->R);
}

/* The axis w of W: (tr(S) I - S) w = axis of G - G^T. */
LB_INLINE lbLanes3 turning_axis(const State* state, const lbLanes33* G) {
    lbLanesSymmetric S = lanes33_symmetric_product(&state->R, &state->F);
    const lbLanes* e = S.e;
    lbLanes3 g = {{G->column[1].c[2] - G->column[2].c[1], G->column[2].c[0] - G->column[0].c[2],
                   G->column[0].c[1] - G->column[1].c[0]}};
    lbLanes33 K = {{{{e[1] + e[2], -e[3], -e[4]}}, {{-e[3], e[0] + e[2], -e[5]}}, {{-e[4], -e[5], e[0] + e[1]}}}};
    lbLanes33 cofactors = lanes33_cofactors(&K);
    lbLanes trace = symmetric_trace(&S);
    lbLanes determinant = lanes3_dot(K.column[0], cofactors.column[0]);
    lbLanes least = 1e-4f * trace * trace * trace + 1e-12f;
    return lanes3_scale(1.0f / lanes_max(determinant, least), lanes33_apply(&cofactors, g));
}

LB_INLINE lbLanes33 stress_change(const State* state, const lbLanes33* dF) {
    lbLanes33 G = lanes33_transposed_product(&state->R, dF), change = lanes33_scale(2.0f * state->mu, &G);
    lbLanes3 w = turning_axis(state, &G);
    lbLanes s = state->lambda * (state->trace - 3.0f) - 2.0f * state->mu;
    lbLanes dilation = state->lambda * lanes33_trace(&G), zero = LANES_ALL(0.0f);
    lbLanes33 W = {{{{zero, w.c[2], -w.c[1]}}, {{-w.c[2], zero, w.c[0]}}, {{w.c[1], -w.c[0], zero}}}};
    change = lanes33_madd(&change, s, &W);
    for (int c = 0; c < 3; ++c) {
        change.column[c].c[c] += dilation;
    }
    return lanes33_product(&state->R, &change);
}

/* p_i = 2 mu (s_i - 1) + lambda (s1 + s2 + s3 - 3) */
LB_INLINE lbPrincipalSlopes principal_slopes(const State* state, const lbLanes s[3]) {
    lbLanes lambda = state->lambda, twice = 2.0f * state->mu, sum = s[0] + s[1] + s[2], along = lambda + twice;
    lbPrincipalSlopes slopes = {.stretching = {{along, along, along, lambda, lambda, lambda}}};
    for (int k = 0; k < 3; ++k) {
        lbLanes pair = lanes_max(sum - s[k], 1e-4f * sum + 1e-12f);
        slopes.shear[k] = twice;
        slopes.turning[k] = twice + 2.0f * (lambda * (sum - 3.0f) - twice) / pair;
    }
    return slopes;
}

/* The simple tangent is that of elements that do not turn, R fixed but carried along (M. Müller and M. Gross,
 * Interactive Virtual Materials, 2004): dP = R (lambda tr(e) I + 2 mu e), e = sym(R^T dF). */
#define LB_SIMPLE_BLOCKS
LB_INLINE void add_simple_blocks(const lbTetBatch* batch, const State* state, float a, lbElementBlocks* blocks) {
    lbLanes zero = LANES_ALL(0.0f), one = LANES_ALL(1.0f);
    const lbLanesSymmetric identity = {{one, one, one, zero, zero, zero}};
    add_strain_blocks(batch, &state->R, &identity, a * state->lambda, a * state->mu, blocks);
}

/* Turning resists by at most 2 mu + 2 (lambda tr(S - I) - 2 mu) / (s2 + s3). */
LB_INLINE lbLanes largest_stiffness(const State* state, const lbTetSpread* spread) {
    lbLanes trace = state->trace, zero = LANES_ALL(0.0f);
    lbLanes turning = lanes_max(state->lambda * (trace - 3.0f) - 2.0f * state->mu, zero);
    lbLanesSymmetric S = lanes33_symmetric_product(&state->R, &state->F);
    lbLanes thin = lanes_max(trace - symmetric_eigenvalue_bound(&S), 0.05f * trace + 1e-12f);
    lbLanes through = lanes_max(state->lambda, zero) * symmetric_trace(&spread->A);
    return (2.0f * state->mu + 2.0f * turning / thin) * spread->largest + through;
}

static double energy_density(double F[3][3], double lambda, double mu) {
    double R[3][3], trace = -3, square = 0;
    lb_nearest_rotation(F, R);
    for (int k = 0; k < 9; ++k) {
        double difference = F[k / 3][k % 3] - R[k / 3][k % 3];
        trace += F[k / 3][k % 3] * R[k / 3][k % 3];
        square += difference * difference;
    }
    return 0.5 * lambda * trace * trace + mu * square;
}

/* The stress, once the root is found: 2 mu F + (lambda (t - 3) - 2 mu) R, as one sum of what R is made of; and F S,
 * where S is not NULL; and `pressure` cof F. */
LB_INLINE lbLanes33 stress_of_root(const lbLanes33* F, lbRotationRoot* root, lbLanes lambda, lbLanes mu,
                                   const lbLanesSymmetric* S, lbLanes pressure) {
    lbRotationSum sum = rotation_sum(root);
    lbLanes twice = mu + mu;
    if (__builtin_expect(lanes_positive(sum.good), 1)) {
        lbLanes along = lambda * (root->t - 3.0f) - twice;
        lbLanesSymmetric inner = rotation_inner(root, twice + along * sum.a, along * sum.c);
        inner = S != NULL ? symmetric_add(&inner, S) : inner;
        return rotation_combine(F, root, &inner, along * sum.b + pressure);
    }
    State state = {.F = *F, .lambda = lambda, .mu = mu};
    find_rotation_slowly(F, root, &state.R);
    state.trace = root->t;
    lbLanes33 P = stress(&state), cofactors = lanes33_cofactors(F), more;
    if (S != NULL) {
        more = lanes33_symmetric_times(F, S);
        P = lanes33_madd(&P, LANES_ALL(1.0f), &more);
    }
    return lanes33_madd(&P, pressure, &cofactors);
}

/* The forces of a fan: its roots are found side by side, so that none waits for the divisions of another. */
LB_INLINE void add_fan_forces(const lbTets* tets, int first, int count, lbAskedForces asked, const float* x,
                              const float* v, float* f) {
    const lbTetBatch* batch = &tets->batches[first];
    lbLanes33 F[lb_longestFan];
    lbLanes sums[lb_longestFan];
    lbRotationRoot roots[lb_longestFan];
    lbFanStress stress;
    lbFanEdges edges = asked.beside ? begin_stressed_fan(batch, x, &stress) : begin_fan(batch, x), rates;
    lbFanForces forces = no_forces();
    for (int k = 0; k < count; ++k) {
        F[k] = asked.beside ? next_stressed_gradient(&batch[k], x, &edges, &stress, &sums[k])
                            : next_gradient(&batch[k], x, &edges);
        roots[k] = begin_root(&F[k]);
    }
    for (int step = 0; step < rootSteps; ++step) {
        for (int k = 0; k < count; ++k) {
            improve_root(&roots[k]);
        }
    }
    if (asked.damped) {
        rates = begin_fan(batch, v);
    }
    for (int k = 0; k < count; ++k) {
        lbLanes lambda = -lanes_load(batch[k].lambda), mu = -lanes_load(batch[k].mu), pressure = LANES_ALL(0.0f);
        lbLanesSymmetric S;
        if (asked.damped) {
            lbLanes33 rate = next_gradient(&batch[k], v, &rates);
            S = damping_of_rate(&F[k], &rate, tets->dampingTime * lambda, tets->dampingTime * mu);
        }
        if (asked.beside) {
            pressure = -stress_beside(tets, first + k, sums[k]);
        }
        lbLanes33 P = stress_of_root(&F[k], &roots[k], lambda, mu, asked.damped ? &S : NULL, pressure);
        add_stress(&batch[k], &P, &forces, f);
    }
    end_fan(&batch[count - 1], &forces, f);
}

LB_INLINE void add_forces(const lbScope* scope, lbAskedForces asked, const float* x, const float* v, float* f) {
    const lbTets* tets = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin, end = scope->ranges[r].end, count; i < end; i += count) {
            count = 1;
            while (count < lb_longestFan && continues_fan(tets, i + count, end)) {
                ++count;
            }
            add_fan_forces(tets, i, count, asked, x, v, f);
        }
    }
}

#define LB_OWN_FORCES
#include "law/principal_definite.h"
#include "law/tet_loops.h"

const lbLaw lb_corotational = {
    .name = "corotational",
    .label = "Corotational",
    .description = "Tetrahedra, linear in a frame that turns with each of them; comes back from any deformation",
    LB_TET_LAW,
    .precise = &lb_corotationalPrecise,
    .comesBack = true,
};
