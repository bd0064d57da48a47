/* What the files of collision shapes share. */
#ifndef LIMBER_SRC_COLLISION_PARTS_H
#define LIMBER_SRC_COLLISION_PARTS_H

#include "contact/collision_mesh.h"
#include "contact/collision_shape.h"

struct lbCollisionShape {
    const lbHost* host;
    lbCollisionKind kind;
    float radius;          /* m, of a sphere or a capsule */
    float halfLength;      /* m, of a capsule's axis */
    lbVec3 half;           /* m, of a box's edges */
    lbCollisionMesh* mesh; /* or NULL */
    lbBox bounds;          /* m */
    float reach;           /* m, of a ball about the origin that holds it */
};

/* ---- Contacts of a pair ------------------------------------------------------------------------------------------ */

/* Contacts as they are found. Beyond lb_mostShapeContacts they are thinned out: kept[0] is then the deepest and kept[i]
 * the one that lies farthest along directions[i]. */
typedef struct lbContactSink {
    float margin; /* m, those with larger gaps are left out */
    lbPose frame; /* directions turn with it */
    int count;
    bool thinning;
    lbVec3 directions[lb_mostShapeContacts]; /* the first is unused; filled when thinning starts */
    lbShapeContact kept[lb_mostShapeContacts];
} lbContactSink;

void lb_add_contact(lbContactSink* sink, lbShapeContact contact);

/* Pairs, the kind with the lower number first. */
void lb_collide_boxes(const lbCollisionShape* a, lbPose poseA, const lbCollisionShape* b, lbPose poseB,
                      lbContactSink* sink);
void lb_collide_with_mesh(const lbCollisionShape* a, lbPose poseA, const lbCollisionShape* mesh, lbPose poseMesh,
                          lbContactSink* sink);

/* ---- Boxes ------------------------------------------------------------------------------------------------------- */

/* Corner i has x = +half if bit 0 of i is set, y bit 1, z bit 2. */
static inline lbVec3 box_corner(lbVec3 half, int i) {
    return vec3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
}

#endif
