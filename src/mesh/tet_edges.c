/* The edges of a list of triangles or tetrahedra, each once, by sorting. */
#include "mesh/tet_edges.h"

#include "base/result.h"
#include "base/sort.h"

lbResult lb_find_edges(const lbHost* host, const int* elements, int elementCount, int width, lbEdgeList* list) {
    *list = (lbEdgeList){.host = host};
    int64_t slotCount = (int64_t)elementCount * (width * (width - 1) / 2), slot = 0;
    lbKeyed* items = LB_NEW(host, lbKeyed, slotCount);
    lbKeyed* scratch = LB_NEW(host, lbKeyed, slotCount);
    bool complete = items != NULL && scratch != NULL;
    for (int i = 0; complete && i < elementCount; ++i) {
        const int* node = elements + (size_t)width * (size_t)i;
        for (int a = 0; a < width; ++a) {
            for (int b = a + 1; b < width; ++b) {
                uint64_t low = (uint64_t)int_min(node[a], node[b]), high = (uint64_t)int_max(node[a], node[b]);
                items[slot++] = (lbKeyed){low << 32 | high, i};
            }
        }
    }
    int64_t count = 0;
    if (complete) {
        lb_sort_keyed(items, scratch, slotCount);
        for (int64_t i = 0; i < slotCount; ++i) {
            count += i == 0 || items[i].key != items[i - 1].key;
        }
        list->edges = LB_NEW(host, lbEdge, count);
        complete = list->edges != NULL && count <= INT32_MAX;
    }
    for (int64_t i = 0; complete && i < slotCount; ++i) {
        if (i == 0 || items[i].key != items[i - 1].key) {
            list->edges[list->count++] = (lbEdge){(int)(items[i].key >> 32), (int)(items[i].key & 0xffffffff), 0};
        }
        ++list->edges[list->count - 1].elementCount;
    }
    lb_release(host, items);
    lb_release(host, scratch);
    if (!complete) {
        lb_free_edges(list);
        return lb_out_of_memory("the edges of a mesh");
    }
    return lb_success();
}

void lb_free_edges(lbEdgeList* list) {
    lb_release(list->host, list->edges);
    *list = (lbEdgeList){.host = list->host};
}
