/* What a tool feels, step by step: for force feedback, which needs more than a frame's mean. */
#ifndef LIMBER_SRC_TOUCH_LOG_H
#define LIMBER_SRC_TOUCH_LOG_H

#include "contact/contact.h"

#include <pthread.h>

enum { lb_mostTouchLogs = 8, lb_touchBins = 64, lb_mostFeltPlanes = 16 };

/* The mean over a part of a frame. */
typedef struct lbFelt {
    lbVec3d force;  /* N, on the tool */
    lbVec3d normal; /* N, of that what is along the contacts' normals: without friction */
    lbVec3d torque; /* N m, about where its origin is then */
} lbFelt;

/* A surface near the tool that does not push it: its origin cannot go further than n . x >= d. */
typedef struct lbFeltPlane {
    lbVec3d normal;
    double distance; /* m: d */
    double gap;      /* m, when it was seen */
} lbFeltPlane;

/* Islands that touch one tool run side by side: what they add is under a lock. Sums are in the order in which they
 * come, and so not the same to the last digit in each run; nothing of the world's state follows from them. */
typedef struct lbTouchLog {
    const lbBody* tool;        /* NULL: nobody listens */
    int stepCount;             /* of the island that took most in the frame */
    lbFelt bins[lb_touchBins]; /* of equal parts of the frame */
    int planeCount;
    lbFeltPlane planes[lb_mostFeltPlanes];
    pthread_mutex_t mutex;
} lbTouchLog;

/* Before a frame. */
void lb_begin_touch_log(lbTouchLog* log, const lbBody* tool);

/* After a step: what rows did to the tool. */
void lb_log_touches(lbTouchLog* log, const lbRow* rows, int count, const lbStep* step);

#endif
