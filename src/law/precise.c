#include "law/precise.h"

#include "base/math.h"
#include "law/averaged_volume.h"

#include <string.h>

/* ---- Semidefinite matrices --------------------------------------------------------------------------------------- */

/* Whether elimination meets no negative pivot, but for rounding. */
static bool is_semidefinite(int n, const double* matrix) {
    double A[lb_mostPreciseNumbers * lb_mostPreciseNumbers], largest = 0;
    memcpy(A, matrix, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n; ++i) {
        largest = fmax(largest, A[i * n + i]);
    }
    double rounding = 1e-12 * largest;
    for (int k = 0; k < n; ++k) {
        double pivot = A[k * n + k];
        if (pivot < -rounding) {
            return false;
        }
        for (int i = k + 1; i < n; ++i) {
            if (pivot <= rounding) {
                if (fabs(A[i * n + k]) > 10 * rounding) {
                    return false;
                }
                continue;
            }
            double factor = A[i * n + k] / pivot;
            for (int j = k + 1; j < n; ++j) {
                A[i * n + j] -= factor * A[k * n + j];
            }
        }
    }
    return true;
}

void lb_diagonalize(int n, double* A, double* V) {
    enum { mostSweeps = 12 };
    double size = 0;
    for (int i = 0; i < n * n; ++i) {
        V[i] = i / n == i % n ? 1 : 0;
        size += A[i] * A[i];
    }
    for (int sweep = 0; sweep < mostSweeps; ++sweep) {
        double off = 0;
        for (int p = 0; p < n; ++p) {
            for (int q = p + 1; q < n; ++q) {
                double apq = A[p * n + q];
                off += apq * apq;
                if (apq * apq <= 1e-30 * size) {
                    continue;
                }
                double theta = 0.5 * (A[q * n + q] - A[p * n + p]) / apq;
                double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < n; ++k) {
                    double a = A[k * n + p], b = A[k * n + q];
                    A[k * n + p] = c * a - s * b, A[k * n + q] = s * a + c * b;
                }
                for (int k = 0; k < n; ++k) {
                    double a = A[p * n + k], b = A[q * n + k];
                    A[p * n + k] = c * a - s * b, A[q * n + k] = s * a + c * b;
                    a = V[p * n + k], b = V[q * n + k];
                    V[p * n + k] = c * a - s * b, V[q * n + k] = s * a + c * b;
                }
            }
        }
        if (off <= 1e-26 * size) {
            break;
        }
    }
}

void lb_make_semidefinite(int n, double* matrix) {
    double A[lb_mostPreciseNumbers * lb_mostPreciseNumbers], V[lb_mostPreciseNumbers * lb_mostPreciseNumbers];
    for (int i = 0; i < n * n; ++i) { /* exactly symmetric */
        A[i] = 0.5 * (matrix[i] + matrix[i % n * n + i / n]);
    }
    if (is_semidefinite(n, A)) {
        return;
    }
    lb_diagonalize(n, A, V);
    memset(matrix, 0, (size_t)(n * n) * sizeof(double));
    for (int k = 0; k < n; ++k) {
        double value = A[k * n + k];
        for (int i = 0; value > 0 && i < n * n; ++i) {
            matrix[i] += value * V[k * n + i / n] * V[k * n + i % n];
        }
    }
}

/* ---- Averages of volumes ----------------------------------------------------------------------------------------- */

bool lb_precise_volume(const lbPreciseScope* scope, int index, const double* u, const int* nodes, double* gained,
                       double gradient[12]) {
    const lbAveragedVolume* volumes = scope->elements;
    double scale = (double)volumes->batches[index / LB_LANES].scale[index % LB_LANES];
    if (volumes->numbers[index] < 0 || scale == 0) {
        return false;
    }
    bool linear = volumes->gradients != NULL;
    lbVec3d X[3], d[3], sum = {0, 0, 0},
                        first = linear ? lb_displaced_and_turned(scope, u, nodes[0]) : lb_displaced(u, nodes[0]);
    const lbVec3d* rest = linear ? scope->original : scope->rest;
    for (int k = 0; k < 3; ++k) {
        int node = nodes[k + 1];
        X[k] = vec3d_sub(rest[node], rest[nodes[0]]);
        d[k] = vec3d_sub(linear ? lb_displaced_and_turned(scope, u, node) : lb_displaced(u, node), first);
    }
    lbVec3d x[3] = {vec3d_add(X[0], d[0]), vec3d_add(X[1], d[1]), vec3d_add(X[2], d[2])};
    /* det[X + d] - det[X], by what each column adds to those before it: the digits of small d are kept */
    const lbVec3d added[3] = {vec3d_cross(X[1], X[2]), vec3d_cross(X[2], x[0]), vec3d_cross(x[0], x[1])};
    *gained = 0;
    for (int k = 0; k < 3; ++k) {
        int l = (k + 1) % 3, n = (k + 2) % 3;
        lbVec3d atRest = vec3d_cross(X[l], X[n]), g = linear ? atRest : vec3d_cross(x[l], x[n]);
        *gained += scale * vec3d_dot(d[k], linear ? atRest : added[k]);
        g = vec3d_scale(scale, g);
        sum = vec3d_add(sum, g);
        gradient[3 * k + 3] = g.x, gradient[3 * k + 4] = g.y, gradient[3 * k + 5] = g.z;
    }
    gradient[0] = -sum.x, gradient[1] = -sum.y, gradient[2] = -sum.z;
    return true;
}

void lb_volume_turning(const lbVec3d e[3], double scale, double turning[144]) {
    memset(turning, 0, 144 * sizeof(double));
    for (int k = 0; k < 3; ++k) {
        int l = (k + 1) % 3;
        lbVec3d third = vec3d_scale(scale, e[(k + 2) % 3]);
        const double cross[3][3] = {{0, third.z, -third.y}, {-third.z, 0, third.x}, {third.y, -third.x, 0}};
        for (int i = 0; i < 9; ++i) { /* e_k . (e_l x e_n): nodes k + 1 and l + 1 */
            int row = 3 * (k + 1) + i / 3, column = 3 * (l + 1) + i % 3;
            turning[12 * row + column] = turning[12 * column + row] = cross[i / 3][i % 3];
        }
    }
    for (int i = 3; i < 12; ++i) { /* node 0 has minus the sum of the others */
        for (int c = 0; c < 3; ++c) {
            double sum = turning[12 * i + 3 + c] + turning[12 * i + 6 + c] + turning[12 * i + 9 + c];
            turning[12 * i + c] = turning[12 * c + i] = -sum;
        }
    }
    for (int k = 0; k < 9; ++k) {
        int r = k / 3, c = k % 3;
        turning[12 * r + c] = -(turning[12 * (3 + r) + c] + turning[12 * (6 + r) + c] + turning[12 * (9 + r) + c]);
    }
}

bool lb_precise_volume_turning(const lbPreciseScope* scope, int index, const double* u, const int* nodes,
                               double turning[144]) {
    const lbAveragedVolume* volumes = scope->elements;
    if (volumes->gradients != NULL) {
        return false;
    }
    lbVec3d e[3], first = lb_place_of(scope, u, nodes[0]);
    for (int k = 0; k < 3; ++k) {
        e[k] = vec3d_sub(lb_place_of(scope, u, nodes[k + 1]), first);
    }
    lb_volume_turning(e, (double)volumes->batches[index / LB_LANES].scale[index % LB_LANES], turning);
    return true;
}
