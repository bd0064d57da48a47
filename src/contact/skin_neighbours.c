#include "contact/skin_neighbours.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"

#include <stdlib.h>
#include <string.h>

/* What is needed on the way only. */
typedef struct Walk {
    const lbSkinTopology* topology;
    const float* rest;
    float radius;
    int* first;       /* (pointCount + 1) of each point's edges in `other` */
    int* other;       /* (2 edgeCount) the point at the other end */
    float* distance;  /* (pointCount) m, from where the walk began; infinite: not reached */
    int* reached;     /* (pointCount) points whose distance is finite */
    int reachedCount; /* the first `settledCount` of them have their final distance, ascending */
    int settledCount;
    uint64_t* pairs; /* (pairCapacity) point << 32 | neighbour */
    int64_t pairCount, pairCapacity;
} Walk;

static float length_between(const Walk* walk, int a, int b) {
    return vec3_length(vec3_sub(vec3_load(walk->rest + 3 * (size_t)a), vec3_load(walk->rest + 3 * (size_t)b)));
}

static void list_edges(Walk* walk) {
    const lbSkinTopology* topology = walk->topology;
    memset(walk->first, 0, ((size_t)topology->pointCount + 1) * sizeof(int));
    for (int i = 0; i < topology->edgeCount; ++i) {
        walk->first[topology->edges[i].points[0] + 1] += 1;
        walk->first[topology->edges[i].points[1] + 1] += 1;
    }
    for (int i = 0; i < topology->pointCount; ++i) {
        walk->first[i + 1] += walk->first[i];
    }
    int* next = walk->reached; /* not in use yet */
    memcpy(next, walk->first, (size_t)topology->pointCount * sizeof(int));
    for (int i = 0; i < topology->edgeCount; ++i) {
        const int* point = topology->edges[i].points;
        walk->other[next[point[0]]++] = point[1];
        walk->other[next[point[1]]++] = point[0];
    }
}

static bool keep(const lbHost* host, Walk* walk, int a, int b) {
    if (walk->pairCount == walk->pairCapacity) {
        int64_t capacity = 2 * walk->pairCapacity;
        uint64_t* larger = LB_NEW(host, uint64_t, capacity);
        if (larger == NULL) {
            return false;
        }
        memcpy(larger, walk->pairs, (size_t)walk->pairCount * sizeof(uint64_t));
        lb_release(host, walk->pairs);
        walk->pairs = larger;
        walk->pairCapacity = capacity;
    }
    walk->pairs[walk->pairCount++] = (uint64_t)a << 32 | (uint64_t)b;
    return true;
}

/* The nearest of those that are not settled comes next (E. W. Dijkstra); there are few. */
static int settle_next(Walk* walk) {
    int best = walk->settledCount;
    for (int i = best + 1; i < walk->reachedCount; ++i) {
        best = walk->distance[walk->reached[i]] < walk->distance[walk->reached[best]] ? i : best;
    }
    int point = walk->reached[best];
    walk->reached[best] = walk->reached[walk->settledCount];
    walk->reached[walk->settledCount++] = point;
    return point;
}

static void reach_from(Walk* walk, int point) {
    for (int i = walk->first[point]; i < walk->first[point + 1]; ++i) {
        int next = walk->other[i];
        float way = walk->distance[point] + length_between(walk, point, next);
        if (way > walk->radius || way >= walk->distance[next]) {
            continue;
        }
        if (walk->distance[next] == INFINITY) {
            walk->reached[walk->reachedCount++] = next;
        }
        walk->distance[next] = way;
    }
}

static bool walk_from(const lbHost* host, Walk* walk, int start) {
    bool enough = true;
    walk->reachedCount = walk->settledCount = 0;
    walk->reached[walk->reachedCount++] = start;
    walk->distance[start] = 0;
    while (enough && walk->settledCount < walk->reachedCount && walk->settledCount <= lb_mostNeighbours) {
        int point = settle_next(walk);
        enough = point == start || keep(host, walk, start, point);
        reach_from(walk, point);
    }
    for (int i = 0; i < walk->reachedCount; ++i) {
        walk->distance[walk->reached[i]] = INFINITY;
    }
    return enough;
}

/* m: from the corner to the line through the side across from it. */
static float height_over(const Walk* walk, int corner, int a, int b) {
    lbVec3 from = vec3_load(walk->rest + 3 * (size_t)a), along = vec3_sub(vec3_load(walk->rest + 3 * (size_t)b), from);
    lbVec3 to = vec3_sub(vec3_load(walk->rest + 3 * (size_t)corner), from);
    float length = vec3_length(along);
    return length > 0 ? vec3_length(vec3_cross(along, to)) / length : 0;
}

static bool join_flat_corners(const lbHost* host, Walk* walk) {
    const lbSkinTopology* topology = walk->topology;
    bool enough = true;
    for (int slot = 0; slot < topology->triangleCount; ++slot) {
        const int* corner = topology->slotPoints + 3 * (size_t)slot;
        for (int k = 0; enough && k < 3; ++k) {
            int point = corner[k], a = corner[(k + 1) % 3], b = corner[(k + 2) % 3];
            if (point != a && point != b && height_over(walk, point, a, b) < walk->radius) {
                enough = keep(host, walk, point, a) && keep(host, walk, a, point) && keep(host, walk, point, b) &&
                         keep(host, walk, b, point);
            }
        }
    }
    return enough;
}

static int compare(const void* a, const void* b) {
    uint64_t p = *(const uint64_t*)a, q = *(const uint64_t*)b;
    return (p > q) - (p < q);
}

static bool fill(const lbHost* host, Walk* walk, lbSkinNeighbours* neighbours) {
    int pointCount = walk->topology->pointCount;
    qsort(walk->pairs, (size_t)walk->pairCount, sizeof(uint64_t), compare);
    neighbours->first = LB_NEW(host, int, (int64_t)pointCount + 1);
    neighbours->points = LB_NEW(host, int, walk->pairCount > 0 ? walk->pairCount : 1);
    if (neighbours->first == NULL || neighbours->points == NULL) {
        return false;
    }
    memset(neighbours->first, 0, ((size_t)pointCount + 1) * sizeof(int));
    int count = 0;
    for (int64_t i = 0; i < walk->pairCount; ++i) {
        if (i == 0 || walk->pairs[i] != walk->pairs[i - 1]) {
            neighbours->points[count++] = (int)(walk->pairs[i] & 0xffffffffu);
            neighbours->first[(walk->pairs[i] >> 32) + 1] += 1;
        }
    }
    for (int i = 0; i < pointCount; ++i) {
        neighbours->first[i + 1] += neighbours->first[i];
    }
    return true;
}

static bool find(const lbHost* host, Walk* walk, lbSkinNeighbours* neighbours) {
    const lbSkinTopology* topology = walk->topology;
    list_edges(walk);
    for (int i = 0; i < topology->pointCount; ++i) {
        walk->distance[i] = INFINITY;
    }
    for (int i = 0; i < topology->pointCount; ++i) {
        if (topology->used[i] && !walk_from(host, walk, i)) {
            return false;
        }
    }
    return join_flat_corners(host, walk) && fill(host, walk, neighbours);
}

lbResult lb_make_skin_neighbours(const lbHost* host, const lbSkinTopology* topology, const float* rest, float radius,
                                 lbSkinNeighbours* neighbours) {
    *neighbours = (lbSkinNeighbours){.radius = radius, .rest = rest};
    Walk walk = {.topology = topology, .rest = rest, .radius = radius, .pairCapacity = 1024};
    walk.first = LB_NEW(host, int, (int64_t)topology->pointCount + 1);
    walk.other = LB_NEW(host, int, 2 * (int64_t)topology->edgeCount + 1);
    walk.distance = LB_NEW(host, float, topology->pointCount);
    walk.reached = LB_NEW(host, int, topology->pointCount);
    walk.pairs = LB_NEW(host, uint64_t, walk.pairCapacity);
    bool enough = walk.first != NULL && walk.other != NULL && walk.distance != NULL && walk.reached != NULL &&
                  walk.pairs != NULL && find(host, &walk, neighbours);
    lb_release(host, walk.first);
    lb_release(host, walk.other);
    lb_release(host, walk.distance);
    lb_release(host, walk.reached);
    lb_release(host, walk.pairs);
    if (!enough) {
        lb_free_skin_neighbours(host, neighbours);
        return lb_out_of_memory("the neighbours of skin points");
    }
    return lb_success();
}

void lb_free_skin_neighbours(const lbHost* host, lbSkinNeighbours* neighbours) {
    lb_release(host, neighbours->first);
    lb_release(host, neighbours->points);
    *neighbours = (lbSkinNeighbours){0};
}
