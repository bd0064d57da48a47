#include "body/dynamic/element_matrix.h"

#include "base/result.h"
#include "body/dynamic/assembly.h"
#include "matrix/node_vectors.h"

#include <string.h>

/* Fewer nodes than this fit into caches as a matrix, too, and the grids that a matrix is preconditioned by cost little.
 */
enum { manyNodes = 4000 };
/* Grids bring a residual down faster, but not from the first iterations on. */
enum { fewIterations = 40 };

typedef struct Elements {
    lbElementPart part;
    lbDynamicModel* model;
    float* frames; /* (batches x lbLaw.frameNumbers) */
    float a, b;
} Elements;

bool lb_prefers_elements(const lbDynamicModel* model, const lbIntegratorSettings* settings) {
    return model->lawCount == 1 && model->laws[0].law->product != NULL && model->nodeCount >= manyNodes &&
           settings->iterationLimit <= fewIterations;
}

static void add(void* self, lbTasks* tasks, const float* p, float* q) {
    const Elements* elements = self;
    lb_add_law_product(&elements->model->laws[0], tasks, elements->frames, elements->a, elements->b, p, NULL, q);
}

static void subtract(void* self, lbTasks* tasks, const double* x, float* r) {
    const Elements* elements = self;
    lb_add_law_product(&elements->model->laws[0], tasks, elements->frames, -elements->a, -elements->b, NULL, x, r);
}

static lbResult create_part(lbDynamicModel* model, lbElementPart** part) {
    const lbHost* host = model->base.host;
    lbRange all;
    lb_whole_scope(&model->laws[0], &all);
    Elements* made = LB_NEW(host, Elements, 1);
    if (made == NULL) {
        return lb_out_of_memory("products by elements");
    }
    *made = (Elements){.model = model,
                       .frames = LB_NEW(host, float, (int64_t)all.end * model->laws[0].law->frameNumbers),
                       .part = {.add = add,
                                .subtract = subtract,
                                .self = made,
                                .first = LB_NEW(host, float, 4 * (int64_t)model->nodeCount),
                                .second = LB_NEW(host, float, 4 * (int64_t)model->nodeCount),
                                .answers = LB_NEW(host, float, 12 * (int64_t)model->nodeCount)}};
    *part = &made->part;
    return made->frames != NULL && made->part.first != NULL && made->part.second != NULL && made->part.answers != NULL
               ? lb_success()
               : lb_out_of_memory("products by elements");
}

void lb_destroy_element_part(const lbHost* host, lbElementPart* part) {
    if (part != NULL) {
        Elements* elements = part->self;
        lb_release(host, elements->frames);
        lb_release(host, part->first);
        lb_release(host, part->second);
        lb_release(host, part->answers);
        lb_release(host, elements);
    }
}

lbResult lb_create_element_matrix(lbDynamicModel* model, lbBlockMatrix* matrix) {
    *matrix = (lbBlockMatrix){0};
    lbElementPart* part = NULL;
    const lbBlockPattern* pattern = NULL;
    LB_TRY(lb_empty_pattern(model, &pattern));
    LB_TRY(lb_create_matrix(pattern, matrix));
    lbResult result = create_part(model, &part);
    matrix->elements = part;
    if (result.code != lb_ok) {
        lb_destroy_element_part(model->base.host, part);
        lb_destroy_matrix(matrix);
    }
    return result;
}

/* How nodes answer to impulses, as if their neighbours stood still. */
static void answer_nodes(void* context, int begin, int end) {
    const lbDynamicBody* body = context;
    const lbElementPart* part = body->matrix.elements;
    for (int first = begin; first < end; first += LB_LANES) {
        float numbers[6 * LB_LANES] = {0};
        int rows[LB_LANES];
        for (int lane = 0; lane < LB_LANES; ++lane) {
            rows[lane] = first + lane < end ? first + lane : -1;
            for (int e = 0; e < 6 && rows[lane] >= 0; ++e) {
                float mass = e == 0 || e == 3 || e == 5 ? body->model->mass[rows[lane]] : 0;
                const float* block = (e < 3 ? part->first : part->second) + 4 * (size_t)rows[lane];
                numbers[e * LB_LANES + lane] = block[e % 3] + mass;
            }
        }
        lb_invert_lanes(numbers, rows, part->answers);
    }
}

static void zero_diagonals(void* context, int begin, int end) {
    const lbElementPart* part = context;
    memset(part->first + 4 * (size_t)begin, 0, 4 * (size_t)(end - begin) * sizeof(float));
    memset(part->second + 4 * (size_t)begin, 0, 4 * (size_t)(end - begin) * sizeof(float));
}

void lb_turn_elements(lbDynamicBody* body, const float* x, float a, float b) {
    lbElementPart* part = body->matrix.elements;
    Elements* elements = part->self;
    elements->a = a;
    elements->b = b;
    lb_for_pieces(body->base.tasks, body->model->nodeCount, zero_diagonals, part);
    lb_turn_law(&body->model->laws[0], body->base.tasks, x, a, b, elements->frames, part->first, part->second);
    lb_for_pieces(body->base.tasks, body->model->nodeCount, answer_nodes, body);
}

void lb_add_element_resistance(const lbBlockMatrix* matrix, const lbSide* side, const float s[6]) {
    for (int k = 0; k < side->count; ++k) {
        float share = side->weight[k] * side->weight[k];
        float* first = matrix->elements->first + 4 * (size_t)side->node[k];
        float* second = matrix->elements->second + 4 * (size_t)side->node[k];
        first[0] += share * s[0], first[1] += share * s[3], first[2] += share * s[4];
        second[0] += share * s[1], second[1] += share * s[5], second[2] += share * s[2];
    }
}
