#include "matrix/mixed_solve.h"

#include "base/simd.h"
#include "matrix/mixed_space.h"

#include <float.h>
#include <string.h>

enum { innerSteps = 3 };

bool lb_is_mixed(const lbLinearSystem* system) {
    const double leastStiffness = 2; /* else masses resist motions far and wide, and averages are no second averages */
    return system->matrix != NULL && lb_reaches(system->matrix->reach) &&
           system->matrix->reach->averages->response.largest > 1 && system->preconditioner.stiffness >= leastStiffness;
}

/* ---- Averages ---------------------------------------------------------------------------------------------------- */

static void scale_lengths(lbMixed* mixed) {
    const lbResponse* response = &mixed->reach->averages->response;
    lb_measure_averages(mixed->reach, mixed->system->tasks, mixed->lengths);
    for (int i = 0; i < mixed->count; ++i) { /* what a unit of g makes of forces */
        mixed->lengths[i] *= fabsf(mixed->reach->scale) * response->sums[i];
    }
}

/* t[0] = -g, w = c_0 t[0] */
static void begin_response(void* context, int begin, int end) {
    const lbMixed* mixed = context;
    const lbResponse* response = &mixed->reach->averages->response;
    for (int i = lb_mixed_node(mixed, begin); i < lb_mixed_node(mixed, end); ++i) {
        float length = mixed->lengths[i];
        mixed->t[0][i] = length > 0 ? -mixed->direction[4 * (size_t)i + 3] / length : 0;
        mixed->w[i] = response->coefficients[0] * mixed->t[0][i];
    }
}

/* T_k+1 = factor Y T_k - T_k-1, Y = 2 X / largest - 1; t[2] has H T_k, and becomes the next, t[0] is the one before. */
static void continue_response(void* context, int begin, int end) {
    const lbMixed* mixed = context;
    const lbResponse* response = &mixed->reach->averages->response;
    float before = mixed->factor == 1 ? 0 : 1;
    const float *softness = response->softness, *last = mixed->t[1], *older = mixed->t[0];
    float *next = mixed->t[2], *w = mixed->w;
    float factor = mixed->factor, scale = 2 * factor / response->largest, alpha = mixed->alpha;
    for (int i = lb_mixed_node(mixed, begin); i < lb_mixed_node(mixed, end); ++i) {
        next[i] = scale * softness[i] * next[i] - factor * last[i] - before * older[i];
        w[i] += alpha * next[i];
    }
}

/* w = q' of the direction's g. */
static void respond(lbMixed* mixed) {
    const lbResponse* response = &mixed->reach->averages->response;
    lb_for_mixed_chunks(mixed, begin_response);
    float* first = mixed->t[0];
    mixed->t[0] = mixed->t[1];
    mixed->t[1] = first;
    for (int k = 1; k < response->count; ++k) {
        mixed->factor = k == 1 ? 1 : 2;
        mixed->alpha = response->coefficients[k];
        lb_find_answers(mixed->reach, mixed->system->tasks, mixed->t[1], mixed->t[2]);
        lb_for_mixed_chunks(mixed, continue_response);
        float* last = mixed->t[0];
        mixed->t[0] = mixed->t[1];
        mixed->t[1] = mixed->t[2];
        mixed->t[2] = last;
    }
}

/* ---- Inner steps ------------------------------------------------------------------------------------------------- */

static void restrict_pieces(void* context, int begin, int end) {
    const lbMixed* mixed = context;
    for (int i = begin; i < end; ++i) {
        lb_restrict_piece(&mixed->system->preconditioner, i, mixed->r);
    }
}

static void precondition_pieces(void* context, int begin, int end) {
    const lbMixed* mixed = context;
    for (int i = begin; i < end; ++i) {
        mixed->partial[i] = lb_precondition_piece(&mixed->system->preconditioner, i, mixed->r, mixed->z);
    }
}

/* z = r preconditioned; returns r.z. */
static double precondition(lbMixed* mixed) {
    const lbLinearSystem* system = mixed->system;
    int pieces = lb_piece_count(&system->preconditioner);
    lb_parallel_for(system->tasks, pieces, 1, restrict_pieces, mixed);
    lb_solve_grids(&system->preconditioner, system->tasks);
    lb_parallel_for(system->tasks, pieces, 1, precondition_pieces, mixed);
    system->project(system->projectSelf, mixed->z);
    return lb_sum_partial(mixed->partial, pieces);
}

/* p = z + beta p, beta = 0 at first */
static void turn(void* context, int begin, int end) {
    const lbMixed* mixed = context;
    size_t first = 4 * (size_t)lb_mixed_node(mixed, begin), last = 4 * (size_t)lb_mixed_node(mixed, end);
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
    const lbMixed* mixed = context;
    for (size_t i = 4 * (size_t)lb_mixed_node(mixed, begin); i < 4 * (size_t)lb_mixed_node(mixed, end); i += 4) {
        store4(mixed->move + i, mixed->alpha * load4(mixed->p + i));
        store4(mixed->r + i, load4(mixed->r + i) - mixed->alpha * load4(mixed->q + i));
    }
}

/* move += alpha p, r -= alpha q */
static void advance(void* context, int begin, int end) {
    const lbMixed* mixed = context;
    for (size_t i = 4 * (size_t)lb_mixed_node(mixed, begin); i < 4 * (size_t)lb_mixed_node(mixed, end); i += 4) {
        store4(mixed->move + i, load4(mixed->move + i) + mixed->alpha * load4(mixed->p + i));
        store4(mixed->r + i, load4(mixed->r + i) - mixed->alpha * load4(mixed->q + i));
    }
}

/* move = about K^-1 r, and r = what that leaves of it. Returns the number of products; 0: K is not definite. */
static int take_inner_steps(lbMixed* mixed) {
    const lbLinearSystem* system = mixed->system;
    double before = 0;
    for (int step = 0; step < innerSteps; ++step) {
        double rz = precondition(mixed);
        if (!(rz > 0) && step > 0) { /* exact */
            return step;
        }
        mixed->beta = step > 0 ? (float)(rz / before) : 0;
        lb_for_mixed_chunks(mixed, turn);
        double curvature = lb_multiply(&mixed->elastic, system->tasks, mixed->p, mixed->q, mixed->partial);
        system->project(system->projectSelf, mixed->q);
        if (!(curvature > 0) || !(rz > 0)) {
            return 0;
        }
        mixed->alpha = (float)(rz / curvature);
        lb_for_mixed_chunks(mixed, step == 0 ? begin_move : advance);
        before = rz;
    }
    return innerSteps;
}

/* ---- Moves and their images -------------------------------------------------------------------------------------- */

/* r = what the direction leaves for u', once q' is there: next has B^T S q'. */
static void begin_inner(void* context, int begin, int end) {
    const lbMixed* mixed = context;
    for (size_t i = 4 * (size_t)lb_mixed_node(mixed, begin); i < 4 * (size_t)lb_mixed_node(mixed, end); i += 4) {
        lbFloat4 r = load4(mixed->direction + i) - load4(mixed->next + i);
        r[3] = 0;
        store4(mixed->r + i, r);
    }
}

/* next = [K u' + B^T S q', scaled B u' - q']; the first is what inner steps have taken from the direction. */
static void fill_next(void* context, int begin, int end) {
    const lbMixed* mixed = context;
    const float *direction = mixed->direction, *r = mixed->r, *averages = mixed->t[0], *w = mixed->w;
    const float* lengths = mixed->lengths;
    float* out = mixed->next;
    for (size_t i = (size_t)lb_mixed_node(mixed, begin); i < (size_t)lb_mixed_node(mixed, end); ++i) {
        lbFloat4 next = load4(direction + 4 * i) - load4(r + 4 * i);
        next[3] = lengths[i] * (averages[i] - w[i]);
        store4(out + 4 * i, next);
    }
}

/* Finds a move and its image. Returns the number of products; 0: it cannot. */
static int find_move(lbMixed* mixed, bool averagesLeft) {
    const lbLinearSystem* system = mixed->system;
    lbTasks* tasks = system->tasks;
    mixed->move = lb_move_vector(mixed, mixed->used);
    mixed->next = lb_image_vector(mixed, mixed->used);
    memset(mixed->next, 0, 4 * (size_t)mixed->count * sizeof(float));
    memset(mixed->w, 0, (size_t)mixed->count * sizeof(float));
    if (averagesLeft) {
        respond(mixed);
        lb_find_answers(mixed->reach, tasks, mixed->w, mixed->t[0]);
        lb_push_answers(mixed->reach, tasks, 1, mixed->t[0], mixed->next);
        system->project(system->projectSelf, mixed->next);
    }
    lb_for_mixed_chunks(mixed, begin_inner);
    int products = take_inner_steps(mixed);
    if (products == 0) {
        return 0;
    }
    if (mixed->precise) {
        lb_find_excess(mixed->reach, tasks, mixed->move, mixed->w, mixed->t[0]);
        memset(mixed->w, 0, (size_t)mixed->count * sizeof(float));
    } else {
        lb_find_averages(mixed->reach, tasks, mixed->move, mixed->t[0]);
    }
    lb_for_mixed_chunks(mixed, fill_next);
    return products;
}

/* ---- Solving ----------------------------------------------------------------------------------------------------- */

/* Moves until what is left is below `goal` as far as float32 can tell. Returns the number of products. */
static int take_round(lbMixed* mixed, double goal, int limit) {
    bool averagesLeft = mixed->used > 0; /* averages are exact at first */
    double whole = sqrt(lb_dot_numbers(mixed->r, mixed->r, 0, 4 * (size_t)mixed->count)), left = lb_begin_round(mixed);
    /* In float, averages of moves that keep volumes are not exact to more than this share of what is left; images of
     * those that are to a quarter of it. */
    double stiffness = (double)mixed->reach->averages->response.largest;
    double rounding = (double)FLT_EPSILON * (1 + stiffness * stiffness), enough = fmax(goal, 0.2 * rounding * whole);
    const double slow = 0.8, small = 1e-3;
    int products = 0;
    while (mixed->used < lb_mixedCycle && left > enough && products < limit) {
        mixed->precise = goal < 2 * rounding * left;
        int more = find_move(mixed, averagesLeft);
        averagesLeft = true;
        products += more;
        double before = left, next = more > 0 ? lb_take_image(mixed, left) : -1;
        if (next < 0) {
            break;
        }
        left = next;
        if (left > slow * before && left < small * whole) { /* it is rounding that is left */
            break;
        }
    }
    lb_end_round(mixed);
    return products;
}

static double true_residual(lbMixed* mixed, const float* b) {
    const lbLinearSystem* system = mixed->system;
    lb_subtract_product(system->matrix, system->tasks, mixed->x, b, mixed->r);
    system->project(system->projectSelf, mixed->r);
    return sqrt(lb_dot_numbers(mixed->r, mixed->r, 0, 4 * (size_t)mixed->count));
}

int lb_solve_mixed(const lbLinearSystem* system, const float* b, double goal, int limit, float* r,
                   float* const vectors[4], double* partial, double* x) {
    const double margin = 0.9, least = 0.5; /* of what is left before: what a round that pays leaves at most */
    const lbReach* reach = system->matrix->reach;
    lbMixed mixed = {.system = system,
                     .reach = reach,
                     .elastic = *system->matrix,
                     .count = system->count,
                     .chunkCount = (system->count + lb_mixedChunk - 1) / lb_mixedChunk,
                     .r = r,
                     .z = vectors[0],
                     .p = vectors[1],
                     .q = vectors[2],
                     .partial = partial,
                     .chunkDots = reach->chunkDots,
                     .x = x};
    mixed.elastic.reach = NULL;
    mixed.rest = lb_image_vector(&mixed, 2 * lb_mixedCycle);
    mixed.direction = lb_image_vector(&mixed, 2 * lb_mixedCycle + 1);
    float** numbers[] = {&mixed.lengths, &mixed.w, &mixed.t[0], &mixed.t[1]};
    for (int i = 0; i < 4; ++i) {
        *numbers[i] = vectors[3] + (size_t)i * (size_t)system->count;
    }
    mixed.t[2] = reach->numbers;
    scale_lengths(&mixed);
    int products = 0;
    double before = INFINITY, left = sqrt(lb_dot_numbers(r, r, 0, 4 * (size_t)system->count));
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
