/* Which parts of a surface enclose something. A part is what shared points connect. It is closed where every edge has
 * two triangles; where some have one, it is still a solid with holes if those are small against it: circles as long as
 * the loops of such edges would cover a small share of its area. All else is a sheet, which has no inside. */
#include "mesh/voxel/voxel.h"

#include "base/result.h"
#include "mesh/disjoint_sets.h"
#include "shape/weld.h"

#include <stdlib.h>

/* Of the part's area, in all. */
static const double largestHoles = 0.1;

typedef struct Edge {
    int low, high; /* places */
    int from, to;  /* points there */
} Edge;

typedef struct Parts {
    const lbShape* shape;
    int* places;   /* (pointCount) welded */
    int* parents;  /* (pointCount) sets of places */
    Edge* edges;   /* (3 triangleCount) */
    double* area;  /* (pointCount) by root */
    int* loops;    /* (pointCount) sets of places that edges with one triangle join */
    double* open;  /* (pointCount) by root of a loop, m of such edges */
    double* holes; /* (pointCount) by root of a part, m^2 */
} Parts;

static int compare_edges(const void* left, const void* right) {
    const Edge *p = left, *q = right;
    if (p->low != q->low) {
        return p->low < q->low ? -1 : 1;
    }
    return p->high != q->high ? (p->high < q->high ? -1 : 1) : 0;
}

static lbVec3d point_at(const lbShape* shape, int point) {
    return vec3d_load(lbShape_GetPoints(shape) + 3 * (size_t)point);
}

static void join_triangles(Parts* parts) {
    const int* triangles = lbShape_GetTriangles(parts->shape);
    lb_start_sets(parts->parents, lbShape_GetPointCount(parts->shape));
    for (int t = 0; t < lbShape_GetTriangleCount(parts->shape); ++t) {
        for (int k = 0; k < 3; ++k) {
            int from = triangles[3 * (size_t)t + (size_t)k], to = triangles[3 * (size_t)t + (size_t)((k + 1) % 3)];
            int a = parts->places[from], b = parts->places[to];
            lb_join_sets(parts->parents, a, b);
            parts->edges[3 * (size_t)t + (size_t)k] = (Edge){int_min(a, b), int_max(a, b), from, to};
        }
    }
}

static bool is_open(const Parts* parts, int edgeCount, int first, int* end) {
    for (*end = first + 1; *end < edgeCount && compare_edges(&parts->edges[first], &parts->edges[*end]) == 0; ++*end) {
    }
    return *end == first + 1 && parts->edges[first].low != parts->edges[first].high;
}

/* Loops of edges that have one triangle, as circles. */
static void measure_holes(Parts* parts, int edgeCount) {
    const double pi = 3.14159265358979323846;
    lb_start_sets(parts->loops, lbShape_GetPointCount(parts->shape));
    for (int first = 0, end; first < edgeCount; first = end) {
        if (is_open(parts, edgeCount, first, &end)) {
            lb_join_sets(parts->loops, parts->edges[first].low, parts->edges[first].high);
        }
    }
    for (int first = 0, end; first < edgeCount; first = end) {
        if (is_open(parts, edgeCount, first, &end)) {
            Edge edge = parts->edges[first];
            parts->open[lb_find_set(parts->loops, edge.low)] +=
                vec3d_length(vec3d_sub(point_at(parts->shape, edge.to), point_at(parts->shape, edge.from)));
        }
    }
    for (int i = 0; i < lbShape_GetPointCount(parts->shape); ++i) {
        parts->holes[lb_find_set(parts->parents, i)] += parts->open[i] * parts->open[i] / (4 * pi);
    }
}

static void measure_parts(Parts* parts) {
    const int* triangles = lbShape_GetTriangles(parts->shape);
    int edgeCount = 3 * lbShape_GetTriangleCount(parts->shape);
    for (int t = 0; t < edgeCount / 3; ++t) {
        const int* corner = triangles + 3 * (size_t)t;
        lbVec3d a = point_at(parts->shape, corner[0]);
        lbVec3d n = vec3d_cross(vec3d_sub(point_at(parts->shape, corner[1]), a),
                                vec3d_sub(point_at(parts->shape, corner[2]), a));
        parts->area[lb_find_set(parts->parents, parts->places[corner[0]])] += 0.5 * vec3d_length(n);
    }
    qsort(parts->edges, (size_t)edgeCount, sizeof(Edge), compare_edges);
    measure_holes(parts, edgeCount);
}

lbResult lb_find_solid_parts(const lbHost* host, const lbShape* shape, bool* solid, bool* broken) {
    int pointCount = lbShape_GetPointCount(shape), triangleCount = lbShape_GetTriangleCount(shape);
    Parts parts = {.shape = shape,
                   .places = LB_NEW(host, int, pointCount),
                   .parents = LB_NEW(host, int, pointCount),
                   .edges = LB_NEW(host, Edge, 3 * (int64_t)triangleCount),
                   .area = LB_NEW(host, double, pointCount),
                   .loops = LB_NEW(host, int, pointCount),
                   .open = LB_NEW(host, double, pointCount),
                   .holes = LB_NEW(host, double, pointCount)};
    lbResult result = lb_success();
    *broken = false;
    if (parts.places == NULL || parts.parents == NULL || parts.edges == NULL || parts.area == NULL ||
        parts.loops == NULL || parts.open == NULL || parts.holes == NULL) {
        result = lb_out_of_memory("the parts of a surface");
        goto done;
    }
    if (lb_join_points(host, shape, parts.places) < 0) {
        result = lb_out_of_memory("the parts of a surface");
        goto done;
    }
    join_triangles(&parts);
    measure_parts(&parts);
    for (int t = 0; t < triangleCount; ++t) {
        int root = lb_find_set(parts.parents, parts.places[lbShape_GetTriangles(shape)[3 * (size_t)t]]);
        solid[t] = parts.holes[root] <= largestHoles * parts.area[root];
        *broken |= solid[t] && parts.holes[root] > 0;
    }
done:
    lb_release(host, parts.places);
    lb_release(host, parts.parents);
    lb_release(host, parts.edges);
    lb_release(host, parts.area);
    lb_release(host, parts.loops);
    lb_release(host, parts.open);
    lb_release(host, parts.holes);
    return result;
}
