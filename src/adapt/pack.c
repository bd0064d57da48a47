/* Elements in use, packed by rate, so that a law's kernels run on them as they are. Batches of the whole mesh that are
 * in use as they stand are copied as they stand. Of all others what is in use is taken lane by lane: elements that
 * follow one another in a fan (law/fans.h) stay together, and such *runs* of the same length are laid side by side. */
#include "adapt/scopes.h"

#include "law/fans.h"

/* Runs by their length, as lists. */
typedef struct Runs {
    int heads[lb_longestFan + 1], counts[lb_longestFan + 1];
} Runs;

static void add_run(lbLevelScopes* level, Runs* runs, int place, int length) {
    level->nextRun[place] = runs->heads[length];
    runs->heads[length] = place;
    ++runs->counts[length];
}

static int take_run(const lbLevelScopes* level, Runs* runs, int length) {
    int place = runs->heads[length];
    runs->heads[length] = level->nextRun[place];
    --runs->counts[length];
    return place;
}

static bool is_loose(const lbLevelScopes* level, int used, int place, int rate) {
    return level->batchRate[used] == lb_mixedBatch && level->activeNodes[place] > 0 && level->rateOf[place] == rate;
}

/* Whether the batch `used` + 1 in use continues the fans of the one before it. */
static bool goes_on(const lbLevelScopes* level, int used, int end) {
    const lbLaw* law = level->elements->law->law;
    return used + 1 < end && level->used[used + 1] == level->used[used] + 1 && law->parts->continues != NULL &&
           law->parts->continues(level->elements->law->elements, level->used[used + 1]);
}

static void find_runs(lbLevelScopes* level, int rate, lbRange used, Runs* runs) {
    for (int length = 0; length <= lb_longestFan; ++length) {
        runs->heads[length] = -1;
        runs->counts[length] = 0;
    }
    for (int k = used.begin, last; k < used.end; k = last + 1) {
        for (last = k; goes_on(level, last, used.end); ++last) {
        }
        for (int lane = 0; lane < LB_LANES; ++lane) {
            int length = 0;
            for (int i = k; i <= last + 1; ++i) {
                int place = i <= last ? level->used[i] * LB_LANES + lane : -1;
                bool loose = place >= 0 && is_loose(level, i, place, rate);
                if (length > 0 && (!loose || length == lb_longestFan)) {
                    add_run(level, runs, level->used[i - 1] * LB_LANES + lane - (length - 1) * LB_LANES, length);
                    length = 0;
                }
                length += loose;
            }
        }
    }
}

/* Lays as many runs of a length side by side as there are lanes, or fewer, from batch `to` on. */
static void lay_runs(const lbScopes* scopes, lbLevelScopes* level, Runs* runs, int length, int to) {
    const lbLawParts* parts = level->elements->law->law->parts;
    const void* whole = level->elements->law->elements;
    int count = int_min(LB_LANES, runs->counts[length]);
    for (int lane = 0; lane < count; ++lane) {
        int place = take_run(level, runs, length);
        for (int i = 0; i < length; ++i) {
            int from = place + i * LB_LANES;
            parts->copyPlace(whole, from, lb_element_weight(scopes, level, from), level->part,
                             (to + i) * LB_LANES + lane);
        }
    }
    for (int i = 0; i < length; ++i) {
        if (count < LB_LANES) {
            parts->pad(level->part, to + i, count);
        }
        if (parts->setContinues != NULL) {
            parts->setContinues(level->part, to + i, i > 0);
        }
    }
}

/* Longest first; what does not fill all lanes is shortened, until single elements are left. */
static int pack_runs(const lbScopes* scopes, lbLevelScopes* level, Runs* runs, int to) {
    for (int length = lb_longestFan; length > 0; --length) {
        while (runs->counts[length] >= LB_LANES || (length == 1 && runs->counts[1] > 0)) {
            lay_runs(scopes, level, runs, length, to);
            to += length;
        }
        while (runs->counts[length] > 0) {
            int place = take_run(level, runs, length);
            add_run(level, runs, place, length - 1);
            add_run(level, runs, place + (length - 1) * LB_LANES, 1);
        }
    }
    return to;
}

/* Packs what some of the batches in use have at a rate, from batch `to` of the part on; returns where it ends. */
static int pack_range(const lbScopes* scopes, lbLevelScopes* level, int rate, lbRange used, int to) {
    const lbLawParts* parts = level->elements->law->law->parts;
    int last = -2;
    for (int k = used.begin; k < used.end; ++k) {
        if (level->batchRate[k] == rate) {
            parts->copyBatch(level->elements->law->elements, level->used[k], level->used[k] == last + 1, level->part,
                             to++);
            last = level->used[k];
        }
    }
    Runs runs;
    find_runs(level, rate, used, &runs);
    return pack_runs(scopes, level, &runs, to);
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
