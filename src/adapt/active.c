#include "adapt/active.h"

#include "base/result.h"

#include <string.h>

lbResult lb_create_active_set(const lbHierarchy* hierarchy, lbActiveSet* set) {
    *set = (lbActiveSet){.hierarchy = hierarchy,
                         .status = LB_NEW(hierarchy->host, uint8_t, hierarchy->nodeCount),
                         .queue = LB_NEW(hierarchy->host, int, hierarchy->nodeCount)};
    if (set->status == NULL || set->queue == NULL) {
        return lb_out_of_memory("an adaptive body");
    }
    lb_activate_level(set, 0);
    return lb_success();
}

void lb_release_active_set(lbActiveSet* set) {
    if (set->hierarchy != NULL) {
        lb_release(set->hierarchy->host, set->status);
        lb_release(set->hierarchy->host, set->queue);
    }
    *set = (lbActiveSet){0};
}

static void set_status(lbActiveSet* set, int node, lbNodeStatus status) {
    int change = (status == lb_nodeActive) - (set->status[node] == lb_nodeActive);
    set->status[node] = (uint8_t)status;
    set->activeCount += change;
    set->levelCounts[set->hierarchy->levelOf[node]] += change;
}

/* Nodes without a child stay active on their own level: nothing finer can stand for them. */
void lb_activate_level(lbActiveSet* set, int level) {
    const lbHierarchy* hierarchy = set->hierarchy;
    for (int i = 0; i < hierarchy->nodeCount; ++i) {
        int parent = hierarchy->parent[i];
        bool shown = parent >= 0 && set->status[parent] != lb_nodeRetired;
        bool leaf = hierarchy->levelOf[i] >= level || lb_child_count(hierarchy, i) == 0;
        set_status(set, i, shown ? lb_nodeCovered : leaf ? lb_nodeActive : lb_nodeRetired);
    }
}

void lb_recount_active(lbActiveSet* set) {
    set->activeCount = 0;
    memset(set->levelCounts, 0, sizeof(set->levelCounts));
    for (int i = 0; i < set->hierarchy->nodeCount; ++i) {
        set->activeCount += lb_is_active(set, i);
        set->levelCounts[set->hierarchy->levelOf[i]] += lb_is_active(set, i);
    }
}

lbVec3 lb_value_at(const lbActiveSet* set, int node, const float* q) {
    if (lb_is_active(set, node)) {
        return vec3_load(q + 4 * (size_t)node);
    }
    const lbLink* row = lb_row_of(set, node);
    lbVec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        sum = vec3_madd(sum, row->weight[k], lb_value_at(set, row->node[k], q));
    }
    return sum;
}

int lb_active_ancestor(const lbActiveSet* set, int node) {
    while (set->status[node] == lb_nodeCovered) {
        node = set->hierarchy->parent[node];
    }
    return node;
}

/* ---- Splitting --------------------------------------------------------------------------------------------------- */

/* A node that must be split before this one can be; -1: none. */
static int find_obstacle(const lbActiveSet* set, int node) {
    const lbHierarchy* hierarchy = set->hierarchy;
    for (int k = hierarchy->neighbourStarts[node]; k < hierarchy->neighbourStarts[node + 1]; ++k) {
        if (set->status[hierarchy->neighbours[k]] == lb_nodeCovered) {
            return lb_active_ancestor(set, hierarchy->neighbours[k]);
        }
    }
    for (int k = 0; k < 4; ++k) {
        int owner = hierarchy->parent[hierarchy->home[node].node[k]];
        if (set->status[owner] == lb_nodeCovered) {
            return lb_active_ancestor(set, owner);
        }
    }
    return -1;
}

static bool contains(const int* list, int count, int item) {
    for (int i = 0; i < count; ++i) {
        if (list[i] == item) {
            return true;
        }
    }
    return false;
}

/* The nodes that can only be split together: corners of homes must not stay covered. Writes them to `list`, and
 * returns how many there are; sets an obstacle if one of them has one. */
static int gather_companions(const lbActiveSet* set, int node, int* list, int* obstacle) {
    const lbHierarchy* hierarchy = set->hierarchy;
    int count = 1;
    list[0] = node;
    *obstacle = -1;
    for (int i = 0; i < count && *obstacle < 0; ++i) {
        *obstacle = find_obstacle(set, list[i]);
        for (int k = 0; k < 4 && *obstacle < 0; ++k) {
            int owner = hierarchy->parent[hierarchy->home[list[i]].node[k]];
            if (lb_is_active(set, owner) && !contains(list, count, owner)) {
                if (count == lb_mostTogether) {
                    return 0;
                }
                list[count++] = owner;
            }
        }
    }
    return count;
}

static int children_of_all(const lbActiveSet* set, const int* list, int count) {
    int children = 0;
    for (int i = 0; i < count; ++i) {
        children += lb_child_count(set->hierarchy, list[i]);
    }
    return children;
}

static void store_value(const lbActiveSet* set, int node, float* q) {
    if (q != NULL) {
        vec3_store(q + 4 * (size_t)node, lb_value_at(set, node, q));
    }
}

static lbVec3d rest_of(const lbHierarchy* hierarchy, int node) {
    const lbMeshLevel* level = &hierarchy->levels[hierarchy->levelOf[node]];
    return level->mesh->nodes[node - level->first];
}

/* The mean gradient around a node, applied to a direction. */
static lbVec3 slope_along(const lbActiveSet* set, int node, lbVec3 direction, const float* q) {
    const lbHierarchy* hierarchy = set->hierarchy;
    lbVec3 own = lb_value_at(set, node, q), sum = {0, 0, 0};
    for (int k = hierarchy->neighbourStarts[node]; k < hierarchy->neighbourStarts[node + 1]; ++k) {
        lbVec3 other = lb_value_at(set, hierarchy->neighbours[k], q);
        sum = vec3_madd(sum, vec3_dot(hierarchy->slopes[k], direction), vec3_sub(other, own));
    }
    return sum;
}

/* A child's first value: not on the linear field of the coarse element, whose kinks would set the finer level
 * trembling, but on a quadratic one through the coarse nodes with the gradients around them:
 *
 *   q(X) = sum_j w_j (q_j + 1/2 G_j (X - X_j)),  exact for quadratic fields where G_j is. */
static void store_smooth_value(const lbActiveSet* set, int node, float* q) {
    const lbLink* up = &set->hierarchy->up[node];
    lbVec3 sum = {0, 0, 0};
    if (q == NULL) {
        return;
    }
    for (int k = 0; k < 4; ++k) {
        lbVec3 way = vec3_from(vec3d_sub(rest_of(set->hierarchy, node), rest_of(set->hierarchy, up->node[k])));
        if (up->weight[k] != 0) {
            lbVec3 value = vec3_madd(lb_value_at(set, up->node[k], q), 0.5f, slope_along(set, up->node[k], way, q));
            sum = vec3_madd(sum, up->weight[k], value);
        }
    }
    vec3_store(q + 4 * (size_t)node, sum);
}

static void retire(lbActiveSet* set, lbNodeState state, const int* list, int count) {
    const lbHierarchy* hierarchy = set->hierarchy;
    for (int pass = 0; pass < 2; ++pass) { /* all values before the first change */
        for (int i = 0; i < count; ++i) {
            for (int k = hierarchy->childStarts[list[i]]; k < hierarchy->childStarts[list[i] + 1]; ++k) {
                if (pass == 0) {
                    store_smooth_value(set, hierarchy->children[k], state.x);
                    store_smooth_value(set, hierarchy->children[k], state.v);
                } else {
                    set_status(set, hierarchy->children[k], lb_nodeActive);
                }
            }
            if (pass == 1) {
                set_status(set, list[i], lb_nodeRetired);
            }
        }
    }
}

/* What a split needs, and what stands in its way, first of all: at most one node for each level. */
static int find_split(const lbActiveSet* set, int node, int* list) {
    for (int tries = 0; tries <= lb_mostLevels * lb_mostTogether; ++tries) {
        int obstacle;
        if (!lb_is_active(set, node) || lb_child_count(set->hierarchy, node) == 0) {
            return 0;
        }
        int count = gather_companions(set, node, list, &obstacle);
        if (obstacle < 0) {
            return count;
        }
        node = obstacle;
    }
    return 0;
}

int lb_split_growth(const lbActiveSet* set, int node) {
    int list[lb_mostTogether];
    int count = find_split(set, node, list);
    return children_of_all(set, list, count) - count;
}

int lb_split(lbActiveSet* set, lbNodeState state, int node, int mostNodes) {
    int list[lb_mostTogether];
    int count = find_split(set, node, list);
    if (count == 0 || set->activeCount + children_of_all(set, list, count) - count > mostNodes) {
        return 0;
    }
    retire(set, state, list, count);
    return count;
}

/* ---- Merging ----------------------------------------------------------------------------------------------------- */

/* Whether a retired node's children can be covered, as far as finer nodes are concerned. */
static bool has_plain_children(const lbActiveSet* set, int node) {
    const lbHierarchy* hierarchy = set->hierarchy;
    for (int c = hierarchy->childStarts[node]; c < hierarchy->childStarts[node + 1]; ++c) {
        int child = hierarchy->children[c];
        if (!lb_is_active(set, child)) {
            return false;
        }
        for (int k = hierarchy->neighbourStarts[child]; k < hierarchy->neighbourStarts[child + 1]; ++k) {
            if (set->status[hierarchy->neighbours[k]] == lb_nodeRetired) {
                return false;
            }
        }
    }
    return true;
}

/* Retired nodes whose homes have some of its children. Returns how many there are then; 0: too many. */
static int add_guests(const lbActiveSet* set, int node, int* list, int count) {
    const lbHierarchy* hierarchy = set->hierarchy;
    for (int c = hierarchy->childStarts[node]; c < hierarchy->childStarts[node + 1]; ++c) {
        int child = hierarchy->children[c];
        for (int k = hierarchy->guestStarts[child]; k < hierarchy->guestStarts[child + 1]; ++k) {
            int guest = hierarchy->guests[k];
            if (set->status[guest] == lb_nodeRetired && !contains(list, count, guest)) {
                if (count == lb_mostTogether) {
                    return 0;
                }
                list[count++] = guest;
            }
        }
    }
    return count;
}

int lb_find_merge(const lbActiveSet* set, int node, int* list) {
    int count = 1;
    list[0] = node;
    if (set->status[node] != lb_nodeRetired) {
        return 0;
    }
    for (int i = 0; i < count; ++i) {
        count = has_plain_children(set, list[i]) ? add_guests(set, list[i], list, count) : 0;
    }
    return count;
}

void lb_merge(lbActiveSet* set, lbNodeState state, const int* list, int count) {
    const lbHierarchy* hierarchy = set->hierarchy;
    for (int i = 0; i < count; ++i) { /* all values before the first change */
        store_value(set, list[i], state.x);
        store_value(set, list[i], state.v);
    }
    for (int i = 0; i < count; ++i) {
        for (int c = hierarchy->childStarts[list[i]]; c < hierarchy->childStarts[list[i] + 1]; ++c) {
            set_status(set, hierarchy->children[c], lb_nodeCovered);
        }
        set_status(set, list[i], lb_nodeActive);
    }
}

/* ---- What must hold ---------------------------------------------------------------------------------------------- */

static const char* find_flaw_at(const lbActiveSet* set, int node) {
    const lbHierarchy* hierarchy = set->hierarchy;
    int parent = hierarchy->parent[node];
    lbNodeStatus status = (lbNodeStatus)set->status[node];
    bool hidden = parent >= 0 && set->status[parent] != lb_nodeRetired;
    if (hidden != (status == lb_nodeCovered)) {
        return "the active nodes are not a cut through the forest of parents";
    }
    if (status != lb_nodeRetired) {
        return NULL;
    }
    if (lb_child_count(hierarchy, node) == 0) {
        return "a node without children is retired";
    }
    for (int k = hierarchy->neighbourStarts[node]; k < hierarchy->neighbourStarts[node + 1]; ++k) {
        if (set->status[hierarchy->neighbours[k]] == lb_nodeCovered) {
            return "levels that meet differ by more than one";
        }
    }
    for (int k = 0; k < 4; ++k) {
        if (set->status[hierarchy->home[node].node[k]] == lb_nodeCovered) {
            return "a corner of a retired node's home is covered";
        }
    }
    return NULL;
}

const char* lb_find_flaw(const lbActiveSet* set) {
    int active = 0;
    for (int i = 0; i < set->hierarchy->nodeCount; ++i) {
        const char* flaw = find_flaw_at(set, i);
        if (flaw != NULL) {
            return flaw;
        }
        active += lb_is_active(set, i);
    }
    return active == set->activeCount ? NULL : "the number of active nodes is wrong";
}

/* ---- Sums over the whole ----------------------------------------------------------------------------------------- */

static void push_masses(const lbActiveSet* set, int level, lbNodeStatus status, double* masses) {
    const lbMeshLevel* at = &set->hierarchy->levels[level];
    for (int i = at->first; i < at->first + at->nodeCount; ++i) {
        if (set->status[i] != status) {
            continue;
        }
        const lbLink* row = lb_row_of(set, i);
        double sum = 0;
        for (int k = 0; k < 4; ++k) {
            sum += fmax(0, (double)row->weight[k]);
        }
        for (int k = 0; k < 4; ++k) {
            masses[row->node[k]] += fmax(0, (double)row->weight[k]) / sum * masses[i];
        }
        masses[i] = 0;
    }
}

void lb_push_all_masses(const lbActiveSet* set, double* masses) {
    for (int level = set->hierarchy->levelCount - 1; level > 0; --level) {
        push_masses(set, level, lb_nodeCovered, masses);
    }
    for (int level = 0; level + 1 < set->hierarchy->levelCount; ++level) {
        push_masses(set, level, lb_nodeRetired, masses);
    }
}

static void push_level(const lbActiveSet* set, int level, lbNodeStatus status, int width, double* numbers) {
    const lbMeshLevel* at = &set->hierarchy->levels[level];
    for (int i = at->first; i < at->first + at->nodeCount; ++i) {
        if (set->status[i] != status) {
            continue;
        }
        const lbLink* row = lb_row_of(set, i);
        for (int c = 0; c < width; ++c) {
            double* own = &numbers[(size_t)i * (size_t)width + (size_t)c];
            for (int k = 0; k < 4; ++k) {
                numbers[(size_t)row->node[k] * (size_t)width + (size_t)c] += (double)row->weight[k] * *own;
            }
            *own = 0;
        }
    }
}

void lb_push_all(const lbActiveSet* set, int width, double* numbers) {
    for (int level = set->hierarchy->levelCount - 1; level > 0; --level) {
        push_level(set, level, lb_nodeCovered, width, numbers);
    }
    for (int level = 0; level + 1 < set->hierarchy->levelCount; ++level) {
        push_level(set, level, lb_nodeRetired, width, numbers);
    }
}

static void pull_level(const lbActiveSet* set, int level, lbNodeStatus status, float* q) {
    const lbMeshLevel* at = &set->hierarchy->levels[level];
    for (int i = at->first; i < at->first + at->nodeCount; ++i) {
        if (set->status[i] == status) {
            const lbLink* row = lb_row_of(set, i);
            lbVec3 sum = {0, 0, 0};
            for (int k = 0; k < 4; ++k) {
                sum = vec3_madd(sum, row->weight[k], vec3_load(q + 4 * (size_t)row->node[k]));
            }
            vec3_store(q + 4 * (size_t)i, sum);
        }
    }
}

void lb_pull_all(const lbActiveSet* set, float* q) {
    for (int level = set->hierarchy->levelCount - 2; level >= 0; --level) {
        pull_level(set, level, lb_nodeRetired, q);
    }
    for (int level = 1; level < set->hierarchy->levelCount; ++level) {
        pull_level(set, level, lb_nodeCovered, q);
    }
}
