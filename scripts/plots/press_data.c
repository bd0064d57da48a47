/* The data of docs/images/haptics.svg, as comma-separated values: a hand presses a ball into a body in levels of detail
 * and lets go; what it feels a thousand times a second, and what the world tells sixty times. */
#include "base/math.h"
#include "base/result.h"
#include "limber/limber.h"
#include "verify/adaptive_stage.h"

#include <stdio.h>

static bool read_hand(void* user, double time, lbDevicePose* pose) {
    (void)user;
    float way = time < 1.6 ? (float)(0.5 - 0.5 * cos(2 * LB_PI * time / 1.6)) : 0;
    *pose = (lbDevicePose){{0, 0.155f - 0.045f * way, 0}, {0, 0, 0, 1}};
    return true;
}

static lbResult create_stage(lbAdaptiveStage* stage, lbHapticsDef* haptics) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    def.size = vec3(0.4f, 0.2f, 0.4f);
    def.edge = 0.1;
    def.law = lb_lawCorotational;
    def.material.youngsModulus = 20000;
    def.material.massDamping = 3;
    def.material.stiffnessDamping = 0.0005f;
    def.detail = lbDefaultBodyDef().detail;
    LB_TRY(lb_create_adaptive_stage(&def, stage));
    lbPinDef pin = lbDefaultPinDef();
    lbPinId held;
    pin.body = stage->id;
    pin.region = (lbRegion){.kind = lb_regionBox, .box = {{-1, -1, -1}, {1, -0.099f, 1}}};
    LB_TRY(lbCreatePin(stage->world, &pin, &held));
    lbToolDef tool = lbDefaultToolDef(lb_toolSphere);
    tool.radius = 0.05f;
    tool.position = vec3(0, 0.155f, 0);
    LB_TRY(lbCreateTool(stage->world, &tool, &haptics->tool));
    return lb_success();
}

static lbResult print_frame(const lbAdaptiveStage* stage, const lbHapticsDef* def, lbHaptics* haptics) {
    lbVec3 force;
    lbDetailReport report;
    LB_TRY(lbHaptics_Follow(haptics));
    LB_TRY(lbWorld_Step(stage->world, 1.0 / 60));
    LB_TRY(lbHaptics_Refresh(haptics, 1.0 / 60));
    LB_TRY(lbTool_GetForce(stage->world, def->tool, &force));
    LB_TRY(lbBody_GetDetail(stage->world, stage->id, &report));
    printf("world,%.6f,%.6f,%d\n", lbWorld_GetTime(stage->world), (double)force.y, report.activeCount);
    return lb_success();
}

static lbResult print_press(void) {
    lbAdaptiveStage stage;
    lbHapticsDef def = lbDefaultHapticsDef();
    lbHaptics* haptics = NULL;
    LB_TRY(create_stage(&stage, &def));
    def.device.read = read_hand;
    LB_TRY(lbCreateHaptics(stage.world, &def, &haptics));
    for (int round = 1; round <= 2000; ++round) {
        if (lbWorld_GetTime(stage.world) < 1e-3 * round) {
            LB_TRY(print_frame(&stage, &def, haptics));
        }
        LB_TRY(lbHaptics_Tick(haptics));
        printf("hand,%.6f,%.6f,0\n", 1e-3 * round, (double)lbHaptics_GetState(haptics).force.y);
    }
    lbDestroyHaptics(haptics);
    lb_destroy_adaptive_stage(&stage);
    return lb_success();
}

int main(void) {
    printf("who,seconds,force,nodes\n");
    lbResult result = print_press();
    if (result.code != lb_ok) {
        fprintf(stderr, "press_data: %s\n", result.message);
    }
    return result.code == lb_ok ? 0 : 1;
}
