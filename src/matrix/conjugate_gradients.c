#include "matrix/conjugate_gradients.h"

#include "base/math.h"
#include "base/node_offset.h"
#include "base/simd.h"
#include "matrix/mixed_solve.h"

#include <string.h>

/* The residual that is carried along shall come below the tolerance by this factor, so that the true one, which
 * differs by rounding, mostly does too. */
static const double margin = 0.9;

/* What is left of the guess's residual at most: a guess that would do is still made better, since what guesses leave is
 * not at random and would add up over steps. */
static const double leftOfGuess = 0.1;

typedef double Double4 __attribute__((vector_size(32)));

static inline Double4 load_doubles(const double* p) {
    Double4 value;
    memcpy(&value, p, sizeof(value));
    return value;
}
static inline void store_doubles(double* p, Double4 value) {
    memcpy(p, &value, sizeof(value));
}
static inline Double4 widen(lbFloat4 a) {
    Double4 wide;
    for (int i = 0; i < 4; ++i) { /* becomes one instruction */
        wide[i] = (double)a[i];
    }
    return wide;
}

/* What an iteration works on. */
typedef struct Iteration {
    const lbLinearSystem* system;
    double* x;
    float *r, *z, *p, *q;
    double* partial; /* (2 x pieces) */
    double rr, rz;   /* r.r and r.z */
    double alpha;
    float beta;
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

/* a.b, a few products in float, sums of them in double. */
static double dot_product(int count, const float* a, const float* b) {
    double dot = 0;
    for (int first = 0; first < count; first += 8) {
        lbFloat4 partial = {0};
        for (int i = first; i < int_min(first + 8, count); ++i) {
            partial += load4(a + 4 * (size_t)i) * load4(b + 4 * (size_t)i);
        }
        dot += sum_components(partial);
    }
    return dot;
}

/* ---- Loops over pieces ------------------------------------------------------------------------------------------- */

static void restrict_pieces(void* context, int begin, int end) {
    const Iteration* it = context;
    for (int index = begin; index < end; ++index) {
        lb_restrict_piece(&it->system->preconditioner, index, it->r);
    }
}

/* x += alpha p, r -= alpha q; returns r.r of the piece. */
static double advance_piece(const Iteration* it, const lbPiece* piece) {
    double *x = it->x, rr = 0;
    float* r = it->r; /* here, so that they are not read again for each node */
    const float *p = it->p, *q = it->q, alpha = (float)it->alpha;
    const Double4 alphas = {it->alpha, it->alpha, it->alpha, it->alpha};
    for (int first = piece->begin; first < piece->end; first += 16) {
        lbFloat4 squares = {0};
        for (int i = first; i < int_min(first + 16, piece->end); ++i) {
            size_t at = 4 * (size_t)lb_piece_node(piece, i);
            lbFloat4 residual = load4(r + at) - alpha * load4(q + at);
            store_doubles(x + at, load_doubles(x + at) + alphas * widen(load4(p + at)));
            store4(r + at, residual);
            squares += residual * residual;
        }
        rr += sum_components(squares);
    }
    return rr;
}

/* The same of some pieces, and what the grids get of that. */
static void advance_pieces(void* context, int begin, int end) {
    const Iteration* it = context;
    for (int index = begin; index < end; ++index) {
        lbPiece piece = lb_piece(&it->system->preconditioner, index);
        it->partial[index] = advance_piece(it, &piece);
        lb_restrict_piece(&it->system->preconditioner, index, it->r);
    }
}

static void precondition_pieces(void* context, int begin, int end) {
    const Iteration* it = context;
    for (int index = begin; index < end; ++index) {
        it->partial[index] = lb_precondition_piece(&it->system->preconditioner, index, it->r, it->z);
    }
}

/* p = z + beta p */
static void turn_nodes(void* context, int begin, int end) {
    const Iteration* it = context;
    const float *z = it->z, beta = it->beta;
    float* p = it->p;
    LB_FOR_NODES(i, begin, end) {
        store4(p + i, load4(z + i) + beta * load4(p + i));
    }
}

/* ---- Iterating --------------------------------------------------------------------------------------------------- */

/* z and r.z, once the grids have their share of r. */
static void finish_preconditioning(Iteration* it) {
    const lbLinearSystem* system = it->system;
    int pieces = lb_piece_count(&system->preconditioner);
    lb_solve_grids(&system->preconditioner, system->tasks);
    lb_parallel_for(system->tasks, pieces, 1, precondition_pieces, it);
    it->rz = sum_of(it->partial, pieces);
    system->project(system->projectSelf, it->z); /* r is zero there: r.z stays */
}

/* q = A p, what is held zero; returns p.q. */
static double multiply(Iteration* it) {
    const lbLinearSystem* system = it->system;
    double dot = 0;
    if (system->matrix != NULL) {
        dot = lb_multiply(system->matrix, system->tasks, it->p, it->q, it->partial);
    } else {
        system->product(system->productSelf, it->p, it->q);
    }
    system->project(system->projectSelf, it->q); /* p is zero there: p.q stays */
    return system->matrix != NULL ? dot : dot_product(system->count, it->p, it->q);
}

/* Runs until r is small, carried along. Returns the number of products; *definite is false if it met a direction
 * that A does not resist. */
static int iterate(Iteration* it, double target, int limit, bool* definite) {
    const lbLinearSystem* system = it->system;
    int pieces = lb_piece_count(&system->preconditioner), products = 0;
    lb_parallel_for(system->tasks, pieces, 1, restrict_pieces, it);
    finish_preconditioning(it);
    memcpy(it->p, it->z, 4 * (size_t)system->count * sizeof(float));
    while (it->rr > target && products < limit) {
        double curvature = multiply(it);
        ++products;
        if (!(curvature > 0)) {
            *definite = false;
            return products;
        }
        double before = it->rz;
        it->alpha = before / curvature;
        lb_parallel_for(system->tasks, pieces, 1, advance_pieces, it);
        it->rr = sum_of(it->partial, pieces);
        if (it->rr <= target || products == limit) {
            break;
        }
        finish_preconditioning(it);
        it->beta = (float)(it->rz / before);
        lb_parallel_for(system->tasks, system->count, nodeGrain, turn_nodes, it);
    }
    return products;
}

/* r = b - A x, computed anew. */
static void true_residual(Iteration* it, const float* b) {
    const lbLinearSystem* system = it->system;
    size_t size = 4 * (size_t)system->count;
    if (system->matrix != NULL) {
        lb_subtract_product(system->matrix, system->tasks, it->x, b, it->r);
        system->project(system->projectSelf, it->r);
    } else {
        for (size_t i = 0; i < size; ++i) {
            it->p[i] = (float)it->x[i];
        }
        multiply(it);
        for (size_t i = 0; i < size; i += 4) {
            store4(it->r + i, load4(b + i) - load4(it->q + i));
        }
    }
    it->rr = dot_product(system->count, it->r, it->r);
}

/* ---- The motion of the whole ------------------------------------------------------------------------------------- */

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

/* What a uniform motion of one metre per second along each axis asks for in all, kg: the columns of a symmetric matrix.
 * Forces between nodes do not answer to it, masses and own blocks do. */
static void sum_resistance(Iteration* it, lbVec3d column[3]) {
    double mass[3], own[6] = {0};
    const lbBlockMatrix* matrix = it->system->matrix;
    multiply(it);
    sum_nodes(it->system->count, it->q, mass);
    for (int i = 0; matrix != NULL && i < matrix->own->count; ++i) {
        for (int e = 0; e < 6; ++e) {
            own[e] += (double)matrix->own->blocks[i].numbers[e];
        }
    }
    /* xx, xy, xz, yy, yz, zz; the product was with all axes at once */
    column[0] = vec3d(mass[0] - own[1] - own[2], own[1], own[2]);
    column[1] = vec3d(own[1], mass[1] - own[1] - own[4], own[4]);
    column[2] = vec3d(own[2], own[4], mass[2] - own[2] - own[4]);
}

/* Adds the uniform motion whose momentum the residual lacks. */
static void correct_momentum(Iteration* it, const float* b) {
    if (!can_move_freely(it)) {
        return;
    }
    double lack[3];
    lbVec3d column[3];
    sum_nodes(it->system->count, it->r, lack);
    sum_resistance(it, column);
    lbVec3d motion = vec3d_solve(column, vec3d(lack[0], lack[1], lack[2]));
    if (!isfinite(vec3d_length(motion))) {
        return;
    }
    for (size_t i = 0; i < 4 * (size_t)it->system->count; i += 4) {
        it->x[i] += motion.x, it->x[i + 1] += motion.y, it->x[i + 2] += motion.z;
    }
    true_residual(it, b);
}

/* ---- Solving ----------------------------------------------------------------------------------------------------- */

/* Starts from the guess, if that is better than nothing. */
static void begin(Iteration* it, const float* b, const float* guess, double bb) {
    size_t size = 4 * (size_t)it->system->count;
    if (guess != NULL && bb > 0) {
        for (size_t i = 0; i < size; ++i) {
            it->x[i] = (double)guess[i];
        }
        true_residual(it, b);
        if (it->rr < bb) {
            return;
        }
    }
    memset(it->x, 0, size * sizeof(double));
    memcpy(it->r, b, size * sizeof(float));
    it->rr = bb;
}

/* What is left, if anything, is left to conjugate gradients. Returns the number of products. */
static int solve_mixed(Iteration* it, const float* b, double goal, int limit, lbArena* scratch) {
    size_t used = scratch->used;
    float* numbers = lb_arena_take(scratch, 4 * (size_t)it->system->count * sizeof(float));
    float* const vectors[4] = {it->z, it->p, it->q, numbers};
    int products = lb_solve_mixed(it->system, b, sqrt(goal), limit, it->r, vectors, it->partial, it->x);
    it->rr = dot_product(it->system->count, it->r, it->r);
    scratch->used = used;
    return products;
}

lbSolve lb_solve_linear(const lbLinearSystem* system, const float* b, const float* guess, double* x, double tolerance,
                        int limit, lbArena* scratch) {
    size_t used = scratch->used, bytes = 4 * (size_t)system->count * sizeof(float);
    Iteration it = {.system = system, .x = x};
    float** vectors[] = {&it.r, &it.z, &it.p, &it.q};
    for (int i = 0; i < 4; ++i) {
        *vectors[i] = lb_arena_take(scratch, bytes);
    }
    int pieces = int_max(lb_piece_count(&system->preconditioner), lb_chunk_count(system->count));
    it.partial = lb_arena_take(scratch, (size_t)pieces * sizeof(double));
    double bb = dot_product(system->count, b, b);
    begin(&it, b, guess, bb);
    lbSolve solve = {.definite = true};
    double goal = fmin(tolerance * tolerance * bb, leftOfGuess * leftOfGuess * it.rr);
    if (bb > 0 && lb_is_mixed(system)) {
        solve.iterations = solve_mixed(&it, b, goal, limit, scratch);
    }
    while (bb > 0 && it.rr > goal && solve.iterations < limit && solve.definite) {
        double before = it.rr;
        solve.iterations += iterate(&it, margin * margin * goal, limit - solve.iterations, &solve.definite);
        if (!solve.definite && solve.iterations == 1) {
            for (size_t i = 0; i < 4 * (size_t)system->count; ++i) {
                x[i] = (double)it.z[i];
            }
        }
        true_residual(&it, b);
        if (!(it.rr < before)) { /* rounding: as good as it gets */
            break;
        }
    }
    if (bb > 0 && solve.definite) {
        correct_momentum(&it, b);
    }
    solve.unfinished = solve.iterations >= limit && it.rr > tolerance * tolerance * bb;
    solve.residual = bb > 0 ? sqrt(it.rr / bb) : 0;
    scratch->used = used;
    return solve;
}
