#include "shape/solid_surface.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "base/sort.h"
#include "shape/shape.h"
#include "shape/weld.h"

/* Fills `sides` with the sides of triangles that are not collapsed, edge by edge; returns how many there are. */
static int sort_sides(const lbShape* shape, const int* places, lbKeyed* sides, lbKeyed* spare) {
    int count = 0;
    for (int side = 0; side < 3 * shape->triangleCount; ++side) {
        const int* corners = shape->triangles + 3 * (size_t)(side / 3);
        int a = places[corners[0]], b = places[corners[1]], c = places[corners[2]];
        if (a != b && b != c && c != a) {
            int start = places[corners[side % 3]], end = places[corners[(side + 1) % 3]];
            uint64_t key = (uint64_t)int_min(start, end) << 32 | (uint64_t)int_max(start, end);
            sides[count++] = (lbKeyed){key, side};
        }
    }
    lb_sort_keyed(sides, spare, count);
    return count;
}

/* A side of the first edge that only one triangle has; -1: there is none. */
static int find_boundary_side(const lbKeyed* sides, int count) {
    for (int i = 0; i < count; ++i) {
        bool alone =
            (i == 0 || sides[i - 1].key != sides[i].key) && (i + 1 == count || sides[i + 1].key != sides[i].key);
        if (alone) {
            return sides[i].value;
        }
    }
    return -1;
}

static lbVec3 middle_of_side(const lbShape* shape, int side) {
    const int* corners = shape->triangles + 3 * (size_t)(side / 3);
    lbVec3 start = vec3_load(shape->points + 3 * (size_t)corners[side % 3]);
    return vec3_lerp(start, vec3_load(shape->points + 3 * (size_t)corners[(side + 1) % 3]), 0.5f);
}

static lbResult open_surface(const lbShape* shape, int boundaryEdgeCount) {
    int* places = LB_NEW(shape->host, int, shape->pointCount);
    lbKeyed* sides = LB_NEW(shape->host, lbKeyed, 3 * (int64_t)shape->triangleCount);
    lbKeyed* spare = LB_NEW(shape->host, lbKeyed, 3 * (int64_t)shape->triangleCount);
    lbResult result = lb_out_of_memory("looking for holes in a surface");
    if (places != NULL && sides != NULL && spare != NULL && lb_join_points(shape->host, shape, places) >= 0) {
        int side = find_boundary_side(sides, sort_sides(shape, places, sides, spare));
        lbVec3 at = side >= 0 ? middle_of_side(shape, side) : vec3(0, 0, 0);
        result =
            lb_error(lb_errorArgument,
                     "the surface is open: %d edges have only one triangle, one of them at (%g, %g, %g) m; expected "
                     "a closed surface",
                     boundaryEdgeCount, (double)at.x, (double)at.y, (double)at.z);
    }
    lb_release(shape->host, places);
    lb_release(shape->host, sides);
    lb_release(shape->host, spare);
    return result;
}

lbResult lb_check_solid_surface(const lbShape* shape) {
    lbShapeReport report;
    LB_TRY(lbShape_Inspect(shape, &report));
    if (report.boundaryEdgeCount > 0) {
        return open_surface(shape, report.boundaryEdgeCount);
    }
    if (report.nonManifoldEdgeCount > 0) {
        return lb_error(lb_errorArgument, "%d edges of the surface have more than two triangles; expected two each",
                        report.nonManifoldEdgeCount);
    }
    if (!report.oriented) {
        return lb_error(
            lb_errorArgument,
            "the triangles at %d edges of the surface disagree about which side is out; expected all of them "
            "counter-clockwise seen from outside",
            report.inconsistentEdgeCount);
    }
    if (!(report.volume > 0)) {
        return lb_error(
            lb_errorArgument,
            "the surface is %s: its volume is %g m^3; expected triangles counter-clockwise seen from outside%s",
            report.volume < 0 ? "inside out" : "flat", report.volume,
            report.volume < 0 ? " (\"flip\": true in a scene's shape, --flip of limber mesh and lbShape_Flip turn it)"
                              : "");
    }
    return lb_success();
}
