#include "body/dynamic/measure.h"

#include <stdio.h>

lbEnergy lb_dynamic_energy(const lbBody* base) {
    const lbDynamicBody* body = lb_dynamic_const(base);
    const lbDynamicModel* model = body->model;
    lbEnergy energy = {0};
    for (int i = 0; i < model->lawCount; ++i) {
        lbLawInstance law = lb_law_with(&model->laws[i], body->shared);
        energy.elastic += lb_law_energy(&law, lb_activation(body, i), body->x);
    }
    for (int i = 0; i < model->nodeCount; ++i) {
        double mass = model->mass[i];
        lbVec3d v = vec3d_load(body->v + 4 * (size_t)i);
        energy.kinetic += 0.5 * mass * vec3d_dot(v, v);
        energy.gravity -= mass * vec3d_dot(vec3d_from(body->base.gravity), vec3d_load(body->x + 4 * (size_t)i));
    }
    return energy;
}

static void store(double* out, lbVec3d a) {
    out[0] = a.x, out[1] = a.y, out[2] = a.z;
}

lbMomentum lb_dynamic_momentum(const lbBody* base) {
    const lbDynamicBody* body = lb_dynamic_const(base);
    lbVec3d moment = {0, 0, 0}, linear = {0, 0, 0}, angular = {0, 0, 0};
    double total = 0;
    for (int i = 0; i < body->model->nodeCount; ++i) {
        double mass = body->model->mass[i];
        lbVec3d x = vec3d_load(body->x + 4 * (size_t)i), v = vec3d_load(body->v + 4 * (size_t)i);
        total += mass;
        moment = vec3d_madd(moment, mass, x);
        linear = vec3d_madd(linear, mass, v);
        angular = vec3d_madd(angular, mass, vec3d_cross(x, v));
    }
    lbMomentum momentum = {.mass = total};
    store(momentum.center, vec3d_scale(1 / total, moment));
    store(momentum.linear, linear);
    store(momentum.angular, angular);
    return momentum;
}

int lb_dynamic_find_worst(const lbBody* base, double* speed) {
    const lbDynamicBody* body = lb_dynamic_const(base);
    lbVec3d momentum = {0, 0, 0};
    for (int i = 0; i < body->model->nodeCount; ++i) {
        lbVec3 x = vec3_load(body->x + 4 * (size_t)i), v = vec3_load(body->v + 4 * (size_t)i);
        if (!vec3_finite(x) || !vec3_finite(v)) {
            *speed = NAN;
            return i;
        }
        momentum = vec3d_madd(momentum, body->model->mass[i], vec3d_from(v));
    }
    lbVec3d mean = vec3d_scale(1 / body->model->totalMass, momentum);
    double fastest = -1;
    int worst = 0;
    for (int i = 0; i < body->model->nodeCount; ++i) {
        lbVec3d relative = vec3d_sub(vec3d_load(body->v + 4 * (size_t)i), mean);
        double squared = vec3d_dot(relative, relative);
        if (squared > fastest) {
            fastest = squared;
            worst = i;
        }
    }
    *speed = sqrt(fastest);
    return worst;
}

int lb_dynamic_count_inverted(const lbBody* base, char* text, size_t room) {
    const lbDynamicBody* body = lb_dynamic_const(base);
    int total = 0;
    text[0] = 0;
    for (int i = 0; i < body->model->lawCount; ++i) {
        const lbLawInstance* instance = &body->model->laws[i];
        if (instance->law->countInverted == NULL || instance->idle) {
            continue;
        }
        lbRange all;
        lbScope scope = lb_whole_scope(instance, &all);
        int number, count = instance->law->countInverted(&scope, body->x, &number);
        total += count;
        if (count > 0 && !instance->law->comesBack) {
            snprintf(text, room,
                     "%d of %d tetrahedra are flat or inside out, number %d among them: the law '%s' does not bring "
                     "them back",
                     count, body->model->tetCount, number, instance->law->name);
        }
    }
    return total;
}
