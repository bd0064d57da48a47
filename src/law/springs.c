/* Linear springs with damping along them.
 *
 *   d = x_b - x_a, l = |d|, n = d / l
 *   force on a: (k (l - L) + c n.(v_b - v_a)) n, on b its opposite
 *
 * Where the law's definition gives no stiffness, it follows the continuum: k = E V / L^2, V the volume of the elements
 * around the edge (A. van Gelder, Approximate Simulation of Elastic Membranes by Triangulated Spring Meshes, 1998),
 * and c = stiffnessDamping k. */
#include "base/result.h"
#include "base/simd.h"
#include "law/block_matrix.h"
#include "law/law.h"
#include "law/plan.h"

/* LB_LANES springs, one in each lane. Padding springs have k = c = 0 and both ends at one node. */
typedef struct SpringBatch {
    int a[LB_LANES], b[LB_LANES];
    float stiffness[LB_LANES]; /* k, N/m */
    float rest[LB_LANES];      /* L, m */
    float damping[LB_LANES];   /* c, N s/m */
} SpringBatch;

typedef struct Springs {
    int batchCount;
    bool damped; /* some c is not 0 */
    SpringBatch* batches;
} Springs;

/* Squared lengths are kept above this (m^2), so that ends that meet give no force rather than a NaN. */
static const float leastSquaredLength = 1e-30f;

/* ---- Baking ------------------------------------------------------------------------------------------------------ */

static lbResult spring_constants(const lbMesh* mesh, const lbSpring* spring, const lbMaterial* material,
                                 const lbLawDef* def, SpringBatch* batch, int lane) {
    double rest = vec3d_length(vec3d_sub(mesh->nodes[spring->b], mesh->nodes[spring->a]));
    bool given = def->springStiffness > 0;
    double k =
        spring->share * (given ? def->springStiffness : material->youngsModulus * spring->volume / (rest * rest));
    double c = given ? spring->share * def->springDamping : material->stiffnessDamping * k;
    if (!(rest > 0) || !isfinite((float)k) || !isfinite((float)c)) {
        return lb_error(lb_errorArgument,
                        "the spring between nodes %d and %d is %g m long: too short for a stiffness (k = E V / L^2)",
                        spring->a, spring->b, rest);
    }
    batch->a[lane] = spring->a;
    batch->b[lane] = spring->b;
    batch->stiffness[lane] = (float)k;
    batch->rest[lane] = (float)rest;
    batch->damping[lane] = (float)c;
    return lb_success();
}

static void release_springs(const lbHost* host, void* elements) {
    Springs* springs = elements;
    if (springs != NULL) {
        lb_release(host, springs->batches);
        lb_release(host, springs);
    }
}

static lbResult pack_springs(const lbMesh* mesh, const lbMaterial* material, const lbLawDef* def, const int* order,
                             Springs* springs) {
    for (int i = 0; i < springs->batchCount * LB_LANES; ++i) {
        SpringBatch* batch = &springs->batches[i / LB_LANES];
        int lane = i % LB_LANES;
        if (order[i] < 0) { /* pads the end of a group: stay on one of its nodes */
            batch->a[lane] = batch->b[lane] = batch->a[0];
            continue;
        }
        LB_TRY(spring_constants(mesh, &mesh->springs[order[i]], material, def, batch, lane));
        springs->damped |= batch->damping[lane] != 0;
    }
    return lb_success();
}

static lbResult plan_springs(const lbMesh* mesh, lbPlan* plan, int** order, int* batchCount) {
    int* nodes = LB_NEW(mesh->host, int, 2 * (int64_t)mesh->springCount);
    if (nodes == NULL) {
        return lb_out_of_memory("springs");
    }
    for (int i = 0; i < mesh->springCount; ++i) {
        nodes[2 * (size_t)i] = mesh->springs[i].a;
        nodes[2 * (size_t)i + 1] = mesh->springs[i].b;
    }
    lbElementList list = {mesh->springCount, 2, nodes};
    lbResult result = lb_plan_elements(mesh, &list, plan, order, batchCount);
    lb_release(mesh->host, nodes);
    return result;
}

static lbResult bake_springs(const lbHost* host, const lbMesh* mesh, const lbMaterial* material, const lbLawDef* def,
                             void** elements, lbPlan* plan) {
    *elements = NULL;
    int* order = NULL;
    int batchCount = 0;
    LB_TRY(plan_springs(mesh, plan, &order, &batchCount));
    Springs* springs = LB_NEW(host, Springs, 1);
    SpringBatch* batches = LB_NEW(host, SpringBatch, batchCount);
    lbResult result = lb_out_of_memory("springs");
    if (springs != NULL && batches != NULL) {
        *springs = (Springs){.batchCount = batchCount, .batches = batches};
        result = pack_springs(mesh, material, def, order, springs);
    }
    lb_release(host, order);
    if (result.code != lb_ok) {
        lb_release(host, batches);
        lb_release(host, springs);
        lb_destroy_plan(host, plan);
        return result;
    }
    *elements = springs;
    return lb_success();
}

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

static inline lbLanes squared_length(const lbLanes d[3]) {
    return lanes_max(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], LANES_ALL(leastSquaredLength));
}

static inline lbLanes dot(const lbLanes a[3], const lbLanes b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double spring_energy(const lbScope* scope, const float* x) {
    const Springs* springs = scope->elements;
    double energy = 0;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const SpringBatch* batch = &springs->batches[i];
            lbLanes d[3];
            gather_difference(x, batch->a, batch->b, d);
            lbLanes stretch = lanes_sqrt(squared_length(d)) - lanes_load(batch->rest);
            energy += 0.5 * (double)lanes_sum(lanes_load(batch->stiffness) * stretch * stretch);
        }
    }
    return energy;
}

static inline void batch_force(const SpringBatch* batch, bool damped, const float* x, const float* v, float* f) {
    lbLanes d[3];
    gather_difference(x, batch->a, batch->b, d);
    lbLanes squared = squared_length(d);
    lbLanes inverse = 1.0f / lanes_sqrt(squared);
    /* force / length, so that d need not be normalised */
    lbLanes s = lanes_load(batch->stiffness) * (1.0f - lanes_load(batch->rest) * inverse);
    if (damped) {
        lbLanes dv[3];
        gather_difference(v, batch->a, batch->b, dv);
        s += lanes_load(batch->damping) * dot(dv, d) * inverse * inverse;
    }
    lbLanes force[3] = {s * d[0], s * d[1], s * d[2]};
    scatter_pair(f, batch->a, batch->b, force);
}

static void spring_force(const lbScope* scope, double time, const float* x, const float* v, float* f) {
    (void)time;
    const Springs* springs = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        lbRange range = scope->ranges[r];
        if (springs->damped) {
            for (int i = range.begin; i < range.end; ++i) {
                batch_force(&springs->batches[i], true, x, v, f);
            }
        } else {
            for (int i = range.begin; i < range.end; ++i) {
                batch_force(&springs->batches[i], false, x, v, f);
            }
        }
    }
}

/* K p = k ((1 - L/l) p + (L/l) n n.p) for the elastic part, c n n.p for the damping; the change of the damping force
 * with position is left out, as is usual: it vanishes at rest. */
static void spring_tangent(const lbScope* scope, const float* x, float a, float b, const float* p, float* y) {
    const Springs* springs = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const SpringBatch* batch = &springs->batches[i];
            lbLanes d[3], dp[3], out[3];
            gather_difference(x, batch->a, batch->b, d);
            gather_difference(p, batch->a, batch->b, dp);
            lbLanes squared = squared_length(d);
            lbLanes ratio = lanes_load(batch->rest) / lanes_sqrt(squared);
            lbLanes k = a * lanes_load(batch->stiffness);
            lbLanes across = k * (1.0f - ratio);
            lbLanes along = (k * ratio + b * lanes_load(batch->damping)) * dot(d, dp) / squared;
            for (int c = 0; c < 3; ++c) {
                out[c] = across * dp[c] + along * d[c];
            }
            scatter_pair(y, batch->a, batch->b, out);
        }
    }
}

/* ---- The matrix -------------------------------------------------------------------------------------------------- */

static bool spring_nodes(const void* elements, int index, int* nodes) {
    const SpringBatch* batch = &((const Springs*)elements)->batches[index / LB_LANES];
    int lane = index % LB_LANES;
    nodes[0] = batch->a[lane];
    nodes[1] = batch->b[lane];
    return nodes[0] != nodes[1];
}

/* The block of the two ends, (across I + along d d^T), in all lanes: xx, xy, xz, yy, yz, zz. */
static inline void spring_block(const SpringBatch* batch, const float* x, float a, float b, lbTangentKind kind,
                                lbLanes block[6]) {
    lbLanes d[3];
    gather_difference(x, batch->a, batch->b, d);
    lbLanes squared = squared_length(d), k = a * lanes_load(batch->stiffness);
    lbLanes ratio = lanes_load(batch->rest) / lanes_sqrt(squared);
    lbLanes slack = 1.0f - ratio;
    slack = kind == lb_tangentDefinite ? lanes_max(slack, LANES_ALL(0.0f)) : slack;
    lbLanes across = k * slack, along = (k - across + b * lanes_load(batch->damping)) / squared;
    block[0] = across + along * d[0] * d[0];
    block[1] = along * d[0] * d[1];
    block[2] = along * d[0] * d[2];
    block[3] = across + along * d[1] * d[1];
    block[4] = along * d[1] * d[2];
    block[5] = across + along * d[2] * d[2];
}

/* Adds a batch's blocks to both their places; `source` says which of the six numbers goes where. */
static inline __attribute__((always_inline)) void scatter_blocks(const lbLanes block[6], const int* places, int count,
                                                                 const int* source, float* values) {
    float numbers[6][LB_LANES];
    memcpy(numbers, block, sizeof(numbers));
    for (int lane = 0; lane < LB_LANES; ++lane) {
        float *forth = values + places[lane], *back = values + places[LB_LANES + lane];
        for (int e = 0; e < count; ++e) {
            forth[e * LB_LANES] += numbers[source[e]][lane];
        }
        for (int e = 0; e < count; ++e) {
            back[e * LB_LANES] += numbers[source[e]][lane];
        }
    }
}

static void spring_assemble(const lbScope* scope, const float* x, float a, float b, lbTangentKind kind,
                            const int* places, const lbBlockMatrix* matrix) {
    const Springs* springs = scope->elements;
    static const int six[6] = {0, 1, 2, 3, 4, 5}, nine[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            lbLanes block[6];
            spring_block(&springs->batches[i], x, a, b, kind, block);
            if (matrix->pattern->numberCount == 6) {
                scatter_blocks(block, places + 2 * (size_t)i * LB_LANES, 6, six, matrix->values);
            } else {
                scatter_blocks(block, places + 2 * (size_t)i * LB_LANES, 9, nine, matrix->values);
            }
        }
    }
}

/* ---- The bound --------------------------------------------------------------------------------------------------- */

static void add_block(float* block, float across, float along, const float n[3]) {
    block[0] += across + along * n[0] * n[0];
    block[1] += across + along * n[1] * n[1];
    block[2] += across + along * n[2] * n[2];
    block[3] += along * n[0] * n[1];
    block[4] += along * n[0] * n[2];
    block[5] += along * n[1] * n[2];
}

/* (p_b - p_a)^2 <= 2 p_a^2 + 2 p_b^2 along any direction, so twice the spring's own block at each end is enough. A
 * shortened spring is unstable across, which raises no frequency. */
static void spring_bound(const lbScope* scope, const float* x, float* stiffness, float* damping) {
    const Springs* springs = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin * LB_LANES; i < scope->ranges[r].end * LB_LANES; ++i) {
            const SpringBatch* batch = &springs->batches[i / LB_LANES];
            int lane = i % LB_LANES;
            size_t a = (size_t)batch->a[lane], b = (size_t)batch->b[lane];
            float n[3] = {x[4 * b] - x[4 * a], x[4 * b + 1] - x[4 * a + 1], x[4 * b + 2] - x[4 * a + 2]};
            float inverse = 1 / sqrtf(fmaxf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], leastSquaredLength));
            for (int c = 0; c < 3; ++c) {
                n[c] *= inverse;
            }
            float k = 2 * batch->stiffness[lane], across = k * fmaxf(0, 1 - batch->rest[lane] * inverse);
            add_block(stiffness + 6 * a, across, k - across, n);
            add_block(stiffness + 6 * b, across, k - across, n);
            add_block(damping + 6 * a, 0, 2 * batch->damping[lane], n);
            add_block(damping + 6 * b, 0, 2 * batch->damping[lane], n);
        }
    }
}

const lbLaw lb_springs = {
    .name = "springs",
    .bake = bake_springs,
    .release = release_springs,
    .energy = spring_energy,
    .force = spring_force,
    .tangent = spring_tangent,
    .bound = spring_bound,
    .nodesPerElement = 2,
    .symmetricBlocks = true,
    .nodes = spring_nodes,
    .assemble = spring_assemble,
};
