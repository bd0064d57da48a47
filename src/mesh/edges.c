/* Which nodes of a mesh are joined, to be shown. */
#include "base/result.h"
#include "mesh/mesh.h"

static void write_edges(const lbSpring* springs, int springCount, int* edges, int capacity) {
    for (int i = 0; i < int_min(springCount, capacity); ++i) {
        edges[2 * (size_t)i] = springs[i].a;
        edges[2 * (size_t)i + 1] = springs[i].b;
    }
}

/* Neighbours share edges: all of them as springs, merged. */
static lbResult list_tet_edges(const lbMesh* mesh, int* edges, int capacity, int* count) {
    lbSpring* springs = LB_NEW(mesh->host, lbSpring, 6 * (int64_t)mesh->tetCount);
    if (springs == NULL) {
        return lb_out_of_memory("the edges of a mesh");
    }
    int edgeCount = 0;
    for (int t = 0; t < mesh->tetCount; ++t) {
        const int* node = mesh->tets[t].node;
        for (int a = 0; a < 4; ++a) {
            for (int b = a + 1; b < 4; ++b) {
                springs[edgeCount++] = (lbSpring){.a = node[a], .b = node[b]};
            }
        }
    }
    *count = lb_merge_springs(springs, edgeCount);
    write_edges(springs, *count, edges, capacity);
    lb_release(mesh->host, springs);
    return lb_success();
}

lbResult lb_list_edges(const lbMesh* mesh, int* edges, int capacity, int* count) {
    if (mesh->springCount == 0 && mesh->tetCount > 0) {
        return list_tet_edges(mesh, edges, capacity, count);
    }
    *count = mesh->springCount;
    write_edges(mesh->springs, mesh->springCount, edges, capacity);
    return lb_success();
}
