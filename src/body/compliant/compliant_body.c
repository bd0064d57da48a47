/* The kind *compliant*: a surface whose points answer at once to forces on any of them, x = X + G f. Guided bodies that
 * collide by a shape are *felt*: the body solves its contact with them by itself, exactly or by the paper's layer
 * (bem/touch.h). All else, free rigid and soft bodies, touches it by rows as any other body: within a step of h seconds
 * an impulse p is the force p / h, and a displacement is a velocity times h. No inertia, no gravity. Functions stand in
 * the order of lbBodyOps. */
#include "body/compliant/compliant_body.h"

#include "base/result.h"
#include "body/precomputed.h"
#include "contact/collision_shape.h"

#include <string.h>

enum { blockRows = 2 };
static const double heavy = 1e9; /* kg, in velocity space: there, others move and it does not */

static const lbBodyOps compliantBodyOps;

static lbCompliantBody* own(lbBody* body) {
    return (lbCompliantBody*)body;
}
static const lbCompliantBody* own_const(const lbBody* body) {
    return (const lbCompliantBody*)body;
}

lbCompliantBody* lb_compliant(lbBody* body) {
    return body != NULL && body->ops == &compliantBodyOps ? own(body) : NULL;
}

/* ---- Making one
 * ------------------------------------------------------------------------------------------------------ */

static void destroy(lbBody* base) {
    lbCompliantBody* body = own(base);
    const lbHost* host = base->host;
    void* arrays[] = {body->rowForces, body->rowU, body->now, body->next, body->pushed, body->pushes};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i) {
        lb_release(host, arrays[i]);
    }
    lb_destroy_touch(&body->touch);
    lb_end_body(base);
    lb_release(host, base);
}

lbResult lb_create_compliant_body(const lbHost* host, lbTasks* tasks, lbModel* model, const lbBodyDef* def,
                                  lbBody** body) {
    (void)tasks;
    if (def->guided) {
        return lb_error(lb_errorArgument,
                        "body '%s' is compliant: a part of it is held where it is, and it cannot be guided",
                        def->name != NULL ? def->name : "body");
    }
    lbCompliantBody* made = LB_NEW(host, lbCompliantBody, 1);
    if (made == NULL) {
        return lb_out_of_memory("a body");
    }
    made->data = ((const lbCompliantModel*)model)->data;
    made->touch.host = host;
    lbResult result = lb_begin_body(&made->base, &compliantBodyOps, host, model, def);
    if (result.code == lb_ok) {
        result = lb_create_touch(host, made->data, &made->touch);
    }
    if (result.code == lb_ok) {
        result = lb_prepare_layer(&made->touch);
    }
    int64_t stride = (int64_t)made->data->stride;
    made->rowForces = LB_NEW(host, double, 3 * (int64_t)made->data->freeCount);
    made->rowU = LB_NEW(host, float, stride);
    made->now = LB_NEW(host, float, stride);
    made->next = LB_NEW(host, float, stride);
    made->pushed = LB_NEW(host, int, lb_mostTouched);
    made->pushes = LB_NEW(host, double, 3 * lb_mostTouched);
    bool there = made->rowForces != NULL && made->rowU != NULL && made->now != NULL && made->next != NULL &&
                 made->pushed != NULL && made->pushes != NULL;
    if (result.code == lb_ok && !there) {
        result = lb_out_of_memory("a body");
    }
    if (result.code != lb_ok) {
        destroy(&made->base);
        return result;
    }
    made->base.mass = made->data->mass;
    made->layer = lb_usualLayer * made->data->size;
    made->settled = true;
    *body = &made->base;
    return lb_success();
}

/* ---- Guided bodies near it
 * -------------------------------------------------------------------------------------------- */

static void begin_frame(lbBody* base, double dt) {
    own(base)->probeCount = 0;
    own(base)->dt = dt;
}

static void feel(lbBody* base, lbBody* probe, int slot, const struct lbCollisionShape* shape) {
    lbCompliantBody* body = own(base);
    for (int i = 0; i < body->probeCount; ++i) {
        if (body->probeBodies[i] == probe) {
            return; /* it has been told already */
        }
    }
    if (body->probeCount < lb_mostProbes) {
        body->probeBodies[body->probeCount] = probe;
        body->probes[body->probeCount++] = (lbTouchProbe){.shape = shape, .owner = slot};
    }
}

static bool felt(const lbBody* base, int index, lbFeltForce* result) {
    const lbCompliantBody* body = own_const(base);
    if (index >= body->probeCount) {
        return false;
    }
    const lbTouchProbe* probe = &body->probes[index];
    lbVec3 force = quat_rotate(base->rotation, vec3_from(probe->force));
    lbVec3 torque = quat_rotate(base->rotation, vec3_from(probe->torque));
    lbVec3 at = vec3_add(base->position, quat_rotate(base->rotation, probe->pose.position));
    *result = (lbFeltForce){probe->owner, force, vec3_add(torque, vec3_cross(at, force))};
    return true;
}

static void felt_pressure(const lbBody* base, float* pressure) {
    const lbCompliantBody* body = own_const(base);
    for (int i = 0; i < body->data->freeCount; ++i) {
        int point = body->data->points[i];
        const double* f = body->touch.forces + 3 * (size_t)i;
        lbVec3 n = vec3_load(body->touch.normals + 3 * (size_t)i);
        double push = -(f[0] * (double)n.x + f[1] * (double)n.y + f[2] * (double)n.z);
        pressure[point] += push > 0 ? (float)push / body->data->areas[point] : 0;
    }
}

static bool felt_point(const lbBody* base, int* at, lbFeltPoint* point) {
    const lbCompliantBody* body = own_const(base);
    const lbTouch* touch = &body->touch;
    for (; body->probeCount > 0 && *at < touch->count; ++*at) {
        int free = touch->points[*at];
        const double* push = touch->forces + 3 * (size_t)free;
        lbVec3d f = {push[0], push[1], push[2]};
        if (vec3d_dot(f, f) > 0) {
            *point = (lbFeltPoint){.slot = body->probes[touch->probeOf[*at]].owner,
                                   .skinPoint = body->data->points[free],
                                   .force = quat_rotate(base->rotation, vec3_from(f)),
                                   .normal = quat_rotate(base->rotation, vec3_from(touch->n[*at]))};
            ++*at;
            return true;
        }
    }
    return false;
}

/* ---- Steps
 * ------------------------------------------------------------------------------------------------------------- */

static int count_steps(lbBody* body, double dt) {
    (void)body, (void)dt;
    return 1;
}

static double stable_step(lbBody* body) {
    (void)body;
    return INFINITY;
}

static bool any_force(const double* forces, int count) {
    for (int i = 0; i < 3 * count; ++i) {
        if (forces[i] != 0) {
            return true;
        }
    }
    return false;
}

/* A pose in the world, in the body's own coordinates. */
static lbPose seen_from(const lbBody* base, lbPose pose) {
    lbQuat back = quat_conjugate(base->rotation);
    return (lbPose){quat_rotate(back, vec3_sub(pose.position, base->position)), quat_multiply(back, pose.rotation)};
}

static void predict(lbBody* base, lbStep step) {
    lbCompliantBody* body = own(base);
    size_t stride = body->data->stride;
    body->pushedCount = 0;
    body->settled = body->settled && body->probeCount == 0;
    if (body->settled) {
        return;
    }
    for (int i = 0; i < body->probeCount; ++i) {
        const lbBody* probe = body->probeBodies[i];
        body->probes[i].pose = seen_from(base, probe->ops->frame->poseAt(probe, step.end));
        body->probes[i].before = seen_from(base, probe->ops->frame->poseAt(probe, step.begin));
        body->probes[i].friction = sqrt((double)base->friction * (double)probe->friction);
    }
    memcpy(body->touch.u, body->now, stride * sizeof(float));
    if (body->scheme == lb_touchLayer) {
        lb_touch_by_layer(&body->touch, body->probes, body->probeCount, body->rowU, (double)body->layer);
    } else {
        lb_touch_exactly(&body->touch, body->probes, body->probeCount, body->rowU);
    }
    for (size_t i = 0; i < stride; ++i) {
        body->next[i] = body->touch.u[i] - body->rowU[i]; /* rows push anew */
    }
}

static void finish(lbBody* base, lbStep step) {
    (void)step;
    lbCompliantBody* body = own(base);
    size_t stride = body->data->stride;
    if (body->settled && body->pushedCount == 0) {
        return;
    }
    if (body->settled) {
        memset(body->next, 0, stride * sizeof(float));
    }
    memset(body->rowForces, 0, 3 * (size_t)body->data->freeCount * sizeof(double));
    memset(body->rowU, 0, stride * sizeof(float));
    for (int i = 0; i < body->pushedCount; ++i) {
        memcpy(body->rowForces + 3 * (size_t)body->pushed[i], body->pushes + 3 * (size_t)i, 3 * sizeof(double));
    }
    lb_add_columns(body->data, body->pushedCount, body->pushed, body->pushes, body->rowU);
    for (size_t i = 0; i < stride; ++i) {
        body->now[i] = body->next[i] + body->rowU[i];
    }
    body->settled = body->probeCount == 0 && !any_force(body->rowForces, body->data->freeCount) &&
                    !any_force(body->touch.forces, body->data->freeCount);
}

/* ---- Surface points
 * ---------------------------------------------------------------------------------------------------- */

static void bind_skin(lbBody* base, lbSurfacePoint place, const lbStep* step, lbSide* side) {
    *side = (lbSide){.body = base, .step = step}; /* no nodes carry it; corners stand where nodes would */
    for (int k = 0; k < 3; ++k) {
        side->node[k] = place.corner[k];
        side->weight[k] = place.weight[k];
    }
}

static lbVec3 place(const lbBody* base, const lbSide* side) {
    const lbCompliantBody* body = own_const(base);
    lbVec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        int at = body->data->freeOf[side->node[k]];
        lbVec3 x = vec3_load(body->data->rest + 3 * (size_t)side->node[k]);
        x = at >= 0 ? vec3_add(x, vec3_load(body->now + 3 * (size_t)at)) : x;
        sum = vec3_madd(sum, side->weight[k], x);
    }
    return vec3_add(base->position, quat_rotate(base->rotation, sum));
}

/* Displacement of a free point at the step's end as far as is known, m. */
static lbVec3d next_of(const lbCompliantBody* body, int point) {
    lbVec3d u = body->settled ? vec3d(0, 0, 0) : vec3d_load(body->next + 3 * (size_t)point);
    for (int j = 0; j < body->pushedCount; ++j) {
        for (int c = 0; c < 3; ++c) {
            const float* column = lb_response_column(body->data, body->pushed[j], c) + 3 * (size_t)point;
            u = vec3d_madd(u, body->pushes[3 * j + c], vec3d_load(column));
        }
    }
    return u;
}

static lbVec3 travel(const lbBody* base, const lbSide* side) {
    const lbCompliantBody* body = own_const(base);
    lbVec3d moved = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        int at = body->data->freeOf[side->node[k]];
        if (side->weight[k] != 0 && at >= 0) {
            lbVec3d u = vec3d_sub(next_of(body, at), vec3d_load(body->now + 3 * (size_t)at));
            moved = vec3d_madd(moved, (double)side->weight[k] / side->step->h, u);
        }
    }
    return quat_rotate(base->rotation, vec3_from(moved));
}

static void push(lbBody* base, const lbSide* side, lbVec3 impulse) {
    lbCompliantBody* body = own(base);
    lbVec3d force = vec3d_from(quat_rotate(quat_conjugate(base->rotation), impulse));
    force = vec3d_scale(1 / side->step->h, force);
    for (int k = 0; k < 3; ++k) {
        int at = body->data->freeOf[side->node[k]], slot = 0;
        if (side->weight[k] == 0 || at < 0) {
            continue;
        }
        for (; slot < body->pushedCount && body->pushed[slot] != at; ++slot) {
        }
        if (slot == body->pushedCount) {
            if (slot == lb_mostTouched) {
                continue; /* no room: it stays as if held there */
            }
            body->pushed[body->pushedCount++] = at;
            body->pushes[3 * slot] = body->pushes[3 * slot + 1] = body->pushes[3 * slot + 2] = 0;
        }
        body->pushes[3 * slot] += (double)side->weight[k] * force.x;
        body->pushes[3 * slot + 1] += (double)side->weight[k] * force.y;
        body->pushes[3 * slot + 2] += (double)side->weight[k] * force.z;
    }
}

/* H G H^T / h^2, turned to the world's axes. */
static void compliance(const lbBody* base, const lbSide* side, float c[6]) {
    const lbCompliantBody* body = own_const(base);
    lbVec3 columns[3] = {{0}};
    for (int p = 0; p < 9; ++p) {
        float weight = side->weight[p / 3] * side->weight[p % 3], block[9];
        if (weight != 0) {
            lbResponse_GetCompliance(body->data, side->node[p / 3], side->node[p % 3], block);
            for (int k = 0; k < 3; ++k) {
                columns[k] = vec3_madd(columns[k], weight, vec3(block[k], block[3 + k], block[6 + k]));
            }
        }
    }
    float scale = (float)(1 / (side->step->h * side->step->h));
    lbQuat back = quat_conjugate(base->rotation);
    lbVec3 turned[3];
    for (int k = 0; k < 3; ++k) { /* R m R^T e_k */
        lbVec3 e = quat_rotate(back, vec3(k == 0, k == 1, k == 2)), m = vec3_scale(e.x, columns[0]);
        m = vec3_madd(vec3_madd(m, e.y, columns[1]), e.z, columns[2]);
        turned[k] = vec3_scale(scale, quat_rotate(base->rotation, m));
    }
    c[0] = turned[0].x, c[1] = turned[1].y, c[2] = turned[2].z;
    c[3] = turned[1].x, c[4] = turned[2].x, c[5] = turned[2].y;
}

/* ---- Velocity space: gives no way
 * --------------------------------------------------------------------------------------- */

static void open_block(lbBody* base, lbBlock* block) {
    lbCompliantBody* body = own(base);
    memset(body->change6, 0, sizeof(body->change6));
    memset(body->blockVectors, 0, sizeof(body->blockVectors));
    *block = (lbBlock){.count = blockRows,
                       .dv = body->change6,
                       .b = body->blockVectors[0],
                       .r = body->blockVectors[1],
                       .z = body->blockVectors[2],
                       .p = body->blockVectors[3],
                       .q = body->blockVectors[4],
                       .mass = heavy,
                       .inertia = {heavy, heavy, heavy, 0, 0, 0}};
}

static bool add_resistance(lbBody* body, const lbSide* side, const float s[6]) {
    (void)body, (void)side, (void)s;
    return false;
}

static void close_block(lbBody* body, lbBlock* block) {
    (void)body, (void)block;
}

static void project(lbBody* body, float* p) {
    (void)body;
    memset(p, 0, 4 * blockRows * sizeof(float));
}

static void multiply(lbBody* body, const float* p, float* q) {
    (void)body, (void)p;
    memset(q, 0, 4 * blockRows * sizeof(float));
}

static void residual(lbBody* body, const double* dv, const float* b, float* r) {
    (void)body, (void)dv, (void)b;
    memset(r, 0, 4 * blockRows * sizeof(float));
}

static void precondition(lbBody* body, const float* r, float* z) {
    (void)body, (void)r;
    memset(z, 0, 4 * blockRows * sizeof(float));
}

/* ---- Between frames
 * ----------------------------------------------------------------------------------------------------- */

static void update_skin(lbBody* base, lbTasks* tasks) {
    (void)tasks;
    lbCompliantBody* body = own(base);
    const lbResponse* data = body->data;
    float rate = body->dt > 0 ? (float)(1 / body->dt) : 0;
    for (int i = 0; i < data->pointCount; ++i) {
        lbVec3 x = vec3_load(data->rest + 3 * (size_t)i);
        if (data->freeOf[i] >= 0) {
            x = vec3_add(x, vec3_load(body->now + 3 * (size_t)data->freeOf[i]));
        }
        x = vec3_add(base->position, quat_rotate(base->rotation, x));
        if (body->dt > 0) { /* else just made, or restored: what is known of velocities stays */
            vec3_store(base->skinV + 3 * (size_t)i,
                       vec3_scale(rate, vec3_sub(x, vec3_load(base->skinX + 3 * (size_t)i))));
        }
        vec3_store(base->skinX + 3 * (size_t)i, x);
    }
}

static void walk(lbBody* base, lbWalk* walk) {
    lbCompliantBody* body = own(base);
    size_t numbers = 3 * (size_t)body->data->freeCount;
    lb_walk_structure(walk, base->ops->kind, strlen(base->ops->kind), "a body's kind");
    lb_walk_structure(walk, &body->data->checksum, sizeof(uint64_t), "a body's precomputed response");
    lb_walk_doubles(walk, body->touch.forces, numbers, "a force of a probe");
    lb_walk_doubles(walk, body->rowForces, numbers, "a force of contact");
    lb_walk_floats(walk, body->rowU, numbers, "a displacement by contact");
    lb_walk_floats(walk, body->now, numbers, "a displacement");
    lb_walk_index(walk, &body->scheme, lb_touchSchemeCount, "a scheme of contact");
    lb_walk_floats(walk, &body->layer, 1, "a layer");
    lb_walk_floats(walk, base->skinV, 3 * (size_t)base->model->skinPointCount, "a velocity");
    if (walk->mode == lb_walkRead) {
        body->settled =
            !any_force(body->touch.forces, body->data->freeCount) && !any_force(body->rowForces, body->data->freeCount);
        body->probeCount = 0;
        body->dt = 0; /* the skin follows the state */
    }
}

static void jump(lbBody* base) {
    (void)base; /* nothing is remembered but where things push */
}

static lbEnergy energy(const lbBody* base) {
    const lbCompliantBody* body = own_const(base);
    double stored = 0;
    for (int i = 0; i < 3 * body->data->freeCount; ++i) {
        stored += 0.5 * (body->touch.forces[i] + body->rowForces[i]) * (double)body->now[i];
    }
    lbMomentum m = base->ops->momentum(base);
    lbVec3d x = {m.center[0], m.center[1], m.center[2]};
    return (lbEnergy){.elastic = stored, .gravity = -base->mass * vec3d_dot(vec3d_from(base->gravity), x)};
}

/* Its matter stays about where it is: the surface alone is known. */
static lbMomentum momentum(const lbBody* base) {
    const double* c = own_const(base)->data->center;
    lbVec3 at = quat_rotate(base->rotation, vec3((float)c[0], (float)c[1], (float)c[2]));
    at = vec3_add(base->position, at);
    return (lbMomentum){base->mass, {(double)at.x, (double)at.y, (double)at.z}, {0, 0, 0}, {0, 0, 0}};
}

static int find_worst(const lbBody* base, double* speed) {
    const lbCompliantBody* body = own_const(base);
    *speed = 0;
    for (int i = 0; i < body->data->freeCount; ++i) {
        if (!vec3_finite(vec3_load(body->now + 3 * (size_t)i))) {
            *speed = NAN;
            return body->data->points[i];
        }
    }
    return 0;
}

static const lbBodyOps compliantBodyOps = {
    .kind = "compliant",
    .destroy = destroy,
    .countSteps = count_steps,
    .stableStep = stable_step,
    .predict = predict,
    .finish = finish,
    .feel = feel,
    .felt = felt,
    .feltPressure = felt_pressure,
    .feltPoint = felt_point,
    .bindSkin = bind_skin,
    .place = place,
    .travel = travel,
    .velocity = travel,
    .push = push,
    .pushVelocity = push,
    .compliance = compliance,
    .isImplicit = lb_is_never_implicit,
    .openBlock = open_block,
    .addResistance = add_resistance,
    .closeBlock = close_block,
    .endBlock = lb_end_no_block,
    .project = project,
    .multiply = multiply,
    .residual = residual,
    .precondition = precondition,
    .reduce = lb_reduce_nothing,
    .expand = lb_expand_nothing,
    .beginFrame = begin_frame,
    .updateSkin = update_skin,
    .walk = walk,
    .jump = jump,
    .setIntegrator = lb_refuse_integrator,
    .energy = energy,
    .momentum = momentum,
    .hasField = lb_compliant_has_field,
    .measureField = lb_compliant_measure_field,
    .findWorst = find_worst,
    .countInverted = lb_count_none_inverted,
    .solveEquilibrium = lb_be_in_equilibrium,
};
