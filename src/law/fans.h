/* Tetrahedra in fans: neighbours around an edge, one after the other in the same lane, so that what they share is
 * gathered and scattered once. */
#ifndef LIMBER_SRC_FANS_H
#define LIMBER_SRC_FANS_H

#include "law/law.h"

/* Within each group of the plan, puts tetrahedra in another order and their nodes, too (even permutations only). After
 * that a batch either begins fans, or continues those of the batch before it, lane by lane: its nodes 0, 1 and 2 are
 * nodes 0, 1 and 3 there.
 *
 * `nodes` are those of the tetrahedra, (count x 4); `order` is as lb_plan_elements made it. `continues` receives a
 * number for each batch, 0 for those that begin; to be released by the caller. */
lbResult lb_order_fans(const lbHost* host, const lbPlan* plan, int* nodes, int* order, uint8_t** continues);

#endif
