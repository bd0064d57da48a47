/* The linear law in double (linear.c has its equations): by elements, since blocks of edges that were rounded to
 * float32 resist rotations a little, and slender bodies bend by turning. */
#include "law/linear.h"
#include "law/precise.h"

static int count_tets(const void* elements) {
    return ((const lbLinear*)elements)->tetCount;
}

static bool tet_nodes(const void* elements, int index, int* nodes) {
    const lbLinearTet* tet = &((const lbLinear*)elements)->tets[index];
    for (int k = 0; k < 4; ++k) {
        nodes[k] = tet->node[k];
    }
    return true;
}

static void fill_stiffness(const lbLinear* linear, const lbLinearTet* tet, double a[4][3], double K[12][12]) {
    double mu = (double)tet->volume * (double)tet->mu, lambda = (double)tet->volume * (double)tet->lambda;
    bool paper = linear->boundary == lb_boundaryPaper;
    double straight = paper ? lambda + mu : lambda, crossed = paper ? 0 : mu;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            double dot = a[i][0] * a[j][0] + a[i][1] * a[j][1] + a[i][2] * a[j][2];
            for (int k = 0; k < 9; ++k) {
                int r = k / 3, c = k % 3;
                K[3 * i + r][3 * j + c] =
                    straight * a[i][r] * a[j][c] + crossed * a[j][r] * a[i][c] + (r == c ? mu * dot : 0);
            }
        }
    }
}

static void evaluate(const lbPreciseScope* scope, int index, const double* u, lbTangentKind kind, double* force,
                     double* stiffness) {
    (void)kind; /* it is definite */
    const lbLinear* linear = scope->elements;
    const lbLinearTet* tet = &linear->tets[index];
    double a[4][3], K[12][12], d[12];
    lb_precise_gradients(scope->original, tet->node, a);
    fill_stiffness(linear, tet, a, K);
    lbVec3d first = lb_displaced_and_turned(scope, u, tet->node[0]);
    for (int k = 0; k < 4; ++k) {
        lbVec3d own = vec3d_sub(lb_displaced_and_turned(scope, u, tet->node[k]), first);
        d[3 * k] = own.x, d[3 * k + 1] = own.y, d[3 * k + 2] = own.z;
    }
    for (int i = 0; i < 12; ++i) {
        force[i] = 0;
        for (int j = 3; j < 12; ++j) {
            force[i] -= K[i][j] * d[j];
        }
        for (int j = 0; stiffness != NULL && j < 12; ++j) {
            stiffness[12 * i + j] = K[i][j];
        }
    }
}

const lbPrecise lb_linearPrecise = {4, false, count_tets, tet_nodes, evaluate};
