/* How a rigid body turns when nothing touches it. */
#ifndef LIMBER_SRC_RIGID_FLIGHT_H
#define LIMBER_SRC_RIGID_FLIGHT_H

#include "body/rigid/rigid_model.h"
#include "body/rigid/rotation.h"

typedef struct lbFlight {
    lbQuatd rotation; /* at its end */
    lbVec3d velocity; /* rad/s, mean over it, in the world */
} lbFlight;

/* From a rotation and an angular momentum (m^2/s: of each kg, in the world), which stays, over h seconds. Energy stays,
 * too, to rounding. */
lbFlight lb_fly(const lbRigidModel* model, lbQuatd rotation, lbVec3d momentum, double h);

#endif
