/* Sparse symmetric matrices of 3x3 blocks, a row and a column of blocks for each node.
 *
 * LB_LANES rows lie side by side, so that a product handles as many rows at once and streams the matrix without a
 * gap ("sliced ELLPACK": Kreutzer et al., A Unified Sparse Matrix Data Format for Efficient General Sparse
 * Matrix-Vector Multiplication on Modern Processors, 2014). Both triangles are stored: a product then reads neighbours
 * and writes each row once, where half the matrix would have to scatter. */
#ifndef LIMBER_SRC_BLOCK_MATRIX_H
#define LIMBER_SRC_BLOCK_MATRIX_H

#include "base/memory.h"
#include "base/tasks.h"

/* Rows that one piece of a loop handles. Sums are added up piece by piece, so that they do not depend on threads; rows
 * are sorted by length within a piece, so that the rows of a slice are of about one length. */
enum { matrixChunk = 512 };

/* Which blocks there are. Constant; shared by matrices.
 *
 * A *slice* is LB_LANES rows. An *entry* is one block of each of them; the first of a slice's entries holds the
 * diagonal. A *place* is where a block's first number is in `values`; the others follow at a distance of LB_LANES: all
 * nine row by row, or xx, xy, xz, yy, yz, zz where each block is symmetric by itself (springs): a product is bound by
 * how fast the matrix can be read. */
typedef struct lbBlockPattern {
    const lbHost* host;
    int rowCount, sliceCount;
    int numberCount;   /* of a block: 9 or 6 */
    int entryCount;    /* of all slices; one more is there for writes that shall have no effect */
    int* sliceStarts;  /* (sliceCount + 1) first entry of each slice */
    int* rows;         /* (sliceCount x LB_LANES) which row is in which lane; -1: none */
    uint32_t* columns; /* (entryCount x LB_LANES) four times the column, where its node is in a node vector; blocks that
                        * pad a row have its own column and are zero */
    int* slots;        /* (rowCount) index of each row in `rows` */
} lbBlockPattern;

typedef struct lbBlockMatrix {
    const lbBlockPattern* pattern;
    float* values;         /* ((entryCount + 1) x numberCount x LB_LANES) */
    struct lbReach* reach; /* what lies beyond the blocks (law/reach.h); NULL: nothing */
} lbBlockMatrix;

/* Two nodes whose blocks are there. */
typedef struct lbNodePair {
    int a, b;
} lbNodePair;

/* Pairs may come twice, either way round; a pair of one node with itself is passed over. */
lbResult lb_create_pattern(const lbHost* host, int rowCount, const lbNodePair* pairs, int64_t pairCount,
                           bool symmetricBlocks, lbBlockPattern** pattern);
void lb_destroy_pattern(lbBlockPattern* pattern);

lbResult lb_create_matrix(const lbBlockPattern* pattern, lbBlockMatrix* matrix);
void lb_destroy_matrix(lbBlockMatrix* matrix);

/* Where the block of a row and a column is; the place without effect if the pattern has none. */
int lb_block_place(const lbBlockPattern* pattern, int row, int column);
static inline int lb_place_without_effect(const lbBlockPattern* pattern) {
    return pattern->entryCount * pattern->numberCount * LB_LANES;
}

void lb_zero_matrix(const lbBlockMatrix* matrix, lbTasks* tasks);

/* Once all blocks beside the diagonal are there: adds to each diagonal block `scale` times the row's mass, and takes
 * away the sum of the row. Forces that do not change when all nodes move alike have rows that sum to zero, so laws
 * need not write diagonal blocks. */
void lb_complete_diagonals(const lbBlockMatrix* matrix, lbTasks* tasks, float scale, const float* mass);

/* Makes the row and the column of a node zero. */
void lb_remove_node(const lbBlockMatrix* matrix, int node);

/* q = A p, its reach included, node vectors (rowCount x 4). Returns p.q. `partial` is scratch: one number for each
 * lb_chunk_count. */
double lb_multiply(const lbBlockMatrix* matrix, lbTasks* tasks, const float* p, float* q, double* partial);

static inline int lb_chunk_count(int rowCount) {
    return (rowCount + matrixChunk - 1) / matrixChunk;
}

#endif
