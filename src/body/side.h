/* A side of a contact or a hold: a point of a body's surface, as velocities and impulses see it. */
#ifndef LIMBER_SRC_SIDE_H
#define LIMBER_SRC_SIDE_H

#include "base/float4.h"
#include "base/math.h"

typedef struct lbBody lbBody;

/* A step of a body. */
typedef struct lbStep {
    double time, h;   /* s: when it begins, and how long it is */
    float begin, end; /* the same as shares of the frame */
    bool touched;     /* something may push the body in it */
} lbStep;

/* A place on the skin: a weighted sum of skin points. A skin point itself: weights 1, 0, 0. */
typedef struct lbSurfacePoint {
    int corner[3];
    float weight[3];
} lbSurfacePoint;

static inline lbSurfacePoint lb_at_skin_point(int point) {
    return (lbSurfacePoint){{point, point, point}, {1, 0, 0}};
}

enum { lb_sideOfModes = -1 };
enum { lb_mostSideNodes = 24 }; /* three corners of a triangle, each on the eight of a hexahedron */

/* A side is a linear form H of its body's velocities, bound anew in each step (lbBodyOps.bindSkin, bindPoint). Either
 * it is carried by nodes, u = sum of weight x v(node), or by a frame that moves as a whole, u = v + w x arm, or by
 * modes, u = sum of phi_k q_k', whose phi_k the body knows (lbBodyOps.gatherModes). A body's velocities are vectors of
 * 4 numbers: those of its nodes, the frame's v and w, or three rates q' in each. */
typedef struct lbSide {
    lbBody* body; /* NULL: a point that nothing moves */
    int count;    /* nodes that carry it; 0: a frame; lb_sideOfModes: modes */
    int node[lb_mostSideNodes];
    float weight[lb_mostSideNodes];
    lbVec3 arm;   /* m, from the frame's centre; of a side that nodes carry: how far it is from where they have it */
    lbVec3 drift; /* m/s, by which that changes, whatever pushes; of bodies whose skins can be away from nodes */
    const lbStep* step; /* that it is bound in */
} lbSide;

/* A side as it is where nothing but its nodes' masses resists: pushing it is  q += answer x impulse  at each of its
 * nodes, and it moves by the sum of  weight x q. */
enum { lb_mostPlainNodes = 4 };

typedef struct lbPlainSide {
    float* q; /* (nodes x 4) m/s */
    int count;
    int node[lb_mostPlainNodes];
    float weight[lb_mostPlainNodes];
    float answer[lb_mostPlainNodes]; /* 1/kg: weight by mass */
} lbPlainSide;

/* Sides of modes (body.c). */
lbVec3 lb_side_gather_modes(const lbSide* side, const float* q);
lbVec3 lb_side_gather_modes_exactly(const lbSide* side, const double* q);
void lb_side_scatter_modes(const lbSide* side, lbVec3 p, float* q);

/* H q of velocities q (nodes x 4). */
static inline lbVec3 lb_side_gather(const lbSide* side, const float* q) {
    if (side->count == 0) {
        return vec3_add(vec3_load(q), vec3_cross(vec3_load(q + 4), side->arm));
    }
    if (side->count == lb_sideOfModes) {
        return lb_side_gather_modes(side, q);
    }
    lbFloat4 sum = {0};
    for (int k = 0; k < side->count; ++k) {
        sum += side->weight[k] * load4(q + 4 * (size_t)side->node[k]);
    }
    return vec3(sum[0], sum[1], sum[2]);
}

/* q += H^T p */
static inline void lb_side_scatter(const lbSide* side, lbVec3 p, float* q) {
    if (side->count == 0) {
        vec3_store(q, vec3_add(vec3_load(q), p));
        vec3_store(q + 4, vec3_add(vec3_load(q + 4), vec3_cross(side->arm, p)));
        return;
    }
    if (side->count == lb_sideOfModes) {
        lb_side_scatter_modes(side, p, q);
        return;
    }
    const lbFloat4 all = {p.x, p.y, p.z, 0};
    for (int k = 0; k < side->count; ++k) {
        float* at = q + 4 * (size_t)side->node[k];
        store4(at, load4(at) + side->weight[k] * all);
    }
}

#endif
