/* A surface that shows the tetrahedra of a mesh: one half is cut away, and each is shrunk a little. */
#ifndef LIMBER_CLI_MESH_VIEW_H
#define LIMBER_CLI_MESH_VIEW_H

#include "limber/tet_mesh.h"

/* Writes .glb, .obj, .ply or .stl. What lies in front of the middle (towards +z) is left out; colours go by the
 * smallest angle between faces, from red (10 degrees) over white to blue (60, as in the lattice inside). */
lbResult lb_write_mesh_view(const lbTetMesh* mesh, const char* path);

#endif
