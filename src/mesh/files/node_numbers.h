/* From the numbers that a file gives its nodes, which may begin anywhere and have gaps, to indices. */
#ifndef LIMBER_SRC_NODE_NUMBERS_H
#define LIMBER_SRC_NODE_NUMBERS_H

#include "base/sort.h"
#include "mesh/files/tet_file.h"

typedef struct lbNodeNumbers {
    int count;
    int64_t first;   /* the lowest number */
    lbKeyed* sorted; /* (count) by number; NULL where numbers follow one another, as they mostly do */
} lbNodeNumbers;

/* Fails if a number stands twice. */
lbResult lb_number_nodes(const lbTetFile* file, lbNodeNumbers* numbers);
void lb_free_node_numbers(const lbHost* host, lbNodeNumbers* numbers);
/* The index of a node; -1 if there is none of that number. */
int lb_find_node(const lbNodeNumbers* numbers, int64_t number);

#endif
