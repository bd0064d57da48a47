/* The same body in the same place, stepped in different ways: what contact does to it does not depend on them. */
#include "verify/contact_stage.h"

#include <stdio.h>

typedef struct Outcome {
    double force, result; /* N, m */
} Outcome;

typedef struct Case {
    lbIntegratorKind integrator;
    Outcome* outcome;
} Case;

/* A soft block, 20 kPa, on ice: how far its middle comes down. */
static lbResult measure_sag(lbStage* stage, const void* given) {
    const Case* what = given;
    lbPiece block = lb_soft_block(lb_lawCorotational, what->integrator);
    block.model.material.youngsModulus = 2e4f;
    block.model.material.stiffnessDamping = 0.01f;
    block.body.friction = 0;
    lbToolId ground;
    lbBodyId body;
    LB_TRY(lb_add_ground(stage, 0, &ground));
    LB_TRY(lb_add_piece(stage, &block, vec3(0, 0.05f, 0), &body));
    LB_TRY(lb_play_stage(stage, 3));
    lbVec3 force;
    lbVec3d center;
    LB_TRY(lbTool_GetForce(stage->world, ground, &force));
    LB_TRY(lb_center(stage, body, &center));
    *what->outcome = (Outcome){-(double)force.y, 0.05 - center.y};
    return lb_success();
}

/* A block is pulled over the ground by a spring whose end moves at 0.1 m/s: it sticks, slips, and follows. How far it
 * is after 2 s, and the pull, mean over the last of them. */
static lbResult measure_drag(lbStage* stage, const void* given) {
    const Case* what = given;
    lbPiece block = lb_soft_block(lb_lawCorotational, what->integrator);
    block.size.y = 0.05f;
    block.cells[1] = 2;
    lbToolId ground;
    lbBodyId body;
    LB_TRY(lb_add_ground(stage, 0.5f, &ground));
    LB_TRY(lb_add_piece(stage, &block, vec3(0, 0.025f, 0), &body));
    lbGrabDef def = lbDefaultGrabDef();
    def.body = body;
    def.target = vec3(0.05f, 0.025f, 0.05f / 3);
    LB_TRY(lbBody_FindSkinPoint(stage->world, body, def.target, &def.skinPoint));
    lbGrabId grab;
    LB_TRY(lbCreateGrab(stage->world, &def, &grab));
    double pull = 0;
    for (int frame = 1; frame <= 120; ++frame) {
        lbVec3 hand = vec3_madd(def.target, 0.1f * (float)(frame * stage->dt), vec3(1, 0, 0));
        LB_TRY(lbGrab_MoveTo(stage->world, grab, hand));
        LB_TRY(lbWorld_Step(stage->world, stage->dt));
        lbVec3 force;
        LB_TRY(lbGrab_GetForce(stage->world, grab, &force));
        pull += frame > 60 ? -(double)force.x / 60 : 0;
    }
    lbVec3d center;
    LB_TRY(lb_center(stage, body, &center));
    *what->outcome = (Outcome){pull, center.x};
    return lb_success();
}

enum { methodCount = 5 };
static const lbIntegratorKind methods[methodCount] = {lb_integratorSymplecticEuler, lb_integratorVelocityVerlet,
                                                      lb_integratorRungeKutta4, lb_integratorImplicitEuler,
                                                      lb_integratorCrankNicolson};

static void compare(lbVerifyContext* context, const char* name, const char* result, lbStageFn* run, double share) {
    Outcome outcomes[methodCount] = {{0}};
    for (int i = 0; i < methodCount; ++i) {
        Case what = {methods[i], &outcomes[i]};
        lb_run_stage(context, name, LB_GRAVITY, run, &what);
        if (i == 0) {
            continue;
        }
        const char* method = lbIntegratorKind_GetName(methods[i]);
        lb_verify_near(context, lb_verify_name(context, "%s, %s as symplectic-euler: force, N", name, method),
                       outcomes[i].force, outcomes[0].force, share * fabs(outcomes[0].force));
        lb_verify_near(context, lb_verify_name(context, "%s, %s as symplectic-euler: %s, m", name, method, result),
                       outcomes[i].result, outcomes[0].result, share * fabs(outcomes[0].result));
    }
}

lbResult lb_verify_contact_agreement(lbVerifyContext* context) {
    compare(context, "sag", "of the middle", measure_sag, 2e-3);
    compare(context, "drag", "way", measure_drag, 0.01);
    return lb_success();
}
