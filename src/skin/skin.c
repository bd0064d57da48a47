#include "skin/skin.h"

enum { pointGrain = 2048 };

typedef struct Evaluation {
    const lbSkin* skin;
    const float *q, *p;
    float *out, *outP;
} Evaluation;

static void evaluate_piece(void* context, int begin, int end) {
    const Evaluation* loop = context;
    for (int i = begin; i < end; ++i) {
        vec3_store(loop->out + 3 * (size_t)i, lb_skin_at(loop->skin, i, loop->q));
    }
}

void lb_skin_evaluate(const lbSkin* skin, lbTasks* tasks, const float* q, float* out) {
    Evaluation loop = {.skin = skin, .q = q, .out = out};
    lb_parallel_for(tasks, skin->pointCount, pointGrain, evaluate_piece, &loop);
}

static inline __attribute__((always_inline)) void evaluate_both(const Evaluation* loop, int width, int begin, int end) {
    const int* nodes = loop->skin->nodes + (size_t)begin * (size_t)width;
    const float *weights = loop->skin->weights + (size_t)begin * (size_t)width, *q = loop->q, *p = loop->p;
    for (int i = begin; i < end; ++i, nodes += width, weights += width) {
        lbFloat4 sum = {0}, sumP = {0};
        for (int k = 0; k < width; ++k) {
            sum += weights[k] * load4(q + 4 * (size_t)nodes[k]);
            sumP += weights[k] * load4(p + 4 * (size_t)nodes[k]);
        }
        vec3_store(loop->out + 3 * (size_t)i, vec3(sum[0], sum[1], sum[2]));
        vec3_store(loop->outP + 3 * (size_t)i, vec3(sumP[0], sumP[1], sumP[2]));
    }
}

/* Tetrahedra have four nodes, hexahedra eight: loops of a known length. */
static void evaluate_both_pieces(void* context, int begin, int end) {
    const Evaluation* loop = context;
    switch (loop->skin->width) {
    case 4:
        evaluate_both(loop, 4, begin, end);
        break;
    case 8:
        evaluate_both(loop, 8, begin, end);
        break;
    default:
        evaluate_both(loop, loop->skin->width, begin, end);
    }
}

void lb_skin_evaluate_both(const lbSkin* skin, lbTasks* tasks, const float* q, float* out, const float* p,
                           float* outP) {
    Evaluation loop = {.skin = skin, .q = q, .out = out, .p = p, .outP = outP};
    lb_parallel_for(tasks, skin->pointCount, pointGrain, evaluate_both_pieces, &loop);
}
