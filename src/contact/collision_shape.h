/* The geometry of rigid and guided bodies: how far a place is from one, where a triangle is nearest to it, and where
 * two of them touch. No forces, no motion. */
#ifndef LIMBER_SRC_COLLISION_SHAPE_H
#define LIMBER_SRC_COLLISION_SHAPE_H

#include "base/math.h"
#include "limber/collision.h"

/* In its own coordinates; constant once made, and shared by all that look like it. */
typedef struct lbCollisionShape lbCollisionShape;

lbResult lb_create_collision_shape(const lbHost* host, const lbCollisionDef* def, lbCollisionShape** shape);
void lb_destroy_collision_shape(lbCollisionShape* shape); /* NULL is fine */

lbCollisionKind lb_shape_kind(const lbCollisionShape* shape);

/* Signed distance from the shape to a point in its own coordinates, negative inside, and the unit outward normal there,
 * which is never zero; where several surface points are equally near, it is that of one of them, always the same. Exact
 * but for rounding, for meshes too: theirs is the distance to the nearest triangle. The inside of a mesh is told by
 * that triangle's side, which holds for surfaces that do not pass through themselves. */
float lb_shape_distance(const lbCollisionShape* shape, lbVec3 local, lbVec3* normal);

/* The nearest point of the shape's surface. */
lbVec3 lb_shape_surface_point(const lbCollisionShape* shape, lbVec3 local);

/* The point of a triangle that is nearest to the shape, or deepest in it: its weights; returns the distance there and
 * fills the outward normal. The triangle may be a segment or a point. Exact but for rounding, except for meshes: there
 * the triangle is cut where bounds on the distance cannot rule a part of it out, until the answer is within 1e-3 of the
 * smaller of triangle and mesh plus 1 % of the distance, or after 160 distances. */
float lb_shape_nearest_on_triangle(const lbCollisionShape* shape, const lbVec3 corners[3], float weights[3],
                                   lbVec3* normal);

/* A box in the world that holds the shape. That of a half-space is everything: it is not bounded, and is better met by
 * its distance. */
lbBox lb_shape_bounds(const lbCollisionShape* shape, lbPose pose);
bool lb_shape_is_bounded(const lbCollisionShape* shape);

/* Of a ball about the origin that holds it, m; INFINITY for a half-space. */
float lb_shape_radius(const lbCollisionShape* shape);

typedef struct lbShapeContact {
    lbVec3 a, b;      /* m, surface points of each, in the world */
    lbVec3 normal;    /* unit, from b to a, in the world */
    float gap;        /* m, (a - b) . normal; negative: they are in each other */
    uint32_t feature; /* which corners, edges or points: the same from frame to frame while they are the same */
} lbShapeContact;

/* A pair never has more contacts than this. */
enum { lb_mostShapeContacts = 64 };

/* Where two shapes are within `margin` of each other. Writes up to `capacity` contacts; returns how many there are.
 * Where more points of a mesh touch than lb_mostShapeContacts, those are kept that lie farthest out in as many
 * directions (but one), fixed to the mesh, and the deepest: they span the others. Two half-spaces never touch. */
int lb_collide_shapes(const lbCollisionShape* a, lbPose poseA, const lbCollisionShape* b, lbPose poseB, float margin,
                      lbShapeContact* contacts, int capacity);

#endif
