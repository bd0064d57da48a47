/* A part of a body, chosen where it stood when it was created. */
#ifndef LIMBER_REGION_H
#define LIMBER_REGION_H

#include "limber/base.h"

typedef enum lbRegionKind {
    lb_regionAll,
    lb_regionBox,
    lb_regionSphere,
    lb_regionHalfSpace,
    lb_regionNodes, /* a list of nodes; of surfaces: the skin points that hang on no others */
    lb_regionMesh,  /* a region of the mesh that was given: the nodes of its tetrahedra; of surfaces as above */
    lb_regionGroup  /* a group of the mesh that was given (lbTetMesh_FindGroup): its nodes; of surfaces as above */
} lbRegionKind;
typedef enum lbRegionPart {
    lb_partNodes,  /* the nodes inside */
    lb_partSurface /* the skin points within */
} lbRegionPart;

/* In the world's coordinates. A zeroed one is all of the nodes. */
typedef struct lbRegion {
    lbRegionKind kind;
    lbRegionPart part;
    lbBox box;        /* lb_regionBox, m */
    lbVec3 center;    /* lb_regionSphere, m */
    float radius;     /* lb_regionSphere, m */
    lbVec3 point;     /* lb_regionHalfSpace: a point of its plane, m */
    lbVec3 normal;    /* lb_regionHalfSpace: the side it points to is outside */
    const int* nodes; /* lb_regionNodes: (nodeCount) as the mesh that was given numbers them (lbBody_GetNodeNumbers);
                         looked at while something is made with the region, and not after that */
    int nodeCount;
    int meshRegion;    /* lb_regionMesh: as lbTetMesh_GetRegions has it */
    const char* group; /* lb_regionGroup: its name; looked at as `nodes` are */
} lbRegion;

#endif
