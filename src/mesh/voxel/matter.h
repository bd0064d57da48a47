/* What voxels weigh. */
#ifndef LIMBER_SRC_VOXEL_MATTER_H
#define LIMBER_SRC_VOXEL_MATTER_H

#include "mesh/mesh.h"

/* kg of each node (nodeCount): the row sums of the popped mass matrix. */
void lb_find_voxel_masses(const lbMesh* mesh, const lbMaterial* material, double* masses);

#endif
