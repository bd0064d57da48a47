/* The rotation nearest to a matrix, in double: slow, for any matrix whatever. */
#ifndef LIMBER_SRC_POLAR_H
#define LIMBER_SRC_POLAR_H

#include <stdbool.h>

/* R maximises tr(R^T F) over all proper rotations: where F turns inside out, along the axis where that costs least.
 * Where several are as near, one of them. Row-major. */
void lb_nearest_rotation(double F[3][3], double R[3][3]);

/* The same, quick where F is not far from a rotation; false where it is, or turned inside out: R is nothing then. */
bool lb_polar_rotation(double F[3][3], double R[3][3]);

/* The same for lanes of a batch, columns first; only those where `good` is not above 0. */
void lb_nearest_rotations(float F[9][LB_LANES], const float good[LB_LANES], float R[9][LB_LANES]);

/* The same by mean edges: the first column's direction, then the second's across it. Where they have none, that of what
 * is left; always a rotation. */
void lb_mean_edge_rotation(double F[3][3], double R[3][3]);
void lb_mean_edge_rotations(float F[9][LB_LANES], const float good[LB_LANES], float R[9][LB_LANES]);

#endif
