#include "adapt/scopes.h"

#include "base/result.h"

#include <string.h>

/* ---- Elements of a level ----------------------------------------------------------------------------------------- */

static lbResult find_rest_stiffness(const lbHost* host, const lbMeshLevel* level, lbLevelElements* elements) {
    const lbLawInstance* law = elements->law;
    const lbLawParts* parts = law->law->parts;
    int width = parts->nodesPerElement;
    void* one = parts->create(host, law->elements, 1);
    float* x = LB_NEW(host, float, 4 * (int64_t)level->nodeCount);
    float* blocks = LB_NEW(host, float, 12 * (int64_t)level->nodeCount);
    bool enough = one != NULL && x != NULL && blocks != NULL;
    for (int i = 0; enough && i < level->nodeCount; ++i) {
        vec3_store(x + 4 * (size_t)i, vec3_from(level->mesh->nodes[i]));
    }
    lbRange range = {0, 1};
    lbScope scope = {.elements = one, .ranges = &range, .rangeCount = 1};
    for (int place = 0; enough && place < elements->placeCount; ++place) {
        const int* nodes = elements->placeNodes + (size_t)place * (size_t)width;
        if (nodes[0] < 0) {
            continue;
        }
        parts->copyPlace(law->elements, place, 1, one, 0);
        parts->pad(one, 0, 1);
        law->law->bound(&scope, x, blocks, blocks + 6 * (size_t)level->nodeCount);
        for (int k = 0; k < width; ++k) {
            float* block = blocks + 6 * (size_t)(nodes[k] - level->first);
            elements->stiffness[place] = fmaxf(elements->stiffness[place], fmaxf(block[0], fmaxf(block[1], block[2])));
            memset(block, 0, sizeof(float[6]));
            memset(block + 6 * (size_t)level->nodeCount, 0, sizeof(float[6]));
        }
    }
    lb_release(host, x);
    lb_release(host, blocks);
    if (one != NULL) {
        law->law->release(host, one);
    }
    return enough ? lb_success() : lb_out_of_memory("levels of detail");
}

lbResult lb_list_elements(const lbHost* host, const lbLawInstance* law, const lbMeshLevel* level,
                          lbLevelElements* elements) {
    const lbLawParts* parts = law->law->parts;
    int width = parts->nodesPerElement, count = parts->batchCount(law->elements) * LB_LANES;
    *elements = (lbLevelElements){.law = law,
                                  .placeCount = count,
                                  .placeNodes = LB_NEW(host, int, (int64_t)width* count),
                                  .placeStarts = LB_NEW(host, int, level->nodeCount + 1),
                                  .places = LB_NEW(host, int, (int64_t)width* count),
                                  .stiffness = LB_NEW(host, float, count)};
    if (elements->placeNodes == NULL || elements->placeStarts == NULL || elements->places == NULL ||
        elements->stiffness == NULL) {
        return lb_out_of_memory("levels of detail");
    }
    for (int place = 0; place < count; ++place) {
        int* nodes = elements->placeNodes + (size_t)place * (size_t)width;
        bool there = law->law->nodes(law->elements, place, nodes);
        for (int k = 0; k < width; ++k) {
            elements->placeStarts[nodes[k]] += there;
            nodes[k] = there ? level->first + nodes[k] : -1;
        }
    }
    for (int i = 0; i < level->nodeCount; ++i) {
        elements->placeStarts[i + 1] += elements->placeStarts[i];
    }
    for (int i = width * count - 1; i >= 0; --i) {
        if (elements->placeNodes[i] >= 0) {
            elements->places[--elements->placeStarts[elements->placeNodes[i] - level->first]] = i / width;
        }
    }
    return find_rest_stiffness(host, level, elements);
}

void lb_release_elements(const lbHost* host, lbLevelElements* elements) {
    lb_release(host, elements->placeNodes);
    lb_release(host, elements->placeStarts);
    lb_release(host, elements->places);
    lb_release(host, elements->stiffness);
    *elements = (lbLevelElements){0};
}

/* ---- Room -------------------------------------------------------------------------------------------------------- */

static int batch_words(const lbLevelElements* elements) {
    return elements->placeCount / LB_LANES / 64 + 1;
}

/* Loose elements are packed group by group where there are many, and each group's last batch may be padded. */
static int most_batches(const lbLevelElements* elements) {
    int whole = elements->placeCount / LB_LANES;
    return whole + whole / 4 + 8 * lb_mostRates + 8;
}

static bool create_level(const lbHost* host, const lbLevelElements* elements, lbLevelScopes* level) {
    const lbPlan* plan = &elements->law->plan;
    *level = (lbLevelScopes){.elements = elements,
                             .batchRoom = most_batches(elements),
                             .groups = LB_NEW(host, lbRange, lb_mostRates * (int64_t)(plan->groupCount + 1)),
                             .phaseStarts = LB_NEW(host, int, lb_mostRates*(int64_t)(plan->phaseCount + 2)),
                             .activeNodes = LB_NEW(host, uint8_t, elements->placeCount),
                             .rateOf = LB_NEW(host, uint8_t, elements->placeCount),
                             .batches = LB_NEW(host, uint64_t, batch_words(elements))};
    level->part = elements->law->law->parts->create(host, elements->law->elements, level->batchRoom);
    return level->part != NULL && level->groups != NULL && level->phaseStarts != NULL && level->activeNodes != NULL &&
           level->rateOf != NULL && level->batches != NULL;
}

lbResult lb_create_scopes(const lbActiveSet* set, const lbLevelElements* elements, lbCoupling coupling,
                          lbScopes* scopes) {
    const lbHierarchy* hierarchy = set->hierarchy;
    const lbHost* host = hierarchy->host;
    int64_t nodes = hierarchy->nodeCount;
    *scopes = (lbScopes){.set = set,
                         .coupling = coupling,
                         .rate = LB_NEW(host, uint8_t, nodes),
                         .reads = LB_NEW(host, uint16_t, nodes),
                         .acts = LB_NEW(host, uint16_t, nodes),
                         .motion = LB_NEW(host, uint8_t, nodes),
                         .rowLists = LB_NEW(host, int, (lb_mostRates + 1) * nodes),
                         .nodeLists = LB_NEW(host, int, lb_mostRates* nodes),
                         .motionLists = LB_NEW(host, int, nodes),
                         .active = LB_NEW(host, int, nodes)};
    bool enough = scopes->rate != NULL && scopes->reads != NULL && scopes->acts != NULL && scopes->motion != NULL &&
                  scopes->rowLists != NULL && scopes->nodeLists != NULL && scopes->motionLists != NULL &&
                  scopes->active != NULL;
    for (int l = 0; enough && l < hierarchy->levelCount; ++l) {
        enough = create_level(host, &elements[l], &scopes->levels[l]);
    }
    return enough ? lb_success() : lb_out_of_memory("an adaptive body");
}

void lb_release_scopes(lbScopes* scopes) {
    if (scopes->set == NULL || scopes->set->hierarchy == NULL) {
        return;
    }
    const lbHost* host = scopes->set->hierarchy->host;
    for (int l = 0; l < scopes->set->hierarchy->levelCount; ++l) {
        lbLevelScopes* level = &scopes->levels[l];
        if (level->elements != NULL && level->part != NULL) {
            level->elements->law->law->release(host, level->part);
        }
        lb_release(host, level->groups);
        lb_release(host, level->phaseStarts);
        lb_release(host, level->activeNodes);
        lb_release(host, level->rateOf);
        lb_release(host, level->batches);
    }
    lb_release(host, scopes->rate);
    lb_release(host, scopes->reads);
    lb_release(host, scopes->acts);
    lb_release(host, scopes->motion);
    lb_release(host, scopes->rowLists);
    lb_release(host, scopes->nodeLists);
    lb_release(host, scopes->motionLists);
    lb_release(host, scopes->active);
    *scopes = (lbScopes){0};
}

/* ---- Rows in order ----------------------------------------------------------------------------------------------- */

/* Calls for every node that is not active and has one of the bits, level by level, in the order in which rows are
 * evaluated, or the other way round. */
typedef void RowFn(lbScopes* scopes, int node, const lbLink* row);

static void for_level(lbScopes* scopes, int level, lbNodeStatus status, uint16_t bits, RowFn* run) {
    const lbMeshLevel* at = &scopes->set->hierarchy->levels[level];
    const uint8_t* statuses = scopes->set->status;
    for (int i = at->first; i < at->first + at->nodeCount; ++i) {
        if (statuses[i] == status && (scopes->reads[i] & bits) != 0) {
            run(scopes, i, lb_row_of(scopes->set, i));
        }
    }
}

static void for_rows_forward(lbScopes* scopes, uint16_t bits, RowFn* run) {
    int levels = scopes->set->hierarchy->levelCount;
    for (int l = levels - 2; l >= 0; --l) {
        for_level(scopes, l, lb_nodeRetired, bits, run);
    }
    for (int l = 1; l < levels; ++l) {
        for_level(scopes, l, lb_nodeCovered, bits, run);
    }
}

static void for_rows_backward(lbScopes* scopes, uint16_t bits, RowFn* run) {
    int levels = scopes->set->hierarchy->levelCount;
    for (int l = levels - 1; l > 0; --l) {
        for_level(scopes, l, lb_nodeCovered, bits, run);
    }
    for (int l = 0; l + 1 < levels; ++l) {
        for_level(scopes, l, lb_nodeRetired, bits, run);
    }
}

/* ---- Which elements ---------------------------------------------------------------------------------------------- */

static bool batch_in_use(const lbLevelScopes* level, int batch) {
    return (level->batches[batch / 64] >> (batch % 64) & 1) != 0;
}

/* For each place of an element in use. */
#define FOR_PLACES(level, place)                                                                                       \
    for (int batch_ = 0; batch_ < (level)->elements->placeCount / LB_LANES; ++batch_)                                  \
        for (int place = batch_ * LB_LANES, end_ = batch_in_use(level, batch_) ? place + LB_LANES : 0; place < end_;   \
             ++place)                                                                                                  \
            if ((level)->activeNodes[place] > 0)

static void mark_elements(lbScopes* scopes, int l) {
    lbLevelScopes* level = &scopes->levels[l];
    const lbLevelElements* elements = level->elements;
    const lbMeshLevel* at = &scopes->set->hierarchy->levels[l];
    memset(level->activeNodes, 0, (size_t)elements->placeCount);
    memset(level->batches, 0, (size_t)batch_words(elements) * sizeof(uint64_t));
    level->elementCount = 0;
    for (int i = 0; i < at->nodeCount; ++i) {
        if (!lb_is_active(scopes->set, at->first + i)) {
            continue;
        }
        for (int k = elements->placeStarts[i]; k < elements->placeStarts[i + 1]; ++k) {
            int place = elements->places[k], batch = place / LB_LANES;
            level->elementCount += level->activeNodes[place] == 0;
            ++level->activeNodes[place];
            level->batches[batch / 64] |= (uint64_t)1 << (batch % 64);
        }
    }
    scopes->elementCount += level->elementCount;
}

static void read_row(lbScopes* scopes, int node, const lbLink* row) {
    for (int k = 0; k < 4; ++k) {
        scopes->reads[row->node[k]] |= scopes->reads[node];
    }
}

static const int* nodes_at(const lbLevelElements* elements, int place) {
    return elements->placeNodes + (size_t)place * (size_t)elements->law->law->parts->nodesPerElement;
}

/* For now bit 0 says that a node is read at all. */
static void mark_read(lbScopes* scopes) {
    const lbHierarchy* hierarchy = scopes->set->hierarchy;
    memset(scopes->reads, 0, (size_t)hierarchy->nodeCount * sizeof(uint16_t));
    for (int l = 0; l < hierarchy->levelCount; ++l) {
        const lbLevelScopes* level = &scopes->levels[l];
        int width = level->elements->law->law->parts->nodesPerElement;
        FOR_PLACES(level, place) {
            const int* nodes = nodes_at(level->elements, place);
            for (int k = 0; k < width; ++k) {
                scopes->reads[nodes[k]] = 1;
            }
        }
    }
    for_rows_backward(scopes, 1, read_row);
}

void lb_weigh_elements(lbScopes* scopes) {
    const lbActiveSet* set = scopes->set;
    int count = 0;
    scopes->elementCount = 0;
    for (int i = 0; i < set->hierarchy->nodeCount; ++i) {
        if (lb_is_active(set, i)) {
            scopes->active[count++] = i;
        }
    }
    for (int l = 0; l < set->hierarchy->levelCount; ++l) {
        mark_elements(scopes, l);
    }
    mark_read(scopes);
}

static float weight_of(const lbScopes* scopes, const lbLevelScopes* level, int place) {
    return scopes->coupling == lb_couplingPaper
               ? 1
               : (float)level->activeNodes[place] / (float)level->elements->law->law->parts->nodesPerElement;
}

/* A quadratic form on a node that is slaved: p_g^2 = (sum w p)^2 <= (sum |w|) sum |w| p^2. */
static void hand_stiffness(const lbScopes* scopes, int node, float* stiffness) {
    const lbLink* row = lb_row_of(scopes->set, node);
    float sum = 0;
    for (int k = 0; k < 4; ++k) {
        sum += fabsf(row->weight[k]);
    }
    for (int k = 0; k < 4; ++k) {
        stiffness[row->node[k]] += sum * fabsf(row->weight[k]) * stiffness[node];
    }
    stiffness[node] = 0;
}

void lb_sum_stiffness(lbScopes* scopes, float* stiffness) {
    const lbHierarchy* hierarchy = scopes->set->hierarchy;
    memset(stiffness, 0, (size_t)hierarchy->nodeCount * sizeof(float));
    for (int l = 0; l < hierarchy->levelCount; ++l) {
        const lbLevelScopes* level = &scopes->levels[l];
        int width = level->elements->law->law->parts->nodesPerElement;
        FOR_PLACES(level, place) {
            float own = weight_of(scopes, level, place) * level->elements->stiffness[place];
            for (int k = 0; k < width; ++k) {
                stiffness[nodes_at(level->elements, place)[k]] += own;
            }
        }
    }
    for (int l = hierarchy->levelCount - 1; l >= 1 - hierarchy->levelCount + 1; --l) {
        /* covered nodes from fine to coarse, then retired ones from coarse to fine */
        int at = l > 0 ? l : -l;
        lbNodeStatus status = l > 0 ? lb_nodeCovered : lb_nodeRetired;
        const lbMeshLevel* level = &hierarchy->levels[at];
        for (int i = level->first; i < level->first + level->nodeCount; ++i) {
            if (scopes->set->status[i] == status && scopes->reads[i] != 0) {
                hand_stiffness(scopes, i, stiffness);
            }
        }
    }
}

/* ---- Rates ------------------------------------------------------------------------------------------------------- */

static void rate_of_row(lbScopes* scopes, int node, const lbLink* row) {
    uint8_t fastest = lb_mostRates - 1;
    for (int k = 0; k < 4; ++k) {
        uint8_t rate = scopes->rate[row->node[k]];
        fastest = row->weight[k] != 0 && rate < fastest ? rate : fastest;
    }
    scopes->rate[node] = fastest;
}

static void act_through_row(lbScopes* scopes, int node, const lbLink* row) {
    for (int k = 0; k < 4; ++k) {
        scopes->acts[row->node[k]] |= scopes->acts[node];
    }
}

static void rate_elements(lbScopes* scopes, lbLevelScopes* level) {
    int width = level->elements->law->law->parts->nodesPerElement;
    bool paper = scopes->coupling == lb_couplingPaper;
    FOR_PLACES(level, place) {
        const int* nodes = nodes_at(level->elements, place);
        uint8_t fastest = lb_mostRates - 1;
        for (int k = 0; k < width; ++k) {
            if (!paper || lb_is_active(scopes->set, nodes[k])) {
                fastest = scopes->rate[nodes[k]] < fastest ? scopes->rate[nodes[k]] : fastest;
            }
        }
        level->rateOf[place] = fastest;
        for (int k = 0; k < width; ++k) {
            uint16_t bit = (uint16_t)(1u << fastest);
            scopes->reads[nodes[k]] |= bit;
            scopes->acts[nodes[k]] |= paper && !lb_is_active(scopes->set, nodes[k]) ? 0 : bit;
        }
    }
}

static void rate_all(lbScopes* scopes, const int* skinNodes, int skinCount) {
    const lbHierarchy* hierarchy = scopes->set->hierarchy;
    for_rows_forward(scopes, 0xffff, rate_of_row);
    memset(scopes->reads, 0, (size_t)hierarchy->nodeCount * sizeof(uint16_t));
    memset(scopes->acts, 0, (size_t)hierarchy->nodeCount * sizeof(uint16_t));
    for (int l = 0; l < hierarchy->levelCount; ++l) {
        rate_elements(scopes, &scopes->levels[l]);
    }
    for (int i = 0; i < skinCount; ++i) {
        if (skinNodes[i] >= 0) {
            scopes->reads[skinNodes[i]] |= lb_skinBit;
        }
    }
    for_rows_backward(scopes, 0xffff, read_row);
    for_rows_backward(scopes, 0xffff, act_through_row);
}

/* ---- Lists ------------------------------------------------------------------------------------------------------- */

static void push_row_node(lbScopes* scopes, int rate, int node) {
    scopes->rowLists[scopes->rowStarts[rate + 1]++] = node;
}

static void list_rows(lbScopes* scopes) {
    const lbHierarchy* hierarchy = scopes->set->hierarchy;
    scopes->ghostCount = 0;
    scopes->rowStarts[0] = 0;
    for (int rate = 0; rate <= lb_mostRates; ++rate) {
        scopes->rowStarts[rate + 1] = scopes->rowStarts[rate];
        for (int l = 2 - hierarchy->levelCount; l < hierarchy->levelCount; ++l) {
            /* retired nodes from fine to coarse, then covered ones from coarse to fine */
            const lbMeshLevel* level = &hierarchy->levels[l > 0 ? l : -l];
            lbNodeStatus status = l > 0 ? lb_nodeCovered : lb_nodeRetired;
            for (int i = level->first; i < level->first + level->nodeCount; ++i) {
                if (scopes->set->status[i] == status && (scopes->reads[i] >> rate & 1) != 0) {
                    push_row_node(scopes, rate, i);
                }
            }
        }
    }
    for (int i = 0; i < hierarchy->nodeCount; ++i) {
        scopes->ghostCount += scopes->set->status[i] != lb_nodeActive && (scopes->reads[i] & ~lb_skinBit) != 0;
    }
}

static uint8_t fastest_bit(uint16_t bits, uint8_t otherwise) {
    uint16_t rates = bits & (lb_skinBit - 1);
    return rates != 0 ? (uint8_t)__builtin_ctz(rates) : otherwise;
}

static void list_nodes(lbScopes* scopes) {
    int count = scopes->set->activeCount, nodes = 0, motions = 0;
    scopes->rateCount = 1;
    for (int k = 0; k < count; ++k) {
        int i = scopes->active[k];
        scopes->motion[i] = fastest_bit(scopes->reads[i], scopes->rate[i]);
    }
    for (int rate = 0; rate < lb_mostRates; ++rate) {
        scopes->nodeStarts[rate] = nodes;
        scopes->motionStarts[rate] = motions;
        for (int k = 0; k < count; ++k) {
            int i = scopes->active[k];
            /* what acts on a node from outside comes with the rate at which it moves */
            if ((scopes->acts[i] >> rate & 1) != 0 || scopes->motion[i] == rate) {
                scopes->nodeLists[nodes++] = i;
                scopes->rateCount = rate + 1;
            }
            if (scopes->motion[i] == rate) {
                scopes->motionLists[motions++] = i;
            }
        }
    }
    scopes->nodeStarts[lb_mostRates] = nodes;
    scopes->motionStarts[lb_mostRates] = motions;
}

/* ---- Packing ----------------------------------------------------------------------------------------------------- */

/* A batch all of whose elements are in use, with full weight, at this rate. */
static bool is_whole(const lbScopes* scopes, const lbLevelScopes* level, int batch, int rate) {
    const lbLevelElements* elements = level->elements;
    int width = elements->law->law->parts->nodesPerElement;
    for (int place = batch * LB_LANES; place < (batch + 1) * LB_LANES; ++place) {
        bool there = nodes_at(elements, place)[0] >= 0;
        int active = level->activeNodes[place];
        bool full = scopes->coupling == lb_couplingPaper ? active > 0 : active == width;
        if (there && (!full || level->rateOf[place] != rate)) {
            return false;
        }
    }
    return true;
}

static bool is_loose(const lbLevelScopes* level, int place, int rate) {
    return level->activeNodes[place] > 0 && level->rateOf[place] == rate;
}

/* Packs what a range of the whole's batches has at a rate; returns how many batches of the part are filled. */
static int pack_range(const lbScopes* scopes, lbLevelScopes* level, int rate, lbRange from, int to) {
    const lbLevelElements* elements = level->elements;
    const lbLawParts* parts = elements->law->law->parts;
    const void* whole = elements->law->elements;
    bool before = false;
    for (int batch = from.begin; batch < from.end; ++batch) {
        bool copied = batch_in_use(level, batch) && is_whole(scopes, level, batch, rate);
        if (copied) {
            parts->copyBatch(whole, batch, before, level->part, to++);
        }
        before = copied;
    }
    int place = to * LB_LANES;
    for (int batch = from.begin; batch < from.end; ++batch) {
        if (!batch_in_use(level, batch) || is_whole(scopes, level, batch, rate)) {
            continue;
        }
        for (int p = batch * LB_LANES; p < (batch + 1) * LB_LANES; ++p) {
            if (is_loose(level, p, rate)) {
                parts->copyPlace(whole, p, weight_of(scopes, level, p), level->part, place++);
            }
        }
    }
    if (place % LB_LANES != 0) {
        parts->pad(level->part, place / LB_LANES, place % LB_LANES);
    }
    return (place + LB_LANES - 1) / LB_LANES;
}

static void count_by_rate(const lbLevelScopes* level, int counts[lb_mostRates]) {
    FOR_PLACES(level, place) {
        ++counts[level->rateOf[place]];
    }
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
            int end = pack_range(scopes, level, rate, plan->groups[g], to);
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
    if (count == 0) {
        instance->law = NULL;
        return to;
    }
    if (count > 16 * LB_LANES * plan->groupCount) {
        return pack_groups(scopes, level, rate, to);
    }
    lbRange all = {0, elements->placeCount / LB_LANES};
    int end = pack_range(scopes, level, rate, all, to);
    instance->plan.groups[0] = (lbRange){to, end};
    instance->plan.phaseStarts[0] = 0;
    instance->plan.phaseStarts[1] = 1;
    instance->plan.groupCount = instance->plan.phaseCount = 1;
    return end;
}

/* Where a whole level runs at one rate, its elements are the model's own. */
static int only_rate(const lbScopes* scopes, const lbLevelScopes* level) {
    int rate = -1;
    for (int batch = 0; batch < level->elements->placeCount / LB_LANES; ++batch) {
        rate = rate < 0 ? level->rateOf[0] : rate;
        if (!batch_in_use(level, batch) || !is_whole(scopes, level, batch, rate)) {
            return -1;
        }
    }
    return rate;
}

static void pack_level(const lbScopes* scopes, lbLevelScopes* level) {
    const lbLawInstance* law = level->elements->law;
    for (int rate = 0; rate < lb_mostRates; ++rate) {
        level->rates[rate].law = NULL;
    }
    int single = level->elementCount > 0 ? only_rate(scopes, level) : -1;
    if (single >= 0) {
        level->rates[single] = *law;
        return;
    }
    law->law->parts->begin(law->elements, level->part);
    int counts[lb_mostRates] = {0}, to = 0;
    count_by_rate(level, counts);
    for (int rate = 0; rate < lb_mostRates && level->elementCount > 0; ++rate) {
        to = pack_rate(scopes, level, rate, counts[rate], to);
    }
}

void lb_pack_scopes(lbScopes* scopes, const int* skinNodes, int skinCount) {
    rate_all(scopes, skinNodes, skinCount);
    list_rows(scopes);
    list_nodes(scopes);
    for (int l = 0; l < scopes->set->hierarchy->levelCount; ++l) {
        pack_level(scopes, &scopes->levels[l]);
    }
}

/* ---- Values out, forces back ------------------------------------------------------------------------------------- */

void lb_pull_rows(const lbScopes* scopes, int rate, float* q) {
    for (int k = scopes->rowStarts[rate]; k < scopes->rowStarts[rate + 1]; ++k) {
        int node = scopes->rowLists[k];
        const lbLink* row = lb_row_of(scopes->set, node);
        lbVec3 sum = {0, 0, 0};
        for (int c = 0; c < 4; ++c) {
            sum = vec3_madd(sum, row->weight[c], vec3_load(q + 4 * (size_t)row->node[c]));
        }
        vec3_store(q + 4 * (size_t)node, sum);
    }
}

void lb_push_rows(const lbScopes* scopes, int rate, float* f) {
    for (int k = scopes->rowStarts[rate + 1] - 1; k >= scopes->rowStarts[rate]; --k) {
        int node = scopes->rowLists[k];
        const lbLink* row = lb_row_of(scopes->set, node);
        lbVec3 force = vec3_load(f + 4 * (size_t)node);
        for (int c = 0; c < 4; ++c) {
            float* at = f + 4 * (size_t)row->node[c];
            vec3_store(at, vec3_madd(vec3_load(at), row->weight[c], force));
        }
    }
}
