/* From where controls are to coefficients of modes: the controls' average rotation is taken out as a rigid motion of
 * the whole, so that what is left is as small as it can be (Klimenko, Nikitina and Nikitin, section 2.3):
 *
 *   x = R (X + t0 + sum of c_k u_k),  R = GramSchmidt(mean of R_i),  R_i = polar(A_i)
 *
 * and gravity is turned by R^T. Beyond the paper the mean translation t0 is taken out, too: basis functions are rounded
 * to few digits, and a body that is carried far must not be deformed by that. */
#ifndef LIMBER_SRC_CONFIGURATION_H
#define LIMBER_SRC_CONFIGURATION_H

#include "base/math.h"
#include "elastostatic/elastostatic.h"

/* A control's affine map about its centre C, in the body's own coordinates: X to C + t + A (X - C). */
typedef struct lbControlMap {
    double t[3];
    double a[9];
} lbControlMap;

/* What counts of a body at some moment. */
typedef struct lbConfiguration {
    double rotation[9];    /* R, row by row */
    double translation[3]; /* R t0 */
    double* c;             /* (modeCount) */
} lbConfiguration;

/* R and t0 of maps (controlCount). False: rotations have no mean, or a map has none. `angle` and `stretch`: the largest
 * of any control against the mean, rad and relative. */
bool lb_find_frame(const lbElastostatic* data, const lbControlMap* maps, lbConfiguration* configuration, double* angle,
                   double* stretch);
/* The twelve coefficients of a control in that frame, and back. */
void lb_local_coefficients(const lbElastostatic* data, const lbConfiguration* configuration, int control,
                           const lbControlMap* map, double c[12]);
lbControlMap lb_map_of_coefficients(const lbElastostatic* data, const lbConfiguration* configuration, int control,
                                    const double c[12]);

lbControlMap lb_identity_map(void);

/* r = a b, of 3x3 matrices row by row; r = a^T b. */
void lb_multiply33(const double a[9], const double b[9], double r[9]);
void lb_multiply33_transposed(const double a[9], const double b[9], double r[9]);
lbVec3d lb_rotate33(const double a[9], lbVec3d v);
lbVec3d lb_unrotate33(const double a[9], lbVec3d v); /* a^T v */

/* The largest relative change of length of any edge of the surface. `positions` (pointCount x 3) as deformed. */
double lb_largest_edge_strain(const lbElastostatic* data, const float* positions);

#endif
