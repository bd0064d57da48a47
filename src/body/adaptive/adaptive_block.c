/* An adaptive body in an island whose step is a linear system. Its velocities are known by then: what is sought is how
 * impulses change them, A being its mass.
 *
 * Sides name nodes that may not be active. So vectors hold all nodes: those of velocities obey the rows, those of
 * impulses are handed to the active nodes before anything is divided by a mass. */
#include "body/adaptive/adaptive_body.h"

#include "base/assert.h"

#include <string.h>

bool lb_adaptive_is_implicit(const lbBody* body) {
    (void)body;
    return false;
}

static float* take_vector(lbAdaptiveBody* body) {
    return lb_arena_take(&body->scratch, 4 * (size_t)lb_all_nodes(body) * sizeof(float));
}

static void measure_whole(lbAdaptiveBody* body) {
    lbVec3d moment = {0, 0, 0};
    for (int k = 0; k < body->set.activeCount; ++k) {
        size_t node = (size_t)body->scopes.active[k];
        moment = vec3d_madd(moment, (double)body->mass[node], vec3d_load(body->x + 4 * node));
    }
    lbVec3d center = vec3d_scale(1 / body->model->totalMass, moment);
    double* j = body->inertia;
    memset(j, 0, sizeof(body->inertia));
    for (int k = 0; k < body->set.activeCount; ++k) {
        size_t node = (size_t)body->scopes.active[k];
        lbVec3d d = vec3d_sub(vec3d_load(body->x + 4 * node), center);
        double m = (double)body->mass[node];
        j[0] += m * (d.y * d.y + d.z * d.z), j[1] += m * (d.x * d.x + d.z * d.z), j[2] += m * (d.x * d.x + d.y * d.y);
        j[3] -= m * d.x * d.y, j[4] -= m * d.x * d.z, j[5] -= m * d.y * d.z;
    }
    body->center[0] = center.x, body->center[1] = center.y, body->center[2] = center.z;
}

void lb_adaptive_open_block(lbBody* base, lbBlock* block) {
    lbAdaptiveBody* body = lb_adaptive(base);
    size_t size = 4 * (size_t)lb_all_nodes(body);
    LB_ASSERT(body->scratch.used == 0);
    lb_adaptive_pull_all(body);
    measure_whole(body);
    /* Its mass answers at once: motions as a whole need no help. */
    *block = (lbBlock){.count = lb_all_nodes(body),
                       .free = false,
                       .mass = body->model->totalMass,
                       .center = vec3d(body->center[0], body->center[1], body->center[2])};
    memcpy(block->inertia, body->inertia, sizeof(block->inertia));
    block->dv = lb_arena_take(&body->scratch, size * sizeof(double));
    block->b = take_vector(body);
    block->r = take_vector(body), block->z = take_vector(body);
    block->p = take_vector(body), block->q = take_vector(body);
    memset(block->dv, 0, size * sizeof(double));
    memset(block->b, 0, size * sizeof(float));
}

bool lb_adaptive_add_resistance(lbBody* body, const lbSide* side, const float s[6]) {
    (void)body, (void)side, (void)s;
    return false;
}

void lb_adaptive_close_block(lbBody* body, lbBlock* block) {
    (void)body, (void)block;
}

void lb_adaptive_end_block(lbBody* base) {
    lb_adaptive(base)->scratch.used = 0;
    lb_adaptive(base)->pulled = false;
}

void lb_adaptive_project(lbBody* base, float* p) {
    const lbAdaptiveBody* body = lb_adaptive(base);
    for (int i = 0; i < body->heldCount; ++i) {
        float* node = p + 4 * (size_t)body->held[i].node;
        if (lb_is_active(&body->set, body->held[i].node)) {
            vec3_store(node, lb_filter(body->held[i].filter, vec3_load(node)));
        }
    }
}

void lb_adaptive_multiply(lbBody* base, const float* p, float* q) {
    const lbAdaptiveBody* body = lb_adaptive(base);
    for (int i = 0; i < lb_all_nodes(body); ++i) { /* masses of others are 0 */
        for (int c = 0; c < 4; ++c) {
            q[4 * (size_t)i + (size_t)c] = body->mass[i] * p[4 * (size_t)i + (size_t)c];
        }
    }
    lb_adaptive_project(base, q);
}

void lb_adaptive_residual(lbBody* base, const double* dv, const float* b, float* r) {
    const lbAdaptiveBody* body = lb_adaptive(base);
    for (size_t i = 0; i < 4 * (size_t)lb_all_nodes(body); ++i) {
        r[i] = (float)((double)b[i] - (double)body->mass[i / 4] * dv[i]);
    }
    lb_adaptive_project(base, r);
}

/* z = W M^-1 W^T r */
void lb_adaptive_precondition(lbBody* base, const float* r, float* z) {
    lbAdaptiveBody* body = lb_adaptive(base);
    size_t size = 4 * (size_t)lb_all_nodes(body);
    for (size_t i = 0; i < size; ++i) {
        body->numbers[i] = (double)r[i];
    }
    lb_push_all(&body->set, 4, body->numbers);
    for (size_t i = 0; i < size; ++i) {
        z[i] = (float)(body->numbers[i] * (double)body->inverseMass[i / 4]);
    }
    lb_adaptive_project(base, z);
    lb_pull_all(&body->set, z);
}

void lb_adaptive_reduce(lbBody* base, const lbBlock* block, const float* r, double whole[6]) {
    const lbAdaptiveBody* body = lb_adaptive(base);
    memset(whole, 0, 6 * sizeof(double));
    for (int i = 0; i < lb_all_nodes(body); ++i) {
        lbVec3d p = vec3d_load(r + 4 * (size_t)i);
        lbVec3d t = vec3d_cross(vec3d_sub(vec3d_load(body->x + 4 * (size_t)i), block->center), p);
        whole[0] += p.x, whole[1] += p.y, whole[2] += p.z;
        whole[3] += t.x, whole[4] += t.y, whole[5] += t.z;
    }
}

void lb_adaptive_expand(lbBody* base, const lbBlock* block, const double whole[6], float* z) {
    const lbAdaptiveBody* body = lb_adaptive(base);
    lbVec3d v = {whole[0], whole[1], whole[2]}, w = {whole[3], whole[4], whole[5]};
    for (int i = 0; i < lb_all_nodes(body); ++i) {
        lbVec3d arm = vec3d_sub(vec3d_load(body->x + 4 * (size_t)i), block->center);
        float* at = z + 4 * (size_t)i;
        vec3_store(at, vec3_from(vec3d_add(vec3d_load(at), vec3d_add(v, vec3d_cross(w, arm)))));
    }
}
