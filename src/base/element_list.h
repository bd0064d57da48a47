/* Elements as the nodes that each of them joins. */
#ifndef LIMBER_SRC_ELEMENT_LIST_H
#define LIMBER_SRC_ELEMENT_LIST_H

/* Elements of up to maxElementNodes nodes, given as (elementCount x nodesPerElement) node indices in an order that is
 * good for locality. */
typedef struct lbElementList {
    int elementCount, nodesPerElement;
    const int* nodes;
} lbElementList;

enum { maxElementNodes = 8 };

#endif
