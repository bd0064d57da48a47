/* What is measured of the linear law: in double, element by element, since it is asked for once a frame at most. */
#include "base/symmetric.h"
#include "law/linear.h"

/* The gradient of displacements, of positions x: less the identity. */
static void displacement_gradient(const lbLinearTet* tet, const float* x, double D[3][3]) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            D[r][c] = r == c ? -1 : 0;
            for (int k = 0; k < 3; ++k) {
                double edge = (double)x[4 * (size_t)tet->node[k + 1] + (size_t)r] -
                              (double)x[4 * (size_t)tet->node[0] + (size_t)r];
                D[r][c] += edge * (double)tet->gradient[k][c];
            }
        }
    }
}

/* V times: full  lambda/2 tr(e)^2 + mu e:e, e the symmetric part;  paper  (lambda + mu)/2 tr(D)^2 + mu/2 D:D */
static double energy_of(const lbLinear* linear, const lbLinearTet* tet, const float* x) {
    double D[3][3], full = 0, paper = 0;
    displacement_gradient(tet, x, D);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            double strain = 0.5 * (D[r][c] + D[c][r]);
            full += strain * strain;
            paper += 0.5 * D[r][c] * D[r][c];
        }
    }
    double trace = D[0][0] + D[1][1] + D[2][2], lambda = (double)tet->lambda, mu = (double)tet->mu;
    return linear->boundary == lb_boundaryPaper
               ? (double)tet->volume * (0.5 * (lambda + mu) * trace * trace + mu * paper)
               : (double)tet->volume * (0.5 * lambda * trace * trace + mu * full);
}

double lb_linear_energy(const lbScope* scope, const float* x) {
    const lbLinear* linear = scope->elements;
    double energy = 0;
    for (int i = 0; i < linear->tetCount; ++i) {
        energy += energy_of(linear, &linear->tets[i], x);
    }
    return energy;
}

void lb_linear_share_energy(const lbScope* scope, const float* x, float* energy) {
    const lbLinear* linear = scope->elements;
    for (int i = 0; i < linear->tetCount; ++i) {
        float own = (float)(0.25 * energy_of(linear, &linear->tets[i], x));
        for (int k = 0; k < 4; ++k) {
            energy[linear->tets[i].node[k]] += own;
        }
    }
}

/* The principal strain of the largest magnitude. */
static double largest_strain(const float strain[6]) {
    const float opposite[6] = {-strain[0], -strain[1], -strain[2], -strain[3], -strain[4], -strain[5]};
    double high = symmetric_largest_eigenvalue(strain), low = -symmetric_largest_eigenvalue(opposite);
    return high + low >= 0 ? high : low;
}

/* Of lambda tr(e) I + 2 mu e, whose deviator is 2 mu times that of e. */
static double von_mises_stress(const float strain[6], double mu) {
    double mean = ((double)strain[0] + (double)strain[1] + (double)strain[2]) / 3, square = 0;
    for (int k = 0; k < 6; ++k) {
        double s = (double)strain[k] - (k < 3 ? mean : 0);
        square += (k < 3 ? 1 : 2) * s * s;
    }
    return 2 * mu * sqrt(1.5 * square);
}

void lb_linear_measure(const lbScope* scope, const float* x, lbFieldKind kind, float* sum, float* volume) {
    const lbLinear* linear = scope->elements;
    for (int i = 0; i < linear->tetCount; ++i) {
        const lbLinearTet* tet = &linear->tets[i];
        double D[3][3];
        displacement_gradient(tet, x, D);
        const float strain[6] = {(float)D[0][0],
                                 (float)D[1][1],
                                 (float)D[2][2],
                                 (float)(0.5 * (D[0][1] + D[1][0])),
                                 (float)(0.5 * (D[0][2] + D[2][0])),
                                 (float)(0.5 * (D[1][2] + D[2][1]))};
        double value = kind == lb_fieldStrain ? largest_strain(strain) : von_mises_stress(strain, (double)tet->mu);
        for (int k = 0; k < 4; ++k) {
            sum[tet->node[k]] += (float)value * tet->volume;
            volume[tet->node[k]] += tet->volume;
        }
    }
}

/* ---- What a scene can say of it ---------------------------------------------------------------------------------- */

static const lbKindInfo boundaries[] = {
    [lb_boundaryFull] = {"full", "Full", "No stress on what is free, as in standard finite elements"},
    [lb_boundaryPaper] = {"paper", "Paper", "Laplacian and gradient of divergence alone: turning makes forces there"},
};

static const lbProperty properties[] = {
    {.info = {.path = "law.boundary",
              .ofBody = true,
              .bodies = LB_SOFT,
              .group = "Law",
              .laws = LB_BIT(lb_lawLinear),
              .label = "Boundary",
              .unit = "",
              .description = "What the linear law takes for free surfaces",
              .type = lb_propertyChoice,
              .choiceCount = 2},
     .standard = {lb_boundaryFull},
     .choices = boundaries},
};

const lbPropertyList lb_linearProperties = LB_PROPERTY_LIST(properties);
