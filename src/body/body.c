/* What bodies of all kinds share. */
#include "body/body.h"

#include "base/result.h"

#include <stdio.h>

enum { bodyCookie = 0x626f6479, maxStepsPerFrame = 100000 };

lbBodyDef lbDefaultBodyDef(void) {
    return (lbBodyDef){
        .name = "body",
        .rotation = {0, 0, 0, 1},
        .integrator = lb_integratorAutomatic,
        .settings = {.tolerance = 1e-3f, .iterationLimit = 200, .linearisations = 1, .longer = 2, .compensate = true},
        .frameTime = 1.0f / 60,
        .friction = 0.5f,
        .detail = {.split = -1, .merge = -1},
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

lbResult lb_refuse_integrator(lbBody* body, lbIntegratorKind kind, const lbIntegratorSettings* settings) {
    (void)kind, (void)settings;
    return lb_error(lb_errorArgument, "body '%s' is %s: it has no integrator", body->name, body->ops->kind);
}

lbResult lb_check_surface(float friction, float restitution, float thickness) {
    if (!(friction >= 0) || !isfinite(friction)) {
        return lb_error(lb_errorArgument, "friction is %g; expected 0 or more", friction);
    }
    if (!(restitution >= 0 && restitution <= 1)) {
        return lb_error(lb_errorArgument, "restitution is %g; expected 0 to 1", restitution);
    }
    if (!(thickness >= 0) || !isfinite(thickness)) {
        return lb_error(lb_errorArgument, "thickness is %g; expected 0 m or more", thickness);
    }
    return lb_success();
}

lbResult lb_check_self_contact(lbSelfContact selfContact) {
    if (selfContact < lb_selfContactAutomatic || selfContact > lb_selfContactOn) {
        return lb_error(lb_errorArgument, "selfContact is %d; expected a value of lbSelfContact", (int)selfContact);
    }
    return lb_success();
}

static lbResult check_def(const lbBodyDef* def) {
    lbQuat q = def->rotation;
    float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!(fabsf(length - 1) < 1e-3f)) {
        return lb_error(lb_errorArgument, "the body's rotation has length %g; expected a unit quaternion", length);
    }
    if (!vec3_finite(def->position) || !vec3_finite(def->velocity) || !vec3_finite(def->angularVelocity)) {
        return lb_error(lb_errorArgument, "the body's position, velocity and angularVelocity must be finite");
    }
    LB_TRY(lb_check_self_contact(def->selfContact));
    return lb_check_surface(def->friction, def->restitution, def->thickness);
}

lbResult lb_create_body(const lbHost* host, lbTasks* tasks, lbModel* model, const lbBodyDef* def, lbBody** body) {
    *body = NULL;
    if (def == NULL || def->cookie != bodyCookie) {
        return lb_error(lb_errorArgument, "the body's definition was not made by lbDefaultBodyDef()");
    }
    LB_TRY(check_def(def));
    lbBody* made = NULL;
    LB_TRY(model->ops->createBody(host, tasks, model, def, &made));
    made->ops->updateSkin(made, tasks);
    *body = made;
    return lb_success();
}

void lb_destroy_body(lbBody* body) {
    if (body != NULL) {
        body->ops->destroy(body);
    }
}

lbResult lb_begin_body(lbBody* body, const lbBodyOps* ops, const lbHost* host, lbModel* model, const lbBodyDef* def) {
    *body = (lbBody){.ops = ops,
                     .host = host,
                     .model = model,
                     .position = def->position,
                     .rotation = quat_normalize(def->rotation),
                     .friction = def->friction,
                     .restitution = def->restitution,
                     .thickness = def->thickness,
                     .selfContact = def->selfContact};
    snprintf(body->name, sizeof(body->name), "%s", def->name != NULL ? def->name : "body");
    body->skinX = LB_NEW(host, float, 3 * (int64_t)model->skinPointCount);
    body->skinV = LB_NEW(host, float, 3 * (int64_t)model->skinPointCount);
    return body->skinX != NULL && body->skinV != NULL ? lb_success() : lb_out_of_memory("a body");
}

void lb_end_body(lbBody* body) {
    lb_release(body->host, body->pressures);
    lb_release(body->host, body->skinX);
    lb_release(body->host, body->skinV);
}

lbVec3 lb_skin_start(const lbBody* body, int point) {
    lbVec3 rest = vec3_load(lbShape_GetPoints(body->model->shape) + 3 * (size_t)point);
    return vec3_add(quat_rotate(body->rotation, rest), body->position);
}

void lb_tally_solve(lbBody* body, const lbSolve* solve) {
    lbSolverReport* report = &body->solver;
    report->solveCount += 1;
    report->iterations = int_max(report->iterations, solve->iterations);
    report->residual = fmax(report->residual, solve->residual);
    report->unfinishedCount += solve->unfinished;
    report->indefiniteCount += !solve->definite;
}

/* ---- Sides of modes ---------------------------------------------------------------------------------------------- */

lbVec3 lb_side_gather_modes(const lbSide* side, const float* q) {
    return side->body->ops->gatherModes(side->body, side, q);
}

lbVec3 lb_side_gather_modes_exactly(const lbSide* side, const double* q) {
    return side->body->ops->gatherModesExactly(side->body, side, q);
}

void lb_side_scatter_modes(const lbSide* side, lbVec3 p, float* q) {
    side->body->ops->scatterModes(side->body, side, p, q);
}
