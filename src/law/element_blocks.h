/* Blocks of an element of three or four nodes, from its response to unit motions of its nodes; for the laws whose
 * forces depend on edges e_i = x_i - x_0. */
#ifndef LIMBER_SRC_ELEMENT_BLOCKS_H
#define LIMBER_SRC_ELEMENT_BLOCKS_H

#include "law/block_matrix.h"
#include "law/lanes3.h"

enum { mostEdges = 3 };

/* Columns of the blocks between nodes i + 1 and j + 1: how the force on the one answers to a motion of the other. The
 * rest follows, since forces sum to zero and do not change when all nodes move alike. */
typedef struct lbElementBlocks {
    lbLanes3 column[mostEdges][mostEdges][3];
} lbElementBlocks;

/* Node 0 with node j + 1: minus the sum over all others. */
static inline lbLanes3 lb_first_node_column(const lbElementBlocks* blocks, int edgeCount, int j, int c) {
    lbLanes3 sum = blocks->column[0][j][c];
    for (int i = 1; i < edgeCount; ++i) {
        sum = lanes3_add(sum, blocks->column[i][j][c]);
    }
    return lanes3_scale(LANES_ALL(-1.0f), sum);
}

/* Adds one column to a block, and to its mirror image as a row. */
static inline void lb_scatter_column(lbLanes3 column, int c, const int* places, float* values) {
    for (int r = 0; r < 3; ++r) {
        float numbers[LB_LANES];
        memcpy(numbers, &column.c[r], sizeof(numbers));
        for (int lane = 0; lane < LB_LANES; ++lane) {
            values[places[lane] + (3 * r + c) * LB_LANES] += numbers[lane];
            values[places[LB_LANES + lane] + (3 * c + r) * LB_LANES] += numbers[lane];
        }
    }
}

/* `places` are the batch's, as lbLaw.assemble has them. */
static inline void lb_scatter_blocks(const lbElementBlocks* blocks, int edgeCount, const int* places, float* values) {
    for (int p = 0; p <= edgeCount; ++p) {
        for (int q = p + 1; q <= edgeCount; ++q) {
            for (int c = 0; c < 3; ++c) {
                lbLanes3 column =
                    p == 0 ? lb_first_node_column(blocks, edgeCount, q - 1, c) : blocks->column[p - 1][q - 1][c];
                lb_scatter_column(column, c, places, values);
            }
            places += 2 * LB_LANES;
        }
    }
}

/* A unit motion of one node along axis c; none of the others. */
static inline void lb_unit_motion(int edgeCount, int j, int c, lbLanes3* dp) {
    for (int k = 0; k < 3 * edgeCount; ++k) {
        dp[k / 3].c[k % 3] = LANES_ALL(k == 3 * j + c ? 1.0f : 0.0f);
    }
}

#endif
