/* Preconditioned conjugate gradients on node vectors: solves A x = b, A symmetric positive definite, with some
 * components held (D. Baraff and A. Witkin, Large Steps in Cloth Simulation, 1998, section 5.3). */
#ifndef LIMBER_SRC_CONJUGATE_GRADIENTS_H
#define LIMBER_SRC_CONJUGATE_GRADIENTS_H

#include "integrate/aggregates.h"
#include "integrate/integrator.h"

/* Either `matrix`, or `product` and its `self`. */
typedef struct lbLinearSystem {
    int count;
    lbTasks* tasks;
    const lbBlockMatrix* matrix;
    void (*product)(void* self, const float* p, float* q); /* q = A p */
    void* productSelf;
    void (*project)(void* self, float* p); /* zeroes what is held */
    void* projectSelf;
    lbAggregates preconditioner;
} lbLinearSystem;

/* Finds x for b, whose held components are zero. Begins at x = 0 and ends when |b - A x| <= tolerance |b|, which is
 * computed anew at the end, since the residual that the iteration carries along drifts away by rounding; or after
 * `limit` products; or when A turns out not to be positive definite: x is then the best so far, or b preconditioned
 * if the very first direction shows it.
 *
 * Where nothing is held, the motion of the whole is then made exact: A takes a uniform motion to the mass times it,
 * whatever the forces between nodes, so that the sum of the residual is momentum that is missing.
 *
 * Takes lb_solveVectors node vectors of scratch. */
enum { lb_solveVectors = 5 };
lbSolve lb_solve_linear(const lbLinearSystem* system, const float* b, float* x, double tolerance, int limit,
                        lbArena* scratch);

#endif
