/* Rotations and symmetric matrices in double: a rigid body's state adds up over millions of steps. */
#ifndef LIMBER_SRC_RIGID_ROTATION_H
#define LIMBER_SRC_RIGID_ROTATION_H

#include "base/math.h"

typedef struct lbQuatd {
    double x, y, z, w;
} lbQuatd;

static inline double quatd_length(lbQuatd q) {
    return sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
}
static inline lbQuatd quatd_normalize(lbQuatd q) {
    double s = 1 / quatd_length(q);
    return (lbQuatd){s * q.x, s * q.y, s * q.z, s * q.w};
}
static inline lbQuatd quatd_from(lbQuat q) {
    return quatd_normalize((lbQuatd){q.x, q.y, q.z, q.w});
}
static inline lbQuat quat_from(lbQuatd q) {
    return (lbQuat){(float)q.x, (float)q.y, (float)q.z, (float)q.w};
}
/* First b, then a. */
static inline lbQuatd quatd_multiply(lbQuatd a, lbQuatd b) {
    return (lbQuatd){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
/* The rotation back. */
static inline lbQuatd quatd_conjugate(lbQuatd q) {
    return (lbQuatd){-q.x, -q.y, -q.z, q.w};
}
static inline lbVec3d quatd_rotate(lbQuatd q, lbVec3d a) {
    lbVec3d u = {q.x, q.y, q.z};
    lbVec3d t = vec3d_scale(2, vec3d_cross(u, a));
    return vec3d_add(vec3d_madd(a, q.w, t), vec3d_cross(u, t));
}
static inline lbVec3d quatd_unrotate(lbQuatd q, lbVec3d a) {
    return quatd_rotate(quatd_conjugate(q), a);
}
/* By |turn| radians about its direction. */
static inline lbQuatd quatd_from_turn(lbVec3d turn) {
    double angle = vec3d_length(turn);
    double s = angle > 1e-8 ? sin(0.5 * angle) / angle : 0.5;
    return (lbQuatd){s * turn.x, s * turn.y, s * turn.z, cos(0.5 * angle)};
}
/* The other way round: the turn of at most half a circle. */
static inline lbVec3d quatd_to_turn(lbQuatd q) {
    lbVec3d u = {q.x, q.y, q.z};
    double sine = vec3d_length(u), sign = q.w < 0 ? -1 : 1;
    double angle = 2 * atan2(sine, sign * q.w);
    return vec3d_scale(sign * (sine > 1e-12 ? angle / sine : 2), u);
}

/* Symmetric matrices are xx, yy, zz, xy, xz, yz. */
static inline lbVec3d symmetric_times(const double s[6], lbVec3d p) {
    return vec3d(s[0] * p.x + s[3] * p.y + s[4] * p.z, s[3] * p.x + s[1] * p.y + s[5] * p.z,
                 s[4] * p.x + s[5] * p.y + s[2] * p.z);
}
static inline void symmetric_inverse(const double s[6], double inverse[6]) {
    double xx = s[1] * s[2] - s[5] * s[5], xy = s[4] * s[5] - s[3] * s[2], xz = s[3] * s[5] - s[1] * s[4];
    double scale = 1 / (s[0] * xx + s[3] * xy + s[4] * xz);
    inverse[0] = scale * xx, inverse[3] = scale * xy, inverse[4] = scale * xz;
    inverse[1] = scale * (s[0] * s[2] - s[4] * s[4]);
    inverse[2] = scale * (s[0] * s[1] - s[3] * s[3]);
    inverse[5] = scale * (s[3] * s[4] - s[0] * s[5]);
}
/* R s R^T */
static inline void symmetric_rotate(lbQuatd q, const double s[6], double rotated[6]) {
    const lbVec3d axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    lbVec3d column[3];
    for (int k = 0; k < 3; ++k) {
        column[k] = quatd_rotate(q, symmetric_times(s, quatd_unrotate(q, axes[k])));
    }
    rotated[0] = column[0].x, rotated[1] = column[1].y, rotated[2] = column[2].z;
    rotated[3] = column[1].x, rotated[4] = column[2].x, rotated[5] = column[2].y;
}

#endif
