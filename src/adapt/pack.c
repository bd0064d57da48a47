/* Elements in use, packed by rate, so that a law's kernels run on them as they are. Batches of the whole mesh that are
 * in use as they stand are copied as they stand; elements of all others are packed one by one. */
#include "adapt/scopes.h"

/* Packs what some of the batches in use have at a rate, from batch `to` of the part on; returns where it ends. */
static int pack_range(const lbScopes* scopes, lbLevelScopes* level, int rate, lbRange used, int to) {
    const lbLevelElements* elements = level->elements;
    const lbLawParts* parts = elements->law->law->parts;
    const void* whole = elements->law->elements;
    int last = -2;
    for (int k = used.begin; k < used.end; ++k) {
        if (level->batchRate[k] == rate) {
            parts->copyBatch(whole, level->used[k], level->used[k] == last + 1, level->part, to++);
            last = level->used[k];
        }
    }
    int place = to * LB_LANES;
    for (int k = used.begin; k < used.end; ++k) {
        int first = level->used[k] * LB_LANES;
        for (int p = first; level->batchRate[k] == lb_mixedBatch && p < first + LB_LANES; ++p) {
            if (level->activeNodes[p] > 0 && level->rateOf[p] == rate) {
                parts->copyPlace(whole, p, lb_element_weight(scopes, level, p), level->part, place++);
            }
        }
    }
    if (place % LB_LANES != 0) {
        parts->pad(level->part, place / LB_LANES, place % LB_LANES);
    }
    return (place + LB_LANES - 1) / LB_LANES;
}

/* The first of the batches in use that is not before this one. */
static int find_used(const lbLevelScopes* level, int batch) {
    int low = 0, high = level->usedCount;
    while (low < high) {
        int middle = (low + high) / 2;
        if (level->used[middle] < batch) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Groups stay groups where there are enough elements to be shared by threads; else all of them are one. */
static int pack_groups(const lbScopes* scopes, lbLevelScopes* level, int rate, int to) {
    const lbPlan* plan = &level->elements->law->plan;
    lbPlan* packed = &level->rates[rate].plan;
    int group = 0;
    for (int phase = 0; phase < plan->phaseCount; ++phase) {
        int first = group;
        packed->phaseStarts[packed->phaseCount] = group;
        for (int g = plan->phaseStarts[phase]; g < plan->phaseStarts[phase + 1]; ++g) {
            lbRange used = {find_used(level, plan->groups[g].begin), find_used(level, plan->groups[g].end)};
            int end = pack_range(scopes, level, rate, used, to);
            if (end > to) {
                packed->groups[group++] = (lbRange){to, end};
                to = end;
            }
        }
        packed->phaseCount += group > first;
    }
    packed->phaseStarts[packed->phaseCount] = group;
    packed->groupCount = group;
    return to;
}

static int pack_rate(const lbScopes* scopes, lbLevelScopes* level, int rate, int count, int to) {
    const lbLevelElements* elements = level->elements;
    const lbPlan* plan = &elements->law->plan;
    lbLawInstance* instance = &level->rates[rate];
    *instance =
        (lbLawInstance){.law = elements->law->law,
                        .elements = level->part,
                        .nodeCount = elements->law->nodeCount,
                        .plan = {.groups = level->groups + (size_t)rate * (size_t)(plan->groupCount + 1),
                                 .phaseStarts = level->phaseStarts + (size_t)rate * (size_t)(plan->phaseCount + 2)}};
    if (count > 16 * LB_LANES * plan->groupCount) {
        return pack_groups(scopes, level, rate, to);
    }
    int end = pack_range(scopes, level, rate, (lbRange){0, level->usedCount}, to);
    instance->plan.groups[0] = (lbRange){to, end};
    instance->plan.phaseStarts[0] = 0;
    instance->plan.phaseStarts[1] = 1;
    instance->plan.groupCount = instance->plan.phaseCount = 1;
    return end;
}

/* Where a whole level runs at one rate, its elements are the model's own. */
static int only_rate(const lbLevelScopes* level) {
    if (level->usedCount == 0 || level->usedCount * LB_LANES < level->elements->placeCount) {
        return -1;
    }
    for (int k = 0; k < level->usedCount; ++k) {
        if (level->batchRate[k] != level->batchRate[0] || level->batchRate[k] == lb_mixedBatch) {
            return -1;
        }
    }
    return level->batchRate[0];
}

void lb_pack_level(const lbScopes* scopes, lbLevelScopes* level) {
    const lbLawInstance* law = level->elements->law;
    int single = only_rate(level), to = 0;
    for (int rate = 0; rate < lb_mostRates; ++rate) {
        level->rates[rate].law = NULL;
    }
    if (single >= 0) {
        level->rates[single] = *law;
        return;
    }
    law->law->parts->begin(law->elements, level->part);
    for (int rate = 0; rate < lb_mostRates; ++rate) {
        if (level->rateCounts[rate] > 0) {
            to = pack_rate(scopes, level, rate, level->rateCounts[rate], to);
        }
    }
}
