#include "adapt/scopes.h"

#include "base/result.h"

#include <string.h>

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
    int batches = elements->placeCount / LB_LANES;
    *level = (lbLevelScopes){.elements = elements,
                             .batchRoom = most_batches(elements),
                             .groups = LB_NEW(host, lbRange, lb_mostRates * (int64_t)(plan->groupCount + 1)),
                             .phaseStarts = LB_NEW(host, int, lb_mostRates*(int64_t)(plan->phaseCount + 2)),
                             .activeNodes = LB_NEW(host, uint8_t, elements->placeCount),
                             .rateOf = LB_NEW(host, uint8_t, elements->placeCount),
                             .marks = LB_NEW(host, uint64_t, batch_words(elements)),
                             .used = LB_NEW(host, int, batches + 1),
                             .nextRun = LB_NEW(host, int, elements->placeCount),
                             .batchRate = LB_NEW(host, uint8_t, batches + 1)};
    level->part = elements->law->law->parts->create(host, elements->law->elements, level->batchRoom);
    return level->part != NULL && level->groups != NULL && level->phaseStarts != NULL && level->activeNodes != NULL &&
           level->rateOf != NULL && level->marks != NULL && level->used != NULL && level->nextRun != NULL &&
           level->batchRate != NULL;
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
                         .marks = LB_NEW(host, uint64_t, nodes / 64 + 1),
                         .ghosts = LB_NEW(host, int, nodes),
                         .rows = LB_NEW(host, lbLink, nodes),
                         .rowLists = LB_NEW(host, int, (lb_mostRates + 1) * nodes),
                         .nodeLists = LB_NEW(host, int, lb_mostRates* nodes),
                         .motionLists = LB_NEW(host, int, nodes),
                         .active = LB_NEW(host, int, nodes)};
    bool enough = scopes->rate != NULL && scopes->reads != NULL && scopes->acts != NULL && scopes->motion != NULL &&
                  scopes->marks != NULL && scopes->ghosts != NULL && scopes->rows != NULL && scopes->rowLists != NULL &&
                  scopes->nodeLists != NULL && scopes->motionLists != NULL && scopes->active != NULL;
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
        void* const memory[] = {level->groups, level->phaseStarts, level->activeNodes, level->rateOf,
                                level->marks,  level->used,        level->nextRun,     level->batchRate};
        if (level->elements != NULL && level->part != NULL) {
            level->elements->law->law->release(host, level->part);
        }
        for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); ++i) {
            lb_release(host, memory[i]);
        }
    }
    void* const memory[] = {scopes->rate,      scopes->reads,       scopes->acts,  scopes->motion,
                            scopes->marks,     scopes->ghosts,      scopes->rows,  scopes->rowLists,
                            scopes->nodeLists, scopes->motionLists, scopes->active};
    for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); ++i) {
        lb_release(host, memory[i]);
    }
    *scopes = (lbScopes){0};
}

/* ---- Which elements ---------------------------------------------------------------------------------------------- */

static void set_mark(uint64_t* marks, int at) {
    marks[at / 64] |= (uint64_t)1 << (at % 64);
}

static void mark_elements(lbScopes* scopes, int l) {
    lbLevelScopes* level = &scopes->levels[l];
    const lbLevelElements* elements = level->elements;
    int first = scopes->set->hierarchy->levels[l].first;
    for (int k = 0; k < level->usedCount; ++k) {
        memset(level->activeNodes + (size_t)level->used[k] * LB_LANES, 0, LB_LANES);
    }
    memset(level->marks, 0, (size_t)batch_words(elements) * sizeof(uint64_t));
    level->elementCount = level->usedCount = 0;
    for (int n = scopes->levelStarts[l]; n < scopes->levelStarts[l + 1]; ++n) {
        int i = scopes->active[n] - first;
        for (int k = elements->placeStarts[i]; k < elements->placeStarts[i + 1]; ++k) {
            int place = elements->places[k];
            level->elementCount += level->activeNodes[place]++ == 0;
            set_mark(level->marks, place / LB_LANES);
        }
    }
    for (int word = 0; word < batch_words(elements); ++word) {
        for (uint64_t bits = level->marks[word]; bits != 0; bits &= bits - 1) {
            level->used[level->usedCount++] = 64 * word + __builtin_ctzll(bits);
        }
    }
    scopes->elementCount += level->elementCount;
}

/* For each place of an element in use. */
#define FOR_PLACES(level, place)                                                                                       \
    for (int used_ = 0; used_ < (level)->usedCount; ++used_)                                                           \
        for (int place = (level)->used[used_] * LB_LANES, end_ = place + LB_LANES; place < end_; ++place)              \
            if ((level)->activeNodes[place] > 0)

static const int* nodes_at(const lbLevelElements* elements, int place) {
    return elements->placeNodes + (size_t)place * (size_t)elements->law->law->parts->nodesPerElement;
}

/* Nodes of a level that have a mark and this status: their rows are read, too. */
static void list_ghosts(lbScopes* scopes, int l, lbNodeStatus status) {
    const lbMeshLevel* level = &scopes->set->hierarchy->levels[l];
    int begin = level->first, end = level->first + level->nodeCount;
    for (int word = begin / 64; word <= (end - 1) / 64; ++word) {
        for (uint64_t bits = scopes->marks[word]; bits != 0; bits &= bits - 1) {
            int node = 64 * word + __builtin_ctzll(bits);
            if (node < begin || node >= end || scopes->set->status[node] != status) {
                continue;
            }
            const lbLink* row = lb_row_of(scopes->set, node);
            scopes->ghosts[scopes->rowCount++] = node;
            for (int k = 0; k < 4; ++k) {
                set_mark(scopes->marks, row->node[k]);
            }
        }
    }
}

/* Against the order in which rows are evaluated, so that whoever reads a node is known before the node's own row is
 * looked at; then the other way round. */
static void find_ghosts(lbScopes* scopes, const int* skinNodes, int skinCount) {
    const lbHierarchy* hierarchy = scopes->set->hierarchy;
    int levels = hierarchy->levelCount;
    memset(scopes->marks, 0, ((size_t)hierarchy->nodeCount / 64 + 1) * sizeof(uint64_t));
    for (int l = 0; l < levels; ++l) {
        const lbLevelScopes* level = &scopes->levels[l];
        int width = level->elements->law->law->parts->nodesPerElement;
        FOR_PLACES(level, place) {
            const int* nodes = nodes_at(level->elements, place);
            for (int k = 0; k < width; ++k) {
                set_mark(scopes->marks, nodes[k]);
            }
        }
    }
    for (int i = 0; i < skinCount; ++i) {
        set_mark(scopes->marks, skinNodes[i]);
    }
    scopes->rowCount = 0;
    for (int l = levels - 1; l > 0; --l) {
        list_ghosts(scopes, l, lb_nodeCovered);
    }
    for (int l = 0; l + 1 < levels; ++l) {
        list_ghosts(scopes, l, lb_nodeRetired);
    }
    for (int i = 0, j = scopes->rowCount - 1; i < j; ++i, --j) {
        int swap = scopes->ghosts[i];
        scopes->ghosts[i] = scopes->ghosts[j], scopes->ghosts[j] = swap;
    }
    for (int i = 0; i < scopes->rowCount; ++i) {
        scopes->rows[i] = *lb_row_of(scopes->set, scopes->ghosts[i]);
    }
}

void lb_list_active(lbScopes* scopes) {
    const lbHierarchy* hierarchy = scopes->set->hierarchy;
    int count = 0;
    for (int l = 0; l < hierarchy->levelCount; ++l) {
        const lbMeshLevel* level = &hierarchy->levels[l];
        scopes->levelStarts[l] = count;
        for (int i = level->first; i < level->first + level->nodeCount; ++i) {
            scopes->active[count] = i;
            count += lb_is_active(scopes->set, i);
        }
    }
    scopes->levelStarts[hierarchy->levelCount] = count;
}

void lb_weigh_elements(lbScopes* scopes, const int* skinNodes, int skinCount) {
    scopes->elementCount = 0;
    for (int l = 0; l < scopes->set->hierarchy->levelCount; ++l) {
        mark_elements(scopes, l);
    }
    find_ghosts(scopes, skinNodes, skinCount);
}

float lb_element_weight(const lbScopes* scopes, const lbLevelScopes* level, int place) {
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
}

void lb_sum_stiffness(lbScopes* scopes, float* stiffness) {
    const lbHierarchy* hierarchy = scopes->set->hierarchy;
    for (int k = 0; k < scopes->set->activeCount; ++k) {
        stiffness[scopes->active[k]] = 0;
    }
    for (int k = 0; k < scopes->rowCount; ++k) {
        stiffness[scopes->ghosts[k]] = 0;
    }
    for (int l = 0; l < hierarchy->levelCount; ++l) {
        const lbLevelScopes* level = &scopes->levels[l];
        int width = level->elements->law->law->parts->nodesPerElement;
        FOR_PLACES(level, place) {
            float own = lb_element_weight(scopes, level, place) * level->elements->stiffness[place];
            for (int k = 0; k < width; ++k) {
                stiffness[nodes_at(level->elements, place)[k]] += own;
            }
        }
    }
    for (int k = scopes->rowCount - 1; k >= 0; --k) {
        hand_stiffness(scopes, scopes->ghosts[k], stiffness);
    }
}

/* ---- Rates ------------------------------------------------------------------------------------------------------- */

static void rate_rows(lbScopes* scopes) {
    for (int i = 0; i < scopes->rowCount; ++i) {
        const lbLink* row = lb_row_of(scopes->set, scopes->ghosts[i]);
        uint8_t fastest = lb_mostRates - 1;
        for (int k = 0; k < 4; ++k) {
            uint8_t rate = scopes->rate[row->node[k]];
            fastest = row->weight[k] != 0 && rate < fastest ? rate : fastest;
        }
        scopes->rate[scopes->ghosts[i]] = fastest;
    }
}

static uint8_t rate_element(lbScopes* scopes, const int* nodes, int width) {
    bool paper = scopes->coupling == lb_couplingPaper;
    uint8_t fastest = lb_mostRates - 1;
    for (int k = 0; k < width; ++k) {
        if (!paper || lb_is_active(scopes->set, nodes[k])) {
            fastest = scopes->rate[nodes[k]] < fastest ? scopes->rate[nodes[k]] : fastest;
        }
    }
    for (int k = 0; k < width; ++k) {
        uint16_t bit = (uint16_t)(1u << fastest);
        scopes->reads[nodes[k]] |= bit;
        scopes->acts[nodes[k]] |= paper && !lb_is_active(scopes->set, nodes[k]) ? 0 : bit;
    }
    return fastest;
}

/* Also finds the batches all of whose elements run at one rate, with full weight. */
static void rate_elements(lbScopes* scopes, lbLevelScopes* level) {
    int width = level->elements->law->law->parts->nodesPerElement;
    int full = scopes->coupling == lb_couplingPaper ? 1 : width;
    memset(level->rateCounts, 0, sizeof(level->rateCounts));
    for (int used = 0; used < level->usedCount; ++used) {
        int batch = level->used[used], common = -1;
        bool whole = true;
        for (int place = batch * LB_LANES; place < (batch + 1) * LB_LANES; ++place) {
            const int* nodes = nodes_at(level->elements, place);
            if (level->activeNodes[place] == 0) {
                whole = whole && nodes[0] < 0;
                continue;
            }
            int rate = level->rateOf[place] = rate_element(scopes, nodes, width);
            ++level->rateCounts[rate];
            common = common < 0 ? rate : common;
            whole = whole && level->activeNodes[place] >= full && rate == common;
        }
        level->batchRate[used] = (uint8_t)(whole ? common : lb_mixedBatch);
    }
}

static void rate_all(lbScopes* scopes, const int* skinNodes, int skinCount) {
    rate_rows(scopes);
    for (int k = 0; k < scopes->set->activeCount; ++k) {
        scopes->reads[scopes->active[k]] = scopes->acts[scopes->active[k]] = 0;
    }
    for (int k = 0; k < scopes->rowCount; ++k) {
        scopes->reads[scopes->ghosts[k]] = scopes->acts[scopes->ghosts[k]] = 0;
    }
    for (int l = 0; l < scopes->set->hierarchy->levelCount; ++l) {
        rate_elements(scopes, &scopes->levels[l]);
    }
    for (int i = 0; i < skinCount; ++i) {
        scopes->reads[skinNodes[i]] |= lb_skinBit;
    }
    for (int i = scopes->rowCount - 1; i >= 0; --i) {
        int node = scopes->ghosts[i];
        const lbLink* row = lb_row_of(scopes->set, node);
        for (int k = 0; k < 4; ++k) {
            scopes->reads[row->node[k]] |= scopes->reads[node];
            scopes->acts[row->node[k]] |= scopes->acts[node];
        }
    }
}

/* ---- Lists ------------------------------------------------------------------------------------------------------- */

/* Starts of the lists of all rates, from how many each has. */
static void start_lists(const int* counts, int lists, int* starts) {
    starts[0] = 0;
    for (int rate = 0; rate < lists; ++rate) {
        starts[rate + 1] = starts[rate] + counts[rate];
    }
}

static void list_rows(lbScopes* scopes) {
    int counts[lb_mostRates + 1] = {0}, next[lb_mostRates + 2];
    scopes->ghostCount = 0;
    for (int i = 0; i < scopes->rowCount; ++i) {
        uint32_t reads = scopes->reads[scopes->ghosts[i]];
        scopes->ghostCount += (reads & ~(uint32_t)lb_skinBit) != 0;
        for (; reads != 0; reads &= reads - 1) {
            ++counts[__builtin_ctz(reads)];
        }
    }
    start_lists(counts, lb_mostRates + 1, scopes->rowStarts);
    memcpy(next, scopes->rowStarts, sizeof(next));
    for (int i = 0; i < scopes->rowCount; ++i) {
        for (uint32_t reads = scopes->reads[scopes->ghosts[i]]; reads != 0; reads &= reads - 1) {
            scopes->rowLists[next[__builtin_ctz(reads)]++] = i;
        }
    }
}

static uint8_t fastest_bit(uint16_t bits, uint8_t otherwise) {
    uint16_t rates = bits & (lb_skinBit - 1);
    return rates != 0 ? (uint8_t)__builtin_ctz(rates) : otherwise;
}

/* What acts on a node from outside comes with the rate at which it moves. */
static uint32_t rates_of(const lbScopes* scopes, int node) {
    return scopes->acts[node] | 1u << scopes->motion[node];
}

static void list_nodes(lbScopes* scopes) {
    int count = scopes->set->activeCount, next[lb_mostRates + 1], nextMotion[lb_mostRates + 1];
    int counts[lb_mostRates] = {0}, motions[lb_mostRates] = {0};
    for (int k = 0; k < count; ++k) {
        int i = scopes->active[k];
        scopes->motion[i] = fastest_bit(scopes->reads[i], scopes->rate[i]);
        ++motions[scopes->motion[i]];
        for (uint32_t rates = rates_of(scopes, i); rates != 0; rates &= rates - 1) {
            ++counts[__builtin_ctz(rates)];
        }
    }
    start_lists(counts, lb_mostRates, scopes->nodeStarts);
    start_lists(motions, lb_mostRates, scopes->motionStarts);
    memcpy(next, scopes->nodeStarts, sizeof(next));
    memcpy(nextMotion, scopes->motionStarts, sizeof(nextMotion));
    for (int k = 0; k < count; ++k) {
        int i = scopes->active[k];
        scopes->motionLists[nextMotion[scopes->motion[i]]++] = i;
        for (uint32_t rates = rates_of(scopes, i); rates != 0; rates &= rates - 1) {
            scopes->nodeLists[next[__builtin_ctz(rates)]++] = i;
        }
    }
    scopes->rateCount = 1;
    for (int rate = 0; rate < lb_mostRates; ++rate) {
        scopes->rateCount = counts[rate] > 0 ? rate + 1 : scopes->rateCount;
    }
}

void lb_pack_scopes(lbScopes* scopes, const int* skinNodes, int skinCount) {
    rate_all(scopes, skinNodes, skinCount);
    list_rows(scopes);
    list_nodes(scopes);
    for (int l = 0; l < scopes->set->hierarchy->levelCount; ++l) {
        lb_pack_level(scopes, &scopes->levels[l]);
    }
}
