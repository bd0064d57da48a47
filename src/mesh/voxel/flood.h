/* Flooding of leaves: what is outside, and which cavities are. */
#ifndef LIMBER_SRC_VOXEL_FLOOD_H
#define LIMBER_SRC_VOXEL_FLOOD_H

#include "mesh/voxel/voxel.h"

/* Boundary leaves are known; all others are outside. Makes those inside that no way over faces leads to from the
 * border.
 */
lbResult lb_flood_outside(lbLeafGrid* grid);
/* Cavities: connected inside leaves that the surface does not wind around. They become outside. */
lbResult lb_empty_voids(lbLeafGrid* grid, const lbShapeQuery* solid);

#endif
