/* How a precomputed body's surface moves and answers, in contact space and in velocity space.
 *
 * A force f on a point of the surface does the work f . u_k along mode k, and free controls give way by the inverse of
 * their reaction matrix, C. Within a step of h seconds an impulse p is the force p / h, and a displacement is a
 * velocity times h: the point's velocity changes by Phi C Phi^T p / h^2. In velocity space the unknowns are the rates
 * of the free controls' coefficients, and their matrix is A = h^2 K, K the free controls' reaction matrix. */
#include "body/elastostatic/elastostatic_body.h"

#include <string.h>

void lb_elasto_bind_skin(lbBody* base, lbSurfacePoint place, const lbStep* step, lbSide* side) {
    *side = (lbSide){.body = base, .count = lb_sideOfModes, .step = step}; /* corners stand where nodes would */
    for (int k = 0; k < 3; ++k) {
        side->node[k] = place.corner[k];
        side->weight[k] = place.weight[k];
    }
}

lbVec3d lb_elasto_side_mode(const lbElastostaticBody* body, const lbSide* side, int mode) {
    const lbElastostatic* data = body->data;
    bool halves = data->header->precision == lb_basisFloat16;
    double sum[3] = {0, 0, 0}, scale = (double)data->scales[3 * (size_t)mode];
    for (int k = 0; k < 3; ++k) {
        if (side->weight[k] == 0) {
            continue;
        }
        size_t tile = (size_t)side->node[k] / lb_tilePoints, lane = (size_t)side->node[k] % lb_tilePoints;
        size_t at = (tile * (size_t)body->modeCount + (size_t)mode) * 3 * lb_tilePoints + lane;
        for (size_t c = 0; c < 3; ++c) {
            size_t place = at + c * lb_tilePoints;
            float number =
                halves ? lb_from_half(((const uint16_t*)data->basis)[place]) : ((const float*)data->basis)[place];
            sum[c] += (double)side->weight[k] * scale * (double)number;
        }
    }
    return vec3d(sum[0], sum[1], sum[2]);
}

static lbVec3d side_rest(const lbElastostaticBody* body, const lbSide* side) {
    lbVec3d sum = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        sum = vec3d_madd(sum, (double)side->weight[k], vec3d_load(body->data->rest + 3 * (size_t)side->node[k]));
    }
    return sum;
}

/* m, in the body's own coordinates. */
static lbVec3d place_in(const lbElastostaticBody* body, const lbSide* side, const lbConfiguration* configuration) {
    lbVec3d local = side_rest(body, side);
    for (int k = 0; k < body->modeCount; ++k) {
        if (configuration->c[k] != 0) {
            local = vec3d_madd(local, configuration->c[k], lb_elasto_side_mode(body, side, k));
        }
    }
    const double* t = configuration->translation;
    return vec3d_add(lb_rotate33(configuration->rotation, local), vec3d(t[0], t[1], t[2]));
}

lbVec3 lb_elasto_place(const lbBody* base, const lbSide* side) {
    const lbElastostaticBody* body = lb_elastostatic_const(base);
    return vec3_add(base->position, quat_rotate(base->rotation, vec3_from(place_in(body, side, &body->now))));
}

lbVec3 lb_elasto_travel(const lbBody* base, const lbSide* side) {
    const lbElastostaticBody* body = lb_elastostatic_const(base);
    if (!body->moving && !body->pushed) {
        return vec3(0, 0, 0);
    }
    lbVec3d moved = vec3d_sub(place_in(body, side, &body->next), place_in(body, side, &body->now));
    return quat_rotate(base->rotation, vec3_from(vec3d_scale(1 / side->step->h, moved)));
}

lbVec3d lb_elasto_to_frame(const lbElastostaticBody* body, lbVec3 world) {
    lbVec3 inBody = quat_rotate(quat_conjugate(body->base.rotation), world);
    return lb_unrotate33(body->next.rotation, vec3d_from(inBody));
}

lbVec3 lb_elasto_from_frame(const lbElastostaticBody* body, lbVec3d local) {
    return quat_rotate(body->base.rotation, vec3_from(lb_rotate33(body->next.rotation, local)));
}

void lb_elasto_side_modes(const lbElastostaticBody* body, const lbSide* side, lbVec3d* modes) {
    for (int i = 0; i < body->freeCount; ++i) {
        lbVec3d local = lb_elasto_side_mode(body, side, body->freeModes[i]);
        modes[i] = vec3d_from(lb_elasto_from_frame(body, local));
    }
}

void lb_elasto_push(lbBody* base, const lbSide* side, lbVec3 impulse) {
    lbElastostaticBody* body = lb_elastostatic(base);
    lbVec3d force = vec3d_scale(1 / side->step->h, lb_elasto_to_frame(body, impulse));
    double* work = body->forces;
    for (int k = 0; k < 12 * body->controlCount; ++k) {
        work[k] = vec3d_dot(force, lb_elasto_side_mode(body, side, k));
        body->contact[k] += work[k];
    }
    for (int i = 0; i < body->freeCount; ++i) {
        const double* row = body->compliance + (size_t)i * (size_t)body->freeCount;
        double sum = 0;
        for (int j = 0; j < body->freeCount; ++j) {
            sum += row[j] * work[body->freeModes[j]];
        }
        body->next.c[body->freeModes[i]] += sum;
    }
    body->pushed = body->pushed || body->freeCount > 0;
}

/* Phi C Phi^T / h^2. */
void lb_elasto_compliance(const lbBody* base, const lbSide* side, float c[6]) {
    const lbElastostaticBody* body = lb_elastostatic_const(base);
    double m[9] = {0};
    for (int i = 0; i < body->freeCount; ++i) {
        const double* row = body->compliance + (size_t)i * (size_t)body->freeCount;
        lbVec3d sum = {0, 0, 0};
        for (int j = 0; j < body->freeCount; ++j) {
            sum = vec3d_madd(sum, row[j], lb_elasto_side_mode(body, side, body->freeModes[j]));
        }
        lbVec3d own = lb_elasto_side_mode(body, side, body->freeModes[i]);
        const double p[3] = {own.x, own.y, own.z}, q[3] = {sum.x, sum.y, sum.z};
        for (int k = 0; k < 9; ++k) {
            m[k] += p[k / 3] * q[k % 3];
        }
    }
    /* To the world's axes: columns of R m R^T. */
    double turned[9], full[9];
    lbRigidMap map = lb_elasto_world_map(body, &body->next);
    double r[9], back[9];
    for (int k = 0; k < 9; ++k) {
        r[k] = (double)map.rotation[k];
        back[k] = (double)map.rotation[3 * (k % 3) + k / 3];
    }
    lb_multiply33(r, m, turned);
    lb_multiply33(turned, back, full);
    double scale = 1 / (side->step->h * side->step->h);
    c[0] = (float)(scale * full[0]), c[1] = (float)(scale * full[4]), c[2] = (float)(scale * full[8]);
    c[3] = (float)(scale * full[1]), c[4] = (float)(scale * full[2]), c[5] = (float)(scale * full[5]);
}
