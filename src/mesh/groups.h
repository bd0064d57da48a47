/* Groups of the mesh that a body was given: what its regions and zones name. */
#ifndef LIMBER_SRC_GROUPS_H
#define LIMBER_SRC_GROUPS_H

#include "mesh/mesh.h"

/* Copies the groups of a tetrahedral mesh, by its numbers. */
lbResult lb_copy_groups(const lbTetMesh* tets, lbMesh* mesh);

const lbNodeGroup* lb_find_mesh_group(const lbMesh* mesh, const char* name); /* NULL: there is none */
/* Marks (nodeCount), by the numbers of the mesh that was given, what a region names: a group or a list of nodes. The
 * error says what `of` ("the model") does not have. */
lbResult lb_mark_named_nodes(const lbMesh* mesh, const lbRegion* region, const char* of, bool* marks);

#endif
