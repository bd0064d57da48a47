/* What a matrix is on the functions of the grids: P^T A P, of the last grid all of it, of the others the blocks on the
 * diagonal. The eight corners of a cell are the lanes. */
#include "base/math.h"
#include "base/simd.h"
#include "matrix/preconditioner.h"

#include <string.h>

enum { pairBatch = 64, pairNumbers = cellCorners * 9 * cellCorners, cellNumbers = 6 * cellCorners, pointNumbers = 8 };

#define INLINE static inline __attribute__((always_inline))

typedef struct GridLoop {
    const lbPreconditioner* made;
    const lbBlockMatrix* matrix;
    const lbGrid* grid;
    int first; /* of a batch */
    float* sums;
} GridLoop;

/* Large enough for both uses. */
size_t lb_grid_sum_bytes(const lbGrids* grids) {
    size_t most = (size_t)pairBatch * pairNumbers;
    for (int g = 0; g + 1 < grids->gridCount; ++g) {
        size_t cells = (size_t)grids->grids[g].nodeCellCount * cellNumbers;
        size_t points = ((size_t)grids->grids[g].pointCount + 1) * pointNumbers;
        most = cells + points > most ? cells + points : most;
    }
    return most * sizeof(float);
}

/* ---- Blocks on the diagonal -------------------------------------------------------------------------------------- */

/* Exactly, a point's block is the sum over pairs of nodes of -A_ij (phi(x_i) - phi(x_j))^2, beside the weights. That
 * would be a loop over all blocks. Instead, differences are taken to be a fixed part of the functions themselves, the
 * grid's smoothness, as they are in the mean:
 *
 *   sum over nodes of phi^2 (w_i I + B_i + smoothness (A_ii - w_i I - B_i))
 *
 * Next to nodes that are fixed, differences are the functions themselves. */
static void sum_cells(void* context, int begin, int end) {
    const GridLoop* loop = context;
    const lbPreconditioner* made = loop->made;
    for (int cell = begin; cell < end; ++cell) {
        lbFloat8 sum[6] = {{0}};
        for (int i = loop->grid->nodeCellStarts[cell]; i < loop->grid->nodeCellStarts[cell + 1]; ++i) {
            int row = made->grids->order[i], slot = loop->matrix->pattern->slots[row];
            int touched = loop->matrix->own->indexOf[row];
            const float* d = loop->matrix->diagonals + (size_t)(slot / LB_LANES) * 6 * LB_LANES + slot % LB_LANES;
            float part = made->still[i] ? 1 : loop->grid->smoothness;
            float own = made->still[i] ? -loop->matrix->weights[slot] : (1 - part) * loop->matrix->weights[slot];
            lbFloat8 weight = load8(loop->grid->nodeWeights + (size_t)cellCorners * (size_t)i);
            lbFloat8 square = weight * weight, scaled = part * square;
            for (int e = 0; e < 6; ++e) {
                sum[e] += scaled * d[e * LB_LANES];
            }
            sum[0] += own * square, sum[3] += own * square, sum[5] += own * square;
            for (int e = 0; touched >= 0 && e < 6; ++e) {
                sum[e] += (1 - part) * square * loop->matrix->own->blocks[touched].numbers[e];
            }
        }
        for (int e = 0; e < 6; ++e) {
            store8(loop->sums + ((size_t)cell * 6 + (size_t)e) * cellCorners, sum[e]);
        }
    }
}

void lb_sum_point_blocks(const lbPreconditioner* made, lbTasks* tasks, const lbBlockMatrix* matrix, int g) {
    const lbGrid* grid = &made->grids->grids[g];
    GridLoop loop = {.made = made, .matrix = matrix, .grid = grid, .sums = made->sums};
    lb_parallel_for(tasks, grid->nodeCellCount, 128, sum_cells, &loop);
    float* blocks = made->sums + (size_t)grid->nodeCellCount * cellNumbers;
    memset(blocks, 0, ((size_t)grid->pointCount + 1) * pointNumbers * sizeof(float));
    for (int i = 0; i < grid->nodeCellCount * cellCorners; ++i) {
        const float* sums = made->sums + (size_t)(i / cellCorners) * cellNumbers + i % cellCorners;
        float* block = blocks + (size_t)grid->nodeCellCorners[i] * pointNumbers;
        for (int e = 0; e < 6; ++e) {
            block[e] += sums[e * cellCorners];
        }
    }
    lb_invert_blocks(blocks, grid->pointCount, made->pointInverse[g]);
}

/* ---- The last grid's matrix -------------------------------------------------------------------------------------- */

/* Where row r, column c of a block is among its numbers. */
static const int nine[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, turned[9] = {0, 3, 6, 1, 4, 7, 2, 5, 8},
                 six[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};

/* Up to four nodes of a cell at once: what is added up for a pair of cells then passes by once for all of them. */
enum { rowBatch = 4 };
typedef struct Rows {
    int count;
    const float* weights[rowBatch];
    lbFloat8 sum[rowBatch][9]; /* sum over j of A_ij phi_b(x_j) */
} Rows;

/* sum += A_ij phi_b(x_j), over blocks whose places are all turned or all not; returns the index of the next block. */
INLINE int add_columns(const GridLoop* loop, int b, int end, const int number[9], bool negative, lbFloat8 sum[9]) {
    const lbGrids* grids = loop->made->grids;
    for (; b < end && (grids->blocks[b].place < 0) == negative; ++b) {
        const lbCellBlock* block = &grids->blocks[b];
        if (loop->made->still[grids->seen[block->column]]) {
            continue;
        }
        lbFloat8 there = load8(grids->seenWeights + (size_t)cellCorners * (size_t)block->column);
        const float* k = loop->matrix->pairs + (negative ? ~block->place : block->place);
        for (int e = 0; e < 9; ++e) {
            sum[e] += there * k[number[e]];
        }
    }
    return b;
}

INLINE void set_zero(lbFloat8 sum[9]) {
    const lbFloat8 zero = {0};
    for (int e = 0; e < 9; ++e) {
        sum[e] = zero;
    }
}

/* Half of A_ii phi_b(x_i): the mirror image adds the other half. */
INLINE void set_diagonal(const GridLoop* loop, int row, lbFloat8 sum[9]) {
    int slot = loop->matrix->pattern->slots[loop->made->grids->order[row]];
    const float* d = loop->matrix->diagonals + (size_t)(slot / LB_LANES) * 6 * LB_LANES + slot % LB_LANES;
    lbFloat8 half = 0.5f * load8(loop->grid->nodeWeights + (size_t)cellCorners * (size_t)row);
    for (int e = 0; e < 9; ++e) {
        sum[e] = half * d[six[e] * LB_LANES];
    }
}

/* out[a][e] += phi_a(x_i) sum[e] of all rows. */
static void add_rows(Rows* rows, float* out) {
    static const float none[cellCorners];
    for (int i = rows->count; i < rowBatch; ++i) {
        rows->weights[i] = none;
        set_zero(rows->sum[i]);
    }
    rows->count = 0;
    for (int a = 0; a < cellCorners; ++a, out += 9 * cellCorners) {
        const lbFloat8 zero = {0};
        lbFloat8 w0 = zero + rows->weights[0][a], w1 = zero + rows->weights[1][a], w2 = zero + rows->weights[2][a],
                 w3 = zero + rows->weights[3][a];
        for (int e = 0; e < 9; ++e) {
            lbFloat8 even = w0 * rows->sum[0][e] + w2 * rows->sum[2][e];
            lbFloat8 odd = load8(out + e * cellCorners) + w1 * rows->sum[1][e] + w3 * rows->sum[3][e];
            store8(out + e * cellCorners, even + odd);
        }
    }
}

/* One node of the higher cell with all its blocks of the pair; returns the index of the next block. */
static int add_node(const GridLoop* loop, const lbCellPair* pair, int row, int b, Rows* rows, float* out) {
    const lbGrids* grids = loop->made->grids;
    int end = b;
    while (end < pair->end && grids->blocks[end].row == row) {
        ++end;
    }
    if (loop->made->still[row]) {
        return end;
    }
    lbFloat8 sum[9];
    if (pair->high == pair->low) {
        set_diagonal(loop, row, sum);
    } else {
        set_zero(sum);
    }
    if (loop->matrix->pattern->numberCount == 6) {
        b = add_columns(loop, b, end, six, false, sum);
        add_columns(loop, b, end, six, true, sum);
    } else {
        b = add_columns(loop, b, end, nine, false, sum);
        add_columns(loop, b, end, turned, true, sum);
    }
    for (int e = 0; e < 9; ++e) {
        rows->sum[rows->count][e] = sum[e];
    }
    rows->weights[rows->count++] = loop->grid->nodeWeights + (size_t)cellCorners * (size_t)row;
    if (rows->count == rowBatch) {
        add_rows(rows, out);
    }
    return end;
}

static void sum_pair(const GridLoop* loop, const lbCellPair* pair, float* out) {
    const lbGrids* grids = loop->made->grids;
    Rows rows;
    rows.count = 0;
    const lbFloat8 zero = {0};
    for (int i = 0; i < pairNumbers; i += cellCorners) {
        store8(out + i, zero);
    }
    int b = pair->begin;
    if (pair->high == pair->low) { /* nodes without blocks have a diagonal all the same */
        for (int i = loop->grid->nodeCellStarts[pair->high]; i < loop->grid->nodeCellStarts[pair->high + 1]; ++i) {
            b = add_node(loop, pair, i, b, &rows, out);
        }
    } else {
        while (b < pair->end) {
            b = add_node(loop, pair, grids->blocks[b].row, b, &rows, out);
        }
    }
    if (rows.count > 0) {
        add_rows(&rows, out);
    }
}

static void sum_pairs(void* context, int begin, int end) {
    const GridLoop* loop = context;
    for (int i = begin; i < end; ++i) {
        sum_pair(loop, &loop->made->grids->pairs[loop->first + i], loop->sums + (size_t)i * pairNumbers);
    }
}

/* Adds the block of two points, or its mirror image, where it is below the diagonal; both on the diagonal, of which
 * what is above it would lie in another tile. */
INLINE void add_point_block(const lbFactor* factor, int a, int b, const float* numbers) {
    const int *rows = factor->envelope->rowStarts, *rowA = rows + 3 * (size_t)a, *rowB = rows + 3 * (size_t)b;
    if (a >= b) {
        float* lower = factor->lower + 3 * tileSize * b;
        for (int e = 0; e < 9; ++e) {
            if (a > b || e / 3 >= e % 3) {
                lower[rowA[e / 3] + tileSize * (e % 3)] += numbers[e * cellCorners];
            }
        }
    }
    if (a <= b) {
        float* lower = factor->lower + 3 * tileSize * a;
        for (int e = 0; e < 9; ++e) {
            if (a < b || e % 3 >= e / 3) {
                lower[rowB[e % 3] + tileSize * (e / 3)] += numbers[e * cellCorners];
            }
        }
    }
}

static void add_pair(const GridLoop* loop, const lbCellPair* pair, const float* sums) {
    const int *high = loop->grid->nodeCellCorners + (size_t)pair->high * cellCorners,
              *low = loop->grid->nodeCellCorners + (size_t)pair->low * cellCorners;
    for (int a = 0; a < cellCorners; ++a) {
        for (int b = 0; b < cellCorners; ++b) {
            if ((pair->highCorners >> a & 1) != 0 && (pair->lowCorners >> b & 1) != 0) {
                add_point_block(&loop->made->factor, high[a], low[b], sums + a * 9 * cellCorners + b);
            }
        }
    }
}

/* Batch by batch: sums on all threads, added up by one, in one order. */
void lb_fill_factor(const lbPreconditioner* made, lbTasks* tasks, const lbBlockMatrix* matrix) {
    const lbGrids* grids = made->grids;
    GridLoop loop = {.made = made, .matrix = matrix, .grid = &grids->grids[grids->gridCount - 1], .sums = made->sums};
    lb_zero_factor(&made->factor);
    for (loop.first = 0; loop.first < grids->pairCount; loop.first += pairBatch) {
        int count = int_min(pairBatch, grids->pairCount - loop.first);
        lb_parallel_for(tasks, count, 8, sum_pairs, &loop);
        for (int i = 0; i < count; ++i) {
            add_pair(&loop, &grids->pairs[loop.first + i], loop.sums + (size_t)i * pairNumbers);
        }
    }
}
