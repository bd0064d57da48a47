/* Values that change over time as a scene says: things on paths, and loads that rise. Times are in seconds. */
#ifndef LIMBER_SRC_MOTION_H
#define LIMBER_SRC_MOTION_H

#include "scene/scene_def.h"

/* Something that can be sent along paths, one after the other. */
typedef struct lbMover {
    const lbPath* path; /* NULL: rests */
    double startTime;
    lbScenePose start; /* where it was when the path began */
    lbScenePose now;
} lbMover;

/* At rest there, or on its way along a path that begins at time 0. */
void lb_start_mover(lbMover* mover, lbScenePose pose, const lbPath* path);
void lb_mover_follow(lbMover* mover, const lbPath* path, double time);
/* Sets `now` to where the path is at that time: from the start to the first waypoint, from waypoint to waypoint, and
 * at the last one from then on. */
void lb_mover_advance(lbMover* mover, double time);

/* A force and a pressure, a gravity or a wind, on the way from one value to another. */
typedef struct lbRamp {
    double startTime, duration;
    float from[4], to[4], now[4];
} lbRamp;

lbRamp lb_ramp_at(lbVec3 vector, float scalar);
void lb_ramp_toward(lbRamp* ramp, lbVec3 vector, float scalar, double time, double duration);
/* Sets `now`, and tells whether it changed. */
bool lb_ramp_advance(lbRamp* ramp, double time);

/* Where in a list of shapes something is: between `*before` and the next, 0 being the one at the beginning. */
float lb_shape_share_at(const lbShapeKeys* keys, double time, int* before);

/* What a gust adds to the wind, m/s: 0 at the beginning, and never more than its amplitude along any axis. */
lbVec3 lb_gust_at(const lbGust* gust, double time);
/* The relative length at rest of a muscle. */
float lb_muscle_length_at(const lbSceneMuscle* muscle, double time);

#endif
