/* Surfaces in double precision that boundary elements are checked on. */
#ifndef LIMBER_VERIFY_BEM_STAGE_H
#define LIMBER_VERIFY_BEM_STAGE_H

#include "bem/boundary.h"
#include "limber/shape.h"
#include "verify/verify.h"

typedef struct lbBemSpecimen {
    lbBoundary boundary;
    lbVec3d* points;
    int* triangles;
    bool* held;
    double* tractions;     /* (triangleCount x 3 x 3) Pa, zero at first */
    double* displacements; /* (pointCount x 3) m, zero at first */
} lbBemSpecimen;

/* A copy of a shape, nothing held. */
lbResult lb_make_specimen(const lbShape* shape, double E, double nu, lbBemSpecimen* made);
/* A subdivided icosahedron of 10 n^2 + 2 points, its points exactly on the sphere; with an inner radius, a shell. */
lbResult lb_make_ball(double radius, double inner, int n, double E, double nu, lbBemSpecimen* made);
/* A box about the origin of so many cells along its edges. */
lbResult lb_make_block(lbVec3d size, int cells, double E, double nu, lbBemSpecimen* made);
void lb_free_specimen(lbBemSpecimen* made);

lbVec3d lb_specimen_normal(const lbBemSpecimen* made, int triangle);
lbVec3d lb_specimen_center(const lbBemSpecimen* made, int triangle);
/* Holds the triangles whose centres lie above a plane, normal . x > offset; returns how many. */
int lb_hold_above(lbBemSpecimen* made, lbVec3d normal, double offset);

#endif
