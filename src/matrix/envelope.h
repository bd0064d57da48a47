/* Symmetric positive definite matrices that are small or narrow, factored as L L^T within their envelope: of each row,
 * what lies between its first number that is not zero and the diagonal (A. George and J. Liu, Computer Solution of
 * Large Sparse Positive Definite Systems, 1981, chapter 4). In tiles of 8 x 8, so that all loops are over whole
 * vectors. */
#ifndef LIMBER_SRC_ENVELOPE_H
#define LIMBER_SRC_ENVELOPE_H

#include "base/memory.h"

enum { tileSize = 8, tileNumbers = tileSize * tileSize };

/* Where the tiles are. Constant. */
typedef struct lbEnvelope {
    int tileRowCount;
    int tileCount;
    int* firstTiles; /* (tileRowCount) column of the first tile in each row */
    int* tileStarts; /* (tileRowCount + 1) its index among all tiles */

    int* rowStarts; /* (8 tileRowCount) number (row, column) of the envelope is rowStarts[row] + 8 column in
                     * lbFactor.lower
                     */
} lbEnvelope;

/* `firstColumns`: (size) the first column of each row that is not zero, in single numbers. */
bool lb_create_envelope(const lbHost* host, int size, const int* firstColumns, lbEnvelope* envelope);
void lb_destroy_envelope(const lbHost* host, lbEnvelope* envelope);

/* Multiplications that a factorisation takes, roughly, with rows whose first columns are these. */
double lb_envelope_work(int size, const int* firstColumns);

typedef struct lbFactor {
    const lbEnvelope* envelope;
    float* lower; /* (tileCount x 64) tiles of A, then of L, column by column; of the diagonal ones, of L^-1 */
    float* upper; /* (tileCount x 64) the same tiles row by row */
} lbFactor;

size_t lb_factor_bytes(const lbEnvelope* envelope);
lbFactor lb_take_factor(lbArena* arena, const lbEnvelope* envelope);

void lb_zero_factor(const lbFactor* factor);

/* Factors what was filled in `lower` (of diagonal tiles the part below the diagonal is enough). Rows that are zero, or
 * depend on those before, are left out: their solution is zero. */
void lb_factor(const lbFactor* factor);

/* x: (tileRowCount x 8) the right side, then the solution. */
void lb_solve_factored(const lbFactor* factor, float* x);

#endif
