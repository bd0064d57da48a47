/* A dynamic body as its integrator sees it: forces, tangents, what is held. */
#include "body/dynamic/dynamic_body.h"

#include "base/clock.h"
#include "body/dynamic/assembly.h"
#include "body/dynamic/surface_forces.h"

#include <string.h>

/* ---- Forces ------------------------------------------------------------------------------------------------------ */

typedef struct NodeLoop {
    const lbDynamicBody* body;
    const float* v;
    float* f;
} NodeLoop;

static void zero_nodes(void* context, int begin, int end) {
    const NodeLoop* loop = context;
    memset(loop->f + 4 * (size_t)begin, 0, 4 * (size_t)(end - begin) * sizeof(float));
}

/* Gravity, damping of the motion as a whole, and constant loads. */
static void add_node_forces(void* context, int begin, int end) {
    const NodeLoop* loop = context;
    const lbDynamicBody* body = loop->body;
    float drag = body->model->material.massDamping;
    float gravity[4] = {body->base.gravity.x, body->base.gravity.y, body->base.gravity.z, 0};
    for (int i = begin; i < end; ++i) {
        float mass = body->model->mass[i];
        for (int c = 0; c < 4; ++c) {
            size_t at = 4 * (size_t)i + (size_t)c;
            loop->f[at] += mass * (gravity[c] - drag * loop->v[at]) + body->load[at];
        }
    }
    for (size_t at = 4 * (size_t)begin; body->preloaded && at < 4 * (size_t)end; ++at) {
        loop->f[at] += body->preload[at] / (float)body->step;
    }
}

/* An elastic law comes before the averages of its volumes; both are evaluated together where they can be. */
static void add_law_forces(lbDynamicBody* body, lbMoment moment, const float* x, const float* v, float* f) {
    const lbLawInstance* laws = body->model->laws;
    for (int i = 0; i < body->model->lawCount; ++i) {
        lbLawInstance law = lb_law_with(&laws[i], body->shared);
        if (i + 1 < body->model->lawCount && lb_go_together(&laws[i], &laws[i + 1])) {
            lbLawInstance averages = lb_law_with(&laws[i + 1], body->shared);
            lb_add_forces_together(&law, &averages, body->base.tasks, lb_activation(body, i), moment, x, v, f);
            ++i;
        } else {
            lb_add_law_forces(&law, body->base.tasks, lb_activation(body, i), moment, x, v, f);
        }
    }
}

/* Laws are shown velocities of their own. */
static void add_up_forces(lbDynamicBody* body, lbMoment moment, const float* x, const float* v, const float* lawV,
                          float* f) {
    double start = lb_seconds();
    NodeLoop loop = {body, v, f};
    lb_parallel_for(body->base.tasks, body->model->nodeCount, nodeGrain, zero_nodes, &loop);
    add_law_forces(body, moment, x, lawV, f);
    lb_add_surface_forces(body, x, v, f);
    lb_parallel_for(body->base.tasks, body->model->nodeCount, nodeGrain, add_node_forces, &loop);
    body->base.forceSeconds += lb_seconds() - start;
}

void lb_body_forces(lbDynamicBody* body, lbMoment moment, const float* x, const float* v, float* f) {
    add_up_forces(body, moment, x, v, v, f);
}

/* ---- The system that integrators see ----------------------------------------------------------------------------- */

static void project(void* self, float* p) {
    const lbDynamicBody* body = self;
    for (int i = 0; i < body->heldCount; ++i) {
        float* node = p + 4 * (size_t)body->held[i].node;
        vec3_store(node, lb_filter(body->held[i].filter, vec3_load(node)));
    }
}

static void divide_by_mass(void* context, int begin, int end) {
    const NodeLoop* loop = context;
    const float* inverseMass = loop->body->model->inverseMass;
    for (int i = begin; i < end; ++i) {
        for (int c = 0; c < 4; ++c) {
            loop->f[4 * (size_t)i + (size_t)c] *= inverseMass[i];
        }
    }
}

static void elastic_acceleration(void* self, double time, const float* x, const float* v, const float* lawV, float* a) {
    lbDynamicBody* body = self;
    add_up_forces(body, (lbMoment){time, body->step}, x, v, lawV, a);
    NodeLoop loop = {body, v, a};
    lb_parallel_for(body->base.tasks, body->model->nodeCount, nodeGrain, divide_by_mass, &loop);
    project(body, a);
}

static void acceleration(void* self, double time, const float* x, const float* v, float* a) {
    elastic_acceleration(self, time, x, v, v, a);
}

static void tangent(void* self, const float* x, float a, float b, const float* p, float* y) {
    const lbDynamicBody* body = self;
    for (int i = 0; i < body->model->lawCount; ++i) {
        lbLawInstance law = lb_law_with(&body->model->laws[i], body->shared);
        lb_add_law_tangent(&law, body->base.tasks, lb_activation(body, i), x, a, b, p, y);
    }
    float drag = b * body->model->material.massDamping;
    for (int i = 0; i < body->model->nodeCount; ++i) {
        for (int c = 0; c < 3; ++c) {
            y[4 * (size_t)i + (size_t)c] -= drag * body->model->mass[i] * p[4 * (size_t)i + (size_t)c];
        }
    }
}

/* Drag at the next velocity: m v' = m v - h g v' (Stokes), or - h g |v'| v' (Newton), solved for v'. It brakes, and
 * never turns a point round. */
static void damp(void* self, double h, float* v) {
    const lbDynamicBody* body = self;
    float g = (float)h * body->motion.pointDamping.coefficient;
    for (int i = 0; i < body->model->nodeCount; ++i) {
        float ratio = g * body->model->inverseMass[i];
        lbVec3 velocity = vec3_load(v + 4 * (size_t)i);
        if (body->motion.pointDamping.form == lb_pointDampingNewton) {
            float drag = ratio * vec3_length(velocity); /* |v'| solves r |v'|^2 + |v'| - |v| = 0 */
            ratio = 0.5f * (sqrtf(1 + 4 * drag) - 1);
        }
        vec3_store(v + 4 * (size_t)i, vec3_scale(1 / (1 + ratio), velocity));
    }
}

static void assemble(void* self, const float* x, float a, float b, lbTangentKind kind) {
    lb_assemble_pairs(self, x, a, b, kind);
}

static void complete(void* self, float mass, float b, const float* extraMass) {
    lb_complete_matrix(self, mass, b, extraMass);
}

lbSystem lb_body_system(lbDynamicBody* body) {
    return (lbSystem){
        .count = body->model->nodeCount,
        .mass = body->model->mass,
        .x = body->x,
        .v = body->v,
        .acceleration = acceleration,
        .elasticAcceleration = elastic_acceleration,
        .tangent = tangent,
        .project = project,
        .damp = body->motion.pointDamping.coefficient > 0 ? damp : NULL,
        .heldCount = body->heldCount,
        .turnsFreely = body->base.pressureCount == 0 && !(body->motion.windDrag > 0),
        .assemble = body->matrix.values != NULL ? assemble : NULL,
        .complete = body->matrix.values != NULL ? complete : NULL,
        .matrix = body->matrix,
        .grids = body->matrix.values != NULL && body->matrix.elements == NULL ? lb_model_grids(body->model) : NULL,
        .solve = &body->solve,
        .self = body,
        .settings = &body->motion.settings,
        .tasks = body->base.tasks,
        .scratch = &body->scratch,
    };
}

lbMotionBound lb_body_bound(lbDynamicBody* body) {
    size_t used = body->scratch.used;
    float* blocks = lb_arena_take(&body->scratch, lb_boundNumbers * (size_t)body->model->nodeCount * sizeof(float));
    lbMotionBound bound = lb_bound_motion(body->model, body->activation, body->x, blocks);
    bound.damping += lb_wind_damping(body);
    body->scratch.used = used;
    return bound;
}
