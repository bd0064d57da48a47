/* K_nn by conjugate gradients on all right-hand sides together: each has its own step lengths, and all share each pass
 * over the matrix, which is what takes the time. In double but for the preconditioner, the multilevel one of
 * matrix/preconditioner.h made from K0, whose rounding does no harm. */
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "elastostatic/static_solver.h"
#include "matrix/preconditioner.h"

#include <stdio.h>
#include <string.h>

enum { mostIterations = 20000 };

typedef struct IterativeSolver {
    lbStaticSolver base;
    lbStaticSystem system;
    const lbHost* host;
    lbBlockPattern* pattern;
    lbBlockMatrix matrix;
    lbGrids* grids;
    lbArena arena;
    lbPreconditioner preconditioner;
    float *r, *z; /* (nodeCount x 4) one vector at a time */
} IterativeSolver;

/* ---- The preconditioner ------------------------------------------------------------------------------------------ */

static lbResult make_pattern(IterativeSolver* made) {
    const lbStiffness* stiffness = made->system.stiffness;
    int64_t most = stiffness->starts[stiffness->nodeCount], count = 0;
    lbNodePair* pairs = LB_NEW(made->host, lbNodePair, most);
    if (pairs == NULL) {
        return lb_out_of_memory("a matrix");
    }
    for (int row = 0; row < stiffness->nodeCount; ++row) {
        for (int64_t e = stiffness->starts[row]; e < stiffness->starts[row + 1]; ++e) {
            if (stiffness->columns[e] > row) {
                pairs[count++] = (lbNodePair){row, stiffness->columns[e]};
            }
        }
    }
    lbResult result = lb_create_pattern(made->host, stiffness->nodeCount, pairs, count, false, &made->pattern);
    lb_release(made->host, pairs);
    return result;
}

static void fill_matrix(IterativeSolver* made) {
    const lbStiffness* stiffness = made->system.stiffness;
    lb_zero_matrix(&made->matrix, made->system.tasks);
    for (int row = 0; row < stiffness->nodeCount; ++row) {
        for (int64_t e = stiffness->starts[row]; e < stiffness->starts[row + 1]; ++e) {
            int column = stiffness->columns[e];
            if (column <= row) {
                continue;
            }
            int place = lb_block_place(made->pattern, row, column); /* rows of the lower node, which is `row` */
            float* block = made->matrix.pairs + (place >= 0 ? place : ~place);
            for (int k = 0; k < 9; ++k) {
                block[k] = (float)stiffness->blocks[9 * e + (place >= 0 ? k : 3 * (k % 3) + k / 3)];
            }
        }
    }
    lb_pack_matrix(&made->matrix, made->system.tasks, 0, made->r); /* no masses: r serves as zeros */
}

static lbResult make_preconditioner(IterativeSolver* made) {
    const lbStiffness* stiffness = made->system.stiffness;
    const double* points = lbTetMesh_GetPoints(stiffness->mesh);
    size_t nodes = (size_t)stiffness->nodeCount;
    made->r = LB_NEW(made->host, float, 4 * (int64_t)nodes);
    made->z = LB_NEW(made->host, float, 4 * (int64_t)nodes);
    if (made->r == NULL || made->z == NULL) {
        return lb_out_of_memory("a preconditioner");
    }
    LB_TRY(make_pattern(made));
    LB_TRY(lb_create_matrix(made->pattern, &made->matrix));
    fill_matrix(made);
    for (size_t i = 0; i < nodes; ++i) {
        vec3_store(made->z + 4 * i, vec3_from(vec3d(points[3 * i], points[3 * i + 1], points[3 * i + 2])));
    }
    LB_TRY(lb_create_grids(made->pattern, made->z, &made->grids));
    if (!lb_arena_create(made->host, &made->arena, lb_grid_bytes(made->grids) + 16 * nodes * sizeof(float) + 4096)) {
        return lb_out_of_memory("a preconditioner");
    }
    made->preconditioner = lb_take_preconditioner(&made->arena, stiffness->nodeCount, made->grids);
    for (size_t i = 0; i < nodes; ++i) {
        float free = made->system.held[i] ? 0 : 1;
        vec3_store(made->z + 4 * i, vec3(free, free, free));
    }
    lb_prepare_preconditioner(&made->preconditioner, made->system.tasks, &made->matrix, vec3(1, 1, 1), made->z);
    return lb_success();
}

static void restrict_pieces(void* context, int begin, int end) {
    const IterativeSolver* solver = context;
    for (int i = begin; i < end; ++i) {
        lb_restrict_piece(&solver->preconditioner, i, solver->r);
    }
}

static void precondition_pieces(void* context, int begin, int end) {
    const IterativeSolver* solver = context;
    for (int i = begin; i < end; ++i) {
        lb_precondition_piece(&solver->preconditioner, i, solver->r, solver->z);
    }
}

/* z = preconditioner times r for one of the vectors; scaled to be near 1, where float is at its best. */
static void precondition(IterativeSolver* solver, const double* r, double* z, int vector, int count, double norm) {
    int nodes = solver->system.stiffness->nodeCount, pieces = lb_piece_count(&solver->preconditioner);
    double scale = norm > 0 ? 1 / norm : 0;
    for (int i = 0; i < nodes; ++i) {
        for (int c = 0; c < 3; ++c) {
            size_t at = (3 * (size_t)i + (size_t)c) * (size_t)count + (size_t)vector;
            solver->r[4 * (size_t)i + (size_t)c] = solver->system.held[i] ? 0 : (float)(scale * r[at]);
        }
    }
    if (solver->preconditioner.grids != NULL) {
        lb_parallel_for(solver->system.tasks, pieces, 1, restrict_pieces, solver);
        lb_solve_grids(&solver->preconditioner, solver->system.tasks);
    }
    lb_parallel_for(solver->system.tasks, pieces, 1, precondition_pieces, solver);
    for (int i = 0; i < nodes; ++i) {
        for (int c = 0; c < 3; ++c) {
            size_t at = (3 * (size_t)i + (size_t)c) * (size_t)count + (size_t)vector;
            z[at] = solver->system.held[i] ? 0 : norm * (double)solver->z[4 * (size_t)i + (size_t)c];
        }
    }
}

/* ---- Conjugate gradients ----------------------------------------------------------------------------------------- */

typedef struct Iteration {
    IterativeSolver* solver;
    int count;
    double *x, *r, *z, *p, *q, *scratch;   /* (nodeCount x 3 x count) */
    double *norm, *goal, *rz, *pq, *alpha; /* (count) */
} Iteration;

/* sums[k] = a.b of vector k, over free nodes: held ones are zero. */
static void dot_all(const Iteration* it, const double* a, const double* b, double* sums) {
    size_t rows = 3 * (size_t)it->solver->system.stiffness->nodeCount, count = (size_t)it->count;
    memset(sums, 0, count * sizeof(double));
    for (size_t i = 0; i < rows; ++i) {
        for (size_t k = 0; k < count; ++k) {
            sums[k] += a[i * count + k] * b[i * count + k];
        }
    }
}

static void stop_held(const Iteration* it, double* vectors) {
    size_t width = 3 * (size_t)it->count;
    for (int i = 0; i < it->solver->system.stiffness->nodeCount; ++i) {
        if (it->solver->system.held[i]) {
            memset(vectors + width * (size_t)i, 0, width * sizeof(double));
        }
    }
}

/* a += factor[k] b, or a = b + factor[k] a. */
static void combine(const Iteration* it, double* a, const double* factor, const double* b, bool scaleOwn) {
    size_t rows = 3 * (size_t)it->solver->system.stiffness->nodeCount, count = (size_t)it->count;
    for (size_t i = 0; i < rows; ++i) {
        for (size_t k = 0; k < count; ++k) {
            double* at = a + i * count + k;
            *at = scaleOwn ? b[i * count + k] + factor[k] * *at : *at + factor[k] * b[i * count + k];
        }
    }
}

static bool all_done(const Iteration* it) {
    bool done = true;
    for (int k = 0; k < it->count; ++k) {
        done = done && it->norm[k] <= it->goal[k];
    }
    return done;
}

static void measure_residuals(const Iteration* it) {
    dot_all(it, it->r, it->r, it->norm);
    for (int k = 0; k < it->count; ++k) {
        it->norm[k] = sqrt(it->norm[k]);
    }
}

static void step(Iteration* it, bool first) {
    IterativeSolver* solver = it->solver;
    for (int k = 0; k < it->count; ++k) {
        if (it->norm[k] > it->goal[k]) {
            precondition(solver, it->r, it->z, k, it->count, it->norm[k]);
        }
    }
    dot_all(it, it->r, it->z, it->pq);
    for (int k = 0; k < it->count; ++k) {
        bool running = it->norm[k] > it->goal[k];
        it->alpha[k] = !first && running && it->rz[k] > 0 ? it->pq[k] / it->rz[k] : 0; /* beta */
        it->rz[k] = it->pq[k];
    }
    combine(it, it->p, it->alpha, it->z, true);
    lb_multiply_stiffness(solver->system.stiffness, solver->system.tasks, it->p, it->q, it->scratch, it->count);
    stop_held(it, it->q);
    dot_all(it, it->p, it->q, it->pq);
    for (int k = 0; k < it->count; ++k) {
        it->alpha[k] = it->norm[k] > it->goal[k] && it->pq[k] > 0 ? it->rz[k] / it->pq[k] : 0;
    }
    combine(it, it->x, it->alpha, it->p, false);
    for (int k = 0; k < it->count; ++k) {
        it->alpha[k] = -it->alpha[k];
    }
    combine(it, it->r, it->alpha, it->q, false);
    measure_residuals(it);
}

static lbResult iterate(Iteration* it, const double* r) {
    IterativeSolver* solver = it->solver;
    size_t bytes = 3 * (size_t)solver->system.stiffness->nodeCount * (size_t)it->count * sizeof(double);
    memset(it->x, 0, bytes);
    memcpy(it->r, r, bytes);
    stop_held(it, it->r);
    measure_residuals(it);
    for (int k = 0; k < it->count; ++k) {
        it->goal[k] = solver->system.tolerance * it->norm[k];
    }
    int iterations = 0;
    while (!all_done(it) && iterations < mostIterations) {
        step(it, iterations == 0);
        ++iterations;
    }
    solver->base.report.iterations = int_max(solver->base.report.iterations, iterations);
    if (!all_done(it)) {
        return lb_error(lb_errorUnstable, "conjugate gradients have not converged to %g after %d iterations",
                        solver->system.tolerance, iterations);
    }
    return lb_success();
}

static lbResult solve(lbStaticSolver* base, const double* r, double* x, int count) {
    IterativeSolver* solver = (IterativeSolver*)base;
    const lbHost* host = solver->host;
    int64_t size = 3 * (int64_t)solver->system.stiffness->nodeCount * count;
    double* vectors = LB_NEW(host, double, 5 * size);
    double* numbers = LB_NEW(host, double, 5 * (int64_t)count);
    lbResult result = lb_out_of_memory("conjugate gradients");
    if (vectors != NULL && numbers != NULL) {
        Iteration it = {.solver = solver,
                        .count = count,
                        .x = x,
                        .r = vectors,
                        .z = vectors + size,
                        .p = vectors + 2 * size,
                        .q = vectors + 3 * size,
                        .scratch = vectors + 4 * size,
                        .norm = numbers,
                        .goal = numbers + count,
                        .rz = numbers + 2 * count,
                        .pq = numbers + 3 * count,
                        .alpha = numbers + 4 * count};
        result = iterate(&it, r);
    }
    lb_release(host, vectors);
    lb_release(host, numbers);
    return result;
}

static void release(lbStaticSolver* base) {
    IterativeSolver* solver = (IterativeSolver*)base;
    solver->arena.used = 0; /* the preconditioner has had it all along */
    lb_arena_destroy(solver->host, &solver->arena);
    lb_destroy_grids(solver->grids);
    if (solver->pattern != NULL) {
        lb_destroy_matrix(&solver->matrix);
    }
    lb_destroy_pattern(solver->pattern);
    lb_release(solver->host, solver->r);
    lb_release(solver->host, solver->z);
    lb_release(solver->host, solver);
}

lbResult lb_create_iterative_solver(const lbStaticSystem* system, lbStaticSolver** solver) {
    *solver = NULL;
    const lbHost* host = system->stiffness->host;
    IterativeSolver* made = LB_NEW(host, IterativeSolver, 1);
    if (made == NULL) {
        return lb_out_of_memory("a solver");
    }
    *made = (IterativeSolver){.base = {.solve = solve, .release = release}, .system = *system, .host = host};
    double begin = lb_seconds();
    lbResult result = make_preconditioner(made);
    if (result.code != lb_ok) {
        release(&made->base);
        return result;
    }
    snprintf(made->base.report.solver, sizeof(made->base.report.solver), "conjugate gradients");
    made->base.report.factorSeconds = lb_seconds() - begin;
    made->base.report.bytes = (double)made->arena.size;
    *solver = &made->base;
    return lb_success();
}
