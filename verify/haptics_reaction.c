/* A control of a precomputed body held in the hand: felt by its reaction matrix. */
#include "verify/elasto_bar.h"

/* A hand that pulls the end of a bar sideways and along it, and stays. */
static bool read_pull(void* user, double time, lbDevicePose* pose) {
    const lbVec3* from = user;
    float part = (float)fmin(time / 0.5, 1);
    *pose = (lbDevicePose){vec3_madd(*from, part, vec3(0.01f, -0.03f, 0.02f)), {0, 0, 0, 1}};
    return true;
}

static lbResult play(lbWorld* world, lbHaptics* haptics, int frames, double* steepest) {
    lbVec3 last = lbHaptics_GetState(haptics).force;
    for (int i = 0; i < frames; ++i) {
        LB_TRY(lbHaptics_Follow(haptics));
        LB_TRY(lbWorld_Step(world, 1.0 / 60));
        LB_TRY(lbHaptics_Refresh(haptics, 1.0 / 60));
        for (int round = 0; round < 17; ++round) {
            LB_TRY(lbHaptics_Tick(haptics));
            lbVec3 force = lbHaptics_GetState(haptics).force;
            *steepest = fmax(*steepest, (double)vec3_length(vec3_sub(force, last)));
            last = force;
        }
    }
    return lb_success();
}

static lbResult measure_bar(lbVerifyContext* context, lbWorld* world, lbBodyId body, int control) {
    lbControlState state;
    LB_TRY(lbBody_GetControl(world, body, control, &state));
    lbVec3 from = state.center;
    lbHapticsDef def = lbDefaultHapticsDef();
    lbHaptics* haptics = NULL;
    double steepest = 0;
    def.body = body;
    def.control = control;
    def.device = (lbDevice){.user = &from, .read = read_pull};
    LB_TRY(lbCreateHaptics(world, &def, &haptics));
    lbResult result = play(world, haptics, 90, &steepest);
    lbHapticsState felt = lbHaptics_GetState(haptics);
    lbDestroyHaptics(haptics);
    LB_TRY(result);
    LB_TRY(lbBody_GetControl(world, body, control, &state));
    double hand = (double)vec3_length(felt.force), world_ = (double)vec3_length(state.force);
    double apart = (double)vec3_length(vec3_add(felt.force, state.force));
    lb_verify_near(context, "a precomputed bar held by its end: force of the hand / its reaction", hand / world_, 1,
                   0.01);
    lb_verify_at_most(context, "and along it: what is left of the two, share", apart / world_, 0.01);
    lb_verify_at_most(context, "and the largest step from round to round, share", steepest / hand, 0.05);
    return lb_success();
}

lbResult lb_verify_haptic_reaction(lbVerifyContext* context) {
    lbElastoBar bar = lb_default_elasto_bar(0.3f);
    lbElastostatic* made = NULL;
    lbWorld* world = NULL;
    lbBodyId body;
    bar.cells[0] = 6, bar.cells[1] = bar.cells[2] = 2;
    bar.width = bar.size[0] / bar.cells[0];
    bar.material.youngsModulus = 2e4f;
    bar.fixStart = true;
    LB_TRY(lb_precompute_bar(&bar, &made, NULL));
    LB_TRY(lb_make_elasto_world(made, vec3(0, 0, 0), &world, &body));
    lbResult result = measure_bar(context, world, body, 1);
    lbDestroyWorld(world);
    return result;
}
