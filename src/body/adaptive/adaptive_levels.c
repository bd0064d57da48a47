/* Which nodes of an adaptive body are active: at the beginning of a frame nodes are split and merged, by delta against
 * two thresholds, within a budget, and what follows from it is brought up to date. */
#include "body/adaptive/adaptive_body.h"

#include "base/clock.h"
#include "base/result.h"
#include "base/sort.h"
#include "body/region.h"

#include <string.h>

/* ---- What is asked for ------------------------------------------------------------------------------------------- */

static const float automaticSplit = 0.002f; /* of the body's size */
/* Of split. Where children have merged, the parent's delta is about four times theirs: a quarter and more would split
 * it again. Much less, and what was once bent stays fine for ever (docs/adaptive.md). */
static const float automaticMerge = 0.15f;

static float merge_below(float split, float merge, float size) {
    float from = isfinite(split) ? split : automaticSplit * size; /* where nothing is split, nothing is merged */
    return merge < 0 ? automaticMerge * from : merge;
}

static lbResult check_thresholds(float split, float merge, float size) {
    float above = split < 0 ? automaticSplit * size : split, below = merge_below(above, merge, size);
    if (isnan(split) || isnan(merge) || split == 0 || merge == 0) {
        return lb_error(lb_errorArgument, "detail.split is %g m and detail.merge %g m; expected more than 0",
                        (double)split, (double)merge);
    }
    if (!(below < above)) {
        return lb_error(lb_errorArgument,
                        "detail.merge is %g m and detail.split %g m: nodes would be split and merged in turn; expected "
                        "merge below split",
                        (double)below, (double)above);
    }
    return lb_success();
}

static lbResult check_budget(double budget) {
    if (!(budget >= 0) || !isfinite(budget)) {
        return lb_error(lb_errorArgument, "detail.budget is %g node-steps; expected 0 (no limit) or more", budget);
    }
    return lb_success();
}

lbResult lb_check_detail(const lbAdaptiveModel* model, const lbDetailDef* def) {
    LB_TRY(check_thresholds(def->split, def->merge, model->base.size));
    LB_TRY(check_budget(def->budget));
    if ((unsigned)def->coupling > lb_couplingPaper) {
        return lb_error(lb_errorArgument, "detail.coupling is %d; expected lb_couplingEnergy or lb_couplingPaper",
                        (int)def->coupling);
    }
    if (def->start < 0 || def->start >= model->levelCount) {
        return lb_error(lb_errorArgument, "detail.start is %d; expected 0 to %d", def->start, model->levelCount - 1);
    }
    if (def->regionCount < 0 || (def->regionCount > 0 && def->regions == NULL)) {
        return lb_error(lb_errorArgument, "detail has %d regions; expected an array of them", def->regionCount);
    }
    for (int i = 0; i < def->regionCount; ++i) {
        if (lb_region_is_named(&def->regions[i].region)) {
            return lb_error(lb_errorArgument,
                            "detail region %d is named in a mesh; levels have several: expected a place", i);
        }
        if (def->regions[i].level < 0 || def->regions[i].level >= model->levelCount) {
            return lb_error(lb_errorArgument, "detail.regions[%d] has level %d; expected 0 to %d", i,
                            def->regions[i].level, model->levelCount - 1);
        }
    }
    return lb_success();
}

void lb_adaptive_take_thresholds(lbAdaptiveBody* body, float split, float merge) {
    body->split = split < 0 ? automaticSplit * body->base.model->size : split;
    body->merge = merge_below(body->split, merge, body->base.model->size);
}

static lbResult set_detail(lbBody* base, float split, float merge, double budget) {
    lbAdaptiveBody* body = lb_adaptive(base);
    LB_TRY(check_thresholds(split, merge, base->model->size));
    LB_TRY(check_budget(budget));
    lb_adaptive_take_thresholds(body, split, merge);
    body->budget.nodeSteps = budget;
    return lb_success();
}

/* ---- After a change ---------------------------------------------------------------------------------------------- */

static void weigh_nodes(lbAdaptiveBody* body) {
    size_t size = (size_t)lb_all_nodes(body) * sizeof(float);
    lb_find_masses(&body->set, body->model->bakedMass, &body->massScratch, body->numbers);
    memset(body->mass, 0, size);
    memset(body->inverseMass, 0, size);
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        body->mass[node] = (float)body->numbers[node];
        body->inverseMass[node] = body->numbers[node] > 0 ? (float)(1 / body->numbers[node]) : 0;
    }
}

/* Nodes that are held may not keep a velocity that they have from others. */
static void stop_held(lbAdaptiveBody* body) {
    for (int i = 0; i < body->heldCount; ++i) {
        float* v = body->v + 4 * (size_t)body->held[i].node;
        if (lb_is_active(&body->set, body->held[i].node)) {
            vec3_store(v, lb_filter(body->held[i].filter, vec3_load(v)));
        }
    }
}

static void find_slack(lbAdaptiveBody* body) {
    body->slack = INFINITY;
    for (int level = 0; level < body->model->levelCount; ++level) {
        body->slack = fmin(body->slack, (double)body->model->elements[level].slack);
    }
}

void lb_adaptive_rebuild(lbAdaptiveBody* body, double dt) {
    lb_list_active(&body->scopes);
    lb_adaptive_choose_skin(body);
    lb_weigh_elements(&body->scopes, body->skinNodes, 4 * body->base.model->skinPointCount);
    weigh_nodes(body);
    lb_sum_stiffness(&body->scopes, body->stiffness);
    find_slack(body);
    if (dt > 0) {
        lb_adaptive_find_rates(body, dt);
    }
    lb_pack_scopes(&body->scopes, body->skinNodes, 4 * body->base.model->skinPointCount);
    body->loadsChanged |= body->loaded;
    body->pulled = false;
    body->bakedCount = body->model->bakedCount;
}

/* ---- Deltas ------------------------------------------------------------------------------------------------------ */

static void measure_deltas(lbAdaptiveBody* body, double dt) {
    float follow = (float)fmin(1, dt / (double)LB_BEND_SECONDS);
    const lbHierarchy* hierarchy = &body->model->hierarchy;
    const float* spacing = body->closestSpacing ? hierarchy->closest : hierarchy->spacing;
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        lbVec3 now = lb_measure_bend(hierarchy, node, body->x);
        body->bend[node] = vec3_madd(body->bend[node], follow, vec3_sub(now, body->bend[node]));
        body->age[node] = fminf(body->age[node] + (float)dt, LB_DWELL_SECONDS);
        body->delta[node] = spacing[node] * spacing[node] * vec3_length(body->bend[node]);
    }
}

/* Of a retired node: the largest of its children, or what its own level could not follow by. */
static float largest_delta(const lbAdaptiveBody* body, int node) {
    const lbHierarchy* hierarchy = &body->model->hierarchy;
    float largest = body->asked[node];
    for (int k = hierarchy->childStarts[node]; k < hierarchy->childStarts[node + 1]; ++k) {
        largest = fmaxf(largest, body->delta[hierarchy->children[k]]);
    }
    return largest;
}

/* ---- Splits and merges ------------------------------------------------------------------------------------------- */

static void inherit(lbAdaptiveBody* body) {
    const lbHierarchy* hierarchy = &body->model->hierarchy;
    lb_list_active(&body->scopes);
    for (int n = 0; n < body->set.activeCount; ++n) {
        int i = body->scopes.active[n];
        if (body->wasActive[i] == lb_nodeActive) {
            continue;
        }
        int parent = hierarchy->parent[i];
        float growth = 1;
        lbVec3 bend = {0, 0, 0};
        if (parent >= 0 && body->wasActive[parent] == lb_nodeActive) {
            growth = body->growth[parent];
            bend = body->bend[parent];
        }
        for (int k = hierarchy->childStarts[i]; k < hierarchy->childStarts[i + 1]; ++k) {
            int child = hierarchy->children[k];
            if (body->wasActive[child] == lb_nodeActive) {
                growth = fmaxf(growth, body->growth[child]);
                bend = vec3_madd(bend, 1.0f / (float)lb_child_count(hierarchy, i), body->bend[child]);
            }
        }
        body->growth[i] = growth;
        body->bend[i] = bend;
        body->age[i] = 0;
        body->delta[i] = 0;
    }
}

/* Floats as whole numbers that rise as they fall. */
static uint64_t falling(float key) {
    uint32_t bits;
    memcpy(&bits, &key, sizeof(bits));
    return (bits & 0x80000000u) != 0 ? bits : 0x7fffffffu - bits;
}

static bool comes_before(const lbKeyed* a, const lbKeyed* b) {
    return a->key != b->key ? a->key < b->key : a->value < b->value;
}

/* In place (D. L. Shell, 1959): candidates are few, and sorting by digits costs as much for ten as for ten thousand. */
static void sort_few(lbKeyed* items, int count) {
    for (int gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (int i = gap; i < count; ++i) {
            lbKeyed item = items[i];
            int place = i;
            for (; place >= gap && comes_before(&item, &items[place - gap]); place -= gap) {
                items[place] = items[place - gap];
            }
            items[place] = item;
        }
    }
}

/* Candidates with the largest key first; by number among equals. */
static const lbKeyed* rank(lbAdaptiveBody* body, int count, float (*key)(const lbAdaptiveBody* body, int node)) {
    lbKeyed* ranked = (lbKeyed*)body->numbers; /* (nodeCount x 4) doubles: room for twice as many */
    for (int i = 0; i < count; ++i) {
        ranked[i] = (lbKeyed){falling(key(body, body->candidates[i])), body->candidates[i]};
    }
    sort_few(ranked, count);
    return ranked;
}

static float own_delta(const lbAdaptiveBody* body, int node) {
    return fmaxf(body->delta[node], body->asked[node]);
}

static bool has_dwelt(const lbAdaptiveBody* body, int node) {
    const lbHierarchy* hierarchy = &body->model->hierarchy;
    for (int k = hierarchy->childStarts[node]; k < hierarchy->childStarts[node + 1]; ++k) {
        if (body->age[hierarchy->children[k]] < LB_DWELL_SECONDS) {
            return false;
        }
    }
    return true;
}

static float minus_largest_delta(const lbAdaptiveBody* body, int node) {
    return -largest_delta(body, node);
}

static bool wants_split(const lbAdaptiveBody* body, int node) {
    int level = body->model->hierarchy.levelOf[node];
    bool asked = fmaxf(body->delta[node], body->asked[node]) > body->split || level < body->fewest[node];
    return asked && level < body->most[node] && level + 1 < body->model->levelCount;
}

static lbNodeState state_of(const lbAdaptiveBody* body) {
    return (lbNodeState){body->x, body->v};
}

/* Splits a list of candidates, the most important first, as far as the budget goes. */
static int split_candidates(lbAdaptiveBody* body, lbStepPrices* prices, int count) {
    int before = body->splitCount;
    const lbKeyed* ranked = rank(body, count, own_delta);
    for (int i = 0; i < count; ++i) {
        int node = ranked[i].value;
        bool asked = body->model->hierarchy.levelOf[node] < body->fewest[node];
        if (!lb_is_active(&body->set, node)) {
            continue; /* split with another */
        }
        if (!asked && lb_adaptive_total_price(body, prices) + lb_adaptive_split_price(body, prices, node) >
                          body->budget.allowed) {
            body->budget.limited = true;
            break;
        }
        body->splitCount += lb_split(&body->set, state_of(body), node, lb_all_nodes(body));
    }
    return body->splitCount - before;
}

static void split_nodes(lbAdaptiveBody* body, lbStepPrices* prices) {
    const lbHierarchy* hierarchy = &body->model->hierarchy;
    int count = 0;
    for (int k = 0; k < body->set.activeCount; ++k) {
        if (wants_split(body, body->scopes.active[k])) {
            body->candidates[count++] = body->scopes.active[k];
        }
    }
    split_candidates(body, prices, count);
    /* What is about to be touched goes on to the level that can follow, at once. */
    for (int round = 1, split = 1; body->anyAsked && split > 0 && round < 4 * lb_mostLevels; ++round) {
        count = 0;
        for (int i = 0; i < hierarchy->levels[hierarchy->levelCount - 1].first; ++i) {
            if (body->asked[i] > body->split && lb_is_active(&body->set, i) && wants_split(body, i)) {
                body->candidates[count++] = i;
            }
        }
        split = count > 0 ? split_candidates(body, prices, count) : 0;
    }
    lb_adaptive_forget_asked(body);
}

/* Nodes that could take their children's place. */
static int list_merges(lbAdaptiveBody* body, bool over) {
    const lbHierarchy* hierarchy = &body->model->hierarchy;
    int count = 0, coarse = hierarchy->levels[hierarchy->levelCount - 1].first, together[lb_mostTogether];
    for (int i = 0; i < coarse; ++i) {
        if (body->set.status[i] == lb_nodeRetired && hierarchy->levelOf[i] >= body->fewest[i] &&
            (over || largest_delta(body, i) < body->merge) && lb_find_merge(&body->set, i, together) > 0) {
            body->candidates[count++] = i;
        }
    }
    return count;
}

/* Whether nodes that can only be merged together may all be. */
static bool may_merge(const lbAdaptiveBody* body, const int* list, int count, bool over) {
    for (int i = 0; i < count; ++i) {
        bool calm = largest_delta(body, list[i]) < body->merge && has_dwelt(body, list[i]);
        if (body->model->hierarchy.levelOf[list[i]] < body->fewest[list[i]] || !(calm || over)) {
            return false;
        }
    }
    return count > 0;
}

/* The least important first. */
static void merge_nodes(lbAdaptiveBody* body, lbStepPrices* prices) {
    int count = list_merges(body, lb_adaptive_total_price(body, prices) > body->budget.allowed);
    const lbKeyed* ranked = rank(body, count, minus_largest_delta);
    for (int i = 0; i < count; ++i) {
        float delta = largest_delta(body, ranked[i].value);
        bool over = lb_adaptive_total_price(body, prices) > body->budget.allowed;
        if ((!(delta < body->merge) || isinf(body->split)) && !over) {
            break;
        }
        int together[lb_mostTogether], number = lb_find_merge(&body->set, ranked[i].value, together);
        if (may_merge(body, together, number, over)) {
            body->budget.limited |= !(delta < body->merge);
            lb_merge(&body->set, state_of(body), together, number);
            body->mergeCount += number;
        }
    }
}

/* ---- A frame ----------------------------------------------------------------------------------------------------- */

/* Whether a node may be split or merged now: some of these then are not. */
static bool may_change(lbAdaptiveBody* body, const lbStepPrices* prices) {
    bool over = lb_adaptive_total_price(body, prices) > body->budget.allowed;
    for (int k = 0; k < body->set.activeCount; ++k) {
        if (wants_split(body, body->scopes.active[k])) {
            return true;
        }
    }
    int count = over || !isinf(body->split) ? list_merges(body, over) : 0, together[lb_mostTogether];
    for (int i = 0; i < count; ++i) {
        if (may_merge(body, together, lb_find_merge(&body->set, body->candidates[i], together), over)) {
            return true;
        }
    }
    return false;
}

static void change_levels(lbAdaptiveBody* body, lbStepPrices* prices) {
    merge_nodes(body, prices);
    split_nodes(body, prices);
    body->budget.late = body->budget.limited && body->set.levelCounts[0] == body->set.activeCount &&
                        lb_adaptive_total_price(body, prices) > body->budget.allowed;
}

/* s: the shortest step in a frame of dt. */
static double shortest_step(const lbAdaptiveBody* body, double dt) {
    return dt / (body->motion.wantedSteps > 0 ? body->motion.wantedSteps : body->fineSteps);
}

static void take_new_steps(lbAdaptiveBody* body, double dt) {
    lb_adaptive_fill_filter(body, dt);
    lb_adaptive_shift_velocities(body, shortest_step(body, dt), -0.5);
}

/* Velocities are half a step behind places. Where steps change, or who takes them, they are taken to where places are
 * first, and then half a new step back: else energy is made of the difference. */
static void adapt_levels(lbAdaptiveBody* body, double dt) {
    lbStepPrices prices = lb_adaptive_find_prices(body);
    measure_deltas(body, dt);
    lb_adaptive_find_allowance(body);
    double before = shortest_step(body, dt);
    bool changes = may_change(body, &prices);
    if (changes) {
        lb_adaptive_shift_velocities(body, before, 0.5);
        lb_adaptive_pull_rows(body);
        lbKept kept = lb_adaptive_measure_kept(body);
        change_levels(body, &prices);
        changes = body->splitCount + body->mergeCount > 0;
        if (changes) {
            inherit(body);
            lb_adaptive_rebuild(body, dt);
            stop_held(body);
            lb_adaptive_restore_kept(body, &kept);
            lb_adaptive_begin_blend(body);
        }
        take_new_steps(body, dt);
    }
    if (!changes && lb_adaptive_find_rates(body, dt)) {
        lb_adaptive_shift_velocities(body, before, 0.5);
        lb_pack_scopes(&body->scopes, body->skinNodes, 4 * body->base.model->skinPointCount);
        take_new_steps(body, dt);
    }
}

void lb_adaptive_adapt(lbBody* base, double dt) {
    lbAdaptiveBody* body = lb_adaptive(base);
    double start = lb_seconds();
    memcpy(body->wasActive, body->set.status, (size_t)lb_all_nodes(body));
    body->splitCount = body->mergeCount = 0;
    if (body->bakedCount != body->model->bakedCount) {
        lb_adaptive_rebuild(body, dt);
        body->strayed = 1; /* any distance: stiffness is another */
    }
    lb_adaptive_pull_rows(body);
    lb_adaptive_measure_growth(body);
    adapt_levels(body, dt);
    body->advanceSeconds += lb_seconds() - start;
}

bool lb_adaptive_refine_at_rest(lbAdaptiveBody* body, bool merge) {
    memcpy(body->wasActive, body->set.status, (size_t)lb_all_nodes(body));
    body->splitCount = body->mergeCount = 0;
    lbStepPrices prices = lb_adaptive_find_prices(body);
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        body->bend[node] = lb_measure_bend(&body->model->hierarchy, node, body->x);
    }
    measure_deltas(body, (double)LB_DWELL_SECONDS);
    lb_adaptive_find_allowance(body);
    if (merge) {
        merge_nodes(body, &prices);
    }
    split_nodes(body, &prices);
    if (body->splitCount + body->mergeCount > 0) {
        inherit(body);
        lb_adaptive_rebuild(body, 1.0 / 60);
    }
    body->strayed = 1; /* any distance */
    return body->splitCount + body->mergeCount > 0;
}

void lb_adaptive_settle_regions(lbAdaptiveBody* body) {
    const lbHierarchy* hierarchy = &body->model->hierarchy;
    for (int round = 0, split = 1; round < 4 * lb_mostLevels && split > 0; ++round) {
        split = 0;
        for (int i = 0; i < hierarchy->nodeCount; ++i) {
            if (lb_is_active(&body->set, i) && hierarchy->levelOf[i] < body->fewest[i]) {
                split += lb_split(&body->set, state_of(body), i, hierarchy->nodeCount);
            }
        }
    }
}

/* ---- Reports ----------------------------------------------------------------------------------------------------- */

static void report(const lbBody* base, lbDetailReport* out) {
    const lbAdaptiveBody* body = lb_adaptive_const(base);
    *out = (lbDetailReport){.levelCount = body->model->levelCount,
                            .activeCount = body->set.activeCount,
                            .ghostCount = body->scopes.ghostCount,
                            .splitCount = body->splitCount,
                            .mergeCount = body->mergeCount,
                            .stepCount = body->stepCount,
                            .nodeSteps = body->nodeSteps,
                            .nodeStepsAllowed = isfinite(body->budget.allowed) ? body->budget.allowed : 0,
                            .secondsUsed = body->budget.secondsUsed,
                            .secondsAllowed = body->budget.secondsAllowed,
                            .limited = body->budget.limited,
                            .late = body->budget.late};
    for (int level = 0; level < body->model->levelCount; ++level) {
        out->levelNodes[level] = body->set.levelCounts[level];
        out->levelElements[level] = body->scopes.levels[level].elementCount;
    }
}

static void skin_levels(const lbBody* base, int* levels) {
    const lbAdaptiveBody* body = lb_adaptive_const(base);
    for (int i = 0; i < base->model->skinPointCount; ++i) {
        levels[i] = body->skinLevel[i];
    }
}

const lbDetailOps lb_adaptiveDetailOps = {
    .report = report,
    .set = set_detail,
    .skinLevels = skin_levels,
    .foresee = lb_adaptive_foresee,
    .learn = lb_adaptive_learn,
};
