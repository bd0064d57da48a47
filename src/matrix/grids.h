/* Nested grids over a body at rest, from which its nodes are interpolated: the coarse spaces of the preconditioner
 * (preconditioner.h).
 *
 * A grid's functions are trilinear and sum to one, so that motions of the whole are among what they can show; and since
 * deformation is nearly uniform within a cell, so are rotations of the deformed body. They know nothing of the mesh but
 * where its nodes are: springs, tetrahedra, cloth and layers are all the same to them.
 *
 * The first grid's cells are about two nodes wide. Each further one's are twice as wide, and its lines are among those
 * of the grid before. */
#ifndef LIMBER_SRC_GRIDS_H
#define LIMBER_SRC_GRIDS_H

#include "matrix/block_matrix.h"
#include "matrix/envelope.h"

enum { mostGrids = 12, cellCorners = 8 };

/* How finer points (nodes, for the first grid) hang on the points of a grid. */
typedef struct lbGrid {
    int pointCount;  /* points that something hangs on */
    int finerCount;  /* of finer points */
    int cellCount;   /* cells that hold finer points */
    int* cellStarts; /* (cellCount + 1) index of each cell's first in `finer` */
    int* finer;      /* (finerCount) finer points, cell by cell */
    float* offsets;  /* (finerCount x 4) where each is in its cell, 0 to 1, in the order of `finer` */
    float* weights;  /* (finerCount x 8) of the corners of its cell, which follow from that; sum to 1 */
    int* corners;    /* (cellCount x 8) the points around each cell; pointCount: one that nothing hangs on */

    /* For matrices: the nodes that lie in each of the grid's cells, and how they hang on it themselves. */
    int nodeCellCount;    /* cells that hold nodes */
    int* nodeCellStarts;  /* (nodeCellCount + 1) index of each cell's first in lbGrids.order */
    int* nodeCellCorners; /* (nodeCellCount x 8) */
    float* nodeWeights;   /* (nodeCount x 8) of the corners of each node's cell, in the order of lbGrids.order */
    float smoothness;     /* how much less a grid's functions change between neighbours than from node to nothing: the
                           * sum over pairs of (phi(a) - phi(b))^2 over the sum of phi(a)^2 + phi(b)^2 */
} lbGrid;

/* The blocks that couple the nodes of two cells of the last grid, `high` at or above `low`. */
typedef struct lbCellPair {
    int high, low;
    int begin, end;                   /* in lbGrids.blocks */
    unsigned highCorners, lowCorners; /* bit k: some node of these blocks hangs on corner k of its cell */
} lbCellPair;

/* A block of the matrix as the last grid sees it. */
typedef struct lbCellBlock {
    int place;  /* in lbBlockMatrix.pairs, ~ for transposed: rows of `row` */
    int row;    /* index in lbGrids.order, of a node in the higher cell */
    int column; /* index in lbGrids.seen, of one in the lower cell */
} lbCellBlock;

typedef struct lbGrids {
    const lbHost* host;
    int nodeCount;
    int gridCount;           /* 0: the body is too small to need any */
    int* order;              /* (nodeCount) nodes, cell by cell, for all grids alike */
    int chunkCount;          /* of cells of the first grid that one piece of a loop handles */
    int* chunkStarts;        /* (chunkCount + 1) first cell of each */
    lbGrid grids[mostGrids]; /* (gridCount) */

    /* Of the last grid, whose matrix is factored. */
    int pairCount;
    lbCellPair* pairs; /* (pairCount) */
    int seenCount;
    int* seen; /* (seenCount) index in `order`: all nodes as their own cells see them, in that order; then those
                * on the sides of a cell as others see them that have them, too */
    float* seenWeights;  /* (seenCount x 8) of the corners of the cell that sees them */
    lbCellBlock* blocks; /* every pair of nodes once, by lbCellPair and row, transposed ones last */
    lbEnvelope envelope;
} lbGrids;

/* Makes grids for the nodes of a pattern; rest: (rowCount x 4) m. */
lbResult lb_create_grids(const lbBlockPattern* pattern, const float* rest, lbGrids** grids);
void lb_destroy_grids(lbGrids* grids);

/* For grids.c: how smooth the grid is that was added last, and whether it is small enough to be factored; if so, all
 * that this needs. False without memory. */
bool lb_finish_grid(lbGrids* grids, const lbBlockPattern* pattern, bool* last);

#endif
