/* What implicit steps and the search for equilibrium share: a linear system made of a system's tangent. */
#ifndef LIMBER_SRC_THETA_H
#define LIMBER_SRC_THETA_H

#include "integrate/integrator.h"

/* mass M + a dF/dx + b dF/dv at x. */
typedef struct lbTangentSystem {
    const lbSystem* system;
    const float* x;
    float mass, a, b;
    lbTangentKind kind;     /* for matrices; products are exact */
    const float* extraMass; /* (count) kg, beside mass M; NULL: none */
} lbTangentSystem;

/* Of scratch, and lb_grid_bytes beside them. */
enum { lb_tangentVectors = lb_solveVectors + 3 };

/* Assembles the system and prepares its preconditioner; takes scratch that the caller gives back. `tangent` must stay
 * as long. */
lbLinearSystem lb_prepare_tangent(lbTangentSystem* tangent);

/* The same in two parts: between them, resistances can be added to the matrix. */
lbLinearSystem lb_begin_tangent(lbTangentSystem* tangent);
void lb_complete_tangent(const lbTangentSystem* tangent, lbLinearSystem* linear);

/* An implicit step while something touches the system:
 *
 *   open    assembles its matrix; resistances may be added to it
 *   close   completes the linear system  A dv = b
 *           ... whoever touches it solves A dv = b + impulses for both ...
 *   end     moves the system
 *
 * dv of a node that is touched is (x' - x) / h - v, whatever the method: what contacts see. Takes scratch from open to
 * end. */
typedef struct lbOpenStep {
    const uint8_t* touched; /* (count) filled in by the caller before `open` and up to `close`: not 0: an impulse may
                             * come to this node. NULL: nothing touches the system */
    lbSystem system;
    double time, h; /* s */
    lbTangentSystem tangent;
    lbLinearSystem linear;
    double* dv;       /* (count x 4) m/s: a guess, then the solution */
    float* a;         /* (count x 4) m/s^2: forces at the beginning, by mass */
    float* b;         /* (count x 4) N s; resistances that are in the matrix have their part in it */
    float* impulses;  /* (count x 4) N s, of what touches the system; zero at first */
    float* resisted;  /* (count x 4) N s, of methods that ask for it: what resistances make of v; b lacks that much */
    float* extraMass; /* (count) kg, beside M in the matrix; NULL: none */
    bool restarted;   /* what it remembered did not serve, and was found anew */
    bool guessed;     /* dv is a guess, not zero */
    size_t used;      /* of the scratch, before */
    size_t kept;      /* with the vectors above */
} lbOpenStep;

/* Whether a step whose equations have been linearised `count` times, and leave `rest` (squared) where `enough` is
 * little, shall be linearised again: as often as settings say, and where the last solution could not be followed to its
 * end (`cut`) a few times more. */
bool lb_linearise_again(const lbIntegratorSettings* settings, int count, bool cut, double rest, double enough);

/* Finds y so that (mass M + a dF/dx + b dF/dv) y = f, held components zero. */
lbSolve lb_solve_tangent(lbTangentSystem* tangent, const float* f, double* y, double tolerance, int limit);

#endif
