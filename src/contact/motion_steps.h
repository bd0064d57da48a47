/* How many steps a frame takes by how far things come against each other in it, so that nothing passes through
 * anything.
 */
#ifndef LIMBER_SRC_MOTION_STEPS_H
#define LIMBER_SRC_MOTION_STEPS_H

#include "contact/contact.h"

/* Of all bodies, given the pairs of them whose boxes overlap (boxPairs): lbCollider.steps, and their trees for steps of
 * that length. */
void lb_find_motion_steps(lbContacts* set, int pairCount, double dt);

/* m: how far a point may come beside where its velocity takes it; it may turn round and gain speed. */
float lb_margin_of(const lbBody* body, double dt);

/* Whether no part of a body's box may come within reach of an unbounded shape. */
bool lb_is_beyond(const lbCollider* shape, const lbCollider* other, double dt);

#endif
