/* Order for locality: neighbours in space become neighbours in memory. Nodes follow a Morton curve, elements follow
 * their nodes. Blocks of consecutive nodes are what threads share work by. */
#include "mesh/mesh.h"

#include "base/morton.h"
#include "base/result.h"

#include <stdlib.h>
#include <string.h>

/* Positions and forces of a block's nodes stay in a core's first cache while its elements are evaluated. */
enum { nodesPerBlock = 512 };

typedef struct SortedNode {
    uint64_t key;
    int node;
} SortedNode;

static int compare_nodes(const void* left, const void* right) {
    const SortedNode *p = left, *q = right;
    if (p->key != q->key) {
        return p->key < q->key ? -1 : 1;
    }
    return p->node < q->node ? -1 : 1;
}

static void sort_along_curve(const lbMesh* mesh, SortedNode* sorted) {
    lbVec3d lower = mesh->nodes[0], upper = mesh->nodes[0];
    for (int i = 1; i < mesh->nodeCount; ++i) {
        lbVec3d p = mesh->nodes[i];
        lower = vec3d(fmin(lower.x, p.x), fmin(lower.y, p.y), fmin(lower.z, p.z));
        upper = vec3d(fmax(upper.x, p.x), fmax(upper.y, p.y), fmax(upper.z, p.z));
    }
    lbVec3d size = vec3d_sub(upper, lower);
    double largest = fmax(fmax(size.x, size.y), fmax(size.z, 1e-300));
    double scale = ((1 << mortonBits) - 1) / largest;
    for (int i = 0; i < mesh->nodeCount; ++i) {
        lbVec3d p = vec3d_scale(scale, vec3d_sub(mesh->nodes[i], lower));
        sorted[i].key = morton_key((uint64_t)p.x, (uint64_t)p.y, (uint64_t)p.z);
        sorted[i].node = i;
    }
    qsort(sorted, (size_t)mesh->nodeCount, sizeof(SortedNode), compare_nodes);
}

static int lowest_node(const lbTet* tet) {
    return int_min(int_min(tet->node[0], tet->node[1]), int_min(tet->node[2], tet->node[3]));
}

static int compare_tets(const void* left, const void* right) {
    int p = lowest_node(left), q = lowest_node(right);
    return p != q ? (p < q ? -1 : 1) : memcmp(left, right, sizeof(int[4]));
}

static int lowest_corner(const lbHex* hex) {
    int lowest = hex->node[0];
    for (int k = 1; k < 8; ++k) {
        lowest = int_min(lowest, hex->node[k]);
    }
    return lowest;
}

static int compare_hexes(const void* left, const void* right) {
    int p = lowest_corner(left), q = lowest_corner(right);
    return p != q ? (p < q ? -1 : 1) : memcmp(left, right, sizeof(int[8]));
}

static lbResult renumber(lbMesh* mesh, const int* newIndex) {
    for (int i = 0; i < mesh->springCount; ++i) {
        mesh->springs[i].a = newIndex[mesh->springs[i].a];
        mesh->springs[i].b = newIndex[mesh->springs[i].b];
    }
    for (int i = 0; i < mesh->tetCount; ++i) {
        mesh->tets[i].number = i;
        for (int k = 0; k < 4; ++k) {
            mesh->tets[i].node[k] = newIndex[mesh->tets[i].node[k]];
        }
    }
    if (mesh->tetCount > 0) { /* a cloth has no array of them */
        qsort(mesh->tets, (size_t)mesh->tetCount, sizeof(lbTet), compare_tets);
    }
    for (int i = 0; i < mesh->hexCount; ++i) {
        mesh->hexes[i].number = i;
        for (int k = 0; k < 8; ++k) {
            mesh->hexes[i].node[k] = newIndex[mesh->hexes[i].node[k]];
        }
    }
    if (mesh->hexCount > 0) {
        qsort(mesh->hexes, (size_t)mesh->hexCount, sizeof(lbHex), compare_hexes);
    }
    for (int64_t i = 0; i < 3 * (int64_t)mesh->triangleCount; ++i) {
        mesh->triangles[i] = newIndex[mesh->triangles[i]];
    }
    for (int i = 0; i < mesh->hingeCount; ++i) {
        for (int k = 0; k < 2; ++k) {
            mesh->hinges[i].edge[k] = newIndex[mesh->hinges[i].edge[k]];
            mesh->hinges[i].wing[k] = newIndex[mesh->hinges[i].wing[k]];
        }
    }
    for (int64_t i = 0; i < (int64_t)mesh->skinPointCount * mesh->skinWidth; ++i) {
        mesh->skinNodes[i] = newIndex[mesh->skinNodes[i]];
    }
    return lb_merge_springs(mesh->host, mesh->springs, &mesh->springCount); /* puts them in order, too */
}

static bool cut_into_blocks(lbMesh* mesh) {
    mesh->blockCount = 1;
    while (mesh->blockCount < maxBlocks && mesh->nodeCount / mesh->blockCount > nodesPerBlock) {
        mesh->blockCount *= 2;
    }
    mesh->blockStarts = LB_NEW(mesh->host, int, mesh->blockCount + 1);
    if (mesh->blockStarts == NULL) {
        return false;
    }
    for (int b = 0; b <= mesh->blockCount; ++b) {
        mesh->blockStarts[b] = (int)((int64_t)mesh->nodeCount * b / mesh->blockCount);
    }
    return true;
}

lbResult lb_order_mesh(lbMesh* mesh) {
    const lbHost* host = mesh->host;
    SortedNode* sorted = LB_NEW(host, SortedNode, mesh->nodeCount);
    int* newIndex = LB_NEW(host, int, mesh->nodeCount);
    lbVec3d* nodes = LB_NEW(host, lbVec3d, mesh->nodeCount);
    double* volumes = LB_NEW(host, double, mesh->nodeCount);
    mesh->nodeNumbers = LB_NEW(host, int, mesh->nodeCount);
    bool enough = mesh->nodeNumbers != NULL && sorted != NULL && newIndex != NULL && nodes != NULL && volumes != NULL &&
                  cut_into_blocks(mesh);
    lbResult result = enough ? lb_success() : lb_out_of_memory("ordering a mesh");
    if (enough) {
        sort_along_curve(mesh, sorted);
        for (int i = 0; i < mesh->nodeCount; ++i) {
            newIndex[sorted[i].node] = i;
            mesh->nodeNumbers[i] = sorted[i].node;
            nodes[i] = mesh->nodes[sorted[i].node];
            volumes[i] = mesh->nodeVolumes[sorted[i].node];
        }
        memcpy(mesh->nodes, nodes, (size_t)mesh->nodeCount * sizeof(lbVec3d));
        memcpy(mesh->nodeVolumes, volumes, (size_t)mesh->nodeCount * sizeof(double));
        result = renumber(mesh, newIndex);
    }
    lb_release(host, sorted);
    lb_release(host, newIndex);
    lb_release(host, nodes);
    lb_release(host, volumes);
    return result;
}
