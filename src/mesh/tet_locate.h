/* Which tetrahedron of a mesh a place is in, or nearest to, and its barycentric coordinates there. */
#ifndef LIMBER_SRC_TET_LOCATE_H
#define LIMBER_SRC_TET_LOCATE_H

#include "mesh/tet_mesh.h"

typedef struct lbTetLocator lbTetLocator;

/* The mesh must outlive it. */
lbResult lb_create_tet_locator(const lbTetMesh* mesh, lbTetLocator** locator);
void lb_destroy_tet_locator(lbTetLocator* locator); /* NULL is fine */

/* The tetrahedron that holds a place; for a place outside, the one whose face on the surface is nearest. The weights
 * add up to 1, and their sum over the corners is the place: outside, some are negative. */
int lb_locate_tet(const lbTetLocator* locator, lbVec3d place, double weights[4]);

#endif
