/* A build without OpenBLAS: columns of the matrix one after another, in blocks of right-hand sides. */
#include "base/memory.h"
#include "base/result.h"
#include "matrix/dense_lu.h"

#include <math.h>

const char* lb_dense_solver_name(void) {
    return "plain elimination";
}

static void swap_rows(double* m, size_t size, int count, int p, int q) {
    for (int c = 0; p != q && c < count; ++c) {
        double* column = m + (size_t)c * size;
        double kept = column[p];
        column[p] = column[q];
        column[q] = kept;
    }
}

/* Rows below k of a column lose `factor` times the k-th column of the factors. */
static void eliminate(const double* factors, size_t size, size_t k, double* column) {
    double factor = column[k];
    for (size_t i = k + 1; factor != 0 && i < size; ++i) {
        column[i] -= factor * factors[i];
    }
}

lbResult lb_solve_dense(const lbHost* host, double* a, int size, double* b, int count) {
    (void)host;
    size_t n = (size_t)size;
    for (size_t k = 0; k < n; ++k) {
        double* pivotColumn = a + k * n;
        size_t pivot = k;
        for (size_t i = k; i < n; ++i) {
            pivot = fabs(pivotColumn[i]) > fabs(pivotColumn[pivot]) ? i : pivot;
        }
        if (!(fabs(pivotColumn[pivot]) > 0)) {
            return lb_error(lb_errorArgument, "a dense matrix of %d rows is singular: column %d has no pivot", size,
                            (int)k);
        }
        swap_rows(a, n, size, (int)k, (int)pivot);
        swap_rows(b, n, count, (int)k, (int)pivot);
        for (size_t i = k + 1; i < n; ++i) {
            pivotColumn[i] /= pivotColumn[k];
        }
        for (size_t c = k + 1; c < n; ++c) {
            eliminate(pivotColumn, n, k, a + c * n);
        }
        for (int c = 0; c < count; ++c) {
            eliminate(pivotColumn, n, k, b + (size_t)c * n);
        }
    }
    for (int c = 0; c < count; ++c) {
        double* x = b + (size_t)c * n;
        for (size_t k = n; k-- > 0;) {
            x[k] /= a[k * n + k];
            for (size_t i = 0; i < k; ++i) {
                x[i] -= a[k * n + i] * x[k];
            }
        }
    }
    return lb_success();
}
