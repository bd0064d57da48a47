#include "law/instance.h"

#include "base/assert.h"
#include "base/result.h"
#include "law/plan.h"
#include "matrix/block_matrix.h"

#include <string.h>

static lbLawInstance law_on(const lbLaw* law, const lbMesh* mesh, const lbModelDef* def) {
    bool idle = law->idle != NULL && law->idle(mesh, def);
    return (lbLawInstance){.law = law, .nodeCount = mesh->nodeCount, .idle = idle};
}

lbResult lb_bake_law(const lbLaw* law, const lbMesh* mesh, const lbModelDef* def, lbLawInstance* instance) {
    *instance = law_on(law, mesh, def);
    return law->bake(mesh, def, &instance->elements, &instance->plan);
}

lbResult lb_bake_law_unless_idle(const lbLaw* law, const lbMesh* mesh, const lbModelDef* def, lbLawInstance* instance) {
    *instance = law_on(law, mesh, def);
    return instance->idle ? lb_success() : law->bake(mesh, def, &instance->elements, &instance->plan);
}

void lb_release_law(const lbHost* host, lbLawInstance* instance) {
    if (instance->law != NULL) {
        instance->law->release(host, instance->elements);
        lb_destroy_plan(host, &instance->plan);
    }
    *instance = (lbLawInstance){0};
}

lbScope lb_whole_scope(const lbLawInstance* instance, lbRange* range) {
    const lbPlan* plan = &instance->plan;
    bool any = plan->groupCount > 0; /* parts of a list of batches may begin anywhere */
    *range = any ? (lbRange){plan->groups[0].begin, plan->groups[plan->groupCount - 1].end} : (lbRange){0, 0};
    return (lbScope){.elements = instance->elements, .ranges = range, .rangeCount = 1, .shared = instance->shared};
}

typedef struct LawLoop {
    const lbLawInstance* instance;
    int firstGroup;
    const float* activation;
    lbMoment moment;
    float a, b; /* of a tangent */
    const float *x, *q;
    const float* p;      /* of a collection */
    const float* places; /* of forces with others beside them */
    float* out;
    float* second;
    float* frames; /* of products */
    const double* precise;
} LawLoop;

static lbScope scope_of(const LawLoop* loop, int begin, int end) {
    return (lbScope){.elements = loop->instance->elements,
                     .ranges = loop->instance->plan.groups + loop->firstGroup + begin,
                     .rangeCount = end - begin,
                     .activation = loop->activation,
                     .shared = loop->instance->shared};
}

static void collect_groups(void* context, int begin, int end) {
    const LawLoop* loop = context;
    lbScope scope = scope_of(loop, begin, end);
    loop->instance->law->collect(&scope, loop->x, loop->q, loop->p);
}

static void zero_chunks(void* context, int begin, int end) {
    const lbLawInstance* instance = ((const LawLoop*)context)->instance;
    size_t first = (size_t)begin * matrixChunk, last = (size_t)int_min(end * matrixChunk, instance->nodeCount);
    memset(instance->shared + 4 * first, 0, 4 * (last - first) * sizeof(float));
}

static void share_chunks(void* context, int begin, int end) {
    const LawLoop* loop = context;
    lbScope scope = {.elements = loop->instance->elements, .shared = loop->instance->shared};
    loop->instance->law->share(&scope, loop->x, loop->p, begin, end);
}

static void force_groups(void* context, int begin, int end) {
    const LawLoop* loop = context;
    lbScope scope = scope_of(loop, begin, end);
    if (loop->places != NULL) {
        loop->instance->law->forceBeside(&scope, loop->moment, loop->places, loop->q, loop->out);
    } else {
        loop->instance->law->force(&scope, loop->moment, loop->x, loop->q, loop->out);
    }
}

static void tangent_groups(void* context, int begin, int end) {
    const LawLoop* loop = context;
    lbScope scope = scope_of(loop, begin, end);
    loop->instance->law->tangent(&scope, loop->x, loop->a, loop->b, loop->q, loop->out);
}

static void turn_groups(void* context, int begin, int end) {
    const LawLoop* loop = context;
    lbScope scope = scope_of(loop, begin, end);
    loop->instance->law->turn(&scope, loop->x, loop->a, loop->b, loop->frames, loop->out, loop->second);
}

static void product_groups(void* context, int begin, int end) {
    const LawLoop* loop = context;
    lbScope scope = scope_of(loop, begin, end);
    if (loop->precise != NULL) {
        loop->instance->law->preciseProduct(&scope, loop->frames, loop->a, loop->b, loop->precise, loop->out);
    } else {
        loop->instance->law->product(&scope, loop->frames, loop->a, loop->b, loop->q, loop->out);
    }
}

/* A phase of fewer batches is over before another thread could help. */
enum { batchesWorthSharing = 40 };

static void run_phases(LawLoop* loop, lbTasks* tasks, lbTaskFn* groups) {
    const lbPlan* plan = &loop->instance->plan;
    for (int phase = 0; phase < plan->phaseCount; ++phase) {
        int first = plan->phaseStarts[phase], end = plan->phaseStarts[phase + 1];
        int batchCount = plan->groups[end - 1].end - plan->groups[first].begin;
        loop->firstGroup = first;
        lb_parallel_for(batchCount < batchesWorthSharing ? NULL : tasks, end - first, 1, groups, loop);
    }
}

void lb_collect_law(const lbLawInstance* instance, lbTasks* tasks, const float* x, const float* v, const float* p) {
    if (instance->law->collect == NULL || instance->idle) {
        return;
    }
    LB_ASSERT(instance->shared != NULL);
    int chunkCount = lb_chunk_count(instance->nodeCount);
    LawLoop loop = {.instance = instance, .x = x, .q = v, .p = p};
    lb_parallel_for(tasks, chunkCount, 4, zero_chunks, &loop);
    run_phases(&loop, tasks, collect_groups);
    lb_parallel_for(tasks, chunkCount, 1, share_chunks, &loop);
}

void lb_add_law_forces(const lbLawInstance* instance, lbTasks* tasks, const float* activation, lbMoment moment,
                       const float* x, const float* v, float* f) {
    if (instance->idle) {
        return;
    }
    LawLoop loop = {.instance = instance, .activation = activation, .moment = moment, .x = x, .q = v, .out = f};
    lb_collect_law(instance, tasks, x, v, NULL);
    run_phases(&loop, tasks, force_groups);
}

void lb_add_forces_together(const lbLawInstance* instance, const lbLawInstance* averages, lbTasks* tasks,
                            const float* activation, lbMoment moment, const float* x, const float* v, float* f) {
    lb_collect_law(averages, tasks, x, v, NULL);
    LawLoop loop = {.instance = instance, .activation = activation, .moment = moment, .x = x, .q = v, .out = f};
    lbScope scope = {.elements = averages->elements, .shared = averages->shared};
    loop.places = averages->law->beside(&scope);
    run_phases(&loop, tasks, force_groups);
    if (loop.places == NULL) {
        LawLoop apart = {.instance = averages, .moment = moment, .x = x, .q = v, .out = f};
        run_phases(&apart, tasks, force_groups);
    }
}

void lb_add_law_tangent(const lbLawInstance* instance, lbTasks* tasks, const float* activation, const float* x, float a,
                        float b, const float* p, float* y) {
    if (instance->idle) {
        return;
    }
    LawLoop loop = {.instance = instance, .activation = activation, .a = a, .b = b, .x = x, .q = p, .out = y};
    lb_collect_law(instance, tasks, x, NULL, p);
    run_phases(&loop, tasks, tangent_groups);
}

void lb_turn_law(const lbLawInstance* instance, lbTasks* tasks, const float* x, float a, float b, float* frames,
                 float* first, float* second) {
    LawLoop loop = {.instance = instance, .x = x, .a = a, .b = b, .frames = frames, .out = first, .second = second};
    run_phases(&loop, tasks, turn_groups);
}

void lb_add_law_product(const lbLawInstance* instance, lbTasks* tasks, const float* frames, float a, float b,
                        const float* p, const double* precise, float* q) {
    LawLoop loop = {
        .instance = instance, .a = a, .b = b, .frames = (float*)frames, .q = p, .precise = precise, .out = q};
    run_phases(&loop, tasks, product_groups);
}

double lb_law_energy(const lbLawInstance* instance, const float* activation, const float* x) {
    if (instance->idle) {
        return 0;
    }
    lbRange all;
    lbScope scope = lb_whole_scope(instance, &all);
    scope.activation = activation;
    lb_collect_law(instance, NULL, x, NULL, NULL);
    return instance->law->energy(&scope, x);
}

void lb_bound_law(const lbLawInstance* instance, const float* activation, const float* x, float* stiffness,
                  float* damping) {
    if (instance->idle) {
        return;
    }
    lbRange all;
    lbScope scope = lb_whole_scope(instance, &all);
    scope.activation = activation;
    lb_collect_law(instance, NULL, x, NULL, NULL);
    instance->law->bound(&scope, x, stiffness, damping);
}
