#include "law/plan.h"

#include "base/assert.h"
#include "base/node_offset.h"
#include "base/result.h"

#include <stdlib.h>
#include <string.h>

typedef struct PlannedElement {
    uint64_t blocks; /* bit b: touches block b */
    int phase;
    int element;
} PlannedElement;

static int block_of(const lbMesh* mesh, int node) {
    int block =
        (int)((int64_t)node * mesh->blockCount / mesh->nodeCount); /* blocks are of equal size, give or take one */
    while (node < mesh->blockStarts[block]) {
        --block;
    }
    while (node >= mesh->blockStarts[block + 1]) {
        ++block;
    }
    return block;
}

static int bit_count(uint64_t bits) {
    return __builtin_popcountll(bits);
}

/* Groups with fewer blocks first, so that the insides of all blocks come first and share phase 0. */
static int compare_by_blocks(const void* left, const void* right) {
    const PlannedElement *p = left, *q = right;
    int pBits = bit_count(p->blocks), qBits = bit_count(q->blocks);
    if (pBits != qBits) {
        return pBits - qBits;
    }
    if (p->blocks != q->blocks) {
        return p->blocks < q->blocks ? -1 : 1;
    }
    return p->element < q->element ? -1 : 1;
}

static int compare_by_phase(const void* left, const void* right) {
    const PlannedElement *p = left, *q = right;
    return p->phase != q->phase ? p->phase - q->phase : compare_by_blocks(left, right);
}

/* Each group goes into the first phase whose groups leave its blocks alone. Returns the number of phases; counts
 * groups. */
static int colour_groups(PlannedElement* elements, int count, uint64_t* phaseBlocks, int* groupCount) {
    int phaseCount = 0;
    *groupCount = 0;
    for (int begin = 0; begin < count;) {
        uint64_t blocks = elements[begin].blocks;
        int phase = 0;
        while (phase < phaseCount && (phaseBlocks[phase] & blocks) != 0) {
            ++phase;
        }
        if (phase == phaseCount) {
            phaseBlocks[phaseCount++] = 0;
        }
        phaseBlocks[phase] |= blocks;
        for (; begin < count && elements[begin].blocks == blocks; ++begin) {
            elements[begin].phase = phase;
        }
        ++*groupCount;
    }
    return phaseCount;
}

enum { batchesPerTile = 32 };

/* Consecutive elements share nodes; side by side in a batch each would wait for the one before it to store its force.
 * So a tile of neighbouring elements is dealt out to the lanes: each lane walks a run of its own. */
static int fill_batches(const PlannedElement* elements, int begin, int end, int* order) {
    int total = (end - begin + LB_LANES - 1) / LB_LANES;
    for (int first = 0; first < total; first += batchesPerTile) {
        int run = total - first < batchesPerTile ? total - first : batchesPerTile;
        for (int i = 0; i < run * LB_LANES; ++i) {
            int element = begin + first * LB_LANES + i % LB_LANES * run + i / LB_LANES;
            order[first * LB_LANES + i] = element < end ? elements[element].element : -1;
        }
    }
    return total;
}

/* Lays groups out one after the other, in whole batches. Returns the number of batches. */
static int pack_groups(const PlannedElement* elements, int count, lbPlan* plan, int* order) {
    int batch = 0, group = 0, phase = -1;
    for (int begin = 0; begin < count;) {
        int end = begin;
        while (end < count && elements[end].blocks == elements[begin].blocks) {
            ++end;
        }
        while (phase < elements[begin].phase) {
            plan->phaseStarts[++phase] = group;
        }
        int batches = fill_batches(elements, begin, end, order + (size_t)batch * LB_LANES);
        plan->groups[group++] = (lbRange){batch, batch + batches};
        batch += batches;
        begin = end;
    }
    plan->phaseStarts[plan->phaseCount] = group;
    return batch;
}

lbResult lb_plan_elements(const lbMesh* mesh, const lbElementList* list, lbPlan* plan, int** order, int* batchCount) {
    LB_ASSERT(mesh->blockCount <= 64 && list->nodesPerElement <= maxElementNodes);
    const lbHost* host = mesh->host;
    int count = list->elementCount;
    *plan = (lbPlan){0};
    *order = NULL;
    PlannedElement* elements = LB_NEW(host, PlannedElement, count);
    uint64_t* phaseBlocks = LB_NEW(host, uint64_t, count + 1);
    if (elements == NULL || phaseBlocks == NULL) {
        goto fail;
    }
    for (int i = 0; i < count; ++i) {
        elements[i].element = i;
        for (int k = 0; k < list->nodesPerElement; ++k) {
            int node = list->nodes[(size_t)i * (size_t)list->nodesPerElement + (size_t)k];
            elements[i].blocks |= UINT64_C(1) << block_of(mesh, node);
        }
    }
    qsort(elements, (size_t)count, sizeof(PlannedElement), compare_by_blocks);
    plan->phaseCount = colour_groups(elements, count, phaseBlocks, &plan->groupCount);
    qsort(elements, (size_t)count, sizeof(PlannedElement), compare_by_phase);

    int64_t batchRoom = count / LB_LANES + plan->groupCount;
    plan->groups = LB_NEW(host, lbRange, plan->groupCount);
    plan->phaseStarts = LB_NEW(host, int, plan->phaseCount + 1);
    *order = LB_NEW(host, int, batchRoom* LB_LANES);
    if (plan->groups == NULL || plan->phaseStarts == NULL || *order == NULL) {
        goto fail;
    }
    *batchCount = pack_groups(elements, count, plan, *order);
    lb_release(host, elements);
    lb_release(host, phaseBlocks);
    return lb_success();

fail:
    lb_release(host, elements);
    lb_release(host, phaseBlocks);
    lb_release(host, *order);
    *order = NULL;
    lb_destroy_plan(host, plan);
    return lb_out_of_memory("planning elements");
}

void lb_pack_offsets(const lbElementList* list, const int* order, int batchCount, int k, void* offsets, size_t stride) {
    for (int batch = 0; batch < batchCount; ++batch) {
        lbNodeOffset* field = (lbNodeOffset*)((char*)offsets + (size_t)batch * stride);
        for (int lane = 0; lane < LB_LANES; ++lane) {
            int element = order[batch * LB_LANES + lane];
            element = element >= 0 ? element : order[batch * LB_LANES];
            size_t at = (size_t)element * (size_t)list->nodesPerElement + (size_t)k;
            field[lane] = 4 * (lbNodeOffset)list->nodes[at];
        }
    }
}

void lb_destroy_plan(const lbHost* host, lbPlan* plan) {
    lb_release(host, plan->groups);
    lb_release(host, plan->phaseStarts);
    *plan = (lbPlan){0};
}
