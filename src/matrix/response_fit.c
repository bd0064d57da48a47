/* A polynomial near 1 / (1 + lb_response), so that the largest relative error is as small as can be: least squares,
 * weighted anew by their errors until these are even (C. L. Lawson's method, 1961). */
#include "matrix/reach.h"

#include <math.h>
#include <string.h>

enum { sampleCount = 96, roundCount = 60 };

/* Averages are two filters one after the other to waves of several edges only: the
 * shorter ones are softer than that, and the longest ones, which a free body gives way to as a whole, stiffer.
 * Measured, in the mean over all eigenvectors of a block's averages (docs/incompressible.md). */
double lb_response(double largest, double x) {
    return largest * largest * x * x * (0.4 + x);
}

/* Chebyshev polynomials at x in 0 to 1. */
static void fill_polynomials(double x, int count, double* t) {
    double u = 2 * x - 1;
    t[0] = 1;
    t[1] = u;
    for (int k = 2; k < count; ++k) {
        t[k] = 2 * u * t[k - 1] - t[k - 2];
    }
}

/* Elimination without pivots: normal equations are definite. */
static void solve_small(int count, double a[lb_mostResponses][lb_mostResponses], double* b) {
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
            double factor = a[j][i] / a[i][i];
            for (int k = i; k < count; ++k) {
                a[j][k] -= factor * a[i][k];
            }
            b[j] -= factor * b[i];
        }
    }
    for (int i = count - 1; i >= 0; --i) {
        for (int k = i + 1; k < count; ++k) {
            b[i] -= a[i][k] * b[k];
        }
        b[i] /= a[i][i];
    }
}

static void fit_weighted(double largest, int count, const double* weights, double* coefficients) {
    double a[lb_mostResponses][lb_mostResponses] = {{0}};
    memset(coefficients, 0, lb_mostResponses * sizeof(double));
    for (int i = 0; i < sampleCount; ++i) {
        double x = (double)i / (sampleCount - 1), f = 1 + lb_response(largest, x), t[lb_mostResponses];
        fill_polynomials(x, count, t);
        for (int j = 0; j < count; ++j) {
            for (int k = 0; k < count; ++k) {
                a[j][k] += weights[i] * f * f * t[j] * t[k];
            }
            coefficients[j] += weights[i] * f * t[j];
        }
    }
    solve_small(count, a, coefficients);
}

/* Fits, and returns the largest relative error. */
static double fit(double largest, int count, double* coefficients) {
    double weights[sampleCount], worst = 0;
    for (int i = 0; i < sampleCount; ++i) {
        weights[i] = 1.0 / sampleCount;
    }
    for (int round = 0; round < roundCount; ++round) {
        fit_weighted(largest, count, weights, coefficients);
        double sum = 0;
        worst = 0;
        for (int i = 0; i < sampleCount; ++i) {
            double x = (double)i / (sampleCount - 1), t[lb_mostResponses], value = 0;
            fill_polynomials(x, count, t);
            for (int k = 0; k < count; ++k) {
                value += coefficients[k] * t[k];
            }
            double error = fabs(value * (1 + lb_response(largest, x)) - 1);
            worst = fmax(worst, error);
            weights[i] *= error + 1e-9;
            sum += weights[i];
        }
        for (int i = 0; i < sampleCount; ++i) {
            weights[i] /= sum;
        }
    }
    return worst;
}

void lb_fit_response(float largest, lbResponse* response) {
    const double enough = 0.25;
    double coefficients[lb_mostResponses];
    response->largest = largest;
    for (response->count = 2;; ++response->count) {
        if (fit((double)largest, response->count, coefficients) <= enough || response->count == lb_mostResponses) {
            break;
        }
    }
    for (int k = 0; k < response->count; ++k) {
        response->coefficients[k] = (float)coefficients[k];
    }
}
