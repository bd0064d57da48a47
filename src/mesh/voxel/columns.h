/* How full leaves are. */
#ifndef LIMBER_SRC_VOXEL_COLUMNS_H
#define LIMBER_SRC_VOXEL_COLUMNS_H

#include "mesh/voxel/voxel.h"

/* By `samples` x `samples` lines through each leaf, of the triangles that are `solid`: fill (leaves), zero before, 0 to
 * 1; NaN along lines that go in and do not come out, through a hole. */
lbResult lb_measure_columns(const lbLeafGrid* grid, const lbShape* shape, const bool* solid, int samples, float* fill);

#endif
