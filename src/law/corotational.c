/* Corotational: linear elasticity in a frame that turns with each element.
 *
 *   F = R S, R the rotation nearest to F;  P = 2 mu (F - R) + lambda tr(S - I) R
 *   energy density mu |F - R|^2 + lambda/2 tr(S - I)^2, of which P is the exact gradient
 *   dP = R (2 mu G + lambda tr(G) I + (lambda tr(S - I) - 2 mu) W), G = R^T dF, dR = R W,
 *   W the antisymmetric matrix with W S + S W = G - G^T
 *
 * R is always proper (no reflection): an element that is turned inside out is pushed back along the axis where that is
 * shortest. */
#include "law/rotation.h"
#include "law/tet_kernels.h"

typedef struct State {
    lbLanes33 F, R;
    lbLanes lambda, mu;
} State;

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

LB_INLINE lbLanes33 stress_change(const State* state, const lbLanes33* dF) {
    lbLanes33 G = lanes33_transposed_product(&state->R, dF), change = lanes33_scale(2.0f * state->mu, &G);
    lbLanes3 w = turning_axis(state, &G);
    lbLanes s = state->lambda * (lanes33_dot(&state->R, &state->F) - 3.0f) - 2.0f * state->mu;
    lbLanes dilation = state->lambda * lanes33_trace(&G), zero = LANES_ALL(0.0f);
    lbLanes33 W = {{{{zero, w.c[2], -w.c[1]}}, {{-w.c[2], zero, w.c[0]}}, {{w.c[1], -w.c[0], zero}}}};
    change = lanes33_madd(&change, s, &W);
    for (int c = 0; c < 3; ++c) {
        change.column[c].c[c] += dilation;
    }
    return lanes33_product(&state->R, &change);
}

/* The definite tangent is that of elements that do not turn, R fixed but carried along (M. Müller and M. Gross,
 * Interactive Virtual Materials, 2004): dP = R (mu (G + G^T) + lambda tr(G) I). */
typedef State Definite;

LB_INLINE Definite prepare_definite(const State* state) {
    return *state;
}

LB_INLINE lbLanes33 definite_change(const Definite* state, const lbLanes33* dF) {
    lbLanes33 G = lanes33_transposed_product(&state->R, dF), change;
    lbLanes dilation = state->lambda * lanes33_trace(&G);
    for (int c = 0; c < 3; ++c) {
        for (int r = 0; r < 3; ++r) {
            change.column[c].c[r] = state->mu * (G.column[c].c[r] + G.column[r].c[c]);
        }
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

#include "law/tet_blocks.h"

/* The definite tangent's blocks, in closed form. */
LB_INLINE void add_definite_blocks(const lbScope* scope, bool damped, const float* x, float a, float b,
                                   const int* places, const lbBlockMatrix* matrix) {
    const lbTets* tets = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin, end = scope->ranges[r].end; i < end;) {
            lbFanEdges edges = begin_fan(&tets->batches[i], x);
            do {
                const lbTetBatch* batch = &tets->batches[i];
                lbLanes33 F = next_gradient(batch, x, &edges), R = nearest_rotation(&F);
                lbLanes lambda = -lanes_load(batch->lambda), mu = -lanes_load(batch->mu);
                lbTetFrame elastic, damping;
                lb_fill_frame(batch, &R, a * lambda, a * mu, &elastic);
                if (damped) {
                    float time = b * tets->dampingTime;
                    lb_fill_frame(batch, &F, time * lambda, time * mu, &damping);
                }
                lb_add_frames(batch, &elastic, &F, damped ? &damping : NULL, places + 6 * (size_t)i * LB_LANES, matrix);
            } while (continues_fan(tets, ++i, end));
        }
    }
}

static void corotational_assemble(const lbScope* scope, const float* x, float a, float b, lbTangentKind kind,
                                  const int* places, const lbBlockMatrix* matrix) {
    if (kind != lb_tangentDefinite) {
        tet_assemble(scope, x, a, b, kind, places, matrix);
    } else if (b * ((const lbTets*)scope->elements)->dampingTime != 0) {
        add_definite_blocks(scope, true, x, a, b, places, matrix);
    } else {
        add_definite_blocks(scope, false, x, a, b, places, matrix);
    }
}

const lbLaw lb_corotational = {
    .name = "corotational",
    .label = "Corotational",
    .description = "Tetrahedra, linear in a frame that turns with each of them; comes back from any deformation",
    .meshes = lb_tetMeshes,
    .bake = lb_bake_tets,
    .release = lb_release_tets,
    .energy = tet_energy,
    .force = tet_force,
    .tangent = tet_tangent,
    .bound = tet_bound,
    .measures = LB_BIT(lb_fieldStrain) | LB_BIT(lb_fieldStress),
    .measure = tet_measure,
    .shareEnergy = tet_share_energy,
    .countInverted = lb_count_inverted_tets,
    .comesBack = true,
    .nodesPerElement = 4,
    .nodes = lb_tet_nodes,
    .assemble = corotational_assemble,
};
