/* Disjoint sets of the numbers 0 to count - 1, each with its lowest member as its root, whatever the order of joining.
 */
#ifndef LIMBER_SRC_DISJOINT_SETS_H
#define LIMBER_SRC_DISJOINT_SETS_H

#include "base/math.h"

static inline void lb_start_sets(int* parents, int count) {
    for (int i = 0; i < count; ++i) {
        parents[i] = i;
    }
}

/* The root of the set that holds `item`. */
static inline int lb_find_set(int* parents, int item) {
    while (parents[item] != item) {
        parents[item] = parents[parents[item]];
        item = parents[item];
    }
    return item;
}

static inline void lb_join_sets(int* parents, int left, int right) {
    int p = lb_find_set(parents, left), q = lb_find_set(parents, right);
    parents[int_max(p, q)] = int_min(p, q);
}

#endif
