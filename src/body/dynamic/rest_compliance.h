/* How a small body answers within an implicit step, at once, by the inverse of its step matrix at rest:
 *
 *   P^-1 = R G R^T + T^T Q E Q^T T,     E = (M - h^2 dF/dx - h dF/dv)^-1 - R0 G0 R0^T  at rest
 *
 * R are motions of the whole, which answer by mass and inertia, G; E is what deforms. Q turns each node by the rotation
 * of what is around it (stiffness warping, as of M. Müller et al., Stable real-time deformations, 2002): where a body
 * bends, what was soft at rest stays soft, and what was stiff stays stiff. T = I - M R G R^T keeps the whole out of it.
 * P is symmetric positive definite, and near the body's true matrix unless elements are crushed.
 *
 * No linear system is left to solve, and what contact asks for are single entries (contact/dense_space.h). All bodies
 * of a model share E. */
#ifndef LIMBER_SRC_REST_COMPLIANCE_H
#define LIMBER_SRC_REST_COMPLIANCE_H

#include "body/dynamic/dynamic_body.h"
#include "matrix/dense_inverse.h"

/* Beyond so many nodes neither the inverse nor its products pay. lb_restVectors: node vectors of scratch that it takes
 * while a block is open. */
enum { lb_mostRestNodes = 256, lb_restVectors = 4 };

/* Steps from a frame of 1 s in a thousand steps to one in a single step have a place. */
enum { lb_restComplianceCount = 81 };

/* Of a model, by the length of steps; see rest_compliance.c. */
typedef struct lbRestCompliance {
    bool made, failed; /* failed: the matrix was not definite, or there was no memory */
    lbDenseInverse inverse;
} lbRestCompliance;

struct lbRestCompliances {
    lbRestCompliance of[lb_restComplianceCount];
};

void lb_destroy_rest_compliances(const lbHost* host, struct lbRestCompliances* all);

/* lbBodyOps.prepareCompliance and what stands beside it. */
bool lb_dynamic_prepare_compliance(lbBody* body, double h);
void lb_dynamic_begin_compliance(lbBody* body);
void lb_dynamic_apply_compliance(lbBody* body, const float* r, float* z);
void lb_dynamic_node_compliance(const lbBody* body, int a, int b, float block[9]);

#endif
