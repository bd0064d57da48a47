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

typedef struct AddScaled {
    float s;
    const float* restrict x;
    float* restrict y;
} AddScaled;

static void add_scaled_piece(void* context, int begin, int end) {
    const AddScaled* loop = context;
    const float s = loop->s;
    const float* restrict x = loop->x;
    float* restrict y = loop->y;
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; ++i) {
        y[i] += s * x[i];
    }
}

void lb_add_scaled(lbTasks* tasks, int count, float s, const float* x, float* y) {
    AddScaled loop = {s, x, y};
    lb_parallel_for(tasks, count, nodeGrain, add_scaled_piece, &loop);
}
