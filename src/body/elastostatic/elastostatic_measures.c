/* Energy and place of a precomputed body as a whole. */
#include "body/elastostatic/elastostatic_body.h"

/* Controls and loads store energy apart: a load does no work on what controls do (Betti). */
lbEnergy lb_elasto_energy(const lbBody* base) {
    const lbElastostaticBody* body = lb_elastostatic_const(base);
    const lbElastostatic* data = body->data;
    const double* c = body->now.c;
    int controls = 12 * body->controlCount, loads = 3 + data->header->loadCount;
    double stored = 0;
    for (int i = 0; i < controls; ++i) {
        for (int j = 0; j < controls; ++j) {
            stored += 0.5 * c[i] * data->reaction[(size_t)i * (size_t)body->modeCount + (size_t)j] * c[j];
        }
    }
    for (int i = 0; i < loads; ++i) {
        for (int j = 0; j < loads; ++j) {
            stored += 0.5 * c[controls + i] * data->work[(size_t)(controls + i) * (size_t)loads + (size_t)j] *
                      c[controls + j];
        }
    }
    lbMomentum momentum = base->ops->momentum(base);
    lbVec3d x = {momentum.center[0], momentum.center[1], momentum.center[2]};
    return (lbEnergy){.elastic = stored, .gravity = -base->mass * vec3d_dot(vec3d_from(base->gravity), x)};
}

lbMomentum lb_elasto_momentum(const lbBody* base) {
    const lbElastostaticBody* body = lb_elastostatic_const(base);
    const lbElastostatic* data = body->data;
    const lbImageHeader* header = data->header;
    size_t loads = 3 + (size_t)header->loadCount;
    double local[3];
    for (int c = 0; c < 3; ++c) {
        local[c] = header->center[c];
        for (size_t k = 0; k < (size_t)body->modeCount; ++k) {
            local[c] += body->now.c[k] * data->work[k * loads + (size_t)c] / header->mass;
        }
    }
    const double* t = body->now.translation;
    lbVec3d place = lb_rotate33(body->now.rotation, vec3d(local[0], local[1], local[2]));
    place = vec3d_add(place, vec3d(t[0], t[1], t[2]));
    lbVec3 world = vec3_add(base->position, quat_rotate(base->rotation, vec3_from(place)));
    return (lbMomentum){base->mass, {(double)world.x, (double)world.y, (double)world.z}, {0, 0, 0}, {0, 0, 0}};
}

int lb_elasto_find_worst(const lbBody* base, double* speed) {
    const lbElastostaticBody* body = lb_elastostatic_const(base);
    *speed = 0;
    for (int k = 0; k < body->modeCount; ++k) {
        if (!isfinite(body->now.c[k])) {
            *speed = NAN;
            return k / 12;
        }
    }
    return 0;
}
