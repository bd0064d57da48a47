#include "matrix/mixed_space.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

static inline double sum_four(lbFloat4 a) {
    return ((double)a[0] + (double)a[1]) + ((double)a[2] + (double)a[3]);
}

static inline double sum_eight(lbFloat8 a) {
    return (((double)a[0] + (double)a[1]) + ((double)a[2] + (double)a[3])) +
           (((double)a[4] + (double)a[5]) + ((double)a[6] + (double)a[7]));
}

/* ---- What is left ------------------------------------------------------------------------------------------------ */

double lb_dot_numbers(const float* a, const float* b, size_t first, size_t last) {
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
    const lbMixed* mixed = context;
    for (int chunk = begin; chunk < end; ++chunk) {
        double* dots = mixed->chunkDots + (size_t)chunk * (lb_mixedCycle + 1);
        size_t first = 4 * (size_t)lb_mixed_node(mixed, chunk), last = 4 * (size_t)lb_mixed_node(mixed, chunk + 1);
        for (int j = 0; j < mixed->used; ++j) {
            dots[j] = lb_dot_numbers(lb_image_vector(mixed, j), mixed->next, first, last);
        }
        dots[mixed->used] = lb_dot_numbers(mixed->next, mixed->next, first, last);
    }
}

/* next -= what it has of the images; leaves its square, and its product with what is left. */
static void subtract_chunks(void* context, int begin, int end) {
    const lbMixed* mixed = context;
    for (int chunk = begin; chunk < end; ++chunk) {
        double* dots = mixed->chunkDots + (size_t)chunk * (lb_mixedCycle + 1);
        size_t first = 4 * (size_t)lb_mixed_node(mixed, chunk), last = 4 * (size_t)lb_mixed_node(mixed, chunk + 1);
        int j = 0;
        for (; j + 2 <= mixed->used; j += 2) {
            subtract_two(mixed->next, mixed->dots + j, lb_image_vector(mixed, j), lb_image_vector(mixed, j + 1), first,
                         last);
        }
        if (j < mixed->used) {
            subtract_nodes(mixed->next, (float)mixed->dots[j], lb_image_vector(mixed, j), first, last);
        }
        dots[0] = lb_dot_numbers(mixed->next, mixed->next, first, last);
        dots[1] = lb_dot_numbers(mixed->next, mixed->rest, first, last);
    }
}

static double sum_chunk_dots(const lbMixed* mixed, int index) {
    double sum = 0;
    for (int chunk = 0; chunk < mixed->chunkCount; ++chunk) {
        sum += mixed->chunkDots[(size_t)chunk * (lb_mixedCycle + 1) + (size_t)index];
    }
    return sum;
}

/* Subtracts from `next` what it has of the images, which is added to `sums`; returns the square of what it was. */
static double subtract_images(lbMixed* mixed, double* sums) {
    lb_for_mixed_chunks(mixed, dot_chunks);
    for (int j = 0; j < mixed->used; ++j) {
        mixed->dots[j] = sum_chunk_dots(mixed, j);
        sums[j] += mixed->dots[j];
    }
    double before = sum_chunk_dots(mixed, mixed->used);
    lb_for_mixed_chunks(mixed, subtract_chunks);
    mixed->square = sum_chunk_dots(mixed, 0);
    mixed->along = sum_chunk_dots(mixed, 1);
    return before;
}

/* next is made of length one, and what is left loses what it has of it. The next direction is the image without what it
 * has of that which was left before, as GMRES has it: what is left itself would lead nowhere where a move hardly
 * changes it, and the first move of a round, which knows nothing of averages, mostly is such a one. */
static void take_share(void* context, int begin, int end) {
    const lbMixed* mixed = context;
    for (int chunk = begin; chunk < end; ++chunk) {
        size_t first = 4 * (size_t)lb_mixed_node(mixed, chunk), last = 4 * (size_t)lb_mixed_node(mixed, chunk + 1);
        for (size_t i = first; i < last; i += 4) {
            lbFloat4 image = mixed->factor * load4(mixed->next + i);
            lbFloat4 rest = load4(mixed->rest + i) - mixed->alpha * image;
            store4(mixed->next + i, image);
            store4(mixed->rest + i, rest);
            store4(mixed->direction + i, image - mixed->beta * rest);
        }
        mixed->partial[chunk] = lb_dot_numbers(mixed->rest, mixed->rest, first, last);
    }
}

/* Gram and Schmidt, once more where rounding might matter: images of good moves are nearly what is left, and so nearly
 * orthogonal to the others already. */
double lb_take_image(lbMixed* mixed, double left) {
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
    lb_for_mixed_chunks(mixed, take_share);
    return sqrt(lb_sum_partial(mixed->partial, mixed->chunkCount));
}

/* rest = r; leaves what it has of the images. */
static void begin_rest(void* context, int begin, int end) {
    const lbMixed* mixed = context;
    for (int chunk = begin; chunk < end; ++chunk) {
        double* dots = mixed->chunkDots + (size_t)chunk * (lb_mixedCycle + 1);
        size_t first = 4 * (size_t)lb_mixed_node(mixed, chunk), last = 4 * (size_t)lb_mixed_node(mixed, chunk + 1);
        memcpy(mixed->rest + first, mixed->r + first, (last - first) * sizeof(float));
        for (int j = 0; j < mixed->used; ++j) {
            dots[j] = lb_dot_numbers(lb_image_vector(mixed, j), mixed->rest, first, last);
        }
    }
}

static void subtract_shares(void* context, int begin, int end) {
    const lbMixed* mixed = context;
    for (int chunk = begin; chunk < end; ++chunk) {
        size_t first = 4 * (size_t)lb_mixed_node(mixed, chunk), last = 4 * (size_t)lb_mixed_node(mixed, chunk + 1);
        for (int j = 0; j < mixed->used; ++j) {
            subtract_nodes(mixed->rest, (float)mixed->shares[j], lb_image_vector(mixed, j), first, last);
        }
        memcpy(mixed->direction + first, mixed->rest + first, (last - first) * sizeof(float));
        mixed->partial[chunk] = lb_dot_numbers(mixed->rest, mixed->rest, first, last);
    }
}

double lb_begin_round(lbMixed* mixed) {
    lb_for_mixed_chunks(mixed, begin_rest);
    for (int j = 0; j < mixed->used; ++j) {
        mixed->shares[j] = sum_chunk_dots(mixed, j);
    }
    lb_for_mixed_chunks(mixed, subtract_shares);
    return sqrt(lb_sum_partial(mixed->partial, mixed->chunkCount));
}

static void add_moves(void* context, int begin, int end) {
    const lbMixed* mixed = context;
    size_t first = 4 * (size_t)lb_mixed_node(mixed, begin), last = 4 * (size_t)lb_mixed_node(mixed, end);
    for (int j = 0; j < mixed->used; ++j) {
        const float* move = lb_move_vector(mixed, j);
        double weight = mixed->weights[j];
        for (size_t i = first; i < last; ++i) {
            mixed->x[i] += weight * (double)move[i];
        }
    }
}

void lb_end_round(lbMixed* mixed) {
    double weights[lb_mixedCycle];
    for (int i = mixed->used - 1; i >= 0; --i) {
        weights[i] = mixed->shares[i];
        for (int k = i + 1; k < mixed->used; ++k) {
            weights[i] -= mixed->triangle[k][i] * weights[k];
        }
        weights[i] /= mixed->triangle[i][i];
    }
    mixed->weights = weights;
    lb_for_mixed_chunks(mixed, add_moves);
}
