/* The part of a tangent that reaches beyond elements: where a force follows from an average over all elements around a
 * node, it answers to nodes several edges away. Written out, its blocks would be many times as many as those of nodes
 * that share an element; as a product of sparse matrices it has the pattern of the latter:
 *
 *   scale B^T H B,  B_ij (3 numbers) how the average at node i answers to the position of node j,
 *                   H_ij (1 number)  how what the average makes at node i answers to the average at node j.
 *
 * Averages do not change when all nodes move alike, so that B_ii is minus the sum of its row, and is not written out:
 * what is multiplied are differences of neighbours, which are small by themselves. */
#ifndef LIMBER_SRC_REACH_H
#define LIMBER_SRC_REACH_H

#include "base/tasks.h"
#include "matrix/node_graph.h"

/* A number for each two neighbours, and for each node with itself. */
typedef struct lbNumberMatrix {
    lbNodeGraph* graph;
    float* values; /* (entryCount x LB_LANES) */
} lbNumberMatrix;

/* out = H in, numbers 0 and 1 of each node, for nodes of chunks begin <= c < end. */
void lb_multiply_numbers(const lbNumberMatrix* matrix, int begin, int end, const float* in, float* out);

/* The same with number 0 beside a node vector x, as the fourth number of `beside`, and number 1 beside p; that may be
 * NULL. */
void lb_multiply_numbers_beside(const lbNumberMatrix* matrix, int begin, int end, const float* in, const float* x,
                                float* beside, const float* p, float* besideP);

typedef struct lbReach {
    const lbHost* host;
    float scale;                    /* 0: reaches nowhere, and costs nothing */
    const lbNumberMatrix* averages; /* H, symmetric */
    float* gradients; /* (entryCount x 6 x LB_LANES) of node i and its neighbour j: B_ij and B_ji, so that a
                         product with B^T, too, reads neighbours and writes each row once */
    float* scratch;   /* (2 x nodeCount x 4) */
} lbReach;

lbResult lb_create_reach(const lbHost* host, const lbNumberMatrix* averages, lbReach** reach);
void lb_destroy_reach(lbReach* reach);

/* Whether there is anything to add to a product. */
static inline bool lb_reaches(const lbReach* reach) {
    return reach != NULL && reach->scale != 0;
}

/* B = 0. */
void lb_zero_reach(const lbReach* reach, lbTasks* tasks);

/* Adds to B_ij; `place` is that of neighbour j of node i, `mirror` the other way round. */
static inline void lb_add_to_reach(const lbReach* reach, int place, int mirror, const float gradient[3]) {
    float* own = reach->gradients + place / LB_LANES * 6 * LB_LANES + place % LB_LANES;
    float* other = reach->gradients + mirror / LB_LANES * 6 * LB_LANES + mirror % LB_LANES;
    for (int c = 0; c < 3; ++c) {
        own[c * LB_LANES] += gradient[c];
        other[(3 + c) * LB_LANES] += gradient[c];
    }
}

/* q += scale B^T H B p. */
void lb_add_reach(const lbReach* reach, lbTasks* tasks, const float* p, float* q);

/* r -= scale B^T H B x, in double: x is (nodeCount x 4). */
void lb_subtract_reach(const lbReach* reach, const double* x, float* r);

/* Adds to each node's block (nodeCount x 6: xx, yy, zz, xy, xz, yz) what is at least the diagonal of scale B^T H B. */
void lb_add_reach_diagonals(const lbReach* reach, lbTasks* tasks, float* blocks);

#endif
