/* Generalised winding numbers of triangle soups. */
#ifndef LIMBER_SRC_WINDING_H
#define LIMBER_SRC_WINDING_H

#include "base/math.h"
#include "shape/bvh.h"

/* What a node of the tree looks like from afar. Moments are in units of the radius, so that they fit a float for
 * surfaces of any size; computed by lb_build_far_field. */
typedef struct lbFarField {
    float center[3];     /* about which the moments are taken, m */
    float radius;        /* no corner of the node's triangles is farther from the centre, m */
    float dipole[3];     /* area vector / (4 pi radius^2) */
    float quadrupole[6]; /* coefficients of xx, yy, zz, xy, yz, zx */
    float octupole[10];  /* of xxx, yyy, zzz, xxy, xxz, yyx, yyz, zzx, zzy, xyz */
    float unused;        /* 96 bytes */
} lbFarField;

/* One far field per node of the tree: (bvh->nodeCount); released with lb_release. */
lbResult lb_build_far_field(const lbHost* host, const lbBvh* bvh, lbFarField** field);

/* The point must be finite. */
double lb_winding_number(const lbBvh* bvh, const lbFarField* field, lbVec3 point);

#endif
