/* Which nodes share an element with which, and numbers for each two of them, laid out for products.
 *
 * As in block_matrix.h, LB_LANES rows lie side by side: a *slice*; an *entry* is one number of each of them. Rows are
 * sorted by length within a chunk of matrixChunk nodes, so that the rows of a slice are of about one length. */
#ifndef LIMBER_SRC_NODE_GRAPH_H
#define LIMBER_SRC_NODE_GRAPH_H

#include "base/element_list.h"
#include "base/memory.h"
#include "base/node_offset.h"

typedef struct lbNodeGraph {
    const lbHost* host;
    int nodeCount;
    int* starts;  /* (nodeCount + 1) first of each node's neighbours */
    int* columns; /* (starts[nodeCount]) neighbours of each node, ascending, itself included */

    int sliceCount, entryCount;
    int* sliceStarts;  /* (sliceCount + 1) first entry of each slice */
    int* rows;         /* (sliceCount x LB_LANES) which node is in which lane; -1: none */
    lbNodeOffset* own; /* (sliceCount x LB_LANES) where it is in a node vector; lanes without one have the first's */
    lbNodeOffset* offsets; /* (entryCount x LB_LANES) where the neighbour is; entries that pad a row have its own */
    int* places;           /* (starts[nodeCount]) entry x LB_LANES + lane of each neighbour */
} lbNodeGraph;

/* Of nodes that share an element of the list. */
lbResult lb_create_node_graph(const lbHost* host, int nodeCount, const lbElementList* list, lbNodeGraph** graph);
void lb_destroy_node_graph(lbNodeGraph* graph);

/* Index of a neighbour, which must be one, in `columns` and `places`. */
int lb_neighbour_index(const lbNodeGraph* graph, int node, int neighbour);

#endif
