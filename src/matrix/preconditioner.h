/* The preconditioner of conjugate gradients: for each node the inverse of its diagonal block, the same for the points
 * of nested grids over the body, and the exact solution on the last of them.
 *
 *   z = D^-1 r + sum over grids g but the last of  s P_g diag(P_g^T A P_g)^-1 P_g^T r  + t P (P^T A P)^-1 P^T r
 *
 * This is the additive multilevel preconditioner of J. H. Bramble, J. E. Pasciak and J. Xu (Parallel Multilevel
 * Preconditioners, 1990) with the last level solved directly. It departs in that the grids (grids.h) are not those that
 * the mesh was refined from, but laid over it.
 *
 * Where masses outweigh what holds nodes together, so that no motion is shared by many of them, nodes are all. */
#ifndef LIMBER_SRC_PRECONDITIONER_H
#define LIMBER_SRC_PRECONDITIONER_H

#include "matrix/grids.h"

typedef struct lbPreconditioner {
    int count;            /* of nodes */
    double stiffness;     /* how much stiffer than their masses nodes are, in the mean */
    const lbGrids* grids; /* NULL: nodes only */
    float* inverse;       /* (count x 12) inverse blocks of nodes: three columns x, y, z, 0 */
    bool* still;          /* (count) whether the node is held in some direction, in lbGrids.order */
    /* Of each grid: */
    float* pointInverse[mostGrids]; /* (pointCount x 12), not of the last */
    float* residual[mostGrids];     /* ((pointCount + 1) x 4) */
    float* motion[mostGrids];       /* ((pointCount + 1) x 4) the last is zero */
    float* cellSums;                /* (cellCount x 8 x 4) of one grid at a time: what each corner gets */
    lbFactor factor;
    float* solution; /* (8 x tileRowCount) */
    float* sums;     /* scratch of the grids' matrices */
} lbPreconditioner;

/* Room for `count` nodes: three node vectors, and this beside them. `grids` may be NULL. */
size_t lb_grid_bytes(const lbGrids* grids);
lbPreconditioner lb_take_preconditioner(lbArena* arena, int count, const lbGrids* grids);

/* From a matrix. `free`: (count x 4) what is left of a motion of all nodes when held ones are stopped. Grids do not
 * move nodes that have lost any of it: were those that are held in some directions to go with them, a body that is held
 * by such nodes alone would be free to the grids, and their matrices singular. */
void lb_prepare_preconditioner(lbPreconditioner* made, lbTasks* tasks, const lbBlockMatrix* matrix, lbVec3 motion,
                               const float* free);
/* From masses alone, for systems without a matrix. */
void lb_prepare_masses(lbPreconditioner* made, const float* mass);

/* Nodes are handled in pieces, whose order of nodes the grids may choose. */
int lb_piece_count(const lbPreconditioner* made);
typedef struct lbPiece {
    int begin, end;
    const int* order; /* (end - begin) nodes; NULL: begin <= node < end themselves */
} lbPiece;
lbPiece lb_piece(const lbPreconditioner* made, int index);
static inline int lb_piece_node(const lbPiece* piece, int i) {
    return piece->order != NULL ? piece->order[i - piece->begin] : i;
}

/* z = preconditioner times r, in three parts: each piece's share of the grids, the grids, and each piece's nodes. The
 * last returns r.z of the piece. */
void lb_restrict_piece(const lbPreconditioner* made, int index, const float* r);
void lb_solve_grids(const lbPreconditioner* made, lbTasks* tasks);
double lb_precondition_piece(const lbPreconditioner* made, int index, const float* r, float* z);

/* For preconditioner.c: the matrices of grids. */
void lb_sum_point_blocks(const lbPreconditioner* made, lbTasks* tasks, const lbBlockMatrix* matrix, int grid);
void lb_fill_factor(const lbPreconditioner* made, lbTasks* tasks, const lbBlockMatrix* matrix);
size_t lb_grid_sum_bytes(const lbGrids* grids);

/* Inverse blocks (count x 12) of symmetric ones (count x 8): xx, xy, xz, yy, yz, zz. */
void lb_invert_blocks(const float* blocks, int count, float* inverse);
/* The same of LB_LANES blocks (6 x LB_LANES), to the given rows of `inverse`; nothing from the first -1 on. */
void lb_invert_lanes(const float* numbers, const int* rows, float* inverse);

#endif
