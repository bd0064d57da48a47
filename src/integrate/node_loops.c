/* Loops over node vectors that several methods share, in parallel pieces. */
#include "integrate/integrator.h"

#include "base/simd.h"

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

typedef struct Combine {
    float s, t;
    const float *x, *y;
    float* z;
} Combine;

static void combine_piece(void* context, int begin, int end) {
    const Combine loop = *(const Combine*)context;
    LB_FOR_NODES(i, begin, end) {
        store4(loop.z + i, loop.s * load4(loop.x + i) + loop.t * load4(loop.y + i));
    }
}

void lb_combine(const lbSystem* system, float s, const float* x, float t, const float* y, float* z) {
    lb_for_nodes(system, combine_piece, &(Combine){s, t, x, y, z});
}

/* ---- Maxima: the same for any number of threads, since their order does not matter ---------------------------------
 */

enum { mostVectors = 4, maximumWidth = 8 };

typedef struct Largest {
    int vectorCount;
    const float* const* vectors;
    float (*pieces)[mostVectors];
} Largest;

static float largest_of(const float* p, size_t begin, size_t end) {
    float most[maximumWidth] = {0};
    size_t i = begin;
    for (; i + maximumWidth <= end; i += maximumWidth) {
        for (size_t k = 0; k < maximumWidth; ++k) {
            float magnitude = fabsf(p[i + k]);
            most[k] = magnitude > most[k] ? magnitude : most[k];
        }
    }
    for (; i < end; ++i) {
        float magnitude = fabsf(p[i]);
        most[0] = magnitude > most[0] ? magnitude : most[0];
    }
    for (size_t k = 1; k < maximumWidth; ++k) {
        most[0] = most[k] > most[0] ? most[k] : most[0];
    }
    return most[0];
}

static void largest_piece(void* context, int begin, int end) {
    const Largest* loop = context;
    for (int k = 0; k < loop->vectorCount; ++k) {
        loop->pieces[begin / nodeGrain][k] = largest_of(loop->vectors[k], 4 * (size_t)begin, 4 * (size_t)end);
    }
}

void lb_find_largest(const lbSystem* system, int vectorCount, const float* const* vectors, float* largest) {
    size_t used = system->scratch->used;
    int pieceCount = (system->count + nodeGrain - 1) / nodeGrain;
    Largest loop = {vectorCount, vectors, (float(*)[mostVectors])lb_take_vector(system)};
    memset(loop.pieces, 0, (size_t)pieceCount * sizeof(loop.pieces[0]));
    lb_for_nodes(system, largest_piece, &loop);
    for (int k = 0; k < vectorCount; ++k) {
        largest[k] = 0;
        for (int piece = 0; piece < pieceCount; ++piece) {
            largest[k] = loop.pieces[piece][k] > largest[k] ? loop.pieces[piece][k] : largest[k];
        }
    }
    system->scratch->used = used;
}
