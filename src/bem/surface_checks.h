/* Whether a triangle surface bounds a solid that boundary elements can be laid on. */
#ifndef LIMBER_SRC_BEM_SURFACE_CHECKS_H
#define LIMBER_SRC_BEM_SURFACE_CHECKS_H

#include "base/math.h"
#include "limber/shape.h"

/* What was seen beside errors. */
typedef struct lbBoundarySurfaceReport {
    double area, volume;    /* m^2, m^3 */
    double openArea;        /* |sum of vector areas| / area: 0 for a closed surface ("hedgehog") */
    int foldCount;          /* edges at which the surface turns by more than 150 degrees: tractions are poor there */
    lbVec3 firstFold;       /* m, the middle of the first */
    double sharpestDegrees; /* by how much the surface turns at its sharpest edge */
} lbBoundarySurfaceReport;

/* Fails, naming the place, on the first edge that has one triangle or more than two, or two that disagree on which side
 * is out; a triangle without area; a surface that is inside out; parts that pass through one another. `report` may be
 * NULL. */
lbResult lb_check_boundary_surface(const lbShape* shape, lbBoundarySurfaceReport* report);

#endif
