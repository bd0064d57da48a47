/* Eigenvalues and eigenvectors of a small dense symmetric matrix. */
#ifndef LIMBER_SRC_SYMMETRIC_EIGEN_H
#define LIMBER_SRC_SYMMETRIC_EIGEN_H

/* By cyclic Jacobi rotations. `matrix` (n x n) is destroyed. values (n) come out in falling order; row k of vectors
 * (n x n) is the unit eigenvector of values[k]. */
void lb_symmetric_eigen(int n, double* matrix, double* values, double* vectors);

#endif
