/* Tools, which bodies collide with, and where they touch. */
#ifndef LIMBER_CONTACT_H
#define LIMBER_CONTACT_H

#include "limber/base.h"
#include "limber/ids.h"
#include "limber/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tools are guided bodies; these functions make and move them without models. All of lbBody_... serves them, too. */
typedef enum lbToolKind {
    lb_toolSphere,    /* radius */
    lb_toolHalfSpace, /* all below the plane through its position, whose normal is its own y axis: the ground */
    lb_toolCapsule,   /* radius, length; along its own y axis */
    lb_toolBox,       /* size */
    lb_toolMesh,      /* shape: closed */
    lb_toolKindCount
} lbToolKind;

typedef struct lbToolDef {
    lbToolKind kind;
    const char* name;     /* for messages; copied; default "tool" */
    lbVec3 position;      /* m; default the origin */
    lbQuat rotation;      /* default none */
    float radius;         /* m; default 0.1. lb_toolSphere, lb_toolCapsule */
    float length;         /* m, of the straight part; default 0.2. lb_toolCapsule */
    lbVec3 size;          /* m, the edges; default 0.2 each. lb_toolBox */
    const lbShape* shape; /* lb_toolMesh; copied */
    bool deforms;         /* lb_toolMesh: it may change its shape (lbBody_MoveSkinTo), and collides by its skin */
    float friction;       /* as in lbBodyDef; default 0.5 */
    float restitution;    /* as in lbBodyDef; default 0 */
    uint32_t cookie;      /* set by lbDefaultToolDef() */
} lbToolDef;

LB_API lbToolDef lbDefaultToolDef(lbToolKind kind);
/* It stays where it is until it is moved. */
LB_API lbResult lbCreateTool(lbWorld* world, const lbToolDef* def, lbToolId* tool);
LB_API lbResult lbDestroyTool(lbWorld* world, lbToolId tool);
/* Where the tool shall be at the end of the next frame; it moves there evenly, step by step. */
LB_API lbResult lbTool_MoveTo(lbWorld* world, lbToolId tool, lbVec3 position, lbQuat rotation);
LB_API lbResult lbTool_GetPosition(const lbWorld* world, lbToolId tool, lbVec3* position); /* m, now */
LB_API lbResult lbTool_GetRotation(const lbWorld* world, lbToolId tool, lbQuat* rotation); /* now */
/* What it is and where it is now, as a definition. */
LB_API lbResult lbTool_GetDef(const lbWorld* world, lbToolId tool, lbToolDef* def);
/* What bodies did to the tool in the last frame: mean force, N. Equal and opposite to what they got. */
LB_API lbResult lbTool_GetForce(const lbWorld* world, lbToolId tool, lbVec3* force);

/* Force (N) and torque about its origin (N m) that all contacts and holds of a body came to in the last frame: means
 * over it. Either may be NULL. */
LB_API lbResult lbBody_GetContactForce(const lbWorld* world, lbBodyId body, lbVec3* force, lbVec3* torque);

/* Where a body was pushed in the last frame. */
typedef struct lbContactPoint {
    lbVec3 position; /* m, on its surface, now */
    lbVec3 normal;   /* unit, out of what pushes it */
    lbVec3 force;    /* N, on the body: mean over the frame */
    float pressure;  /* N/m^2: the force's normal part by the area it stands for; 0 where no area is known */
    lbBodyId other;  /* what pushed it */
    int skinPoint;   /* the skin point that is nearest to the place; -1: the body has no skin */
} lbContactPoint;

/* Writes up to `capacity` contacts of a body and how many there are. None after what makes its state jump
 * (lbBody_SetState, lbBody_SetPose, lbWorld_Restore) until the next frame, and none with a body that is gone. */
LB_API lbResult lbBody_GetContacts(const lbWorld* world, lbBodyId body, lbContactPoint* contacts, int capacity,
                                   int* count);

/* Two triangles of skins that cross. */
typedef struct lbCrossing {
    lbBodyId first, second; /* the same: it crosses itself */
    int firstTriangle, secondTriangle;
    lbVec3 place; /* m */
} lbCrossing;

/* A check of all triangles of all skins with each other, by exact signs: writes up to `capacity` pairs that cross, and
 * how many there are. Triangles that only touch do not cross; those of one skin that have a corner in common are passed
 * over. Takes memory, and more time than a frame. */
LB_API lbResult lbWorld_FindCrossings(const lbWorld* world, lbCrossing* crossings, int capacity, int* count);

/* "sphere", "half-space", "capsule", "box", "mesh". NULL for a kind that does not exist; false for a name that none
 * has. */
LB_API const char* lbToolKind_GetName(lbToolKind kind);
LB_API bool lbToolKind_FromName(const char* name, lbToolKind* kind);

#ifdef __cplusplus
}
#endif

#endif
