#include "matrix/symmetric_eigen.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { sweepLimit = 40 }; /* ten are usual */

/* (a, b) -> (c a - s b, s a + c b) for each pair of two rows. */
static void rotate_rows(int n, double* a, double* b, double c, double s) {
    for (int i = 0; i < n; ++i) {
        double first = a[i], second = b[i];
        a[i] = c * first - s * second;
        b[i] = s * first + c * second;
    }
}

static void rotate_columns(int n, double* matrix, int p, int q, double c, double s) {
    for (int i = 0; i < n; ++i) {
        double* row = matrix + (size_t)i * (size_t)n;
        double first = row[p], second = row[q];
        row[p] = c * first - s * second;
        row[q] = s * first + c * second;
    }
}

/* One rotation that makes entry (p, q) zero; false if it already was, but for rounding. */
static bool clear_entry(int n, double* matrix, double* vectors, int p, int q, double negligible) {
    size_t width = (size_t)n;
    double* rowP = matrix + (size_t)p * width;
    double* rowQ = matrix + (size_t)q * width;
    double apq = rowP[q], app = rowP[p], aqq = rowQ[q];
    if (fabs(apq) <= negligible || fabs(apq) <= 1e-15 * sqrt(fabs(app * aqq))) {
        return false;
    }
    double theta = (aqq - app) / (2 * apq);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    rotate_rows(n, rowP, rowQ, c, s);
    rotate_columns(n, matrix, p, q, c, s);
    rowP[q] = rowQ[p] = 0;
    rotate_rows(n, vectors + (size_t)p * width, vectors + (size_t)q * width, c, s);
    return true;
}

static void swap_rows(int n, double* a, double* b) {
    for (int i = 0; i < n; ++i) {
        double kept = a[i];
        a[i] = b[i], b[i] = kept;
    }
}

static void sort_falling(int n, double* values, double* vectors) {
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i) {
            best = values[i] > values[best] ? i : best;
        }
        if (best != k) {
            swap_rows(1, values + k, values + best);
            swap_rows(n, vectors + (size_t)k * (size_t)n, vectors + (size_t)best * (size_t)n);
        }
    }
}

void lb_symmetric_eigen(int n, double* matrix, double* values, double* vectors) {
    size_t width = (size_t)n;
    double largest = 0;
    memset(vectors, 0, width * width * sizeof(double));
    for (size_t i = 0; i < width; ++i) {
        vectors[i * width + i] = 1;
    }
    for (size_t i = 0; i < width * width; ++i) {
        largest = fmax(largest, fabs(matrix[i]));
    }
    bool changed = largest > 0;
    for (int sweep = 0; changed && sweep < sweepLimit; ++sweep) {
        changed = false;
        for (int p = 0; p + 1 < n; ++p) {
            for (int q = p + 1; q < n; ++q) {
                changed = clear_entry(n, matrix, vectors, p, q, 1e-20 * largest) || changed;
            }
        }
    }
    for (size_t i = 0; i < width; ++i) {
        values[i] = matrix[i * width + i];
    }
    sort_falling(n, values, vectors);
}
