/* Static equilibrium of adaptive bodies: one level against the plain body, mixed levels against their own forces and
 * against the finest mesh. */
#include "base/result.h"
#include "verify/adaptive_stage.h"
#include "verify/suites.h"
#include "world/world.h"

static int graded(lbVec3 place) {
    return place.x < -0.2f ? 2 : place.x < 0.2f ? 1 : 0;
}

static lbAdaptiveStageDef hanging_cube(void) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    def.gravity = vec3(0, -9.81f, 0);
    def.edge = 0.5;
    def.material.youngsModulus = 100000;
    return def;
}

static lbResult come_to_rest(lbAdaptiveStage* stage, const lbAdaptiveStageDef* def, lbEquilibriumReport* report) {
    lbPinId pin;
    lbEquilibriumDef rest = lbDefaultEquilibriumDef();
    LB_TRY(lb_hold_wall(stage, def->size, &pin));
    LB_TRY(lbBody_SolveEquilibrium(stage->world, stage->id, &rest, report));
    return lb_success();
}

/* Largest distance of two skins over the largest displacement of the second. */
static double distance_of(const lbAdaptiveStage* first, const lbAdaptiveStage* second) {
    const lbBody *p = lb_find_body(first->world, first->id), *q = lb_find_body(second->world, second->id);
    double apart = 0, most = 0;
    for (int i = 0; i < p->model->skinPointCount; ++i) {
        lbVec3 here = vec3_load(p->skinX + 3 * (size_t)i), there = vec3_load(q->skinX + 3 * (size_t)i);
        apart = fmax(apart, (double)vec3_length(vec3_sub(here, there)));
        most = fmax(most, (double)vec3_length(vec3_sub(there, lb_skin_start(q, i))));
    }
    return apart / most;
}

static lbResult check_one_level(lbVerifyContext* context, lbLawKind law) {
    lbAdaptiveStageDef def = hanging_cube();
    lbAdaptiveStage adaptive = {0}, plain = {0};
    lbTetMesh* mesh = NULL;
    lbEquilibriumReport report;
    def.law = law;
    LB_TRY(lb_make_box_mesh(def.size, def.edge / 4, 19, &mesh));
    lbResult result = lb_create_plain_stage(&def, mesh, &plain);
    lbDestroyTetMesh(mesh);
    result = result.code == lb_ok ? lb_create_adaptive_stage(&def, &adaptive) : result;
    if (result.code == lb_ok) {
        lb_activate_stage_level(&adaptive, 2);
        result = come_to_rest(&adaptive, &def, &report);
    }
    result = result.code == lb_ok ? come_to_rest(&plain, &def, &report) : result;
    if (result.code == lb_ok) {
        lb_verify_at_most(context,
                          lb_verify_name(context,
                                         "%s, finest level alone at rest: largest skin distance from the plain "
                                         "body / displacement",
                                         lbLawKind_GetName(law)),
                          distance_of(&adaptive, &plain), 1e-4);
    }
    lb_destroy_adaptive_stage(&adaptive);
    lb_destroy_adaptive_stage(&plain);
    return result;
}

/* What forces, as steps have them, are left on nodes that are free; and what those that are held carry. */
static lbResult check_balance(lbVerifyContext* context) {
    lbAdaptiveStageDef def = hanging_cube();
    lbAdaptiveStage stage = {0};
    lbEquilibriumReport report;
    LB_TRY(lb_create_adaptive_stage(&def, &stage));
    lb_refine_stage(&stage, graded);
    LB_TRY(come_to_rest(&stage, &def, &report));
    lbAdaptiveBody* body = stage.body;
    double weight = body->model->totalMass * 9.81, left = 0, carried = 0;
    lb_adaptive_forces(body, 0);
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        lbVec3 f = vec3_load(body->f + 4 * (size_t)node);
        if (body->heldIndex[node] < 0) {
            left += (double)vec3_dot(f, f);
        } else {
            carried += (double)f.y;
        }
    }
    lb_verify_at_most(context, "three levels at rest: forces that are left, as steps have them / weight",
                      sqrt(left) / weight, 1e-4);
    lb_verify_near(context, "three levels at rest: what the wall carries / weight", -carried / weight, 1, 1e-4);
    lb_verify_at_least(context, "three levels at rest: levels that are active",
                       (body->set.levelCounts[0] > 0) + (body->set.levelCounts[1] > 0) + (body->set.levelCounts[2] > 0),
                       3);
    lb_destroy_adaptive_stage(&stage);
    return lb_success();
}

/* Levels that follow the bend, against the finest mesh; and what a second search and steps change. */
static lbResult check_refined(lbVerifyContext* context) {
    lbAdaptiveStageDef def = hanging_cube();
    lbAdaptiveStage adaptive = {0}, fine = {0};
    lbTetMesh* mesh = NULL;
    lbEquilibriumReport report;
    lbEquilibriumDef rest = lbDefaultEquilibriumDef();
    def.edge = 0.25;
    def.material.youngsModulus = 1e6f;
    def.detail = lbDefaultBodyDef().detail;
    def.detail.split = 0.002f;
    def.detail.merge = 0.0002f;
    def.material.massDamping = 5;
    LB_TRY(lb_make_box_mesh(def.size, def.edge / 4, 19, &mesh));
    lbResult result = lb_create_plain_stage(&def, mesh, &fine);
    lbDestroyTetMesh(mesh);
    result = result.code == lb_ok ? lb_create_adaptive_stage(&def, &adaptive) : result;
    result = result.code == lb_ok ? come_to_rest(&fine, &def, &report) : result;
    result = result.code == lb_ok ? come_to_rest(&adaptive, &def, &report) : result;
    if (result.code == lb_ok) {
        int active = adaptive.body->set.activeCount;
        lb_verify_at_most(context, "equilibrium: largest skin distance from the finest mesh's / displacement",
                          distance_of(&adaptive, &fine), 0.03);
        lb_verify_at_most(context, "equilibrium: active nodes / the finest's",
                          (double)active / lbBody_GetNodeCount(fine.world, fine.id), 0.6);
        result = lbBody_SolveEquilibrium(adaptive.world, adaptive.id, &rest, &report);
        lb_verify_near(context, "equilibrium, found twice: active nodes", adaptive.body->set.activeCount, active, 0);
        lbMomentum before = {0}, after = {0};
        result = result.code == lb_ok ? lbBody_GetMomentum(adaptive.world, adaptive.id, &before) : result;
        for (int frame = 0; frame < 30 && result.code == lb_ok; ++frame) {
            result = lbWorld_Step(adaptive.world, 1.0 / 60);
        }
        result = result.code == lb_ok ? lbBody_GetMomentum(adaptive.world, adaptive.id, &after) : result;
        lb_verify_at_most(context, "equilibrium, half a second of steps: how far the centre moves, m",
                          fabs(after.center[1] - before.center[1]), 1e-4);
    }
    lb_destroy_adaptive_stage(&adaptive);
    lb_destroy_adaptive_stage(&fine);
    return result;
}

lbResult lb_verify_adaptive_statics(lbVerifyContext* context) {
    LB_TRY(check_one_level(context, lb_lawLinear));
    LB_TRY(check_one_level(context, lb_lawGreen));
    LB_TRY(check_one_level(context, lb_lawCorotational));
    LB_TRY(check_one_level(context, lb_lawNeoHookean));
    LB_TRY(check_balance(context));
    return check_refined(context);
}
