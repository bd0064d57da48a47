/* Impulses of contacts and holds in velocity space: for islands with implicit bodies, whose steps are linear systems.
 *
 *   A dv = b + sum over rows of H^T p,   p = impulse + S (wanted - u),   u = H (v + dv)
 *
 * The matrices A of all bodies of the island stand side by side; H takes their velocities to the relative velocity of a
 * row's two sides; S is a resistance along the normal, and across it while the contact sticks. Terms with u go to the
 * left side: S is positive, so that the whole stays definite, and one conjugate gradient solve finds the motion of all
 * bodies together. A spring is just that. A wall, which is infinitely stiff but pushes only, and friction, which
 * resists up to Coulomb's limit, are so by repetition: after a solution, impulses are replaced by what p came to,
 * within their limits (the method of multipliers: M. R. Hestenes, Multiplier and Gradient Methods, 1969; for friction:
 * P. Alart and A. Curnier, A mixed formulation for frictional contact problems prone to Newton like solution methods,
 * 1991). */
#ifndef LIMBER_SRC_VELOCITY_SPACE_H
#define LIMBER_SRC_VELOCITY_SPACE_H

#include "contact/contact.h"
#include "contact/whole_motions.h"
#include "matrix/conjugate_gradients.h"

typedef struct lbVelocitySpace {
    int bodyCount;
    lbBody** bodies; /* (bodyCount) */
    lbBlock* blocks; /* (bodyCount) scratch */
    int rowCount;
    lbRow* rows; /* (rowCount) blockA and blockB index bodies */
    int liveCount;
    int* live;            /* (rowCount) scratch: rows that push, or are in matrices */
    lbVec3* rowsA;        /* (liveCount) scratch: what sides of bodies a get */
    lbVec3* rowsB;        /* (liveCount) */
    int* firstSides;      /* (bodyCount + 1) scratch */
    int* sides;           /* (2 x liveCount) scratch: live rows of each body; ~i: the second side of the i-th */
    double* partial;      /* (bodyCount) scratch */
    lbWholeMotions whole; /* scratch: room for bodyCount */
    double h;             /* s */
    double tolerance;     /* of the residual, relative */
    int iterationLimit;   /* of conjugate gradients, in a round; of few: in all */
    int roundLimit;       /* solutions that the step takes at most */
    bool onlyWholes;      /* no body has motions but as a whole */
    double gravity;       /* m/s^2, the largest there is */
    double size;          /* m, of the smallest body: what penetrations are small beside */
    double change;        /* m/s: how much velocities change in the step */
    lbTasks* tasks;       /* NULL: on the calling thread alone */
    lbSolve solve;        /* how it went */
    double alpha, beta;   /* of the iteration that runs */
    bool fromZero;        /* dv is zero */
} lbVelocitySpace;

/* Finds the motion of the bodies, and pushes them. Between predict and finish. False: bodies that move as wholes, whose
 * velocities are known, found none in time, and nobody was pushed. */
bool lb_solve_velocity_space(lbVelocitySpace* space);

#endif
