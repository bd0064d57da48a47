/* A body that moves by a force law and an integrator: what the integrator is shown as a system, and what the world
 * outside is shown as three operators on the surface. */
#include "body/dynamic/dynamic_body.h"

#include "base/assert.h"
#include "base/clock.h"
#include "body/dynamic/assembly.h"
#include "body/dynamic/surface_forces.h"

#include <string.h>

/* The share of the stability bound that automatic steps use: within a frame a body may stiffen as it is stretched. */
static const double safety = 0.8;

/* ---- Forces ------------------------------------------------------------------------------------------------------ */

typedef struct NodeLoop {
    const lbBody* body;
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
    const lbBody* body = loop->body;
    float drag = body->model->material.massDamping;
    float gravity[4] = {body->base.gravity.x, body->base.gravity.y, body->base.gravity.z, 0};
    for (int i = begin; i < end; ++i) {
        float mass = body->model->mass[i];
        for (int c = 0; c < 4; ++c) {
            size_t at = 4 * (size_t)i + (size_t)c;
            loop->f[at] += mass * (gravity[c] - drag * loop->v[at]) + body->load[at];
        }
    }
}

/* Laws are shown velocities of their own. */
static void add_up_forces(lbBody* body, lbMoment moment, const float* x, const float* v, const float* lawV, float* f) {
    double start = lb_seconds();
    NodeLoop loop = {body, v, f};
    lb_parallel_for(body->base.tasks, body->model->nodeCount, nodeGrain, zero_nodes, &loop);
    for (int i = 0; i < body->model->lawCount; ++i) {
        lbLawInstance law = lb_law_with(&body->model->laws[i], body->shared);
        lb_add_law_forces(&law, body->base.tasks, lb_activation(body, i), moment, x, lawV, f);
    }
    lb_add_surface_forces(body, x, v, f);
    lb_parallel_for(body->base.tasks, body->model->nodeCount, nodeGrain, add_node_forces, &loop);
    body->base.forceSeconds += lb_seconds() - start;
}

void lb_body_forces(lbBody* body, lbMoment moment, const float* x, const float* v, float* f) {
    add_up_forces(body, moment, x, v, v, f);
}

/* ---- The system that integrators see ----------------------------------------------------------------------------- */

static void project(void* self, float* p) {
    const lbBody* body = self;
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
    lbBody* body = self;
    add_up_forces(body, (lbMoment){time, body->step}, x, v, lawV, a);
    NodeLoop loop = {body, v, a};
    lb_parallel_for(body->base.tasks, body->model->nodeCount, nodeGrain, divide_by_mass, &loop);
    project(body, a);
}

static void acceleration(void* self, double time, const float* x, const float* v, float* a) {
    elastic_acceleration(self, time, x, v, v, a);
}

static void tangent(void* self, const float* x, float a, float b, const float* p, float* y) {
    const lbBody* body = self;
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
    const lbBody* body = self;
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

static void assemble(void* self, const float* x, float mass, float a, float b, lbTangentKind kind) {
    lb_assemble_body(self, x, mass, a, b, kind);
}

static void answer(void* self) {
    const lbBody* body = self;
    body->answer(body->answerContext);
}

static void add_impulses(void* self, const float* v, float* b) {
    lb_add_touch_impulses(self, v, b);
}

static bool review(void* self, const double* dv, bool mayChange) {
    return lb_review_touches(self, dv, mayChange);
}

lbSystem lb_body_system(lbBody* body) {
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
        .touch = body->answer != NULL ? answer : NULL,
        .assemble = body->matrix.values != NULL ? assemble : NULL,
        .matrix = body->matrix,
        .addImpulses = add_impulses,
        .review = review,
        .grids = body->matrix.values != NULL ? lb_model_grids(body->model) : NULL,
        .solve = &body->solve,
        .self = body,
        .settings = &body->motion.settings,
        .tasks = body->base.tasks,
        .scratch = &body->scratch,
    };
}

static void advance(lbBody* body, double time, double h) {
    lbSystem system = lb_body_system(body);
    body->step = h;
    body->integrator->step(&system, &body->history, time, h);
    LB_ASSERT(body->scratch.used == 0);
}

static lbMotionBound bound_motion(lbBody* body) {
    size_t used = body->scratch.used;
    float* blocks = lb_arena_take(&body->scratch, lb_boundNumbers * (size_t)body->model->nodeCount * sizeof(float));
    lbMotionBound bound = lb_bound_motion(body->model, body->activation, body->x, blocks);
    bound.damping += lb_wind_damping(body);
    body->scratch.used = used;
    return bound;
}

double lb_body_stable_step(lbBody* body) {
    const lbIntegrator* integrator = body->integrator;
    lbMotionBound bound = bound_motion(body);
    /* Some motions have no damping but that of the mass: springs do not damp what goes across them. */
    double least = (double)body->model->material.massDamping;
    return fmin(integrator->stableStep(bound.frequency, least), integrator->stableStep(bound.frequency, bound.damping));
}

/* Implicit steps may be of any length. But where they do not take touches in, contacts and grabs act between steps and
 * see a node by its mass alone (`compliance`): where a step is so long that its neighbours move with it, they push too
 * little and the body bounces. Half of what an explicit method without damping could take is short enough. (With
 * damping it would have to take far shorter steps, for the sake of its own stability alone.) */
static double longest_step(lbBody* body) {
    if (body->integrator->traits & lb_traitImplicit) {
        bool pushed = body->touched && lb_touch_way(body) == lb_touchBefore;
        return pushed ? 0.5 * lb_symplecticEuler.stableStep(bound_motion(body).frequency, 0) : INFINITY;
    }
    return safety * lb_body_stable_step(body);
}

static int count_steps(lbBody* body, double dt) {
    body->shortness = 1;
    if (body->motion.wantedSteps > 0) {
        return body->motion.wantedSteps;
    }
    double steps = fmax(1, ceil(dt / longest_step(body)));
    if (body->integrator->traits & lb_traitImplicit) { /* more would not help: contacts act once a slice */
        int count = steps <= lb_mostSlices ? (int)steps : lb_mostSlices;
        body->shortness = (float)(count / steps);
        return count;
    }
    return steps <= lb_mostSteps ? (int)steps : lb_mostSteps + 1; /* one more than allowed is refused by the world */
}

/* ---- The operators that the world outside sees ------------------------------------------------------------------- */

static lbVec3 surface_at(const lbSkin* skin, const lbSurfacePoint* point, const float* q) {
    lbVec3 sum = vec3_scale(point->weight[0], lb_skin_at(skin, point->corner[0], q));
    for (int k = 1; k < 3; ++k) {
        if (point->weight[k] != 0) {
            sum = vec3_madd(sum, point->weight[k], lb_skin_at(skin, point->corner[k], q));
        }
    }
    return sum;
}

static void surface(const lbBody* body, lbPoints points, float* x, float* v) {
    const lbSkin* skin = &body->model->skin;
    for (int i = 0; i < points.count; ++i) {
        if (x != NULL) {
            vec3_store(x + 3 * (size_t)i, surface_at(skin, &points.points[i], body->x));
        }
        if (v != NULL) {
            vec3_store(v + 3 * (size_t)i, surface_at(skin, &points.points[i], body->v));
        }
    }
}

/* What an impulse does to a node: M^-1, and nothing along directions that are held. */
static lbVec3 node_answer(const lbBody* body, int node, lbVec3 impulse) {
    lbVec3 change = vec3_scale(body->model->inverseMass[node], impulse);
    int held = body->heldIndex[node];
    return held < 0 ? change : lb_filter(body->held[held].filter, change);
}

static void push_skin_point(lbBody* body, int point, lbVec3 impulse) {
    const lbSkin* skin = &body->model->skin;
    for (int k = 0; k < skin->width; ++k) {
        size_t at = (size_t)point * (size_t)skin->width + (size_t)k;
        float* v = body->v + 4 * (size_t)skin->nodes[at];
        lbVec3 change = node_answer(body, skin->nodes[at], vec3_scale(skin->weights[at], impulse));
        vec3_store(v, vec3_add(vec3_load(v), change));
    }
}

static void push(lbBody* body, lbPoints points, const float* impulse) {
    body->history.filled = 0;
    for (int i = 0; i < points.count; ++i) {
        const lbSurfacePoint* point = &points.points[i];
        lbVec3 total = vec3_load(impulse + 3 * (size_t)i);
        for (int k = 0; k < 3; ++k) {
            if (point->weight[k] != 0) {
                push_skin_point(body, point->corner[k], vec3_scale(point->weight[k], total));
            }
        }
    }
}

/* The weight of a node in a surface point; a node may come by several corners. */
static float weight_of_node(const lbSkin* skin, const lbSurfacePoint* point, int node) {
    float weight = 0;
    for (int k = 0; k < 3 * skin->width; ++k) {
        size_t at = (size_t)point->corner[k / skin->width] * (size_t)skin->width + (size_t)(k % skin->width);
        weight += skin->nodes[at] == node ? point->weight[k / skin->width] * skin->weights[at] : 0;
    }
    return weight;
}

static void compliance_block(const lbBody* body, const lbSurfacePoint* at, const lbSurfacePoint* from,
                             lbVec3 column[3]) {
    const lbSkin* skin = &body->model->skin;
    column[0] = column[1] = column[2] = vec3(0, 0, 0);
    for (int k = 0; k < 3 * skin->width; ++k) {
        size_t index = (size_t)from->corner[k / skin->width] * (size_t)skin->width + (size_t)(k % skin->width);
        int node = skin->nodes[index];
        float weight = from->weight[k / skin->width] * skin->weights[index];
        float both = weight != 0 ? weight * weight_of_node(skin, at, node) : 0;
        if (both != 0) {
            column[0] = vec3_add(column[0], node_answer(body, node, vec3(both, 0, 0)));
            column[1] = vec3_add(column[1], node_answer(body, node, vec3(0, both, 0)));
            column[2] = vec3_add(column[2], node_answer(body, node, vec3(0, 0, both)));
        }
    }
}

static void compliance(const lbBody* body, lbPoints points, float* matrix) {
    size_t width = 3 * (size_t)points.count;
    for (int i = 0; i < points.count; ++i) {
        for (int j = 0; j < points.count; ++j) {
            lbVec3 column[3];
            compliance_block(body, &points.points[i], &points.points[j], column);
            for (int c = 0; c < 3; ++c) {
                float* block = matrix + 3 * (size_t)i * width + 3 * (size_t)j + c;
                block[0] = column[c].x, block[width] = column[c].y, block[2 * width] = column[c].z;
            }
        }
    }
}

const lbBodyOps lb_dynamicBodyOps = {
    .countSteps = count_steps,
    .advance = advance,
    .surface = surface,
    .push = push,
    .compliance = compliance,
};
