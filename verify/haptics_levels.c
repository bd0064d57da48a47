/* Force feedback on a body whose resolution changes. */
#include "base/result.h"
#include "verify/adaptive_stage.h"
#include "verify/haptics_stage.h"
#include "verify/suites.h"

lbResult lb_verify_haptic_levels(lbVerifyContext* context) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    lbAdaptiveStage stage;
    def.size = vec3(0.4f, 0.2f, 0.4f);
    def.edge = 0.1;
    def.law = lb_lawCorotational;
    def.material.youngsModulus = 20000;
    def.material.massDamping = 3;
    def.material.stiffnessDamping = 0.0005f;
    def.detail = lbDefaultBodyDef().detail;
    LB_TRY(lb_create_adaptive_stage(&def, &stage));
    lbPinDef pin = lbDefaultPinDef();
    lbPinId held;
    pin.body = stage.id;
    pin.region = (lbRegion){.kind = lb_regionBox, .box = {{-1, -1, -1}, {1, -0.099f, 1}}};
    LB_TRY(lbCreatePin(stage.world, &pin, &held));
    lbPress press = {.depth = 0.04, .time = 1};
    lbFeltTool felt;
    LB_TRY(lb_create_felt_tool(stage.world, &press, lb_toolSphere, 0.05f, vec3(0, 0.155f, 0), &felt));
    int changes = 0;
    lbResult result = lb_success();
    for (int i = 0; i < 90 && result.code == lb_ok; ++i) {
        lbDetailReport report;
        result = lb_play_felt(&felt, 1.0 / 60);
        LB_TRY(lbBody_GetDetail(stage.world, stage.id, &report));
        changes += report.splitCount + report.mergeCount > 0;
    }
    lbVec3 force = {0, 0, 0};
    if (result.code == lb_ok) {
        result = lbTool_GetForce(stage.world, felt.tool, &force);
    }
    lbDestroyHaptics(felt.haptics);
    lb_destroy_adaptive_stage(&stage);
    if (result.code == lb_ok) {
        lb_verify_at_least(context, "a body in levels of detail, pressed: frames in which they change", changes, 1);
        lb_verify_at_most(context, "and the largest step of the force, share of the largest",
                          press.steepest / press.largest, 0.05);
        lb_verify_near(context, "and the force of the hand / the world's", (double)(press.force.y / force.y), 1, 0.02);
    }
    return result;
}
