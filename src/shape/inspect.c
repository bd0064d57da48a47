/* What is in a surface and what is wrong with it.
 *
 * Connectivity is that of places, not of indices: used points with the same three coordinates (-0 is 0) are joined, so
 * that a soup of triangles as in an STL file is as closed as what it was made from.
 *
 * Degenerate triangles are of two kinds. Collapsed ones have a repeated point once points are joined, such as those at
 * the poles of a sphere made of quads: they cover nothing and connect nothing, so edges, fans, components, duplicates
 * and the Euler number are those of the surface without them. Flat ones have three points but an area of at most
 * 1e-12 of the square of their longest edge: they hold their neighbours together (without them there would be a slit),
 * so they take part in everything.
 *
 * All steps hash, sort or walk: time is linear in the points and triangles. */
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "base/sort.h"
#include "shape/shape.h"
#include "shape/triangle_geometry.h"
#include "shape/weld.h"

#include <limits.h>
#include <string.h>

static const double flatness = 1e-12;

typedef struct Work {
    const lbShape* shape;
    int placeCount;          /* distinct places of used points */
    int* places;             /* (pointCount) place of a point; -1: unused */
    int triangleCount;       /* those that are not collapsed */
    int* corners;            /* (triangleCount x 3) places */
    int* parents;            /* (triangleCount x 3) forest of corners or of places, which are no more */
    int* fans;               /* (pointCount) by place: how many fans its triangles form */
    lbKeyed *sorted, *spare; /* (triangleCount x 3) */
} Work;

static lbResult allocate_work(const lbShape* shape, Work* work) {
    const lbHost* host = shape->host;
    int64_t cornerCount = 3 * (int64_t)shape->triangleCount;
    work->shape = shape;
    work->places = LB_NEW(host, int, shape->pointCount);
    work->corners = LB_NEW(host, int, cornerCount);
    work->parents = LB_NEW(host, int, cornerCount);
    work->fans = LB_NEW(host, int, shape->pointCount);
    work->sorted = LB_NEW(host, lbKeyed, cornerCount);
    work->spare = LB_NEW(host, lbKeyed, cornerCount);
    bool complete = work->places != NULL && work->corners != NULL && work->parents != NULL && work->fans != NULL &&
                    work->sorted != NULL && work->spare != NULL;
    return complete ? lb_success() : lb_out_of_memory("inspecting a shape");
}

static void free_work(const lbHost* host, Work* work) {
    lb_release(host, work->places);
    lb_release(host, work->corners);
    lb_release(host, work->parents);
    lb_release(host, work->fans);
    lb_release(host, work->sorted);
    lb_release(host, work->spare);
}

/* ---- Forests: who hangs together --------------------------------------------------------------------------------- */

static void start_forest(int* parents, int count) {
    for (int i = 0; i < count; ++i) {
        parents[i] = i;
    }
}

static int root_of(int* parents, int i) {
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

static void join_trees(int* parents, int a, int b) {
    int rootA = root_of(parents, a), rootB = root_of(parents, b);
    parents[int_max(rootA, rootB)] = int_min(rootA, rootB);
}

/* ---- Points ------------------------------------------------------------------------------------------------------ */

static lbResult join_points(Work* work, lbShapeReport* report) {
    const lbShape* shape = work->shape;
    work->placeCount = lb_join_points(shape->host, shape, work->places);
    if (work->placeCount < 0) {
        return lb_out_of_memory("inspecting a shape");
    }
    for (int i = 0; i < shape->pointCount; ++i) {
        report->usedPointCount += work->places[i] >= 0;
    }
    report->duplicatePointCount = report->usedPointCount - work->placeCount;
    return lb_success();
}

/* ---- Triangles --------------------------------------------------------------------------------------------------- */

static double longest_edge_squared(const lbTriangle* t) {
    lbVec3d ab = vec3d_sub(t->b, t->a), bc = vec3d_sub(t->c, t->b), ca = vec3d_sub(t->a, t->c);
    return fmax(vec3d_dot(ab, ab), fmax(vec3d_dot(bc, bc), vec3d_dot(ca, ca)));
}

/* Volume is summed about the middle of the bounds, where least of it cancels. */
static void measure_triangles(Work* work, lbShapeReport* report) {
    const lbShape* shape = work->shape;
    lbVec3d lower = vec3d_from(shape->bounds.lower), upper = vec3d_from(shape->bounds.upper);
    lbVec3d middle = vec3d_scale(0.5, vec3d_add(lower, upper));
    for (int i = 0; i < shape->triangleCount; ++i) {
        const int* points = shape->triangles + 3 * (size_t)i;
        lbTriangle t = {vec3d_sub(vec3d_load(shape->points + 3 * (size_t)points[0]), middle),
                        vec3d_sub(vec3d_load(shape->points + 3 * (size_t)points[1]), middle),
                        vec3d_sub(vec3d_load(shape->points + 3 * (size_t)points[2]), middle)};
        lbVec3d doubleArea = triangle_double_area(&t);
        double area = 0.5 * vec3d_length(doubleArea);
        report->area += area;
        report->volume += vec3d_dot(t.a, doubleArea) / 6;

        int* corners = work->corners + 3 * (size_t)work->triangleCount;
        for (int k = 0; k < 3; ++k) {
            corners[k] = work->places[points[k]];
        }
        bool collapsed = corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0];
        work->triangleCount += collapsed ? 0 : 1;
        report->degenerateTriangleCount += collapsed || area <= flatness * longest_edge_squared(&t);
    }
}

static void ascending_corners(const int* corners, uint64_t ordered[3]) {
    int low = int_min(corners[0], int_min(corners[1], corners[2]));
    int high = int_max(corners[0], int_max(corners[1], corners[2]));
    ordered[0] = (uint64_t)low;
    ordered[2] = (uint64_t)high;
    ordered[1] = (uint64_t)corners[0] + (uint64_t)corners[1] + (uint64_t)corners[2] - ordered[0] - ordered[2];
}

static void count_duplicate_triangles(Work* work, lbShapeReport* report) {
    uint64_t here[3], before[3] = {0};
    for (int i = 0; i < work->triangleCount; ++i) {
        ascending_corners(work->corners + 3 * (size_t)i, here);
        work->sorted[i] = (lbKeyed){here[2], i};
    }
    lb_sort_keyed(work->sorted, work->spare, work->triangleCount);
    for (int i = 0; i < work->triangleCount; ++i) {
        ascending_corners(work->corners + 3 * (size_t)work->sorted[i].value, here);
        work->sorted[i].key = here[0] << 32 | here[1];
    }
    lb_sort_keyed(work->sorted, work->spare, work->triangleCount);
    for (int i = 0; i < work->triangleCount; ++i) {
        ascending_corners(work->corners + 3 * (size_t)work->sorted[i].value, here);
        report->duplicateTriangleCount += i > 0 && memcmp(here, before, sizeof(here)) == 0;
        memcpy(before, here, sizeof(here));
    }
}

/* ---- Edges and what hangs together by them ----------------------------------------------------------------------- */

/* A side starts at the corner of the same number. */
static int end_of_side(int side) {
    return side % 3 == 2 ? side - 2 : side + 1;
}

static int sort_sides(Work* work) {
    int sideCount = 3 * work->triangleCount;
    for (int side = 0; side < sideCount; ++side) {
        int start = work->corners[side], end = work->corners[end_of_side(side)];
        work->sorted[side] = (lbKeyed){(uint64_t)int_min(start, end) << 32 | (uint64_t)int_max(start, end), side};
    }
    lb_sort_keyed(work->sorted, work->spare, sideCount);
    return sideCount;
}

/* Two sides along one edge: their corners at its two ends are in the same fans. */
static void join_fans(Work* work, int side, int other) {
    int start = side, end = end_of_side(side);
    bool sameWay = work->corners[side] == work->corners[other];
    join_trees(work->parents, start, sameWay ? other : end_of_side(other));
    join_trees(work->parents, end, sameWay ? end_of_side(other) : other);
}

static void count_edges(Work* work, lbShapeReport* report) {
    int sideCount = sort_sides(work);
    start_forest(work->parents, sideCount);
    for (int begin = 0, end = 0; begin < sideCount; begin = end) {
        for (end = begin + 1; end < sideCount && work->sorted[end].key == work->sorted[begin].key; ++end) {
            join_fans(work, work->sorted[end - 1].value, work->sorted[end].value);
        }
        int first = work->sorted[begin].value, last = work->sorted[end - 1].value, sides = end - begin;
        ++report->edgeCount;
        report->boundaryEdgeCount += sides == 1;
        report->nonManifoldEdgeCount += sides > 2;
        report->inconsistentEdgeCount += sides == 2 && work->corners[first] == work->corners[last];
    }
}

/* Follows count_edges, which joined corners into fans. Returns how many places the triangles use. */
static int count_pinched_points(Work* work, lbShapeReport* report) {
    for (int corner = 0; corner < 3 * work->triangleCount; ++corner) {
        work->fans[work->corners[corner]] += work->parents[corner] == corner;
    }
    int used = 0;
    for (int place = 0; place < work->placeCount; ++place) {
        used += work->fans[place] > 0;
        report->pinchedPointCount += work->fans[place] > 1;
    }
    return used;
}

static void count_components(Work* work, lbShapeReport* report) {
    start_forest(work->parents, work->placeCount);
    for (int i = 0; i < work->triangleCount; ++i) {
        const int* corners = work->corners + 3 * (size_t)i;
        join_trees(work->parents, corners[0], corners[1]);
        join_trees(work->parents, corners[0], corners[2]);
    }
    for (int place = 0; place < work->placeCount; ++place) {
        report->componentCount += work->fans[place] > 0 && work->parents[place] == place;
    }
}

lbResult lbShape_Inspect(const lbShape* shape, lbShapeReport* report) {
    *report = (lbShapeReport){0};
    if (shape == NULL) {
        return lb_error(lb_errorArgument, "there is no shape to inspect");
    }
    if (shape->triangleCount > INT_MAX / 3) {
        return lb_error(lb_errorUnsupported, "%d triangles are too many to inspect; at most %d", shape->triangleCount,
                        INT_MAX / 3);
    }
    Work work = {0};
    lbResult result = allocate_work(shape, &work);
    if (result.code == lb_ok) {
        result = join_points(&work, report);
    }
    if (result.code == lb_ok) {
        report->pointCount = shape->pointCount;
        report->triangleCount = shape->triangleCount;
        report->bounds = shape->bounds;
        measure_triangles(&work, report);
        count_duplicate_triangles(&work, report);
        count_edges(&work, report);
        int usedPlaces = count_pinched_points(&work, report);
        count_components(&work, report);
        report->eulerNumber = usedPlaces - report->edgeCount + work.triangleCount;
        report->closed = work.triangleCount > 0 && report->boundaryEdgeCount == 0 && report->nonManifoldEdgeCount == 0;
        report->oriented = report->closed && report->inconsistentEdgeCount == 0;
    }
    free_work(shape->host, &work);
    return result;
}
