/* Mass, centre and inertia of solids. */
#ifndef LIMBER_SRC_MASS_PROPERTIES_H
#define LIMBER_SRC_MASS_PROPERTIES_H

#include "contact/collision_shape.h"

typedef struct lbMassProperties {
    double mass;       /* kg */
    lbVec3d center;    /* m */
    double inertia[6]; /* kg m^2, about the centre: xx, yy, zz, xy, xz, yz of the tensor */
} lbMassProperties;

/* What a closed surface encloses, exact but for rounding. Fails if it is open or not oriented, or encloses nothing. */
lbResult lb_shape_mass_properties(const lbShape* shape, double density, lbMassProperties* properties);

/* Fails for a half-space. */
lbResult lb_collision_mass_properties(const lbCollisionShape* shape, double density, lbMassProperties* properties);

/* Moments in falling order, and the rotation that takes the coordinates of the principal axes to the given ones. */
void lb_principal_axes(const double inertia[6], double moments[3], lbQuat* rotation);

#endif
