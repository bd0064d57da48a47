/* Numbers of elements added up at their nodes: for lbLaw.measure and lbLaw.shareEnergy. */
#ifndef LIMBER_SRC_NODE_SUMS_H
#define LIMBER_SRC_NODE_SUMS_H

#include "base/node_offset.h"
#include "base/simd.h"

#include <string.h>

/* Adds the value of each lane's element to each of its nodes: node[k] holds the offsets of the elements' node k. */
static inline void lb_add_to_nodes(lbLanes values, int nodesPerElement, const lbNodeOffset (*node)[LB_LANES],
                                   float* sum) {
    float value[LB_LANES];
    memcpy(value, &values, sizeof(value));
    for (int k = 0; k < nodesPerElement; ++k) {
        for (int lane = 0; lane < LB_LANES; ++lane) {
            sum[node[k][lane] / 4] += value[lane];
        }
    }
}

#endif
