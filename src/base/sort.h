/* Sorting by whole numbers, in time linear in the count whatever the input. */
#ifndef LIMBER_SRC_SORT_H
#define LIMBER_SRC_SORT_H

#include "limber/base.h"

typedef struct lbKeyed {
    uint64_t key;
    int value;
} lbKeyed;

/* Ascending; equal keys keep their order, so that longer keys sort by their parts, the least first. Scratch holds
 * `count` items too. */
void lb_sort_keyed(lbKeyed* items, lbKeyed* scratch, int64_t count);

#endif
