/* The longest stable step of explicit methods on a mesh. */
#ifndef LIMBER_SRC_TET_COURANT_H
#define LIMBER_SRC_TET_COURANT_H

#include "limber/tet_mesh.h"

/* m; over the speed of pressure waves in the material, the step in s. Never too long; on meshes of limber's own 1.1 to
 * 1.6 times too short. */
lbResult lb_find_courant_length(const lbTetMesh* mesh, double* length);

#endif
