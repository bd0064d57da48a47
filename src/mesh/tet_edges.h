/* The edges of a list of triangles or tetrahedra, each once. */
#ifndef LIMBER_SRC_TET_EDGES_H
#define LIMBER_SRC_TET_EDGES_H

#include "base/math.h"
#include "base/memory.h"

typedef struct lbEdge {
    int a, b; /* a < b */
    int elementCount;
} lbEdge;

typedef struct lbEdgeList {
    const lbHost* host;
    int count;
    lbEdge* edges; /* (count) sorted by their ends */
} lbEdgeList;

/* `elements` is (elementCount x width); each pair of an element's nodes is an edge. */
lbResult lb_find_edges(const lbHost* host, const int* elements, int elementCount, int width, lbEdgeList* list);
void lb_free_edges(lbEdgeList* list);

#endif
