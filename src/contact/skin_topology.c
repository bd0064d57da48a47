#include "contact/skin_topology.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "base/sort.h"
#include "shape/weld.h"

#include <string.h>

/* What is needed on the way only. */
typedef struct Draft {
    const lbHost* host;
    const float* points;
    double sharpDegrees;
    lbBvh bvh;
    int* places;              /* (pointCount) point -> the point that answers for its place, -1: no triangle uses it */
    int* scratch;             /* (pointCount) */
    int* slots;               /* (triangleCount) triangle -> slot */
    int* slotLeaves;          /* (triangleCount) slot -> leaf */
    lbKeyed *keyed, *sorting; /* (3 triangleCount) */
    lbSkinEdge* edges;        /* (3 triangleCount) by their points */
} Draft;

static const int* corners_of(const lbSkinTopology* topology, int triangle) {
    return topology->triangles + 3 * (size_t)triangle;
}

/* ---- Places ------------------------------------------------------------------------------------------------------ */

/* Only points that triangles use answer for others: nothing is known of how the rest moves. */
static bool join_places(Draft* draft, const lbSkinTopology* topology) {
    int* firstUsed = draft->scratch;
    int placeCount = lb_weld_rows(draft->host, draft->points, topology->pointCount, 3, draft->places, firstUsed);
    if (placeCount < 0) {
        return false;
    }
    for (int i = 0; i < placeCount; ++i) {
        firstUsed[i] = -1;
    }
    for (int64_t i = 0; i < 3 * (int64_t)topology->triangleCount; ++i) {
        int point = topology->triangles[i], *first = &firstUsed[draft->places[point]];
        *first = *first < 0 ? point : int_min(*first, point);
    }
    for (int i = 0; i < topology->pointCount; ++i) {
        draft->places[i] = firstUsed[draft->places[i]];
    }
    return true;
}

/* ---- Tree -------------------------------------------------------------------------------------------------------- */

static void fill_slots(Draft* draft, lbSkinTopology* topology) {
    for (int slot = 0; slot < topology->triangleCount; ++slot) {
        int triangle = draft->bvh.triangles[slot];
        topology->slotTriangles[slot] = triangle;
        draft->slots[triangle] = slot;
        for (int k = 0; k < 3; ++k) {
            topology->slotPoints[3 * (size_t)slot + k] = draft->places[corners_of(topology, triangle)[k]];
        }
    }
}

/* Leaves are numbered by their slots, so that everything by leaf is streamed. */
static void fill_nodes(Draft* draft, lbSkinTopology* topology) {
    const lbBvhNode* nodes = draft->bvh.nodes;
    topology->nodes[1] = (lbSkinNode){-1, -1};
    for (int i = topology->nodeCount - 1; i >= 0; --i) {
        if (i == 1) {
            continue;
        }
        topology->nodes[i] = (lbSkinNode){-1, -1};
        if (nodes[i].count > 0) {
            draft->slotLeaves[nodes[i].first] = i; /* the node for now */
        } else {
            topology->nodes[i].first = nodes[i].first;
            topology->innerNodes[topology->innerCount++] = i;
        }
    }
    for (int slot = 0; slot < topology->triangleCount;) {
        int node = draft->slotLeaves[slot], end = slot + nodes[node].count;
        topology->nodes[node].leaf = topology->leafCount;
        topology->leaves[topology->leafCount] = (lbSkinLeaf){.node = node, .firstSlot = slot, .slotEnd = end};
        for (; slot < end; ++slot) {
            draft->slotLeaves[slot] = topology->leafCount;
        }
        ++topology->leafCount;
    }
}

/* A leaf's points, each once, and among them those that no leaf before it has. */
static void fill_leaf_points(Draft* draft, lbSkinTopology* topology) {
    int* lastLeaf = draft->scratch; /* that has the point */
    for (int i = 0; i < topology->pointCount; ++i) {
        lastLeaf[i] = -1;
    }
    int cornerCount = 0;
    for (int i = 0; i < topology->leafCount; ++i) {
        lbSkinLeaf* leaf = &topology->leaves[i];
        leaf->firstCorner = cornerCount;
        leaf->firstPoint = topology->usedPointCount;
        for (int k = 3 * leaf->firstSlot; k < 3 * leaf->slotEnd; ++k) {
            int point = topology->slotPoints[k];
            if (lastLeaf[point] < 0) {
                topology->ownedPoints[topology->usedPointCount++] = point;
                topology->used[point] = true;
            }
            if (lastLeaf[point] != i) {
                topology->corners[cornerCount++] = point;
                lastLeaf[point] = i;
            }
        }
        leaf->cornerEnd = cornerCount;
        leaf->pointEnd = topology->usedPointCount;
    }
}

/* ---- Edges ------------------------------------------------------------------------------------------------------- */

static lbVec3d normal_of(const float* x, const int* corner) {
    lbVec3d a = vec3d_load(x + 3 * (size_t)corner[0]);
    lbVec3d ab = vec3d_sub(vec3d_load(x + 3 * (size_t)corner[1]), a);
    lbVec3d ac = vec3d_sub(vec3d_load(x + 3 * (size_t)corner[2]), a);
    return vec3d_normalize(vec3d_cross(ab, ac));
}

/* One item for each side of each triangle, by its two points. Triangles with two corners at one place have no sides:
 * their neighbours meet each other. */
static int64_t collect_sides(Draft* draft, const lbSkinTopology* topology) {
    int64_t count = 0;
    for (int t = 0; t < topology->triangleCount; ++t) {
        const int* corner = topology->slotPoints + 3 * (size_t)draft->slots[t];
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            int a = corner[k], b = corner[(k + 1) % 3];
            uint64_t key = (uint64_t)int_min(a, b) << 32 | (uint64_t)int_max(a, b);
            draft->keyed[count++] = (lbKeyed){key, 3 * t + k};
        }
    }
    lb_sort_keyed(draft->keyed, draft->sorting, count);
    return count;
}

/* Whether the triangle runs along the edge from its lower point to its higher one. */
static bool runs_upwards(const Draft* draft, const lbSkinTopology* topology, int side) {
    const int* corner = topology->slotPoints + 3 * (size_t)draft->slots[side / 3];
    return corner[side % 3] < corner[(side + 1) % 3];
}

/* Convex where the second triangle's free corner is behind the first triangle. */
static int kind_of_hinge(const Draft* draft, const lbSkinTopology* topology, const int side[2]) {
    if (draft->sharpDegrees < 0) {
        return lb_edgeSharp;
    }
    const int* first = topology->slotPoints + 3 * (size_t)draft->slots[side[0] / 3];
    const int* second = topology->slotPoints + 3 * (size_t)draft->slots[side[1] / 3];
    lbVec3d n1 = normal_of(draft->points, first), n2 = normal_of(draft->points, second);
    if (vec3d_dot(n1, n1) == 0 || vec3d_dot(n2, n2) == 0) {
        return lb_edgeSharp; /* nobody knows: the safe guess */
    }
    double angle = atan2(vec3d_length(vec3d_cross(n1, n2)), vec3d_dot(n1, n2));
    if (angle <= draft->sharpDegrees * (LB_PI / 180)) {
        return lb_edgeFlat;
    }
    lbVec3d on = vec3d_load(draft->points + 3 * (size_t)first[side[0] % 3]);
    lbVec3d free = vec3d_load(draft->points + 3 * (size_t)second[(side[1] + 2) % 3]);
    return vec3d_dot(n1, vec3d_sub(free, on)) <= 0 ? lb_edgeSharp : lb_edgeConcave;
}

static lbSkinEdge make_edge(const Draft* draft, const lbSkinTopology* topology, const lbKeyed* sides, int64_t count) {
    const int side[2] = {sides[0].value, count > 1 ? sides[1].value : -1};
    lbSkinEdge edge = {{(int)(sides[0].key >> 32), (int)(sides[0].key & UINT32_MAX)}, {side[0] / 3, -1}, lb_edgeSharp};
    if (count == 2 && runs_upwards(draft, topology, side[0]) != runs_upwards(draft, topology, side[1])) {
        edge.triangles[1] = side[1] / 3;
        edge.kind = kind_of_hinge(draft, topology, side);
    }
    return edge;
}

/* The leaf that has the first of the edge's triangles. */
static int owner_of(const Draft* draft, const lbSkinEdge* edge) {
    int slot = draft->slots[edge->triangles[0]];
    if (edge->triangles[1] >= 0) {
        slot = int_min(slot, draft->slots[edge->triangles[1]]);
    }
    return draft->slotLeaves[slot];
}

static void find_edges(Draft* draft, lbSkinTopology* topology) {
    int64_t sideCount = collect_sides(draft, topology);
    for (int64_t i = 0, end = 0; i < sideCount; i = end) {
        while (end < sideCount && draft->keyed[end].key == draft->keyed[i].key) {
            ++end;
        }
        draft->edges[topology->edgeCount++] = make_edge(draft, topology, draft->keyed + i, end - i);
    }
}

static void number_edges(Draft* draft, lbSkinTopology* topology) {
    for (int i = 0; i < topology->edgeCount; ++i) {
        const lbSkinEdge* edge = &draft->edges[i];
        uint64_t key = (uint64_t)owner_of(draft, edge) * lb_edgeKindCount + (uint64_t)edge->kind;
        draft->keyed[i] = (lbKeyed){key, i};
    }
    lb_sort_keyed(draft->keyed, draft->sorting, topology->edgeCount);
    int at = 0;
    for (int i = 0; i < topology->leafCount; ++i) {
        int end[lb_edgeKindCount];
        topology->leaves[i].firstEdge = at;
        for (int kind = 0; kind < lb_edgeKindCount; ++kind) {
            for (uint64_t key = (uint64_t)i * lb_edgeKindCount + (uint64_t)kind;
                 at < topology->edgeCount && draft->keyed[at].key == key; ++at) {
                topology->edges[at] = draft->edges[draft->keyed[at].value];
            }
            end[kind] = at;
        }
        topology->leaves[i].sharpEnd = end[lb_edgeSharp];
        topology->leaves[i].flatEnd = end[lb_edgeFlat];
    }
}

/* ---- The whole --------------------------------------------------------------------------------------------------- */

static bool allocate_draft(Draft* draft, const lbSkinTopology* topology) {
    int64_t triangleCount = topology->triangleCount;
    draft->places = LB_NEW(draft->host, int, topology->pointCount);
    draft->scratch = LB_NEW(draft->host, int, topology->pointCount);
    draft->slots = LB_NEW(draft->host, int, triangleCount);
    draft->slotLeaves = LB_NEW(draft->host, int, triangleCount);
    draft->keyed = LB_NEW(draft->host, lbKeyed, 3 * triangleCount);
    draft->sorting = LB_NEW(draft->host, lbKeyed, 3 * triangleCount);
    draft->edges = LB_NEW(draft->host, lbSkinEdge, 3 * triangleCount);
    return draft->places != NULL && draft->scratch != NULL && draft->slots != NULL && draft->slotLeaves != NULL &&
           draft->keyed != NULL && draft->sorting != NULL && draft->edges != NULL;
}

static void free_draft(Draft* draft) {
    lb_free_bvh(draft->host, &draft->bvh);
    lb_release(draft->host, draft->places);
    lb_release(draft->host, draft->scratch);
    lb_release(draft->host, draft->slots);
    lb_release(draft->host, draft->slotLeaves);
    lb_release(draft->host, draft->keyed);
    lb_release(draft->host, draft->sorting);
    lb_release(draft->host, draft->edges);
}

static bool allocate_topology(const lbHost* host, lbSkinTopology* topology) {
    int64_t triangleCount = topology->triangleCount;
    topology->used = LB_NEW(host, bool, topology->pointCount);
    topology->nodes = LB_NEW(host, lbSkinNode, topology->nodeCount);
    topology->innerNodes = LB_NEW(host, int, topology->nodeCount);
    topology->leaves = LB_NEW(host, lbSkinLeaf, topology->nodeCount);
    topology->slotTriangles = LB_NEW(host, int, triangleCount);
    topology->slotPoints = LB_NEW(host, int, 3 * triangleCount);
    topology->corners = LB_NEW(host, int, 3 * triangleCount);
    topology->ownedPoints = LB_NEW(host, int, topology->pointCount);
    topology->triangles = LB_NEW(host, int, 3 * triangleCount);
    return topology->used != NULL && topology->nodes != NULL && topology->innerNodes != NULL &&
           topology->leaves != NULL && topology->slotTriangles != NULL && topology->slotPoints != NULL &&
           topology->corners != NULL && topology->ownedPoints != NULL && topology->triangles != NULL;
}

static bool fill_topology(Draft* draft, const int* triangles, lbSkinTopology* topology) {
    memcpy(topology->triangles, triangles, 3 * (size_t)topology->triangleCount * sizeof(int));
    if (!join_places(draft, topology)) {
        return false;
    }
    fill_slots(draft, topology);
    fill_nodes(draft, topology);
    fill_leaf_points(draft, topology);
    find_edges(draft, topology);
    topology->edges = LB_NEW(draft->host, lbSkinEdge, topology->edgeCount);
    if (topology->edges == NULL) {
        return false;
    }
    number_edges(draft, topology);
    return true;
}

lbResult lb_make_skin_topology(const lbHost* host, const float* points, int pointCount, const int* triangles,
                               int triangleCount, double sharpDegrees, lbSkinTopology* topology) {
    *topology = (lbSkinTopology){.pointCount = pointCount, .triangleCount = triangleCount};
    Draft draft = {.host = host, .points = points, .sharpDegrees = sharpDegrees};
    LB_TRY(lb_build_bvh(host, points, triangles, triangleCount, &draft.bvh));
    topology->nodeCount = draft.bvh.nodeCount;
    bool complete = allocate_draft(&draft, topology) && allocate_topology(host, topology) &&
                    fill_topology(&draft, triangles, topology);
    free_draft(&draft);
    if (!complete) {
        lb_free_skin_topology(host, topology);
        return lb_out_of_memory("a skin's edges and tree");
    }
    return lb_success();
}

void lb_free_skin_topology(const lbHost* host, lbSkinTopology* topology) {
    lb_release(host, topology->used);
    lb_release(host, topology->edges);
    lb_release(host, topology->nodes);
    lb_release(host, topology->innerNodes);
    lb_release(host, topology->leaves);
    lb_release(host, topology->slotTriangles);
    lb_release(host, topology->slotPoints);
    lb_release(host, topology->corners);
    lb_release(host, topology->ownedPoints);
    lb_release(host, topology->triangles);
    *topology = (lbSkinTopology){0};
}

lbVec3 lb_edge_outward(const lbSkinTopology* topology, const float* x, int edge) {
    const int* triangles = topology->edges[edge].triangles;
    if (triangles[1] < 0) {
        return vec3(0, 0, 0);
    }
    lbVec3d n1 = normal_of(x, corners_of(topology, triangles[0])),
            n2 = normal_of(x, corners_of(topology, triangles[1]));
    return vec3_from(vec3d_scale(0.5, vec3d_add(n1, n2)));
}
