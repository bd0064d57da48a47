/* What implicit steps and the search for equilibrium share: a linear system made of a system's tangent. */
#ifndef LIMBER_SRC_THETA_H
#define LIMBER_SRC_THETA_H

#include "integrate/integrator.h"

/* mass M + a dF/dx + b dF/dv at x. */
typedef struct lbTangentSystem {
    const lbSystem* system;
    const float* x;
    float mass, a, b;
    lbTangentKind kind; /* for matrices; products are exact */
} lbTangentSystem;

/* Of scratch, and lb_grid_bytes beside them. */
enum { lb_tangentVectors = lb_solveVectors + 3 };

/* Assembles the system and prepares its preconditioner; takes scratch that the caller gives back. `tangent` must stay
 * as long. */
lbLinearSystem lb_prepare_tangent(lbTangentSystem* tangent);

/* Finds y so that (mass M + a dF/dx + b dF/dv) y = f, held components zero. */
lbSolve lb_solve_tangent(lbTangentSystem* tangent, const float* f, double* y, double tolerance, int limit);

#endif
