/* A part of a body, chosen where it stood when it was created. */
#ifndef LIMBER_REGION_H
#define LIMBER_REGION_H

#include "limber/base.h"

typedef enum lbRegionKind { lb_regionAll, lb_regionBox, lb_regionSphere, lb_regionHalfSpace } lbRegionKind;
typedef enum lbRegionPart {
    lb_partNodes,  /* the nodes inside */
    lb_partSurface /* the skin points within */
} lbRegionPart;

/* In the world's coordinates. A zeroed one is all of the nodes. */
typedef struct lbRegion {
    lbRegionKind kind;
    lbRegionPart part;
    lbBox box;     /* lb_regionBox, m */
    lbVec3 center; /* lb_regionSphere, m */
    float radius;  /* lb_regionSphere, m */
    lbVec3 point;  /* lb_regionHalfSpace: a point of its plane, m */
    lbVec3 normal; /* lb_regionHalfSpace: the side it points to is outside */
} lbRegion;

#endif
