/* How the 18 modes of a hexahedron (pop_up.h) and its nodes see each other, and stiffness from moments of matter. */
#ifndef LIMBER_SRC_VOXEL_HEX_MODES_H
#define LIMBER_SRC_VOXEL_HEX_MODES_H

#include "mesh/voxel/pop_up.h"
#include "mesh/voxel/voxel.h"

/* Integrals of lambda and mu times xi^a eta^b zeta^c over the matter, Pa m^3; at 9 a + 3 b + c, each 0 to 2. */
typedef struct lbMoments {
    double lambda[27], mu[27];
} lbMoments;

void lb_moments_stiffness(const double sides[3], const lbMoments* moments, bool enhanced, lbHexMatrix K);

/* Displacements of the nodes (8 x 3) in a mode, and the modes of displacements. */
void lb_mode_displacement(const double sides[3], int mode, double u[24]);
void lb_displacement_modes(const double sides[3], const double u[24], double e[hexModes]);

void lb_lame_of(const lbMatter* matter, double* lambda, double* mu);
lbMatter lb_leaf_matter(const lbPopUp* popUp, const lbVoxelLeaf* leaf);

#endif
