#include "matrix/node_graph.h"

#include "base/assert.h"
#include "base/math.h"
#include "base/result.h"
#include "matrix/slices.h"

#include <limits.h>

/* ---- Neighbours -------------------------------------------------------------------------------------------------- */

/* Every node of every element to each of its nodes, and each node to itself: `starts` has room for that first. */
static void list_neighbours(lbNodeGraph* graph, const lbElementList* list, int* lengths) {
    int n = list->nodesPerElement;
    for (int i = 0; i < graph->nodeCount; ++i) {
        graph->columns[graph->starts[i] + lengths[i]++] = i;
    }
    for (int i = 0; i < list->elementCount * n; ++i) {
        const int* node = list->nodes + (size_t)(i / n) * (size_t)n;
        for (int k = 0; k < n; ++k) {
            graph->columns[graph->starts[node[i % n]] + lengths[node[i % n]]++] = node[k];
        }
    }
    int total = 0;
    for (int i = 0; i < graph->nodeCount; ++i) {
        int begin = graph->starts[i];
        lengths[i] = lb_tidy_row(graph->columns + begin, lengths[i]);
        graph->starts[i] = total;
        for (int k = 0; k < lengths[i]; ++k) {
            graph->columns[total++] = graph->columns[begin + k];
        }
    }
    graph->starts[graph->nodeCount] = total;
}

/* lengths: (nodeCount) zeros, then how many each node has. */
static lbResult find_neighbours(lbNodeGraph* graph, const lbElementList* list, int* lengths) {
    int n = list->nodesPerElement;
    int64_t room = graph->nodeCount + (int64_t)list->elementCount * n * n;
    graph->starts = LB_NEW(graph->host, int, (int64_t)graph->nodeCount + 1);
    graph->columns = room <= INT_MAX ? LB_NEW(graph->host, int, room) : NULL;
    if (graph->starts == NULL || graph->columns == NULL) {
        return lb_out_of_memory("neighbours of nodes");
    }
    for (int i = 0; i < list->elementCount * n; ++i) {
        graph->starts[list->nodes[i] + 1] += n;
    }
    for (int i = 0; i < graph->nodeCount; ++i) {
        graph->starts[i + 1] += graph->starts[i] + 1;
    }
    list_neighbours(graph, list, lengths);
    return lb_success();
}

int lb_neighbour_index(const lbNodeGraph* graph, int node, int neighbour) {
    int low = graph->starts[node], high = graph->starts[node + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (graph->columns[middle] < neighbour) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    LB_ASSERT(graph->columns[low] == neighbour);
    return low;
}

/* ---- Slices ------------------------------------------------------------------------------------------------------ */

static void fill_slices(lbNodeGraph* graph) {
    for (int i = 0; i < graph->sliceCount * LB_LANES; ++i) {
        int row = graph->rows[i], begin = graph->sliceStarts[i / LB_LANES], end = graph->sliceStarts[i / LB_LANES + 1];
        int count = row >= 0 ? graph->starts[row + 1] - graph->starts[row] : 0;
        for (int entry = begin; entry < end; ++entry) {
            int place = entry * LB_LANES + i % LB_LANES;
            graph->offsets[place] = graph->own[i];
            if (entry - begin < count) {
                int index = graph->starts[row] + entry - begin;
                graph->offsets[place] = 4 * (lbNodeOffset)graph->columns[index];
                graph->places[index] = place;
            }
        }
    }
}

static lbResult pack_slices(lbNodeGraph* graph, const int* lengths) {
    const lbHost* host = graph->host;
    graph->sliceCount = lb_slice_count(graph->nodeCount);
    int64_t lanes = (int64_t)graph->sliceCount * LB_LANES;
    graph->sliceStarts = LB_NEW(host, int, (int64_t)graph->sliceCount + 1);
    graph->rows = LB_NEW(host, int, lanes);
    graph->own = LB_NEW(host, lbNodeOffset, lanes);
    graph->places = LB_NEW(host, int, graph->starts[graph->nodeCount]);
    if (graph->sliceStarts == NULL || graph->rows == NULL || graph->own == NULL || graph->places == NULL) {
        return lb_out_of_memory("neighbours of nodes");
    }
    lb_sort_rows(graph->nodeCount, lengths, graph->rows, graph->own);
    for (int s = 0; s < graph->sliceCount; ++s) {
        int longest = graph->rows[s * LB_LANES]; /* the first lane's row is */
        graph->sliceStarts[s + 1] = graph->sliceStarts[s] + lengths[longest];
    }
    graph->entryCount = graph->sliceStarts[graph->sliceCount];
    graph->offsets = LB_NEW(host, lbNodeOffset, (int64_t)graph->entryCount * LB_LANES);
    if (graph->offsets == NULL) {
        return lb_out_of_memory("neighbours of nodes");
    }
    fill_slices(graph);
    return lb_success();
}

lbResult lb_create_node_graph(const lbHost* host, int nodeCount, const lbElementList* list, lbNodeGraph** graph) {
    *graph = NULL;
    lbNodeGraph* made = LB_NEW(host, lbNodeGraph, 1);
    int* lengths = LB_NEW(host, int, nodeCount);
    lbResult result = made != NULL && lengths != NULL ? lb_success() : lb_out_of_memory("neighbours of nodes");
    if (made != NULL) {
        *made = (lbNodeGraph){.host = host, .nodeCount = nodeCount};
    }
    if (result.code == lb_ok) {
        result = find_neighbours(made, list, lengths);
    }
    if (result.code == lb_ok) {
        result = pack_slices(made, lengths);
    }
    lb_release(host, lengths);
    if (result.code != lb_ok) {
        lb_destroy_node_graph(made);
        return result;
    }
    *graph = made;
    return lb_success();
}

void lb_destroy_node_graph(lbNodeGraph* graph) {
    if (graph == NULL) {
        return;
    }
    const lbHost* host = graph->host;
    void* arrays[] = {graph->starts, graph->columns, graph->sliceStarts, graph->rows,
                      graph->own,    graph->offsets, graph->places};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i) {
        lb_release(host, arrays[i]);
    }
    lb_release(host, graph);
}
