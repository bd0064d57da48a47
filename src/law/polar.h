/* The rotation nearest to a matrix, in double: slow, for any matrix whatever. */
#ifndef LIMBER_SRC_POLAR_H
#define LIMBER_SRC_POLAR_H

/* R maximises tr(R^T F) over all proper rotations: where F turns inside out, along the axis where that costs least.
 * Where several are as near, one of them. Row-major. */
void lb_nearest_rotation(double F[3][3], double R[3][3]);

#endif
