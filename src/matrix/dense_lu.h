/* Dense linear systems, for what is computed beforehand: LAPACK's dgetrf and dgetrs from OpenBLAS, on all cores, behind
 * dense_openblas.c; in a build without it (LIMBER_WITH_OPENBLAS) dense_plain.c does the same, many times slower. */
#ifndef LIMBER_SRC_DENSE_LU_H
#define LIMBER_SRC_DENSE_LU_H

#include "limber/base.h"

/* "OpenBLAS", or what stands for it. */
const char* lb_dense_solver_name(void);

/* A X = B by Gaussian elimination with partial pivoting: `a` (size x size), `b` (size x count), both by columns. `a`
 * becomes its factors, `b` the solutions. A singular matrix is an error. */
lbResult lb_solve_dense(const lbHost* host, double* a, int size, double* b, int count);
/* The same in float32: half the time and memory. */
lbResult lb_solve_dense_single(const lbHost* host, float* a, int size, float* b, int count);

#endif
