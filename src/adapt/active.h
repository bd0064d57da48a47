/* Which nodes of a hierarchy are simulated (Debunne and others 2000, section 3; 2001, section 4).
 *
 * A node is *active* (it has mass, feels forces, moves), *retired* (its children, or theirs, are active in its place)
 * or *covered* (its parent, or the parent's, is active in its place): the active nodes are a cut through the forest of
 * parents. Nodes that are not active have no state of their own. Their value is a sum over four others, their *row*:
 *
 *   retired   the corners of the node's home, of the finer level; none of them is covered
 *   covered   the corners of the element that holds the node, of the coarser level
 *
 * so that rows of retired nodes end at active ones by going finer, then those of covered nodes by going coarser: no
 * row leads back to its own node. Values go out in that order (lb_pull), forces, masses and loads come back in the
 * opposite one (lb_push): the transpose, exactly. */
#ifndef LIMBER_SRC_ACTIVE_H
#define LIMBER_SRC_ACTIVE_H

#include "adapt/hierarchy.h"

typedef enum lbNodeStatus { lb_nodeCovered, lb_nodeActive, lb_nodeRetired } lbNodeStatus;

typedef struct lbActiveSet {
    const lbHierarchy* hierarchy;
    uint8_t* status; /* (nodeCount) lbNodeStatus */
    int activeCount, levelCounts[lb_mostLevels];
    int* queue; /* (nodeCount) scratch of lb_split */
} lbActiveSet;

/* The coarsest level is active. */
lbResult lb_create_active_set(const lbHierarchy* hierarchy, lbActiveSet* set);
void lb_release_active_set(lbActiveSet* set);
void lb_activate_level(lbActiveSet* set, int level); /* all of one level */
void lb_recount_active(lbActiveSet* set);            /* after statuses were set from outside */

static inline bool lb_is_active(const lbActiveSet* set, int node) {
    return set->status[node] == lb_nodeActive;
}

/* Of a node that is not active. */
static inline const lbLink* lb_row_of(const lbActiveSet* set, int node) {
    return set->status[node] == lb_nodeRetired ? &set->hierarchy->home[node] : &set->hierarchy->up[node];
}

/* The value of any node, from active ones alone: q is (nodeCount x 4). */
lbVec3 lb_value_at(const lbActiveSet* set, int node, const float* q);

/* The active node on the way from a covered one to its root. */
int lb_active_ancestor(const lbActiveSet* set, int node);

/* ---- Changes ----------------------------------------------------------------------------------------------------
 *
 * Two rules hold at all times. A retired node has no covered neighbour (levels that meet differ by one at most), and no
 * covered corner of its home. */

/* What changes when a node is split or merged: x and v of nodes that become active are those that they had before as
 * interpolated ones. */
typedef struct lbNodeState {
    float *x, *v; /* (nodeCount x 4); v may be NULL */
} lbNodeState;

/* So many nodes are split or merged together at most. */
enum { lb_mostTogether = 64 };

/* Splits an active node, and those that must be split with it, or first. Returns how many were split; 0: it cannot be
 * (it has no child), or more than `mostNodes` active nodes would come of it. */
int lb_split(lbActiveSet* set, lbNodeState state, int node, int mostNodes);
/* How many active nodes more a split would make, at most. */
int lb_split_growth(const lbActiveSet* set, int node);
/* The retired nodes that can only be merged together with this one, and it: their children make place for them. Returns
 * how many they are; 0: they cannot. `list` has room for lb_mostTogether. */
int lb_find_merge(const lbActiveSet* set, int node, int* list);
void lb_merge(lbActiveSet* set, lbNodeState state, const int* list, int count);

/* What is wrong with a set, for tests: NULL if nothing is. */
const char* lb_find_flaw(const lbActiveSet* set);

/* ---- Sums over the whole ----------------------------------------------------------------------------------------- */

/* Numbers of all nodes (nodeCount x width) handed to the active ones; those of others become 0. */
void lb_push_all(const lbActiveSet* set, int width, double* numbers);
/* Masses (nodeCount): as above, but none is taken from where a row continues outwards, so that all stay positive. */
void lb_push_all_masses(const lbActiveSet* set, double* masses);
/* The same, fast: `baked` are the masses that nodes have where all finer ones are covered (lb_bake_masses, from those
 * of the finest level). */
typedef struct lbMassScratch {
    double* lack;   /* (nodeCount) 0 between calls, as this: */
    uint8_t* lacks; /* (nodeCount) */
} lbMassScratch;
void lb_bake_masses(const lbHierarchy* hierarchy, double* masses);
void lb_find_masses(const lbActiveSet* set, const double* baked, lbMassScratch* scratch, double* masses);
/* Values of all nodes that are not active, (nodeCount x 4), from those that are. */
void lb_pull_all(const lbActiveSet* set, float* q);

#endif
