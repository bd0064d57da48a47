/* Vectors of three components, each of LB_LANES floats: the algebra of element kernels. */
#ifndef LIMBER_SRC_LANES3_H
#define LIMBER_SRC_LANES3_H

#include "base/math.h"
#include "base/simd.h"

typedef struct lbLanes3 {
    lbLanes c[3];
} lbLanes3;

static inline lbLanes3 lanes3_difference(const float* q, const lbNodeOffset* from, const lbNodeOffset* to) {
    lbLanes3 v;
    gather_difference(q, from, to, v.c);
    return v;
}
static inline lbLanes3 lanes3_add(lbLanes3 a, lbLanes3 b) {
    return (lbLanes3){{a.c[0] + b.c[0], a.c[1] + b.c[1], a.c[2] + b.c[2]}};
}
static inline lbLanes3 lanes3_sub(lbLanes3 a, lbLanes3 b) {
    return (lbLanes3){{a.c[0] - b.c[0], a.c[1] - b.c[1], a.c[2] - b.c[2]}};
}
static inline lbLanes3 lanes3_scale(lbLanes s, lbLanes3 a) {
    return (lbLanes3){{s * a.c[0], s * a.c[1], s * a.c[2]}};
}
static inline lbLanes lanes3_dot(lbLanes3 a, lbLanes3 b) {
    return a.c[0] * b.c[0] + a.c[1] * b.c[1] + a.c[2] * b.c[2];
}
static inline lbLanes3 lanes3_cross(lbLanes3 a, lbLanes3 b) {
    return (lbLanes3){
        {a.c[1] * b.c[2] - a.c[2] * b.c[1], a.c[2] * b.c[0] - a.c[0] * b.c[2], a.c[0] * b.c[1] - a.c[1] * b.c[0]}};
}
/* One lane. */
static inline float lane_of(lbLanes v, int lane) {
#if LB_LANES == 1
    (void)lane;
    return v;
#else
    return v[lane];
#endif
}
static inline lbVec3 lanes3_of(lbLanes3 v, int lane) {
    return vec3(lane_of(v.c[0], lane), lane_of(v.c[1], lane), lane_of(v.c[2], lane));
}
static inline void lanes3_scatter(float* q, const lbNodeOffset* node, lbLanes3 f) {
    scatter_add(q, node, f.c);
}

#endif
