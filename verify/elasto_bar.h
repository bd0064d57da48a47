/* Bodies of precomputed modes that checks are made with: bars of cells, tubes, and what is asked of them. */
#ifndef LIMBER_VERIFY_ELASTO_BAR_H
#define LIMBER_VERIFY_ELASTO_BAR_H

#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "elastostatic/elastostatic.h"
#include "limber/limber.h"
#include "verify/suites.h"

/* A bar along x with a control at each end, of cells cut into six tetrahedra. */
typedef struct lbElastoBar {
    double size[3]; /* m */
    int cells[3];
    double width; /* m, of the controls along x */
    lbMaterial material;
    int zoneCount;
    lbZone zones[2];
    bool fixStart, strain, stress;
    lbBasisPrecision precision;
    lbStaticSolverKind solver;
    lbIncompressible incompressible;
} lbElastoBar;

/* 1 x 0.2 x 0.2 m, 10 x 4 x 4 cells, E = 1 MPa, 1000 kg/m^3. */
lbElastoBar lb_default_elasto_bar(float nu);
lbResult lb_make_bar_mesh(const lbElastoBar* bar, lbTetMesh** mesh);
lbResult lb_precompute_bar(const lbElastoBar* bar, lbElastostatic** made, lbPrecomputeReport* report);
lbResult lb_precompute_tube(const lbTubeDef* def, const lbMaterial* material, bool fixStart, lbElastostatic** made,
                            lbPrecomputeReport* report);

/* A world with one body of it; the model is the world's own from then on. */
lbResult lb_make_elasto_world(lbElastostatic* made, lbVec3 gravity, lbWorld** world, lbBodyId* body);

/* Coefficients of a control for displacements T + M (X - C). */
void lb_set_affine(const lbElastostatic* made, int control, const double t[3], const double m[9], double* coefficients);

/* Largest distance of evaluated points from where `place` says that they are. */
typedef lbVec3d lbPlaceFn(lbVec3d rest, const void* given);
double lb_largest_miss(const lbElastostatic* made, const double* coefficients, lbPlaceFn* place, const void* given);

#endif
