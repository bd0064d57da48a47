/* Which nodes of a mesh are joined, to be shown. */
#include "base/result.h"
#include "mesh/mesh.h"
#include "mesh/tet_edges.h"

#include <string.h>

static lbResult list_tet_edges(const lbMesh* mesh, int* edges, int capacity, int* count) {
    int* nodes = LB_NEW(mesh->host, int, 4 * (int64_t)mesh->tetCount);
    if (nodes == NULL) {
        return lb_out_of_memory("the edges of a mesh");
    }
    for (int t = 0; t < mesh->tetCount; ++t) {
        memcpy(nodes + 4 * (size_t)t, mesh->tets[t].node, sizeof(mesh->tets[t].node));
    }
    lbEdgeList list;
    lbResult result = lb_find_edges(mesh->host, nodes, mesh->tetCount, 4, &list);
    for (int i = 0; i < int_min(list.count, capacity); ++i) {
        edges[2 * (size_t)i] = list.edges[i].a;
        edges[2 * (size_t)i + 1] = list.edges[i].b;
    }
    *count = list.count;
    lb_free_edges(&list);
    lb_release(mesh->host, nodes);
    return result;
}

/* The twelve of each hexahedron, every one once. */
static lbResult list_hex_edges(const lbMesh* mesh, int* edges, int capacity, int* count) {
    lbSpring* all = LB_NEW(mesh->host, lbSpring, 12 * (int64_t)mesh->hexCount);
    if (all == NULL) {
        return lb_out_of_memory("the edges of a mesh");
    }
    *count = 0;
    for (int h = 0; h < mesh->hexCount; ++h) {
        for (int k = 0; k < 24; ++k) {
            int corner = k / 3, other = corner | 1 << k % 3;
            if (corner != other) {
                int a = mesh->hexes[h].node[corner], b = mesh->hexes[h].node[other];
                all[(*count)++] = (lbSpring){.a = int_min(a, b), .b = int_max(a, b), .restScale = 1};
            }
        }
    }
    lbResult result = lb_merge_springs(mesh->host, all, count);
    for (int i = 0; result.code == lb_ok && i < int_min(*count, capacity); ++i) {
        edges[2 * (size_t)i] = all[i].a;
        edges[2 * (size_t)i + 1] = all[i].b;
    }
    lb_release(mesh->host, all);
    return result;
}

lbResult lb_list_edges(const lbMesh* mesh, int* edges, int capacity, int* count) {
    if (mesh->hexCount > 0) {
        return list_hex_edges(mesh, edges, capacity, count);
    }
    if (mesh->springCount == 0 && mesh->tetCount > 0) {
        return list_tet_edges(mesh, edges, capacity, count);
    }
    for (int i = 0; i < int_min(mesh->springCount, capacity); ++i) {
        edges[2 * (size_t)i] = mesh->springs[i].a;
        edges[2 * (size_t)i + 1] = mesh->springs[i].b;
    }
    *count = mesh->springCount;
    return lb_success();
}
