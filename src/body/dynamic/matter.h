/* Which of a model's tetrahedra are of other matter than its material. */
#ifndef LIMBER_SRC_MATTER_H
#define LIMBER_SRC_MATTER_H

#include "mesh/mesh.h"

/* Fills mesh->matter from the definition's zones and element matter, if there are any. Fails on matter that cannot be,
 * naming the zone or the element. */
lbResult lb_fill_matter(const lbModelDef* def, lbMesh* mesh);

/* kg that each node stands for (nodeCount). */
void lb_find_node_masses(const lbMesh* mesh, const lbMaterial* material, double* masses);

#endif
