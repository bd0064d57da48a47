/* Changes to what is in a running world: materials, integrators, damping. */
#include "base/result.h"
#include "world/world.h"

lbResult lbModel_SetMaterial(lbWorld* world, lbModelId id, const lbMaterial* material) {
    lbModel* model = LB_FIND(&world->models, id);
    if (model == NULL) {
        return lb_no_such("model");
    }
    LB_TRY(lb_set_material(model, material));
    LB_FOR_EACH(lbWorldBody, owner, &world->bodies) {
        if (owner->body->model == model) {
            owner->body->history.filled = 0; /* forces jump */
        }
    }
    return lb_success();
}

lbResult lbBody_SetIntegrator(lbWorld* world, lbBodyId id, lbIntegratorKind integrator,
                              const lbIntegratorSettings* settings) {
    lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    return lb_set_integrator(body, integrator, settings != NULL ? settings : &body->settings);
}

lbResult lbBody_GetIntegrator(const lbWorld* world, lbBodyId id, lbIntegratorKind* integrator,
                              lbIntegratorSettings* settings, int* stepCount) {
    const lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    if (integrator != NULL) {
        lbIntegratorKind_FromName(body->integrator->name, integrator);
    }
    if (settings != NULL) {
        *settings = body->settings;
    }
    if (stepCount != NULL) {
        *stepCount = body->wantedSteps;
    }
    return lb_success();
}

lbResult lbBody_SetStepCount(lbWorld* world, lbBodyId id, int stepCount) {
    lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    LB_TRY(lb_check_step_count(stepCount));
    body->wantedSteps = stepCount;
    return lb_success();
}

lbResult lbBody_SetPointDamping(lbWorld* world, lbBodyId id, lbPointDamping damping) {
    lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    LB_TRY(lb_check_point_damping(damping));
    body->pointDamping = damping;
    body->history.filled = 0; /* forces jump */
    return lb_success();
}

lbResult lbBody_SetWindDrag(lbWorld* world, lbBodyId id, float windDrag) {
    lbBody* body = lb_find_body(world, id);
    if (body == NULL) {
        return lb_no_such("body");
    }
    LB_TRY(lb_check_wind_drag(windDrag));
    body->windDrag = windDrag;
    body->history.filled = 0; /* forces jump */
    return lb_success();
}
