#include "matrix/node_graph.h"

#include "base/assert.h"
#include "base/math.h"
#include "base/result.h"
#include "matrix/block_matrix.h"

#include <limits.h>
#include <stdlib.h>

/* ---- Neighbours -------------------------------------------------------------------------------------------------- */

static int compare_ints(const void* left, const void* right) {
    int a = *(const int*)left, b = *(const int*)right;
    return (a > b) - (a < b);
}

/* Sorts a row and leaves out what comes twice; returns how many are left. */
static int tidy_row(int* row, int count) {
    qsort(row, (size_t)count, sizeof(int), compare_ints);
    int kept = 0;
    for (int k = 0; k < count; ++k) {
        if (k == 0 || row[k] != row[k - 1]) {
            row[kept++] = row[k];
        }
    }
    return kept;
}

/* Every node of every element to each of its nodes, and each node to itself: `starts` has room for that first. */
static void list_neighbours(lbNodeGraph* graph, const lbElementList* list, int* ends) {
    int n = list->nodesPerElement;
    for (int i = 0; i < graph->nodeCount; ++i) {
        graph->columns[graph->starts[i] + ends[i]++] = i;
    }
    for (int i = 0; i < list->elementCount * n; ++i) {
        const int* node = list->nodes + (size_t)(i / n) * (size_t)n;
        for (int k = 0; k < n; ++k) {
            graph->columns[graph->starts[node[i % n]] + ends[node[i % n]]++] = node[k];
        }
    }
    int total = 0;
    for (int i = 0; i < graph->nodeCount; ++i) {
        int begin = graph->starts[i], count = tidy_row(graph->columns + begin, ends[i]);
        graph->starts[i] = total;
        for (int k = 0; k < count; ++k) {
            graph->columns[total++] = graph->columns[begin + k];
        }
    }
    graph->starts[graph->nodeCount] = total;
}

static lbResult find_neighbours(lbNodeGraph* graph, const lbElementList* list) {
    int n = list->nodesPerElement;
    int64_t room = graph->nodeCount + (int64_t)list->elementCount * n * n;
    graph->starts = LB_NEW(graph->host, int, (int64_t)graph->nodeCount + 1);
    graph->columns = room <= INT_MAX ? LB_NEW(graph->host, int, room) : NULL;
    int* ends = LB_NEW(graph->host, int, graph->nodeCount);
    if (graph->starts == NULL || graph->columns == NULL || ends == NULL) {
        lb_release(graph->host, ends);
        return lb_out_of_memory("neighbours of nodes");
    }
    for (int i = 0; i < list->elementCount * n; ++i) {
        graph->starts[list->nodes[i] + 1] += n;
    }
    for (int i = 0; i < graph->nodeCount; ++i) {
        graph->starts[i + 1] += graph->starts[i] + 1;
    }
    list_neighbours(graph, list, ends);
    lb_release(graph->host, ends);
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

typedef struct SortedRow {
    int length, row;
} SortedRow;

static int compare_rows(const void* left, const void* right) {
    const SortedRow *p = left, *q = right;
    return p->length != q->length ? q->length - p->length : p->row - q->row;
}

static void sort_rows(lbNodeGraph* graph) {
    for (int begin = 0; begin < graph->nodeCount; begin += matrixChunk) {
        SortedRow sorted[matrixChunk];
        int count = int_min(matrixChunk, graph->nodeCount - begin);
        for (int i = 0; i < count; ++i) {
            sorted[i] = (SortedRow){graph->starts[begin + i + 1] - graph->starts[begin + i], begin + i};
        }
        qsort(sorted, (size_t)count, sizeof(SortedRow), compare_rows);
        for (int i = 0; i < count; ++i) {
            graph->rows[begin + i] = sorted[i].row;
        }
    }
    for (int i = 0; i < graph->sliceCount * LB_LANES; ++i) {
        graph->rows[i] = i < graph->nodeCount ? graph->rows[i] : -1;
        graph->own[i] = 4 * (lbNodeOffset)graph->rows[i < graph->nodeCount ? i : i - i % LB_LANES];
    }
}

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

static lbResult pack_slices(lbNodeGraph* graph) {
    const lbHost* host = graph->host;
    graph->sliceCount = (graph->nodeCount + LB_LANES - 1) / LB_LANES;
    int64_t lanes = (int64_t)graph->sliceCount * LB_LANES;
    graph->sliceStarts = LB_NEW(host, int, (int64_t)graph->sliceCount + 1);
    graph->rows = LB_NEW(host, int, lanes);
    graph->own = LB_NEW(host, lbNodeOffset, lanes);
    graph->places = LB_NEW(host, int, graph->starts[graph->nodeCount]);
    if (graph->sliceStarts == NULL || graph->rows == NULL || graph->own == NULL || graph->places == NULL) {
        return lb_out_of_memory("neighbours of nodes");
    }
    sort_rows(graph);
    for (int s = 0; s < graph->sliceCount; ++s) {
        int longest = graph->rows[s * LB_LANES]; /* the first lane's row is */
        graph->sliceStarts[s + 1] = graph->sliceStarts[s] + graph->starts[longest + 1] - graph->starts[longest];
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
    if (made == NULL) {
        return lb_out_of_memory("neighbours of nodes");
    }
    *made = (lbNodeGraph){.host = host, .nodeCount = nodeCount};
    lbResult result = find_neighbours(made, list);
    if (result.code == lb_ok) {
        result = pack_slices(made);
    }
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
