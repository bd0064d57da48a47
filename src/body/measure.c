#include "body/measure.h"

lbEnergy lb_measure_energy(const lbBody* body) {
    const lbModel* model = body->model;
    lbEnergy energy = {0};
    for (int i = 0; i < model->lawCount; ++i) {
        lbLawInstance law = lb_law_with(&model->laws[i], body->shared);
        energy.elastic += lb_law_energy(&law, lb_activation(body, i), body->x);
    }
    for (int i = 0; i < model->nodeCount; ++i) {
        double mass = model->mass[i];
        lbVec3d v = vec3d_load(body->v + 4 * (size_t)i);
        energy.kinetic += 0.5 * mass * vec3d_dot(v, v);
        energy.gravity -= mass * vec3d_dot(vec3d_from(body->gravity), vec3d_load(body->x + 4 * (size_t)i));
    }
    return energy;
}

static void store(double* out, lbVec3d a) {
    out[0] = a.x, out[1] = a.y, out[2] = a.z;
}

lbMomentum lb_measure_momentum(const lbBody* body) {
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

int lb_find_worst_node(const lbBody* body, double* speed) {
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
