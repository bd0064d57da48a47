/* What holds and moves bodies: pins, loads, muscles, grabs and attachments. */
#ifndef LIMBER_HOLDS_H
#define LIMBER_HOLDS_H

#include "limber/base.h"
#include "limber/ids.h"
#include "limber/region.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Pins -------------------------------------------------------------------------------------------------------- */

typedef enum lbPinKind {
    lb_pinAxes, /* holds the axes */
    lb_pinLine, /* nodes can slide along the direction only */
    lb_pinPlane /* nodes can slide in the plane across the direction only */
} lbPinKind;

/* The axes that a pin holds: a sum of these. */
enum { lb_axisX = 1, lb_axisY = 2, lb_axisZ = 4, lb_axisAll = 7 };

typedef struct lbPinDef {
    lbBodyId body;
    lbRegion region; /* of nodes; with lb_partSurface: of skin points */
    bool carriers; /* lb_partSurface: hold all nodes that carry the skin points, instead of the points; default false */
    lbPinKind kind;   /* default lb_pinAxes */
    unsigned axes;    /* lb_pinAxes: which are held, lb_axisX | ...; default all */
    lbVec3 direction; /* lb_pinLine, lb_pinPlane; need not be of unit length */
    uint32_t cookie;  /* set by lbDefaultPinDef() */
} lbPinDef;

LB_API lbPinDef lbDefaultPinDef(void);
/* Holds nodes or skin points where they are. A region that holds none is an error. */
LB_API lbResult lbCreatePin(lbWorld* world, const lbPinDef* def, lbPinId* pin);
/* Lets the nodes go. */
LB_API lbResult lbDestroyPin(lbWorld* world, lbPinId pin);
/* The force with which the body pulls on the pin, N. */
LB_API lbResult lbPin_GetForce(const lbWorld* world, lbPinId pin, lbVec3* force);
/* The body it holds; a null id for a pin that is gone. */
LB_API lbBodyId lbPin_GetBody(const lbWorld* world, lbPinId pin);
/* Where it is now: the mean of what it holds, m. */
LB_API lbResult lbPin_GetPosition(const lbWorld* world, lbPinId pin, lbVec3* position);
/* Writes up to `capacity` of the nodes it holds, and how many there are. */
LB_API lbResult lbPin_GetNodes(const lbWorld* world, lbPinId pin, int* nodes, int capacity, int* count);
/* The same of the skin points it holds. */
LB_API lbResult lbPin_GetPoints(const lbWorld* world, lbPinId pin, int* points, int capacity, int* count);

/* Where the pin's nodes shall be at the end of the next frame, m from where they were when it was made; they move there
 * evenly. Only along directions that the pin holds. */
LB_API lbResult lbPin_MoveTo(lbWorld* world, lbPinId pin, lbVec3 offset);

/* ---- Loads ------------------------------------------------------------------------------------------------------- */

typedef struct lbLoadDef {
    lbBodyId body;
    lbRegion region; /* nodes: the force is shared by mass. Surface: evenly by area, over the triangles whose corners
                        are all in the region, as they were when the body was made; where there is none, by the area
                        around points */
    lbVec3 force;    /* N, in all */
    lbVec3 moment;   /* N m, about the middle of the region: forces that turn it there, and add up to none. As `force`
                        and `traction` they keep their directions when the body turns */
    lbVec3 traction; /* Pa, a force on each square metre at rest; lb_partSurface only */
    float pressure;  /* Pa, pushes the surface inwards, follows it as it turns; lb_partSurface only */
    uint32_t cookie; /* set by lbDefaultLoadDef() */
} lbLoadDef;

/* No force, no pressure. A region that holds nothing is an error. */
LB_API lbLoadDef lbDefaultLoadDef(void);
LB_API lbResult lbCreateLoad(lbWorld* world, const lbLoadDef* def, lbLoadId* load);
LB_API lbResult lbDestroyLoad(lbWorld* world, lbLoadId load);
/* N and Pa, as in the definition, from the next frame on. */
LB_API lbResult lbLoad_Set(lbWorld* world, lbLoadId load, lbVec3 force, float pressure);
LB_API lbResult lbLoad_SetMoment(lbWorld* world, lbLoadId load, lbVec3 moment);     /* N m */
LB_API lbResult lbLoad_SetTraction(lbWorld* world, lbLoadId load, lbVec3 traction); /* Pa */
/* The area that its traction and pressure act on, at rest: of the region's triangles. 0 on nodes. */
LB_API lbResult lbLoad_GetArea(const lbWorld* world, lbLoadId load, double* area); /* m^2 */

/* ---- Muscles ----------------------------------------------------------------------------------------------------- */

typedef struct lbMuscleDef {
    lbBodyId body;    /* of springs */
    lbRegion region;  /* springs with both ends inside; of nodes */
    lbVec3 direction; /* only springs within 30 degrees of it; zero: all */
    uint32_t cookie;  /* set by lbDefaultMuscleDef() */
} lbMuscleDef;

LB_API lbMuscleDef lbDefaultMuscleDef(void);
/* Makes springs that can change their length at rest. A region that holds no spring is an error. */
LB_API lbResult lbCreateMuscle(lbWorld* world, const lbMuscleDef* def, lbMuscleId* muscle);
LB_API lbResult lbDestroyMuscle(lbWorld* world, lbMuscleId muscle);
/* The length at rest at the end of the next frame, relative to the spring's own: 1 relaxed, below 1 contracted; 0.1
 * to 10. It changes evenly over the frame. */
LB_API lbResult lbMuscle_SetLength(lbWorld* world, lbMuscleId muscle, float length);

/* ---- Grabs ------------------------------------------------------------------------------------------------------- */

typedef struct lbGrabDef {
    lbBodyId body;
    int skinPoint;   /* its index; lbBody_FindSkinPoint finds one */
    lbVec3 target;   /* m: where the point is pulled to */
    float stiffness; /* N/m; default 200 */
    float damping;   /* N s/m; default 2 */
    bool hard;       /* the point goes where the hand goes, whatever it takes; stiffness and damping do not count.
                        Default false */
    uint32_t cookie; /* set by lbDefaultGrabDef() */
} lbGrabDef;

LB_API lbGrabDef lbDefaultGrabDef(void);
/* A hand that pulls a point by a damped spring, stable at any stiffness. */
LB_API lbResult lbCreateGrab(lbWorld* world, const lbGrabDef* def, lbGrabId* grab);
LB_API lbResult lbDestroyGrab(lbWorld* world, lbGrabId grab);
/* Where the hand shall be at the end of the next frame, m; it moves there evenly. */
LB_API lbResult lbGrab_MoveTo(lbWorld* world, lbGrabId grab, lbVec3 target);
/* What the body did to the hand in the last frame: mean force, N. */
LB_API lbResult lbGrab_GetForce(const lbWorld* world, lbGrabId grab, lbVec3* force);
/* What it holds and where the hand is now, as a definition. */
LB_API lbResult lbGrab_GetDef(const lbWorld* world, lbGrabId grab, lbGrabDef* def);

/* ---- Attachments ------------------------------------------------------------------------------------------------- */

/* Two points of two bodies that stay together: a muscle on a bone, a handle glued to a cube. */
typedef struct lbAttachmentDef {
    lbBodyId body, other; /* two bodies; either may be guided */
    int skinPoint;        /* of `body` */
    int otherPoint;    /* skin point of `other`; -1: the point of it that is where the skin point is now, of a body that
                          moves as a whole (lb_modelRigid); of a soft one the nearest skin point */
    bool keepDistance; /* keeps the two points as far apart, and in the direction, as they are now (relative to `other`
                          if that moves as a whole); else they come together; default true */
    bool hard;         /* default true; else a damped spring */
    float stiffness;   /* N/m, where not hard; default 200 */
    float damping;     /* N s/m, where not hard; default 2 */
    uint32_t cookie;   /* set by lbDefaultAttachmentDef() */
} lbAttachmentDef;

LB_API lbAttachmentDef lbDefaultAttachmentDef(void);
/* A body attached to itself is an error; loops of several bodies are fine. */
LB_API lbResult lbCreateAttachment(lbWorld* world, const lbAttachmentDef* def, lbAttachmentId* attachment);
LB_API lbResult lbDestroyAttachment(lbWorld* world, lbAttachmentId attachment);
/* What `body` did to `other` through it in the last frame: mean force, N. */
LB_API lbResult lbAttachment_GetForce(const lbWorld* world, lbAttachmentId attachment, lbVec3* force);
/* What it joins, as a definition. */
LB_API lbResult lbAttachment_GetDef(const lbWorld* world, lbAttachmentId attachment, lbAttachmentDef* def);
/* m, how far its two points are from where they should be to each other. */
LB_API lbResult lbAttachment_GetViolation(const lbWorld* world, lbAttachmentId attachment, float* violation);

#ifdef __cplusplus
}
#endif

#endif
