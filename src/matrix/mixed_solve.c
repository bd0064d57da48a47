#include "matrix/mixed_solve.h"

#include "base/math.h"
#include "base/simd.h"
#include "matrix/reach.h"

#include <float.h>
#include <string.h>

enum { innerSteps = 3, nodeChunk = 512 };

/* What a cycle works on. The fourth number of the basis's nodes is g, scaled. */
typedef struct Mixed {
    const lbLinearSystem* system;
    const lbReach* reach;
    lbBlockMatrix elastic; /* K */
    int count, chunkCount;
    float *r, *z, *p, *q;      /* node vectors of the inner steps */
    float *lengths, *w, *t[3]; /* numbers of nodes: scales of g, q', polynomials */
    const float* direction;    /* of the basis, that is preconditioned */
    float* move;               /* u' */
    float* next;               /* of the basis */
    double* partial;           /* (chunkCount) or more */
    double dots[lb_mixedCycle + 1];
    double* chunkDots; /* (chunkCount x (lb_mixedCycle + 1)) */
    int used;          /* vectors of the basis */
    float alpha, beta, factor;
    const double* weights; /* (used) of the solution */
    double* x;
} Mixed;

bool lb_is_mixed(const lbLinearSystem* system) {
    const double leastStiffness = 2; /* else masses resist motions far and wide, and averages are no second averages */
    return system->matrix != NULL && lb_reaches(system->matrix->reach) &&
           system->matrix->reach->averages->response.largest > 1 && system->preconditioner.stiffness >= leastStiffness;
}

static float* basis_vector(const Mixed* mixed, int index) {
    return mixed->reach->basis + 4 * (size_t)mixed->count * (size_t)index;
}

static float* move_vector(const Mixed* mixed, int index) {
    return basis_vector(mixed, lb_mixedCycle + 1 + index);
}

static void for_chunks(Mixed* mixed, lbTaskFn* chunks) {
    lb_parallel_for(mixed->system->tasks, mixed->chunkCount, 1, chunks, mixed);
}

static inline int node_end(const Mixed* mixed, int chunk) {
    return int_min(chunk * nodeChunk, mixed->count);
}

static double sum_partial(const double* partial, int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += partial[i];
    }
    return sum;
}

static inline double sum_four(lbFloat4 a) {
    return ((double)a[0] + (double)a[1]) + ((double)a[2] + (double)a[3]);
}

/* ---- Averages ---------------------------------------------------------------------------------------------------- */

static void scale_lengths(Mixed* mixed) {
    const lbResponse* response = &mixed->reach->averages->response;
    lb_measure_averages(mixed->reach, mixed->system->tasks, mixed->lengths);
    for (int i = 0; i < mixed->count; ++i) { /* what a unit of g makes of forces */
        mixed->lengths[i] *= fabsf(mixed->reach->scale) * response->sums[i];
    }
}

/* t[0] = -g, w = c_0 t[0] */
static void begin_response(void* context, int begin, int end) {
    const Mixed* mixed = context;
    const lbResponse* response = &mixed->reach->averages->response;
    for (int i = node_end(mixed, begin); i < node_end(mixed, end); ++i) {
        float length = mixed->lengths[i];
        mixed->t[0][i] = length > 0 ? -mixed->direction[4 * (size_t)i + 3] / length : 0;
        mixed->w[i] = response->coefficients[0] * mixed->t[0][i];
    }
}

/* T_k+1 = factor Y T_k - T_k-1, Y = 2 X / largest - 1; t[2] has H T_k, and becomes the next, t[0] is the one before. */
static void continue_response(void* context, int begin, int end) {
    const Mixed* mixed = context;
    const lbResponse* response = &mixed->reach->averages->response;
    float before = mixed->factor == 1 ? 0 : 1;
    for (int i = node_end(mixed, begin); i < node_end(mixed, end); ++i) {
        float y = 2 * response->softness[i] * mixed->t[2][i] / response->largest - mixed->t[1][i];
        mixed->t[2][i] = mixed->factor * y - before * mixed->t[0][i];
        mixed->w[i] += mixed->alpha * mixed->t[2][i];
    }
}

/* w = q' of the direction's g. */
static void respond(Mixed* mixed) {
    const lbResponse* response = &mixed->reach->averages->response;
    for_chunks(mixed, begin_response);
    float* first = mixed->t[0];
    mixed->t[0] = mixed->t[1];
    mixed->t[1] = first;
    for (int k = 1; k < response->count; ++k) {
        mixed->factor = k == 1 ? 1 : 2;
        mixed->alpha = response->coefficients[k];
        lb_find_answers(mixed->reach, mixed->system->tasks, mixed->t[1], mixed->t[2]);
        for_chunks(mixed, continue_response);
        float* last = mixed->t[0];
        mixed->t[0] = mixed->t[1];
        mixed->t[1] = mixed->t[2];
        mixed->t[2] = last;
    }
}

/* ---- Inner steps ------------------------------------------------------------------------------------------------- */

static void restrict_pieces(void* context, int begin, int end) {
    const Mixed* mixed = context;
    for (int i = begin; i < end; ++i) {
        lb_restrict_piece(&mixed->system->preconditioner, i, mixed->r);
    }
}

static void precondition_pieces(void* context, int begin, int end) {
    const Mixed* mixed = context;
    for (int i = begin; i < end; ++i) {
        mixed->partial[i] = lb_precondition_piece(&mixed->system->preconditioner, i, mixed->r, mixed->z);
    }
}

/* z = r preconditioned; returns r.z. */
static double precondition(Mixed* mixed) {
    const lbLinearSystem* system = mixed->system;
    int pieces = lb_piece_count(&system->preconditioner);
    lb_parallel_for(system->tasks, pieces, 1, restrict_pieces, mixed);
    lb_solve_grids(&system->preconditioner, system->tasks);
    lb_parallel_for(system->tasks, pieces, 1, precondition_pieces, mixed);
    system->project(system->projectSelf, mixed->z);
    return sum_partial(mixed->partial, pieces);
}

static void copy_direction(void* context, int begin, int end) {
    const Mixed* mixed = context;
    for (size_t i = (size_t)node_end(mixed, begin); i < (size_t)node_end(mixed, end); ++i) {
        lbFloat4 r = load4(mixed->direction + 4 * i);
        r[3] = 0;
        store4(mixed->r + 4 * i, r);
    }
}

static void turn(void* context, int begin, int end) {
    const Mixed* mixed = context;
    for (size_t i = 4 * (size_t)node_end(mixed, begin); i < 4 * (size_t)node_end(mixed, end); i += 4) {
        store4(mixed->p + i, load4(mixed->z + i) + mixed->beta * load4(mixed->p + i));
    }
}

/* move += alpha p, or = alpha p; r -= alpha q */
static void advance(void* context, int begin, int end) {
    const Mixed* mixed = context;
    for (size_t i = 4 * (size_t)node_end(mixed, begin); i < 4 * (size_t)node_end(mixed, end); i += 4) {
        lbFloat4 before = mixed->factor * load4(mixed->move + i);
        store4(mixed->move + i, before + mixed->alpha * load4(mixed->p + i));
        store4(mixed->r + i, load4(mixed->r + i) - mixed->alpha * load4(mixed->q + i));
    }
}

/* move = about K^-1 r, r = what that leaves. Returns the number of products; 0: K is not definite. */
static int take_inner_steps(Mixed* mixed) {
    const lbLinearSystem* system = mixed->system;
    double rz = 0;
    memset(mixed->move, 0, 4 * (size_t)mixed->count * sizeof(float));
    for (int step = 0; step < innerSteps; ++step) {
        double next = precondition(mixed);
        if (step == 0) {
            memcpy(mixed->p, mixed->z, 4 * (size_t)mixed->count * sizeof(float));
        } else {
            mixed->beta = (float)(next / rz);
            for_chunks(mixed, turn);
        }
        rz = next;
        double curvature = lb_multiply(&mixed->elastic, system->tasks, mixed->p, mixed->q, mixed->partial);
        system->project(system->projectSelf, mixed->q);
        if (!(curvature > 0) || !(rz > 0)) {
            return rz == 0 ? step : 0;
        }
        mixed->alpha = (float)(rz / curvature);
        mixed->factor = 1;
        for_chunks(mixed, advance);
    }
    return innerSteps;
}

/* ---- The outer method -------------------------------------------------------------------------------------------- */

/* next = [K u' + B^T S q', scaled B u' - q']: of the first, what is left of the direction is minus the inner residual.
 */
static void fill_next(void* context, int begin, int end) {
    const Mixed* mixed = context;
    for (size_t i = (size_t)node_end(mixed, begin); i < (size_t)node_end(mixed, end); ++i) {
        lbFloat4 next = load4(mixed->direction + 4 * i) - load4(mixed->r + 4 * i);
        next[3] = mixed->lengths[i] * (mixed->t[0][i] - mixed->w[i]);
        store4(mixed->next + 4 * i, next);
    }
}

static void dot_chunk(const Mixed* mixed, int chunk) {
    double* dots = mixed->chunkDots + (size_t)chunk * (lb_mixedCycle + 1);
    size_t first = 4 * (size_t)node_end(mixed, chunk), last = 4 * (size_t)node_end(mixed, chunk + 1);
    for (int j = 0; j < mixed->used; ++j) {
        const float* v = basis_vector(mixed, j);
        lbFloat4 even = {0}, odd = {0};
        size_t i = first;
        for (; i + 8 <= last; i += 8) {
            even += load4(v + i) * load4(mixed->next + i);
            odd += load4(v + i + 4) * load4(mixed->next + i + 4);
        }
        for (; i < last; i += 4) {
            even += load4(v + i) * load4(mixed->next + i);
        }
        dots[j] = sum_four(even) + sum_four(odd);
    }
}

static void dot_chunks(void* context, int begin, int end) {
    for (int chunk = begin; chunk < end; ++chunk) {
        dot_chunk(context, chunk);
    }
}

/* next -= what it has of the basis; leaves its square. */
static void subtract_chunks(void* context, int begin, int end) {
    const Mixed* mixed = context;
    for (int chunk = begin; chunk < end; ++chunk) {
        size_t first = 4 * (size_t)node_end(mixed, chunk), last = 4 * (size_t)node_end(mixed, chunk + 1);
        for (int j = 0; j < mixed->used; ++j) {
            const float *v = basis_vector(mixed, j), factor = (float)mixed->dots[j];
            for (size_t i = first; i < last; i += 4) {
                store4(mixed->next + i, load4(mixed->next + i) - factor * load4(v + i));
            }
        }
        lbFloat4 square = {0};
        for (size_t i = first; i < last; i += 4) {
            square += load4(mixed->next + i) * load4(mixed->next + i);
        }
        mixed->partial[chunk] = sum_four(square);
    }
}

static void scale_next(void* context, int begin, int end) {
    const Mixed* mixed = context;
    for (size_t i = 4 * (size_t)node_end(mixed, begin); i < 4 * (size_t)node_end(mixed, end); i += 4) {
        store4(mixed->next + i, mixed->factor * load4(mixed->next + i));
    }
}

/* Subtracts from `next` what it has of the basis, which is added to `sums`; returns what is left of its length. */
static double subtract_basis(Mixed* mixed, double* sums) {
    for_chunks(mixed, dot_chunks);
    for (int j = 0; j < mixed->used; ++j) {
        mixed->dots[j] = 0;
        for (int chunk = 0; chunk < mixed->chunkCount; ++chunk) {
            mixed->dots[j] += mixed->chunkDots[(size_t)chunk * (lb_mixedCycle + 1) + (size_t)j];
        }
        sums[j] += mixed->dots[j];
    }
    for_chunks(mixed, subtract_chunks);
    return sqrt(sum_partial(mixed->partial, mixed->chunkCount));
}

/* Makes `next` orthogonal to the basis and of length one (classical Gram and Schmidt, all at once, and again for what
 * rounding leaves). Returns its length before; `sums` is what it had of the basis. */
static double orthogonalise(Mixed* mixed, double* sums) {
    memset(sums, 0, (lb_mixedCycle + 1) * sizeof(double));
    double length = subtract_basis(mixed, sums);
    if (mixed->used > 0) {
        length = subtract_basis(mixed, sums);
    }
    mixed->factor = length > 0 ? (float)(1 / length) : 0;
    for_chunks(mixed, scale_next);
    return length;
}

/* The small least-squares problem, by rotations. */
typedef struct Hessenberg {
    double columns[lb_mixedCycle][lb_mixedCycle + 1], cosine[lb_mixedCycle], sine[lb_mixedCycle];
    double right[lb_mixedCycle + 1];
} Hessenberg;

/* Adds column k; returns what is left of the residual. */
static double add_column(Hessenberg* h, int k, const double* dots, double length) {
    double* column = h->columns[k];
    memcpy(column, dots, (size_t)(k + 1) * sizeof(double));
    for (int j = 0; j < k; ++j) {
        double upper = column[j], lower = column[j + 1];
        column[j] = h->cosine[j] * upper + h->sine[j] * lower;
        column[j + 1] = h->cosine[j] * lower - h->sine[j] * upper;
    }
    double size = sqrt(column[k] * column[k] + length * length);
    h->cosine[k] = size > 0 ? column[k] / size : 1;
    h->sine[k] = size > 0 ? length / size : 0;
    column[k] = size;
    h->right[k + 1] = -h->sine[k] * h->right[k];
    h->right[k] *= h->cosine[k];
    return fabs(h->right[k + 1]);
}

static void solve_triangle(const Hessenberg* h, int count, double* weights) {
    for (int i = count - 1; i >= 0; --i) {
        weights[i] = h->right[i];
        for (int k = i + 1; k < count; ++k) {
            weights[i] -= h->columns[k][i] * weights[k];
        }
        weights[i] = h->columns[i][i] != 0 ? weights[i] / h->columns[i][i] : 0;
    }
}

static void add_moves(void* context, int begin, int end) {
    const Mixed* mixed = context;
    size_t first = 4 * (size_t)node_end(mixed, begin), last = 4 * (size_t)node_end(mixed, end);
    for (int j = 0; j < mixed->used; ++j) {
        const float* move = move_vector(mixed, j);
        double weight = mixed->weights[j];
        for (size_t i = first; i < last; ++i) {
            mixed->x[i] += weight * (double)move[i];
        }
    }
}

/* Preconditions direction k and finds the next one. Returns the number of products; 0: it cannot. */
static int find_direction(Mixed* mixed, int k) {
    lbTasks* tasks = mixed->system->tasks;
    mixed->direction = basis_vector(mixed, k);
    mixed->move = move_vector(mixed, k);
    mixed->next = basis_vector(mixed, k + 1);
    for_chunks(mixed, copy_direction);
    if (k == 0) { /* its g is zero */
        memset(mixed->w, 0, (size_t)mixed->count * sizeof(float));
    } else {
        respond(mixed);
        lb_find_answers(mixed->reach, tasks, mixed->w, mixed->t[0]);
        lb_push_answers(mixed->reach, tasks, -1, mixed->t[0], mixed->r);
        mixed->system->project(mixed->system->projectSelf, mixed->r);
    }
    int products = take_inner_steps(mixed);
    lb_find_averages(mixed->reach, tasks, mixed->move, mixed->t[0]);
    for_chunks(mixed, fill_next);
    mixed->used = k + 1;
    return products;
}

int lb_solve_mixed(const lbLinearSystem* system, double goal, int limit, float* r, float* const vectors[4],
                   double* partial, double* x) {
    const lbReach* reach = system->matrix->reach;
    double weights[lb_mixedCycle], sums[lb_mixedCycle + 1], left = 0;
    Hessenberg h;
    Mixed mixed = {.system = system,
                   .reach = reach,
                   .elastic = *system->matrix,
                   .count = system->count,
                   .chunkCount = (system->count + nodeChunk - 1) / nodeChunk,
                   .r = r,
                   .z = vectors[0],
                   .p = vectors[1],
                   .q = vectors[2],
                   .partial = partial,
                   .chunkDots = reach->chunkDots,
                   .weights = weights,
                   .x = x};
    mixed.elastic.reach = NULL;
    float** numbers[] = {&mixed.lengths, &mixed.w, &mixed.t[0], &mixed.t[1]};
    for (int i = 0; i < 4; ++i) {
        *numbers[i] = vectors[3] + (size_t)i * (size_t)system->count;
    }
    mixed.t[2] = reach->numbers;
    scale_lengths(&mixed);
    mixed.next = basis_vector(&mixed, 0);
    memcpy(mixed.next, r, 4 * (size_t)system->count * sizeof(float));
    h.right[0] = left = orthogonalise(&mixed, sums);
    /* In float, averages are not exact to more than this. */
    double stiffness = (double)reach->averages->response.largest;
    double enough = fmax(goal, 0.5 * (double)FLT_EPSILON * (1 + stiffness * stiffness) * left);
    int products = 0, count = 0;
    for (; count < lb_mixedCycle && left > enough && products < limit; ++count) {
        int more = find_direction(&mixed, count);
        if (more == 0) {
            break;
        }
        products += more;
        double length = orthogonalise(&mixed, sums);
        left = add_column(&h, count, sums, length);
    }
    solve_triangle(&h, count, weights);
    mixed.used = count;
    for_chunks(&mixed, add_moves);
    return products;
}
