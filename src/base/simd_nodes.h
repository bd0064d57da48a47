/* Nodes to lanes and back: one node vector's entry in each lane. */
#ifndef LIMBER_SRC_SIMD_NODES_H
#define LIMBER_SRC_SIMD_NODES_H

#include "base/simd.h"

#include <stdint.h>

#if LB_LANES == 1

/* `at` is four times the node's index. */
static inline void gather_nodes(const float* q, const uint32_t* at, lbLanes d[3]) {
    for (int c = 0; c < 3; ++c) {
        d[c] = q[at[0] + (size_t)c];
    }
}
/* x, y, z and a zero to q[stride node]. Lanes without a node (-1) are left out; they come last. */
static inline void store_nodes(float* q, size_t stride, const int* node, const lbLanes d[3]) {
    for (int c = 0; c < 3; ++c) {
        q[stride * (size_t)node[0] + c] = d[c];
    }
    q[stride * (size_t)node[0] + 3] = 0;
}

#else

/* `at` is four times the node's index. */
static inline void gather_nodes(const float* q, const uint32_t* at, lbLanes d[3]) {
    lbLanes row[4];
    for (int i = 0; i < 4; ++i) {
#if LB_LANES == 8
        row[i] = join(load4(q + at[i]), load4(q + at[i + 4]));
#else
        row[i] = load4(q + at[i]);
#endif
    }
    lbLanes xy01 = LANES_LOW_PAIRS(row[0], row[1]), xy23 = LANES_LOW_PAIRS(row[2], row[3]);
    lbLanes zw01 = LANES_HIGH_PAIRS(row[0], row[1]), zw23 = LANES_HIGH_PAIRS(row[2], row[3]);
    d[0] = LANES_LOW_HALVES(xy01, xy23);
    d[1] = LANES_HIGH_HALVES(xy01, xy23);
    d[2] = LANES_LOW_HALVES(zw01, zw23);
}

/* x, y, z and a zero to q[stride node]. Lanes without a node (-1) are left out; they come last. */
static inline void store_nodes(float* q, size_t stride, const int* node, const lbLanes d[3]) {
    lbLanes zero = {0};
    lbLanes xy01 = LANES_LOW_PAIRS(d[0], d[1]), xy23 = LANES_HIGH_PAIRS(d[0], d[1]);
    lbLanes zw01 = LANES_LOW_PAIRS(d[2], zero), zw23 = LANES_HIGH_PAIRS(d[2], zero);
    lbLanes row[4] = {LANES_LOW_HALVES(xy01, zw01), LANES_HIGH_HALVES(xy01, zw01), LANES_LOW_HALVES(xy23, zw23),
                      LANES_HIGH_HALVES(xy23, zw23)};
    for (int i = 0; i < LB_LANES && node[i] >= 0; ++i) {
        float lanes[LB_LANES];
        memcpy(lanes, &row[i % 4], sizeof(lanes));
        store4(q + stride * (size_t)node[i], load4(lanes + i / 4 * 4));
    }
}

#endif

#endif
