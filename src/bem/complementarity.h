/* Small dense problems of contact: find l >= 0 with w = A l + q >= 0 and l . w = 0, A symmetric and definite. */
#ifndef LIMBER_SRC_BEM_COMPLEMENTARITY_H
#define LIMBER_SRC_BEM_COMPLEMENTARITY_H

#include <stdbool.h>

/* Room for problems of up to `capacity` rows; filled by the caller. */
typedef struct lbComplementarity {
    int capacity, count;
    double* a;       /* (count x count) rows of `capacity` */
    double* q;       /* (count) */
    double* l;       /* (count) result */
    double* w;       /* (count) result */
    bool* active;    /* (count) a guess at where l > 0; then the answer */
    double* factor;  /* (capacity x capacity) scratch */
    double* x;       /* (capacity) scratch */
    int* rows;       /* (capacity) scratch */
    int* wrong;      /* (capacity) scratch */
    int factorCount; /* factorisations of the last solution */
} lbComplementarity;

/* Block principal pivoting, which exchanges all wrong signs at once while that helps and one at a time when it does
 * not, so that it ends (J. J. Judice and F. M. Pires, A block principal pivoting algorithm for large-scale strictly
 * monotone linear complementarity problems, 1994). False: A is not definite. */
bool lb_solve_complementarity(lbComplementarity* problem);

/* Cholesky's factor of the lower triangle of `a`, in place, rows of `stride`; false: not definite. */
bool lb_factor_definite(double* a, int count, int stride);
/* In place. */
void lb_solve_definite(const double* factor, int count, int stride, double* x);

#endif
