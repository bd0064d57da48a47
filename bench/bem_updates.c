/* What D. James and D. Pai, ArtDefo, 1999, update from frame to frame, beside what is done anew: when a point enters a
 * contact of n points and another leaves it, the inverse of their compliance (3 n x 3 n) follows by the formula of
 * Sherman, Morrison and Woodbury in O(n^2). The layer's scheme factors it again, O(n^3); the exact scheme cannot
 * update, since all normals turn a little in each round. */
#include "base/memory.h"
#include "base/result.h"
#include "bem/complementarity.h"
#include "bench/benches.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Update {
    int n; /* rows */
    double *a, *factor, *inverse, *x, *w;
} Update;

/* w = inverse x, by rows: it is symmetric. */
static void multiply(const Update* u) {
    size_t n = (size_t)u->n;
    memset(u->w, 0, n * sizeof(double));
    for (size_t i = 0; i < n; ++i) {
        const double *row = u->inverse + i * n, factor = u->x[i];
        for (size_t j = 0; j < n; ++j) {
            u->w[j] += factor * row[j];
        }
    }
}

/* A point's three rows and columns of the compliance change: six terms of rank one, each a product of the inverse with
 * a vector and a sum over it. */
static void update_inverse(void* argument) {
    Update* u = argument;
    size_t n = (size_t)u->n;
    for (int rank = 0; rank < 6; ++rank) {
        multiply(u);
        double pivot = 1e6 * (1 + fabs(u->w[rank]));
        for (size_t i = 0; i < n; ++i) {
            double share = u->w[i] / pivot;
            double* row = u->inverse + i * n;
            for (size_t j = 0; j < n; ++j) {
                row[j] -= share * u->w[j];
            }
        }
    }
    multiply(u); /* and the forces */
}

static void factor_again(void* argument) {
    Update* u = argument;
    memcpy(u->factor, u->a, (size_t)u->n * (size_t)u->n * sizeof(double));
    lb_factor_definite(u->factor, u->n, u->n);
    memcpy(u->w, u->x, (size_t)u->n * sizeof(double));
    lb_solve_definite(u->factor, u->n, u->n, u->w);
}

lbResult lb_bench_bem_updates(lbBenchContext* context) {
    static const int counts[] = {10, 30, 100, 200};
    for (int k = 0; k < 4; ++k) {
        int64_t n = 3 * counts[k];
        double* memory = LB_NEW(context->host, double, 3 * n * n + 2 * n);
        if (memory == NULL) {
            return lb_out_of_memory("a bench");
        }
        Update u = {(int)n, memory, memory + n * n, memory + 2 * n * n, memory + 3 * n * n, memory + 3 * n * n + n};
        for (int64_t i = 0; i < n * n; ++i) {
            u.a[i] = 1 / (1 + fabs((double)(i / n - i % n)));
            u.inverse[i] = i / n == i % n ? 1 : 0;
        }
        for (int64_t i = 0; i < n; ++i) {
            u.x[i] = 1;
        }
        lbTiming updated = lb_bench_time(context, 0.1, update_inverse, &u),
                 again = lb_bench_time(context, 0.1, factor_again, &u);
        char name[64];
        snprintf(name, sizeof(name), "factor_%d_ms", counts[k]);
        lb_bench_report(context, name, 1e3 * again.median, "ms");
        snprintf(name, sizeof(name), "factor_%d_over_update", counts[k]);
        lb_bench_report(context, name, again.median / updated.median, "");
        lb_release(context->host, memory);
    }
    return lb_success();
}
