/* The loops of every law on deformation gradients: gathering, damping, scattering, matrices, bounds. A law's file
 * defines the following, then includes this file, once. lambda and mu come with the element's volume in them, and so do
 * stresses and energies go back.
 *
 *   State, with F, lambda, mu                  what a stress and its change follow from
 *   State measure(F, lambda, mu)
 *   lbLanes33 stress(state)                    P
 *   lbLanes33 stress_and(state, S)             P + F S, S symmetric: stress and damping in one sum
 *   lbLanes33 stress_change(state, dF)         dP
 *   add_definite_blocks(batch, state, a, blocks)  adds a times the blocks of a tangent that gives way in no direction
 *                                              (principal_definite.h has it)
 *   lbLanes largest_stiffness(state, spread)   see tet_bound
 *   double energy_density(F, lambda, mu)       in double
 *
 * One that has a faster way to add forces defines LB_OWN_FORCES and add_forces(scope, asked, x, v, f); one that has a
 * cheaper definite tangent, LB_SIMPLE_BLOCKS and add_simple_blocks, of the same form (law.h).
 *
 * Damping is that of the Green strain's rate, for all of them: S = phi tr(E') I + 2 psi E', E' = sym(F^T F'), added to
 * P as F S, with (phi, psi) = dampingTime (lambda, mu). It takes no notice of rotations, keeps angular momentum, and
 * never adds energy, whatever F is. Its change with positions is left out of the tangent, as is usual: it vanishes at
 * rest. */
#include "law/node_sums.h"
#include "law/parts.h"
#include "law/tet_blocks.h"
#include "law/tet_fan.h"
#include "law/tet_measures.h"

LB_INLINE State measure_batch(const lbTetBatch* batch, const float* x) {
    lbLanes33 F = tet_gradient(batch, x);
    return measure(&F, lanes_load(batch->lambda), lanes_load(batch->mu));
}

#ifndef LB_OWN_FORCES
/* Forces are minus the stress: stresses are linear in the moduli, so that these come with the opposite sign. */
LB_INLINE void add_forces(const lbScope* scope, lbAskedForces asked, const float* x, const float* v, float* f) {
    const lbTets* tets = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin, end = scope->ranges[r].end; i < end;) {
            const lbTetBatch* batch = &tets->batches[i];
            lbFanStress beside;
            lbFanEdges edges = asked.beside ? begin_stressed_fan(batch, x, &beside) : begin_fan(batch, x), rates;
            lbFanForces forces = no_forces();
            if (asked.damped) {
                rates = begin_fan(batch, v);
            }
            do {
                batch = &tets->batches[i];
                lbLanes sum;
                lbLanes33 F = asked.beside ? next_stressed_gradient(batch, x, &edges, &beside, &sum)
                                           : next_gradient(batch, x, &edges);
                State state = measure(&F, -lanes_load(batch->lambda), -lanes_load(batch->mu));
                lbLanes33 P;
                if (asked.damped) {
                    lbLanes33 rate = next_gradient(batch, v, &rates);
                    lbLanesSymmetric S =
                        damping_of_rate(&F, &rate, tets->dampingTime * state.lambda, tets->dampingTime * state.mu);
                    P = stress_and(&state, &S);
                } else {
                    P = stress(&state);
                }
                if (asked.beside) {
                    lbLanes33 cofactors = lanes33_cofactors(&F);
                    P = lanes33_madd(&P, -stress_beside(tets, i, sum), &cofactors);
                }
                add_stress(batch, &P, &forces, f);
            } while (continues_fan(tets, ++i, end));
            end_fan(batch, &forces, f);
        }
    }
}

#endif

static __attribute__((noinline)) void add_elastic_forces(const lbScope* scope, const float* x, float* f) {
    add_forces(scope, (lbAskedForces){0}, x, NULL, f);
}

static __attribute__((noinline)) void add_damped_forces(const lbScope* scope, const float* x, const float* v,
                                                        float* f) {
    add_forces(scope, (lbAskedForces){.damped = true}, x, v, f);
}

static __attribute__((noinline)) void add_elastic_beside(const lbScope* scope, const float* places, float* f) {
    add_forces(scope, (lbAskedForces){.beside = true}, places, NULL, f);
}

static __attribute__((noinline)) void add_damped_beside(const lbScope* scope, const float* places, const float* v,
                                                        float* f) {
    add_forces(scope, (lbAskedForces){.damped = true, .beside = true}, places, v, f);
}

static bool is_damped(const lbScope* scope) {
    return ((const lbTets*)scope->elements)->dampingTime != 0;
}

static void tet_force(const lbScope* scope, lbMoment moment, const float* x, const float* v, float* f) {
    (void)moment;
    if (is_damped(scope)) {
        add_damped_forces(scope, x, v, f);
    } else {
        add_elastic_forces(scope, x, f);
    }
}

static void tet_force_beside(const lbScope* scope, lbMoment moment, const float* places, const float* v, float* f) {
    (void)moment;
    if (is_damped(scope)) {
        add_damped_beside(scope, places, v, f);
    } else {
        add_elastic_beside(scope, places, f);
    }
}

static void tet_tangent(const lbScope* scope, const float* x, float a, float b, const float* p, float* y) {
    const lbTets* tets = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin, end = scope->ranges[r].end; i < end;) {
            const lbTetBatch* batch = &tets->batches[i];
            lbFanEdges edges = begin_fan(batch, x), changes = begin_fan(batch, p);
            lbFanForces forces = no_forces();
            do {
                batch = &tets->batches[i];
                lbLanes33 F = next_gradient(batch, x, &edges), dF = next_gradient(batch, p, &changes);
                State state = measure(&F, -lanes_load(batch->lambda), -lanes_load(batch->mu));
                lbLanes33 change = stress_change(&state, &dF);
                change = lanes33_scale(LANES_ALL(a), &change);
                if (b != 0) {
                    float time = b * tets->dampingTime;
                    add_damping(&F, &dF, time * state.lambda, time * state.mu, &change);
                }
                add_stress(batch, &change, &forces, y);
            } while (continues_fan(tets, ++i, end));
            end_fan(batch, &forces, y);
        }
    }
}

/* ---- The matrix -------------------------------------------------------------------------------------------------- */

#ifndef LB_SIMPLE_BLOCKS
#define add_simple_blocks add_definite_blocks
#endif

/* `kind` is known where this is inlined. */
LB_INLINE void batch_blocks(const lbTetBatch* batch, lbTangentKind kind, const float* x, float a, float b,
                            lbElementBlocks* blocks) {
    State state = measure_batch(batch, x);
    clear_blocks(blocks);
    if (kind == lb_tangentSimple) {
        add_simple_blocks(batch, &state, a, blocks);
    } else if (kind == lb_tangentDefinite) {
        add_definite_blocks(batch, &state, a, blocks);
    } else {
        for (int k = 0; k < 9; ++k) {
            lbLanes33 dF = unit_motion_gradient(batch, k), change = stress_change(&state, &dF);
            add_motion_block(batch, k, a, &change, blocks);
        }
    }
    if (b != 0) {
        lbLanesSymmetric M = lanes33_outer_gram(&state.F);
        add_strain_blocks(batch, &state.F, &M, b * state.lambda, b * state.mu, blocks);
    }
}

static void tet_assemble(const lbScope* scope, const float* x, float a, float b, lbTangentKind kind, const int* places,
                         const lbBlockMatrix* matrix) {
    const lbTets* tets = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            lbElementBlocks blocks;
            const float time = b * tets->dampingTime;
            if (kind == lb_tangentSimple) {
                batch_blocks(&tets->batches[i], lb_tangentSimple, x, a, time, &blocks);
            } else if (kind == lb_tangentDefinite) {
                batch_blocks(&tets->batches[i], lb_tangentDefinite, x, a, time, &blocks);
            } else {
                batch_blocks(&tets->batches[i], lb_tangentExact, x, a, time, &blocks);
            }
            lb_scatter_blocks(&blocks, 3, places, i, matrix);
        }
    }
}

/* ---- Measures ---------------------------------------------------------------------------------------------------- */

static double tet_energy(const lbScope* scope, const float* x) {
    const lbTets* tets = scope->elements;
    double energy = 0;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin * LB_LANES; i < scope->ranges[r].end * LB_LANES; ++i) {
            const lbTetBatch* batch = &tets->batches[i / LB_LANES];
            if (batch->mu[i % LB_LANES] != 0) {
                double F[3][3];
                tet_gradient_in_double(batch, i % LB_LANES, x, F);
                energy += energy_density(F, (double)batch->lambda[i % LB_LANES], (double)batch->mu[i % LB_LANES]);
            }
        }
    }
    return energy;
}

static void tet_share_energy(const lbScope* scope, const float* x, float* energy) {
    const lbTets* tets = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin * LB_LANES; i < scope->ranges[r].end * LB_LANES; ++i) {
            const lbTetBatch* batch = &tets->batches[i / LB_LANES];
            int lane = i % LB_LANES;
            double F[3][3];
            tet_gradient_in_double(batch, lane, x, F);
            double own = energy_density(F, (double)batch->lambda[lane], (double)batch->mu[lane]);
            for (int k = 0; k < 4 && batch->mu[lane] != 0; ++k) {
                energy[batch->node[k][lane] / 4] += (float)(0.25 * own);
            }
        }
    }
}

/* Strain: a principal stretch less one, the one farthest from it. Stress: von Mises, of Cauchy's stress P F^T / J. */
static void tet_measure(const lbScope* scope, const float* x, lbFieldKind kind, float* sum, float* volume) {
    const lbTets* tets = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const lbTetBatch* batch = &tets->batches[i];
            State state = measure_batch(batch, x);
            lbLanes own = lanes_load(tets->volumes + (size_t)i * LB_LANES), value;
            if (kind == lb_fieldStrain) {
                value = own * largest_strain(&state.F);
            } else {
                lbLanes33 P = stress(&state);
                value = von_mises_stress(&state.F, &P);
            }
            lb_add_to_nodes(value, 4, batch->node, sum);
            lb_add_to_nodes(own, 4, batch->node, volume);
        }
    }
}

/* An element's stiffness is at most V (k1 a + k2) for each of its nodes, in all directions, if
 *   dP : dF <= k1 |dF|^2 + lambda (Q : dF)^2  with some Q, and k2 = lambda sum_i |Q a_i|^2,
 * a_i the gradients of its basis functions and a the largest eigenvalue of A = sum_i a_i a_i^T. */
static void tet_bound(const lbScope* scope, const float* x, float* stiffness, float* damping) {
    const lbTets* tets = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const lbTetBatch* batch = &tets->batches[i];
            State state = measure_batch(batch, x);
            lbTetSpread spread = tet_spread(batch);
            float numbers[2][LB_LANES];
            lbLanes elastic = largest_stiffness(&state, &spread);
            lbLanes viscous = tets->dampingTime * largest_damping(&state.F, state.lambda, state.mu, &spread);
            memcpy(numbers[0], &elastic, sizeof(numbers[0]));
            memcpy(numbers[1], &viscous, sizeof(numbers[1]));
            for (int k = 0; k < 4; ++k) {
                tet_add_bounds(batch->node[k], numbers[0], stiffness);
                tet_add_bounds(batch->node[k], numbers[1], damping);
            }
        }
    }
}

/* What such a law has in common with the others, for its table. */
#define LB_TET_LAW                                                                                                     \
    .meshes = lb_meshesOfTets, .bake = lb_bake_tets, .release = lb_release_tets, .energy = tet_energy,                 \
    .force = tet_force, .forceBeside = tet_force_beside, .tangent = tet_tangent, .bound = tet_bound,                   \
    .measures = LB_BIT(lb_fieldStrain) | LB_BIT(lb_fieldStress), .measure = tet_measure,                               \
    .shareEnergy = tet_share_energy, .countInverted = lb_count_inverted_tets, .nodesPerElement = 4,                    \
    .nodes = lb_tet_nodes, .assemble = tet_assemble, .parts = &lb_tetParts
