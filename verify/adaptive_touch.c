/* Adaptive bodies that are touched: weight on the ground, Coulomb's angle, and a skin that does not jump. */
#include "base/result.h"
#include "verify/adaptive_stage.h"
#include "verify/suites.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

static lbAdaptiveStageDef block(void) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    def.law = lb_lawNeoHookean;
    def.edge = 0.34;
    def.gravity = vec3(0, -9.81f, 0);
    def.material.youngsModulus = 200000;
    def.material.massDamping = 3;
    def.material.stiffnessDamping = 0.0005f;
    def.detail = lbDefaultBodyDef().detail;
    return def;
}

/* A block on a plane through the origin, which is turned by an angle about z; the body's own material lies on it. */
static lbResult lay_on_plane(lbAdaptiveStage* stage, double degrees, float friction, lbToolId* plane) {
    lbToolDef def = lbDefaultToolDef(lb_toolHalfSpace);
    def.friction = friction;
    def.position = vec3(0, -0.5f, 0);
    LB_TRY(lbCreateTool(stage->world, &def, plane));
    LB_TRY(lbBody_SetFriction(stage->world, stage->id, friction));
    double angle = degrees * LB_PI / 180;
    return lbWorld_SetGravity(stage->world, vec3(9.81f * (float)sin(angle), -9.81f * (float)cos(angle), 0));
}

static lbResult check_weight(lbVerifyContext* context) {
    lbAdaptiveStageDef def = block();
    lbAdaptiveStage stage;
    lbToolId plane;
    lbVec3 force;
    LB_TRY(lb_create_adaptive_stage(&def, &stage));
    LB_TRY(lay_on_plane(&stage, 0, 0.5f, &plane));
    for (int frame = 0; frame < 300; ++frame) {
        LB_TRY(lbWorld_Step(stage.world, 1.0 / 60));
    }
    LB_TRY(lbTool_GetForce(stage.world, plane, &force));
    double weight = stage.body->model->totalMass * 9.81;
    lb_verify_near(context, "at rest on the ground: force / weight", -(double)force.y / weight, 1, 0.01);
    lb_destroy_adaptive_stage(&stage);
    return lb_success();
}

/* A shape comes to a block at rest; after the frame in which they meet, are the finest nodes active, and were they
 * before it was bent? */
static lbResult meet(const lbToolDef* tool, lbVec3 way, lbDetailReport* report, double* bend) {
    lbAdaptiveStageDef def = block();
    lbAdaptiveStage stage = {0};
    lbToolId id;
    def.gravity = vec3(0, 0, 0);
    def.edge = 0.25;
    LB_TRY(lb_create_adaptive_stage(&def, &stage));
    LB_TRY(lbCreateTool(stage.world, tool, &id));
    LB_TRY(lbTool_MoveTo(stage.world, id, vec3_add(tool->position, way), quat_identity()));
    LB_TRY(lbWorld_Step(stage.world, 1.0 / 60));
    LB_TRY(lbBody_GetDetail(stage.world, stage.id, report));
    *bend = 0; /* as it was when nodes were split */
    for (int k = 0; k < stage.body->set.activeCount; ++k) {
        *bend = fmax(*bend, (double)stage.body->delta[stage.body->scopes.active[k]]);
    }
    lb_destroy_adaptive_stage(&stage);
    return lb_success();
}

static lbResult check_foresight(lbVerifyContext* context) {
    lbToolDef ball = lbDefaultToolDef(lb_toolSphere), floor = lbDefaultToolDef(lb_toolHalfSpace);
    lbDetailReport report;
    double bend;
    ball.radius = 0.1f;
    ball.position = vec3(0.605f, 0, 0);
    LB_TRY(meet(&ball, vec3(-0.01f, 0, 0), &report, &bend));
    lb_verify_at_least(context, "a ball that comes: finest nodes in the frame in which it touches",
                       report.levelNodes[2], 50);
    lb_verify_at_most(context, "a ball that comes: deltas by which they were not split, m", bend, 1e-5);
    floor.position = vec3(0, -0.505f, 0);
    LB_TRY(meet(&floor, vec3(0, 0.01f, 0), &report, &bend));
    lb_verify_near(context, "a floor that comes: nodes that are split for it", report.splitCount, 0, 0);
    return lb_success();
}

/* How far a soft block that falls by a centimetre has come down when it rests, and elements that are inside out then.
 */
static lbResult land(lbAdaptiveStage* stage, double* way, int* inverted) {
    lbToolDef def = lbDefaultToolDef(lb_toolHalfSpace);
    lbToolId plane;
    lbMomentum momentum;
    def.position = vec3(0, -0.51f, 0);
    LB_TRY(lbCreateTool(stage->world, &def, &plane));
    for (int frame = 0; frame < 200; ++frame) {
        LB_TRY(lbWorld_Step(stage->world, 1.0 / 60));
    }
    LB_TRY(lbBody_GetMomentum(stage->world, stage->id, &momentum));
    *way = -momentum.center[1];
    *inverted = lbWorld_GetCounters(stage->world).invertedCount;
    return lb_success();
}

static lbResult check_landing(lbVerifyContext* context) {
    lbAdaptiveStageDef def = block();
    lbAdaptiveStage adaptive = {0}, fine = {0};
    lbTetMesh* mesh = NULL;
    double way = 0, fineWay = 1;
    int inverted = 0, fineInverted = 0;
    def.material.youngsModulus = 60000;
    LB_TRY(lb_make_box_mesh(def.size, def.edge / 4, 19, &mesh));
    lbResult result = lb_create_plain_stage(&def, mesh, &fine);
    lbDestroyTetMesh(mesh);
    result = result.code == lb_ok ? lb_create_adaptive_stage(&def, &adaptive) : result;
    result = result.code == lb_ok ? land(&fine, &fineWay, &fineInverted) : result;
    result = result.code == lb_ok ? land(&adaptive, &way, &inverted) : result;
    if (result.code == lb_ok) {
        lb_verify_near(context, "a soft cube that fell: elements inside out", inverted, fineInverted, 0);
        lb_verify_near(context, "a soft cube that fell: how far down it rests / the finest's", way / fineWay, 1, 0.03);
    }
    lb_destroy_adaptive_stage(&adaptive);
    lb_destroy_adaptive_stage(&fine);
    return result;
}

static lbResult run(lbAdaptiveStage* stage, int frames, double* speed, double* place) {
    lbMomentum momentum;
    for (int frame = 0; frame < frames; ++frame) {
        LB_TRY(lbWorld_Step(stage->world, 1.0 / 60));
    }
    LB_TRY(lbBody_GetMomentum(stage->world, stage->id, &momentum));
    *speed = momentum.linear[0] / momentum.mass;
    *place = momentum.center[0];
    return lb_success();
}

/* Comes to rest, then the slope is there. `gained`: speed down the slope in the second that begins a
 * quarter later; `crept`: way in the second after that. */
static lbResult slide(double degrees, float friction, double* gained, double* crept) {
    lbAdaptiveStageDef def = block();
    lbAdaptiveStage stage;
    lbToolId plane;
    double before, after, first, last;
    def.material.massDamping = 0;
    def.material.stiffnessDamping = 0.004f;
    LB_TRY(lb_create_adaptive_stage(&def, &stage));
    LB_TRY(lay_on_plane(&stage, 0, friction, &plane));
    LB_TRY(run(&stage, 90, &before, &first));
    float angle = (float)(degrees * LB_PI / 180);
    LB_TRY(lbWorld_SetGravity(stage.world, vec3(9.81f * sinf(angle), -9.81f * cosf(angle), 0)));
    LB_TRY(run(&stage, 15, &before, &first));
    LB_TRY(run(&stage, 60, &after, &first));
    *gained = after - before;
    LB_TRY(run(&stage, 60, &after, &last));
    *crept = last - first;
    lb_destroy_adaptive_stage(&stage);
    return lb_success();
}

static lbResult check_slope(lbVerifyContext* context) {
    const float friction = 0.4f; /* 21.8 degrees */
    double below, above, crept, angle = 30 * LB_PI / 180;
    LB_TRY(slide(20, friction, &below, &crept));
    lb_verify_at_most(context, "on a slope below Coulomb's angle: way in a second, m", fabs(crept), 0.01);
    LB_TRY(slide(30, friction, &above, &crept));
    double expected = 9.81 * (sin(angle) - (double)friction * cos(angle));
    lb_verify_near(context, "above Coulomb's angle: acceleration / theory", above / expected, 1, 0.05);
    return lb_success();
}

/* How far skin points are from where their last place and velocity lead, in frames whose levels change, beyond what
 * they are in frames whose levels do not. */
static lbResult check_jump(lbVerifyContext* context) {
    lbAdaptiveStageDef def = block();
    lbAdaptiveStage stage;
    lbPinId pin;
    def.edge = 0.25;
    def.detail.split = 0.004f;
    def.detail.merge = 0.001f;
    LB_TRY(lb_create_adaptive_stage(&def, &stage));
    LB_TRY(lb_hold_wall(&stage, def.size, &pin));
    const lbBody* body = &stage.body->base;
    size_t size = 3 * (size_t)body->model->skinPointCount;
    float* shown = malloc(size * sizeof(float));
    double jump = 0, edge = 0;
    int changes = 0;
    for (int frame = 0; frame < 240; ++frame) {
        memcpy(shown, body->skinX, size * sizeof(float));
        lb_adaptive_adapt(&stage.body->base, 1.0 / 60);
        if (stage.body->splitCount + stage.body->mergeCount > 0) {
            ++changes;
            stage.body->stepIndex = 0;
            lb_adaptive_update_skin(&stage.body->base, NULL); /* at the very moment after the change */
            for (size_t i = 0; i < size; i += 3) {
                lbVec3 off = vec3_sub(vec3_load(body->skinX + i), vec3_load(shown + i));
                jump = fmax(jump, (double)vec3_length(off));
            }
        }
        LB_TRY(lbWorld_Step(stage.world, 1.0 / 60));
    }
    const int* triangles = lbShape_GetTriangles(body->model->shape);
    int count = lbShape_GetTriangleCount(body->model->shape);
    for (int t = 0; t < count; ++t) {
        lbVec3 a = lb_skin_start(body, triangles[3 * t]), b = lb_skin_start(body, triangles[3 * t + 1]);
        edge += (double)vec3_length(vec3_sub(a, b)) / count;
    }
    lb_verify_at_least(context, "skin: frames in which levels changed", changes, 20);
    lb_verify_at_most(context, "skin: largest jump of a point by a change of levels / mean edge of the skin",
                      jump / edge, 0.01);
    free(shown);
    lb_destroy_adaptive_stage(&stage);
    return lb_success();
}

lbResult lb_verify_adaptive_touch(lbVerifyContext* context) {
    LB_TRY(check_jump(context));
    LB_TRY(check_weight(context));
    LB_TRY(check_landing(context));
    LB_TRY(check_foresight(context));
    return check_slope(context);
}
