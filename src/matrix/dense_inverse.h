/* Inverses of small symmetric positive definite matrices, written out: where one matrix serves many products, and what
 * is wanted are single entries of its inverse, no factor is as fast. */
#ifndef LIMBER_SRC_DENSE_INVERSE_H
#define LIMBER_SRC_DENSE_INVERSE_H

#include "base/memory.h"

typedef struct lbDenseInverse {
    int size, stride; /* rows; floats from one to the next, a multiple of lb_denseLanes */
    float* numbers;   /* (stride x stride) what is beyond the matrix is zero */
} lbDenseInverse;

enum { lb_denseLanes = 8 };

static inline int lb_dense_stride(int size) {
    return (size + lb_denseLanes - 1) / lb_denseLanes * lb_denseLanes;
}

/* By Cholesky's factor in double; a (size x size, row by row, its lower triangle counts) is lost. False: there is no
 * memory, or the matrix is not positive definite. */
bool lb_create_dense_inverse(const lbHost* host, int size, double* a, lbDenseInverse* inverse);
void lb_destroy_dense_inverse(const lbHost* host, lbDenseInverse* inverse);

/* y = A^-1 x, both (stride), zero beyond the matrix. */
void lb_multiply_dense(const lbDenseInverse* inverse, const float* x, float* y);

#endif
