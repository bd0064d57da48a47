/* The data of docs/images/levels-wall.svg and levels-tool.svg, as comma-separated values: a cube on a wall by several
 * laws, on three meshes and in levels of detail, and a ball that passes over a block. */
#include "base/result.h"
#include "verify/adaptive_stage.h"
#include "world/world.h"

#include <stdio.h>

/* One setting, that of `limber verify adaptive`. */
static lbAdaptiveStageDef cube_on_wall(lbLawKind law) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    def.gravity = vec3(0, -9.81f, 0);
    def.material.youngsModulus = 1e6f;
    def.law = law;
    def.detail = lbDefaultBodyDef().detail;
    def.detail.split = 0.0033f;
    def.detail.merge = 0.0002f;
    def.detail.start = 1;
    return def;
}

static lbResult print_frame(const lbAdaptiveStage* stage, const char* law, int mesh, int corner) {
    lbDetailReport report = {.activeCount = lbBody_GetNodeCount(stage->world, stage->id)};
    lbEnergy energy;
    LB_TRY(lbBody_GetEnergy(stage->world, stage->id, &energy));
    if (stage->body != NULL) {
        LB_TRY(lbBody_GetDetail(stage->world, stage->id, &report));
    }
    printf("%s,%d,%.6f,%.6f,%.4f,%.4f,%.4f,%d,%d,%d,%d\n", law, mesh, lbWorld_GetTime(stage->world),
           (double)lb_find_body(stage->world, stage->id)->skinX[3 * (size_t)corner + 1], energy.kinetic, energy.elastic,
           energy.gravity, report.activeCount, report.levelNodes[0], report.levelNodes[1], report.levelNodes[2]);
    return lb_success();
}

/* Meshes 0 to 2 are the levels by themselves, 3 is all of them. */
static lbResult print_swing(lbLawKind law, int mesh) {
    lbAdaptiveStageDef def = cube_on_wall(law);
    lbAdaptiveStage stage = {0};
    lbTetMesh* levels[3];
    lbPinId pin;
    int corner;
    LB_TRY(lb_make_box_levels(def.size, def.edge, 3, levels));
    LB_TRY(mesh < 3 ? lb_create_plain_stage(&def, levels[mesh], &stage) : lb_create_adaptive_stage(&def, &stage));
    lb_destroy_levels(levels, 3);
    LB_TRY(lb_hold_wall(&stage, def.size, &pin));
    LB_TRY(lbBody_FindSkinPoint(stage.world, stage.id, vec3(0.5f, -0.5f, 0.5f), &corner));
    for (int frame = 0; frame < 200; ++frame) {
        LB_TRY(lbWorld_Step(stage.world, 1.0 / 120));
        LB_TRY(print_frame(&stage, lbLawKind_GetName(law), mesh, corner));
    }
    lb_destroy_adaptive_stage(&stage);
    return lb_success();
}

/* A ball comes down on a block of an organ's size, moves over it and leaves. */
static lbResult print_pass(void) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    lbAdaptiveStage stage;
    def.size = vec3(0.4f, 0.2f, 0.2f);
    def.edge = 0.04;
    def.law = lb_lawNeoHookean;
    def.material.youngsModulus = 20000;
    def.material.massDamping = 5;
    def.material.stiffnessDamping = 0.0005f;
    def.detail = lbDefaultBodyDef().detail;
    def.detail.split = 0.0032f;
    LB_TRY(lb_create_adaptive_stage(&def, &stage));
    lbPinDef pin = lbDefaultPinDef();
    lbPinId held;
    pin.body = stage.id;
    pin.region = (lbRegion){.kind = lb_regionBox, .box = {{-1, -1, -1}, {1, -0.099f, 1}}};
    LB_TRY(lbCreatePin(stage.world, &pin, &held));
    lbToolDef ball = lbDefaultToolDef(lb_toolSphere);
    lbToolId tool;
    ball.radius = 0.03f;
    ball.position = vec3(-0.12f, 0.16f, 0);
    LB_TRY(lbCreateTool(stage.world, &ball, &tool));
    for (int frame = 0; frame < 240; ++frame) {
        float time = (float)(frame + 1) / 60, down = fminf(fminf(time, fmaxf(0, 3.5f - time)), 0.5f) / 0.5f;
        float way = fminf(fmaxf(0, time - 0.5f) / 2.5f, 1);
        LB_TRY(lbTool_MoveTo(stage.world, tool, vec3(-0.12f + 0.24f * way, 0.16f - 0.045f * down, 0), quat_identity()));
        LB_TRY(lbWorld_Step(stage.world, 1.0 / 60));
        LB_TRY(print_frame(&stage, "ball", 3, 0));
    }
    lb_destroy_adaptive_stage(&stage);
    return lb_success();
}

static lbResult print_all(void) {
    const lbLawKind laws[] = {lb_lawSprings, lb_lawLinear, lb_lawCorotational, lb_lawGreen};
    for (int i = 0; i < 16; ++i) {
        LB_TRY(print_swing(laws[i / 4], i % 4));
    }
    return print_pass();
}

int main(void) {
    printf("what,mesh,seconds,height,kinetic,elastic,gravity,nodes,coarse,middle,fine\n");
    lbResult result = print_all();
    if (result.code != lb_ok) {
        fprintf(stderr, "levels_data: %s\n", result.message);
    }
    return result.code == lb_ok ? 0 : 1;
}
