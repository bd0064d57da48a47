#include "law/block_matrix.h"

#include "base/math.h"
#include "base/result.h"
#include "law/reach.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- The neighbours of each row ---------------------------------------------------------------------------------- */

typedef struct Neighbours {
    int64_t* starts; /* (rowCount + 1) */
    int* ends;       /* (rowCount) how many of a row's neighbours are left when repeated ones are gone */
    int* columns;
} Neighbours;

static int compare_ints(const void* left, const void* right) {
    int a = *(const int*)left, b = *(const int*)right;
    return (a > b) - (a < b);
}

static void count_neighbours(Neighbours* list, int rowCount, const lbNodePair* pairs, int64_t pairCount) {
    for (int64_t i = 0; i < pairCount; ++i) {
        if (pairs[i].a != pairs[i].b) {
            ++list->starts[pairs[i].a + 1];
            ++list->starts[pairs[i].b + 1];
        }
    }
    for (int i = 0; i < rowCount; ++i) {
        list->starts[i + 1] += list->starts[i];
    }
}

static void fill_neighbours(Neighbours* list, int rowCount, const lbNodePair* pairs, int64_t pairCount) {
    for (int64_t i = 0; i < pairCount; ++i) {
        int a = pairs[i].a, b = pairs[i].b;
        if (a != b) {
            list->columns[list->starts[a] + list->ends[a]++] = b;
            list->columns[list->starts[b] + list->ends[b]++] = a;
        }
    }
    for (int i = 0; i < rowCount; ++i) {
        int *row = list->columns + list->starts[i], count = list->ends[i], kept = 0;
        qsort(row, (size_t)count, sizeof(int), compare_ints);
        for (int k = 0; k < count; ++k) {
            if (k == 0 || row[k] != row[k - 1]) {
                row[kept++] = row[k];
            }
        }
        list->ends[i] = kept;
    }
}

static void release_neighbours(const lbHost* host, Neighbours* list) {
    lb_release(host, list->starts);
    lb_release(host, list->ends);
    lb_release(host, list->columns);
}

static bool find_neighbours(const lbHost* host, int rowCount, const lbNodePair* pairs, int64_t pairCount,
                            Neighbours* list) {
    *list = (Neighbours){.starts = LB_NEW(host, int64_t, (int64_t)rowCount + 1),
                         .ends = LB_NEW(host, int, rowCount),
                         .columns = LB_NEW(host, int, 2 * pairCount)};
    if (list->starts == NULL || list->ends == NULL || list->columns == NULL) {
        return false;
    }
    count_neighbours(list, rowCount, pairs, pairCount);
    fill_neighbours(list, rowCount, pairs, pairCount);
    return true;
}

/* ---- Packing rows into slices ------------------------------------------------------------------------------------ */

typedef struct SortedRow {
    int length, row;
} SortedRow;

static int compare_rows(const void* left, const void* right) {
    const SortedRow *p = left, *q = right;
    return p->length != q->length ? q->length - p->length : p->row - q->row;
}

/* Puts the rows of each chunk into lanes, the longest first. */
static void sort_rows(lbBlockPattern* pattern, const Neighbours* list) {
    for (int begin = 0; begin < pattern->rowCount; begin += matrixChunk) {
        SortedRow sorted[matrixChunk];
        int count = int_min(matrixChunk, pattern->rowCount - begin);
        for (int i = 0; i < count; ++i) {
            sorted[i] = (SortedRow){list->ends[begin + i], begin + i};
        }
        qsort(sorted, (size_t)count, sizeof(SortedRow), compare_rows);
        for (int i = 0; i < count; ++i) {
            pattern->rows[begin + i] = sorted[i].row;
        }
    }
    for (int i = pattern->rowCount; i < pattern->sliceCount * LB_LANES; ++i) {
        pattern->rows[i] = -1;
    }
}

/* False if there are more blocks than an int can count. */
static bool measure_slices(lbBlockPattern* pattern, const Neighbours* list) {
    int64_t entries = 0;
    for (int s = 0; s < pattern->sliceCount; ++s) {
        pattern->sliceStarts[s] = (int)entries;
        entries += 1 + list->ends[pattern->rows[s * LB_LANES]]; /* the first lane's row is the longest */
        if ((entries + 1) * pattern->numberCount * LB_LANES > INT_MAX) {
            return false;
        }
    }
    pattern->sliceStarts[pattern->sliceCount] = pattern->entryCount = (int)entries;
    return true;
}

static void fill_slices(lbBlockPattern* pattern, const Neighbours* list) {
    for (int i = 0; i < pattern->sliceCount * LB_LANES; ++i) {
        int begin = pattern->sliceStarts[i / LB_LANES], end = pattern->sliceStarts[i / LB_LANES + 1];
        int lane = i % LB_LANES, row = pattern->rows[i];
        int own = row >= 0 ? row : pattern->rows[i - lane];
        for (int entry = begin; entry < end; ++entry) {
            int k = entry - begin - 1;
            bool there = row >= 0 && k >= 0 && k < list->ends[row];
            int column = there ? list->columns[list->starts[row] + k] : own;
            pattern->columns[entry * LB_LANES + lane] = 4 * (uint32_t)column;
        }
        if (row >= 0) {
            pattern->slots[row] = i;
        }
    }
}

static lbResult pack(lbBlockPattern* pattern, const Neighbours* list) {
    const lbHost* host = pattern->host;
    pattern->sliceCount = (pattern->rowCount + LB_LANES - 1) / LB_LANES;
    pattern->sliceStarts = LB_NEW(host, int, (int64_t)pattern->sliceCount + 1);
    pattern->rows = LB_NEW(host, int, (int64_t)pattern->sliceCount* LB_LANES);
    pattern->slots = LB_NEW(host, int, pattern->rowCount);
    if (pattern->sliceStarts == NULL || pattern->rows == NULL || pattern->slots == NULL) {
        return lb_out_of_memory("a matrix");
    }
    sort_rows(pattern, list);
    if (!measure_slices(pattern, list)) {
        return lb_error(lb_errorUnsupported, "a body of %d nodes is too large for an implicit integrator's matrix",
                        pattern->rowCount);
    }
    pattern->columns = LB_NEW(host, uint32_t, (int64_t)pattern->entryCount * LB_LANES);
    if (pattern->columns == NULL) {
        return lb_out_of_memory("a matrix");
    }
    fill_slices(pattern, list);
    return lb_success();
}

lbResult lb_create_pattern(const lbHost* host, int rowCount, const lbNodePair* pairs, int64_t pairCount,
                           bool symmetricBlocks, lbBlockPattern** pattern) {
    *pattern = NULL;
    Neighbours list = {0};
    lbBlockPattern* made = LB_NEW(host, lbBlockPattern, 1);
    lbResult result = lb_out_of_memory("a matrix");
    if (made != NULL && find_neighbours(host, rowCount, pairs, pairCount, &list)) {
        *made = (lbBlockPattern){.host = host, .rowCount = rowCount, .numberCount = symmetricBlocks ? 6 : 9};
        result = pack(made, &list);
    }
    release_neighbours(host, &list);
    if (result.code != lb_ok) {
        if (made != NULL) {
            made->host = host;
        }
        lb_destroy_pattern(made);
        return result;
    }
    *pattern = made;
    return lb_success();
}

void lb_destroy_pattern(lbBlockPattern* pattern) {
    if (pattern == NULL) {
        return;
    }
    const lbHost* host = pattern->host;
    lb_release(host, pattern->sliceStarts);
    lb_release(host, pattern->rows);
    lb_release(host, pattern->columns);
    lb_release(host, pattern->slots);
    lb_release(host, pattern);
}

/* ---- Matrices ---------------------------------------------------------------------------------------------------- */

lbResult lb_create_matrix(const lbBlockPattern* pattern, lbBlockMatrix* matrix) {
    *matrix = (lbBlockMatrix){
        .pattern = pattern,
        .values = LB_NEW(pattern->host, float, ((int64_t)pattern->entryCount + 1) * pattern->numberCount * LB_LANES)};
    return matrix->values != NULL ? lb_success() : lb_out_of_memory("a matrix");
}

void lb_destroy_matrix(lbBlockMatrix* matrix) {
    lb_destroy_reach(matrix->reach);
    if (matrix->values != NULL) {
        lb_release(matrix->pattern->host, matrix->values);
    }
    *matrix = (lbBlockMatrix){0};
}

int lb_block_place(const lbBlockPattern* pattern, int row, int column) {
    int slice = pattern->slots[row] / LB_LANES, lane = pattern->slots[row] % LB_LANES;
    int begin = pattern->sliceStarts[slice], end = pattern->sliceStarts[slice + 1];
    for (int entry = begin; entry < end; ++entry) { /* padding comes last and has the diagonal's column */
        if (pattern->columns[entry * LB_LANES + lane] == 4 * (uint32_t)column) {
            return entry * pattern->numberCount * LB_LANES + lane;
        }
    }
    return lb_place_without_effect(pattern);
}

static void zero_block(const lbBlockMatrix* matrix, int place) {
    for (int e = 0; e < matrix->pattern->numberCount; ++e) {
        matrix->values[place + e * LB_LANES] = 0;
    }
}

void lb_remove_node(const lbBlockMatrix* matrix, int node) {
    const lbBlockPattern* pattern = matrix->pattern;
    int slice = pattern->slots[node] / LB_LANES, lane = pattern->slots[node] % LB_LANES;
    for (int entry = pattern->sliceStarts[slice]; entry < pattern->sliceStarts[slice + 1]; ++entry) {
        zero_block(matrix, entry * pattern->numberCount * LB_LANES + lane);
        zero_block(matrix, lb_block_place(pattern, (int)(pattern->columns[entry * LB_LANES + lane] / 4), node));
    }
}
