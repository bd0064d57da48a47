/* Tools, which bodies collide with, and where they touch. */
#ifndef LIMBER_CONTACT_H
#define LIMBER_CONTACT_H

#include "limber/base.h"
#include "limber/ids.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lbToolKind {
    lb_toolSphere,    /* radius */
    lb_toolHalfSpace, /* all below the plane through its position, whose normal is its own y axis: the ground */
    lb_toolKindCount
} lbToolKind;

typedef struct lbToolDef {
    lbToolKind kind;
    lbVec3 position; /* m; default the origin */
    lbQuat rotation; /* default none */
    float radius;    /* m; default 0.1. lb_toolSphere */
    uint32_t cookie; /* set by lbDefaultToolDef() */
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

/* A skin point that a tool pushed in the last frame. */
typedef struct lbContactPoint {
    lbVec3 position; /* m, of the skin point now */
    lbVec3 force;    /* N, on the body: mean over the frame. Of all contacts of a tool: minus its lbTool_GetForce */
    lbToolId tool;
    int skinPoint;
} lbContactPoint;

/* Writes up to `capacity` contacts of a body and how many there are. None after what makes its state jump
 * (lbBody_SetState, a tool that goes, lbWorld_Restore), until the next frame. */
LB_API lbResult lbBody_GetContacts(const lbWorld* world, lbBodyId body, lbContactPoint* contacts, int capacity,
                                   int* count);

/* "sphere", "half-space". NULL for a kind that does not exist; false for a name that none has. */
LB_API const char* lbToolKind_GetName(lbToolKind kind);
LB_API bool lbToolKind_FromName(const char* name, lbToolKind* kind);

#ifdef __cplusplus
}
#endif

#endif
