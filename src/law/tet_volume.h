/* Signed volumes of tetrahedra, V = e1 . (e2 x e3) / 6 with e_i = x_i - x_0, and how they change. */
#ifndef LIMBER_SRC_TET_VOLUME_H
#define LIMBER_SRC_TET_VOLUME_H

#include "law/lanes3.h"

typedef struct lbTetVolume {
    lbLanes3 e[3];        /* e1, e2, e3; m */
    lbLanes3 gradient[4]; /* of `scale` times 6 V with the positions of the nodes */
    lbLanes volume;       /* `scale` times 6 V */
} lbTetVolume;

static inline void tet_edges(const lbNodeOffset (*node)[LB_LANES], const float* q, lbLanes3 e[3]) {
    for (int k = 0; k < 3; ++k) {
        e[k] = lanes3_difference(q, node[0], node[k + 1]);
    }
}

/* The same, and the sum of the fourth number of q over the four nodes. */
static inline void tet_edges_and_sum(const lbNodeOffset (*node)[LB_LANES], const float* q, lbLanes3 e[3],
                                     lbLanes* sum) {
    lbLanes d[3][3];
    gather_edges_and_sum(q, node, d, sum);
    memcpy(e, d, sizeof(d));
}

/* From m.e. `scale`: 1/6 for volumes as they are. */
static inline lbTetVolume tet_volume_of_edges(lbTetVolume m, lbLanes scale) {
    m.gradient[0] = (lbLanes3){{LANES_ALL(0.0f), LANES_ALL(0.0f), LANES_ALL(0.0f)}};
    for (int k = 0; k < 3; ++k) {
        m.gradient[k + 1] = lanes3_scale(scale, lanes3_cross(m.e[(k + 1) % 3], m.e[(k + 2) % 3]));
        m.gradient[0] = lanes3_sub(m.gradient[0], m.gradient[k + 1]);
    }
    m.volume = lanes3_dot(m.e[0], m.gradient[1]);
    return m;
}

static inline lbTetVolume tet_volume(const lbNodeOffset (*node)[LB_LANES], lbLanes scale, const float* x) {
    lbTetVolume m;
    tet_edges(node, x, m.e);
    return tet_volume_of_edges(m, scale);
}

/* sum_i gradient_i . p_i, from differences dp_i = p_i - p_0. */
static inline lbLanes tet_volume_change(const lbTetVolume* m, const lbLanes3 dp[3]) {
    return lanes3_dot(m->gradient[1], dp[0]) + lanes3_dot(m->gradient[2], dp[1]) + lanes3_dot(m->gradient[3], dp[2]);
}

/* How gradients of nodes 1, 2, 3 turn: d(6 grad_k V). */
static inline lbLanes3 tet_volume_turning(const lbTetVolume* m, int k, const lbLanes3 dp[3]) {
    int l = (k + 1) % 3, n = (k + 2) % 3;
    return lanes3_add(lanes3_cross(dp[l], m->e[n]), lanes3_cross(m->e[l], dp[n]));
}

#endif
