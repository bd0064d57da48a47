#include "verify/bem_stage.h"

#include "base/memory.h"
#include "base/result.h"
#include "shape/shape.h"

#include <string.h>

static lbResult reserve(int pointCount, int triangleCount, double E, double nu, lbBemSpecimen* made) {
    const lbHost* host = lb_resolve_host(NULL);
    *made = (lbBemSpecimen){.points = LB_NEW(host, lbVec3d, pointCount),
                            .triangles = LB_NEW(host, int, 3 * (int64_t)triangleCount),
                            .held = LB_NEW(host, bool, triangleCount),
                            .tractions = LB_NEW(host, double, 9 * (int64_t)triangleCount),
                            .displacements = LB_NEW(host, double, 3 * (int64_t)pointCount)};
    made->boundary = (lbBoundary){host,       pointCount, triangleCount,     made->points, made->triangles,
                                  made->held, nu,         E / (2 * (1 + nu))};
    bool there = made->points != NULL && made->triangles != NULL && made->held != NULL && made->tractions != NULL &&
                 made->displacements != NULL;
    if (!there) {
        lb_free_specimen(made);
    }
    return there ? lb_success() : lb_out_of_memory("a specimen");
}

void lb_free_specimen(lbBemSpecimen* made) {
    const lbHost* host = lb_resolve_host(NULL);
    lb_release(host, made->points);
    lb_release(host, made->triangles);
    lb_release(host, made->held);
    lb_release(host, made->tractions);
    lb_release(host, made->displacements);
    *made = (lbBemSpecimen){0};
}

lbResult lb_make_specimen(const lbShape* shape, double E, double nu, lbBemSpecimen* made) {
    LB_TRY(reserve(shape->pointCount, shape->triangleCount, E, nu, made));
    for (int i = 0; i < shape->pointCount; ++i) {
        made->points[i] = vec3d_load(shape->points + 3 * (size_t)i);
    }
    memcpy(made->triangles, shape->triangles, 3 * (size_t)shape->triangleCount * sizeof(int));
    return lb_success();
}

/* A generated sphere of 10 n^2 + 2 points: the generator is told an edge, and asked until it has as many. */
static lbResult generate_ball(int n, lbShape** shape) {
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeSphere);
    def.radius = 1;
    for (def.edge = 1.3f / (float)n; def.edge > 0.5f / (float)n; def.edge *= 0.98f) {
        LB_TRY(lbGenerateShape(&def, shape));
        if ((*shape)->pointCount == 10 * n * n + 2) {
            return lb_success();
        }
        lbDestroyShape(*shape);
    }
    return lb_error(lb_errorArgument, "the generator has no sphere of %d points", 10 * n * n + 2);
}

lbResult lb_make_ball(double radius, double inner, int n, double E, double nu, lbBemSpecimen* made) {
    lbShape* shape = NULL;
    LB_TRY(generate_ball(n, &shape));
    int walls = inner > 0 ? 2 : 1, points = shape->pointCount, triangles = shape->triangleCount;
    lbResult result = reserve(walls * points, walls * triangles, E, nu, made);
    for (int wall = 0; wall < walls && result.code == lb_ok; ++wall) {
        for (int i = 0; i < points; ++i) {
            lbVec3d p = vec3d_normalize(vec3d_load(shape->points + 3 * (size_t)i));
            made->points[wall * points + i] = vec3d_scale(wall == 0 ? radius : inner, p);
        }
        for (int i = 0; i < 3 * triangles; ++i) { /* the inner wall is turned round */
            int from = wall == 0 ? i : i - i % 3 + (3 - i % 3) % 3;
            made->triangles[wall * 3 * triangles + i] = wall * points + shape->triangles[from];
        }
    }
    lbDestroyShape(shape);
    return result;
}

/* Six faces of a grid; points are found by their whole coordinates. */
lbResult lb_make_block(lbVec3d size, int n, double E, double nu, lbBemSpecimen* made) {
    int points = 6 * n * n + 2, side = n + 1;
    LB_TRY(reserve(points, 12 * n * n, E, nu, made));
    const lbHost* host = lb_resolve_host(NULL);
    int* numbers = LB_NEW(host, int, (int64_t)side* side* side);
    if (numbers == NULL) {
        lb_free_specimen(made);
        return lb_out_of_memory("a specimen");
    }
    int count = 0, triangle = 0;
    for (int i = 0; i < side * side * side; ++i) {
        int x = i / (side * side), y = i / side % side, z = i % side;
        if (x % n == 0 || y % n == 0 || z % n == 0) {
            made->points[count] =
                vec3d(size.x * ((double)x / n - 0.5), size.y * ((double)y / n - 0.5), size.z * ((double)z / n - 0.5));
            numbers[i] = count++;
        }
    }
    for (int face = 0; face < 6; ++face) {
        int axis = face / 2, stride[3] = {side * side, side, 1}, base = face % 2 * n * stride[axis];
        int u = stride[(axis + 1) % 3], v = stride[(axis + 2) % 3];
        for (int q = 0; q < n * n; ++q) {
            int at = base + q / n * u + q % n * v;
            int corner[4] = {numbers[at], numbers[at + u], numbers[at + u + v], numbers[at + v]};
            bool out = face % 2 == 1, flip = (q / n + q % n) % 2 == 1;
            const int halves[2][2][3] = {{{0, 1, 2}, {0, 2, 3}}, {{0, 1, 3}, {1, 2, 3}}};
            for (int h = 0; h < 2; ++h, ++triangle) {
                for (int k = 0; k < 3; ++k) {
                    made->triangles[3 * triangle + (out ? k : 2 - k)] = corner[halves[flip][h][k]];
                }
            }
        }
    }
    lb_release(host, numbers);
    return lb_success();
}

lbVec3d lb_specimen_normal(const lbBemSpecimen* made, int t) {
    const int* corner = made->triangles + 3 * (size_t)t;
    lbVec3d a = made->points[corner[0]];
    return vec3d_normalize(vec3d_cross(vec3d_sub(made->points[corner[1]], a), vec3d_sub(made->points[corner[2]], a)));
}

lbVec3d lb_specimen_center(const lbBemSpecimen* made, int t) {
    const int* corner = made->triangles + 3 * (size_t)t;
    lbVec3d sum = vec3d_add(made->points[corner[0]], vec3d_add(made->points[corner[1]], made->points[corner[2]]));
    return vec3d_scale(1.0 / 3, sum);
}

int lb_hold_above(lbBemSpecimen* made, lbVec3d normal, double offset) {
    int count = 0;
    for (int t = 0; t < made->boundary.triangleCount; ++t) {
        made->held[t] = vec3d_dot(normal, lb_specimen_center(made, t)) > offset;
        count += made->held[t];
    }
    return count;
}
