#include "mesh/solid.h"

#include "base/result.h"

/* Of the longest side: what rounding and file formats do to coordinates. */
static const double tolerance = 1e-5;

/* A surface in a frame whose middle is the origin. */
typedef struct Surface {
    const float* points;
    const int* triangles;
    int triangleCount;
    double middle[3], half[3]; /* m, of the bounds */
    double near;               /* m: closer than this is the same */
} Surface;

static Surface measure(const lbShape* shape) {
    lbBox bounds = lbShape_GetBounds(shape);
    const float lower[3] = {bounds.lower.x, bounds.lower.y, bounds.lower.z};
    const float upper[3] = {bounds.upper.x, bounds.upper.y, bounds.upper.z};
    Surface surface = {
        lbShape_GetPoints(shape), lbShape_GetTriangles(shape), lbShape_GetTriangleCount(shape), {0}, {0}, 0};
    for (int c = 0; c < 3; ++c) {
        surface.middle[c] = 0.5 * ((double)lower[c] + (double)upper[c]);
        surface.half[c] = 0.5 * ((double)upper[c] - (double)lower[c]);
        surface.near = fmax(surface.near, 2 * tolerance * surface.half[c]);
    }
    return surface;
}

static double coordinate(const Surface* surface, int triangle, int corner, int axis) {
    int point = surface->triangles[3 * (size_t)triangle + (size_t)corner];
    return surface->points[3 * (size_t)point + (size_t)axis] - surface->middle[axis];
}

/* Whether a triangle lies in one of the two end planes of an axis. */
static bool lies_at_end(const Surface* surface, int triangle, int axis) {
    for (int side = -1; side <= 1; side += 2) {
        bool all = true;
        for (int k = 0; k < 3; ++k) {
            all = all && fabs(coordinate(surface, triangle, k, axis) - side * surface->half[axis]) <= surface->near;
        }
        if (all) {
            return true;
        }
    }
    return false;
}

static bool is_box(const Surface* surface) {
    for (int t = 0; t < surface->triangleCount; ++t) {
        if (!lies_at_end(surface, t, 0) && !lies_at_end(surface, t, 1) && !lies_at_end(surface, t, 2)) {
            return false;
        }
    }
    return true;
}

static double radius_at(const Surface* surface, int triangle, int corner, int axis) {
    return hypot(coordinate(surface, triangle, corner, (axis + 1) % 3),
                 coordinate(surface, triangle, corner, (axis + 2) % 3));
}

/* All triangles are at an end, on the outer circle, or on the inner one, if there is one (`inner` is 0 if not). */
static bool is_round(const Surface* surface, int axis, double* outer, double* inner) {
    *outer = 0, *inner = 0;
    for (int t = 0; t < surface->triangleCount; ++t) {
        for (int k = 0; k < 3; ++k) {
            *outer = fmax(*outer, radius_at(surface, t, k, axis));
        }
    }
    for (int t = 0; t < surface->triangleCount; ++t) {
        double radius = radius_at(surface, t, 0, axis);
        if (lies_at_end(surface, t, axis)) {
            continue;
        }
        for (int k = 1; k < 3; ++k) {
            if (fabs(radius_at(surface, t, k, axis) - radius) > surface->near) {
                return false;
            }
        }
        if (fabs(radius - *outer) <= surface->near) {
            continue;
        }
        if (*inner > 0 && fabs(radius - *inner) > surface->near) {
            return false;
        }
        *inner = radius;
    }
    return *outer > 0;
}

lbResult lb_recognize_solid(const lbShape* shape, lbSolid* solid) {
    Surface surface = measure(shape);
    lbShapeReport report;
    LB_TRY(lbShape_Inspect(shape, &report));
    *solid = (lbSolid){.middle = vec3d(surface.middle[0], surface.middle[1], surface.middle[2])};
    bool sound = report.oriented && report.volume > 0 && report.componentCount == 1;
    if (sound && report.eulerNumber == 2 && is_box(&surface)) {
        solid->def = lbDefaultTetGeneratorDef(lb_shapeBox);
        solid->axis = 1;
        for (int c = 0; c < 3; ++c) {
            solid->def.size[c] = 2 * surface.half[c];
        }
        return lb_success();
    }
    for (int turn = 0; sound && turn < 3; ++turn) {
        int axis = (turn + 1) % 3; /* y first: a shape of three measures alike is then as the generators make it */
        double outer, inner;
        if (is_round(&surface, axis, &outer, &inner) && report.eulerNumber == (inner > 0 ? 0 : 2)) {
            solid->def = lbDefaultTetGeneratorDef(inner > 0 ? lb_shapeTube : lb_shapeCylinder);
            solid->axis = axis;
            solid->def.radius = outer;
            solid->def.innerRadius = inner;
            solid->def.length = 2 * surface.half[axis];
            return lb_success();
        }
    }
    return lb_error(lb_errorArgument,
                    "the shape has no structured mesh; expected a closed box, cylinder or tube along an "
                    "axis (a mesh of tets fits any shape)");
}

void lb_place_solid(const lbSolid* solid, lbTetMesh* mesh) {
    int shift = (solid->axis + 2) % 3; /* y goes to the axis; turning all axes in a circle keeps volumes positive */
    const double middle[3] = {solid->middle.x, solid->middle.y, solid->middle.z};
    for (int i = 0; i < mesh->pointCount; ++i) {
        double* p = mesh->points + 3 * (size_t)i;
        const double old[3] = {p[0], p[1], p[2]};
        for (int c = 0; c < 3; ++c) {
            p[(c + shift) % 3] = old[c] + middle[(c + shift) % 3];
        }
    }
}
