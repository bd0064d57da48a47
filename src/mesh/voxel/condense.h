/* Stiffness with the nodes of finer cells inside a hexahedron free to move. */
#ifndef LIMBER_SRC_VOXEL_CONDENSE_H
#define LIMBER_SRC_VOXEL_CONDENSE_H

#include "mesh/voxel/pop_up.h"

/* K comes as the non-uniform one, and goes as the condensed one; a share of 1e-3 of the former stays, so that corners
 * that nothing but freed nodes holds on to have some stiffness. */
void lb_condense(const lbPopUp* popUp, int content, lbHexMatrix K);

#endif
