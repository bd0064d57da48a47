/* Loops over node vectors, in parallel pieces. */
#include "integrate/integrator.h"

typedef struct KickAndDrift {
    float h;
    const float* restrict a;
    float* restrict v;
    float* restrict x;
} KickAndDrift;

static void kick_and_drift_piece(void* context, int begin, int end) {
    const KickAndDrift* loop = context;
    const float h = loop->h;
    const float* restrict a = loop->a;
    float* restrict v = loop->v;
    float* restrict x = loop->x;
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; ++i) {
        float faster = v[i] + h * a[i];
        v[i] = faster;
        x[i] += h * faster;
    }
}

void lb_kick_and_drift(lbTasks* tasks, int count, float h, const float* a, float* v, float* x) {
    KickAndDrift loop = {h, a, v, x};
    lb_parallel_for(tasks, count, nodeGrain, kick_and_drift_piece, &loop);
}
