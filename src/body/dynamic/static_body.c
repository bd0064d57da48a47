#include "body/dynamic/static_body.h"

#include "base/result.h"
#include "body/dynamic/assembly.h"
#include "law/averaged_volume.h"

#include <string.h>

/* ---- Where it lies ----------------------------------------------------------------------------------------------- */

static void place_nodes(const lbDynamicBody* body, lbStaticBody* made) {
    for (int i = 0; i < made->count; ++i) {
        lbVec3d node = body->model->mesh.nodes[i];
        lbVec3d turned = made->turned != NULL ? lb_turned(body->base.rotation, node) : node;
        if (made->turned != NULL) {
            made->turned[i] = vec3d_sub(turned, node);
        }
        made->rest[i] = vec3d_add(turned, vec3d_from(body->base.position));
    }
}

bool lb_read_displacements(const lbStaticBody* made, double* u) {
    const lbDynamicBody* body = made->body;
    bool all = body->settled != NULL;
    for (int i = 0; i < made->count; ++i) {
        const float* x = body->x + 4 * (size_t)i;
        double* own = u + 3 * (size_t)i;
        const double rest[3] = {made->rest[i].x, made->rest[i].y, made->rest[i].z};
        lbVec3 start = lb_node_start(body, i);
        bool settled = body->settled != NULL, unmoved = x[0] == start.x && x[1] == start.y && x[2] == start.z;
        for (int c = 0; c < 3; ++c) {
            settled = settled && (float)(rest[c] + body->settled[3 * (size_t)i + (size_t)c]) == x[c];
        }
        for (int c = 0; c < 3; ++c) {
            own[c] = settled ? body->settled[3 * (size_t)i + (size_t)c] : unmoved ? 0 : (double)x[c] - rest[c];
        }
        all = all && settled;
    }
    return all;
}

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

typedef struct ElementLoop {
    const lbStaticBody* made;
    const lbLawInstance* instance;
    lbPreciseScope scope;
    const double* u;
    lbTangentKind kind;
    double* f;      /* adds forces; NULL: */
    int firstGroup; /* adds stiffness */
} ElementLoop;

static lbPreciseScope scope_of(const lbStaticBody* made, int law) {
    return (lbPreciseScope){.elements = made->body->model->laws[law].elements,
                            .activation = lb_activation(made->body, law),
                            .rest = made->rest,
                            .original = made->body->model->mesh.nodes,
                            .turned = made->turned};
}

static void add_elements(const ElementLoop* loop, int begin, int end) {
    const lbPrecise* precise = loop->instance->law->precise;
    int nodes[lb_mostPreciseNodes], n = precise->nodesPerElement;
    double force[lb_mostPreciseNumbers], stiffness[lb_mostPreciseNumbers * lb_mostPreciseNumbers];
    for (int i = begin; i < end; ++i) {
        if (!precise->nodes(loop->scope.elements, i, nodes)) {
            continue;
        }
        precise->evaluate(&loop->scope, i, loop->u, loop->kind, force, loop->f != NULL ? NULL : stiffness);
        for (int k = 0; loop->f != NULL && k < 3 * n; ++k) {
            loop->f[3 * (size_t)nodes[k / 3] + (size_t)(k % 3)] += force[k];
        }
        if (loop->f == NULL) {
            lb_add_element_stiffness(&loop->made->stiffness, n, nodes, stiffness);
        }
    }
}

static void add_groups(void* context, int begin, int end) {
    const ElementLoop* loop = context;
    for (int group = begin; group < end; ++group) {
        lbRange range = loop->instance->plan.groups[loop->firstGroup + group];
        add_elements(loop, range.begin * LB_LANES, range.end * LB_LANES);
    }
}

/* Groups of a phase share no node. */
static void add_law(ElementLoop* loop) {
    const lbLawInstance* instance = loop->instance;
    const lbPrecise* precise = instance->law->precise;
    if (!precise->planned) {
        add_elements(loop, 0, precise->count(loop->scope.elements));
        return;
    }
    for (int phase = 0; phase < instance->plan.phaseCount; ++phase) {
        loop->firstGroup = instance->plan.phaseStarts[phase];
        int groups = instance->plan.phaseStarts[phase + 1] - loop->firstGroup;
        lb_parallel_for(loop->made->body->base.tasks, groups, 1, add_groups, loop);
    }
}

/* ---- Averages of volumes ----------------------------------------------------------------------------------------- */

/* The law that averages, if one does. */
static const lbLawInstance* averaging(const lbDynamicModel* model, int* law) {
    for (*law = 0; *law < model->lawCount; ++*law) {
        if (model->laws[*law].law == &lb_averagedVolume && !model->laws[*law].idle) {
            return &model->laws[*law];
        }
    }
    return NULL;
}

/* What the volumes around nodes make there, s and then H s. */
static void average(const lbStaticBody* made, const lbPreciseScope* scope, const double* u) {
    const lbAveragedVolume* volumes = scope->elements;
    const lbNodeGraph* graph = volumes->pressure.graph;
    double *sums = made->gained, *stress = made->gained + made->count;
    memset(made->gained, 0, 2 * (size_t)made->count * sizeof(double));
    for (int i = 0; i < volumes->batchCount * LB_LANES; ++i) {
        int nodes[4];
        double gained, gradient[12];
        lb_averagedVolume.nodes(volumes, i, nodes);
        if (lb_precise_volume(scope, i, u, nodes, &gained, gradient)) {
            for (int k = 0; k < 4; ++k) {
                sums[nodes[k]] += gained;
            }
        }
    }
    for (int i = 0; i < made->count; ++i) {
        for (int k = graph->starts[i]; k < graph->starts[i + 1]; ++k) {
            stress[i] += (double)volumes->pressure.values[graph->places[k]] * sums[graph->columns[k]];
        }
    }
}

static double stress_of(const lbStaticBody* made, const int nodes[4]) {
    const double* stress = made->gained + made->count;
    return stress[nodes[0]] + stress[nodes[1]] + stress[nodes[2]] + stress[nodes[3]];
}

static void add_average_forces(const lbStaticBody* made, const lbPreciseScope* scope, const double* u, double* f) {
    const lbAveragedVolume* volumes = scope->elements;
    average(made, scope, u);
    for (int i = 0; i < volumes->batchCount * LB_LANES; ++i) {
        int nodes[4];
        double gained, gradient[12];
        lb_averagedVolume.nodes(volumes, i, nodes);
        if (lb_precise_volume(scope, i, u, nodes, &gained, gradient)) {
            double stress = stress_of(made, nodes);
            for (int k = 0; k < 12; ++k) {
                f[3 * (size_t)nodes[k / 3] + (size_t)(k % 3)] -= stress * gradient[k];
            }
        }
    }
}

/* B, and in the exact tangent how its rows turn. */
static void add_average_stiffness(const lbStaticBody* made, const lbPreciseScope* scope, const double* u,
                                  lbTangentKind kind) {
    const lbAveragedVolume* volumes = scope->elements;
    const lbNodeGraph* graph = volumes->pressure.graph;
    average(made, scope, u);
    for (int i = 0; i < volumes->batchCount * LB_LANES; ++i) {
        int nodes[4];
        double gained, gradient[12], turning[144];
        lb_averagedVolume.nodes(volumes, i, nodes);
        if (!lb_precise_volume(scope, i, u, nodes, &gained, gradient)) {
            continue;
        }
        for (int k = 0; k < 16; ++k) {
            double* at = made->stiffness.gradients + 3 * (size_t)lb_neighbour_index(graph, nodes[k / 4], nodes[k % 4]);
            for (int c = 0; c < 3; ++c) {
                at[c] += gradient[3 * (k % 4) + c];
            }
        }
        if (kind == lb_tangentExact && lb_precise_volume_turning(scope, i, u, nodes, turning)) {
            double stress = stress_of(made, nodes);
            for (int k = 0; k < 144; ++k) {
                turning[k] *= stress;
            }
            lb_add_element_stiffness(&made->stiffness, 4, nodes, turning);
        }
    }
}

/* ---- Forces and stiffness ---------------------------------------------------------------------------------------- */

void lb_add_outside_forces(const lbStaticBody* made, const double* u, double share, double* f) {
    const lbDynamicBody* body = made->body;
    lbVec3d gravity = vec3d_from(body->base.gravity);
    for (int i = 0; i < made->count; ++i) {
        const float* load = body->load + 4 * (size_t)i;
        double mass = (double)body->model->mass[i], *own = f + 3 * (size_t)i;
        own[0] += share * (mass * gravity.x + (double)load[0]);
        own[1] += share * (mass * gravity.y + (double)load[1]);
        own[2] += share * (mass * gravity.z + (double)load[2]);
    }
    lb_add_static_surface_forces(made, u, share, f);
}

void lb_static_forces(lbStaticBody* made, const double* u, double share, double* f) {
    const lbDynamicModel* model = made->body->model;
    memset(f, 0, 3 * (size_t)made->count * sizeof(double));
    for (int i = 0; i < model->lawCount; ++i) {
        ElementLoop loop = {.made = made, .instance = &model->laws[i], .scope = scope_of(made, i), .u = u, .f = f};
        if (model->laws[i].idle) {
            continue;
        }
        if (model->laws[i].law->precise != NULL) {
            add_law(&loop);
        } else if (made->gained != NULL) {
            add_average_forces(made, &loop.scope, u, f);
        }
    }
    lb_add_outside_forces(made, u, share, f);
}

void lb_static_force_of(void* self, const double* u, double share, double* f) {
    lb_static_forces(self, u, share, f);
}

void lb_static_stiffness_of(void* self, const double* u, double share, lbTangentKind kind) {
    lbStaticBody* made = self;
    const lbDynamicModel* model = made->body->model;
    lb_zero_stiffness(&made->stiffness);
    for (int i = 0; i < model->lawCount; ++i) {
        ElementLoop loop = {
            .made = made, .instance = &model->laws[i], .scope = scope_of(made, i), .u = u, .kind = kind};
        if (model->laws[i].idle) {
            continue;
        }
        if (model->laws[i].law->precise != NULL) {
            add_law(&loop);
        } else if (made->gained != NULL) {
            add_average_stiffness(made, &loop.scope, u, kind);
        }
    }
    if (kind == lb_tangentExact) {
        lb_add_pressure_stiffness(made, u, share);
    }
    made->u = u;
}

double lb_static_applied_of(void* self, const double* u) {
    const lbStaticBody* made = self;
    double sum = 0;
    memset(made->outside, 0, 3 * (size_t)made->count * sizeof(double));
    lb_add_outside_forces(made, u, 1, made->outside);
    for (int i = 0; i < 3 * made->count; ++i) {
        sum += made->outside[i] * made->outside[i];
    }
    return sqrt(sum);
}

void lb_static_keep_whole(void* self, const double* u, double* d) {
    const lbStaticBody* made = self;
    lb_take_whole_step(made->count, made->body->model->mass, made->rest, u, d);
}

/* ---- The preconditioner ------------------------------------------------------------------------------------------ */

static void prepare(void* self, double shift) {
    lbStaticBody* made = self;
    for (int i = 0; i < made->count; ++i) {
        lbVec3d x = vec3d_add(made->rest[i], lb_displaced(made->u, i));
        vec3_store(made->x + 4 * (size_t)i, vec3_from(x));
        made->x[4 * (size_t)i + 3] = 0;
    }
    made->system.scratch->used = made->used;
    made->tangent = (lbTangentSystem){
        .system = &made->system, .x = made->x, .mass = (float)shift, .a = -1, .kind = lb_tangentDefinite};
    made->linear = lb_prepare_tangent(&made->tangent);
}

/* In float32, of r as a share of its length. */
static void precondition(void* self, const double* r, double* z) {
    lbStaticBody* made = self;
    const lbPreconditioner* own = &made->linear.preconditioner;
    double length = 0;
    for (int i = 0; i < 3 * made->count; ++i) {
        length += r[i] * r[i];
    }
    length = sqrt(length);
    for (int i = 0; i < 3 * made->count; ++i) {
        made->r[4 * (size_t)(i / 3) + (size_t)(i % 3)] = length > 0 ? (float)(r[i] / length) : 0;
    }
    for (int i = 0; i < lb_piece_count(own); ++i) {
        lb_restrict_piece(own, i, made->r);
    }
    lb_solve_grids(own, made->body->base.tasks);
    for (int i = 0; i < lb_piece_count(own); ++i) {
        lb_precondition_piece(own, i, made->r, made->z);
    }
    for (int i = 0; i < 3 * made->count; ++i) {
        z[i] = length * (double)made->z[4 * (size_t)(i / 3) + (size_t)(i % 3)];
    }
}

size_t lb_static_scratch(const lbDynamicBody* body) {
    size_t vector = 4 * (size_t)body->model->nodeCount * sizeof(float) + 64;
    return (lb_tangentVectors + 3) * vector + lb_grid_bytes(lb_model_grids(body->model));
}

/* ---- Making and unmaking ----------------------------------------------------------------------------------------- */

lbResult lb_create_static_body(lbDynamicBody* body, lbStaticBody* made) {
    const lbHost* host = body->base.host;
    int count = body->model->nodeCount, law;
    lbQuat q = body->base.rotation;
    bool turned = q.x != 0 || q.y != 0 || q.z != 0, averaged = averaging(body->model, &law) != NULL;
    *made = (lbStaticBody){.body = body, .count = count, .rest = LB_NEW(host, lbVec3d, count)};
    made->outside = LB_NEW(host, double, 3 * (int64_t)count);
    made->turned = turned ? LB_NEW(host, lbVec3d, count) : NULL;
    made->gained = averaged ? LB_NEW(host, double, 2 * (int64_t)count) : NULL;
    if (made->rest == NULL || made->outside == NULL || (turned && made->turned == NULL) ||
        (averaged && made->gained == NULL)) {
        return lb_out_of_memory("finding an equilibrium");
    }
    place_nodes(body, made);
    return lb_success();
}

/* All elements as if they had as many nodes as those that have most: others name their last one again. */
static lbResult list_elements(const lbDynamicModel* model, lbElementList* list, int** nodes) {
    int64_t count = 0, at = 0;
    int most = 1, found[lb_mostPreciseNodes];
    for (int i = 0; i < model->lawCount; ++i) {
        const lbPrecise* precise = model->laws[i].law->precise;
        if (precise != NULL && !model->laws[i].idle) {
            count += precise->count(model->laws[i].elements);
            most = int_max(most, precise->nodesPerElement);
        }
    }
    *nodes = LB_NEW(model->base.host, int, most* count);
    if (*nodes == NULL) {
        return lb_out_of_memory("finding an equilibrium");
    }
    for (int i = 0; i < model->lawCount; ++i) {
        const lbPrecise* precise = model->laws[i].law->precise;
        int own = precise != NULL && !model->laws[i].idle ? precise->count(model->laws[i].elements) : 0;
        for (int k = 0; k < own; ++k) {
            if (precise->nodes(model->laws[i].elements, k, found)) {
                for (int m = 0; m < most; ++m) {
                    (*nodes)[most * at + m] = found[int_min(m, precise->nodesPerElement - 1)];
                }
                ++at;
            }
        }
    }
    *list = (lbElementList){(int)at, most, *nodes};
    return lb_success();
}

static lbResult create_stiffness(lbStaticBody* made) {
    const lbDynamicModel* model = made->body->model;
    int law, *nodes = NULL;
    const lbLawInstance* instance = averaging(model, &law);
    const lbAveragedVolume* volumes = instance != NULL ? instance->elements : NULL;
    lbElementList list;
    lbResult result = list_elements(model, &list, &nodes);
    if (result.code == lb_ok) {
        result = lb_create_stiffness(model->base.host, made->count, &list,
                                     volumes != NULL ? volumes->pressure.graph : NULL, &made->stiffness);
    }
    lb_release(model->base.host, nodes);
    LB_TRY(result);
    for (int k = 0; volumes != NULL && k < volumes->pressure.graph->starts[made->count]; ++k) {
        made->stiffness.weights[k] = (double)volumes->pressure.values[volumes->pressure.graph->places[k]];
    }
    return lb_success();
}

lbResult lb_prepare_static_solver(lbStaticBody* made, lbArena* scratch) {
    lbDynamicBody* body = made->body;
    const lbHost* host = body->base.host;
    made->held = LB_NEW(host, lbFilteredNode, body->heldCount);
    if (made->held == NULL) {
        return lb_out_of_memory("finding an equilibrium");
    }
    for (int i = 0; i < body->heldCount; ++i) {
        made->held[i].node = body->held[i].node;
        lb_purify_filter(body->held[i].filter, made->held[i].filter);
    }
    LB_TRY(create_stiffness(made));
    made->system = lb_body_system(body);
    made->system.scratch = scratch;
    made->x = lb_take_vector(&made->system);
    made->r = lb_take_vector(&made->system);
    made->z = lb_take_vector(&made->system);
    memset(made->r, 0, 4 * (size_t)made->count * sizeof(float));
    made->used = scratch->used;
    made->solver = (lbPreciseSolver){.stiffness = &made->stiffness,
                                     .mass = body->model->mass,
                                     .heldCount = body->heldCount,
                                     .held = made->held,
                                     .self = made};
    if (made->system.grids != NULL) {
        made->solver.prepare = prepare;
        made->solver.precondition = precondition;
    }
    return lb_create_precise_solver(host, &made->solver);
}

void lb_destroy_static_body(lbStaticBody* made) {
    const lbHost* host = made->body->base.host;
    lb_destroy_precise_solver(&made->solver);
    lb_destroy_stiffness(&made->stiffness);
    lb_release(host, made->held);
    lb_release(host, made->gained);
    lb_release(host, made->outside);
    lb_release(host, made->turned);
    lb_release(host, made->rest);
}
