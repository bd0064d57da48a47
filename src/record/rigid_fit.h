/* The rigid motion that explains most of a deformation. */
#ifndef LIMBER_SRC_RIGID_FIT_H
#define LIMBER_SRC_RIGID_FIT_H

#include "base/math.h"

lbVec3 lb_mean_point(const float* points, int pointCount);

/* The pose that brings `base` (pointCount x 3, its mean at the origin) nearest to `points` in the least-squares sense.
 * Its rotation stays near that of `previous` (the frame before): where the best one is not determined, or would be a
 * leap that a viewer could not interpolate, the previous one is kept. */
lbPose lb_fit_pose(const float* base, const float* points, int pointCount, lbPose previous);

/* What the pose leaves unexplained, in the surface's own frame: R^T (x - t) - base. (pointCount x 3) */
void lb_remove_pose(lbPose pose, const float* base, const float* points, int pointCount, double* rest);

#endif
