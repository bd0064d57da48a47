/* For mixed_solve.c: the moves that were found, their images, and what is left of the right side without them.
 *
 * Images are made orthonormal as they come, so that what is left is as short as moves can make it: the method of
 * generalised conjugate residuals (S. C. Eisenstat, H. C. Elman and M. H. Schultz, 1983), which may begin anew at a
 * residual that was computed afresh and keep all its moves. Each next direction is the one that flexible GMRES would
 * take. */
#ifndef LIMBER_SRC_MIXED_SPACE_H
#define LIMBER_SRC_MIXED_SPACE_H

#include "base/math.h"
#include "matrix/conjugate_gradients.h"
#include "matrix/reach.h"

enum { lb_mixedChunk = matrixChunk };

/* What a search works on. The fourth number of nodes of `rest`, of images and of `next` is g, scaled. */
typedef struct lbMixed {
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
} lbMixed;

static inline float* lb_image_vector(const lbMixed* mixed, int index) {
    return mixed->reach->basis + 4 * (size_t)mixed->count * (size_t)index;
}

static inline float* lb_move_vector(const lbMixed* mixed, int index) {
    return lb_image_vector(mixed, lb_mixedCycle + index);
}

static inline void lb_for_mixed_chunks(lbMixed* mixed, lbTaskFn* chunks) {
    lb_parallel_for(mixed->system->tasks, mixed->chunkCount, 1, chunks, mixed);
}

/* The first node of a chunk, and so the end of the one before. */
static inline int lb_mixed_node(const lbMixed* mixed, int chunk) {
    return int_min(chunk * lb_mixedChunk, mixed->count);
}

static inline double lb_sum_partial(const double* partial, int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += partial[i];
    }
    return sum;
}

/* Over numbers first <= i < last of two node vectors. */
double lb_dot_numbers(const float* a, const float* b, size_t first, size_t last);

/* Begins at a residual, r, without what moves that are there can do about it. Returns what is left. */
double lb_begin_round(lbMixed* mixed);

/* Takes the image that was found to the others; returns what is left, or -1: it is made of the others. `left`: what was
 * left before. */
double lb_take_image(lbMixed* mixed, double left);

/* Adds to x the moves whose images were taken from the right side. */
void lb_end_round(lbMixed* mixed);

#endif
