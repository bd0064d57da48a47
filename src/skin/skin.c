#include "skin/skin.h"

enum { pointGrain = 2048 };

typedef struct Evaluation {
    const lbSkin* skin;
    const float* q;
    float* out;
} Evaluation;

static void evaluate_piece(void* context, int begin, int end) {
    const Evaluation* loop = context;
    for (int i = begin; i < end; ++i) {
        vec3_store(loop->out + 3 * (size_t)i, lb_skin_at(loop->skin, i, loop->q));
    }
}

void lb_skin_evaluate(const lbSkin* skin, lbTasks* tasks, const float* q, float* out) {
    Evaluation loop = {skin, q, out};
    lb_parallel_for(tasks, skin->pointCount, pointGrain, evaluate_piece, &loop);
}
