/* What a tool would feel if it were a little elsewhere: the world's answer of one frame, for rounds that come many times
 * before the next.
 *
 * The world tells what pushed the tool at each moment of a frame, and where the tool was then. Along that force the
 * answer grows by a stiffness k, which is learned from frame to frame; it never pulls:
 *
 *   f(x) = k max(0, d - n . x) n,   n = F / |F|,   d = n . p + |F| / k
 *
 * Surfaces that are near but do not push are planes like that with |F| = 0, so that the tool does not run into what it
 * would touch before the next frame. From one frame to the next, moments follow one another without a jump, stiffness
 * and planes fade over. */
#ifndef LIMBER_SRC_LOCAL_MODEL_H
#define LIMBER_SRC_LOCAL_MODEL_H

#include "world/touch_log.h"

/* One frame's. */
typedef struct lbLocalModel {
    double frame;         /* s, how long it was */
    int momentCount;      /* of equal parts of it; 0: nothing is known */
    lbVec3d places[2];    /* m, of the tool's origin at its beginning and end */
    lbFelt moments[lb_touchBins];
    int planeCount;
    lbFeltPlane planes[lb_mostFeltPlanes];
    double stiffness; /* N/m */
} lbLocalModel;

/* A plane that pushes: f = k max(0, d - n . x) n. */
typedef struct lbPusher {
    lbVec3d normal;
    double distance, stiffness;
} lbPusher;

enum { lb_mostPushers = 1 + 2 * lb_mostFeltPlanes };

/* What pushes at one moment. */
typedef struct lbPushers {
    int count;
    lbPusher pushers[lb_mostPushers];
    lbVec3d torque; /* N m */
} lbPushers;

/* At `share` (0 to 1) of the frame `now`, which comes after `before`. */
void lb_find_pushers(const lbLocalModel* before, const lbLocalModel* now, double share, lbPushers* pushers);

/* Where a tool without mass comes to rest that a spring of `stiffness` pulls to `device`: the least of
 * K |x - device|^2 / 2 + sum of k max(0, d - n . x)^2 / 2, by Newton's method on the set of planes that push. */
lbVec3d lb_balance(const lbPushers* pushers, double stiffness, lbVec3d device);

/* ---- Learning ---------------------------------------------------------------------------------------------------- */

/* How stiff what is touched answers, from one frame to the next: quick to become stiffer, slow to become softer. The tool
 * follows forces that are a frame old. That converges if the stiffness is more than half the true one, and the faster
 * the nearer it is to that. */
typedef struct lbStiffnessGuess {
    double value;       /* N/m */
    double least, most; /* N/m */
    bool known;         /* there was a frame before */
    lbVec3d place, force;
} lbStiffnessGuess;

/* After a frame that ended with the tool at `place`, pushed by `force`. */
void lb_learn_stiffness(lbStiffnessGuess* guess, lbVec3d place, lbVec3d force);

#endif
