#include "body/body.h"

#include "base/result.h"
#include "body/assembly.h"
#include "matrix/preconditioner.h"

#include <stdio.h>
#include <string.h>

enum { bodyCookie = 0x626f6479, maxStepsPerFrame = 100000 };

lbBodyDef lbDefaultBodyDef(void) {
    return (lbBodyDef){
        .name = "body",
        .rotation = {0, 0, 0, 1},
        .integrator = lb_integratorSymplecticEuler,
        .settings = {.tolerance = 1e-3f, .iterationLimit = 200},
        .cookie = bodyCookie,
    };
}

lbResult lb_check_step_count(int stepCount) {
    if (stepCount < 0 || stepCount > maxStepsPerFrame) {
        return lb_error(lb_errorArgument, "stepCount is %d; expected 0 (automatic) to %d", stepCount, maxStepsPerFrame);
    }
    return lb_success();
}

lbResult lb_check_wind_drag(float windDrag) {
    if (!(windDrag >= 0) || !isfinite(windDrag)) {
        return lb_error(lb_errorArgument, "windDrag is %g; expected 0 or more", windDrag);
    }
    return lb_success();
}

lbResult lb_check_point_damping(lbPointDamping damping) {
    if ((unsigned)damping.form > lb_pointDampingNewton) {
        return lb_error(lb_errorArgument, "point damping of form %d does not exist", (int)damping.form);
    }
    if (!(damping.coefficient >= 0) || !isfinite(damping.coefficient)) {
        return lb_error(lb_errorArgument, "the point damping's coefficient is %g; expected 0 or more",
                        damping.coefficient);
    }
    return lb_success();
}

static lbResult check_integrator(lbIntegratorKind kind, const lbIntegratorSettings* settings) {
    if (lb_find_integrator(kind) == NULL) {
        return lb_error(lb_errorArgument, "integrator kind %d does not exist", (int)kind);
    }
    if (!(settings->tolerance > 0 && settings->tolerance < 1) || settings->iterationLimit < 1) {
        return lb_error(lb_errorArgument,
                        "the integrator's tolerance is %g and its iterationLimit %d; expected 0 < tolerance < 1 and at "
                        "least 1 iteration",
                        settings->tolerance, settings->iterationLimit);
    }
    return lb_success();
}

static lbResult check_def(const lbBodyDef* def) {
    if (def == NULL || def->cookie != bodyCookie) {
        return lb_error(lb_errorArgument, "the body's definition was not made by lbDefaultBodyDef()");
    }
    LB_TRY(check_integrator(def->integrator, &def->settings));
    lbQuat q = def->rotation;
    float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!(fabsf(length - 1) < 1e-3f)) {
        return lb_error(lb_errorArgument, "the body's rotation has length %g; expected a unit quaternion", length);
    }
    if (!vec3_finite(def->position) || !vec3_finite(def->velocity) || !vec3_finite(def->angularVelocity)) {
        return lb_error(lb_errorArgument, "the body's position, velocity and angularVelocity must be finite");
    }
    LB_TRY(lb_check_step_count(def->stepCount));
    LB_TRY(lb_check_wind_drag(def->windDrag));
    return lb_check_point_damping(def->pointDamping);
}

/* The linear law knows displacements from where the model was made, not how the body was turned since. */
static lbResult check_turn(const lbModel* model, const lbBodyDef* def) {
    lbQuat q = def->rotation;
    if (model->laws[0].law == &lb_linear && (q.x != 0 || q.y != 0 || q.z != 0)) {
        return lb_error(
            lb_errorArgument,
            "body '%s' is placed with a rotation, which the law \"linear\" takes for a deformation; turn its "
            "shape instead",
            def->name != NULL ? def->name : "body");
    }
    return lb_success();
}

lbVec3 lb_node_start(const lbBody* body, int node) {
    lbVec3 rest = vec3_load(body->model->rest + 4 * (size_t)node);
    return vec3_add(quat_rotate(body->rotation, rest), body->position);
}

lbVec3 lb_skin_start(const lbBody* body, int point) {
    lbVec3 rest = vec3_load(lbShape_GetPoints(body->model->shape) + 3 * (size_t)point);
    return vec3_add(quat_rotate(body->rotation, rest), body->position);
}

static void place(lbBody* body, const lbBodyDef* def) {
    lbVec3 center = vec3_add(quat_rotate(body->rotation, body->model->center), body->position);
    for (int i = 0; i < body->model->nodeCount; ++i) {
        lbVec3 x = lb_node_start(body, i);
        lbVec3 spin = vec3_cross(def->angularVelocity, vec3_sub(x, center));
        vec3_store(body->x + 4 * (size_t)i, x);
        vec3_store(body->v + 4 * (size_t)i, vec3_add(def->velocity, spin));
        body->heldIndex[i] = -1;
    }
}

/* What a body keeps for its integrator. */
typedef struct Method {
    const lbIntegrator* integrator;
    float* history; /* (historyVectors x nodeCount x 4) */
    lbArena scratch;
    lbBlockMatrix matrix;
} Method;

static void release_method(const lbHost* host, Method* method) {
    lb_arena_destroy(host, &method->scratch);
    lb_release(host, method->history);
    lb_destroy_matrix(&method->matrix);
}

static lbResult create_method(const lbHost* host, lbModel* model, lbIntegratorKind kind, Method* method) {
    const lbIntegrator* integrator = lb_find_integrator(kind);
    int64_t nodes = model->nodeCount;
    *method = (Method){.integrator = integrator};
    method->history = LB_NEW(host, float, 4 * nodes * integrator->historyVectors);
    lbResult result = method->history != NULL ? lb_success() : lb_out_of_memory("a body");
    if (result.code == lb_ok && (integrator->traits & lb_traitImplicit) != 0) {
        result = lb_create_body_matrix(model, &method->matrix);
    }
    size_t scratch =
        (size_t)int_max(integrator->scratchVectors, lb_boundNumbers / 4) * (4 * (size_t)nodes * sizeof(float) + 64);
    if (method->matrix.values != NULL) {
        scratch += lb_grid_bytes(lb_model_grids(model));
    }
    if (result.code == lb_ok && !lb_arena_create(host, &method->scratch, scratch)) {
        result = lb_out_of_memory("a body");
    }
    if (result.code != lb_ok) {
        release_method(host, method);
    }
    return result;
}

static void take_method(lbBody* body, const Method* method, const lbIntegratorSettings* settings) {
    body->integrator = method->integrator;
    body->settings = *settings;
    body->history = (lbHistory){.vectors = method->history};
    body->scratch = method->scratch;
    body->matrix = method->matrix;
    body->solve = (lbSolve){0};
}

lbResult lb_set_integrator(lbBody* body, lbIntegratorKind kind, const lbIntegratorSettings* settings) {
    LB_TRY(check_integrator(kind, settings));
    Method before = {body->integrator, body->history.vectors, body->scratch, body->matrix}, after;
    LB_TRY(create_method(body->host, body->model, kind, &after));
    lbIntegratorSettings kept = *settings; /* may be the body's own */
    take_method(body, &after, &kept);
    release_method(body->host, &before);
    return lb_success();
}

lbResult lb_create_body(const lbHost* host, lbTasks* tasks, lbModel* model, const lbBodyDef* def, lbBody** body) {
    *body = NULL;
    LB_TRY(check_def(def));
    LB_TRY(check_turn(model, def));
    lbBody* made = LB_NEW(host, lbBody, 1);
    if (made == NULL) {
        return lb_out_of_memory("a body");
    }
    int64_t nodes = model->nodeCount, points = model->skin.pointCount;
    *made = (lbBody){.ops = &lb_dynamicBodyOps, .host = host, .model = model};
    made->tasks = model->nodeCount > nodeGrain ? tasks : NULL;
    snprintf(made->name, sizeof(made->name), "%s", def->name != NULL ? def->name : "body");
    made->position = def->position;
    made->rotation = quat_normalize(def->rotation);
    made->wantedSteps = def->stepCount;
    made->windDrag = def->windDrag;
    made->pointDamping = def->pointDamping;
    made->x = LB_NEW(host, float, 4 * nodes);
    made->v = LB_NEW(host, float, 4 * nodes);
    made->held = LB_NEW(host, lbHeldNode, nodes);
    made->heldIndex = LB_NEW(host, int, nodes);
    made->load = LB_NEW(host, float, 4 * nodes);
    made->skinX = LB_NEW(host, float, 3 * points);
    made->skinV = LB_NEW(host, float, 3 * points);
    made->skinF = LB_NEW(host, float, 3 * points);
    bool collects = false;
    for (int i = 0; i < model->lawCount; ++i) {
        collects |= model->laws[i].law->collect != NULL;
    }
    made->shared = collects ? LB_NEW(host, float, lb_sharedVectors * 4 * nodes) : NULL;
    bool enough = made->x != NULL && made->v != NULL && made->held != NULL && made->heldIndex != NULL &&
                  made->load != NULL && (!collects || made->shared != NULL) && made->skinX != NULL &&
                  made->skinV != NULL && made->skinF != NULL;
    Method method;
    lbResult result = enough ? create_method(host, model, def->integrator, &method) : lb_out_of_memory("a body");
    if (result.code != lb_ok) {
        lb_destroy_body(made);
        return result;
    }
    take_method(made, &method, &def->settings);
    place(made, def);
    lb_update_skin(made, tasks);
    *body = made;
    return lb_success();
}

void lb_destroy_body(lbBody* body) {
    if (body == NULL) {
        return;
    }
    const lbHost* host = body->host;
    lb_arena_destroy(host, &body->scratch);
    lb_release(host, body->x);
    lb_release(host, body->v);
    lb_release(host, body->history.vectors);
    lb_destroy_matrix(&body->matrix);
    lb_release(host, body->held);
    lb_release(host, body->heldIndex);
    lb_release(host, body->load);
    lb_release(host, body->shared);
    lb_release(host, body->activation);
    lb_release(host, body->pressures);
    lb_release(host, body->skinX);
    lb_release(host, body->skinV);
    lb_release(host, body->skinF);
    lb_release(host, body);
}

void lb_update_skin(lbBody* body, lbTasks* tasks) {
    lb_skin_evaluate(&body->model->skin, tasks, body->x, body->skinX);
    lb_skin_evaluate(&body->model->skin, tasks, body->v, body->skinV);
}
