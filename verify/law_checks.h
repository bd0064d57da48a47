/* What every force law must pass: the force is minus the gradient of the energy, the tangent is the derivative of the
 * force. By central differences along random directions. */
#ifndef LIMBER_LAW_CHECKS_H
#define LIMBER_LAW_CHECKS_H

#include "verify/dynamic_bodies.h"

#include <stdlib.h>

/* Uniform in -1 to 1, repeatable. */
static inline float random_signed(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 8388608.0f - 1.0f;
}

static inline float* random_vector(int count, float size, unsigned* seed) {
    float* q = calloc(4 * (size_t)count, sizeof(float));
    for (int i = 0; i < 4 * count; ++i) {
        q[i] = i % 4 < 3 ? size * random_signed(seed) : 0;
    }
    return q;
}

static inline double dot_vectors(const float* a, const float* b, int count) {
    double sum = 0;
    for (int i = 0; i < 4 * count; ++i) {
        sum += (double)a[i] * (double)b[i];
    }
    return sum;
}

static inline void offset_vector(const float* x, double s, const float* p, int count, float* out) {
    for (int i = 0; i < 4 * count; ++i) {
        out[i] = (float)((double)x[i] + s * (double)p[i]);
    }
}

/* `amount`: how far nodes are moved from rest, m; `eps`: the difference step, m. Both errors are relative. Float32
 * positions limit the differences: with coordinates of about 1 m and eps = 1e-3 m, rounding is about 1e-4 of them. */
static inline void measure_law_errors(const lbDynamicModel* model, const lbLawInstance* instance, float amount,
                                      double eps, double* forceError, double* tangentError) {
    unsigned seed = 7;
    int n = model->nodeCount;
    size_t bytes = 4 * (size_t)n * sizeof(float);
    float *x = random_vector(n, amount, &seed), *p = random_vector(n, 1, &seed), *q = random_vector(n, 1, &seed);
    float *still = calloc(1, bytes), *moved = calloc(1, bytes), *f = calloc(1, bytes), *after = calloc(1, bytes),
          *before = calloc(1, bytes), *y = calloc(1, bytes), *shared = calloc(lb_sharedVectors, bytes);
    lbLawInstance law = lb_law_with(instance, shared);
    lbMoment now = {0, 0};
    offset_vector(x, 1, model->rest, n, x);

    lb_add_law_forces(&law, NULL, NULL, now, x, still, f);
    offset_vector(x, eps, p, n, moved);
    double energyAfter = lb_law_energy(&law, NULL, moved);
    lb_add_law_forces(&law, NULL, NULL, now, moved, still, after);
    offset_vector(x, -eps, p, n, moved);
    double energyBefore = lb_law_energy(&law, NULL, moved);
    lb_add_law_forces(&law, NULL, NULL, now, moved, still, before);
    double slope = (energyAfter - energyBefore) / (2 * eps);
    double scale = sqrt(dot_vectors(f, f, n) * dot_vectors(p, p, n));
    *forceError = fabs(slope + dot_vectors(f, p, n)) / scale;

    lb_add_law_tangent(&law, NULL, NULL, x, 1, 0, p, y);
    double change = (dot_vectors(after, q, n) - dot_vectors(before, q, n)) / (2 * eps);
    *tangentError = fabs(change - dot_vectors(y, q, n)) / sqrt(dot_vectors(y, y, n) * dot_vectors(q, q, n));
    float* all_vectors[] = {x, p, q, still, moved, f, after, before, y, shared};
    for (size_t i = 0; i < sizeof(all_vectors) / sizeof(all_vectors[0]); ++i) {
        free(all_vectors[i]);
    }
}

#endif
