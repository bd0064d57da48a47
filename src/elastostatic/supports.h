/* What holds a mesh: controls as sets of nodes, and whether they leave any part of it free to move. */
#ifndef LIMBER_SRC_SUPPORTS_H
#define LIMBER_SRC_SUPPORTS_H

#include "elastostatic/stiffness.h"
#include "limber/elastostatic.h"

/* owner (pointCount): the control of each node, or -1. Fails on indices out of range, nodes in two controls, controls
 * too few or too flat to be moved by an affine map. */
lbResult lb_own_nodes(const lbHost* host, const lbPrecomputeDef* def, int* owner);

/* Fails if some part of the mesh can move as a whole, naming the part and how. */
lbResult lb_check_supports(const lbHost* host, const lbTetMesh* mesh, const int* owner);

#endif
