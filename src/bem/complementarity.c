#include "bem/complementarity.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef double Four __attribute__((vector_size(32)));

static inline Four load_four(const double* p) {
    Four value;
    memcpy(&value, p, sizeof(value));
    return value;
}

/* Sums in a fixed order, whatever the lanes. */
static double dot(const double* a, const double* b, int count) {
    Four sum[2] = {{0}, {0}};
    int i = 0;
    for (; i + 8 <= count; i += 8) {
        sum[0] += load_four(a + i) * load_four(b + i);
        sum[1] += load_four(a + i + 4) * load_four(b + i + 4);
    }
    sum[0] += sum[1];
    double total = (sum[0][0] + sum[0][1]) + (sum[0][2] + sum[0][3]);
    for (; i < count; ++i) {
        total += a[i] * b[i];
    }
    return total;
}

enum { tile = 4 };

/* Sums over the first `count` columns, a multiple of four, of four rows with two others: six loads for eight products.
 */
static void multiply_tile(const double* const rows[tile], const double* p, const double* q, int count,
                          double sums[2][tile]) {
    Four sum[2][tile] = {{{0}}};
    for (int k = 0; k < count; k += 4) {
        Four a = load_four(p + k), b = load_four(q + k);
        for (int r = 0; r < tile; ++r) {
            Four own = load_four(rows[r] + k);
            sum[0][r] += own * a;
            sum[1][r] += own * b;
        }
    }
    for (int r = 0; r < tile; ++r) {
        sums[0][r] = (sum[0][r][0] + sum[0][r][1]) + (sum[0][r][2] + sum[0][r][3]);
        sums[1][r] = (sum[1][r][0] + sum[1][r][1]) + (sum[1][r][2] + sum[1][r][3]);
    }
}

/* Four rows of the factor up to the tile on the diagonal. */
static void factor_rows(double* a, int first, size_t stride) {
    double* rows[tile];
    const double* known[tile];
    for (int r = 0; r < tile; ++r) {
        known[r] = rows[r] = a + (size_t)(first + r) * stride;
    }
    for (int j = 0; j < first; j += tile) {
        double sums[tile][tile];
        const double* other = a + (size_t)j * stride;
        multiply_tile(known, other, other + stride, j, sums);
        multiply_tile(known, other + 2 * stride, other + 3 * stride, j, sums + 2);
        for (int c = 0; c < tile; ++c, other += stride) {
            for (int r = 0; r < tile; ++r) {
                double rest = rows[r][j + c] - sums[c][r];
                for (int k = j; k < j + c; ++k) {
                    rest -= rows[r][k] * other[k];
                }
                rows[r][j + c] = rest * other[j + c];
            }
        }
    }
}

bool lb_factor_definite(double* a, int count, int stride) {
    for (int i = 0; i < count; ++i) {
        double* row = a + (size_t)i * (size_t)stride;
        if (i % tile == 0 && i + tile <= count) {
            factor_rows(a, i, (size_t)stride);
        }
        for (int j = i + tile - i % tile <= count ? i - i % tile : 0; j < i; ++j) {
            const double* other = a + (size_t)j * (size_t)stride;
            row[j] = (row[j] - dot(row, other, j)) * other[j];
        }
        double rest = row[i] - dot(row, row, i);
        if (!(rest > 0)) {
            return false;
        }
        row[i] = 1 / sqrt(rest); /* the inverse: it is only ever divided by */
    }
    return true;
}

void lb_solve_definite(const double* factor, int count, int stride, double* x) {
    for (int i = 0; i < count; ++i) {
        const double* row = factor + (size_t)i * (size_t)stride;
        x[i] = (x[i] - dot(row, x, i)) * row[i];
    }
    for (int i = count - 1; i >= 0; --i) {
        const double* row = factor + (size_t)i * (size_t)stride;
        x[i] *= row[i];
        for (int k = 0; k < i; ++k) {
            x[k] -= row[k] * x[i];
        }
    }
}

/* l of the active rows, where w = 0, and w of the others. */
static bool solve_active(lbComplementarity* problem) {
    size_t stride = (size_t)problem->capacity;
    int count = 0;
    memset(problem->l, 0, (size_t)problem->count * sizeof(double));
    for (int i = 0; i < problem->count; ++i) {
        if (problem->active[i]) {
            problem->rows[count++] = i;
        }
    }
    for (int i = 0; i < count; ++i) {
        const double* row = problem->a + (size_t)problem->rows[i] * stride;
        for (int j = 0; j <= i; ++j) {
            problem->factor[(size_t)i * stride + (size_t)j] = row[problem->rows[j]];
        }
        problem->x[i] = -problem->q[problem->rows[i]];
    }
    problem->factorCount += 1;
    if (!lb_factor_definite(problem->factor, count, problem->capacity)) {
        return false;
    }
    lb_solve_definite(problem->factor, count, problem->capacity, problem->x);
    for (int i = 0; i < count; ++i) {
        problem->l[problem->rows[i]] = problem->x[i];
    }
    for (int i = 0; i < problem->count; ++i) {
        problem->w[i] =
            problem->active[i] ? 0 : problem->q[i] + dot(problem->a + (size_t)i * stride, problem->l, problem->count);
    }
    return true;
}

static int list_wrong(const lbComplementarity* problem, double leastForce, double leastGap) {
    int count = 0;
    for (int i = 0; i < problem->count; ++i) {
        if (problem->active[i] ? problem->l[i] < -leastForce : problem->w[i] < -leastGap) {
            problem->wrong[count++] = i;
        }
    }
    return count;
}

bool lb_solve_complementarity(lbComplementarity* problem) {
    enum { patience = 4, most = 1000 };
    double gap = 0, stiff = 0;
    for (int i = 0; i < problem->count; ++i) {
        gap = fmax(gap, fabs(problem->q[i]));
        stiff = fmax(stiff, 1 / problem->a[(size_t)i * (size_t)problem->capacity + (size_t)i]);
    }
    double leastGap = 1e-12 * gap, leastForce = leastGap * stiff;
    int fewest = problem->count + 1, left = patience;
    problem->factorCount = 0;
    for (int round = 0; round < most; ++round) {
        if (!solve_active(problem)) {
            return false;
        }
        int count = list_wrong(problem, leastForce, leastGap);
        if (count == 0) {
            break;
        }
        bool all = count < fewest || left > 0;
        left = count < fewest ? patience : left - (all ? 1 : 0);
        fewest = count < fewest ? count : fewest;
        for (int i = all ? 0 : count - 1; i < count; ++i) {
            problem->active[problem->wrong[i]] = !problem->active[problem->wrong[i]];
        }
    }
    for (int i = 0; i < problem->count; ++i) {
        problem->l[i] = fmax(problem->l[i], 0);
    }
    return true;
}
