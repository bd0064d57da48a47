/* Islands with small implicit bodies, in contact space.
 *
 * The step of an implicit body is a linear system, A dv = b + H^T p. Its answer to impulses, H A^-1 H^T, would take a
 * solution for each contact; but a matrix P near A whose inverse is known gives one at once
 * (lbBodyOps.applyCompliance). So, repeatedly:
 *
 *   1. each body by itself solves its system with the impulses p so far, by conjugate gradients with P for a
 *      preconditioner: velocities u = H (v + dv) are then true;
 *   2. projected Gauss-Seidel (contact_space.h) changes p as if velocities followed by u + W dp, W about H P^-1 H^T:
 *      of the body's motion as a whole, and of how the nodes that carry rows deform it.
 *
 * What P lacks to be A is made up for by the next repetition; where u is as rows ask for, p is exact whatever P is. A
 * pile has far fewer rows than nodes, so that most of the work is a few products for each body, side by side. */
#ifndef LIMBER_SRC_DENSE_SPACE_H
#define LIMBER_SRC_DENSE_SPACE_H

#include "contact/contact_space.h"
#include "matrix/conjugate_gradients.h"

/* From so many bodies on a pile is not solved to the last digit: what a step leaves, the next one takes up. */
enum { lb_exactBodies = 16 };

typedef struct lbDenseBody {
    lbBody* body;
    bool implicit;         /* it has a linear system; else velocities tell */
    bool changed;          /* impulses on it have changed since its system was solved */
    lbBlock block;         /* of an implicit body, as what follows */
    double change;         /* m/s: what residuals must be small beside */
    double foreseen, seen; /* J: what the last change of impulses did, by W and truly */
    float scale;           /* of its patch's w, by what was seen */
    bool grown, scaled;    /* its patch has nodes that w lacks; w was scaled since rows were looked at */
    int *places,
        *nodes;     /* (all its nodes) where each is in the patch, -1: nowhere; and which are. The caller's room, as: */
    float* numbers; /* (lb_patch_numbers) of the patch */
    float* last;    /* (4 x nodes) the solution before the last change of impulses */
    lbSolve solve;
} lbDenseBody;

typedef struct lbDenseSpace {
    int bodyCount;
    lbDenseBody* bodies; /* (bodyCount) body and implicit are the caller's */
    int* order;          /* (bodyCount) scratch */
    lbSoftAnswer* soft;  /* (bodyCount) scratch */
    lbPatch* patches;    /* (bodyCount) scratch */
    int rowCount;
    lbRow* rows; /* (rowCount) blockA and blockB index bodies */
    int liveCount;
    int *live, *rowOrder;          /* (rowCount) scratch */
    lbRowGroup* groups;            /* (2 x pairs of bodies that rows are of) scratch */
    uint64_t* colours;             /* (bodyCount) scratch */
    double h;                      /* s */
    double tolerance;              /* of residuals, relative */
    int iterationLimit;            /* of conjugate gradients */
    double speedAtRest, mostSpeed; /* m/s: what may be missing to wanted velocities, at rest and whatever happens */
    double speed;                  /* m/s: in this step */
    int roundLimit, sweepLimit;    /* of Gauss-Seidel in a round */
    bool hasty;                    /* a pile that is too large to be solved exactly */
    lbTasks* tasks;                /* NULL: on the calling thread alone */
    int rounds, sweeps;
    int64_t visits; /* of rows, in all sweeps */
    double taken;   /* of the last change of impulses, the share that was made */
    lbSolve solve;  /* how it went: the worst of the bodies */
    double lack;    /* m/s: what is missing to wanted velocities, about */
} lbDenseSpace;

/* Numbers that the patch of a body of so many nodes takes, at most. */
static inline size_t lb_patch_numbers(int nodes) {
    size_t stride = (3 * (size_t)nodes + 7) / 8 * 8;
    return (3 * (size_t)nodes + 1) * stride;
}

/* Finds the motion of the bodies, and pushes them. Between predict and finish. */
void lb_solve_dense_space(lbDenseSpace* space);

#endif
