/* Hard constraints on points of the skin: the smallest displacements of nodes with which given skin points move as they
 * are told, H u = c (Nesme, Payan and Faure 2006, section 4.3, whose two cases stand the wrong way round):
 *
 *   fewer constraints than nodes that carry them:  u = W H^T (H W H^T)^-1 c, the smallest, weighed by W^-1
 *   more of them:                                  u = (H^T H)^-1 H^T c, the one with the least squares
 *
 * With W the inverse masses, a part that is pushed answers as if struck: what holds it most moves least. Constraints
 * that contradict each other are satisfied by least squares, too, and that is said. Where no node carries two of the
 * points, H W H^T is a number for each, and nothing is solved. */
#ifndef LIMBER_SRC_SKIN_SATISFY_H
#define LIMBER_SRC_SKIN_SATISFY_H

#include "limber/base.h"
#include "skin/skin.h"

typedef struct lbSatisfyDef {
    const lbSkin* skin;
    int nodeCount;
    const float* weights; /* (nodeCount) W; NULL: all 1 */
    int count;            /* of constraints */
    const int* points;    /* (count) skin points */
    const lbVec3* wanted; /* (count) m, c */
    bool general;         /* solves even where it need not, for checks */
} lbSatisfyDef;

typedef struct lbSatisfied {
    bool independent;   /* no node carries two of the points */
    bool contradictory; /* not all could be satisfied: least squares */
    double residual;    /* m, the largest |H u - c| */
} lbSatisfied;

enum { lb_mostConstraints = 256 };

/* Adds u to `moved` (nodeCount x 4). Not for stepping: it takes memory. */
lbResult lb_satisfy_points(const lbHost* host, const lbSatisfyDef* def, float* moved, lbSatisfied* report);

#endif
