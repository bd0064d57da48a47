/* Which elements may run side by side, and how they are packed into batches. */
#ifndef LIMBER_SRC_PLAN_H
#define LIMBER_SRC_PLAN_H

#include "base/element_list.h"
#include "law/law.h"

/* Elements that touch the same blocks of nodes (lbMesh.blockStarts), in the way that plan.c says, make a group; groups
 * without a node in common may run side by side, in one phase. Groups are padded to whole batches.
 * `order` receives, for each place in the batches, the element's index, or -1 for padding; it holds
 * batchCount x LB_LANES entries and is to be released by the caller. */
lbResult lb_plan_elements(const lbMesh* mesh, const lbElementList* list, lbPlan* plan, int** order, int* batchCount);
/* For each place in the batches, the offset (lbNodeOffset) of its element's node k; padding gets the batch's first
 * element's. `offsets` is the field of the first batch, `stride` the size of a batch in bytes. */
void lb_pack_offsets(const lbElementList* list, const int* order, int batchCount, int k, void* offsets, size_t stride);
void lb_destroy_plan(const lbHost* host, lbPlan* plan);

#endif
