/* Whether a surface is that of a box, a cylinder or a tube along one of the axes, which have exact meshes. */
#ifndef LIMBER_SRC_SOLID_H
#define LIMBER_SRC_SOLID_H

#include "mesh/tet_mesh.h"

typedef struct lbSolid {
    lbTetGeneratorDef def; /* kind and measures; the generator's axis is y, and its middle the origin */
    int axis;              /* of a cylinder or tube */
    lbVec3d middle;        /* m */
} lbSolid;

/* Fails if it is none of these, and says so. */
lbResult lb_recognize_solid(const lbShape* shape, lbSolid* solid);

/* Turns and moves a generated mesh to where the surface is. */
void lb_place_solid(const lbSolid* solid, lbTetMesh* mesh);

#endif
