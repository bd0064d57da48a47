/* The surface of a tetrahedral mesh, by the mesh's own points. */
#ifndef LIMBER_SRC_TET_SURFACE_H
#define LIMBER_SRC_TET_SURFACE_H

#include "mesh/tet_mesh.h"

typedef struct lbTetSurface {
    const lbHost* host;
    int pointCount, triangleCount;
    int* points;    /* (pointCount) of the mesh, rising */
    int* triangles; /* (triangleCount x 3) indices into `points`, outwards; in the order of the mesh's faces */
    int* tets;      /* (triangleCount) whose face it is */
} lbTetSurface;

lbResult lb_find_tet_surface(const lbTetMesh* mesh, lbTetSurface* surface);
void lb_free_tet_surface(lbTetSurface* surface);

/* Marks the mesh's points, (pointCount), where its surface is pinched: their triangles form more than one fan. Counts
 * the edges with more than two triangles. */
lbResult lb_find_pinches(const lbTetMesh* mesh, const lbTetSurface* surface, bool* pinched, int* pinchedEdgeCount);
lbResult lb_make_surface_shape(const lbTetMesh* mesh, const lbTetSurface* surface, lbShape** shape);

#endif
