/* By the eigenvectors of F^T F (Jacobi's method): R = U V^T with the sign of the smallest singular value such that R
 * does not reflect. */
#include "law/polar.h"

#include "base/math.h"

#include <string.h>

/* Turns columns p and q of V so that the entry (p, q) of A = V^T C V vanishes. */
static void rotate_plane(double A[3][3], double V[3][3], int p, int q) {
    if (A[p][q] == 0) {
        return;
    }
    double theta = 0.5 * (A[q][q] - A[p][p]) / A[p][q];
    double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; ++k) {
        double a = A[k][p], b = A[k][q];
        A[k][p] = c * a - s * b, A[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 3; ++k) {
        double a = A[p][k], b = A[q][k];
        A[p][k] = c * a - s * b, A[q][k] = s * a + c * b;
        a = V[k][p], b = V[k][q];
        V[k][p] = c * a - s * b, V[k][q] = s * a + c * b;
    }
}

static lbVec3d column_of(double M[3][3], int k) {
    return vec3d(M[0][k], M[1][k], M[2][k]);
}

/* A unit vector across u, near b if b allows. */
static lbVec3d across(lbVec3d u, lbVec3d b, double size) {
    lbVec3d rest = vec3d_madd(b, -vec3d_dot(b, u), u);
    if (!(vec3d_length(rest) > 1e-12 * size)) {
        lbVec3d axis = fabs(u.x) < 0.5 ? vec3d(1, 0, 0) : vec3d(0, 1, 0);
        rest = vec3d_madd(axis, -vec3d_dot(axis, u), u);
    }
    return vec3d_normalize(rest);
}

void lb_nearest_rotation(double F[3][3], double R[3][3]) {
    enum { mostSweeps = 8 }; /* it converges quadratically; 5 are enough in double */
    double A[3][3], V[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 9; ++k) {
        A[k / 3][k % 3] = vec3d_dot(column_of(F, k / 3), column_of(F, k % 3));
    }
    const double small = 1e-17 * (A[0][0] + A[1][1] + A[2][2]);
    for (int i = 0; i < mostSweeps && !(fabs(A[0][1]) + fabs(A[0][2]) + fabs(A[1][2]) <= small); ++i) {
        rotate_plane(A, V, 0, 1);
        rotate_plane(A, V, 0, 2);
        rotate_plane(A, V, 1, 2);
    }
    int first = 0, second = 1; /* the two largest */
    for (int k = 1; k < 3; ++k) {
        first = A[k][k] > A[first][first] ? k : first;
    }
    second = first == 0 ? 1 : 0;
    second = 3 - first - second == second || A[3 - first - second][3 - first - second] > A[second][second]
                 ? 3 - first - second
                 : second;
    lbVec3d v1 = column_of(V, first), v2 = column_of(V, second), v3 = vec3d_cross(v1, v2);
    lbVec3d columns[3] = {column_of(F, 0), column_of(F, 1), column_of(F, 2)}, b[2];
    for (int k = 0; k < 2; ++k) {
        lbVec3d v = k == 0 ? v1 : v2;
        b[k] = vec3d_madd(vec3d_madd(vec3d_scale(v.x, columns[0]), v.y, columns[1]), v.z, columns[2]);
    }
    double size = vec3d_length(b[0]);
    lbVec3d u1 = size > 0 ? vec3d_scale(1 / size, b[0]) : v1;
    lbVec3d u2 = across(u1, size > 0 ? b[1] : v2, size > 0 ? size : 1), u3 = vec3d_cross(u1, u2);
    const double u[3][3] = {{u1.x, u1.y, u1.z}, {u2.x, u2.y, u2.z}, {u3.x, u3.y, u3.z}};
    const double v[3][3] = {{v1.x, v1.y, v1.z}, {v2.x, v2.y, v2.z}, {v3.x, v3.y, v3.z}};
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            R[r][c] = u[0][r] * v[0][c] + u[1][r] * v[1][c] + u[2][r] * v[2][c];
        }
    }
}

/* Newton's method on R R^T = I (N. J. Higham, Computing the Polar Decomposition, with Applications, 1986): R becomes
 * the mean of itself and its inverse transposed. */
bool lb_polar_rotation(double F[3][3], double R[3][3]) {
    enum { mostSteps = 10 };
    const double close = 1e-15, least = 0.05;
    memcpy(R, F, 9 * sizeof(double));
    for (int round = 0; round < mostSteps; ++round) {
        double C[3][3], change = 0; /* cofactors */
        for (int k = 0; k < 9; ++k) {
            int r = k / 3, c = k % 3, i = (r + 1) % 3, j = (r + 2) % 3, m = (c + 1) % 3, n = (c + 2) % 3;
            C[r][c] = R[i][m] * R[j][n] - R[i][n] * R[j][m];
        }
        double determinant = R[0][0] * C[0][0] + R[0][1] * C[0][1] + R[0][2] * C[0][2];
        if (!(determinant > least)) {
            return false;
        }
        double inverse = 0.5 / determinant;
        for (int k = 0; k < 9; ++k) {
            double next = 0.5 * R[k / 3][k % 3] + inverse * C[k / 3][k % 3];
            change = fmax(change, fabs(next - R[k / 3][k % 3]));
            R[k / 3][k % 3] = next;
        }
        if (change * change < close) { /* what is left is the square */
            return true;
        }
    }
    return false;
}

void lb_nearest_rotations(float F[9][LB_LANES], const float good[LB_LANES], float R[9][LB_LANES]) {
    for (int lane = 0; lane < LB_LANES; ++lane) {
        if (good[lane] > 0) {
            continue;
        }
        double from[3][3], to[3][3];
        for (int k = 0; k < 9; ++k) {
            from[k % 3][k / 3] = (double)F[k][lane];
        }
        lb_nearest_rotation(from, to);
        for (int k = 0; k < 9; ++k) {
            R[k][lane] = (float)to[k % 3][k / 3];
        }
    }
}

/* ---- Mean edges -------------------------------------------------------------------------------------------------- */

static lbVec3d axis_across(lbVec3d a) {
    lbVec3d other = fabs(a.x) < 0.6 * vec3d_length(a) ? vec3d(1, 0, 0) : vec3d(0, 1, 0);
    return vec3d_normalize(vec3d_cross(a, other));
}

void lb_mean_edge_rotation(double F[3][3], double R[3][3]) {
    const double least = 1e-6;
    lbVec3d e[3], x, y, z;
    for (int c = 0; c < 3; ++c) {
        e[c] = vec3d(F[0][c], F[1][c], F[2][c]);
    }
    /* A mean edge without a length gives no direction: it is what the two others leave. */
    x = vec3d_length(e[0]) > least ? e[0] : vec3d_cross(e[1], e[2]);
    if (!(vec3d_length(x) > least * least)) {
        x = vec3d_length(e[1]) > least ? axis_across(e[1]) : vec3d(1, 0, 0);
    }
    x = vec3d_normalize(x);
    y = vec3d_madd(e[1], -vec3d_dot(e[1], x), x);
    if (!(vec3d_length(y) > least)) {
        y = vec3d_cross(e[2], x);
    }
    y = vec3d_length(y) > least ? vec3d_normalize(y) : axis_across(x);
    z = vec3d_cross(x, y);
    const lbVec3d columns[3] = {x, y, z};
    for (int c = 0; c < 3; ++c) {
        R[0][c] = columns[c].x, R[1][c] = columns[c].y, R[2][c] = columns[c].z;
    }
}

void lb_mean_edge_rotations(float F[9][LB_LANES], const float good[LB_LANES], float R[9][LB_LANES]) {
    for (int lane = 0; lane < LB_LANES; ++lane) {
        if (good[lane] > 0) {
            continue;
        }
        double from[3][3], to[3][3];
        for (int k = 0; k < 9; ++k) {
            from[k % 3][k / 3] = (double)F[k][lane];
        }
        lb_mean_edge_rotation(from, to);
        for (int k = 0; k < 9; ++k) {
            R[k][lane] = (float)to[k % 3][k / 3];
        }
    }
}
