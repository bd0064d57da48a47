/* How a body's steps and what touches it come together. */
#ifndef LIMBER_SRC_TOUCH_H
#define LIMBER_SRC_TOUCH_H

#include "base/math.h"

#include <stdbool.h>

struct lbBody;

typedef enum lbTouchWay {
    lb_touchBefore,  /* impulses come before the steps of a slice: with a guess at what forces will do */
    lb_touchBetween, /* in each step, once its forces have changed velocities, before these move positions */
    lb_touchWithin,  /* as part of the linear system that an implicit step is */
} lbTouchWay;

lbTouchWay lb_touch_way(const struct lbBody* body);

/* What touches a body while it takes an implicit step. Such a step is long, and the body answers to an impulse as a
 * whole, by its step matrix A; so what touches it becomes part of the step, instead of pushing before it:
 *
 *   A dv = b + sum over touches of H^T p,   p = impulse + S (wanted - u),   u = H (v + dv)
 *
 * H takes node velocities to that of the skin point that is touched; S is `resistance` times n n^T, or times the unit
 * matrix where n is zero. The terms with u go to the left side: S is positive, so the matrix stays definite, and no
 * resistance is too large. A hand's spring is just that. A wall, which is infinitely stiff but pushes only, is so by
 * repetition: `review` replaces impulses by what p came to, and takes touches in and out (the method of multipliers:
 * M. R. Hestenes, Multiplier and Gradient Methods, 1969). */
typedef struct lbTouch {
    int point;        /* of the skin */
    bool active;      /* else it is only watched */
    lbVec3 normal;    /* unit; zero: all directions */
    lbVec3 impulse;   /* N s */
    lbVec3 wanted;    /* m/s */
    float resistance; /* kg; 0: chosen when the matrix is there, so that the point is held by far more than its own */
    lbVec3 velocity;  /* m/s: u, as the last solution has it */
} lbTouch;

typedef struct lbTouches {
    int count;
    lbTouch* touches; /* (count) */
    /* After a solution: whether it may not stay, and if so, how the touches change. */
    bool (*review)(void* context);
    void* context;
} lbTouches;

/* S p */
lbVec3 lb_resist(const lbTouch* touch, lbVec3 p);
/* p, as the last solution has it, N s. */
lbVec3 lb_touch_impulse(const lbTouch* touch);

/* Adds the touches to the matrix, which has the blocks of all laws, but is not packed yet. */
void lb_add_touches_to_matrix(struct lbBody* body, float massScale);
/* Adds H^T p at the velocities v to a node vector; without what depends on them, where v is NULL. */
void lb_add_touch_impulses(const struct lbBody* body, const float* v, float* b);
/* Tells the touches a solution. True if they changed and it must be replaced by another. dv: (nodeCount x 4) m/s. */
bool lb_review_touches(struct lbBody* body, const double* dv, bool mayChange);

#endif
