/* The laws on deformation gradients in double (green.c, corotational.c and neo_hookean.c have their equations). */
#include "law/polar.h"
#include "law/precise.h"
#include "law/tets.h"

#include <string.h>

/* An element's deformation: F = I + G. */
typedef struct Deformation {
    double F[3][3], G[3][3];
    double own[3][3];     /* what the law's stress and its change both need: Green's tension S, or the rotation R, */
    double S[3][3];       /* and R^T F, */
    double turning[3][3]; /* and what makes of the axis of R^T dF - dF^T R that of R^T dR */
    bool insideOut;       /* or pressed to nothing */
    double lambda, mu;    /* V times Lamé's, J */
} Deformation;

typedef struct Law {
    void (*prepare)(Deformation* at);                /* fills `own`; NULL: nothing to fill */
    void (*stress)(Deformation* at, double (*P)[3]); /* V P */
    /* One of both: the change of V P along dF, or with every number of F: H_(r c)(s d) = dP_rc / dF_sd. */
    void (*change)(Deformation* at, double (*dF)[3], double (*dP)[3]);
    void (*tangent)(Deformation* at, double (*H)[9]);
} Law;

static void product(double (*A)[3], double (*B)[3], double (*C)[3]) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            C[r][c] = A[r][0] * B[0][c] + A[r][1] * B[1][c] + A[r][2] * B[2][c];
        }
    }
}

static void transposed_product(double (*A)[3], double (*B)[3], double (*C)[3]) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            C[r][c] = A[0][r] * B[0][c] + A[1][r] * B[1][c] + A[2][r] * B[2][c];
        }
    }
}

static double dot(double (*A)[3], double (*B)[3]) {
    double sum = 0;
    for (int k = 0; k < 9; ++k) {
        sum += A[k / 3][k % 3] * B[k / 3][k % 3];
    }
    return sum;
}

/* ---- Green ------------------------------------------------------------------------------------------------------- */

/* lambda tr(E) I + 2 mu E */
static void hooke(Deformation* at, double (*E)[3], double (*S)[3]) {
    double pressure = at->lambda * (E[0][0] + E[1][1] + E[2][2]);
    for (int k = 0; k < 9; ++k) {
        S[k / 3][k % 3] = 2 * at->mu * E[k / 3][k % 3] + (k % 4 == 0 ? pressure : 0);
    }
}

/* From G: F^T F - I would lose the digits of small strains. */
static void green_strain(Deformation* at, double (*E)[3]) {
    double square[3][3];
    transposed_product(at->G, at->G, square);
    for (int k = 0; k < 9; ++k) {
        int r = k / 3, c = k % 3;
        E[r][c] = 0.5 * (at->G[r][c] + at->G[c][r] + square[r][c]);
    }
}

static void green_tension(Deformation* at) {
    double E[3][3];
    green_strain(at, E);
    hooke(at, E, at->own);
}

static void green_stress(Deformation* at, double (*P)[3]) {
    product(at->F, at->own, P);
}

static void green_change(Deformation* at, double (*dF)[3], double (*dP)[3]) {
    double M[3][3], dE[3][3], dS[3][3], turned[3][3];
    transposed_product(at->F, dF, M);
    for (int k = 0; k < 9; ++k) {
        dE[k / 3][k % 3] = 0.5 * (M[k / 3][k % 3] + M[k % 3][k / 3]);
    }
    hooke(at, dE, dS);
    product(at->F, dS, dP);
    product(dF, at->own, turned);
    for (int k = 0; k < 9; ++k) {
        dP[k / 3][k % 3] += turned[k / 3][k % 3];
    }
}

/* ---- Corotational ------------------------------------------------------------------------------------------------ */

static double determinant_of(double (*F)[3]) {
    return F[0][0] * (F[1][1] * F[2][2] - F[1][2] * F[2][1]) - F[0][1] * (F[1][0] * F[2][2] - F[1][2] * F[2][0]) +
           F[0][2] * (F[1][0] * F[2][1] - F[1][1] * F[2][0]);
}

/* The derivative of det F: columns are cross products of F's columns. */
static void cofactors_of(double (*F)[3], double (*C)[3]) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            int i = (r + 1) % 3, j = (r + 2) % 3, k = (c + 1) % 3, l = (c + 2) % 3;
            C[r][c] = F[i][k] * F[j][l] - F[i][l] * F[j][k];
        }
    }
}

/* (tr(S) I - S)^-1: W S + S W = G - G^T of an axis w is (tr(S) I - S) w = axis of G - G^T. Kept from growing where S is
 * nearly singular, as the law in float32 does. */
static void find_turning(double (*S)[3], double (*turning)[3]) {
    double trace = S[0][0] + S[1][1] + S[2][2], K[3][3], C[3][3];
    for (int k = 0; k < 9; ++k) {
        K[k / 3][k % 3] = (k % 4 == 0 ? trace : 0) - S[k / 3][k % 3];
    }
    cofactors_of(K, C);
    double determinant = K[0][0] * C[0][0] + K[0][1] * C[0][1] + K[0][2] * C[0][2];
    double inverse = 1 / fmax(determinant, 1e-4 * trace * trace * trace + 1e-12);
    for (int k = 0; k < 9; ++k) {
        turning[k / 3][k % 3] = inverse * C[k % 3][k / 3];
    }
}

static void find_rotation(Deformation* at) {
    at->insideOut = !lb_polar_rotation(at->F, at->own);
    if (at->insideOut) {
        lb_nearest_rotation(at->F, at->own);
    }
    transposed_product(at->own, at->F, at->S);
    find_turning(at->S, at->turning);
}

/* S - I, from Green's strain: the difference of F and R would lose the digits of small strains. Stretches are
 * s = sqrt(1 + 2 e), e the principal strains; that of the axis that is pressed most is negative in an element that is
 * inside out. */
static void principal_stretch(Deformation* at, double (*E)[3], double (*U)[3]) {
    double V[3][3], stretches[3];
    lb_diagonalize(3, &E[0][0], &V[0][0]);
    int least = 0;
    for (int k = 0; k < 3; ++k) {
        double e = E[k][k], s = sqrt(fmax(0, 1 + 2 * e));
        stretches[k] = 2 * e / (1 + s);
        least = e < E[least][least] ? k : least;
    }
    if (determinant_of(at->F) < 0) {
        stretches[least] = -2 - stretches[least];
    }
    for (int k = 0; k < 9; ++k) {
        U[k / 3][k % 3] = 0;
        for (int m = 0; m < 3; ++m) {
            U[k / 3][k % 3] += stretches[m] * V[m][k / 3] * V[m][k % 3];
        }
    }
}

/* The same where S is positive definite: (S - I) (S + I) = S^2 - I = 2 E. */
static void stretch_less_one(Deformation* at, double (*U)[3]) {
    double E[3][3], more[3][3], C[3][3];
    green_strain(at, E);
    if (at->insideOut) {
        principal_stretch(at, E, U);
        return;
    }
    for (int k = 0; k < 9; ++k) {
        more[k / 3][k % 3] = 0.5 * (at->S[k / 3][k % 3] + at->S[k % 3][k / 3]) + (k % 4 == 0 ? 1 : 0);
    }
    cofactors_of(more, C); /* symmetric, as it is */
    double factor = 2 / (more[0][0] * C[0][0] + more[0][1] * C[0][1] + more[0][2] * C[0][2]);
    product(E, C, U);
    for (int k = 0; k < 9; ++k) {
        E[k / 3][k % 3] = 0.5 * factor * (U[k / 3][k % 3] + U[k % 3][k / 3]);
    }
    memcpy(U, E, sizeof(E));
}

static void corotational_stress(Deformation* at, double (*P)[3]) {
    double U[3][3], T[3][3];
    stretch_less_one(at, U);
    hooke(at, U, T);
    product(at->own, T, P);
}

/* dP = R (2 mu G + (lambda (tr S - 3) - 2 mu) W + lambda tr(G) I), G = R^T dF, of which a unit dF has one column. */
static void corotational_tangent(Deformation* at, double (*H)[9]) {
    double(*R)[3] = at->own, (*S)[3] = at->S, (*K)[3] = at->turning;
    double along = at->lambda * (S[0][0] + S[1][1] + S[2][2] - 3) - 2 * at->mu;
    for (int k = 0; k < 9; ++k) {
        int s = k / 3, d = k % 3, e = (d + 1) % 3, f = (d + 2) % 3;
        double w[3]; /* the axis of G - G^T is e_d x R_s */
        for (int r = 0; r < 3; ++r) {
            w[r] = along * (K[r][f] * R[s][e] - K[r][e] * R[s][f]);
        }
        for (int r = 0; r < 3; ++r) {
            double(*row)[9] = H + 3 * r, dilation = at->lambda * R[s][d];
            row[0][k] = dilation * R[r][0] + R[r][1] * w[2] - R[r][2] * w[1];
            row[1][k] = dilation * R[r][1] + R[r][2] * w[0] - R[r][0] * w[2];
            row[2][k] = dilation * R[r][2] + R[r][0] * w[1] - R[r][1] * w[0];
        }
        H[k][k] += 2 * at->mu;
    }
}

/* ---- Neo-Hookean ------------------------------------------------------------------------------------------------- */

/* det(I + G) - 1 without the loss of digits. */
static double gained_volume(double (*G)[3]) {
    double trace = G[0][0] + G[1][1] + G[2][2], C[3][3];
    cofactors_of(G, C);
    double second = C[0][0] + C[1][1] + C[2][2];
    double determinant = G[0][0] * C[0][0] + G[0][1] * C[0][1] + G[0][2] * C[0][2];
    return trace + second + determinant;
}

static void neo_hookean_stress(Deformation* at, double (*P)[3]) {
    double m = 4 * at->mu / 3, l = at->lambda + 5 * at->mu / 6, C[3][3];
    cofactors_of(at->F, C);
    /* m (1 - 1 / (|F|^2 + 1)) F - mu cof F, which cancel at rest, in terms of what is left there:
     * m (1 - 1 / (4 + q)) = mu + m q / (4 (4 + q)), q = |F|^2 - 3. */
    double q = 2 * (at->G[0][0] + at->G[1][1] + at->G[2][2]) + dot(at->G, at->G);
    double more = m * q / (4 * (4 + q)), pressure = l * gained_volume(at->G);
    double cofG[3][3], trace = at->G[0][0] + at->G[1][1] + at->G[2][2];
    cofactors_of(at->G, cofG);
    for (int k = 0; k < 9; ++k) {
        int r = k / 3, c = k % 3;
        /* cof(I + G) = I + tr(G) I - G^T + cof G, so that F - cof F = G + G^T - tr(G) I - cof G */
        double difference = at->G[r][c] + at->G[c][r] - (r == c ? trace : 0) - cofG[r][c];
        P[r][c] = at->mu * difference + more * at->F[r][c] + pressure * C[r][c];
    }
}

static void neo_hookean_change(Deformation* at, double (*dF)[3], double (*dP)[3]) {
    double m = 4 * at->mu / 3, l = at->lambda + 5 * at->mu / 6, C[3][3];
    cofactors_of(at->F, C);
    double inverse = 1 / (dot(at->F, at->F) + 1), along = m * (1 - inverse);
    double pressure = l * gained_volume(at->G) - at->mu;
    double stretching = 2 * m * inverse * inverse * dot(at->F, dF), dilation = l * dot(C, dF);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            int i = (r + 1) % 3, j = (r + 2) % 3, k = (c + 1) % 3, n = (c + 2) % 3;
            double turned =
                dF[i][k] * at->F[j][n] + at->F[i][k] * dF[j][n] - dF[i][n] * at->F[j][k] - at->F[i][n] * dF[j][k];
            dP[r][c] = along * dF[r][c] + stretching * at->F[r][c] + dilation * C[r][c] + pressure * turned;
        }
    }
}

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

static int tet_count(const void* elements) {
    return ((const lbTets*)elements)->batchCount * LB_LANES;
}

void lb_precise_gradients(const lbVec3d* rest, const int node[4], double a[4][3]) {
    lbVec3d e[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = vec3d_sub(rest[node[k + 1]], rest[node[0]]);
    }
    double determinant = vec3d_dot(e[0], vec3d_cross(e[1], e[2]));
    for (int c = 0; c < 3; ++c) {
        a[0][c] = 0;
    }
    for (int k = 0; k < 3; ++k) {
        lbVec3d g = vec3d_scale(1 / determinant, vec3d_cross(e[(k + 1) % 3], e[(k + 2) % 3]));
        a[k + 1][0] = g.x, a[k + 1][1] = g.y, a[k + 1][2] = g.z;
        a[0][0] -= g.x, a[0][1] -= g.y, a[0][2] -= g.z;
    }
}

static Deformation deform(const lbTetBatch* batch, int lane, const int node[4], double a[4][3], const double* u) {
    Deformation at = {.lambda = (double)batch->lambda[lane], .mu = (double)batch->mu[lane]};
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            for (int k = 1; k < 4; ++k) {
                at.G[r][c] += (u[3 * (size_t)node[k] + (size_t)r] - u[3 * (size_t)node[0] + (size_t)r]) * a[k][c];
            }
            at.F[r][c] = at.G[r][c] + (r == c ? 1 : 0);
        }
    }
    return at;
}

/* K_(k r)(l s) = sum over c, d of a_kc H_(r c)(s d) a_ld; symmetric, as H is. */
static void contract(double H[9][9], double a[4][3], double* stiffness) {
    for (int l = 0; l < 12; ++l) {
        double T[9];
        for (int k = 0; k < 9; ++k) {
            const double* row = H[k] + 3 * (l % 3);
            T[k] = row[0] * a[l / 3][0] + row[1] * a[l / 3][1] + row[2] * a[l / 3][2];
        }
        for (int k = l; k < 12; ++k) {
            const double* part = T + 3 * (k % 3);
            stiffness[12 * k + l] = stiffness[12 * l + k] =
                part[0] * a[k / 3][0] + part[1] * a[k / 3][1] + part[2] * a[k / 3][2];
        }
    }
}

static void evaluate(const Law* law, const lbPreciseScope* scope, int index, const double* u, lbTangentKind kind,
                     double* force, double* stiffness) {
    const lbTetBatch* batch = &((const lbTets*)scope->elements)->batches[index / LB_LANES];
    int node[4];
    lb_tet_nodes(scope->elements, index, node);
    double a[4][3], P[3][3];
    lb_precise_gradients(scope->rest, node, a);
    Deformation at = deform(batch, index % LB_LANES, node, a, u);
    if (law->prepare != NULL) {
        law->prepare(&at);
    }
    law->stress(&at, P);
    for (int k = 0; k < 12; ++k) {
        const double *row = P[k % 3], *gradient = a[k / 3];
        force[k] = -(row[0] * gradient[0] + row[1] * gradient[1] + row[2] * gradient[2]);
    }
    if (stiffness == NULL) {
        return;
    }
    double H[9][9];
    if (law->tangent != NULL) {
        law->tangent(&at, H);
    }
    for (int k = 0; k < 9 && law->change != NULL; ++k) {
        double dF[3][3] = {{0}}, dP[3][3];
        dF[k / 3][k % 3] = 1;
        law->change(&at, dF, dP);
        for (int i = 0; i < 9; ++i) {
            H[i][k] = dP[i / 3][i % 3];
        }
    }
    if (kind != lb_tangentExact) {
        lb_make_semidefinite(9, H[0]);
    }
    contract(H, a, stiffness);
}

static void evaluate_green(const lbPreciseScope* scope, int index, const double* u, lbTangentKind kind, double* force,
                           double* stiffness) {
    evaluate(&(Law){green_tension, green_stress, green_change, NULL}, scope, index, u, kind, force, stiffness);
}

static void evaluate_corotational(const lbPreciseScope* scope, int index, const double* u, lbTangentKind kind,
                                  double* force, double* stiffness) {
    evaluate(&(Law){find_rotation, corotational_stress, NULL, corotational_tangent}, scope, index, u, kind, force,
             stiffness);
}

static void evaluate_neo_hookean(const lbPreciseScope* scope, int index, const double* u, lbTangentKind kind,
                                 double* force, double* stiffness) {
    evaluate(&(Law){NULL, neo_hookean_stress, neo_hookean_change, NULL}, scope, index, u, kind, force, stiffness);
}

const lbPrecise lb_greenPrecise = {4, true, tet_count, lb_tet_nodes, evaluate_green};
const lbPrecise lb_corotationalPrecise = {4, true, tet_count, lb_tet_nodes, evaluate_corotational};
const lbPrecise lb_neoHookeanPrecise = {4, true, tet_count, lb_tet_nodes, evaluate_neo_hookean};
