/* A body that goes on where another of the same shape was: its nodes take positions and velocities from the other's
 * field, whatever the resolution of either. */
#ifndef LIMBER_SRC_TAKE_MOTION_H
#define LIMBER_SRC_TAKE_MOTION_H

#include "body/dynamic/dynamic_body.h"

/* Fills x and v (nodeCount x 3) of `to`. Linear and angular momentum are those of `from`, to rounding. Both are made of
 * hexahedra; else that is an error. */
lbResult lb_take_motion(const lbDynamicBody* from, const lbDynamicBody* to, float* x, float* v);

#endif
