/* Small vectors, matrices and rotations, in float for state and in double for precomputation. */
#ifndef LIMBER_SRC_MATH_H
#define LIMBER_SRC_MATH_H

#include "limber/base.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#define LB_PI 3.14159265358979323846

/* ---- float ------------------------------------------------------------------------------------------------------- */

static inline lbVec3 vec3(float x, float y, float z) {
    return (lbVec3){x, y, z};
}
static inline lbVec3 vec3_load(const float* p) {
    return (lbVec3){p[0], p[1], p[2]};
}
static inline void vec3_store(float* p, lbVec3 a) {
    p[0] = a.x, p[1] = a.y, p[2] = a.z;
}
static inline lbVec3 vec3_add(lbVec3 a, lbVec3 b) {
    return (lbVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline lbVec3 vec3_sub(lbVec3 a, lbVec3 b) {
    return (lbVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline lbVec3 vec3_scale(float s, lbVec3 a) {
    return (lbVec3){s * a.x, s * a.y, s * a.z};
}
/* a + s b */
static inline lbVec3 vec3_madd(lbVec3 a, float s, lbVec3 b) {
    return (lbVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline bool vec3_is_zero(lbVec3 a) {
    return a.x == 0 && a.y == 0 && a.z == 0;
}

static inline float vec3_dot(lbVec3 a, lbVec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline lbVec3 vec3_cross(lbVec3 a, lbVec3 b) {
    return (lbVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline float vec3_length(lbVec3 a) {
    return sqrtf(vec3_dot(a, a));
}
/* The zero vector stays zero. */
static inline lbVec3 vec3_normalize(lbVec3 a) {
    float length = vec3_length(a);
    return length > 0 ? vec3_scale(1 / length, a) : a;
}
/* By comparisons, which are one instruction: fminf and fmaxf are calls. What is not a number in b is passed over. */
static inline lbVec3 vec3_min(lbVec3 a, lbVec3 b) {
    return (lbVec3){b.x < a.x ? b.x : a.x, b.y < a.y ? b.y : a.y, b.z < a.z ? b.z : a.z};
}
static inline lbVec3 vec3_max(lbVec3 a, lbVec3 b) {
    return (lbVec3){b.x > a.x ? b.x : a.x, b.y > a.y ? b.y : a.y, b.z > a.z ? b.z : a.z};
}
static inline bool vec3_finite(lbVec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
static inline lbVec3 vec3_lerp(lbVec3 a, lbVec3 b, float t) {
    return vec3_madd(a, t, vec3_sub(b, a));
}

static inline lbQuat quat_identity(void) {
    return (lbQuat){0, 0, 0, 1};
}
static inline lbQuat quat_normalize(lbQuat q) {
    float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    float s = length > 0 ? 1 / length : 0;
    return length > 0 ? (lbQuat){s * q.x, s * q.y, s * q.z, s * q.w} : quat_identity();
}
static inline lbVec3 quat_rotate(lbQuat q, lbVec3 a) {
    lbVec3 u = {q.x, q.y, q.z};
    lbVec3 t = vec3_scale(2, vec3_cross(u, a));
    return vec3_add(vec3_madd(a, q.w, t), vec3_cross(u, t));
}
/* The shorter way between two rotations, normalised linear. */
static inline lbQuat quat_nlerp(lbQuat a, lbQuat b, float t) {
    float sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0 ? -1.0f : 1.0f;
    lbQuat q = {a.x + t * (sign * b.x - a.x), a.y + t * (sign * b.y - a.y), a.z + t * (sign * b.z - a.z),
                a.w + t * (sign * b.w - a.w)};
    return quat_normalize(q);
}
static inline lbQuat quat_from_axis_angle(lbVec3 axis, float radians) {
    lbVec3 u = vec3_scale(sinf(0.5f * radians), vec3_normalize(axis));
    return (lbQuat){u.x, u.y, u.z, cosf(0.5f * radians)};
}

/* First b, then a. */
static inline lbQuat quat_multiply(lbQuat a, lbQuat b) {
    return (lbQuat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                    a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
/* The rotation back. */
static inline lbQuat quat_conjugate(lbQuat q) {
    return (lbQuat){-q.x, -q.y, -q.z, q.w};
}

/* Where something rigid is: a point p of its own coordinates is at rotation(p) + position. */
typedef struct lbPose {
    lbVec3 position; /* m */
    lbQuat rotation;
} lbPose;

static inline lbVec3 pose_rotate(lbPose pose, lbVec3 local) {
    return quat_rotate(pose.rotation, local);
}
static inline lbVec3 pose_unrotate(lbPose pose, lbVec3 world) {
    return quat_rotate(quat_conjugate(pose.rotation), world);
}
/* Local to world, and world to local. */
static inline lbVec3 pose_point(lbPose pose, lbVec3 local) {
    return vec3_add(pose.position, pose_rotate(pose, local));
}
static inline lbVec3 pose_local(lbPose pose, lbVec3 world) {
    return pose_unrotate(pose, vec3_sub(world, pose.position));
}

static inline lbBox box_empty(void) {
    return (lbBox){{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
}
static inline lbBox box_include(lbBox box, lbVec3 p) {
    return (lbBox){vec3_min(box.lower, p), vec3_max(box.upper, p)};
}
static inline lbVec3 box_center(lbBox box) {
    return vec3_scale(0.5f, vec3_add(box.lower, box.upper));
}
static inline lbVec3 box_size(lbBox box) {
    return vec3_sub(box.upper, box.lower);
}
static inline bool box_contains(lbBox box, lbVec3 p) {
    return box.lower.x <= p.x && p.x <= box.upper.x && box.lower.y <= p.y && p.y <= box.upper.y && box.lower.z <= p.z &&
           p.z <= box.upper.z;
}
static inline bool box_overlaps(lbBox a, lbBox b) {
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y && b.lower.y <= a.upper.y &&
           a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

static inline int int_min(int a, int b) {
    return a < b ? a : b;
}
static inline int int_max(int a, int b) {
    return a > b ? a : b;
}

/* ---- double ------------------------------------------------------------------------------------------------------ */

typedef struct lbVec3d {
    double x, y, z;
} lbVec3d;

static inline lbVec3d vec3d(double x, double y, double z) {
    return (lbVec3d){x, y, z};
}
static inline lbVec3d vec3d_from(lbVec3 a) {
    return (lbVec3d){a.x, a.y, a.z};
}
static inline lbVec3d vec3d_load(const float* p) {
    return (lbVec3d){p[0], p[1], p[2]};
}
static inline lbVec3 vec3_from(lbVec3d a) {
    return (lbVec3){(float)a.x, (float)a.y, (float)a.z};
}
static inline lbVec3d vec3d_add(lbVec3d a, lbVec3d b) {
    return (lbVec3d){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline lbVec3d vec3d_sub(lbVec3d a, lbVec3d b) {
    return (lbVec3d){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline lbVec3d vec3d_scale(double s, lbVec3d a) {
    return (lbVec3d){s * a.x, s * a.y, s * a.z};
}
static inline lbVec3d vec3d_madd(lbVec3d a, double s, lbVec3d b) {
    return (lbVec3d){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double vec3d_dot(lbVec3d a, lbVec3d b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline lbVec3d vec3d_cross(lbVec3d a, lbVec3d b) {
    return (lbVec3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/* x with x_0 column[0] + x_1 column[1] + x_2 column[2] = b, by Cramer's rule; not finite if there is none. */
static inline lbVec3d vec3d_solve(const lbVec3d column[3], lbVec3d b) {
    lbVec3d across = vec3d_cross(column[1], column[2]);
    double determinant = vec3d_dot(column[0], across);
    return vec3d(vec3d_dot(b, across) / determinant, vec3d_dot(column[0], vec3d_cross(b, column[2])) / determinant,
                 vec3d_dot(column[0], vec3d_cross(column[1], b)) / determinant);
}
static inline double vec3d_length(lbVec3d a) {
    return sqrt(vec3d_dot(a, a));
}
static inline lbVec3d vec3d_normalize(lbVec3d a) {
    double length = vec3d_length(a);
    return length > 0 ? vec3d_scale(1 / length, a) : a;
}

#endif
