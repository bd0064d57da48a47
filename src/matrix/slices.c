#include "matrix/slices.h"

#include "base/math.h"

#include <stdlib.h>

static int compare_ints(const void* left, const void* right) {
    int a = *(const int*)left, b = *(const int*)right;
    return (a > b) - (a < b);
}

/* Into its place among those that were kept, if it is not there yet: rows have few columns, each of them several times.
 */
static int insert_column(int* columns, int kept, int column) {
    int at = kept;
    while (at > 0 && columns[at - 1] >= column) {
        --at;
    }
    if (at < kept && columns[at] == column) {
        return kept;
    }
    for (int k = kept; k > at; --k) {
        columns[k] = columns[k - 1];
    }
    columns[at] = column;
    return kept + 1;
}

int lb_tidy_row(int* columns, int count) {
    enum { few = 256 };
    if (count <= few) {
        int kept = 0;
        for (int k = 0; k < count; ++k) {
            kept = insert_column(columns, kept, columns[k]);
        }
        return kept;
    }
    qsort(columns, (size_t)count, sizeof(int), compare_ints);
    int kept = 0;
    for (int k = 0; k < count; ++k) {
        if (k == 0 || columns[k] != columns[k - 1]) {
            columns[kept++] = columns[k];
        }
    }
    return kept;
}

typedef struct SortedRow {
    int length, row;
} SortedRow;

static int compare_rows(const void* left, const void* right) {
    const SortedRow *p = left, *q = right;
    return p->length != q->length ? q->length - p->length : p->row - q->row;
}

void lb_sort_rows(int rowCount, const int* lengths, int* rows, lbNodeOffset* own) {
    for (int begin = 0; begin < rowCount; begin += matrixChunk) {
        SortedRow sorted[matrixChunk];
        int count = int_min(matrixChunk, rowCount - begin);
        for (int i = 0; i < count; ++i) {
            sorted[i] = (SortedRow){lengths[begin + i], begin + i};
        }
        qsort(sorted, (size_t)count, sizeof(SortedRow), compare_rows);
        for (int i = 0; i < count; ++i) {
            rows[begin + i] = sorted[i].row;
        }
    }
    for (int i = 0; i < lb_slice_count(rowCount) * LB_LANES; ++i) {
        rows[i] = i < rowCount ? rows[i] : -1;
        own[i] = 4 * (lbNodeOffset)rows[i < rowCount ? i : i - i % LB_LANES];
    }
}
