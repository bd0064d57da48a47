/* Tetrahedra by Gmsh, which keeps sharp edges: through limber-gmsh, a separate program that may be installed beside
 * limber. */
#ifndef LIMBER_CLI_MESH_GMSH_H
#define LIMBER_CLI_MESH_GMSH_H

#include "limber/tet_mesh.h"

/* Triangles that meet at more than this many degrees have a sharp edge between them. */
lbResult lb_mesh_by_gmsh(const lbShape* shape, double edge, double degrees, const lbHost* host, lbTetMesh** mesh);

#endif
