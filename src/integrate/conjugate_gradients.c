#include "integrate/conjugate_gradients.h"

#include "base/math.h"
#include "base/simd.h"

#include <string.h>

/* The residual that is carried along shall come below the tolerance by this factor, so that the true one, which
 * differs by rounding, mostly does too. */
static const double margin = 0.97;

/* What an iteration works on. */
typedef struct Iteration {
    const lbLinearSystem* system;
    float *x, *r, *z, *p, *q;
    double* partial; /* (2 x chunks) */
    double rr, rz;   /* r.r and r.z */
    float alpha, beta;
} Iteration;

static double sum_of(const double* partial, int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += partial[i];
    }
    return sum;
}

static inline double sum_components(lbFloat4 a) {
    return (double)a[0] + (double)a[1] + (double)a[2];
}

/* a.b over one chunk. */
static double dot_chunk(int count, int chunk, const float* a, const float* b) {
    int begin = chunk * matrixChunk, end = int_min(begin + matrixChunk, count);
    double dot = 0;
    for (int first = begin; first < end; first += groupSize) {
        lbFloat4 partial = {0};
        for (int i = first; i < int_min(first + groupSize, end); ++i) {
            partial += load4(a + 4 * (size_t)i) * load4(b + 4 * (size_t)i);
        }
        dot += sum_components(partial);
    }
    return dot;
}

/* z = M^-1 r, with r.z and r.r. */
static void precondition_chunks(void* context, int begin, int end) {
    const Iteration* it = context;
    int chunks = lb_chunk_count(it->system->count);
    for (int chunk = begin; chunk < end; ++chunk) {
        it->partial[chunk] =
            lb_precondition_chunk(&it->system->preconditioner, chunk, it->r, it->z, &it->partial[chunks + chunk]);
    }
}

/* x += alpha p, r -= alpha q; then as above. */
static void advance_chunks(void* context, int begin, int end) {
    const Iteration* it = context;
    for (int chunk = begin; chunk < end; ++chunk) {
        int last = int_min((chunk + 1) * matrixChunk, it->system->count);
        for (size_t i = 4 * (size_t)chunk * matrixChunk; i < 4 * (size_t)last; i += 4) {
            store4(it->x + i, load4(it->x + i) + it->alpha * load4(it->p + i));
            store4(it->r + i, load4(it->r + i) - it->alpha * load4(it->q + i));
        }
        precondition_chunks(context, chunk, chunk + 1);
    }
}

static void finish_sums(Iteration* it) {
    int chunks = lb_chunk_count(it->system->count);
    it->rz = sum_of(it->partial, chunks);
    it->rr = sum_of(it->partial + chunks, chunks);
    it->system->project(it->system->projectSelf, it->z); /* r is zero there: r.z stays */
}

/* p = z + beta p */
static void turn_chunks(void* context, int begin, int end) {
    const Iteration* it = context;
    int last = int_min(end * matrixChunk, it->system->count);
    for (size_t i = 4 * (size_t)begin * matrixChunk; i < 4 * (size_t)last; i += 4) {
        store4(it->p + i, load4(it->z + i) + it->beta * load4(it->p + i));
    }
}

static void dot_chunks(void* context, int begin, int end) {
    const Iteration* it = context;
    for (int chunk = begin; chunk < end; ++chunk) {
        it->partial[chunk] = dot_chunk(it->system->count, chunk, it->p, it->q);
    }
}

/* q = A p, what is held zero; returns p.q. */
static double multiply(Iteration* it) {
    const lbLinearSystem* system = it->system;
    if (system->matrix != NULL) {
        double dot = lb_multiply(system->matrix, system->tasks, it->p, it->q, it->partial);
        system->project(system->projectSelf, it->q); /* p is zero there: p.q stays */
        return dot;
    }
    system->product(system->productSelf, it->p, it->q);
    system->project(system->projectSelf, it->q);
    int chunks = lb_chunk_count(system->count);
    lb_parallel_for(system->tasks, chunks, 1, dot_chunks, it);
    return sum_of(it->partial, chunks);
}

/* Runs until r is small, carried along. Returns the number of products; *definite is false if it met a direction
 * that A does not resist. */
static int iterate(Iteration* it, double target, int limit, bool* definite) {
    const lbLinearSystem* system = it->system;
    int chunks = lb_chunk_count(system->count), products = 0;
    lb_parallel_for(system->tasks, chunks, 1, precondition_chunks, it);
    finish_sums(it);
    memcpy(it->p, it->z, 4 * (size_t)system->count * sizeof(float));
    while (it->rr > target && products < limit) {
        double curvature = multiply(it);
        ++products;
        if (!(curvature > 0)) {
            *definite = false;
            return products;
        }
        double before = it->rz;
        it->alpha = (float)(before / curvature);
        lb_parallel_for(system->tasks, chunks, 1, advance_chunks, it);
        finish_sums(it);
        it->beta = (float)(it->rz / before);
        lb_parallel_for(system->tasks, chunks, 1, turn_chunks, it);
    }
    return products;
}

/* r = b - A x, computed anew. */
static void true_residual(Iteration* it, const float* b) {
    size_t size = 4 * (size_t)it->system->count;
    memcpy(it->p, it->x, size * sizeof(float));
    multiply(it);
    for (size_t i = 0; i < size; i += 4) {
        store4(it->r + i, load4(b + i) - load4(it->q + i));
    }
    double rr = 0;
    for (int chunk = 0; chunk < lb_chunk_count(it->system->count); ++chunk) {
        rr += dot_chunk(it->system->count, chunk, it->r, it->r);
    }
    it->rr = rr;
}

/* Sum over all nodes, by component. */
static void sum_nodes(int count, const float* a, double sum[3]) {
    sum[0] = sum[1] = sum[2] = 0;
    for (size_t i = 0; i < 4 * (size_t)count; i += 4) {
        for (size_t c = 0; c < 3; ++c) {
            sum[c] += (double)a[i + c];
        }
    }
}

/* Whether a motion of all nodes alike is possible; if so, p is that motion, of one metre per second on each axis. */
static bool can_move_freely(Iteration* it) {
    int count = it->system->count;
    for (int i = 0; i < 4 * count; ++i) {
        it->p[i] = i % 4 < 3 ? 1 : 0;
    }
    it->system->project(it->system->projectSelf, it->p);
    double sum[3];
    sum_nodes(count, it->p, sum);
    return sum[0] == count && sum[1] == count && sum[2] == count;
}

/* Adds the uniform motion whose momentum the residual lacks. */
static void correct_momentum(Iteration* it, const float* b) {
    if (!can_move_freely(it)) {
        return;
    }
    double lack[3], mass[3];
    sum_nodes(it->system->count, it->r, lack);
    multiply(it);
    sum_nodes(it->system->count, it->q, mass);
    for (int c = 0; c < 3; ++c) {
        if (!(mass[c] > 0)) {
            return;
        }
    }
    for (size_t i = 0; i < 4 * (size_t)it->system->count; ++i) {
        it->x[i] += i % 4 < 3 ? (float)(lack[i % 4] / mass[i % 4]) : 0;
    }
    true_residual(it, b);
}

lbSolve lb_solve_linear(const lbLinearSystem* system, const float* b, float* x, double tolerance, int limit,
                        lbArena* scratch) {
    size_t used = scratch->used, bytes = 4 * (size_t)system->count * sizeof(float);
    int chunks = lb_chunk_count(system->count);
    Iteration it = {.system = system, .x = x};
    float** vectors[] = {&it.r, &it.z, &it.p, &it.q};
    for (int i = 0; i < 4; ++i) {
        *vectors[i] = lb_arena_take(scratch, bytes);
    }
    it.partial = lb_arena_take(scratch, 2 * (size_t)chunks * sizeof(double));
    memset(x, 0, bytes);
    memcpy(it.r, b, bytes);
    double bb = 0;
    for (int chunk = 0; chunk < chunks; ++chunk) {
        bb += dot_chunk(system->count, chunk, b, b);
    }
    it.rr = bb;
    lbSolve solve = {.definite = true};
    double goal = tolerance * tolerance * bb;
    while (bb > 0 && it.rr > goal && solve.iterations < limit && solve.definite) {
        double before = it.rr;
        solve.iterations += iterate(&it, margin * margin * goal, limit - solve.iterations, &solve.definite);
        if (!solve.definite && solve.iterations == 1) {
            memcpy(x, it.z, bytes);
        }
        true_residual(&it, b);
        if (!(it.rr < before)) { /* rounding: as good as it gets */
            break;
        }
    }
    if (bb > 0 && solve.definite) {
        correct_momentum(&it, b);
    }
    solve.residual = bb > 0 ? sqrt(it.rr / bb) : 0;
    scratch->used = used;
    return solve;
}
