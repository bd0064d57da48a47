/* Preconditioned conjugate gradients on node vectors: solves A x = b, A symmetric positive definite, with some
 * components held (D. Baraff and A. Witkin, Large Steps in Cloth Simulation, 1998, section 5.3).
 *
 * In two precisions. Iterations work in float, which is enough to find a better x; x itself, and the residual by which
 * it is judged, are in double: the rounding of x to float alone would leave a residual of some 1e-7 times the condition
 * number. The residual that iterations carry along drifts away from the true one by rounding, so it is replaced by that
 * whenever it seems to be small enough (H. A. van der Vorst and Q. Ye, Residual Replacement Strategies for Krylov
 * Subspace Iterative Methods, 2000). */
#ifndef LIMBER_SRC_CONJUGATE_GRADIENTS_H
#define LIMBER_SRC_CONJUGATE_GRADIENTS_H

#include "matrix/preconditioner.h"

/* Either `matrix`, or `product` and its `self`. */
typedef struct lbLinearSystem {
    int count;
    lbTasks* tasks;
    const lbBlockMatrix* matrix;
    void (*product)(void* self, const float* p, float* q); /* q = A p */
    void* productSelf;
    void (*project)(void* self, float* p); /* zeroes what is held */
    void* projectSelf;
    lbPreconditioner preconditioner;
} lbLinearSystem;

/* How a linear system was solved. */
typedef struct lbSolve {
    int iterations;  /* products with the matrix */
    double residual; /* |b - A x| / |b| at the end, computed anew */
    bool unfinished; /* its iterations ended at their limit */
    bool definite;   /* false: the matrix was not positive definite, and x is what had been found by then */
} lbSolve;

/* Finds x (count x 4) for b, whose held components are zero. Begins at `guess` if that is not NULL and leaves less than
 * b, else at zero; ends when |b - A x| <= tolerance |b|, by the true residual; or after `limit` products; or when A
 * turns out not to be positive definite: x is then the best so far, or b preconditioned if the very first direction
 * shows it. Without a matrix, products and the residual are in float.
 *
 * Where nothing is held, the motion of the whole is then made exact: A takes a uniform motion to the mass times it, and
 * to what own blocks make of it, whatever the forces between nodes, so that the sum of the residual is momentum that is
 * missing.
 *
 * Takes lb_solveVectors node vectors of scratch. */
enum { lb_solveVectors = 6 };
lbSolve lb_solve_linear(const lbLinearSystem* system, const float* b, const float* guess, double* x, double tolerance,
                        int limit, lbArena* scratch);

#endif
