/* What sparse matrices share that lay LB_LANES rows side by side: a *slice* of them. */
#ifndef LIMBER_SRC_SLICES_H
#define LIMBER_SRC_SLICES_H

#include "base/node_offset.h"

/* Rows that one piece of a loop handles. Sums are added up piece by piece, so that they do not depend on threads; rows
 * are sorted by length within a piece, so that the rows of a slice are of about one length. */
enum { matrixChunk = 512 };

static inline int lb_chunk_count(int rowCount) {
    return (rowCount + matrixChunk - 1) / matrixChunk;
}

static inline int lb_slice_count(int rowCount) {
    return (rowCount + LB_LANES - 1) / LB_LANES;
}

/* Sorts the columns of a row and leaves out what comes twice; returns how many are left. */
int lb_tidy_row(int* columns, int count);

/* Puts the rows of each chunk into lanes, the longest first; `lengths`: (rowCount). Of each lane (slices x LB_LANES):
 * its row, -1 for none, and where that row's node is in a node vector; lanes without one have the first lane's. */
void lb_sort_rows(int rowCount, const int* lengths, int* rows, lbNodeOffset* own);

#endif
