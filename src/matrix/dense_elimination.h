/* Gaussian elimination with partial pivoting, for dense_plain.c, once for each REAL. No include guard: it is read
 * twice. */
static void NAME(swap_rows)(REAL* m, size_t size, int count, int p, int q) {
    for (int c = 0; p != q && c < count; ++c) {
        REAL* column = m + (size_t)c * size;
        REAL kept = column[p];
        column[p] = column[q];
        column[q] = kept;
    }
}

/* Rows below k of a column lose `factor` times the k-th column of the factors. */
static void NAME(eliminate)(const REAL* factors, size_t size, size_t k, REAL* column) {
    REAL factor = column[k];
    for (size_t i = k + 1; factor != 0 && i < size; ++i) {
        column[i] -= factor * factors[i];
    }
}

lbResult NAME(lb_solve_dense)(const lbHost* host, REAL* a, int size, REAL* b, int count) {
    (void)host;
    size_t n = (size_t)size;
    for (size_t k = 0; k < n; ++k) {
        REAL* pivotColumn = a + k * n;
        size_t pivot = k;
        for (size_t i = k; i < n; ++i) {
            pivot = fabs((double)pivotColumn[i]) > fabs((double)pivotColumn[pivot]) ? i : pivot;
        }
        if (!(fabs((double)pivotColumn[pivot]) > 0)) {
            return lb_error(lb_errorArgument, "a dense matrix of %d rows is singular: column %d has no pivot", size,
                            (int)k);
        }
        NAME(swap_rows)(a, n, size, (int)k, (int)pivot);
        NAME(swap_rows)(b, n, count, (int)k, (int)pivot);
        for (size_t i = k + 1; i < n; ++i) {
            pivotColumn[i] /= pivotColumn[k];
        }
        for (size_t c = k + 1; c < n; ++c) {
            NAME(eliminate)(pivotColumn, n, k, a + c * n);
        }
        for (int c = 0; c < count; ++c) {
            NAME(eliminate)(pivotColumn, n, k, b + (size_t)c * n);
        }
    }
    for (int c = 0; c < count; ++c) {
        REAL* x = b + (size_t)c * n;
        for (size_t k = n; k-- > 0;) {
            x[k] /= a[k * n + k];
            for (size_t i = 0; i < k; ++i) {
                x[i] -= a[k * n + i] * x[k];
            }
        }
    }
    return lb_success();
}
