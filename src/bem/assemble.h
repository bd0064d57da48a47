/* Rows of the boundary element system, for groups of neighbouring points. */
#ifndef LIMBER_SRC_BEM_ASSEMBLE_H
#define LIMBER_SRC_BEM_ASSEMBLE_H

#include "bem/boundary.h"

/* Matrices are by columns. */
typedef struct lbBoundaryRows {
    const lbBoundary* boundary; /* its points ordered for locality */
    const int* freeOf;          /* (pointCount) */
    int freeCount, loadCount;
    const lbBoundaryLoad* loads;
    bool compliance;
    bool residual;             /* all displacements and tractions are given: only right-hand sides, -K u + L p */
    double* matrix;            /* (3 pointCount x 3 pointCount); NULL with `residual` */
    double* right;             /* (3 pointCount x (3 freeCount with `compliance` + loadCount)) */
    float *matrix32, *right32; /* in place of both, if they are there; then there are no loads */
    lbTasks* tasks;
    lbProgressFn* progress;
    void* progressUser;
} lbBoundaryRows;

lbResult lb_assemble_boundary(const lbBoundaryRows* rows);

#endif
