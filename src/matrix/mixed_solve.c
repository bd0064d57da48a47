#include "matrix/mixed_solve.h"

#include "base/math.h"
#include "base/simd.h"
#include "matrix/reach.h"

#include <float.h>
#include <string.h>

enum { innerSteps = 3, nodeChunk = matrixChunk };

/* What a search works on. The fourth number of nodes of `rest`, of images and of `next` is g, scaled. */
typedef struct Mixed {
    const lbLinearSystem* system;
    const lbReach* reach;
    lbBlockMatrix elastic; /* K */
    int count, chunkCount;
    float *r, *z, *p, *q;      /* node vectors of the inner steps */
    float *lengths, *w, *t[3]; /* numbers of nodes: scales of g, q', polynomials */
    float* rest;               /* what is left of the right side */
    float* direction;          /* that the next move is to answer to */
    float* move;               /* u' */
    float* next;               /* its image: what the system makes of u' and q' */
    double* partial;           /* (chunkCount) or more */
    double dots[lb_mixedCycle], square, along;
    double* chunkDots; /* (chunkCount x (lb_mixedCycle + 1)) */
    bool precise;      /* averages of moves are found in double */
    int used;          /* moves and their images, which are orthonormal */
    float alpha, beta, factor;
    const double* weights; /* (used) of the solution */
    double* x;
    /* Images as the system gives them are those that are kept times this triangle: columns. */
    double triangle[lb_mixedCycle][lb_mixedCycle];
    double shares[lb_mixedCycle]; /* what images had of `rest` */
} Mixed;

bool lb_is_mixed(const lbLinearSystem* system) {
    const double leastStiffness = 2; /* else masses resist motions far and wide, and averages are no second averages */
    return system->matrix != NULL && lb_reaches(system->matrix->reach) &&
           system->matrix->reach->averages->response.largest > 1 && system->preconditioner.stiffness >= leastStiffness;
}

static float* image_vector(const Mixed* mixed, int index) {
    return mixed->reach->basis + 4 * (size_t)mixed->count * (size_t)index;
}

static float* move_vector(const Mixed* mixed, int index) {
    return image_vector(mixed, lb_mixedCycle + index);
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

static inline double sum_eight(lbFloat8 a) {
    return (((double)a[0] + (double)a[1]) + ((double)a[2] + (double)a[3])) +
           (((double)a[4] + (double)a[5]) + ((double)a[6] + (double)a[7]));
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

/* p = z + beta p, beta = 0 at first */
static void turn(void* context, int begin, int end) {
    const Mixed* mixed = context;
    size_t first = 4 * (size_t)node_end(mixed, begin), last = 4 * (size_t)node_end(mixed, end);
    if (mixed->beta == 0) {
        memcpy(mixed->p + first, mixed->z + first, (last - first) * sizeof(float));
        return;
    }
    for (size_t i = first; i < last; i += 4) {
        store4(mixed->p + i, load4(mixed->z + i) + mixed->beta * load4(mixed->p + i));
    }
}

/* move = alpha p, r -= alpha q */
static void begin_move(void* context, int begin, int end) {
    const Mixed* mixed = context;
    for (size_t i = 4 * (size_t)node_end(mixed, begin); i < 4 * (size_t)node_end(mixed, end); i += 4) {
        store4(mixed->move + i, mixed->alpha * load4(mixed->p + i));
        store4(mixed->r + i, load4(mixed->r + i) - mixed->alpha * load4(mixed->q + i));
    }
}

/* move += alpha p, r -= alpha q */
static void advance(void* context, int begin, int end) {
    const Mixed* mixed = context;
    for (size_t i = 4 * (size_t)node_end(mixed, begin); i < 4 * (size_t)node_end(mixed, end); i += 4) {
        store4(mixed->move + i, load4(mixed->move + i) + mixed->alpha * load4(mixed->p + i));
        store4(mixed->r + i, load4(mixed->r + i) - mixed->alpha * load4(mixed->q + i));
    }
}

/* The last step's p is not used again, and its r neither. */
static void end_move(void* context, int begin, int end) {
    const Mixed* mixed = context;
    for (size_t i = 4 * (size_t)node_end(mixed, begin); i < 4 * (size_t)node_end(mixed, end); i += 4) {
        lbFloat4 p = load4(mixed->z + i) + mixed->beta * load4(mixed->p + i);
        store4(mixed->move + i, load4(mixed->move + i) + mixed->alpha * p);
    }
}

/* move = about K^-1 r; r is lost. Of the last step, K p is never formed: how far it goes is taken from the step before,
 * a little less, since steps shrink rather than grow. Returns the number of products; 0: K is not definite. */
static int take_inner_steps(Mixed* mixed) {
    const lbLinearSystem* system = mixed->system;
    const float lastLength = 0.8f;
    double before = 0;
    mixed->beta = 0;
    for (int step = 0;; ++step) {
        double rz = precondition(mixed);
        if (!(rz > 0) && step > 0) { /* exact */
            return step;
        }
        mixed->beta = step > 0 ? (float)(rz / before) : 0;
        if (step == innerSteps - 1) {
            mixed->alpha *= lastLength;
            for_chunks(mixed, end_move);
            return step;
        }
        for_chunks(mixed, turn);
        double curvature = lb_multiply(&mixed->elastic, system->tasks, mixed->p, mixed->q, mixed->partial);
        system->project(system->projectSelf, mixed->q);
        if (!(curvature > 0) || !(rz > 0)) {
            return 0;
        }
        mixed->alpha = (float)(rz / curvature);
        for_chunks(mixed, step == 0 ? begin_move : advance);
        before = rz;
    }
}

/* ---- Moves and their images -------------------------------------------------------------------------------------- */

/* r = what the direction leaves for u', once q' is there: next has B^T S q'. */
static void begin_inner(void* context, int begin, int end) {
    const Mixed* mixed = context;
    for (size_t i = 4 * (size_t)node_end(mixed, begin); i < 4 * (size_t)node_end(mixed, end); i += 4) {
        lbFloat4 r = load4(mixed->direction + i) - load4(mixed->next + i);
        r[3] = 0;
        store4(mixed->r + i, r);
    }
}

/* next = [K u' + B^T S q', scaled B u' - q'] */
static void fill_next(void* context, int begin, int end) {
    const Mixed* mixed = context;
    for (size_t i = (size_t)node_end(mixed, begin); i < (size_t)node_end(mixed, end); ++i) {
        lbFloat4 next = load4(mixed->next + 4 * i) + load4(mixed->q + 4 * i);
        next[3] = mixed->lengths[i] * (mixed->t[0][i] - mixed->w[i]);
        store4(mixed->next + 4 * i, next);
    }
}

/* Finds a move and its image. Returns the number of products; 0: it cannot. */
static int find_move(Mixed* mixed, bool averagesLeft) {
    const lbLinearSystem* system = mixed->system;
    lbTasks* tasks = system->tasks;
    mixed->move = move_vector(mixed, mixed->used);
    mixed->next = image_vector(mixed, mixed->used);
    memset(mixed->next, 0, 4 * (size_t)mixed->count * sizeof(float));
    memset(mixed->w, 0, (size_t)mixed->count * sizeof(float));
    if (averagesLeft) {
        respond(mixed);
        lb_find_answers(mixed->reach, tasks, mixed->w, mixed->t[0]);
        lb_push_answers(mixed->reach, tasks, 1, mixed->t[0], mixed->next);
        system->project(system->projectSelf, mixed->next);
    }
    for_chunks(mixed, begin_inner);
    int products = take_inner_steps(mixed);
    if (products == 0) {
        return 0;
    }
    lb_multiply(&mixed->elastic, tasks, mixed->move, mixed->q, mixed->partial);
    system->project(system->projectSelf, mixed->q);
    if (mixed->precise) {
        lb_find_excess(mixed->reach, tasks, mixed->move, mixed->w, mixed->t[0]);
        memset(mixed->w, 0, (size_t)mixed->count * sizeof(float));
    } else {
        lb_find_averages(mixed->reach, tasks, mixed->move, mixed->t[0]);
    }
    for_chunks(mixed, fill_next);
    return products + 1;
}

/* ---- What is left ------------------------------------------------------------------------------------------------ */

static double dot_nodes(const float* a, const float* b, size_t first, size_t last) {
    lbFloat8 sums[4] = {{0}, {0}, {0}, {0}};
    lbFloat4 end = {0};
    size_t i = first;
    for (; i + 32 <= last; i += 32) {
        for (size_t k = 0; k < 4; ++k) {
            sums[k] += load8(a + i + 8 * k) * load8(b + i + 8 * k);
        }
    }
    for (; i < last; i += 4) {
        end += load4(a + i) * load4(b + i);
    }
    return (sum_eight(sums[0]) + sum_eight(sums[1])) + (sum_eight(sums[2]) + sum_eight(sums[3])) + sum_four(end);
}

/* a -= factor b */
static void subtract_nodes(float* a, float factor, const float* b, size_t first, size_t last) {
    size_t i = first;
    for (; i + 8 <= last; i += 8) {
        store8(a + i, load8(a + i) - factor * load8(b + i));
    }
    for (; i < last; i += 4) {
        store4(a + i, load4(a + i) - factor * load4(b + i));
    }
}

/* a -= factors[0] b[0] + factors[1] b[1], so that a is read and written half as often */
static void subtract_two(float* a, const double* factors, const float* b0, const float* b1, size_t first, size_t last) {
    float f0 = (float)factors[0], f1 = (float)factors[1];
    size_t i = first;
    for (; i + 8 <= last; i += 8) {
        store8(a + i, load8(a + i) - f0 * load8(b0 + i) - f1 * load8(b1 + i));
    }
    for (; i < last; i += 4) {
        store4(a + i, load4(a + i) - f0 * load4(b0 + i) - f1 * load4(b1 + i));
    }
}

/* What `next` has of the images. */
static void dot_chunks(void* context, int begin, int end) {
    const Mixed* mixed = context;
    for (int chunk = begin; chunk < end; ++chunk) {
        double* dots = mixed->chunkDots + (size_t)chunk * (lb_mixedCycle + 1);
        size_t first = 4 * (size_t)node_end(mixed, chunk), last = 4 * (size_t)node_end(mixed, chunk + 1);
        for (int j = 0; j < mixed->used; ++j) {
            dots[j] = dot_nodes(image_vector(mixed, j), mixed->next, first, last);
        }
        dots[mixed->used] = dot_nodes(mixed->next, mixed->next, first, last);
    }
}

/* next -= what it has of the images; leaves its square, and its product with what is left. */
static void subtract_chunks(void* context, int begin, int end) {
    const Mixed* mixed = context;
    for (int chunk = begin; chunk < end; ++chunk) {
        double* dots = mixed->chunkDots + (size_t)chunk * (lb_mixedCycle + 1);
        size_t first = 4 * (size_t)node_end(mixed, chunk), last = 4 * (size_t)node_end(mixed, chunk + 1);
        int j = 0;
        for (; j + 2 <= mixed->used; j += 2) {
            subtract_two(mixed->next, mixed->dots + j, image_vector(mixed, j), image_vector(mixed, j + 1), first, last);
        }
        if (j < mixed->used) {
            subtract_nodes(mixed->next, (float)mixed->dots[j], image_vector(mixed, j), first, last);
        }
        dots[0] = dot_nodes(mixed->next, mixed->next, first, last);
        dots[1] = dot_nodes(mixed->next, mixed->rest, first, last);
    }
}

static double sum_chunk_dots(const Mixed* mixed, int index) {
    double sum = 0;
    for (int chunk = 0; chunk < mixed->chunkCount; ++chunk) {
        sum += mixed->chunkDots[(size_t)chunk * (lb_mixedCycle + 1) + (size_t)index];
    }
    return sum;
}

/* Subtracts from `next` what it has of the images, which is added to `sums`; returns the square of what it was. */
static double subtract_images(Mixed* mixed, double* sums) {
    for_chunks(mixed, dot_chunks);
    for (int j = 0; j < mixed->used; ++j) {
        mixed->dots[j] = sum_chunk_dots(mixed, j);
        sums[j] += mixed->dots[j];
    }
    double before = sum_chunk_dots(mixed, mixed->used);
    for_chunks(mixed, subtract_chunks);
    mixed->square = sum_chunk_dots(mixed, 0);
    mixed->along = sum_chunk_dots(mixed, 1);
    return before;
}

/* next is made of length one, and what is left loses what it has of it. The next direction is the image without what it
 * has of that which was left before, as GMRES has it: what is left itself would lead nowhere where a move hardly
 * changes it, and the first move of a round, which knows nothing of averages, mostly is such a one. */
static void take_share(void* context, int begin, int end) {
    const Mixed* mixed = context;
    for (int chunk = begin; chunk < end; ++chunk) {
        size_t first = 4 * (size_t)node_end(mixed, chunk), last = 4 * (size_t)node_end(mixed, chunk + 1);
        for (size_t i = first; i < last; i += 4) {
            lbFloat4 image = mixed->factor * load4(mixed->next + i);
            lbFloat4 rest = load4(mixed->rest + i) - mixed->alpha * image;
            store4(mixed->next + i, image);
            store4(mixed->rest + i, rest);
            store4(mixed->direction + i, image - mixed->beta * rest);
        }
        mixed->partial[chunk] = dot_nodes(mixed->rest, mixed->rest, first, last);
    }
}

/* Takes the image that was found to the others (Gram and Schmidt, once more where rounding might matter: images of good
 * moves are nearly what is left, and so nearly orthogonal to the others already). Returns what is left, or -1: it is
 * made of the others. */
static double take_image(Mixed* mixed, double left) {
    const double much = 1e-2, least = 1e-10; /* of the square */
    double* column = mixed->triangle[mixed->used];
    memset(column, 0, lb_mixedCycle * sizeof(double));
    double before = subtract_images(mixed, column);
    if (mixed->square < much * before) {
        subtract_images(mixed, column);
    }
    if (!(mixed->square > least * before)) {
        return -1;
    }
    double length = sqrt(mixed->square), share = mixed->along / length, after = left * left - share * share;
    column[mixed->used] = length;
    mixed->shares[mixed->used++] = share;
    mixed->factor = (float)(1 / length);
    mixed->alpha = (float)share;
    mixed->beta = after > least * left * left ? (float)(share / after) : 0;
    for_chunks(mixed, take_share);
    return sqrt(sum_partial(mixed->partial, mixed->chunkCount));
}

/* rest = r; leaves what it has of the images. */
static void begin_rest(void* context, int begin, int end) {
    const Mixed* mixed = context;
    for (int chunk = begin; chunk < end; ++chunk) {
        double* dots = mixed->chunkDots + (size_t)chunk * (lb_mixedCycle + 1);
        size_t first = 4 * (size_t)node_end(mixed, chunk), last = 4 * (size_t)node_end(mixed, chunk + 1);
        memcpy(mixed->rest + first, mixed->r + first, (last - first) * sizeof(float));
        for (int j = 0; j < mixed->used; ++j) {
            dots[j] = dot_nodes(image_vector(mixed, j), mixed->rest, first, last);
        }
    }
}

static void subtract_shares(void* context, int begin, int end) {
    const Mixed* mixed = context;
    for (int chunk = begin; chunk < end; ++chunk) {
        size_t first = 4 * (size_t)node_end(mixed, chunk), last = 4 * (size_t)node_end(mixed, chunk + 1);
        for (int j = 0; j < mixed->used; ++j) {
            subtract_nodes(mixed->rest, (float)mixed->shares[j], image_vector(mixed, j), first, last);
        }
        memcpy(mixed->direction + first, mixed->rest + first, (last - first) * sizeof(float));
        mixed->partial[chunk] = dot_nodes(mixed->rest, mixed->rest, first, last);
    }
}

/* Begins at the true residual, r, without what moves that are there can do about it. Returns what is left. */
static double begin_round(Mixed* mixed) {
    for_chunks(mixed, begin_rest);
    for (int j = 0; j < mixed->used; ++j) {
        mixed->shares[j] = sum_chunk_dots(mixed, j);
    }
    for_chunks(mixed, subtract_shares);
    return sqrt(sum_partial(mixed->partial, mixed->chunkCount));
}

/* ---- Solving ----------------------------------------------------------------------------------------------------- */

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

/* Adds to x the moves whose images were taken from the right side. */
static void end_round(Mixed* mixed) {
    double weights[lb_mixedCycle];
    for (int i = mixed->used - 1; i >= 0; --i) {
        weights[i] = mixed->shares[i];
        for (int k = i + 1; k < mixed->used; ++k) {
            weights[i] -= mixed->triangle[k][i] * weights[k];
        }
        weights[i] /= mixed->triangle[i][i];
    }
    mixed->weights = weights;
    for_chunks(mixed, add_moves);
}

/* Moves until what is left is below `goal` as far as float32 can tell. Returns the number of products. */
static int take_round(Mixed* mixed, double goal, int limit) {
    bool averagesLeft = mixed->used > 0; /* averages are exact at first */
    double whole = sqrt(dot_nodes(mixed->r, mixed->r, 0, 4 * (size_t)mixed->count)), left = begin_round(mixed);
    /* In float, averages of moves that keep volumes are not exact to more than this; images of those that are to a
     * quarter of it. */
    double stiffness = (double)mixed->reach->averages->response.largest;
    double rounding = (double)FLT_EPSILON * (1 + stiffness * stiffness) * whole, enough = fmax(goal, 0.2 * rounding);
    mixed->precise = goal < 2 * rounding;
    const double slow = 0.8, small = 1e-3;
    int products = 0;
    while (mixed->used < lb_mixedCycle && left > enough && products < limit) {
        int more = find_move(mixed, averagesLeft);
        averagesLeft = true;
        products += more;
        double before = left, next = more > 0 ? take_image(mixed, left) : -1;
        if (next < 0) {
            break;
        }
        left = next;
        if (left > slow * before && left < small * whole) { /* it is rounding that is left */
            break;
        }
    }
    end_round(mixed);
    return products;
}

static double true_residual(Mixed* mixed, const float* b) {
    const lbLinearSystem* system = mixed->system;
    lb_subtract_product(system->matrix, system->tasks, mixed->x, b, mixed->r);
    system->project(system->projectSelf, mixed->r);
    return sqrt(dot_nodes(mixed->r, mixed->r, 0, 4 * (size_t)mixed->count));
}

int lb_solve_mixed(const lbLinearSystem* system, const float* b, double goal, int limit, float* r,
                   float* const vectors[4], double* partial, double* x) {
    const double margin = 0.9, least = 0.5; /* of what is left before: what a round that pays leaves at most */
    const lbReach* reach = system->matrix->reach;
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
                   .x = x};
    mixed.elastic.reach = NULL;
    mixed.rest = image_vector(&mixed, 2 * lb_mixedCycle);
    mixed.direction = image_vector(&mixed, 2 * lb_mixedCycle + 1);
    float** numbers[] = {&mixed.lengths, &mixed.w, &mixed.t[0], &mixed.t[1]};
    for (int i = 0; i < 4; ++i) {
        *numbers[i] = vectors[3] + (size_t)i * (size_t)system->count;
    }
    mixed.t[2] = reach->numbers;
    scale_lengths(&mixed);
    int products = 0;
    double before = INFINITY, left = sqrt(dot_nodes(r, r, 0, 4 * (size_t)system->count));
    while (left > goal && left <= least * before && products < limit) {
        before = left;
        int more = take_round(&mixed, margin * goal, limit - products);
        products += more;
        left = true_residual(&mixed, b);
        if (more == 0) {
            break;
        }
        mixed.used = mixed.used == lb_mixedCycle ? 0 : mixed.used;
    }
    return products;
}
