/* Blocks of an element of three or four nodes, from its response to unit motions of its nodes; for the laws whose
 * forces depend on edges e_i = x_i - x_0. */
#ifndef LIMBER_SRC_ELEMENT_BLOCKS_H
#define LIMBER_SRC_ELEMENT_BLOCKS_H

#include "law/lanes3.h"
#include "matrix/block_matrix.h"

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

/* Adds a block of `count` numbers (9 or 6, as lbBlockPattern has them) in each lane to its pair's. Blocks of neighbours
 * stand side by side, so that a block is mostly one load and one store. */
static inline __attribute__((always_inline)) void lb_add_blocks(const lbLanes* numbers, int count, const int* places,
                                                                float* pairs) {
    float* blocks[LB_LANES];
    for (int lane = 0; lane < LB_LANES; ++lane) {
        blocks[lane] = pairs + (places[lane] ^ (places[lane] >> 31)); /* ~place of those that are negative */
    }
    for (int first = 0; first < count; first += LB_LANES) {
        int width = count - first < LB_LANES ? count - first : LB_LANES;
        if (width > 1 || LB_LANES == 1) {
            lbLanes rows[LB_LANES];
            for (int e = 0; e < LB_LANES; ++e) {
                rows[e] = e < width ? numbers[first + e] : LANES_ALL(0.0f); /* six numbers stand eight apart */
            }
            lanes_transpose(rows);
            for (int lane = 0; lane < LB_LANES; ++lane) {
                lanes_store(blocks[lane] + first, lanes_load(blocks[lane] + first) + rows[lane]);
            }
        } else {
            float last[LB_LANES];
            lanes_store(last, numbers[first]);
            for (int lane = 0; lane < LB_LANES; ++lane) {
                blocks[lane][first] += last[lane];
            }
        }
    }
}

/* Nine numbers, row by row, turned round where the place says so. */
static inline __attribute__((always_inline)) void lb_add_nine(lbLanes numbers[9], const int* places, float* pairs) {
    lanes_swap_negative(places, &numbers[1], &numbers[3]);
    lanes_swap_negative(places, &numbers[2], &numbers[6]);
    lanes_swap_negative(places, &numbers[5], &numbers[7]);
    lb_add_blocks(numbers, 9, places, pairs);
}

/* Adds the blocks of batch `index`; `places` as lbLaw.assemble has them. */
static inline void lb_scatter_blocks(const lbElementBlocks* blocks, int edgeCount, const int* places, int index,
                                     const lbBlockMatrix* matrix) {
    places += (size_t)index * (size_t)(edgeCount * (edgeCount + 1) / 2) * LB_LANES;
    for (int p = 0; p <= edgeCount; ++p) {
        for (int q = p + 1; q <= edgeCount; ++q) {
            lbLanes numbers[9];
            for (int c = 0; c < 3; ++c) {
                lbLanes3 column =
                    p == 0 ? lb_first_node_column(blocks, edgeCount, q - 1, c) : blocks->column[p - 1][q - 1][c];
                for (int r = 0; r < 3; ++r) {
                    numbers[3 * r + c] = column.c[r];
                }
            }
            lb_add_nine(numbers, places, matrix->pairs);
            places += LB_LANES;
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
