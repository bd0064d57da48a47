/* What follows from a grid and a matrix's pattern: how smooth the grid is, and of the last grid, whose matrix is
 * assembled and factored, which blocks couple which of its cells, and the envelope. */
#include "matrix/grids.h"

#include "base/math.h"

#include <stdlib.h>
#include <string.h>

/* Multiplications of the factorisation for each pair of nodes: what a solution of some twenty iterations can afford. */
static const double affordableWork = 150;

static void find_cells_of_nodes(const lbGrids* grids, const lbGrid* grid, int* cellOf, int* indexOf) {
    for (int cell = 0; cell < grid->nodeCellCount; ++cell) {
        for (int i = grid->nodeCellStarts[cell]; i < grid->nodeCellStarts[cell + 1]; ++i) {
            cellOf[grids->order[i]] = cell;
            indexOf[grids->order[i]] = i;
        }
    }
}

/* ---- Smoothness -------------------------------------------------------------------------------------------------- */

/* Sum over all points of phi(a) phi(b). */
static double common_weight(const lbGrid* grid, const int* cellOf, const int* indexOf, int a, int b) {
    const float *p = grid->nodeWeights + (size_t)indexOf[a] * cellCorners,
                *q = grid->nodeWeights + (size_t)indexOf[b] * cellCorners;
    double sum = 0;
    for (int i = 0; i < cellCorners; ++i) {
        for (int k = 0; k < cellCorners && p[i] > 0; ++k) {
            bool same = grid->nodeCellCorners[(size_t)cellOf[a] * cellCorners + (size_t)i] ==
                        grid->nodeCellCorners[(size_t)cellOf[b] * cellCorners + (size_t)k];
            sum += same ? (double)p[i] * (double)q[k] : 0;
        }
    }
    return sum;
}

static float measure_smoothness(const lbBlockPattern* pattern, const lbGrid* grid, const int* cellOf,
                                const int* indexOf) {
    double changes = 0, sizes = 0;
    for (int i = 0; i < pattern->sliceCount * LB_LANES; ++i) {
        int a = (int)(pattern->own[i] / 4);
        double own = common_weight(grid, cellOf, indexOf, a, a);
        for (int entry = pattern->sliceStarts[i / LB_LANES]; entry < pattern->sliceStarts[i / LB_LANES + 1]; ++entry) {
            int b = (int)(pattern->columns[entry * LB_LANES + i % LB_LANES] / 4);
            if (a != b) {
                sizes += own; /* pairs come twice */
                changes += own - common_weight(grid, cellOf, indexOf, a, b);
            }
        }
    }
    return sizes > 0 ? (float)(changes / sizes) : 1;
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

typedef struct SortedBlock {
    int high, low;   /* cells */
    int place;       /* as in lbCellBlock */
    int row, column; /* indices of nodes in lbGrids.order */
} SortedBlock;

/* What blocks are listed from. */
typedef struct BlockList {
    const lbBlockPattern* pattern;
    const lbGrid* grid;
    const int *cellOf, *indexOf; /* (nodeCount) */
} BlockList;

static int compare_blocks(const void* left, const void* right) {
    const SortedBlock *p = left, *q = right;
    const int a[5] = {p->high, p->low, p->row, p->place < 0, p->column};
    const int b[5] = {q->high, q->low, q->row, q->place < 0, q->column};
    for (int i = 0; i < 5; ++i) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

/* The weights by which a node hangs on a cell's corners; false if it hangs on others, too. Nodes on a side of their
 * cell hang on those of the side alone, which the cell beyond has as well. */
static bool see_node(const BlockList* list, int cell, int node, float weights[cellCorners]) {
    const lbGrid* grid = list->grid;
    const float* own = grid->nodeWeights + (size_t)list->indexOf[node] * cellCorners;
    const int *corners = grid->nodeCellCorners + (size_t)cell * cellCorners,
              *ownCorners = grid->nodeCellCorners + (size_t)list->cellOf[node] * cellCorners;
    memset(weights, 0, cellCorners * sizeof(float));
    for (int k = 0; k < cellCorners; ++k) {
        int same = 0;
        while (same < cellCorners && corners[same] != ownCorners[k]) {
            ++same;
        }
        if (own[k] > 0 && same == cellCorners) {
            return false;
        }
        if (own[k] > 0) {
            weights[same] = own[k];
        }
    }
    return true;
}

/* In one cell if there is one that sees both nodes. */
static SortedBlock sort_block(const BlockList* list, int place, int row, int column) {
    int rowCell = list->cellOf[row], columnCell = list->cellOf[column];
    float weights[cellCorners];
    bool rowSees = see_node(list, rowCell, column, weights), columnSees = see_node(list, columnCell, row, weights);
    bool turned = !rowSees && (columnSees || columnCell > rowCell);
    int high = turned ? columnCell : rowCell, low = turned ? rowCell : columnCell;
    return (SortedBlock){.high = high,
                         .low = rowSees || columnSees ? high : low,
                         .place = turned ? ~place : place,
                         .row = list->indexOf[turned ? column : row],
                         .column = list->indexOf[turned ? row : column]};
}

/* Every pair of nodes once. */
static void list_blocks(const BlockList* list, SortedBlock* blocks) {
    const lbBlockPattern* pattern = list->pattern;
    int count = 0;
    for (int i = 0; i < pattern->sliceCount * LB_LANES; ++i) {
        int row = pattern->rows[i];
        for (int entry = pattern->sliceStarts[i / LB_LANES]; entry < pattern->sliceStarts[i / LB_LANES + 1]; ++entry) {
            int column = (int)(pattern->columns[entry * LB_LANES + i % LB_LANES] / 4);
            int place = pattern->sources[entry * LB_LANES + i % LB_LANES];
            if (row >= 0 && column != row && place >= 0) { /* not padding, not the other way round */
                blocks[count++] = sort_block(list, place, row, column);
            }
        }
    }
    qsort(blocks, (size_t)count, sizeof(SortedBlock), compare_blocks);
}

/* Finds the columns' places in `seen`. A node that a cell sees beside its own is entered when its first block comes. */
static bool fill_seen(lbGrids* grids, const BlockList* list, const SortedBlock* sorted) {
    int count = list->pattern->pairCount, most = grids->nodeCount;
    for (int i = 0; i < count; ++i) {
        most += sorted[i].low != list->cellOf[grids->order[sorted[i].column]];
    }
    int* entered = LB_NEW(grids->host, int, grids->nodeCount);
    grids->seen = LB_NEW(grids->host, int, most);
    grids->seenWeights = LB_NEW(grids->host, float, (int64_t)most* cellCorners);
    bool enough = entered != NULL && grids->seen != NULL && grids->seenWeights != NULL;
    for (int i = 0; enough && i < grids->nodeCount; ++i) {
        grids->seen[i] = entered[i] = i;
    }
    if (enough) {
        memcpy(grids->seenWeights, list->grid->nodeWeights, (size_t)grids->nodeCount * cellCorners * sizeof(float));
        grids->seenCount = grids->nodeCount;
    }
    for (int i = 0, first = grids->nodeCount; enough && i < count; ++i) {
        int own = sorted[i].column, node = grids->order[own];
        first = i == 0 || sorted[i].low != sorted[i - 1].low ? grids->seenCount : first;
        bool other = sorted[i].low != list->cellOf[node];
        if (other && entered[own] < first) {
            see_node(list, sorted[i].low, node, grids->seenWeights + (size_t)grids->seenCount * cellCorners);
            grids->seen[grids->seenCount] = own;
            entered[own] = grids->seenCount++;
        }
        grids->blocks[i] = (lbCellBlock){sorted[i].place, sorted[i].row, other ? entered[own] : own};
    }
    lb_release(grids->host, entered);
    return enough;
}

static bool same_cells(const SortedBlock* a, const SortedBlock* b) {
    return a->high == b->high && a->low == b->low;
}

/* Each cell is paired with itself, whether it has blocks of its own or not. */
static bool fill_pairs(lbGrids* grids, const lbGrid* grid, const SortedBlock* sorted, int count) {
    int most = grid->nodeCellCount;
    for (int i = 0; i < count; ++i) {
        most += sorted[i].high != sorted[i].low && (i == 0 || !same_cells(&sorted[i], &sorted[i - 1]));
    }
    grids->pairs = LB_NEW(grids->host, lbCellPair, most);
    if (grids->pairs == NULL) {
        return false;
    }
    int at = 0;
    for (int cell = 0; cell < grid->nodeCellCount; ++cell) {
        while (at < count && sorted[at].high == cell) {
            int begin = at;
            while (at < count && same_cells(&sorted[at], &sorted[begin])) {
                ++at;
            }
            grids->pairs[grids->pairCount++] =
                (lbCellPair){.high = cell, .low = sorted[begin].low, .begin = begin, .end = at};
        }
        if (at == 0 || grids->pairCount == 0 || grids->pairs[grids->pairCount - 1].high != cell ||
            grids->pairs[grids->pairCount - 1].low != cell) {
            grids->pairs[grids->pairCount++] = (lbCellPair){.high = cell, .low = cell, .begin = at, .end = at};
        }
    }
    return true;
}

static unsigned corners_of_node(const float* weights) {
    unsigned corners = 0;
    for (size_t k = 0; k < cellCorners; ++k) {
        corners |= weights[k] > 0 ? 1u << k : 0;
    }
    return corners;
}

static void find_corners(lbGrids* grids, const lbGrid* grid) {
    for (int i = 0; i < grids->pairCount; ++i) {
        lbCellPair* pair = &grids->pairs[i];
        for (int b = pair->begin; b < pair->end; ++b) {
            pair->highCorners |= corners_of_node(grids->seenWeights + (size_t)grids->blocks[b].row * cellCorners);
            pair->lowCorners |= corners_of_node(grids->seenWeights + (size_t)grids->blocks[b].column * cellCorners);
        }
        for (int k = grid->nodeCellStarts[pair->high];
             pair->high == pair->low && k < grid->nodeCellStarts[pair->high + 1]; ++k) {
            pair->highCorners |= corners_of_node(grids->seenWeights + (size_t)k * cellCorners);
        }
        if (pair->high == pair->low) { /* the diagonal, and mirror images */
            pair->highCorners |= pair->lowCorners;
            pair->lowCorners = pair->highCorners;
        }
    }
}

static bool fill_blocks(lbGrids* grids, const BlockList* list) {
    SortedBlock* sorted = LB_NEW(grids->host, SortedBlock, list->pattern->pairCount);
    grids->blocks = LB_NEW(grids->host, lbCellBlock, list->pattern->pairCount);
    bool enough = sorted != NULL && grids->blocks != NULL;
    if (enough) {
        list_blocks(list, sorted);
        enough = fill_seen(grids, list, sorted) && fill_pairs(grids, list->grid, sorted, list->pattern->pairCount);
    }
    if (enough) {
        find_corners(grids, list->grid);
    }
    lb_release(grids->host, sorted);
    return enough;
}

/* ---- The envelope ------------------------------------------------------------------------------------------------ */

/* Of the corners that a pair's nodes hang on, the lowest point; each of them is coupled with it. */
static int lowest_point(const lbGrid* grid, const lbCellPair* pair) {
    int lowest = grid->pointCount;
    for (int k = 0; k < cellCorners; ++k) {
        if ((pair->highCorners >> k & 1) != 0) {
            lowest = int_min(lowest, grid->nodeCellCorners[pair->high * cellCorners + k]);
        }
        if ((pair->lowCorners >> k & 1) != 0) {
            lowest = int_min(lowest, grid->nodeCellCorners[pair->low * cellCorners + k]);
        }
    }
    return lowest;
}

static void lower_first(const lbGrid* grid, int cell, unsigned corners, int lowest, int* columns) {
    for (int k = 0; k < cellCorners; ++k) {
        if ((corners >> k & 1) != 0) {
            int* column = columns + 3 * (size_t)grid->nodeCellCorners[cell * cellCorners + k];
            column[0] = column[1] = column[2] = int_min(column[0], 3 * lowest);
        }
    }
}

/* The first column of each row that is not zero, three rows for each point. */
static int* find_first_columns(const lbGrids* grids, const lbGrid* grid) {
    int* columns = LB_NEW(grids->host, int, 3 * (int64_t)grid->pointCount);
    if (columns == NULL) {
        return NULL;
    }
    for (int i = 0; i < 3 * grid->pointCount; ++i) {
        columns[i] = i / 3 * 3;
    }
    for (int i = 0; i < grids->pairCount; ++i) {
        const lbCellPair* pair = &grids->pairs[i];
        int lowest = lowest_point(grid, pair);
        lower_first(grid, pair->high, pair->highCorners, lowest, columns);
        lower_first(grid, pair->low, pair->lowCorners, lowest, columns);
    }
    return columns;
}

/* Whether the grid's matrix can be factored at a price; if so, how it lies in memory. */
static bool choose_last(lbGrids* grids, const lbBlockPattern* pattern, const lbGrid* grid, bool* last) {
    int *columns = find_first_columns(grids, grid), size = 3 * grid->pointCount;
    if (columns == NULL) {
        return false;
    }
    *last = grids->gridCount == mostGrids || lb_envelope_work(size, columns) <= affordableWork * pattern->pairCount;
    bool enough = !*last || lb_create_envelope(grids->host, size, columns, &grids->envelope);
    lb_release(grids->host, columns);
    return enough;
}

/* Of a grid that was too large to be the last. */
static void forget_blocks(lbGrids* grids) {
    lb_release(grids->host, grids->pairs);
    lb_release(grids->host, grids->blocks);
    lb_release(grids->host, grids->seen);
    lb_release(grids->host, grids->seenWeights);
    grids->pairs = NULL, grids->blocks = NULL, grids->seen = NULL, grids->seenWeights = NULL;
    grids->pairCount = grids->seenCount = 0;
}

bool lb_finish_grid(lbGrids* grids, const lbBlockPattern* pattern, bool* last) {
    const lbHost* host = grids->host;
    lbGrid* grid = &grids->grids[grids->gridCount - 1];
    int *cellOf = LB_NEW(host, int, grids->nodeCount), *indexOf = LB_NEW(host, int, grids->nodeCount);
    bool enough = cellOf != NULL && indexOf != NULL;
    forget_blocks(grids);
    if (enough) {
        BlockList list = {pattern, grid, cellOf, indexOf};
        find_cells_of_nodes(grids, grid, cellOf, indexOf);
        grid->smoothness = measure_smoothness(pattern, grid, cellOf, indexOf);
        enough = fill_blocks(grids, &list) && choose_last(grids, pattern, grid, last);
    }
    lb_release(host, cellOf);
    lb_release(host, indexOf);
    return enough;
}
