/* Masses of active nodes. Those of the finest level's nodes are handed to coarser ones by their rows, but none is taken
 * from where a row continues outwards, so that all stay positive.
 *
 * Where a whole neighbourhood is covered its masses are always the same, and baked. So what is handed on in a mixed
 * state is not masses but what they lack: the masses of nodes that are not covered, and of those beside them. */
#include "adapt/active.h"

#include <string.h>

/* Shares of a row without those that are negative; their sum. */
static double shares_of(const lbLink* row, double shares[4]) {
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
        shares[k] = fmax(0, (double)row->weight[k]);
        sum += shares[k];
    }
    return sum;
}

static void hand_on(const lbLink* row, double amount, double* masses) {
    double shares[4], sum = shares_of(row, shares);
    for (int k = 0; k < 4; ++k) {
        masses[row->node[k]] += shares[k] / sum * amount;
    }
}

void lb_bake_masses(const lbHierarchy* hierarchy, double* masses) {
    memset(masses, 0, (size_t)hierarchy->levels[hierarchy->levelCount - 1].first * sizeof(double));
    for (int i = hierarchy->nodeCount - 1; i >= hierarchy->levels[0].nodeCount; --i) {
        hand_on(&hierarchy->up[i], masses[i], masses);
    }
}

/* Whether eight nodes from here on are all covered, and lack nothing. */
static bool eight_are_idle(const uint8_t* status, const uint8_t* lacks) {
    uint64_t a, b;
    memcpy(&a, status, sizeof(a));
    memcpy(&b, lacks, sizeof(b));
    return (a | b) == 0;
}

static void find_lacks(const lbActiveSet* set, const double* baked, lbMassScratch* scratch) {
    const lbHierarchy* hierarchy = set->hierarchy;
    for (int l = hierarchy->levelCount - 1; l > 0; --l) {
        int end = hierarchy->levels[l].first + hierarchy->levels[l].nodeCount;
        for (int i = hierarchy->levels[l].first; i < end; ++i) {
            while (i + 8 <= end && eight_are_idle(set->status + i, scratch->lacks + i)) {
                i += 8;
            }
            bool covered = i < end && set->status[i] == lb_nodeCovered;
            if (i >= end || (covered && !scratch->lacks[i])) {
                continue;
            }
            const lbLink* up = &hierarchy->up[i];
            hand_on(up, covered ? scratch->lack[i] : baked[i], scratch->lack);
            for (int k = 0; k < 4; ++k) {
                scratch->lacks[up->node[k]] = 1;
            }
        }
    }
}

/* Retired nodes give what they still have to finer ones. */
static void hand_down(const lbActiveSet* set, const double* baked, double* masses) {
    const lbHierarchy* hierarchy = set->hierarchy;
    for (int i = 0; i < hierarchy->levels[hierarchy->levelCount - 1].first; ++i) {
        if (set->status[i] == lb_nodeRetired) {
            if (masses[i] > 1e-12 * baked[i]) { /* less is rounding */
                hand_on(&hierarchy->home[i], masses[i], masses);
            }
            masses[i] = 0;
        }
    }
}

void lb_find_masses(const lbActiveSet* set, const double* baked, lbMassScratch* scratch, double* masses) {
    int count = set->hierarchy->nodeCount;
    find_lacks(set, baked, scratch);
    for (int i = 0; i < count; ++i) {
        bool stays = set->status[i] != lb_nodeCovered;
        masses[i] = stays ? baked[i] - scratch->lack[i] : 0;
    }
    for (int i = 0; i < set->hierarchy->levels[set->hierarchy->levelCount - 1].first; ++i) {
        scratch->lack[i] = 0;
        scratch->lacks[i] = 0;
    }
    hand_down(set, baked, masses);
}
