/* Which features of two bodies that meet may touch: points, triangles and edges of skins, and shapes. Found once a
 * frame, or before each step where skins are fast. */
#ifndef LIMBER_SRC_FEATURES_H
#define LIMBER_SRC_FEATURES_H

#include "contact/contact.h"

/* A step and some more: skins gain speed within it. */
static const float lb_lookahead = 1.5f;

/* m: how far some point of a body that moves as a whole can come in dt. */
float lb_shape_travel(const lbBody* body, const lbCollisionShape* shape, double dt);

/* Pairs of two skins, in the order that contacts stand in. Writes up to `room`, returns how many there are. */
int lb_search_skins(const lbCollider* a, const lbCollider* b, lbSkinPair* pairs, int room);

/* Some pairs of a skin with itself: no more than `room`, and not looked for any further then. */
int lb_search_own_skin(const lbCollider* skin, lbSkinPair* pairs, int room);

/* m: how far the features of any of these move against each other at most. */
float lb_fastest_pair(const lbCollider* a, const lbCollider* b, const lbSkinPair* pairs, int count);

/* m: a body's own features that are nearer than this, beside what they move, may touch; and how near they are along its
 * surface at rest if they belong there. */
float lb_own_reach(const lbBody* body);
float lb_neighbourhood(const lbBody* body);

/* Contacts of a meeting that can come about in dt, behind all others of the set. */
void lb_fill_meeting(lbContacts* set, lbMeeting* meeting, double dt);

/* What is remembered of the last frame's. */
void lb_carry_over(lbContacts* set, const lbMeeting* meeting, const lbMeeting* before);

#endif
