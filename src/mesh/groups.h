/* Named groups of a tetrahedral mesh: what files call physical groups, node sets and element sets. */
#ifndef LIMBER_SRC_GROUPS_H
#define LIMBER_SRC_GROUPS_H

#include "base/memory.h"
#include "limber/tet_mesh.h"

/* Copies groups, names included; what each lists goes through `pointNumbers` (new index of each point, negative: gone;
 * NULL: as it is), corners of a group's tetrahedra are added to its points, and none is listed twice. `tets` is
 * (tetCount x 4), with points as they are in the copy. NULL if there is no memory or there are none. */
lbTetMeshGroup* lb_copy_groups(const lbHost* host, const lbTetMeshGroup* groups, int groupCount, int pointCount,
                               const int* pointNumbers, const int* tets);
void lb_free_groups(const lbHost* host, lbTetMeshGroup* groups, int groupCount);

/* Names must be there, and indices within `pointCount` and `tetCount`. */
lbResult lb_check_groups(const lbTetMeshGroup* groups, int groupCount, int pointCount, int tetCount);

/* Groups of one name are one. */
bool lb_has_group(const lbTetMeshGroup* groups, int groupCount, const char* name);
void lb_mark_group_points(const lbTetMeshGroup* groups, int groupCount, const char* name, bool* marks);
/* Whether it lists tetrahedra at all; else it is one of points alone. */
bool lb_mark_group_tets(const lbTetMeshGroup* groups, int groupCount, const char* name, bool* marks);
/* "no group "a"; expected one of "b", "c"": for messages. */
lbResult lb_no_such_group(const lbTetMeshGroup* groups, int groupCount, const char* name, const char* of);

#endif
