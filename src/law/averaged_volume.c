#include "law/averaged_volume.h"

#include "base/symmetric.h"
#include "law/element_blocks.h"
#include "law/lanes33.h"
#include "law/tet_volume.h"

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

/* Volumes and their gradients as the law has them, how full elements are included; from m.e. */
static inline lbTetVolume measure_edges(const lbAveragedVolume* volumes, int i, lbTetVolume m) {
    if (volumes->gradients == NULL) {
        return tet_volume_of_edges(m, lanes_load(volumes->batches[i].scale));
    }
    const float* gradients = volumes->gradients + 9 * (size_t)i * LB_LANES;
    for (int k = 0; k < 9; ++k) {
        m.gradient[1 + k / 3].c[k % 3] = lanes_load(gradients + k * LB_LANES);
    }
    lbLanes3 sum = lanes3_add(m.gradient[1], lanes3_add(m.gradient[2], m.gradient[3]));
    m.gradient[0] = lanes3_scale(LANES_ALL(-1.0f), sum);
    m.volume = tet_volume_change(&m, m.e);
    return m;
}

static inline lbTetVolume measure_batch(const lbAveragedVolume* volumes, int i, const float* x) {
    const lbVolumeBatch* batch = &volumes->batches[i];
    lbTetVolume m;
    tet_edges(batch->node, x, m.e);
    return measure_edges(volumes, i, m);
}

static inline lbLanes gained(const lbAveragedVolume* volumes, int i, const lbTetVolume* m) {
    return m->volume - lanes_load(volumes->batches[i].rest);
}

static inline lbLanes rate(const lbVolumeBatch* batch, const lbTetVolume* m, const float* p) {
    lbLanes3 dp[3];
    tet_edges(batch->node, p, dp);
    return tet_volume_change(m, dp);
}

/* ---- Fans ----------------------------------------------------------------------------------------------------------
 *
 * As in tet_fan.h: elements (a, b, c, d) of a fan have the axis in common, and c with the d before. */

/* Whether batch `i` goes on with the fan of the one before. */
static inline bool continues_fan(const lbAveragedVolume* volumes, int i, int end) {
    return i < end && volumes->continues[i] != 0 && !volumes->idle[i];
}

/* A node vector at the nodes of a fan. */
typedef struct FanNodes {
    lbLanes3 hub, axis, spoke; /* at a; b - a, c - a */
} FanNodes;

static inline lbLanes3 gather_at(const float* q, const lbNodeOffset* node) {
    lbLanes3 v;
    gather_nodes(q, node, v.c);
    return v;
}

static inline FanNodes begin_fan(const lbVolumeBatch* batch, const float* q) {
    lbLanes3 hub = gather_at(q, batch->node[0]);
    return (FanNodes){hub, lanes3_sub(gather_at(q, batch->node[1]), hub),
                      lanes3_sub(gather_at(q, batch->node[2]), hub)};
}

/* The edges of the next element. */
static inline void next_edges(const lbVolumeBatch* batch, const float* q, FanNodes* fan, lbLanes3 e[3]) {
    e[0] = fan->axis, e[1] = fan->spoke;
    fan->spoke = e[2] = lanes3_sub(gather_at(q, batch->node[3]), fan->hub);
}

/* Adds to number 0 of nodes. */
static inline void scatter_number(float* shared, const lbNodeOffset* node, lbLanes number) {
    float lanes[LB_LANES];
    lanes_store(lanes, number);
    for (int i = 0; i < LB_LANES; ++i) {
        shared[node[i]] += lanes[i];
    }
}

/* The first round where nothing but s is asked for. Each element's share goes to all its nodes: those of the axis get
 * the sum. Returns the batch behind the fan. */
static inline int collect_fan(const lbAveragedVolume* volumes, int i, int end, const float* x, const float* v,
                              float* shared) {
    const lbVolumeBatch* batch = &volumes->batches[i];
    FanNodes fan = begin_fan(batch, x), rates;
    lbLanes sum = LANES_ALL(0.0f), spoke = LANES_ALL(0.0f);
    if (v != NULL) {
        rates = begin_fan(batch, v);
    }
    do {
        batch = &volumes->batches[i];
        lbTetVolume m;
        next_edges(batch, x, &fan, m.e);
        m = measure_edges(volumes, i, m);
        lbLanes share = gained(volumes, i, &m);
        if (v != NULL) {
            lbLanes3 dv[3];
            next_edges(batch, v, &rates, dv);
            share += volumes->dampingTime * tet_volume_change(&m, dv);
        }
        scatter_number(shared, batch->node[2], spoke + share);
        spoke = share;
        sum += share;
    } while (continues_fan(volumes, ++i, end));
    scatter_number(shared, batch->node[3], spoke);
    scatter_number(shared, batch->node[0], sum);
    scatter_number(shared, batch->node[1], sum);
    return i;
}

/* The same with how s changes along p, in numbers 0 and 1. */
static void collect_batch(const lbAveragedVolume* volumes, int i, const float* x, const float* v, const float* p,
                          float* shared) {
    const lbVolumeBatch* batch = &volumes->batches[i];
    lbTetVolume m = measure_batch(volumes, i, x);
    lbLanes3 share = {{gained(volumes, i, &m), rate(batch, &m, p), LANES_ALL(0.0f)}};
    if (v != NULL) {
        share.c[0] += volumes->dampingTime * rate(batch, &m, v);
    }
    for (int k = 0; k < 4; ++k) {
        lanes3_scatter(shared, batch->node[k], share);
    }
}

static void volume_collect(const lbScope* scope, const float* x, const float* v, const float* p) {
    const lbAveragedVolume* volumes = scope->elements;
    const float* damped = volumes->dampingTime != 0 ? v : NULL;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin, end = scope->ranges[r].end; i < end;) {
            if (volumes->idle[i]) {
                ++i;
            } else if (p != NULL) {
                collect_batch(volumes, i++, x, damped, p, scope->shared);
            } else if (damped != NULL) {
                i = collect_fan(volumes, i, end, x, damped, scope->shared);
            } else {
                i = collect_fan(volumes, i, end, x, NULL, scope->shared);
            }
        }
    }
}

/* Where the second round puts stresses (minus the header's pressures), beside x, and how they change, beside p. */
static float* node_stresses(const lbScope* scope) {
    const lbAveragedVolume* volumes = scope->elements;
    return scope->shared + 4 * (size_t)volumes->pressure.graph->nodeCount;
}

static const float* volume_beside(const lbScope* scope) {
    return ((const lbAveragedVolume*)scope->elements)->everywhere ? node_stresses(scope) : NULL;
}

static float* node_changes(const lbScope* scope) {
    const lbAveragedVolume* volumes = scope->elements;
    return scope->shared + 8 * (size_t)volumes->pressure.graph->nodeCount;
}

static void volume_share(const lbScope* scope, const float* x, const float* p, int beginChunk, int endChunk) {
    const lbAveragedVolume* volumes = scope->elements;
    lb_multiply_numbers_beside(&volumes->pressure, beginChunk, endChunk, scope->shared, x, node_stresses(scope), p,
                               node_changes(scope));
}

/* Elements with their stress, the sum over their nodes. */
static inline lbTetVolume measure_stressed(const lbScope* scope, int i, lbLanes* stress) {
    const lbAveragedVolume* volumes = scope->elements;
    const lbVolumeBatch* batch = &volumes->batches[i];
    lbTetVolume m;
    tet_edges_and_sum(batch->node, node_stresses(scope), m.e, stress);
    return measure_edges(volumes, i, m);
}

/* ---- Forces ------------------------------------------------------------------------------------------------------ */

static double volume_energy(const lbScope* scope, const float* x) {
    (void)x;
    const lbAveragedVolume* volumes = scope->elements;
    double energy = 0;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            if (volumes->idle[i]) {
                continue;
            }
            lbLanes stress;
            lbTetVolume m = measure_stressed(scope, i, &stress);
            energy += 0.5 * (double)lanes_sum(stress * gained(volumes, i, &m));
        }
    }
    return energy;
}

/* Adds the forces of a fan; returns the batch behind it. Stresses stand beside places. */
static inline int force_fan(const lbAveragedVolume* volumes, int i, int end, const float* stresses, float* f) {
    const lbLanes3 zero = {{LANES_ALL(0.0f), LANES_ALL(0.0f), LANES_ALL(0.0f)}};
    const lbVolumeBatch* batch = &volumes->batches[i];
    lbLanes at[3], last;
    FanNodes fan;
    gather_four(stresses, batch->node[0], fan.hub.c, &at[0]);
    gather_four(stresses, batch->node[1], fan.axis.c, &at[1]);
    gather_four(stresses, batch->node[2], fan.spoke.c, &at[2]);
    fan.axis = lanes3_sub(fan.axis, fan.hub);
    fan.spoke = lanes3_sub(fan.spoke, fan.hub);
    lbLanes both = at[0] + at[1], spokeStress = at[2];
    lbLanes3 axis = zero, spoke = zero, rest = zero; /* forces on b, on the last d, on all spokes */
    do {
        batch = &volumes->batches[i];
        lbTetVolume m;
        lbLanes3 there;
        gather_four(stresses, batch->node[3], there.c, &last);
        m.e[0] = fan.axis, m.e[1] = fan.spoke, m.e[2] = lanes3_sub(there, fan.hub);
        fan.spoke = m.e[2];
        lbLanes stress = -(both + (spokeStress + last));
        spokeStress = last;
        m = measure_edges(volumes, i, m);
        lbLanes3 c = lanes3_scale(stress, m.gradient[2]), d = lanes3_scale(stress, m.gradient[3]);
        axis = lanes3_add(axis, lanes3_scale(stress, m.gradient[1]));
        rest = lanes3_add(rest, lanes3_add(c, d));
        lanes3_scatter(f, batch->node[2], lanes3_add(spoke, c));
        spoke = d;
    } while (continues_fan(volumes, ++i, end));
    lanes3_scatter(f, batch->node[3], spoke);
    lanes3_scatter(f, batch->node[1], axis);
    lanes3_scatter(f, batch->node[0], lanes3_scale(LANES_ALL(-1.0f), lanes3_add(rest, axis)));
    return i;
}

static void volume_force(const lbScope* scope, lbMoment moment, const float* x, const float* v, float* f) {
    (void)moment, (void)x, (void)v; /* took part in the earlier rounds */
    const lbAveragedVolume* volumes = scope->elements;
    const float* stresses = node_stresses(scope);
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin, end = scope->ranges[r].end; i < end;) {
            i = volumes->idle[i] ? i + 1 : force_fan(volumes, i, end, stresses, f);
        }
    }
}

/* Adds `change` times the gradients, and `turning` times how 6 V's gradients change by dp. */
static inline void scatter_change(const lbVolumeBatch* batch, const lbTetVolume* m, lbLanes change, lbLanes turning,
                                  const lbLanes3 dp[3], float* y) {
    lbLanes3 sum = lanes3_scale(LANES_ALL(0.0f), m->e[0]);
    for (int k = 0; k < 3; ++k) {
        lbLanes3 df =
            lanes3_add(lanes3_scale(change, m->gradient[k + 1]), lanes3_scale(turning, tet_volume_turning(m, k, dp)));
        lanes3_scatter(y, batch->node[k + 1], df);
        sum = lanes3_sub(sum, df);
    }
    lanes3_scatter(y, batch->node[0], sum);
}

static void volume_tangent(const lbScope* scope, const float* x, float a, float b, const float* p, float* y) {
    (void)x, (void)p;
    const lbAveragedVolume* volumes = scope->elements;
    float turns = volumes->gradients == NULL ? a : 0;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            if (volumes->idle[i]) {
                continue;
            }
            const lbVolumeBatch* batch = &volumes->batches[i];
            lbLanes stress, change;
            lbTetVolume m = measure_stressed(scope, i, &stress);
            lbLanes3 dp[3];
            tet_edges_and_sum(batch->node, node_changes(scope), dp, &change);
            scatter_change(batch, &m, -(a + b * volumes->dampingTime) * change,
                           -turns * stress * lanes_load(batch->scale), dp, y);
        }
    }
}

/* ---- The matrix -------------------------------------------------------------------------------------------------- */

static bool volume_nodes(const void* elements, int index, int* nodes) {
    const lbAveragedVolume* volumes = elements;
    const lbVolumeBatch* batch = &volumes->batches[index / LB_LANES];
    for (int k = 0; k < 4; ++k) {
        nodes[k] = (int)(batch->node[k][index % LB_LANES] / 4);
    }
    return volumes->numbers[index] >= 0;
}

/* Gradients of a batch's volumes to the matrix's reach. Padding adds zeros to what its nodes' neighbours have. */
static void scatter_gradients(const lbTetVolume* m, const int* places, const lbReach* reach) {
    static const int pairs[4][3] = {{1, 3, 5}, {0, 7, 9}, {2, 6, 11}, {4, 8, 10}}; /* of each node with the others */
    for (int q = 0; q < 4; ++q) {
        float gradients[LB_LANES][4];
        int lanes[LB_LANES];
        for (int i = 0; i < LB_LANES; ++i) {
            lanes[i] = i;
        }
        store_nodes(gradients[0], 4, lanes, m->gradient[q].c);
        for (int lane = 0; lane < LB_LANES; ++lane) {
            for (int k = 0; k < 3; ++k) {
                lb_add_to_reach(reach, places[pairs[q][k] * LB_LANES + lane], gradients[lane]);
            }
        }
    }
}

/* The turning of gradients has either sign: the definite tangent is without it. */
static void scatter_turning(const lbTetVolume* m, lbLanes turning, const int* places, int index,
                            const lbBlockMatrix* matrix) {
    lbElementBlocks blocks;
    for (int k = 0; k < 9; ++k) {
        lbLanes3 dp[3];
        lb_unit_motion(3, k / 3, k % 3, dp);
        for (int l = 0; l < 3; ++l) {
            blocks.column[l][k / 3][k % 3] = lanes3_scale(turning, tet_volume_turning(m, l, dp));
        }
    }
    lb_scatter_blocks(&blocks, 3, places, index, matrix);
}

static void volume_assemble(const lbScope* scope, const float* x, float a, float b, lbTangentKind kind,
                            const int* places, const lbBlockMatrix* matrix) {
    (void)x, (void)b; /* takes part by volume_reach */
    const lbAveragedVolume* volumes = scope->elements;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            if (volumes->idle[i]) {
                continue;
            }
            lbLanes stress;
            lbTetVolume m = measure_stressed(scope, i, &stress);
            scatter_gradients(&m, volumes->places + 12 * (size_t)i * LB_LANES, matrix->reach);
            if (kind == lb_tangentExact && volumes->gradients == NULL) {
                scatter_turning(&m, -a * stress * lanes_load(volumes->batches[i].scale), places, i, matrix);
            }
        }
    }
}

static void volume_reach(const void* elements, float a, float b, lbReach* reach) {
    const lbAveragedVolume* volumes = elements;
    reach->averages = &volumes->pressure;
    reach->scale = -(a + b * volumes->dampingTime);
}

/* ---- Measures ---------------------------------------------------------------------------------------------------- */

/* At least the largest |C|^2 of a batch's elements, C the matrix that takes gradients at rest to those at x: cof F. */
static inline lbLanes turned_areas(const lbAveragedVolume* volumes, int i, const lbTetVolume* m) {
    const float* shape = volumes->shapes + 6 * (size_t)i * LB_LANES;
    lbLanes r[6];
    for (int k = 0; k < 6; ++k) {
        r[k] = lanes_load(shape + k * LB_LANES);
    }
    const lbLanes3* g = m->gradient + 1;
    lbLanes33 C;
    C.column[0] = lanes3_scale(r[0], g[0]);
    C.column[1] = lanes3_madd(lanes3_scale(r[1], g[0]), r[2], g[1]);
    C.column[2] = lanes3_madd(lanes3_madd(lanes3_scale(r[3], g[0]), r[4], g[1]), r[5], g[2]);
    lbLanesSymmetric gram = lanes33_gram(&C);
    return symmetric_eigenvalue_bound(&gram);
}

/* The turning is at most |stress| times the longest edge / 6 for each pair of nodes, and a node has three. */
static void bound_turning(const lbVolumeBatch* batch, const lbTetVolume* m, lbLanes stress, float* stiffness) {
    for (int lane = 0; lane < LB_LANES; ++lane) {
        float longest = 0;
        for (int k = 0; k < 3; ++k) {
            longest = fmaxf(longest, vec3_length(lanes3_of(m->e[k], lane)));
        }
        float turning = 3 * fabsf(lane_of(stress, lane)) * longest * batch->scale[lane];
        for (int k = 0; k < 4; ++k) {
            symmetric_add_outer(stiffness + 6 * (size_t)(batch->node[k][lane] / 4), 0, vec3(0, 0, 0), turning);
        }
    }
}

/* Where F is uniform, B = B0 cof F, and its stiffness is at most |cof F|^2 times that at rest. Where it is not, what
 * cancels in averages at rest may cancel less; but neighbours cannot turn against one another without being stretched,
 * and the largest |cof F|^2 of all elements, taken for all, has always been more than enough. */
static void volume_bound(const lbScope* scope, const float* x, float* stiffness, float* damping) {
    (void)x;
    const lbAveragedVolume* volumes = scope->elements;
    bool linear = volumes->gradients != NULL;
    float largest = linear ? 1 : 0;
    for (int r = 0; r < scope->rangeCount && !linear; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            if (volumes->idle[i]) {
                continue;
            }
            lbLanes stress;
            lbTetVolume m = measure_stressed(scope, i, &stress);
            lbLanes areas = turned_areas(volumes, i, &m);
            for (int lane = 0; lane < LB_LANES; ++lane) {
                largest = fmaxf(largest, lane_of(areas, lane));
            }
            bound_turning(&volumes->batches[i], &m, stress, stiffness);
        }
    }
    float rate = volumes->rate * largest;
    for (int i = 0; i < volumes->pressure.graph->nodeCount; ++i) {
        for (int c = 0; c < 3; ++c) {
            stiffness[6 * (size_t)i + (size_t)c] += rate * volumes->masses[i];
            damping[6 * (size_t)i + (size_t)c] += volumes->dampingTime * rate * volumes->masses[i];
        }
    }
}

void lb_measure_pressure(const lbLawInstance* instance, lbTasks* tasks, const float* x, float* stress) {
    if (instance->idle) {
        return;
    }
    lb_collect_law(instance, tasks, x, NULL, NULL);
    lbRange all;
    lbScope scope = lb_whole_scope(instance, &all);
    const lbAveragedVolume* volumes = instance->elements;
    for (int i = 0; i < volumes->batchCount * LB_LANES; ++i) {
        if (volumes->batches[i / LB_LANES].scale[i % LB_LANES] != 0) {
            lbLanes batch;
            measure_stressed(&scope, i / LB_LANES, &batch);
            stress[volumes->numbers[i]] = lane_of(batch, i % LB_LANES);
        }
    }
}

static bool volume_idle(const lbMesh* mesh, const lbModelDef* def) {
    return !lb_wants_averaged_volume(mesh, def);
}

const lbLaw lb_averagedVolume = {
    .name = "averaged-volume",
    .bake = lb_bake_averaged_volume,
    .release = lb_release_averaged_volume,
    .idle = volume_idle,
    .energy = volume_energy,
    .force = volume_force,
    .tangent = volume_tangent,
    .bound = volume_bound,
    .collect = volume_collect,
    .share = volume_share,
    .beside = volume_beside,
    .nodesPerElement = 4,
    .nodes = volume_nodes,
    .assemble = volume_assemble,
    .reach = volume_reach,
};
