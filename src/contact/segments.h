/* Two segments in double precision. */
#ifndef LIMBER_SRC_SEGMENTS_H
#define LIMBER_SRC_SEGMENTS_H

#include "base/math.h"

static inline double clamp_share(double share) {
    return share > 0 ? share < 1 ? share : 1 : 0; /* what is no number becomes 0 */
}

/* Squared distance of the segments a0 a1 and b0 b1, and the shares at which they are nearest; either may be a point,
 * and where they are parallel one of the nearest pairs is taken. The lines' nearest points, brought into one segment
 * and then into the other: Ericson, Real-Time Collision Detection, 5.1.9. */
static inline double segments_closest(lbVec3d a0, lbVec3d a1, lbVec3d b0, lbVec3d b1, double* shareA, double* shareB) {
    lbVec3d a = vec3d_sub(a1, a0), b = vec3d_sub(b1, b0), between = vec3d_sub(a0, b0);
    double aa = vec3d_dot(a, a), bb = vec3d_dot(b, b), ab = vec3d_dot(a, b);
    double fromA = vec3d_dot(a, between), fromB = vec3d_dot(b, between);
    double determinant = aa * bb - ab * ab;
    double s = determinant > 1e-14 * aa * bb ? clamp_share((ab * fromB - fromA * bb) / determinant) : 0;
    double t = clamp_share((ab * s + fromB) / bb);
    s = aa > 0 ? clamp_share((ab * t - fromA) / aa) : 0;
    t = bb > 0 ? clamp_share((ab * s + fromB) / bb) : 0;
    lbVec3d gap = vec3d_sub(vec3d_madd(a0, s, a), vec3d_madd(b0, t, b));
    *shareA = s, *shareB = t;
    return vec3d_dot(gap, gap);
}

#endif
