#include "matrix/block_matrix.h"

#include "base/math.h"
#include "base/result.h"
#include "matrix/reach.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- The neighbours of each row ---------------------------------------------------------------------------------- */

typedef struct Neighbours {
    int64_t* starts; /* (rowCount + 1) */
    int* ends;       /* (rowCount) how many of a row's neighbours are left when repeated ones are gone */
    int* columns;
} Neighbours;

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
        list->ends[i] = lb_tidy_row(list->columns + list->starts[i], list->ends[i]);
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

/* False if there are more blocks than an int can count. */
static bool measure_slices(lbBlockPattern* pattern, const Neighbours* list) {
    int64_t entries = 0, neighbours = 0;
    for (int s = 0; s < pattern->sliceCount; ++s) {
        pattern->sliceStarts[s] = (int)entries;
        entries += list->ends[pattern->rows[s * LB_LANES]]; /* the first lane's row is the longest */
        if ((entries + 1) * pattern->numberCount * LB_LANES > INT_MAX) {
            return false;
        }
    }
    for (int i = 0; i < pattern->rowCount; ++i) {
        neighbours += list->ends[i];
    }
    pattern->sliceStarts[pattern->sliceCount] = pattern->entryCount = (int)entries;
    pattern->pairCount = (int)(neighbours / 2);
    return ((int64_t)pattern->pairCount + 2) * pattern->pairStride <= INT_MAX;
}

static void fill_slices(lbBlockPattern* pattern, const Neighbours* list) {
    for (int i = 0; i < pattern->sliceCount * LB_LANES; ++i) {
        int begin = pattern->sliceStarts[i / LB_LANES], end = pattern->sliceStarts[i / LB_LANES + 1];
        int lane = i % LB_LANES, row = pattern->rows[i];
        for (int entry = begin; entry < end; ++entry) {
            int k = entry - begin;
            bool there = row >= 0 && k < list->ends[row];
            pattern->columns[entry * LB_LANES + lane] =
                there ? 4 * (uint32_t)list->columns[list->starts[row] + k] : pattern->own[i];
            pattern->sources[entry * LB_LANES + lane] = pattern->pairCount * pattern->pairStride;
        }
        if (row >= 0) {
            pattern->slots[row] = i;
        }
    }
}

/* Where the block of a row and a column is in `columns` and `sources`; -1: nowhere. */
static int find_entry(const lbBlockPattern* pattern, int row, int column) {
    int slice = pattern->slots[row] / LB_LANES, lane = pattern->slots[row] % LB_LANES;
    for (int entry = pattern->sliceStarts[slice]; entry < pattern->sliceStarts[slice + 1]; ++entry) {
        if (pattern->columns[entry * LB_LANES + lane] == 4 * (uint32_t)column) {
            return entry * LB_LANES + lane;
        }
    }
    return -1;
}

/* Numbers the pairs by their lower node. */
static void find_sources(lbBlockPattern* pattern, const Neighbours* list) {
    int place = 0;
    for (int row = 0; row < pattern->rowCount; ++row) {
        for (int k = 0; k < list->ends[row]; ++k) {
            int column = list->columns[list->starts[row] + k];
            if (column > row) {
                pattern->sources[find_entry(pattern, row, column)] = place;
                pattern->sources[find_entry(pattern, column, row)] = ~place;
                place += pattern->pairStride;
            }
        }
    }
}

static lbResult pack(lbBlockPattern* pattern, const Neighbours* list) {
    const lbHost* host = pattern->host;
    pattern->sliceCount = lb_slice_count(pattern->rowCount);
    pattern->sliceStarts = LB_NEW(host, int, (int64_t)pattern->sliceCount + 1);
    pattern->rows = LB_NEW(host, int, (int64_t)pattern->sliceCount* LB_LANES);
    pattern->own = LB_NEW(host, uint32_t, (int64_t)pattern->sliceCount * LB_LANES);
    pattern->slots = LB_NEW(host, int, pattern->rowCount);
    if (pattern->sliceStarts == NULL || pattern->rows == NULL || pattern->own == NULL || pattern->slots == NULL) {
        return lb_out_of_memory("a matrix");
    }
    lb_sort_rows(pattern->rowCount, list->ends, pattern->rows, pattern->own);
    if (!measure_slices(pattern, list)) {
        return lb_error(lb_errorUnsupported, "a body of %d nodes is too large for an implicit integrator's matrix",
                        pattern->rowCount);
    }
    pattern->columns = LB_NEW(host, uint32_t, (int64_t)pattern->entryCount * LB_LANES);
    pattern->sources = LB_NEW(host, int, (int64_t)pattern->entryCount* LB_LANES);
    if (pattern->columns == NULL || pattern->sources == NULL) {
        return lb_out_of_memory("a matrix");
    }
    fill_slices(pattern, list);
    find_sources(pattern, list);
    return lb_success();
}

lbResult lb_create_pattern(const lbHost* host, int rowCount, const lbNodePair* pairs, int64_t pairCount,
                           bool symmetricBlocks, lbBlockPattern** pattern) {
    *pattern = NULL;
    Neighbours list = {0};
    lbBlockPattern* made = LB_NEW(host, lbBlockPattern, 1);
    lbResult result = lb_out_of_memory("a matrix");
    if (made != NULL && find_neighbours(host, rowCount, pairs, pairCount, &list)) {
        *made = (lbBlockPattern){.host = host,
                                 .rowCount = rowCount,
                                 .numberCount = symmetricBlocks ? 6 : 9,
                                 .pairStride = symmetricBlocks ? 8 : 9};
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
    lb_release(host, pattern->own);
    lb_release(host, pattern->columns);
    lb_release(host, pattern->sources);
    lb_release(host, pattern->slots);
    lb_release(host, pattern);
}

int lb_block_place(const lbBlockPattern* pattern, int row, int column) {
    int entry = find_entry(pattern, row, column);
    return entry >= 0 ? pattern->sources[entry] : lb_place_without_effect(pattern);
}

/* ---- Matrices ---------------------------------------------------------------------------------------------------- */

static void destroy_own_blocks(const lbHost* host, lbOwnBlocks* own) {
    if (own != NULL) {
        lb_release(host, own->blocks);
        lb_release(host, own->indexOf);
        lb_release(host, own);
    }
}

static lbOwnBlocks* create_own_blocks(const lbHost* host, int rowCount) {
    lbOwnBlocks* own = LB_NEW(host, lbOwnBlocks, 1);
    if (own == NULL) {
        return NULL;
    }
    *own = (lbOwnBlocks){.blocks = LB_NEW(host, lbOwnBlock, rowCount), .indexOf = LB_NEW(host, int, rowCount)};
    if (own->blocks == NULL || own->indexOf == NULL) {
        destroy_own_blocks(host, own);
        return NULL;
    }
    for (int i = 0; i < rowCount; ++i) {
        own->indexOf[i] = -1;
    }
    return own;
}

lbResult lb_create_matrix(const lbBlockPattern* pattern, lbBlockMatrix* matrix) {
    const lbHost* host = pattern->host;
    int64_t slots = (int64_t)pattern->sliceCount * LB_LANES;
    *matrix = (lbBlockMatrix){
        .pattern = pattern,
        .pairs = LB_NEW(host, float, ((int64_t)pattern->pairCount + 2) * pattern->pairStride),
        .values = LB_NEW(host, float, (int64_t)pattern->entryCount * pattern->numberCount * LB_LANES),
        .weights = LB_NEW(host, float, slots),
        .diagonals = LB_NEW(host, float, 6 * slots),
        .own = create_own_blocks(host, pattern->rowCount),
    };
    if (matrix->pairs == NULL || matrix->values == NULL || matrix->weights == NULL || matrix->diagonals == NULL ||
        matrix->own == NULL) {
        lb_destroy_matrix(matrix);
        return lb_out_of_memory("a matrix");
    }
    return lb_success();
}

void lb_destroy_matrix(lbBlockMatrix* matrix) {
    lb_destroy_reach(matrix->reach);
    if (matrix->pattern != NULL) {
        const lbHost* host = matrix->pattern->host;
        lb_release(host, matrix->pairs);
        lb_release(host, matrix->values);
        lb_release(host, matrix->weights);
        lb_release(host, matrix->diagonals);
        destroy_own_blocks(host, matrix->own);
    }
    *matrix = (lbBlockMatrix){0};
}

void lb_add_own_block(const lbBlockMatrix* matrix, int row, const float numbers[6]) {
    lbOwnBlocks* own = matrix->own;
    if (own->indexOf[row] < 0) {
        own->indexOf[row] = own->count;
        own->blocks[own->count++] = (lbOwnBlock){.row = row};
    }
    for (int e = 0; e < 6; ++e) {
        own->blocks[own->indexOf[row]].numbers[e] += numbers[e];
    }
}

/* Where xx, xy, xz, yy, yz, zz are among the numbers of a pair's block, and those below the diagonal. */
static const int upperOfNine[6] = {0, 1, 2, 4, 5, 8}, lowerOfNine[6] = {0, 3, 6, 4, 7, 8};

void lb_add_pair_block(const lbBlockMatrix* matrix, int row, int column, const float numbers[6]) {
    int place = lb_block_place(matrix->pattern, row, column);
    float* block = matrix->pairs + (place < 0 ? ~place : place);
    for (int e = 0; e < 6; ++e) {
        if (matrix->pattern->numberCount == 6) {
            block[e] += numbers[e];
        } else {
            block[upperOfNine[e]] += numbers[e];
            block[lowerOfNine[e]] += upperOfNine[e] != lowerOfNine[e] ? numbers[e] : 0;
        }
    }
}

void lb_sum_row(const lbBlockMatrix* matrix, int row, float numbers[6]) {
    const lbBlockPattern* pattern = matrix->pattern;
    int slice = pattern->slots[row] / LB_LANES, lane = pattern->slots[row] % LB_LANES;
    memset(numbers, 0, 6 * sizeof(float));
    for (int entry = pattern->sliceStarts[slice]; entry < pattern->sliceStarts[slice + 1]; ++entry) {
        int place = pattern->sources[entry * LB_LANES + lane];
        const float* block = matrix->pairs + (place < 0 ? ~place : place);
        for (int e = 0; e < 6; ++e) {
            numbers[e] -= pattern->numberCount == 6 ? block[e] : 0.5f * (block[upperOfNine[e]] + block[lowerOfNine[e]]);
        }
    }
    for (int e = 0; matrix->elements != NULL && e < 6; ++e) {
        const float* blocks = e < 3 ? matrix->elements->first : matrix->elements->second;
        numbers[e] += blocks[4 * (size_t)row + (size_t)(e % 3)];
    }
}
