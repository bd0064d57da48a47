#include "matrix/dense_inverse.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

/* a -= s b, all that is done in the loops over columns: contiguous, so that compilers turn it into vectors. */
static inline void subtract_scaled(int count, double s, const double* restrict b, double* restrict a) {
    for (int i = 0; i < count; ++i) {
        a[i] -= s * b[i];
    }
}

/* The upper triangle becomes U, A = U^T U: each row, once it is known, is taken out of those below it. */
static bool factor(int size, double* a) {
    for (size_t k = 0, n = (size_t)size; k < n; ++k) {
        double* row = a + k * n;
        double pivot = row[k];
        if (!(pivot > 0) || !isfinite(pivot)) {
            return false;
        }
        double scale = 1 / sqrt(pivot);
        for (size_t i = k; i < n; ++i) {
            row[i] *= scale;
        }
        for (size_t i = k + 1; i < n; ++i) {
            if (row[i] != 0) {
                subtract_scaled((int)(n - i), row[i], row + i, a + i * n + i);
            }
        }
    }
    return true;
}

/* The upper triangle of U becomes that of U^-1, from the last row up: x_k = (e_k - sum over i > k of U_ki x_i) / U_kk.
 */
static void invert_triangle(int size, double* u, double* scratch) {
    for (size_t n = (size_t)size, k = n; k-- > 0;) {
        double* row = u + k * n;
        memset(scratch + k, 0, (n - k) * sizeof(double));
        for (size_t i = k + 1; i < n; ++i) {
            subtract_scaled((int)(n - i), row[i], u + i * n + i, scratch + i);
        }
        double scale = 1 / row[k];
        scratch[k] = 1;
        for (size_t i = k; i < n; ++i) {
            row[i] = scale * scratch[i];
        }
    }
}

/* A^-1 = V V^T, V = U^-1: products of rows from the diagonal on. */
static void multiply_triangles(int size, const double* v, lbDenseInverse* inverse) {
    for (size_t n = (size_t)size, i = 0; i < n; ++i) {
        for (size_t k = 0; k <= i; ++k) {
            const double *p = v + i * n, *q = v + k * n;
            double sums[4] = {0};
            size_t j = i;
            for (; j + 4 <= n; j += 4) {
                for (size_t c = 0; c < 4; ++c) {
                    sums[c] += p[j + c] * q[j + c];
                }
            }
            for (; j < n; ++j) {
                sums[0] += p[j] * q[j];
            }
            float sum = (float)((sums[0] + sums[1]) + (sums[2] + sums[3]));
            inverse->numbers[i * (size_t)inverse->stride + k] = sum;
            inverse->numbers[k * (size_t)inverse->stride + i] = sum;
        }
    }
}

bool lb_create_dense_inverse(const lbHost* host, int size, double* a, lbDenseInverse* inverse) {
    *inverse = (lbDenseInverse){.size = size, .stride = lb_dense_stride(size)};
    size_t n = (size_t)size;
    for (size_t i = 0; i < n; ++i) { /* the factor is of the upper triangle, whose rows are contiguous */
        for (size_t k = 0; k < i; ++k) {
            a[k * n + i] = a[i * n + k];
        }
    }
    double* scratch = LB_NEW(host, double, size);
    inverse->numbers = LB_NEW(host, float, (int64_t)inverse->stride * inverse->stride);
    bool made = scratch != NULL && inverse->numbers != NULL && factor(size, a);
    if (made) {
        invert_triangle(size, a, scratch);
        memset(inverse->numbers, 0, (size_t)inverse->stride * (size_t)inverse->stride * sizeof(float));
        multiply_triangles(size, a, inverse);
    } else {
        lb_destroy_dense_inverse(host, inverse);
    }
    lb_release(host, scratch);
    return made;
}

void lb_destroy_dense_inverse(const lbHost* host, lbDenseInverse* inverse) {
    lb_release(host, inverse->numbers);
    *inverse = (lbDenseInverse){0};
}

static float sum8(lbFloat8 a) {
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

/* Eight rows at once: as many sums run side by side, and x is loaded once for all of them. */
void lb_multiply_dense(const lbDenseInverse* inverse, const float* x, float* y) {
    size_t stride = (size_t)inverse->stride;
    for (size_t row = 0; row < stride; row += lb_denseLanes) {
        const float* m = inverse->numbers + row * stride;
        lbFloat8 sums[lb_denseLanes] = {0};
        for (size_t i = 0; i < stride; i += lb_denseLanes) {
            lbFloat8 p = load8(x + i);
            for (size_t k = 0; k < lb_denseLanes; ++k) {
                sums[k] += load8(m + k * stride + i) * p;
            }
        }
        for (size_t k = 0; k < lb_denseLanes; ++k) {
            y[row + k] = sum8(sums[k]);
        }
    }
}
