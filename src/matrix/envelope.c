#include "matrix/envelope.h"

#include "base/math.h"
#include "base/simd.h"

#include <string.h>

/* ---- Where the tiles are ----------------------------------------------------------------------------------------- */

bool lb_create_envelope(const lbHost* host, int size, const int* firstColumns, lbEnvelope* envelope) {
    int rows = (size + tileSize - 1) / tileSize;
    *envelope = (lbEnvelope){.tileRowCount = rows,
                             .firstTiles = LB_NEW(host, int, rows),
                             .tileStarts = LB_NEW(host, int, (int64_t)rows + 1),
                             .rowStarts = LB_NEW(host, int, (int64_t)rows* tileSize)};
    if (envelope->firstTiles == NULL || envelope->tileStarts == NULL || envelope->rowStarts == NULL) {
        lb_destroy_envelope(host, envelope);
        return false;
    }
    for (int tile = 0; tile < rows; ++tile) {
        int first = tile;
        for (int i = tile * tileSize; i < int_min((tile + 1) * tileSize, size); ++i) {
            first = int_min(first, firstColumns[i] / tileSize);
        }
        envelope->firstTiles[tile] = first;
        envelope->tileStarts[tile + 1] = envelope->tileStarts[tile] + tile - first + 1;
    }
    for (int i = 0; i < rows * tileSize; ++i) {
        int tile = envelope->tileStarts[i / tileSize] - envelope->firstTiles[i / tileSize];
        envelope->rowStarts[i] = tile * tileNumbers + i % tileSize;
    }
    envelope->tileCount = envelope->tileStarts[rows];
    return true;
}

void lb_destroy_envelope(const lbHost* host, lbEnvelope* envelope) {
    lb_release(host, envelope->firstTiles);
    lb_release(host, envelope->tileStarts);
    lb_release(host, envelope->rowStarts);
    *envelope = (lbEnvelope){0};
}

double lb_envelope_work(int size, const int* firstColumns) {
    double work = 0;
    for (int i = 0; i < size; ++i) {
        double width = i - firstColumns[i] + 1;
        work += 0.5 * width * width;
    }
    return work;
}

size_t lb_factor_bytes(const lbEnvelope* envelope) {
    return 2 * ((size_t)envelope->tileCount * tileNumbers * sizeof(float) + 64);
}

lbFactor lb_take_factor(lbArena* arena, const lbEnvelope* envelope) {
    size_t bytes = (size_t)envelope->tileCount * tileNumbers * sizeof(float);
    return (lbFactor){.envelope = envelope, .lower = lb_arena_take(arena, bytes), .upper = lb_arena_take(arena, bytes)};
}

void lb_zero_factor(const lbFactor* factor) {
    memset(factor->lower, 0, (size_t)factor->envelope->tileCount * tileNumbers * sizeof(float));
}

static inline float* tile_at(const lbEnvelope* envelope, float* tiles, int row, int column) {
    int tile = envelope->tileStarts[row] + column - envelope->firstTiles[row];
    return tiles + (size_t)tile * tileNumbers;
}

/* ---- Factoring --------------------------------------------------------------------------------------------------- */

/* c -= a b^T, all column by column. */
static inline void subtract_product(lbFloat8 c[tileSize], const float* a, const float* b) {
    for (int m = 0; m < tileSize; ++m) {
        lbFloat8 column = load8(a + tileSize * m);
        for (int j = 0; j < tileSize; ++j) {
            c[j] -= column * b[tileSize * m + j];
        }
    }
}

/* c b^T, all column by column; b is lower triangular. */
static inline void times_transposed(const lbFloat8 c[tileSize], const float* b, float* out) {
    for (int j = 0; j < tileSize; ++j) {
        lbFloat8 sum = {0};
        for (int m = 0; m <= j; ++m) {
            sum += c[m] * b[tileSize * m + j];
        }
        store8(out + tileSize * j, sum);
    }
}

/* L^-1 of a tile on the diagonal. A row whose pivot is lost in rounding has a row and a column of zeros there. */
static void invert_diagonal(lbFloat8 c[tileSize], const float* original, float* out) {
    const float least = 1e-5f;                                        /* of the number on the diagonal */
    float l[tileSize][tileSize], inverse[tileSize][tileSize] = {{0}}; /* [row][column] */
    for (int j = 0; j < tileSize; ++j) {
        for (int i = 0; i < tileSize; ++i) {
            l[i][j] = c[j][i];
        }
    }
    for (int j = 0; j < tileSize; ++j) {
        float pivot = l[j][j];
        for (int k = 0; k < j; ++k) {
            pivot -= l[j][k] * l[j][k];
        }
        float reciprocal = pivot > least * original[j] && pivot > FLT_MIN ? 1 / sqrtf(pivot) : 0;
        inverse[j][j] = reciprocal;
        for (int i = j + 1; i < tileSize; ++i) {
            float number = l[i][j];
            for (int k = 0; k < j; ++k) {
                number -= l[i][k] * l[j][k];
            }
            l[i][j] = reciprocal * number;
        }
        for (int k = 0; k < j; ++k) {
            float sum = 0;
            for (int m = k; m < j; ++m) {
                sum += l[j][m] * inverse[m][k];
            }
            inverse[j][k] = -reciprocal * sum;
        }
    }
    for (int j = 0; j < tileSize; ++j) {
        for (int i = 0; i < tileSize; ++i) {
            out[tileSize * j + i] = inverse[i][j];
        }
    }
}

static void transpose_tile(const float* in, float* out) {
    for (int i = 0; i < tileNumbers; ++i) {
        out[i] = in[i % tileSize * tileSize + i / tileSize];
    }
}

static void factor_row(const lbFactor* factor, int row) {
    const lbEnvelope* envelope = factor->envelope;
    int first = envelope->firstTiles[row];
    for (int column = first; column <= row; ++column) {
        float* tile = tile_at(envelope, factor->lower, row, column);
        float diagonal[tileSize];
        lbFloat8 c[tileSize];
        for (int j = 0; j < tileSize; ++j) {
            c[j] = load8(tile + tileSize * j);
            diagonal[j] = tile[tileSize * j + j];
        }
        for (int m = int_max(first, envelope->firstTiles[column]); m < column; ++m) {
            subtract_product(c, tile_at(envelope, factor->lower, row, m), tile_at(envelope, factor->lower, column, m));
        }
        if (column < row) {
            times_transposed(c, tile_at(envelope, factor->lower, column, column), tile);
        } else {
            invert_diagonal(c, diagonal, tile);
        }
        transpose_tile(tile, tile_at(envelope, factor->upper, row, column));
    }
}

void lb_factor(const lbFactor* factor) {
    for (int row = 0; row < factor->envelope->tileRowCount; ++row) {
        factor_row(factor, row);
    }
}

/* ---- Solving ----------------------------------------------------------------------------------------------------- */

/* Tile times x, column by column, in two sums that need not wait for one another. */
static inline lbFloat8 tile_times(const float* tile, const float* x) {
    lbFloat8 even = load8(tile) * x[0], odd = load8(tile + tileSize) * x[1];
    for (int m = 2; m < tileSize; m += 2) {
        even += load8(tile + tileSize * m) * x[m];
        odd += load8(tile + tileSize * (m + 1)) * x[m + 1];
    }
    return even + odd;
}

void lb_solve_factored(const lbFactor* factor, float* x) {
    const lbEnvelope* envelope = factor->envelope;
    for (int row = 0; row < envelope->tileRowCount; ++row) {
        float* own = x + tileSize * row;
        lbFloat8 sum = load8(own);
        for (int column = envelope->firstTiles[row]; column < row; ++column) {
            sum -= tile_times(tile_at(envelope, factor->lower, row, column), x + tileSize * column);
        }
        store8(own, sum);
        store8(own, tile_times(tile_at(envelope, factor->lower, row, row), own));
    }
    for (int row = envelope->tileRowCount - 1; row >= 0; --row) {
        float* own = x + tileSize * row;
        store8(own, tile_times(tile_at(envelope, factor->upper, row, row), own));
        for (int column = envelope->firstTiles[row]; column < row; ++column) {
            float* other = x + tileSize * column;
            store8(other, load8(other) - tile_times(tile_at(envelope, factor->upper, row, column), own));
        }
    }
}
