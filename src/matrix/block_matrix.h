/* Sparse symmetric matrices of 3x3 blocks, a row and a column of blocks for each node, of forces that depend on how
 * nodes lie to one another:
 *
 *   (A p)_i = w_i p_i + B_i p_i + sum over j of A_ij (p_j - p_i),   A_ji = A_ij^T
 *
 * The diagonal is not written out. It would be the sum of a row, far larger than what is left when neighbours move
 * alike, and its rounding larger than the residuals that solvers are asked for; the differences of neighbours are small
 * by themselves. Few nodes have a block B_i of their own: those that something outside holds on to.
 *
 * Laws add to the block of each pair of nodes once, nine numbers side by side. For products they are packed row by row,
 * both triangles: LB_LANES rows lie side by side, so that a product handles as many rows at once and streams the matrix
 * without a gap ("sliced ELLPACK": Kreutzer et al., A Unified Sparse Matrix Data Format for Efficient General Sparse
 * Matrix-Vector Multiplication on Modern Processors, 2014); it reads neighbours and writes each row once, where half
 * the matrix would have to scatter. */
#ifndef LIMBER_SRC_BLOCK_MATRIX_H
#define LIMBER_SRC_BLOCK_MATRIX_H

#include "base/memory.h"
#include "base/tasks.h"
#include "matrix/slices.h"

/* Which blocks there are. Constant; shared by matrices.
 *
 * A *slice* is LB_LANES rows. An *entry* is one block of each of them. A block is nine numbers row by row, or xx, xy,
 * xz, yy, yz, zz where each block is symmetric by itself (springs): a product is bound by how fast the matrix can be
 * read. A *place* is where a pair's block is in lbBlockMatrix.pairs, and ~place the same block transposed. */
typedef struct lbBlockPattern {
    const lbHost* host;
    int rowCount, sliceCount;
    int numberCount;   /* of a block: 9 or 6 */
    int pairStride;    /* from a pair's block to the next: 9 or 8 */
    int pairCount;     /* pairs of nodes that have a block */
    int entryCount;    /* of all slices */
    int* sliceStarts;  /* (sliceCount + 1) first entry of each slice */
    int* rows;         /* (sliceCount x LB_LANES) which row is in which lane; -1: none */
    uint32_t* own;     /* (sliceCount x LB_LANES) four times the row, where its node is in a node vector; lanes without
                        * a row have the first lane's */
    uint32_t* columns; /* (entryCount x LB_LANES) the same of each block's column; blocks that pad a row have its own */
    int* sources;      /* (entryCount x LB_LANES) place of each block; blocks that pad a row have that of zeros */
    int* slots;        /* (rowCount) index of each row in `rows` */
} lbBlockPattern;

/* B_i: xx, xy, xz, yy, yz, zz. */
typedef struct lbOwnBlock {
    int row;
    float numbers[6];
} lbOwnBlock;

typedef struct lbOwnBlocks {
    int count;
    lbOwnBlock* blocks; /* (rowCount), of which `count` are used */
    int* indexOf;       /* (rowCount) in `blocks`; -1: the row has none */
} lbOwnBlocks;

/* A part of a matrix whose blocks are not written out: its products are found element by element. Whoever owns the
 * matrix brings it. */
typedef struct lbElementPart {
    void (*add)(void* self, lbTasks* tasks, const float* p, float* q);       /* q += A p */
    void (*subtract)(void* self, lbTasks* tasks, const double* x, float* r); /* r -= A x */
    void* self;
    float *first, *second; /* (rowCount x 4) its blocks on the diagonal: xx, xy, xz, 0 and yy, yz, zz, 0; and those of
                              what others add to products by themselves, for the preconditioner */
    float* answers; /* (rowCount x 12) inverses of its blocks on the diagonal and masses, without others: three columns
                       x, y, z, 0 */
} lbElementPart;

typedef struct lbBlockMatrix {
    const lbBlockPattern* pattern;
    float* pairs;   /* ((pairCount + 2) x pairStride) the block of each pair, rows of the lower node; one that is zero;
                     * one for writes that shall have no effect */
    float* values;  /* (entryCount x numberCount x LB_LANES) the same row by row, a block's numbers LB_LANES apart. By
                     * lb_pack_matrix, as all that follows */
    float* weights; /* (sliceCount x LB_LANES) w of each row; 0 in lanes without one */
    float* diagonals; /* (sliceCount x 6 x LB_LANES) w_i I + B_i - sum of A_ij: xx, xy, xz, yy, yz, zz */
    lbOwnBlocks* own;
    struct lbReach* reach;   /* what lies beyond the blocks (matrix/reach.h); NULL: nothing */
    lbElementPart* elements; /* NULL: all blocks are written out */
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
    return (pattern->pairCount + 1) * pattern->pairStride;
}

/* Makes all blocks zero. */
void lb_zero_matrix(const lbBlockMatrix* matrix, lbTasks* tasks);

/* Adds numbers[6] to the own block of a row, or to both blocks of a pair (symmetric ones, as all are that come from
 * outside); without effect where the pattern has no such pair. */
void lb_add_own_block(const lbBlockMatrix* matrix, int row, const float numbers[6]);
void lb_add_pair_block(const lbBlockMatrix* matrix, int row, int column, const float numbers[6]);
/* What the diagonal is of the blocks that are there by now, w_i and B_i left out. */
void lb_sum_row(const lbBlockMatrix* matrix, int row, float numbers[6]);

/* Once all blocks are there: fills the rest. w is `scale` times the row's mass. */
void lb_pack_matrix(const lbBlockMatrix* matrix, lbTasks* tasks, float scale, const float* mass);

/* q = A p, its reach included, node vectors (rowCount x 4). Returns p.q. `partial` is scratch: one number for each
 * lb_chunk_count; NULL: p.q is not wanted. */
double lb_multiply(const lbBlockMatrix* matrix, lbTasks* tasks, const float* p, float* q, double* partial);

/* The same without the weights: q_i = B_i p_i + sum over j of A_ij (p_j - p_i), and the reach. */
void lb_multiply_differences(const lbBlockMatrix* matrix, lbTasks* tasks, const float* p, float* q);

/* r = b - A x in double, x (rowCount x 4). */
void lb_subtract_product(const lbBlockMatrix* matrix, lbTasks* tasks, const double* x, const float* b, float* r);

#endif
