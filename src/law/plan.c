#include "law/plan.h"

#include "base/assert.h"
#include "base/node_offset.h"
#include "base/result.h"

#include <stdlib.h>
#include <string.h>

/* Where an element is planned. Blocks are halved again and again, down to four quarters of the body. An element whose
 * nodes lie in one quarter belongs to the smallest range of blocks that holds them: ranges of one size have no block in
 * common, so each size is a phase. One that touches several quarters belongs to that set of quarters, and sets that
 * have none in common share a phase: two halves still run side by side where the body is cut in the middle. */
typedef struct PlannedElement {
    int phase;
    int group; /* within the phase */
    int element;
} PlannedElement;

enum { quarterBits = 2, setCount = 1 << (1 << quarterBits) };

/* Of the sets of quarters: pairs beside their opposites, then the few elements that touch three or four of them. */
static const int phaseOfSet[setCount] = {
    [3] = 0, [12] = 0, [5] = 1, [10] = 1, [9] = 2, [6] = 2, [7] = 3, [11] = 4, [13] = 5, [14] = 6, [15] = 7};

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

static PlannedElement plan_element(const lbMesh* mesh, int bits, const lbElementList* list, int element) {
    const int* nodes = list->nodes + (size_t)element * (size_t)list->nodesPerElement;
    int quarterShift = bits > quarterBits ? bits - quarterBits : 0, low = mesh->blockCount, high = 0, quarters = 0;
    for (int k = 0; k < list->nodesPerElement; ++k) {
        int block = block_of(mesh, nodes[k]);
        low = block < low ? block : low;
        high = block > high ? block : high;
        quarters |= 1 << (block >> quarterShift);
    }
    if (low >> quarterShift != high >> quarterShift) {
        return (PlannedElement){quarterShift + 1 + phaseOfSet[quarters], quarters, element};
    }
    int halvings = 0;
    while (low >> halvings != high >> halvings) {
        ++halvings;
    }
    return (PlannedElement){halvings, low >> halvings, element};
}

static int compare_planned(const void* left, const void* right) {
    const PlannedElement *p = left, *q = right;
    if (p->phase != q->phase) {
        return p->phase < q->phase ? -1 : 1;
    }
    if (p->group != q->group) {
        return p->group < q->group ? -1 : 1;
    }
    return p->element < q->element ? -1 : 1;
}

static bool same_group(const PlannedElement* p, const PlannedElement* q) {
    return p->phase == q->phase && p->group == q->group;
}

/* Counts groups and phases; phases without an element are left out. */
static void count_groups(PlannedElement* elements, int count, lbPlan* plan) {
    int last = -1;
    for (int i = 0; i < count; ++i) {
        plan->groupCount += i == 0 || !same_group(&elements[i - 1], &elements[i]);
        plan->phaseCount += elements[i].phase != last;
        last = elements[i].phase;
    }
    for (int i = 0, phase = -1, now = -1; i < count; ++i) {
        phase += elements[i].phase != now;
        now = elements[i].phase;
        elements[i].phase = phase;
    }
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
        while (end < count && same_group(&elements[begin], &elements[end])) {
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
    LB_ASSERT(list->nodesPerElement <= maxElementNodes);
    const lbHost* host = mesh->host;
    int count = list->elementCount, bits = 0;
    *plan = (lbPlan){0};
    *order = NULL;
    PlannedElement* elements = LB_NEW(host, PlannedElement, count);
    if (elements == NULL) {
        goto fail;
    }
    while (1 << bits < mesh->blockCount) {
        ++bits;
    }
    for (int i = 0; i < count; ++i) {
        elements[i] = plan_element(mesh, bits, list, i);
    }
    qsort(elements, (size_t)count, sizeof(PlannedElement), compare_planned);
    count_groups(elements, count, plan);

    int64_t batchRoom = count / LB_LANES + plan->groupCount;
    plan->groups = LB_NEW(host, lbRange, plan->groupCount);
    plan->phaseStarts = LB_NEW(host, int, plan->phaseCount + 1);
    *order = LB_NEW(host, int, batchRoom* LB_LANES);
    if (plan->groups == NULL || plan->phaseStarts == NULL || *order == NULL) {
        goto fail;
    }
    *batchCount = pack_groups(elements, count, plan, *order);
    lb_release(host, elements);
    return lb_success();

fail:
    lb_release(host, elements);
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
