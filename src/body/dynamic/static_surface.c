/* Pressure and wind on a surface at rest, in double (surface_forces.c has the same for bodies that move). */
#include "body/dynamic/static_body.h"

/* Where a skin point is. */
static lbVec3d skin_place(const lbStaticBody* made, const double* u, int point) {
    const lbSkin* skin = &made->body->model->skin;
    lbVec3d sum = {0, 0, 0};
    double weights = 0;
    for (int k = 0; k < skin->width; ++k) {
        size_t at = (size_t)point * (size_t)skin->width + (size_t)k;
        int node = skin->nodes[at];
        weights += (double)skin->weights[at];
        sum = vec3d_madd(sum, (double)skin->weights[at], vec3d_add(made->rest[node], lb_displaced(u, node)));
    }
    return vec3d_scale(1 / weights, sum); /* rounded weights do not quite sum to one */
}

static void push_skin(const lbStaticBody* made, int point, lbVec3d force, double* f) {
    const lbSkin* skin = &made->body->model->skin;
    for (int k = 0; k < skin->width; ++k) {
        size_t at = (size_t)point * (size_t)skin->width + (size_t)k;
        double *node = f + 3 * (size_t)skin->nodes[at], weight = (double)skin->weights[at];
        node[0] += weight * force.x, node[1] += weight * force.y, node[2] += weight * force.z;
    }
}

/* Twice the area of a triangle, along its normal. */
static lbVec3d double_area(const lbVec3d place[3]) {
    return vec3d_cross(vec3d_sub(place[1], place[0]), vec3d_sub(place[2], place[0]));
}

static void places_of(const lbStaticBody* made, const double* u, int triangle, lbVec3d place[3]) {
    const int* corner = lbShape_GetTriangles(made->body->model->base.shape) + 3 * (size_t)triangle;
    for (int k = 0; k < 3; ++k) {
        place[k] = skin_place(made, u, corner[k]);
    }
}

static void push_triangle(const lbStaticBody* made, int triangle, lbVec3d force, double* f) {
    const int* corner = lbShape_GetTriangles(made->body->model->base.shape) + 3 * (size_t)triangle;
    for (int k = 0; k < 3; ++k) {
        push_skin(made, corner[k], force, f);
    }
}

void lb_add_static_surface_forces(const lbStaticBody* made, const double* u, double share, double* f) {
    const lbBody* base = &made->body->base;
    lbVec3d place[3];
    for (int i = 0; i < base->pressureCount; ++i) {
        const lbPressure* pressure = &base->pressures[i];
        for (int t = 0; t < pressure->triangleCount; ++t) {
            places_of(made, u, pressure->triangles[t], place);
            lbVec3d force = vec3d_scale(-share * (double)pressure->pascals / 6, double_area(place));
            push_triangle(made, pressure->triangles[t], force, f);
        }
    }
    double drag = share * (double)made->body->motion.windDrag;
    for (int t = 0; drag > 0 && t < lbShape_GetTriangleCount(made->body->model->base.shape); ++t) {
        places_of(made, u, t, place);
        lbVec3d area = double_area(place), normal = vec3d_normalize(area);
        push_triangle(made, t, vec3d_scale(drag * vec3d_dot(vec3d_from(base->wind), normal) / 6, area), f);
    }
}

/* The node that a skin point is; -1: it hangs on several. */
static int node_of(const lbStaticBody* made, int point) {
    const lbSkin* skin = &made->body->model->skin;
    for (int k = 0; k < skin->width; ++k) {
        size_t at = (size_t)point * (size_t)skin->width + (size_t)k;
        if (skin->weights[at] > 0.999999f) {
            return skin->nodes[at];
        }
    }
    return -1;
}

/* Twice the area, a x b + b x c + c x a, changes by da x (b - c) + db x (c - a) + dc x (a - b). */
static void add_triangle(const lbStaticBody* made, const lbVec3d place[3], const int nodes[3], double scale) {
    double K[9][9], symmetric[81];
    for (int l = 0; l < 3; ++l) {
        lbVec3d w = vec3d_scale(scale, vec3d_sub(place[(l + 1) % 3], place[(l + 2) % 3]));
        const double cross[3][3] = {{0, w.z, -w.y}, {-w.z, 0, w.x}, {w.y, -w.x, 0}}; /* d -> d x w */
        for (int k = 0; k < 27; ++k) {
            K[3 * (k / 9) + k / 3 % 3][3 * l + k % 3] = cross[k / 3 % 3][k % 3];
        }
    }
    for (int k = 0; k < 81; ++k) {
        symmetric[k] = 0.5 * (K[k / 9][k % 9] + K[k % 9][k / 9]);
    }
    lb_add_element_stiffness(&made->stiffness, 3, nodes, symmetric);
}

void lb_add_pressure_stiffness(const lbStaticBody* made, const double* u, double share) {
    const lbBody* base = &made->body->base;
    const int* triangles = lbShape_GetTriangles(made->body->model->base.shape);
    for (int i = 0; i < base->pressureCount; ++i) {
        const lbPressure* pressure = &base->pressures[i];
        for (int t = 0; t < pressure->triangleCount; ++t) {
            const int* corner = triangles + 3 * (size_t)pressure->triangles[t];
            int nodes[3] = {node_of(made, corner[0]), node_of(made, corner[1]), node_of(made, corner[2])};
            if (nodes[0] >= 0 && nodes[1] >= 0 && nodes[2] >= 0) {
                lbVec3d place[3];
                places_of(made, u, pressure->triangles[t], place);
                add_triangle(made, place, nodes, share * (double)pressure->pascals / 6);
            }
        }
    }
}
