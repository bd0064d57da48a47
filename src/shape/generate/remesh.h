/* Makes the triangles on a field's surface equal in size and well-shaped. */
#ifndef LIMBER_SRC_REMESH_H
#define LIMBER_SRC_REMESH_H

#include "shape/generate/polygonize.h"

/* A closed surface of half-edges: number 3 t + k runs from corner k of triangle t to its next corner. */
typedef struct lbRemesh {
    const lbHost* host;
    const lbField* field;
    double edge;              /* wanted length, m */
    LB_ARRAY(lbVec3d) points; /* m */
    LB_ARRAY(int) corners;    /* (3 x triangles) the point where a half-edge starts; -1: its triangle is gone */
    int* twins;               /* (3 x triangles) the same edge the other way; computed by lb_remesh */
    int* leaving;             /* (points) one of the half-edges that start there, or -1; computed by lb_remesh */
    lbVec3d* gradients;       /* (points) the field's gradient; computed by lb_remesh */
} lbRemesh;

/* False if there is no memory. */
bool lb_remesh_add_point(lbRemesh* mesh, lbVec3d point);
bool lb_remesh_add_triangle(lbRemesh* mesh, int a, int b, int c);

/* Fails on a surface that is not a closed, oriented manifold. */
lbResult lb_remesh(lbRemesh* mesh);

/* Appends the remaining points and triangles. */
void lb_remesh_append(const lbRemesh* mesh, lbMeshBuild* build);
void lb_remesh_free(lbRemesh* mesh);

#endif
