/* Solves (K + shift M) x = b in double, K a stiffness, some components held: conjugate gradients, preconditioned by a
 * direct solution where that is cheap, else by what the caller has, as long as that gets there sooner. */
#ifndef LIMBER_SRC_PRECISE_SOLVE_H
#define LIMBER_SRC_PRECISE_SOLVE_H

#include "matrix/conjugate_gradients.h"
#include "matrix/direct.h"

typedef struct lbPreciseSolver {
    const lbPreciseStiffness* stiffness;
    const float* mass; /* (count) kg */
    int heldCount;
    const lbFilteredNode* held; /* (heldCount) each node once */

    /* Something cheaper than a direct solution, near to it: prepared anew whenever the stiffness has changed. NULL:
     * there is nothing. */
    void (*prepare)(void* self, double shift);
    void (*precondition)(void* self, const double* r, double* z);
    void* self;

    /* Filled by lb_create_precise_solver and as it works. */
    lbDirect direct;
    double* vectors;    /* (4 x count x 3) scratch */
    int factorisations; /* so far */
    bool dear;          /* what is cheaper than a direct solution did not get there: no more attempts */
} lbPreciseSolver;

lbResult lb_create_precise_solver(const lbHost* host, lbPreciseSolver* solver);
void lb_destroy_precise_solver(lbPreciseSolver* solver);

/* Makes a projection that was rounded to float32 one in double. */
void lb_purify_filter(const float from[6], double filter[6]);

/* Zeroes what is held of p (count x 3). */
void lb_project_held(const lbPreciseSolver* solver, double* p);

/* Ends when |b - A x| <= tolerance |b| and its preconditioned norm, which tells of soft motions, is as small a share of
 * b's. b's held components are zero. `definite` is false, and x of no use, if the matrix is not positive definite;
 * those of its motions that cost nothing are left out of x. On failure there is not enough memory. */
lbResult lb_solve_precisely(lbPreciseSolver* solver, double shift, const double* b, double tolerance, double* x,
                            lbSolve* solve);

#endif
