/* Collision shapes: what rigid and guided bodies look like to whatever touches them. SI units: metres. */
#ifndef LIMBER_COLLISION_H
#define LIMBER_COLLISION_H

#include "limber/base.h"
#include "limber/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lbCollisionKind {
    lb_collisionSphere,    /* radius; about the origin */
    lb_collisionCapsule,   /* radius, length of the straight part; axis y, about the origin */
    lb_collisionBox,       /* size; about the origin */
    lb_collisionHalfSpace, /* all below y = 0 is solid */
    lb_collisionMesh,      /* shape */
    lb_collisionKindCount
} lbCollisionKind;

/* Which fields count is said beside each kind. */
typedef struct lbCollisionDef {
    lbCollisionKind kind;
    float radius;         /* m */
    float length;         /* m; 0: the capsule is a ball */
    lbVec3 size;          /* m, the edges */
    const lbShape* shape; /* closed and oriented; copied */
} lbCollisionDef;

/* "sphere", "capsule", "box", "half-space", "mesh". NULL for a kind that does not exist. */
LB_API const char* lbCollisionKind_GetName(lbCollisionKind kind);
/* False if no kind has that name. */
LB_API bool lbCollisionKind_FromName(const char* name, lbCollisionKind* kind);

#ifdef __cplusplus
}
#endif

#endif
