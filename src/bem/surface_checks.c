/* Checks of surfaces for boundary elements (Klimenko, Nikitina and Nikitin, section 2.1: closed, oriented, embedded,
 * without degenerate triangles, its total vector area zero). */
#include "bem/surface_checks.h"

#include "base/memory.h"
#include "base/result.h"
#include "base/sort.h"
#include "contact/crossings.h"
#include "shape/shape.h"

#include <string.h>

static const double foldDegrees = 150, degree = 57.29577951308232;

typedef struct Check {
    const lbShape* shape;
    const lbHost* host;
    lbKeyed *edges, *scratch; /* (3 x triangleCount) keyed by their points; value: 3 x triangle + corner */
    int* part;                /* (pointCount) parents, then parts */
    double* volume;           /* (pointCount) of parts, at their roots */
    lbBoundarySurfaceReport* report;
} Check;

static lbVec3d corner_of(const lbShape* shape, int triangle, int k) {
    return vec3d_load(shape->points + 3 * (size_t)shape->triangles[3 * (size_t)triangle + (size_t)k]);
}

static lbVec3d vector_area(const lbShape* shape, int triangle) {
    lbVec3d a = corner_of(shape, triangle, 0);
    lbVec3d ab = vec3d_sub(corner_of(shape, triangle, 1), a), ac = vec3d_sub(corner_of(shape, triangle, 2), a);
    return vec3d_scale(0.5, vec3d_cross(ab, ac));
}

/* ---- Triangles ----------------------------------------------------------------------------------------------------
 */

static lbResult check_triangles(Check* check) {
    const lbShape* shape = check->shape;
    lbVec3d sum = {0, 0, 0};
    for (int t = 0; t < shape->triangleCount; ++t) {
        lbVec3d area = vector_area(shape, t);
        double longest = 0, size = vec3d_length(area);
        for (int k = 0; k < 3; ++k) {
            lbVec3d edge = vec3d_sub(corner_of(shape, t, (k + 1) % 3), corner_of(shape, t, k));
            longest = fmax(longest, vec3d_length(edge));
        }
        if (!(size > 1e-6 * longest * longest)) {
            lbVec3d at = corner_of(shape, t, 0);
            return lb_error(
                lb_errorArgument,
                "triangle %d (at %.4g, %.4g, %.4g) has no area to speak of: %.3g m^2 with an edge of %.3g m; "
                "boundary elements need triangles that are not degenerate",
                t, at.x, at.y, at.z, size, longest);
        }
        sum = vec3d_add(sum, area);
        check->report->area += size;
        check->report->volume += vec3d_dot(area, corner_of(shape, t, 0)) / 3;
    }
    check->report->openArea = vec3d_length(sum) / check->report->area;
    return lb_success();
}

/* ---- Edges --------------------------------------------------------------------------------------------------------
 */

static void list_edges(Check* check) {
    const lbShape* shape = check->shape;
    for (int i = 0; i < 3 * shape->triangleCount; ++i) {
        int a = shape->triangles[i], b = shape->triangles[i - i % 3 + (i + 1) % 3];
        check->edges[i] = (lbKeyed){(uint64_t)int_min(a, b) << 32 | (uint64_t)int_max(a, b), i};
    }
    lb_sort_keyed(check->edges, check->scratch, 3 * (int64_t)shape->triangleCount);
}

static lbResult bad_edge(const Check* check, int half, const char* what) {
    const lbShape* shape = check->shape;
    int a = shape->triangles[half], b = shape->triangles[half - half % 3 + (half + 1) % 3];
    lbVec3 p = vec3_load(shape->points + 3 * (size_t)a), q = vec3_load(shape->points + 3 * (size_t)b);
    return lb_error(
        lb_errorArgument,
        "edge %d-%d of triangle %d, from (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g), %s; boundary elements need a "
        "closed surface whose triangles are all counter-clockwise seen from outside",
        a, b, half / 3, (double)p.x, (double)p.y, (double)p.z, (double)q.x, (double)q.y, (double)q.z, what);
}

static void look_at_fold(Check* check, int half, int other) {
    const lbShape* shape = check->shape;
    lbVec3d n = vec3d_normalize(vector_area(shape, half / 3)), m = vec3d_normalize(vector_area(shape, other / 3));
    double turn = degree * acos(fmin(1, fmax(-1, vec3d_dot(n, m))));
    check->report->sharpestDegrees = fmax(check->report->sharpestDegrees, turn);
    if (turn > foldDegrees) {
        if (check->report->foldCount++ == 0) {
            lbVec3d middle =
                vec3d_add(corner_of(shape, half / 3, half % 3), corner_of(shape, half / 3, (half + 1) % 3));
            check->report->firstFold = vec3_from(vec3d_scale(0.5, middle));
        }
    }
}

static lbResult check_edges(Check* check) {
    const lbShape* shape = check->shape;
    int count = 3 * shape->triangleCount;
    list_edges(check);
    for (int i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && check->edges[end].key == check->edges[i].key; ++end) {
        }
        int half = check->edges[i].value, other = check->edges[end - 1].value;
        if (end - i != 2) {
            return bad_edge(check, half,
                            end - i == 1 ? "is open: only one triangle has it" : "has more than two triangles");
        }
        if (shape->triangles[half] == shape->triangles[other]) {
            return bad_edge(check, half,
                            "is run along the same way by both its triangles: they are turned against each other");
        }
        look_at_fold(check, half, other);
    }
    return lb_success();
}

/* ---- Parts: which are inside out ------------------------------------------------------------------------------------
 */

static int root_of(int* parent, int i) {
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

static lbBox box_of_part(const Check* check, int root) {
    lbBox box = box_empty();
    for (int i = 0; i < check->shape->pointCount; ++i) {
        if (root_of(check->part, i) == root) {
            box = box_include(box, vec3_load(check->shape->points + 3 * (size_t)i));
        }
    }
    return box;
}

/* A cavity is a part of its own that is inside out, within another that is not. */
static bool lies_within_another(const Check* check, int root) {
    lbBox own = box_of_part(check, root);
    for (int i = 0; i < check->shape->pointCount; ++i) {
        if (root_of(check->part, i) == i && i != root && check->volume[i] > -check->volume[root]) {
            lbBox box = box_of_part(check, i);
            if (box_contains(box, own.lower) && box_contains(box, own.upper)) {
                return true;
            }
        }
    }
    return false;
}

static lbResult check_parts(Check* check) {
    const lbShape* shape = check->shape;
    for (int i = 0; i < shape->pointCount; ++i) {
        check->part[i] = i;
    }
    for (int i = 0; i < 3 * shape->triangleCount; ++i) {
        int a = root_of(check->part, shape->triangles[i]), b = root_of(check->part, shape->triangles[i - i % 3]);
        check->part[int_max(a, b)] = int_min(a, b);
    }
    for (int t = 0; t < shape->triangleCount; ++t) {
        int root = root_of(check->part, shape->triangles[3 * (size_t)t]);
        check->volume[root] += vec3d_dot(vector_area(shape, t), corner_of(shape, t, 0)) / 3;
    }
    for (int i = 0; i < shape->pointCount; ++i) {
        if (check->volume[i] < 0 && !lies_within_another(check, i)) {
            lbVec3 at = vec3_load(shape->points + 3 * (size_t)i);
            return lb_error(
                lb_errorArgument,
                "the surface around point %d (%.4g, %.4g, %.4g) is inside out: it holds %.4g m^3; its triangles "
                "must be counter-clockwise seen from outside",
                i, (double)at.x, (double)at.y, (double)at.z, check->volume[i]);
        }
    }
    return lb_success();
}

/* ---- Self-intersection ----------------------------------------------------------------------------------------------
 */

static lbResult check_crossings(const Check* check) {
    const lbShape* shape = check->shape;
    lbCrossingSurface surface = {shape->points, shape->triangles, shape->triangleCount};
    lbCrossingPair pair;
    int count = 0;
    if (!lb_find_crossings(check->host, &surface, 1, &pair, 1, &count)) {
        return lb_out_of_memory("a surface");
    }
    return count == 0 ? lb_success()
                      : lb_error(lb_errorArgument,
                                 "triangles %d and %d pass through each other (near %.4g, %.4g, %.4g); boundary "
                                 "elements need a surface that does not cross itself",
                                 pair.triangles[0], pair.triangles[1], (double)pair.place.x, (double)pair.place.y,
                                 (double)pair.place.z);
}

lbResult lb_check_boundary_surface(const lbShape* shape, lbBoundarySurfaceReport* report) {
    lbBoundarySurfaceReport unread;
    Check check = {.shape = shape, .host = shape->host, .report = report != NULL ? report : &unread};
    *check.report = (lbBoundarySurfaceReport){0};
    check.edges = LB_NEW(check.host, lbKeyed, 3 * (int64_t)shape->triangleCount);
    check.scratch = LB_NEW(check.host, lbKeyed, 3 * (int64_t)shape->triangleCount);
    check.part = LB_NEW(check.host, int, shape->pointCount);
    check.volume = LB_NEW(check.host, double, shape->pointCount);
    lbResult result = lb_out_of_memory("a surface");
    if (check.edges != NULL && check.scratch != NULL && check.part != NULL && check.volume != NULL) {
        result = check_triangles(&check);
        result = result.code == lb_ok ? check_edges(&check) : result;
        result = result.code == lb_ok ? check_parts(&check) : result;
        result = result.code == lb_ok ? check_crossings(&check) : result;
    }
    if (result.code == lb_ok && check.report->openArea > 1e-5) { /* float32 coordinates sum up to less */
        result = lb_error(
            lb_errorArgument,
            "the vector areas of the triangles sum up to %.3g of the surface instead of zero: it is not closed",
            check.report->openArea);
    }
    lb_release(check.host, check.edges);
    lb_release(check.host, check.scratch);
    lb_release(check.host, check.part);
    lb_release(check.host, check.volume);
    return result;
}
