/* Linear elasticity: stress linear in displacements d = x - X (G. Debunne, M. Desbrun, M.-P. Cani and A. H. Barr,
 * Adaptive Simulation of Soft Bodies in Real-Time, 2000; its element volume and its boundary put right).
 *
 *   f_i = -sum_j K_ij d_j,  K_ij the sum over elements of
 *   full   V (mu (a_i.a_j) I + lambda a_i a_j^T + mu a_j a_i^T)    standard finite elements
 *   paper  V (mu (a_i.a_j) I + (lambda + mu) a_i a_j^T)            Laplacian and grad div
 *
 * a_i the gradient of node i's basis function. The two differ by mu (a_j a_i^T - a_i a_j^T), which cancels between
 * elements inside the body where mu is uniform, and not at its boundary: there an infinitesimal rotation makes forces
 * under `paper`. Rows of K sum to zero and K_ji = K_ij^T, so that a block for each edge is all there is:
 *
 *   f_a += B (d_b - d_a),  f_b += B^T (d_a - d_b),  B = -K_ab
 *
 * Damping is the same operator on velocities. No linear law keeps angular momentum when the body turns. */
#include "law/linear.h"

#include "base/simd.h"
#include "law/element_blocks.h"
#include "law/lanes33.h"
#include "law/parts.h"
#include "law/precise.h"
#include "law/tets.h"

LB_INLINE void load_block(const lbLinearBatch* batch, lbLanes block[9]) {
    for (int k = 0; k < 9; ++k) {
        block[k] = lanes_load(batch->block[k]);
    }
}

/* Adds B u to the one end and takes B^T u from the other. */
LB_INLINE void scatter_product(const lbLinearBatch* batch, lbLanes3 u, float* f) {
    lbLanes b[9];
    load_block(batch, b);
    lbLanes3 forth, back;
    for (int r = 0; r < 3; ++r) {
        forth.c[r] = b[3 * r] * u.c[0] + b[3 * r + 1] * u.c[1] + b[3 * r + 2] * u.c[2];
        back.c[r] = -b[r] * u.c[0] - b[3 + r] * u.c[1] - b[6 + r] * u.c[2];
    }
    lanes3_scatter(f, batch->a, forth);
    lanes3_scatter(f, batch->b, back);
}

LB_INLINE lbLanes3 stretch(const lbLinearBatch* batch, const float* x) {
    lbLanes3 d = lanes3_difference(x, batch->a, batch->b);
    for (int c = 0; c < 3; ++c) {
        d.c[c] -= lanes_load(batch->rest[c]);
    }
    return d;
}

static __attribute__((noinline)) void undamped_force(const lbScope* scope, const float* x, float* f) {
    const lbLinear* linear = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            scatter_product(&linear->batches[i], stretch(&linear->batches[i], x), f);
        }
    }
}

static __attribute__((noinline)) void damped_force(const lbScope* scope, const float* x, const float* v, float* f) {
    const lbLinear* linear = scope->elements;
    lbLanes time = LANES_ALL(linear->dampingTime);
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const lbLinearBatch* batch = &linear->batches[i];
            lbLanes3 u = lanes3_madd(stretch(batch, x), time, lanes3_difference(v, batch->a, batch->b));
            scatter_product(batch, u, f);
        }
    }
}

static void linear_force(const lbScope* scope, lbMoment moment, const float* x, const float* v, float* f) {
    (void)moment;
    if (((const lbLinear*)scope->elements)->dampingTime != 0) {
        damped_force(scope, x, v, f);
    } else {
        undamped_force(scope, x, f);
    }
}

static void linear_tangent(const lbScope* scope, const float* x, float a, float b, const float* p, float* y) {
    (void)x;
    const lbLinear* linear = scope->elements;
    lbLanes factor = LANES_ALL(a + b * linear->dampingTime);
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const lbLinearBatch* batch = &linear->batches[i];
            scatter_product(batch, lanes3_scale(factor, lanes3_difference(p, batch->a, batch->b)), y);
        }
    }
}

/* ---- The matrix -------------------------------------------------------------------------------------------------- */

/* Padding has the nodes of the first lane, and no edge comes twice. Whether blocks are zero says nothing: those of some
 * edges are with one material and not with another. */
static bool linear_nodes(const void* elements, int index, int* nodes) {
    const lbLinearBatch* batch = &((const lbLinear*)elements)->batches[index / LB_LANES];
    int lane = index % LB_LANES;
    nodes[0] = (int)(batch->a[lane] / 4);
    nodes[1] = (int)(batch->b[lane] / 4);
    return lane == 0 || batch->a[lane] != batch->a[0] || batch->b[lane] != batch->b[0];
}

static void linear_assemble(const lbScope* scope, const float* x, float a, float b, lbTangentKind kind,
                            const int* places, const lbBlockMatrix* matrix) {
    (void)x, (void)kind; /* constant, and semi-definite by itself */
    const lbLinear* linear = scope->elements;
    float factor = a + b * linear->dampingTime;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            lbLanes numbers[9];
            for (int k = 0; k < 9; ++k) {
                numbers[k] = factor * lanes_load(linear->batches[i].block[k]);
            }
            lb_add_nine(numbers, places + (size_t)i * LB_LANES, matrix->pairs);
        }
    }
}

/* ---- The bound ----------------------------------------------------------------------------------------------------
 */

static void linear_bound(const lbScope* scope, const float* x, float* stiffness, float* damping) {
    (void)x;
    const lbLinear* linear = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin * LB_LANES; i < scope->ranges[r].end * LB_LANES; ++i) {
            const lbLinearBatch* batch = &linear->batches[i / LB_LANES];
            for (int end = 0; end < 2; ++end) {
                size_t node = (end == 0 ? batch->a : batch->b)[i % LB_LANES] / 4;
                float bound = linear->bounds[2 * (size_t)i + (size_t)end];
                for (int c = 0; c < 3; ++c) {
                    stiffness[6 * node + (size_t)c] += bound;
                    damping[6 * node + (size_t)c] += linear->dampingTime * bound;
                }
            }
        }
    }
}

const lbLaw lb_linear = {
    .name = "linear",
    .label = "Linear",
    .description = "Tetrahedra, stress linear in displacements: the cheapest, for small motions without turning",
    .meshes = lb_meshesOfTets,
    .properties = &lb_linearProperties,
    .bake = lb_bake_linear,
    .release = lb_release_linear,
    .energy = lb_linear_energy,
    .force = linear_force,
    .tangent = linear_tangent,
    .bound = linear_bound,
    .measures = LB_BIT(lb_fieldStrain) | LB_BIT(lb_fieldStress),
    .measure = lb_linear_measure,
    .shareEnergy = lb_linear_share_energy,
    .nodesPerElement = 2,
    .nodes = linear_nodes,
    .assemble = linear_assemble,
    .precise = &lb_linearPrecise,
    .byElements = &lb_linearTets,
};
