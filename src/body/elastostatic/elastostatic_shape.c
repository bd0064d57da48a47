/* From where controls are to coefficients of modes, and from these to the shape; free controls are where forces
 * balance. */
#include "body/elastostatic/elastostatic_body.h"

#include <string.h>

enum { tileGrain = 64 };

/* The world's gravity in the configuration's frame. */
static lbVec3d local_gravity(const lbElastostaticBody* body, const lbConfiguration* configuration) {
    lbVec3 g = quat_rotate(quat_conjugate(body->base.rotation), body->base.gravity);
    return lb_unrotate33(configuration->rotation, vec3d_from(g));
}

/* Generalised forces from outside on a free control, in the configuration's frame. */
static void local_push(const lbElastostaticBody* body, const lbConfiguration* configuration, int control,
                       double q[12]) {
    const double *push = body->pushes + 12 * (size_t)control, *r = configuration->rotation;
    double turned[9];
    lbVec3d force = lb_unrotate33(r, vec3d(push[0], push[1], push[2]));
    q[0] = force.x, q[1] = force.y, q[2] = force.z;
    lb_multiply33_transposed(r, push + 3, turned); /* R^T Q R: moments are of force and arm */
    lb_multiply33(turned, r, q + 3);
}

/* Coefficients of free controls: where what holds them is what pushes them. */
static void balance_free(lbElastostaticBody* body, lbConfiguration* configuration) {
    const lbElastostatic* data = body->data;
    double* q = body->given;
    for (int i = 0; i < body->freeCount; ++i) {
        configuration->c[body->freeModes[i]] = 0;
    }
    for (int i = 0; i < body->freeCount; ++i) {
        int mode = body->freeModes[i];
        const double* row = data->reaction + (size_t)mode * (size_t)body->modeCount;
        if (mode % 12 == 0) {
            local_push(body, configuration, mode / 12, q + i);
        }
        for (int k = 0; k < body->modeCount; ++k) {
            q[i] -= row[k] * configuration->c[k];
        }
    }
    for (int i = 0; i < body->freeCount; ++i) {
        double sum = 0;
        for (int j = 0; j < body->freeCount; ++j) {
            sum += body->compliance[(size_t)i * (size_t)body->freeCount + (size_t)j] * q[j];
        }
        body->change[i] = sum;
    }
    for (int i = 0; i < body->freeCount; ++i) {
        configuration->c[body->freeModes[i]] = body->change[i];
    }
}

/* All coefficients of controls that are at `maps`, gravity and loads. False: their rotations have no mean. */
bool lb_elasto_configure(lbElastostaticBody* body, const lbControlMap* maps, lbConfiguration* made, double* angle,
                         double* stretch) {
    const lbElastostatic* data = body->data;
    if (!lb_find_frame(data, maps, made, angle, stretch)) {
        return false;
    }
    for (int i = 0; i < body->controlCount; ++i) {
        lb_local_coefficients(data, made, i, &maps[i], made->c + 12 * (size_t)i);
    }
    lbVec3d g = local_gravity(body, made);
    double* loads = made->c + 12 * (size_t)body->controlCount;
    loads[0] = g.x, loads[1] = g.y, loads[2] = g.z;
    for (int i = 0; i < data->header->loadCount; ++i) {
        loads[3 + i] = (double)body->shares[i];
    }
    if (body->freeCount > 0) {
        balance_free(body, made);
    }
    return true;
}

void lb_elasto_copy_configuration(const lbElastostaticBody* body, lbConfiguration* to, const lbConfiguration* from) {
    double* c = to->c;
    memcpy(c, from->c, (size_t)body->modeCount * sizeof(double));
    *to = *from;
    to->c = c;
}

/* The rigid motion from a configuration's frame to the world. */
lbRigidMap lb_elasto_world_map(const lbElastostaticBody* body, const lbConfiguration* configuration) {
    lbRigidMap map;
    const double* r = configuration->rotation;
    for (int k = 0; k < 3; ++k) {
        lbVec3 column = vec3((float)r[k], (float)r[3 + k], (float)r[6 + k]);
        column = quat_rotate(body->base.rotation, column);
        map.rotation[k] = column.x, map.rotation[3 + k] = column.y, map.rotation[6 + k] = column.z;
    }
    const double* t = configuration->translation;
    lbVec3 moved = quat_rotate(body->base.rotation, vec3((float)t[0], (float)t[1], (float)t[2]));
    map.translation = vec3_add(body->base.position, moved);
    return map;
}

typedef struct EvaluateLoop {
    const lbElastostaticBody* body;
    lbRigidMap map;
    float* positions;
} EvaluateLoop;

static void evaluate_tiles(void* context, int begin, int end) {
    const EvaluateLoop* loop = context;
    lb_evaluate_tiles(loop->body->data, loop->body->scaled, &loop->map, begin, end, loop->positions);
}

void lb_elasto_evaluate(lbElastostaticBody* body, lbTasks* tasks, const lbConfiguration* configuration,
                        float* positions) {
    for (int k = 0; k < body->modeCount; ++k) {
        body->scaled[k] = (float)configuration->c[k] * body->data->scales[3 * (size_t)k];
    }
    EvaluateLoop loop = {body, lb_elasto_world_map(body, configuration), positions};
    lb_parallel_for(tasks, body->data->header->tileCount, tileGrain, evaluate_tiles, &loop);
}

/* Where free controls have come to be. */
void lb_elasto_place_free(lbElastostaticBody* body, const lbConfiguration* configuration, lbControlMap* maps) {
    for (int i = 0; i < body->controlCount; ++i) {
        if (body->free[i]) {
            maps[i] = lb_map_of_coefficients(body->data, configuration, i, configuration->c + 12 * (size_t)i);
        }
    }
}
