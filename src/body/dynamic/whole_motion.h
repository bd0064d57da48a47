/* How the nodes of a dynamic body move as a whole: the six motions that no law resists. */
#ifndef LIMBER_SRC_WHOLE_MOTION_H
#define LIMBER_SRC_WHOLE_MOTION_H

#include "body/dynamic/dynamic_body.h"

/* Inertia (xx, yy, zz, xy, xz, yz) of a mass at d. */
static inline void lb_add_inertia(double m, lbVec3d d, double j[6]) {
    j[0] += m * (d.y * d.y + d.z * d.z), j[1] += m * (d.x * d.x + d.z * d.z), j[2] += m * (d.x * d.x + d.y * d.y);
    j[3] -= m * d.x * d.y, j[4] -= m * d.x * d.z, j[5] -= m * d.y * d.z;
}
/* Zero where there is none: all mass on a line. */
void lb_invert_inertia(const double j[6], double inverse[6]);

/* As the body is now. */
lbWholeMotion lb_find_whole(const lbDynamicBody* body);

/* Where nodes are from the centre, (nodeCount x 4) m. */
void lb_fill_offsets(const lbDynamicBody* body, float* offsets);

/* Of the open block: sums of r, or of m r: impulse and torque. */
void lb_sum_whole(const lbDynamicBody* body, const float* r, bool byMass, double whole[6]);
/* z += scale (v + w x d), or m times that. */
void lb_add_whole(const lbDynamicBody* body, const double whole[6], float scale, bool byMass, float* z);
/* z = inverse (r - m (v + w x d)) for each node, inverse (nodeCount x 12) three columns x, y, z, 0 of each; sums: those
 * of m z. */
void lb_answer_nodes(const lbDynamicBody* body, const float* inverse, const float* r, const double whole[6], float* z,
                     double sums[6]);
/* The motion that an impulse and a torque make of the whole. */
void lb_answer_whole(const lbWholeMotion* whole, const double push[6], double motion[6]);

#endif
