#include "body/assembly.h"

#include "base/result.h"
#include "law/plan.h"

static int batch_count(const lbModel* model) {
    lbRange all;
    lb_whole_scope(model, &all);
    return all.end;
}

/* Every two nodes of every element. */
static lbResult list_pairs(const lbModel* model, lbNodePair** pairs, int64_t* pairCount) {
    int nodes[maxElementNodes], n = model->law->nodesPerElement;
    int64_t elements = (int64_t)batch_count(model) * LB_LANES;
    *pairs = LB_NEW(model->host, lbNodePair, elements * (n * (n - 1) / 2));
    *pairCount = 0;
    if (*pairs == NULL) {
        return lb_out_of_memory("a matrix");
    }
    for (int64_t i = 0; i < elements; ++i) {
        if (!model->law->nodes(model->elements, (int)i, nodes)) {
            continue;
        }
        for (int p = 0; p < n; ++p) {
            for (int q = p + 1; q < n; ++q) {
                (*pairs)[(*pairCount)++] = (lbNodePair){nodes[p], nodes[q]};
            }
        }
    }
    return lb_success();
}

static lbResult find_places(const lbModel* model, lbAssembly* assembly) {
    int nodes[maxElementNodes], n = model->law->nodesPerElement, batches = batch_count(model);
    const lbBlockPattern* pattern = assembly->pattern;
    assembly->places = LB_NEW(assembly->host, int, (int64_t)batches* LB_LANES* n*(n - 1));
    if (assembly->places == NULL) {
        return lb_out_of_memory("a matrix");
    }
    for (int i = 0; i < batches * LB_LANES; ++i) {
        int* place = assembly->places + (size_t)(i / LB_LANES) * LB_LANES * (size_t)(n * (n - 1)) + i % LB_LANES;
        bool there = model->law->nodes(model->elements, i, nodes);
        for (int p = 0; p < n; ++p) {
            for (int q = p + 1; q < n; ++q) {
                place[0] = there ? lb_block_place(pattern, nodes[p], nodes[q]) : lb_place_without_effect(pattern);
                place[LB_LANES] = there ? lb_block_place(pattern, nodes[q], nodes[p]) : place[0];
                place += 2 * LB_LANES;
            }
        }
    }
    return lb_success();
}

static lbResult create_assembly(lbModel* model) {
    lbNodePair* pairs = NULL;
    int64_t pairCount = 0;
    LB_TRY(list_pairs(model, &pairs, &pairCount));
    lbAssembly* made = LB_NEW(model->host, lbAssembly, 1);
    lbResult result = lb_out_of_memory("a matrix");
    if (made != NULL) {
        made->host = model->host;
        result = lb_create_pattern(model->host, model->nodeCount, pairs, pairCount, model->law->symmetricBlocks,
                                   &made->pattern);
    }
    lb_release(model->host, pairs);
    if (result.code == lb_ok) {
        result = find_places(model, made);
    }
    if (result.code != lb_ok) {
        lb_destroy_assembly(made);
        return result;
    }
    model->assembly = made;
    return lb_success();
}

void lb_destroy_assembly(lbAssembly* assembly) {
    if (assembly != NULL) {
        const lbHost* host = assembly->host;
        lb_destroy_pattern(assembly->pattern);
        lb_release(host, assembly->places);
        lb_release(host, assembly);
    }
}

lbResult lb_create_body_matrix(lbModel* model, lbBlockMatrix* matrix) {
    *matrix = (lbBlockMatrix){0};
    if (model->law->assemble == NULL) {
        return lb_success();
    }
    if (model->assembly == NULL) {
        LB_TRY(create_assembly(model));
    }
    return lb_create_matrix(model->assembly->pattern, matrix);
}

typedef struct AssembleLoop {
    const lbModel* model;
    const lbBlockMatrix* matrix;
    const float* x;
    float a, b;
    lbTangentKind kind;
    int firstGroup;
} AssembleLoop;

static void assemble_groups(void* context, int begin, int end) {
    const AssembleLoop* loop = context;
    const lbModel* model = loop->model;
    lbScope scope = {model->elements, model->plan.groups + loop->firstGroup + begin, end - begin};
    model->law->assemble(&scope, loop->x, loop->a, loop->b, loop->kind, model->assembly->places, loop->matrix);
}

void lb_assemble_body(lbBody* body, const float* x, float mass, float a, float b, lbTangentKind kind) {
    const lbModel* model = body->model;
    const lbPlan* plan = &model->plan;
    lb_zero_matrix(&body->matrix, body->tasks);
    AssembleLoop loop = {model, &body->matrix, x, a, b, kind, 0};
    for (int phase = 0; phase < plan->phaseCount; ++phase) { /* groups of a phase share no node: no row, no block */
        loop.firstGroup = plan->phaseStarts[phase];
        lb_parallel_for(body->tasks, plan->phaseStarts[phase + 1] - loop.firstGroup, 1, assemble_groups, &loop);
    }
    float drag = b * model->material.massDamping;
    lb_complete_diagonals(&body->matrix, body->tasks, mass - drag, model->mass);
    for (int i = 0; i < body->heldCount; ++i) {
        const float* s = body->held[i].filter;
        if (s[0] == 0 && s[1] == 0 && s[2] == 0) {
            lb_remove_node(&body->matrix, body->held[i].node);
        }
    }
}
