/* The stiffness of a hexahedron from the leaves in it (Nesme, Payan and Faure 2006, section 5).
 *
 * A hexahedron's trilinear displacement is a uniform motion, a gradient, and four vectors of *bending*, the amplitudes
 * of xi eta, eta zeta, zeta xi and xi eta zeta, -1 <= xi <= 1. Forces depend on none of the uniform motion and on the
 * gradient by its symmetric part alone. What is left are 18 numbers, and stiffness is a matrix of them:
 *
 *   0 to 5    strain xx, yy, zz, xy, xz, yz
 *   6 to 17   bending x, y, z along xi eta; eta zeta; zeta xi; xi eta zeta, m
 *
 * It is positive definite: the six motions without resistance are left out, whatever the rounding. In these
 * coordinates a sum over children of L^T K L, which is what the paper pops up level by level, is an integral over
 * matter of products of monomials: moments of the leaves up to the second degree along each axis are all that it takes.
 */
#ifndef LIMBER_SRC_VOXEL_POP_UP_H
#define LIMBER_SRC_VOXEL_POP_UP_H

#include "limber/model.h"

struct lbVoxels;

enum { hexModes = 18 };

typedef double lbHexMatrix[hexModes][hexModes];

/* What one leaf needs: scratch of `condensed`. */
typedef struct lbPopUp {
    const struct lbVoxels* voxels;
    const lbMaterial* material; /* where a leaf has none of its own */
    lbVoxelStiffness stiffness;
} lbPopUp;

/* Of a content (lbVoxels.contents), J: energy = e^T K e / 2. */
void lb_pop_up(const lbPopUp* popUp, int content, lbHexMatrix K);

/* Whether a content is full and of one matter; then which. */
bool lb_is_whole(const struct lbVoxels* voxels, int content, int* matter);
/* Its fill, 0 to 1. */
double lb_content_fill(const struct lbVoxels* voxels, int content);

/* Where its matter is, by stiffness: the means of xi, eta, zeta, eta zeta, zeta xi and xi eta. */
void lb_content_middle(const lbPopUp* popUp, int content, double middle[6]);

/* The gradient of matter as a whole is that of the hexahedron's middle, and what bending adds where matter is: columns
 * += bending k times gradients[k]. */
void lb_middle_gradients(const double sides[3], const double middle[6], double gradients[4][3]);

/* K for strains that are those of the matter, not of the hexahedron's middle. */
void lb_center_on_matter(const double sides[3], const double middle[6], lbHexMatrix K);

/* Of a full hexahedron of the given sides; `enhanced` or trilinear. */
void lb_hex_stiffness(const double sides[3], double lambda, double mu, bool enhanced, lbHexMatrix K);

/* The same as nodes see it: (24 x 24), three times the corner and the axis. */
void lb_hex_nodal(const double sides[3], double (*K)[hexModes], double nodal[24][24]);

#endif
