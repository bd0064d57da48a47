/* What a tool would feel if it were a little elsewhere: the world's answer of one frame, for rounds that come many
 * times before the next.
 *
 * The world tells what pushed the tool at each moment of a frame, F, of which N along the contacts' normals, and where
 * the tool was then, p. Around that the answer is that of springs, along the normal n = N / |N| by k, across it by c:
 *
 *   f(x) = k max(0, d - n . x) n + F - N + c (I - n n^T) (p - x),   d = n . p + |N| / k
 *
 * It never pulls along the normal. Surfaces that are near but do not push are planes like that with N = 0 and c = 0, so
 * that the tool does not run into what it would touch before the next frame. From one frame to the next, moments follow
 * one another without a jump, stiffness and planes fade over. */
#ifndef LIMBER_SRC_LOCAL_MODEL_H
#define LIMBER_SRC_LOCAL_MODEL_H

#include "world/touch_log.h"

/* One frame's. */
typedef struct lbLocalModel {
    double frame;      /* s, how long it was */
    int momentCount;   /* of equal parts of it, no more than steps were taken; 0: nothing is known */
    lbVec3d places[2]; /* m, of the tool's origin at its beginning and end */
    lbFelt moments[lb_touchBins];
    int planeCount;
    lbFeltPlane planes[lb_mostFeltPlanes];
    double along, across; /* N/m: k and c */
    bool gripped;         /* it is a control of an elastostatic body that is held: */
    lbVec3d bond[3];      /* N/m, columns of its reaction matrix, by which the force changes with the place */
} lbLocalModel;

/* From what was logged of a frame; but for stiffness. */
void lb_fill_local_model(const lbTouchLog* log, double frame, lbVec3d begin, lbVec3d end, lbLocalModel* model);

/* A plane that pushes: f = k max(0, d - n . x) n. */
typedef struct lbPusher {
    lbVec3d normal;
    double distance, stiffness;
} lbPusher;

enum { lb_mostPushers = 1 + 2 * lb_mostFeltPlanes };

/* What pushes at one moment: planes, and what holds the tool at a place: f = pull - bond (x - anchor). */
typedef struct lbPushers {
    int count;
    lbPusher pushers[lb_mostPushers];
    lbVec3d pull;    /* N */
    lbVec3d anchor;  /* m */
    lbVec3d bond[3]; /* N/m, columns, symmetric and semidefinite: friction, across a normal; or the reaction matrix */
    lbVec3d torque;  /* N m */
} lbPushers;

/* What was felt at `share` (0 to 1) of the frame `now`, which comes after `before`, is followed in a few milliseconds,
 * so that the jump of a force in the world (a contact that comes, a resolution that changes) is none in the hand. */
void lb_follow_felt(const lbLocalModel* before, const lbLocalModel* now, double share, double period, lbFelt* felt);
/* What pushes there. */
void lb_find_pushers(const lbLocalModel* before, const lbLocalModel* now, double share, const lbFelt* felt,
                     lbPushers* pushers);

/* Where a tool without mass comes to rest that a spring of `stiffness` pulls to `device`: the least of a convex energy,
 * K |x - device|^2 / 2 + sum of k max(0, d - n . x)^2 / 2 + what friction does, by Newton's method on the set of planes
 * that push. */
lbVec3d lb_balance(const lbPushers* pushers, double stiffness, lbVec3d device);

/* ---- Learning ---------------------------------------------------------------------------------------------------- */

/* How stiff what is touched answers, from one frame to the next: quick to become stiffer, slow to become softer. The
 * tool follows forces that are a frame old. That converges if the stiffness is more than half the true one, and the
 * faster the nearer it is to that. */
typedef struct lbStiffnessGuess {
    double along, across; /* N/m */
    double least, most;   /* N/m */
    bool known;           /* there was a frame before */
    lbVec3d place;        /* m, and what was felt then */
    lbFelt felt;
} lbStiffnessGuess;

/* After a frame: learns from it, and sets the model's stiffness. */
void lb_learn_stiffness(lbStiffnessGuess* guess, lbLocalModel* model);

#endif
