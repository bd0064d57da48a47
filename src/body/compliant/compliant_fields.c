/* What a compliant body can be coloured by: bem/surface_energy.h has the closed form. Under a probe the traction is
 * known, and counts. */
#include "body/compliant/compliant_body.h"

#include <string.h>

bool lb_compliant_has_field(const lbBody* body, lbFieldKind kind) {
    (void)body;
    return kind == lb_fieldEnergyDensity || kind == lb_fieldAreaChange || kind == lb_fieldVolumeChange;
}

static lbVec3 displacement(const lbCompliantBody* body, int point) {
    int at = body->data->freeOf[point];
    return at >= 0 ? vec3_load(body->now + 3 * (size_t)at) : vec3(0, 0, 0);
}

/* Pa, of all that touches it. */
static lbVec3 traction(const lbCompliantBody* body, int point) {
    int at = body->data->freeOf[point];
    if (at < 0) {
        return vec3(0, 0, 0);
    }
    const double *f = body->touch.forces + 3 * (size_t)at, *g = body->rowForces + 3 * (size_t)at;
    float area = body->data->areas[point];
    return vec3((float)(f[0] + g[0]) / area, (float)(f[1] + g[1]) / area, (float)(f[2] + g[2]) / area);
}

static float triangle_value(const lbCompliantBody* body, lbFieldKind kind, int t) {
    const lbEnergyTriangle* triangle = &((const lbCompliantModel*)body->base.model)->energies[t];
    const int* corner = body->data->triangles + 3 * (size_t)t;
    lbVec3 first = displacement(body, corner[0]), ub = vec3_sub(displacement(body, corner[1]), first);
    lbVec3 uc = vec3_sub(displacement(body, corner[2]), first);
    lbVec3 pressed =
        vec3_add(traction(body, corner[0]), vec3_add(traction(body, corner[1]), traction(body, corner[2])));
    pressed = vec3_scale(1.0f / 3, pressed);
    if (kind == lb_fieldEnergyDensity) {
        return lb_surface_energy(triangle, ub, uc) + lb_traction_energy(triangle, pressed);
    }
    float f1 = vec3_dot(ub, triangle->along), f2 = vec3_dot(ub, triangle->across), g2 = vec3_dot(uc, triangle->across);
    float trace = (triangle->v2 * f1 + triangle->q1 * g2 - triangle->v1 * f2) / (triangle->q1 * triangle->v2);
    float nu = body->data->matter[t].nu, mu = body->data->matter[t].mu;
    if (kind == lb_fieldAreaChange) {
        return trace;
    }
    float up = vec3_dot(pressed, vec3_cross(triangle->along, triangle->across));
    return (1 - 2 * nu) / (1 - nu) * (trace + up / (2 * mu)); /* the normal's strain by the free surface, or the push */
}

void lb_compliant_measure_field(lbBody* base, lbFieldKind kind, float* values) {
    const lbCompliantBody* body = lb_compliant(base);
    const lbResponse* data = body->data;
    memset(values, 0, (size_t)data->pointCount * sizeof(float));
    for (int t = 0; t < data->triangleCount; ++t) {
        const lbEnergyTriangle* triangle = &((const lbCompliantModel*)base->model)->energies[t];
        float value = triangle_value(body, kind, t) * triangle->q1 * triangle->v2 / 6;
        for (int k = 0; k < 3; ++k) {
            values[data->triangles[3 * (size_t)t + (size_t)k]] += value;
        }
    }
    for (int i = 0; i < data->pointCount; ++i) {
        values[i] /= data->areas[i] > 0 ? data->areas[i] : 1;
    }
}
