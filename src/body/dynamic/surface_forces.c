/* Forces on the surface: pressure and wind. They are made on skin points, triangle by triangle, and reach the nodes by
 * the transpose of the skin, once a point. */
#include "body/dynamic/surface_forces.h"

#include <string.h>

/* Pressure pushes against the outward normal of the triangles as they are now. */
static void add_pressure(const lbDynamicBody* body, const lbPressure* pressure) {
    const int* triangles = lbShape_GetTriangles(body->model->base.shape);
    for (int t = 0; t < pressure->triangleCount; ++t) {
        const int* corner = triangles + 3 * (size_t)pressure->triangles[t];
        lbVec3 a = vec3_load(body->base.skinX + 3 * (size_t)corner[0]);
        lbVec3 ab = vec3_sub(vec3_load(body->base.skinX + 3 * (size_t)corner[1]), a);
        lbVec3 ac = vec3_sub(vec3_load(body->base.skinX + 3 * (size_t)corner[2]), a);
        lbVec3 force = vec3_scale(-pressure->pascals / 6, vec3_cross(ab, ac));
        for (int k = 0; k < 3; ++k) {
            float* f = body->skinF + 3 * (size_t)corner[k];
            vec3_store(f, vec3_add(vec3_load(f), force));
        }
    }
}

/* Each triangle is pushed along its normal, by its area and how fast the wind meets it. */
static void add_wind(const lbDynamicBody* body) {
    const int* triangles = lbShape_GetTriangles(body->model->base.shape);
    for (int t = 0; t < lbShape_GetTriangleCount(body->model->base.shape); ++t) {
        lbVec3 place[3], wind = body->base.wind;
        for (int k = 0; k < 3; ++k) {
            size_t corner = (size_t)triangles[3 * (size_t)t + (size_t)k];
            place[k] = vec3_load(body->base.skinX + 3 * corner);
            wind = vec3_madd(wind, -1.0f / 3, vec3_load(body->base.skinV + 3 * corner));
        }
        lbVec3 doubleArea = vec3_cross(vec3_sub(place[1], place[0]), vec3_sub(place[2], place[0]));
        lbVec3 normal = vec3_normalize(doubleArea);
        lbVec3 force = vec3_scale(body->motion.windDrag * vec3_dot(wind, normal) / 6, doubleArea);
        for (int k = 0; k < 3; ++k) {
            float* f = body->skinF + 3 * (size_t)triangles[3 * (size_t)t + (size_t)k];
            vec3_store(f, vec3_add(vec3_load(f), force));
        }
    }
}

static void carry_to_nodes(const lbDynamicBody* body, float* f) {
    const lbSkin* skin = &body->model->skin;
    for (int i = 0; i < skin->pointCount; ++i) {
        lbVec3 force = vec3_load(body->skinF + 3 * (size_t)i);
        for (int k = 0; k < skin->width; ++k) {
            size_t at = (size_t)i * (size_t)skin->width + (size_t)k;
            float* node = f + 4 * (size_t)skin->nodes[at];
            vec3_store(node, vec3_madd(vec3_load(node), skin->weights[at], force));
        }
    }
}

void lb_add_surface_forces(lbDynamicBody* body, const float* x, const float* v, float* f) {
    if (body->base.pressureCount == 0 && !(body->motion.windDrag > 0)) {
        return;
    }
    lb_skin_evaluate(&body->model->skin, body->base.tasks, x, body->base.skinX);
    lb_skin_evaluate(&body->model->skin, body->base.tasks, v, body->base.skinV);
    memset(body->skinF, 0, 3 * (size_t)body->model->skin.pointCount * sizeof(float));
    for (int i = 0; i < body->base.pressureCount; ++i) {
        add_pressure(body, &body->base.pressures[i]);
    }
    if (body->motion.windDrag > 0) {
        add_wind(body);
    }
    carry_to_nodes(body, f);
}

double lb_wind_damping(const lbDynamicBody* body) {
    double fastest = 0;
    const lbSkin* skin = &body->model->skin;
    for (int i = 0; body->motion.windDrag > 0 && i < skin->pointCount; ++i) {
        double answer = 0;
        for (int k = 0; k < skin->width; ++k) {
            size_t at = (size_t)i * (size_t)skin->width + (size_t)k;
            answer += (double)(skin->weights[at] * skin->weights[at] * body->model->inverseMass[skin->nodes[at]]);
        }
        fastest = fmax(fastest, (double)(body->motion.windDrag * body->model->base.skinAreas[i]) * answer);
    }
    return fastest;
}
