/* The kind *elastostatic*: no dynamics. Its shape is a sum of precomputed modes, whose coefficients follow from where
 * its controls are; free controls are where forces balance. Functions stand in the order of lbBodyOps.
 *
 * How it answers a push: a force f on a point of its surface does the work f . u_k along mode k, and free controls give
 * way by the inverse of their reaction matrix. Within a step of h seconds an impulse p is the force p / h, and a
 * displacement is a velocity times h: the point's velocity changes by Phi C Phi^T p / h^2. The impulse of the last step
 * is gone in the next, and with it what it moved, unless contact pushes again: it is a body without inertia. Where all
 * controls are held, nothing moves it. */
#include "body/elastostatic/elastostatic_body.h"

#include "base/result.h"

#include <string.h>

enum { blockRows = 2, tileGrain = 64 };
/* kg, in velocity space, where its modes cannot be written as nodes or a frame: there, others move and it does not. */
static const double heavy = 1e9;

static const lbBodyOps elastostaticBodyOps;

static lbElastostaticBody* own(lbBody* body) {
    return (lbElastostaticBody*)body;
}
static const lbElastostaticBody* own_const(const lbBody* body) {
    return (const lbElastostaticBody*)body;
}

lbElastostaticBody* lb_elastostatic(lbBody* body) {
    return body != NULL && body->ops == &elastostaticBodyOps ? own(body) : NULL;
}
const lbElastostaticBody* lb_elastostatic_const(const lbBody* body) {
    return body != NULL && body->ops == &elastostaticBodyOps ? own_const(body) : NULL;
}

/* ---- Coefficients ------------------------------------------------------------------------------------------------ */

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
static bool configure(lbElastostaticBody* body, const lbControlMap* maps, lbConfiguration* made, double* angle,
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

static void copy_configuration(const lbElastostaticBody* body, lbConfiguration* to, const lbConfiguration* from) {
    double* c = to->c;
    memcpy(c, from->c, (size_t)body->modeCount * sizeof(double));
    *to = *from;
    to->c = c;
}

/* The rigid motion from a configuration's frame to the world. */
static lbRigidMap world_map(const lbElastostaticBody* body, const lbConfiguration* configuration) {
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

static void evaluate(lbElastostaticBody* body, lbTasks* tasks, const lbConfiguration* configuration, float* positions) {
    for (int k = 0; k < body->modeCount; ++k) {
        body->scaled[k] = (float)configuration->c[k] * body->data->scales[3 * (size_t)k];
    }
    EvaluateLoop loop = {body, world_map(body, configuration), positions};
    lb_parallel_for(tasks, body->data->header->tileCount, tileGrain, evaluate_tiles, &loop);
}

/* Where free controls have come to be. */
static void place_free(lbElastostaticBody* body, const lbConfiguration* configuration, lbControlMap* maps) {
    for (int i = 0; i < body->controlCount; ++i) {
        if (body->free[i]) {
            maps[i] = lb_map_of_coefficients(body->data, configuration, i, configuration->c + 12 * (size_t)i);
        }
    }
}

/* ---- Making one -------------------------------------------------------------------------------------------------- */

static bool reserve(lbElastostaticBody* body) {
    const lbHost* host = body->base.host;
    int64_t controls = body->controlCount, modes = body->modeCount, points = body->data->header->pointCount;
    body->asked = LB_NEW(host, lbControlMap, controls);
    body->maps = LB_NEW(host, lbControlMap, controls);
    body->goals = LB_NEW(host, lbControlMap, controls);
    body->trial = LB_NEW(host, lbControlMap, controls);
    body->free = LB_NEW(host, bool, controls);
    body->pushes = LB_NEW(host, double, 12 * controls);
    body->contact = LB_NEW(host, double, 12 * controls);
    body->forces = LB_NEW(host, double, 12 * controls);
    body->shares = LB_NEW(host, float, body->data->header->loadCount);
    body->now.c = LB_NEW(host, double, modes);
    body->next.c = LB_NEW(host, double, modes);
    body->target.c = LB_NEW(host, double, modes);
    body->given = LB_NEW(host, double, modes);
    body->change = LB_NEW(host, double, modes);
    body->scaled = LB_NEW(host, float, modes);
    body->targetX = LB_NEW(host, float, 3 * points);
    body->displacements = LB_NEW(host, float, 3 * points);
    body->freeModes = LB_NEW(host, int, 12 * controls);
    body->compliance = LB_NEW(host, double, 2 * 144 * controls * controls);
    return body->asked != NULL && body->maps != NULL && body->goals != NULL && body->trial != NULL &&
           body->free != NULL && body->pushes != NULL && body->contact != NULL && body->forces != NULL &&
           body->shares != NULL && body->now.c != NULL && body->next.c != NULL && body->target.c != NULL &&
           body->given != NULL && body->change != NULL && body->scaled != NULL && body->targetX != NULL &&
           body->displacements != NULL && body->freeModes != NULL && body->compliance != NULL;
}

static void destroy(lbBody* base) {
    lbElastostaticBody* body = own(base);
    const lbHost* host = base->host;
    void* arrays[] = {body->asked,   body->maps,          body->goals,     body->trial,     body->free,
                      body->pushes,  body->forces,        body->contact,   body->shares,    body->now.c,
                      body->next.c,  body->target.c,      body->given,     body->change,    body->scaled,
                      body->targetX, body->displacements, body->freeModes, body->compliance};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i) {
        lb_release(host, arrays[i]);
    }
    lb_end_body(base);
    lb_release(host, base);
}

lbResult lb_create_elastostatic_body(const lbHost* host, lbTasks* tasks, lbModel* model, const lbBodyDef* def,
                                     lbBody** body) {
    (void)tasks;
    const lbElastostatic* data = ((const lbElastostaticModel*)model)->data;
    const char* name = def->name != NULL ? def->name : "body";
    if (def->guided) {
        return lb_error(lb_errorArgument, "body '%s' is elastostatic: its controls guide it, not the body as a whole",
                        name);
    }
    lbElastostaticBody* made = LB_NEW(host, lbElastostaticBody, 1);
    if (made == NULL) {
        return lb_out_of_memory("a body");
    }
    made->data = data;
    made->controlCount = data->header->controlCount;
    made->modeCount = data->header->modeCount;
    lbResult result = lb_begin_body(&made->base, &elastostaticBodyOps, host, model, def);
    if (result.code == lb_ok && !reserve(made)) {
        result = lb_out_of_memory("a body");
    }
    if (result.code != lb_ok) {
        destroy(&made->base);
        return result;
    }
    made->base.mass = data->header->mass;
    for (int i = 0; i < made->controlCount; ++i) {
        made->asked[i] = made->maps[i] = lb_identity_map();
    }
    double angle, stretch;
    configure(made, made->maps, &made->now, &angle, &stretch);
    made->asking = made->moving = true;
    made->pushed = true; /* there is no target yet */
    *body = &made->base;
    return lb_success();
}

/* ---- Controls ---------------------------------------------------------------------------------------------------- */

/* Inverts the reaction matrix of the free controls by Cholesky's factors; false: it is not definite. */
static bool invert_free(lbElastostaticBody* body) {
    int n = body->freeCount;
    double* inverse = body->compliance;
    double* l = body->compliance + 144 * (size_t)body->controlCount * (size_t)body->controlCount;
    size_t stride = (size_t)n;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            size_t row = (size_t)body->freeModes[i], column = (size_t)body->freeModes[j];
            const double* reaction = body->data->reaction;
            double sum = 0.5 * (reaction[row * (size_t)body->modeCount + column] +
                                reaction[column * (size_t)body->modeCount + row]);
            for (int k = 0; k < j; ++k) {
                sum -= l[(size_t)i * stride + (size_t)k] * l[(size_t)j * stride + (size_t)k];
            }
            if (i == j && !(sum > 0)) {
                return false;
            }
            l[(size_t)i * stride + (size_t)j] = i == j ? sqrt(sum) : sum / l[(size_t)j * stride + (size_t)j];
        }
    }
    for (int column = 0; column < n; ++column) {
        double* x = body->change;
        for (int i = 0; i < n; ++i) {
            double sum = i == column ? 1 : 0;
            for (int k = 0; k < i; ++k) {
                sum -= l[(size_t)i * stride + (size_t)k] * x[k];
            }
            x[i] = sum / l[(size_t)i * stride + (size_t)i];
        }
        for (int i = n - 1; i >= 0; --i) {
            for (int k = i + 1; k < n; ++k) {
                x[i] -= l[(size_t)k * stride + (size_t)i] * x[k];
            }
            x[i] /= l[(size_t)i * stride + (size_t)i];
            inverse[(size_t)i * stride + (size_t)column] = x[i];
        }
    }
    return true;
}

static bool list_free(lbElastostaticBody* body) {
    body->freeCount = 0;
    for (int i = 0; i < body->controlCount; ++i) {
        for (int k = 0; body->free[i] && k < 12; ++k) {
            body->freeModes[body->freeCount++] = 12 * i + k;
        }
    }
    return body->freeCount == 0 || invert_free(body);
}

lbResult lb_hold_control(lbElastostaticBody* body, int control, const lbControlMap* map) {
    body->asked[control] = *map;
    body->asking = true;
    if (body->free[control]) {
        body->free[control] = false;
        list_free(body);
    }
    return lb_success();
}

lbResult lb_free_control(lbElastostaticBody* body, int control, lbVec3 force, lbVec3 torque) {
    if (!body->free[control]) {
        body->free[control] = true;
        int held = 0;
        for (int i = 0; i < body->controlCount; ++i) {
            held += !body->free[i];
        }
        if (held == 0 || !list_free(body)) {
            body->free[control] = false;
            list_free(body);
            return lb_error(lb_errorArgument,
                            "control '%s' of body '%s' cannot be free: nothing else holds the body, and forces alone "
                            "leave no place to be",
                            body->data->controls[control].name, body->base.name);
        }
    }
    /* Moments of a torque: antisymmetric, Q_ij = sum of f_i arm_j. */
    double* q = body->pushes + 12 * (size_t)control;
    const double x = 0.5 * (double)torque.x, y = 0.5 * (double)torque.y, z = 0.5 * (double)torque.z;
    const double push[12] = {(double)force.x, (double)force.y, (double)force.z, 0, -z, y, z, 0, -x, -y, x, 0};
    memcpy(q, push, sizeof(push));
    body->asking = true;
    return lb_success();
}

void lb_control_forces(const lbElastostaticBody* body, double* forces) {
    lbReaction_Evaluate(body->data, body->now.c, forces);
    for (int i = 0; i < 12 * body->controlCount; ++i) {
        forces[i] -= body->contact[i];
    }
}

/* ---- Frames: what was asked, and whether it may be ----------------------------------------------------------------
 */

static lbRefusal judge(lbElastostaticBody* body, bool found, double angle, double stretch) {
    const lbLinearityLimits* limits = &body->limits;
    const struct {
        lbRefusal refusal;
        double value, limit;
    } tests[] = {{lb_refusalStretch, stretch, (double)limits->stretch},
                 {lb_refusalAngle, angle, (double)limits->angle}};
    if (!found) {
        body->refused[0] = body->refused[1] = 0;
        return lb_refusalSingular;
    }
    for (int i = 0; i < 2; ++i) {
        if (tests[i].limit > 0 && tests[i].value > tests[i].limit) {
            body->refused[0] = tests[i].value, body->refused[1] = tests[i].limit;
            return tests[i].refusal;
        }
    }
    evaluate(body, body->base.tasks, &body->target, body->targetX);
    double strain = limits->strain > 0 ? lb_largest_edge_strain(body->data, body->targetX) : 0;
    if (strain > (double)limits->strain && limits->strain > 0) {
        body->refused[0] = strain, body->refused[1] = (double)limits->strain;
        return lb_refusalStrain;
    }
    return lb_refusalNone;
}

static bool same_vector(lbVec3 a, lbVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void begin_frame(lbBody* base, double dt) {
    lbElastostaticBody* body = own(base);
    size_t controls = (size_t)body->controlCount;
    body->dt = dt;
    body->done = 0;
    body->pushed = false;
    body->moving = body->asking || body->freeCount > 0 || !same_vector(body->lastGravity, base->gravity);
    memcpy(body->goals, body->maps, controls * sizeof(lbControlMap));
    if (!body->moving) {
        return;
    }
    for (size_t i = 0; i < controls; ++i) {
        if (!body->free[i]) {
            body->goals[i] = body->asked[i];
        }
    }
    body->lastGravity = base->gravity;
    double angle, stretch;
    bool found = configure(body, body->goals, &body->target, &angle, &stretch);
    body->refusal = judge(body, found, angle, stretch);
    if (body->refusal != lb_refusalNone) {
        memcpy(body->goals, body->maps, controls * sizeof(lbControlMap));
        body->moving = body->freeCount > 0;
        if (body->moving) {
            body->moving = configure(body, body->goals, &body->target, &angle, &stretch);
            evaluate(body, base->tasks, &body->target, body->targetX);
        }
    }
    body->asking = false;
    for (size_t i = 0; body->moving && i < 3 * (size_t)base->model->skinPointCount; ++i) {
        base->skinV[i] = (float)(((double)body->targetX[i] - (double)base->skinX[i]) / dt); /* for who looks ahead */
    }
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

static int count_steps(lbBody* body, double dt) {
    (void)body, (void)dt;
    return 1;
}

static double stable_step(lbBody* body) {
    (void)body;
    return INFINITY;
}

static void predict(lbBody* base, lbStep step) {
    lbElastostaticBody* body = own(base);
    memset(body->contact, 0, 12 * (size_t)body->controlCount * sizeof(double));
    copy_configuration(body, &body->next, &body->now);
    if (!body->moving) {
        return;
    }
    double left = 1 - body->done, share = step.end < 1 && left > 0 ? ((double)step.end - body->done) / left : 1;
    for (int i = 0; i < body->controlCount; ++i) {
        for (int k = 0; k < 3; ++k) {
            body->trial[i].t[k] = body->maps[i].t[k] + share * (body->goals[i].t[k] - body->maps[i].t[k]);
        }
        for (int k = 0; k < 9; ++k) {
            body->trial[i].a[k] = body->maps[i].a[k] + share * (body->goals[i].a[k] - body->maps[i].a[k]);
        }
    }
    const lbControlMap* maps = share < 1 ? body->trial : body->goals;
    double angle, stretch;
    if (!configure(body, maps, &body->next, &angle, &stretch)) { /* between two that have a mean */
        copy_configuration(body, &body->next, &body->target);
    }
    body->done = (double)step.end;
}

static void finish(lbBody* base, lbStep step) {
    lbElastostaticBody* body = own(base);
    copy_configuration(body, &body->now, &body->next);
    if (body->moving || body->pushed) {
        for (int i = 0; i < body->controlCount; ++i) {
            if (!body->free[i] && body->moving) {
                body->maps[i] = step.end < 1 ? body->trial[i] : body->goals[i];
            }
        }
        place_free(body, &body->now, body->maps);
    }
}

/* ---- Surface points ---------------------------------------------------------------------------------------------- */

static void bind_skin(lbBody* base, lbSurfacePoint place, const lbStep* step, lbSide* side) {
    *side = (lbSide){.body = base, .step = step}; /* no nodes carry it; corners stand where nodes would */
    for (int k = 0; k < 3; ++k) {
        side->node[k] = place.corner[k];
        side->weight[k] = place.weight[k];
    }
}

/* A point's displacement in the frame for each unit of a mode, Phi_k: weighted over the side's corners. */
static lbVec3d side_mode(const lbElastostaticBody* body, const lbSide* side, int mode) {
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
            local = vec3d_madd(local, configuration->c[k], side_mode(body, side, k));
        }
    }
    const double* t = configuration->translation;
    return vec3d_add(lb_rotate33(configuration->rotation, local), vec3d(t[0], t[1], t[2]));
}

static lbVec3 place(const lbBody* base, const lbSide* side) {
    const lbElastostaticBody* body = own_const(base);
    return vec3_add(base->position, quat_rotate(base->rotation, vec3_from(place_in(body, side, &body->now))));
}

static lbVec3 travel(const lbBody* base, const lbSide* side) {
    const lbElastostaticBody* body = own_const(base);
    if (!body->moving && !body->pushed) {
        return vec3(0, 0, 0);
    }
    lbVec3d moved = vec3d_sub(place_in(body, side, &body->next), place_in(body, side, &body->now));
    return quat_rotate(base->rotation, vec3_from(vec3d_scale(1 / side->step->h, moved)));
}

/* A world vector in the frame of the step's end. */
static lbVec3d to_frame(const lbElastostaticBody* body, lbVec3 world) {
    lbVec3 inBody = quat_rotate(quat_conjugate(body->base.rotation), world);
    return lb_unrotate33(body->next.rotation, vec3d_from(inBody));
}

static void push(lbBody* base, const lbSide* side, lbVec3 impulse) {
    lbElastostaticBody* body = own(base);
    lbVec3d force = vec3d_scale(1 / side->step->h, to_frame(body, impulse));
    double* work = body->forces;
    for (int k = 0; k < 12 * body->controlCount; ++k) {
        work[k] = vec3d_dot(force, side_mode(body, side, k));
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
static void compliance(const lbBody* base, const lbSide* side, float c[6]) {
    const lbElastostaticBody* body = own_const(base);
    double m[9] = {0};
    for (int i = 0; i < body->freeCount; ++i) {
        const double* row = body->compliance + (size_t)i * (size_t)body->freeCount;
        lbVec3d sum = {0, 0, 0};
        for (int j = 0; j < body->freeCount; ++j) {
            sum = vec3d_madd(sum, row[j], side_mode(body, side, body->freeModes[j]));
        }
        lbVec3d own = side_mode(body, side, body->freeModes[i]);
        const double p[3] = {own.x, own.y, own.z}, q[3] = {sum.x, sum.y, sum.z};
        for (int k = 0; k < 9; ++k) {
            m[k] += p[k / 3] * q[k % 3];
        }
    }
    /* To the world's axes: columns of R m R^T. */
    double turned[9], full[9];
    lbRigidMap map = world_map(body, &body->next);
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

/* ---- Velocity space: gives no way -------------------------------------------------------------------------------- */

static bool is_implicit(const lbBody* body) {
    (void)body;
    return false;
}

static void open_block(lbBody* base, lbBlock* block) {
    lbElastostaticBody* body = own(base);
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

static void end_block(lbBody* body) {
    (void)body;
}

static void project(lbBody* body, float* p) {
    (void)body;
    memset(p, 0, 4 * blockRows * sizeof(float));
}

static void multiply(lbBody* body, const float* p, float* q) {
    (void)body;
    for (int i = 0; i < 4 * blockRows; ++i) {
        q[i] = 0 * p[i]; /* nothing of it takes part */
    }
}

static void residual(lbBody* body, const double* dv, const float* b, float* r) {
    (void)body, (void)dv, (void)b;
    memset(r, 0, 4 * blockRows * sizeof(float));
}

static void precondition(lbBody* body, const float* r, float* z) {
    (void)body, (void)r;
    memset(z, 0, 4 * blockRows * sizeof(float));
}

static void reduce(lbBody* body, const lbBlock* block, const float* r, double whole[6]) {
    (void)body, (void)block, (void)r;
    memset(whole, 0, 6 * sizeof(double));
}

static void expand(lbBody* body, const lbBlock* block, const double whole[6], float* z) {
    (void)body, (void)block, (void)whole, (void)z;
}

/* ---- Between frames ---------------------------------------------------------------------------------------------- */

/* Only when something changed. */
static void update_skin(lbBody* base, lbTasks* tasks) {
    lbElastostaticBody* body = own(base);
    size_t count = 3 * (size_t)base->model->skinPointCount;
    if (body->dt == 0) { /* just made, or restored: what is known of velocities stays */
        evaluate(body, tasks, &body->now, base->skinX);
        return;
    }
    if (!body->moving && !body->pushed) {
        if (body->lastDt != 0) {
            memset(base->skinV, 0, count * sizeof(float));
            body->lastDt = 0;
        }
        return;
    }
    if (body->pushed || body->freeCount > 0) {
        evaluate(body, tasks, &body->now, body->targetX);
    }
    float rate = (float)(1 / body->dt);
    for (size_t i = 0; i < count; ++i) {
        base->skinV[i] = rate * (body->targetX[i] - base->skinX[i]);
        base->skinX[i] = body->targetX[i];
    }
    body->lastDt = (float)body->dt;
}

static void walk_flags(lbWalk* walk, lbElastostaticBody* body) {
    for (int i = 0; i < body->controlCount; ++i) {
        int free = body->free[i];
        free = lb_walk_index(walk, &free, body->data->controls[i].fixed ? 1 : 2, "a control that is free or held");
        if (walk->mode == lb_walkRead) {
            body->free[i] = free != 0;
        }
    }
}

static void walk(lbBody* base, lbWalk* walk) {
    lbElastostaticBody* body = own(base);
    size_t controls = (size_t)body->controlCount;
    lb_walk_structure(walk, base->ops->kind, strlen(base->ops->kind), "a body's kind");
    lb_walk_structure(walk, &body->data->header->checksum, sizeof(uint64_t), "a body's precomputed model");
    lb_walk_doubles(walk, body->asked[0].t, 12 * controls, "where a control is to be");
    lb_walk_doubles(walk, body->maps[0].t, 12 * controls, "where a control is");
    lb_walk_doubles(walk, body->pushes, 12 * controls, "a force on a control");
    lb_walk_doubles(walk, body->contact, 12 * controls, "a force of contact");
    lb_walk_doubles(walk, body->now.rotation, 9, "a rotation");
    lb_walk_doubles(walk, body->now.translation, 3, "a translation");
    lb_walk_doubles(walk, body->now.c, (size_t)body->modeCount, "a coefficient");
    lb_walk_floats(walk, body->shares, (size_t)body->data->header->loadCount, "a share of a load");
    lb_walk_floats(walk, &body->limits.strain, 3, "a limit");
    lb_walk_vector(walk, &body->lastGravity, "gravity");
    lb_walk_doubles(walk, body->refused, 2, "a refused value");
    lb_walk_index(walk, &body->refusal, lb_refusalCount, "a refusal");
    int asking = body->asking;
    asking = lb_walk_index(walk, &asking, 2, "whether something is asked");
    walk_flags(walk, body);
    lb_walk_floats(walk, base->skinV, 3 * (size_t)base->model->skinPointCount, "a velocity");
    lb_walk_floats(walk, &body->lastDt, 1, "a frame's length");
    if (walk->mode == lb_walkRead) {
        body->asking = asking != 0;
        list_free(body);
        body->dt = 0; /* the skin follows the state */
    }
}

static void jump(lbBody* base) {
    own(base)->asking = true;
}

static lbResult refuse_integrator(lbBody* body, lbIntegratorKind kind, const lbIntegratorSettings* settings) {
    (void)kind, (void)settings;
    return lb_error(lb_errorArgument, "body '%s' is %s: it has no integrator", body->name, body->ops->kind);
}

/* Controls and loads store energy apart: a load does no work on what controls do (Betti). */
static lbEnergy energy(const lbBody* base) {
    const lbElastostaticBody* body = own_const(base);
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

static lbMomentum momentum(const lbBody* base) {
    const lbElastostaticBody* body = own_const(base);
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

static int find_worst(const lbBody* base, double* speed) {
    const lbElastostaticBody* body = own_const(base);
    *speed = 0;
    for (int k = 0; k < body->modeCount; ++k) {
        if (!isfinite(body->now.c[k])) {
            *speed = NAN;
            return k / 12;
        }
    }
    return 0;
}

static int count_inverted(const lbBody* body, char* text, size_t room) {
    (void)body, (void)room;
    text[0] = 0;
    return 0;
}

/* It is there always. */
static lbResult solve_equilibrium(lbBody* body, const double* prescribed, const lbEquilibriumDef* def,
                                  lbEquilibriumReport* report) {
    (void)body, (void)prescribed, (void)def;
    *report = (lbEquilibriumReport){0};
    return lb_success();
}

static const lbBodyOps elastostaticBodyOps = {
    .kind = "elastostatic",
    .destroy = destroy,
    .countSteps = count_steps,
    .stableStep = stable_step,
    .predict = predict,
    .finish = finish,
    .bindSkin = bind_skin,
    .place = place,
    .travel = travel,
    .velocity = travel,
    .push = push,
    .pushVelocity = push,
    .compliance = compliance,
    .isImplicit = is_implicit,
    .openBlock = open_block,
    .addResistance = add_resistance,
    .closeBlock = close_block,
    .endBlock = end_block,
    .project = project,
    .multiply = multiply,
    .residual = residual,
    .precondition = precondition,
    .reduce = reduce,
    .expand = expand,
    .beginFrame = begin_frame,
    .updateSkin = update_skin,
    .walk = walk,
    .jump = jump,
    .setIntegrator = refuse_integrator,
    .energy = energy,
    .momentum = momentum,
    .hasField = lb_elastostatic_has_field,
    .measureField = lb_elastostatic_measure_field,
    .findWorst = find_worst,
    .countInverted = count_inverted,
    .solveEquilibrium = solve_equilibrium,
};
