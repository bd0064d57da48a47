#include "verify/haptics_stage.h"

#include "base/result.h"

static const double frame = 1.0 / 60; /* s */
enum { roundsPerFrame = 17 };         /* at most; see `play` */

static bool read_press(void* user, double time, lbDevicePose* pose) {
    const lbPress* press = user;
    double part = fmin(time / press->time, 1), eased = part * part * (3 - 2 * part);
    pose->position = vec3_sub(press->from, vec3(0, (float)(press->depth * eased), 0));
    pose->rotation = press->rotation;
    if (press->broken) {
        pose->position.x = NAN;
    }
    return !press->silent;
}

static void write_press(void* user, lbVec3 force, lbVec3 torque) {
    lbPress* press = user;
    (void)torque;
    press->steepest = fmax(press->steepest, (double)vec3_length(vec3_sub(force, press->force)));
    press->largest = fmax(press->largest, (double)vec3_length(force));
    press->force = force;
}

lbResult lb_create_felt_tool(lbWorld* world, lbPress* press, lbToolKind kind, float size, lbVec3 origin,
                             lbFeltTool* felt) {
    *felt = (lbFeltTool){.world = world};
    lbToolDef tool = lbDefaultToolDef(kind);
    tool.radius = size;
    tool.length = 4 * size;
    tool.position = origin;
    tool.rotation = kind == lb_toolCapsule ? quat_from_axis_angle(vec3(0, 0, 1), (float)LB_PI / 2) : quat_identity();
    press->from = origin;
    press->rotation = tool.rotation;
    LB_TRY(lbCreateTool(world, &tool, &felt->tool));
    lbHapticsDef def = lbDefaultHapticsDef();
    def.tool = felt->tool;
    def.device = (lbDevice){press, read_press, write_press};
    return lbCreateHaptics(world, &def, &felt->haptics);
}

lbResult lb_play_felt(lbFeltTool* felt, double seconds) {
    for (double end = lbWorld_GetTime(felt->world) + seconds; lbWorld_GetTime(felt->world) < end - 1e-9;) {
        LB_TRY(lbHaptics_Follow(felt->haptics));
        LB_TRY(lbWorld_Step(felt->world, frame));
        LB_TRY(lbHaptics_Refresh(felt->haptics, frame));
        for (int i = 0; i < roundsPerFrame && felt->clock < lbWorld_GetTime(felt->world); ++i) {
            LB_TRY(lbHaptics_Tick(felt->haptics));
            felt->clock += 1e-3;
        }
    }
    return lb_success();
}
