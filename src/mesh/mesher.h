/* What meshers of tetrahedra share. */
#ifndef LIMBER_SRC_MESHER_H
#define LIMBER_SRC_MESHER_H

#include "mesh/disjoint_sets.h"
#include "mesh/tet_mesh.h"

typedef struct lbFourNodes {
    int node[4];
} lbFourNodes;

/* A mesh of copies of the arrays, which must be sound already: positive volumes, every point used. */
lbResult lb_take_tet_mesh(const lbHost* host, const lbVec3d* points, int pointCount, const lbFourNodes* tets,
                          int tetCount, lbTetMesh** mesh);

/* Fills a surface with tetrahedra of about this edge, m, by isosurface stuffing. `closed`: the surface is, and
 * oriented, so that inside ends at triangles only. */
lbResult lb_stuff_surface(const lbHost* host, const lbShape* shape, bool closed, double edge, int threadCount,
                          lbTetMesh** mesh);

/* Whether such a mesh, or hierarchy of so many levels, is asked for rightly and not too fine to be made. */
lbResult lb_check_mesh_size(const lbShape* shape, const lbMesherDef* def, int levelCount);

/* Gives each group of tetrahedra that meets others at a point or an edge only nodes of its own, takes away `optional`
 * tetrahedra (tetCount; consumed) where the surface is pinched, and leaves out parts that are then too small to be more
 * than an artefact. Tells the host's log. */
lbResult lb_clean_tet_mesh(lbTetMesh* mesh, bool* optional);

/* Evens out edges and angles by moving points inside, as long as no dihedral angle gets worse than the worst around the
 * point was. The surface stays. */
lbResult lb_relax_tet_mesh(lbTetMesh* mesh);

#endif
