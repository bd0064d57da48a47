/* A hold: a point of a body's surface that is to be at a place, or beside a point of another body. Grabs, pins on
 * surface points and attachments are holds. */
#ifndef LIMBER_SRC_HOLD_H
#define LIMBER_SRC_HOLD_H

#include "body/body.h"

typedef struct lbHold {
    lbBody* body;
    lbSurfacePoint place;
    lbBody* other;             /* NULL: the place in the world that follows */
    lbVec3 target, next;       /* m: that place at the end of the last frame and of the next */
    lbSurfacePoint otherPlace; /* of another body's skin; */
    bool onFrame;              /* or a point of a body that moves as a whole: */
    lbVec3 otherPoint;         /* m, in its coordinates */
    lbVec3 offset;       /* m: from the other's point to the body's, in the other's coordinates if it is on a frame */
    int directionCount;  /* that are held: 1 to 3 */
    lbVec3 direction[3]; /* unit, at right angles */
    bool hard;
    float stiffness, damping; /* N/m, N s/m; where not hard */
    lbVec3 impulse;           /* N s, on the body, in the last step */
    double total[3];          /* N s, on the body, in the frame that runs now */
    lbVec3 force;             /* N, on the body, mean over the last frame */
    lbVec3 violation;         /* m, at the beginning of the last step */
} lbHold;

static inline void lb_hold_all_directions(lbHold* hold) {
    hold->directionCount = 3;
    hold->direction[0] = (lbVec3){1, 0, 0};
    hold->direction[1] = (lbVec3){0, 1, 0};
    hold->direction[2] = (lbVec3){0, 0, 1};
}

/* Walks what changes as it holds. */
void lb_walk_hold(lbHold* hold, lbWalk* walk);

/* At the end of a frame of dt seconds. */
void lb_end_hold_frame(lbHold* hold, double dt);

#endif
