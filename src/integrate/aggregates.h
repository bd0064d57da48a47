/* The preconditioner of conjugate gradients: for each node the inverse of its diagonal block, and the same for the
 * motion as a whole of 8, 64 and 512 neighbouring nodes.
 *
 *   z = sum over levels l of  P_l diag(P_l^T A P_l)^-1 P_l^T r,  P_l copies a group's motion to its nodes
 *
 * This is the additive multilevel preconditioner of J. H. Bramble, J. E. Pasciak and J. Xu (Parallel Multilevel
 * Preconditioners, 1990) on groups instead of grids: it departs in that motions are constant in a group. Nodes follow
 * a space-filling curve (mesh/order.c), so groups are runs of nodes, and all levels of a run of 512 nodes are handled
 * while it is in the nearest cache. */
#ifndef LIMBER_SRC_AGGREGATES_H
#define LIMBER_SRC_AGGREGATES_H

#include "law/block_matrix.h"

enum { groupSize = 8, groupLevels = 3 };

typedef struct lbAggregates {
    int count;
    /* Inverse blocks of nodes ([0]) and of groups of 8, 64 and 512 nodes: (groups x 12), three columns x, y, z, 0. */
    float* inverse[1 + groupLevels];
    bool grouped; /* false: nodes only */
} lbAggregates;

/* Takes room for `count` nodes: at most 5 node vectors. */
lbAggregates lb_take_aggregates(lbArena* arena, int count);

/* From a matrix. Directions that are held (zero rows) get what does no harm. */
void lb_prepare_aggregates(lbAggregates* aggregates, lbTasks* tasks, const lbBlockMatrix* matrix);
/* From masses alone, for systems without a matrix. */
void lb_prepare_masses(lbAggregates* aggregates, const float* mass);

/* z = preconditioner times r for nodes of one chunk, matrixChunk nodes; returns r.z of them, and r.r in *rr. */
double lb_precondition_chunk(const lbAggregates* aggregates, int chunk, const float* r, float* z, double* rr);

#endif
