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

/* The same in two parts: between them, resistances can be added to the matrix. */
lbLinearSystem lb_begin_tangent(lbTangentSystem* tangent);
void lb_complete_tangent(const lbTangentSystem* tangent, lbLinearSystem* linear);

/* A step of implicit Euler while something touches the system:
 *
 *   open    assembles its matrix; resistances may be added to it
 *   close   completes the linear system  A dv = b
 *           ... whoever touches it solves A dv = b + impulses for both ...
 *   finish  moves the system
 *
 * Takes scratch from open to finish. */
typedef struct lbOpenStep {
    lbSystem system;
    double time, h; /* s */
    lbTangentSystem tangent;
    lbLinearSystem linear;
    double* dv;      /* (count x 4) m/s: a guess, then the solution */
    float* a;        /* (count x 4) m/s^2: forces at the beginning, by mass */
    float* b;        /* (count x 4) N s; resistances that are in the matrix have their part in it */
    float* impulses; /* (count x 4) N s, of what touches the system; zero at first */
    size_t used;     /* of the scratch, before */
    size_t kept;     /* with the vectors above */
} lbOpenStep;

void lb_open_step(const lbSystem* system, lbHistory* history, double time, double h, lbOpenStep* open);
void lb_close_step(lbOpenStep* open);
void lb_finish_step(lbOpenStep* open, lbHistory* history);

/* Finds y so that (mass M + a dF/dx + b dF/dv) y = f, held components zero. */
lbSolve lb_solve_tangent(lbTangentSystem* tangent, const float* f, double* y, double tolerance, int limit);

#endif
