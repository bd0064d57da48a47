/* Changes to what is in a running world: materials, integrators, damping. */
#include "base/result.h"
#include "world/world.h"

/* What was chosen for another material may not serve any more. */
static lbResult choose_anew(lbBody* body) {
    const lbMotion* motion = body->ops->motion != NULL ? body->ops->motion(body) : NULL;
    if (motion == NULL || motion->integrator != lb_integratorAutomatic) {
        return lb_success();
    }
    return body->ops->setIntegrator(body, lb_integratorAutomatic, &motion->settings);
}

lbResult lbModel_SetMaterial(lbWorld* world, lbModelId id, const lbMaterial* material) {
    lbModel* model = LB_FIND(&world->models, id);
    if (model == NULL) {
        return lb_no_such("model");
    }
    LB_TRY(model->ops->setMaterial(model, material));
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        if (owner->body->model == model) {
            owner->body->ops->jump(owner->body); /* forces do */
            LB_TRY(choose_anew(owner->body));
        }
    }
    return lb_success();
}

/* The settings of a body that has some. */
static lbResult find_motion(const lbWorld* world, lbBodyId id, lbBody** body, lbMotion** motion) {
    *body = lb_find_body(world, id);
    if (*body == NULL) {
        return lb_no_such("body");
    }
    *motion = (*body)->ops->motion != NULL ? (*body)->ops->motion(*body) : NULL;
    if (*motion == NULL) {
        return lb_error(lb_errorArgument, "body '%s' is %s: it has no integrator, steps or drag of its own",
                        (*body)->name, (*body)->ops->kind);
    }
    return lb_success();
}

lbResult lbBody_SetIntegrator(lbWorld* world, lbBodyId id, lbIntegratorKind integrator,
                              const lbIntegratorSettings* settings) {
    lbBody* body;
    lbMotion* motion = NULL;
    LB_TRY(find_motion(world, id, &body, &motion));
    return body->ops->setIntegrator(body, integrator, settings != NULL ? settings : &motion->settings);
}

lbResult lbBody_GetIntegrator(const lbWorld* world, lbBodyId id, lbIntegratorKind* integrator,
                              lbIntegratorSettings* settings, int* stepCount) {
    lbBody* body;
    lbMotion* motion = NULL;
    LB_TRY(find_motion(world, id, &body, &motion));
    if (integrator != NULL) {
        *integrator = motion->integrator;
    }
    if (settings != NULL) {
        *settings = motion->settings;
    }
    if (stepCount != NULL) {
        *stepCount = motion->wantedSteps;
    }
    return lb_success();
}

lbResult lbBody_GetMethod(const lbWorld* world, lbBodyId id, lbIntegratorKind* method, int* stepCount) {
    lbBody* body;
    lbMotion* motion = NULL;
    LB_TRY(find_motion(world, id, &body, &motion));
    if (method != NULL) {
        *method = motion->method;
    }
    if (stepCount != NULL) {
        *stepCount = body->stepCount;
    }
    return lb_success();
}

lbResult lbBody_GetSolver(const lbWorld* world, lbBodyId id, lbSolverReport* report) {
    const lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    *report = body->solver;
    return lb_success();
}

lbResult lbBody_CountSteps(const lbWorld* world, lbBodyId id, double dt, int* stepCount) {
    lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    if (!(dt > 0) || !isfinite(dt)) {
        return lb_error(lb_errorArgument, "a frame of %g s; expected more than 0", dt);
    }
    *stepCount = body->ops->countSteps(body, dt);
    return lb_success();
}

bool lbBody_IsStepSetByDamping(const lbWorld* world, lbBodyId id, double dt, int* stepsWithout) {
    lbBody* body = lb_find_body(world, id);
    return body != NULL && lb_damping_sets_step(body, dt, stepsWithout);
}

lbResult lbBody_SetStepCount(lbWorld* world, lbBodyId id, int stepCount) {
    lbBody* body;
    lbMotion* motion = NULL;
    LB_TRY(find_motion(world, id, &body, &motion));
    LB_TRY(lb_check_step_count(stepCount));
    motion->wantedSteps = stepCount;
    return lb_success();
}

lbResult lbBody_SetPointDamping(lbWorld* world, lbBodyId id, lbPointDamping damping) {
    lbBody* body;
    lbMotion* motion = NULL;
    LB_TRY(find_motion(world, id, &body, &motion));
    LB_TRY(lb_check_point_damping(damping));
    motion->pointDamping = damping;
    body->ops->jump(body); /* forces do */
    return lb_success();
}

lbResult lbBody_SetWindDrag(lbWorld* world, lbBodyId id, float windDrag) {
    lbBody* body;
    lbMotion* motion = NULL;
    LB_TRY(find_motion(world, id, &body, &motion));
    LB_TRY(lb_check_wind_drag(windDrag));
    motion->windDrag = windDrag;
    body->ops->jump(body); /* forces do */
    return lb_success();
}

/* ---- Surfaces ---------------------------------------------------------------------------------------------------- */

static lbResult set_surface(lbWorld* world, lbBodyId id, const float* friction, const float* restitution,
                            const float* thickness) {
    lbWorldBody* owner = LB_FIND(&world->bodies, id);
    if (owner == NULL) {
        return lb_no_such("body");
    }
    lbBody* body = owner->body;
    float f = friction != NULL ? *friction : body->friction;
    float r = restitution != NULL ? *restitution : body->restitution;
    float t = thickness != NULL ? *thickness : body->thickness;
    LB_TRY(lb_check_surface(f, r, t));
    body->friction = f;
    body->restitution = r;
    float before = body->thickness;
    body->thickness = t;
    lbResult result = lb_prepare_self_contact(world, owner);
    body->thickness = result.code == lb_ok ? t : before;
    return result;
}

lbResult lbBody_SetSelfContact(lbWorld* world, lbBodyId id, lbSelfContact selfContact) {
    lbWorldBody* owner = LB_FIND(&world->bodies, id);
    if (owner == NULL) {
        return lb_no_such("body");
    }
    LB_TRY(lb_check_self_contact(selfContact));
    lbSelfContact before = owner->body->selfContact;
    owner->body->selfContact = selfContact;
    lbResult result = lb_prepare_self_contact(world, owner);
    owner->body->selfContact = result.code == lb_ok ? selfContact : before;
    return result;
}

lbResult lbBody_TouchesItself(const lbWorld* world, lbBodyId id, bool* touches) {
    const lbWorldBody* owner = LB_FIND(&world->bodies, id);
    if (owner == NULL) {
        return lb_no_such("body");
    }
    *touches = owner->neighbours.first != NULL;
    return lb_success();
}

lbResult lbBody_SetFriction(lbWorld* world, lbBodyId id, float friction) {
    return set_surface(world, id, &friction, NULL, NULL);
}

lbResult lbBody_SetRestitution(lbWorld* world, lbBodyId id, float restitution) {
    return set_surface(world, id, NULL, &restitution, NULL);
}

lbResult lbBody_SetThickness(lbWorld* world, lbBodyId id, float thickness) {
    return set_surface(world, id, NULL, NULL, &thickness);
}

lbResult lbBody_GetSurface(const lbWorld* world, lbBodyId id, float* friction, float* restitution, float* thickness) {
    const lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    if (friction != NULL) {
        *friction = body->friction;
    }
    if (restitution != NULL) {
        *restitution = body->restitution;
    }
    if (thickness != NULL) {
        *thickness = body->thickness;
    }
    return lb_success();
}
