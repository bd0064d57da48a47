/* Where a search for equilibrium is tried hardest: matter a million times as stiff beside soft, one free node, bodies
 * that start inside out; and what success means. */
#include "base/result.h"
#include "verify/law_checks.h"
#include "verify/static_stage.h"
#include "verify/suites.h"

#include <math.h>
#include <stdlib.h>

static lbVec3d bar(const void* self, lbVec3d p) {
    (void)self;
    return vec3d(p.x, 0.25 * p.y, 0.25 * p.z);
}

/* Two halves in series, nu = 0: exactly P L / (2 A) (1/E1 + 1/E2) long. */
static lbResult check_ratio(lbVerifyContext* context, lbLawKind law, double ratio) {
    const lbZone zone = {.region = {.kind = lb_regionBox, .box = {{0.5f, -1, -1}, {2, 2, 2}}},
                         .matter = {1000, (float)(1e6 * ratio), 0}};
    lbStaticDef def = lb_default_static(law, 8, 2, 2, bar, NULL);
    def.nu = 0;
    def.zoneCount = 1;
    def.zones = &zone;
    lbStaticStage stage;
    LB_TRY(lb_create_stage(&def, &stage));
    const double stress = 1e-5 * def.E * fmin(1, ratio);
    lbLoadDef load = lbDefaultLoadDef();
    load.traction = vec3((float)stress, 0, 0);
    lbResult result = lb_hold_face(&stage, 0, 0, lb_axisAll, NULL);
    result = result.code == lb_ok ? lb_load_face(&stage, 0, 1, &load) : result;
    result = result.code == lb_ok ? lb_settle_stage(&stage) : result;
    if (result.code == lb_ok) {
        double expected = 0.5 * stress / def.E * (1 + 1 / ratio);
        lb_verify_near(context,
                       lb_verify_name(context, "two halves, stiffness ratio %g, %s: length over theory", ratio,
                                      lbLawKind_GetName(law)),
                       lb_face_displacement(&stage, 0, 1).x / expected, 1, law == lb_lawLinear ? 2e-6 : 3e-5);
        lb_verify_at_most(context, lb_verify_name(context, "the same: residual"), stage.report.residual, def.tolerance);
    }
    lb_destroy_stage(&stage);
    return result;
}

/* All nodes but one are held: its displacement is the inverse of a 3 x 3 matrix, found here by pushing it three ways.
 * The answer to a push along a diagonal is then the sum of the three. */
static lbResult check_one_node(lbVerifyContext* context, lbLawKind law) {
    lbVec3d answers[4];
    int free = -1;
    lbEquilibriumReport report = {0};
    for (int push = 0; push < 4; ++push) {
        lbStaticDef def = lb_default_static(law, 2, 2, 2, bar, NULL);
        lbStaticStage stage;
        LB_TRY(lb_create_stage(&def, &stage));
        int held = 0;
        for (int i = 0; i < stage.count; ++i) {
            bool middle = vec3d_length(vec3d_sub(stage.parameter[i], vec3d(0.5, 0.5, 0.5))) < 1e-9;
            free = middle ? i : free;
            stage.list[held] = i;
            held += !middle;
        }
        lbResult result = lb_hold_region(
            &stage, (lbRegion){.kind = lb_regionNodes, .nodes = stage.list, .nodeCount = held}, lb_axisAll, NULL);
        lbLoadDef load = lbDefaultLoadDef();
        load.body = stage.body;
        load.region = (lbRegion){.kind = lb_regionNodes, .nodes = &free, .nodeCount = 1};
        const float f = 1e-3f;
        load.force = vec3(push == 0 || push == 3 ? f : 0, push == 1 || push == 3 ? f : 0, push >= 2 ? f : 0);
        lbLoadId made;
        result = result.code == lb_ok ? lbCreateLoad(stage.world, &load, &made) : result;
        result = result.code == lb_ok ? lb_settle_stage(&stage) : result;
        answers[push] = stage.moved[free];
        report = stage.report;
        lb_destroy_stage(&stage);
        LB_TRY(result);
    }
    lbVec3d sum = vec3d_add(vec3d_add(answers[0], answers[1]), answers[2]);
    lb_verify_near(context,
                   lb_verify_name(context, "one free node, %s: pushed three ways and at once", lbLawKind_GetName(law)),
                   vec3d_length(answers[3]) / vec3d_length(sum), 1, law == lb_lawLinear ? 1e-9 : 1e-5);
    lb_verify_at_most(context, lb_verify_name(context, "one free node, %s: residual", lbLawKind_GetName(law)),
                      report.residual, 1e-8);
    return lb_success();
}

/* Mirrored, one end held: the only equilibrium without a load that the law leaves is the shape at rest. */
static lbResult check_inverted(lbVerifyContext* context, lbLawKind law) {
    lbStaticDef def = lb_default_static(law, 4, 2, 2, bar, NULL);
    def.tolerance = 1e-6;
    lbStaticStage stage;
    LB_TRY(lb_create_stage(&def, &stage));
    lbResult result = lb_hold_face(&stage, 0, 0, lb_axisAll, NULL);
    float* x = malloc(3 * (size_t)stage.count * sizeof(float));
    lbEnergy energy = {0};
    if (x == NULL) {
        result = lb_out_of_memory("a stage");
    }
    result = result.code == lb_ok ? lbBody_GetState(stage.world, stage.body, x, NULL) : result;
    for (int i = 0; result.code == lb_ok && i < stage.count; ++i) {
        x[3 * i] = -0.5f * x[3 * i];
    }
    result = result.code == lb_ok ? lbBody_SetState(stage.world, stage.body, x, NULL) : result;
    result = result.code == lb_ok ? lb_settle_stage(&stage) : result;
    result = result.code == lb_ok ? lbBody_GetEnergy(stage.world, stage.body, &energy) : result;
    free(x);
    if (result.code == lb_ok) {
        lb_verify_near(
            context,
            lb_verify_name(context, "starts inside out, %s: energy that is left over E V", lbLawKind_GetName(law)),
            energy.elastic / (def.E / 16), 0, 1e-9);
    }
    lb_destroy_stage(&stage);
    return result;
}

/* Loads at random on one block: whenever it is a success, forces on pins balance what acts. */
static lbResult check_balance(lbVerifyContext* context, lbLawKind law) {
    double worst = 0, residual = 0;
    unsigned seed = 9;
    for (int round = 0; round < 6; ++round) {
        lbStaticDef def = lb_default_static(law, 6, 2, 2, bar, NULL);
        def.tolerance = 1e-7;
        lbStaticStage stage;
        LB_TRY(lb_create_stage(&def, &stage));
        lbLoadDef load = lbDefaultLoadDef();
        float size = (float)pow(10, 2 - round); /* N: bends it by half its length, to by a millionth */
        load.force = vec3(size * random_signed(&seed), size * random_signed(&seed), size * random_signed(&seed));
        lbPinId pin;
        lbVec3 force = {0};
        lbResult result = lb_hold_face(&stage, 0, 0, lb_axisAll, &pin);
        result = result.code == lb_ok ? lb_load_face(&stage, 0, 1, &load) : result;
        result = result.code == lb_ok ? lb_settle_stage(&stage) : result;
        result = result.code == lb_ok ? lbPin_GetForce(stage.world, pin, &force) : result;
        worst = fmax(worst, (double)(vec3_length(vec3_sub(force, load.force)) / vec3_length(load.force)));
        residual = fmax(residual, stage.report.residual);
        lb_destroy_stage(&stage);
        LB_TRY(result);
    }
    lb_verify_at_most(
        context, lb_verify_name(context, "loads of six decades, %s: force on the pin off by", lbLawKind_GetName(law)),
        worst, 1e-5);
    lb_verify_at_most(context,
                      lb_verify_name(context, "loads of six decades, %s: largest residual", lbLawKind_GetName(law)),
                      residual, 1e-7);
    return lb_success();
}

lbResult lb_verify_static_limits(lbVerifyContext* context) {
    LB_TRY(check_ratio(context, lb_lawLinear, 1e6));
    LB_TRY(check_ratio(context, lb_lawLinear, 1e-6));
    LB_TRY(check_ratio(context, lb_lawNeoHookean, 1e6));
    LB_TRY(check_one_node(context, lb_lawLinear));
    LB_TRY(check_one_node(context, lb_lawNeoHookean));
    LB_TRY(check_inverted(context, lb_lawCorotational));
    LB_TRY(check_inverted(context, lb_lawNeoHookean));
    for (lbLawKind law = lb_lawLinear; law < lb_lawKindCount; ++law) {
        LB_TRY(check_balance(context, law));
    }
    return lb_success();
}
