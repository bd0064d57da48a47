#include "body/dynamic/assembly.h"

#include "base/assert.h"
#include "base/result.h"
#include "body/dynamic/element_matrix.h"
#include "law/plan.h"
#include "matrix/reach.h"

static int element_count(const lbLawInstance* instance) {
    lbRange all;
    lb_whole_scope(instance, &all);
    return all.end * LB_LANES;
}

/* ---- Where blocks go --------------------------------------------------------------------------------------------- */

typedef LB_ARRAY(lbNodePair) PairList;

/* Every two nodes of every element. */
static bool list_pairs(const lbHost* host, const lbLawInstance* instance, PairList* pairs) {
    int nodes[maxElementNodes], n = instance->law->nodesPerElement;
    for (int i = 0; i < element_count(instance); ++i) {
        if (!instance->law->nodes(instance->elements, i, nodes)) {
            continue;
        }
        for (int p = 0; p < n; ++p) {
            for (int q = p + 1; q < n; ++q) {
                if (!LB_PUSH(host, pairs, ((lbNodePair){nodes[p], nodes[q]}))) {
                    return false;
                }
            }
        }
    }
    return true;
}

static int* find_places(const lbHost* host, const lbLawInstance* instance, const lbBlockPattern* pattern) {
    int nodes[maxElementNodes], n = instance->law->nodesPerElement, count = element_count(instance);
    int* places = LB_NEW(host, int, (int64_t)count* n*(n - 1) / 2);
    for (int i = 0; places != NULL && i < count; ++i) {
        int* place = places + (size_t)(i / LB_LANES) * LB_LANES * (size_t)(n * (n - 1) / 2) + i % LB_LANES;
        bool there = instance->law->nodes(instance->elements, i, nodes);
        for (int p = 0; p < n; ++p) {
            for (int q = p + 1; q < n; ++q) {
                *place = there ? lb_block_place(pattern, nodes[p], nodes[q]) : lb_place_without_effect(pattern);
                place += LB_LANES;
            }
        }
    }
    return places;
}

static lbResult create_pattern(const lbDynamicModel* model, lbBlockPattern** pattern) {
    PairList pairs = {0};
    bool symmetricBlocks = true, enough = true;
    for (int i = 0; enough && i < model->lawCount; ++i) {
        enough = list_pairs(model->base.host, &model->laws[i], &pairs);
        symmetricBlocks &= model->laws[i].law->symmetricBlocks;
    }
    lbResult result = enough ? lb_create_pattern(model->base.host, model->nodeCount, pairs.data, pairs.count,
                                                 symmetricBlocks, pattern)
                             : lb_out_of_memory("a matrix");
    LB_FREE_ARRAY(model->base.host, &pairs);
    return result;
}

static lbResult fill_assembly(const lbDynamicModel* model, lbAssembly* assembly) {
    LB_TRY(create_pattern(model, &assembly->pattern));
    LB_TRY(lb_create_grids(assembly->pattern, model->rest, &assembly->grids));
    for (int i = 0; i < model->lawCount; ++i) {
        assembly->places[i] = find_places(model->base.host, &model->laws[i], assembly->pattern);
        if (assembly->places[i] == NULL) {
            return lb_out_of_memory("a matrix");
        }
    }
    return lb_success();
}

static lbResult create_assembly(lbDynamicModel* model) {
    lbAssembly* made = LB_NEW(model->base.host, lbAssembly, 1);
    int** places = LB_NEW(model->base.host, int*, model->lawCount);
    if (made == NULL || places == NULL) {
        lb_release(model->base.host, made);
        lb_release(model->base.host, places);
        return lb_out_of_memory("a matrix");
    }
    *made = (lbAssembly){.host = model->base.host, .lawCount = model->lawCount, .places = places};
    lbResult result = fill_assembly(model, made);
    if (result.code != lb_ok) {
        lb_destroy_assembly(made);
        return result;
    }
    model->assembly = made;
    return lb_success();
}

void lb_destroy_assembly(lbAssembly* assembly) {
    if (assembly == NULL) {
        return;
    }
    const lbHost* host = assembly->host;
    for (int i = 0; i < assembly->lawCount; ++i) {
        lb_release(host, assembly->places[i]);
    }
    lb_release(host, assembly->places);
    lb_destroy_grids(assembly->grids);
    lb_destroy_pattern(assembly->pattern);
    lb_release(host, assembly);
}

lbResult lb_empty_pattern(lbDynamicModel* model, const lbBlockPattern** pattern) {
    if (model->emptyPattern == NULL) {
        LB_TRY(lb_create_pattern(model->base.host, model->nodeCount, NULL, 0, false, &model->emptyPattern));
    }
    *pattern = model->emptyPattern;
    return lb_success();
}

lbResult lb_create_body_matrix(lbDynamicModel* model, lbBlockMatrix* matrix) {
    *matrix = (lbBlockMatrix){0};
    for (int i = 0; i < model->lawCount; ++i) {
        if (model->laws[i].law->assemble == NULL) {
            return lb_success();
        }
    }
    if (model->assembly == NULL) {
        LB_TRY(lb_bake_idle_laws(model));
        LB_TRY(create_assembly(model));
    }
    LB_TRY(lb_create_matrix(model->assembly->pattern, matrix));
    for (int i = 0; i < model->lawCount; ++i) {
        if (model->laws[i].law->reach != NULL) {
            LB_ASSERT(matrix->reach == NULL);
            lbReach kind;
            model->laws[i].law->reach(model->laws[i].elements, 0, 0, &kind);
            LB_TRY(lb_create_reach(model->base.host, kind.averages, &matrix->reach));
        }
    }
    return lb_success();
}

/* ---- Filling ----------------------------------------------------------------------------------------------------- */

typedef struct AssembleLoop {
    const lbLawInstance* instance;
    const int* places;
    const lbBlockMatrix* matrix;
    const float *activation, *x;
    float a, b;
    lbTangentKind kind;
    int firstGroup;
} AssembleLoop;

static void assemble_groups(void* context, int begin, int end) {
    const AssembleLoop* loop = context;
    const lbLawInstance* instance = loop->instance;
    lbScope scope = {.elements = instance->elements,
                     .ranges = instance->plan.groups + loop->firstGroup + begin,
                     .rangeCount = end - begin,
                     .activation = loop->activation,
                     .shared = instance->shared};
    instance->law->assemble(&scope, loop->x, loop->a, loop->b, loop->kind, loop->places, loop->matrix);
}

/* Groups of a phase share no node, and so no block. */
static void assemble_law(AssembleLoop* loop, lbTasks* tasks) {
    const lbPlan* plan = &loop->instance->plan;
    for (int phase = 0; phase < plan->phaseCount; ++phase) {
        loop->firstGroup = plan->phaseStarts[phase];
        lb_parallel_for(tasks, plan->phaseStarts[phase + 1] - loop->firstGroup, 1, assemble_groups, loop);
    }
}

/* The law's averages may have been baked anew since the last time. */
static void begin_reach(const lbLawInstance* law, lbTasks* tasks, float a, float b, lbReach* reach) {
    reach->scale = 0;
    if (!law->idle) {
        law->law->reach(law->elements, a, b, reach);
        lb_zero_reach(reach, tasks);
    }
}

void lb_assemble_pairs(lbDynamicBody* body, const float* x, float a, float b, lbTangentKind kind) {
    const lbDynamicModel* model = body->model;
    lb_zero_matrix(&body->matrix, body->base.tasks);
    if (body->matrix.elements != NULL) {
        lb_turn_elements(body, x, a, b);
        return;
    }
    for (int i = 0; i < model->lawCount; ++i) {
        lbLawInstance law = lb_law_with(&model->laws[i], body->shared);
        if (law.law->reach != NULL) {
            begin_reach(&law, body->base.tasks, a, b, body->matrix.reach);
        }
        if (law.idle) {
            continue;
        }
        AssembleLoop loop = {.instance = &law,
                             .places = model->assembly->places[i],
                             .matrix = &body->matrix,
                             .activation = lb_activation(body, i),
                             .x = x,
                             .a = a,
                             .b = b,
                             .kind = kind};
        lb_collect_law(&law, body->base.tasks, x, NULL, NULL);
        assemble_law(&loop, body->base.tasks);
        if (law.law->reach != NULL) {
            lb_pack_reach(body->matrix.reach, body->base.tasks);
        }
    }
}

void lb_complete_matrix(lbDynamicBody* body, float mass, float b, const float* extraMass) {
    const lbDynamicModel* model = body->model;
    float scale = mass - b * model->material.massDamping;
    if (extraMass == NULL) {
        lb_pack_matrix(&body->matrix, body->base.tasks, scale, model->mass);
        return;
    }
    size_t used = body->scratch.used;
    float* masses = lb_arena_take(&body->scratch, (size_t)model->nodeCount * sizeof(float));
    for (int i = 0; i < model->nodeCount; ++i) {
        masses[i] = scale * model->mass[i] + extraMass[i];
    }
    lb_pack_matrix(&body->matrix, body->base.tasks, 1, masses);
    body->scratch.used = used;
}

void lb_assemble_body(lbDynamicBody* body, const float* x, float mass, float a, float b, lbTangentKind kind) {
    lb_assemble_pairs(body, x, a, b, kind);
    lb_complete_matrix(body, mass, b, NULL);
}
