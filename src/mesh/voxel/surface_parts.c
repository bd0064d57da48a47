/* Which parts of a surface enclose something. A part is what shared points connect. It is closed where every edge has
 * two triangles; where some have one, it is still a solid with holes if those edges are short against it: one loop of
 * their length would enclose a small share of its area. All else is a sheet, which has no inside. */
#include "mesh/voxel/voxel.h"

#include "base/result.h"
#include "mesh/disjoint_sets.h"
#include "shape/weld.h"

#include <stdlib.h>

/* Of the part's area, that a loop as long as all its open edges may enclose. */
static const double largestHole = 0.06;

typedef struct Edge {
    int low, high; /* places */
    int from, to;  /* points there */
} Edge;

typedef struct Parts {
    const lbShape* shape;
    int* places;  /* (pointCount) welded */
    int* parents; /* (pointCount) sets of places */
    Edge* edges;  /* (3 triangleCount) */
    double* area; /* (pointCount) by root */
    double* open; /* (pointCount) by root, m of edges with one triangle */
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
    for (int first = 0, end; first < edgeCount; first = end) {
        for (end = first + 1; end < edgeCount && compare_edges(&parts->edges[first], &parts->edges[end]) == 0; ++end) {
        }
        if (end == first + 1) {
            Edge edge = parts->edges[first];
            parts->open[lb_find_set(parts->parents, edge.low)] +=
                vec3d_length(vec3d_sub(point_at(parts->shape, edge.to), point_at(parts->shape, edge.from)));
        }
    }
}

lbResult lb_find_solid_parts(const lbHost* host, const lbShape* shape, bool* solid, bool* broken) {
    const double pi = 3.14159265358979323846;
    int pointCount = lbShape_GetPointCount(shape), triangleCount = lbShape_GetTriangleCount(shape);
    Parts parts = {.shape = shape,
                   .places = LB_NEW(host, int, pointCount),
                   .parents = LB_NEW(host, int, pointCount),
                   .edges = LB_NEW(host, Edge, 3 * (int64_t)triangleCount),
                   .area = LB_NEW(host, double, pointCount),
                   .open = LB_NEW(host, double, pointCount)};
    lbResult result = lb_success();
    *broken = false;
    if (parts.places == NULL || parts.parents == NULL || parts.edges == NULL || parts.area == NULL ||
        parts.open == NULL) {
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
        double hole = parts.open[root] * parts.open[root] / (4 * pi);
        solid[t] = hole <= largestHole * parts.area[root];
        *broken |= solid[t] && hole > 0;
    }
done:
    lb_release(host, parts.places);
    lb_release(host, parts.parents);
    lb_release(host, parts.edges);
    lb_release(host, parts.area);
    lb_release(host, parts.open);
    return result;
}
