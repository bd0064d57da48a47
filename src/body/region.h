/* Choosing parts of a body by place. */
#ifndef LIMBER_SRC_REGION_H
#define LIMBER_SRC_REGION_H

#include "body/body.h"

lbResult lb_check_region(const lbRegion* region);
/* Whether the body has what the region names, too. */
lbResult lb_check_region_of(const lbBody* body, const lbRegion* region);
/* By place; regions that are named hold none. */
bool lb_region_holds(const lbRegion* region, lbVec3 place);
/* Whether it is of nodes and elements of a mesh, not of space. */
bool lb_region_is_named(const lbRegion* region);

/* Indices of the nodes or skin points that the region holds, where the body stood when it was created; skin points
 * that no triangle uses are left out. Writes up to `capacity`, returns how many there are. */
int lb_select(const lbBody* body, const lbRegion* region, int* indices, int capacity);

/* All of them, in memory from the host. A region that holds nothing is an error. */
lbResult lb_select_all(const lbBody* body, const lbRegion* region, int** indices, int* count);

#endif
