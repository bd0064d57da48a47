/* Corotational: linear elasticity in a frame that turns with each element.
 *
 *   F = R S, R the rotation nearest to F;  P = 2 mu (F - R) + lambda tr(S - I) R
 *   energy density mu |F - R|^2 + lambda/2 tr(S - I)^2, of which P is the exact gradient
 *   dP = R (2 mu G + lambda tr(G) I + (lambda tr(S - I) - 2 mu) W), G = R^T dF, dR = R W,
 *   W the antisymmetric matrix with W S + S W = G - G^T
 *
 * R is always proper (no reflection): an element that is turned inside out is pushed back along the axis where that is
 * shortest. It has a closed form once lambda = tr(S) is known, the largest root of a quartic (F. L. Markley, Attitude
 * Determination using Vector Observations: a Fast Optimal Matrix Algorithm, 1993, for the same problem in spaceflight):
 *
 *   t^4 - 2 |F|^2 t^2 - 8 det(F) t + |F|^4 - 4 |cof F|^2 = 0
 *   R = ((k + |F|^2) F + t cof F - F F^T F) / (k t - det F),  k = (t^2 - |F|^2) / 2
 *
 * The denominator is (s1 + s2)(s2 + s3)(s3 + s1), s the singular values. Where it is small against |F|^3 (an element
 * pressed to a line, or turned inside out by as much as it is thick) R is not well determined: such elements are
 * handed to a slower method in double. */
#include "law/polar.h"
#include "law/tet_kernels.h"

typedef struct State {
    lbLanes33 F, R;
    lbLanes lambda, mu;
} State;

/* Least (s1 + s2)(s2 + s3)(s3 + s1) / |F|^3; 1.54 for a rotation. */
static const float leastDenominator = 0.1f;

static __attribute__((noinline)) void slow_rotations(const lbLanes33* F, const float* good, lbLanes33* R) {
    float from[9][LB_LANES], to[9][LB_LANES];
    memcpy(from, F, sizeof(from));
    memcpy(to, R, sizeof(to));
    for (int lane = 0; lane < LB_LANES; ++lane) {
        if (good[lane] > 0) {
            continue;
        }
        double m[3][3], rotation[3][3];
        for (int k = 0; k < 9; ++k) {
            m[k % 3][k / 3] = (double)from[k][lane];
        }
        lb_nearest_rotation(m, rotation);
        for (int k = 0; k < 9; ++k) {
            to[k][lane] = (float)rotation[k % 3][k / 3];
        }
    }
    memcpy(R, to, sizeof(to));
}

/* tr(S): the largest root. From t = sqrt(n + 2 sqrt(c + 2 J t)), which holds at the root, then Newton's method. */
LB_INLINE lbLanes largest_root(lbLanes n, lbLanes c, lbLanes J, lbLanes* lastStep) {
    lbLanes t = lanes_sqrt(3.0f * n), last = n * n - 4.0f * c;
    t = lanes_sqrt(n + 2.0f * lanes_sqrt(lanes_max(c + 2.0f * J * t, LANES_ALL(0.0f))));
    for (int i = 0; i < 3; ++i) {
        lbLanes square = t * t;
        lbLanes value = ((square - 2.0f * n) * t - 8.0f * J) * t + last;
        lbLanes slope = (4.0f * (square - n)) * t - 8.0f * J;
        *lastStep = value / slope;
        t -= *lastStep;
    }
    return t;
}

LB_INLINE lbLanes33 nearest_rotation(const lbLanes33* F) {
    lbLanes33 cofactors = lanes33_cofactors(F);
    lbLanesSymmetric C = lanes33_gram(F);
    lbLanes n = symmetric_trace(&C), J = lanes3_dot(F->column[0], cofactors.column[0]), lastStep;
    lbLanes t = largest_root(n, lanes33_dot(&cofactors, &cofactors), J, &lastStep);
    lbLanes k = 0.5f * (t * t - n), denominator = k * t - J, inverse = 1.0f / denominator;
    lbLanes33 FC = lanes33_symmetric_times(F, &C);
    lbLanes33 R = lanes33_scale((k + n) * inverse, F);
    R = lanes33_madd(&R, t * inverse, &cofactors);
    R = lanes33_madd(&R, -inverse, &FC);
    /* Above 0 where R is to be trusted; NaN is not. */
    lbLanes size = n * lanes_sqrt(n), step = lanes_max(lastStep, -lastStep);
    lbLanes good = lanes_min(denominator - leastDenominator * size, 1e-5f * t - step);
    float numbers[LB_LANES];
    memcpy(numbers, &good, sizeof(numbers));
    bool all = true;
    for (int lane = 0; lane < LB_LANES; ++lane) {
        all &= numbers[lane] > 0;
    }
    if (__builtin_expect(!all, 0)) {
        slow_rotations(F, numbers, &R);
    }
    return R;
}

LB_INLINE State measure(const lbLanes33* F, lbLanes lambda, lbLanes mu) {
    return (State){*F, nearest_rotation(F), lambda, mu};
}

LB_INLINE lbLanes33 stress(const State* state) {
    lbLanes twice = 2.0f * state->mu;
    lbLanes along = state->lambda * (lanes33_dot(&state->R, &state->F) - 3.0f) - twice;
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

/* The definite tangent is that of elements that do not turn, R fixed but carried along (M. Müller and M. Gross,
 * Interactive Virtual Materials, 2004). */
LB_INLINE lbLanes33 stress_change(const State* state, const lbLanes33* dF, lbTangentKind kind) {
    lbLanes33 G = lanes33_transposed_product(&state->R, dF), change;
    lbLanes dilation = state->lambda * lanes33_trace(&G);
    if (kind == lb_tangentDefinite) {
        for (int c = 0; c < 3; ++c) {
            for (int r = 0; r < 3; ++r) {
                change.column[c].c[r] = state->mu * (G.column[c].c[r] + G.column[r].c[c]);
            }
        }
    } else {
        lbLanes3 w = turning_axis(state, &G);
        lbLanes s = state->lambda * (lanes33_dot(&state->R, &state->F) - 3.0f) - 2.0f * state->mu;
        lbLanes zero = LANES_ALL(0.0f);
        lbLanes33 W = {{{{zero, w.c[2], -w.c[1]}}, {{-w.c[2], zero, w.c[0]}}, {{w.c[1], -w.c[0], zero}}}};
        change = lanes33_scale(2.0f * state->mu, &G);
        change = lanes33_madd(&change, s, &W);
    }
    for (int c = 0; c < 3; ++c) {
        change.column[c].c[c] += dilation;
    }
    return lanes33_product(&state->R, &change);
}

/* Turning resists by at most 2 mu + 2 (lambda tr(S - I) - 2 mu) / (s2 + s3). */
LB_INLINE lbLanes largest_stiffness(const State* state, const lbTetSpread* spread) {
    lbLanes trace = lanes33_dot(&state->R, &state->F), zero = LANES_ALL(0.0f);
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

#include "law/tet_loops.h"

const lbLaw lb_corotational = {
    .name = "corotational",
    .bake = lb_bake_tets,
    .release = lb_release_tets,
    .energy = tet_energy,
    .force = tet_force,
    .tangent = tet_tangent,
    .bound = tet_bound,
    .nodesPerElement = 4,
    .nodes = lb_tet_nodes,
    .assemble = tet_assemble,
};
