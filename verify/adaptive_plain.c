/* Forced to one level, an adaptive body is a plain one: the same numbers, to the last bit. */
#include "base/result.h"
#include "body/dynamic/dynamic_body.h"
#include "verify/adaptive_stage.h"
#include "verify/suites.h"
#include "world/world.h"

#include <string.h>

static void set_plain_masses(lbAdaptiveStage* plain, const lbAdaptiveStage* adaptive, int level) {
    lbDynamicModel* model = lb_dynamic(lb_find_body(plain->world, plain->id))->model;
    const lbAdaptiveBody* body = adaptive->body;
    int first = body->model->hierarchy.levels[level].first;
    memcpy(model->mass, body->mass + first, (size_t)model->nodeCount * sizeof(float));
    memcpy(model->inverseMass, body->inverseMass + first, (size_t)model->nodeCount * sizeof(float));
}

static int count_differences(const lbAdaptiveStage* adaptive, const lbAdaptiveStage* plain, int level) {
    const lbAdaptiveBody* body = adaptive->body;
    const lbDynamicBody* other = lb_dynamic(lb_find_body(plain->world, plain->id));
    const float* pairs[2][2] = {{body->x, other->x}, {body->v, other->v}};
    size_t first = 4 * (size_t)body->model->hierarchy.levels[level].first;
    int different = 0;
    for (int k = 0; k < 2; ++k) {
        for (size_t i = 0; i < 4 * (size_t)other->model->nodeCount; ++i) {
            different += memcmp(&pairs[k][0][first + i], &pairs[k][1][i], sizeof(float)) != 0 && i % 4 != 3;
        }
    }
    return different;
}

/* Over the largest displacement. */
static double largest_difference(const lbAdaptiveStage* adaptive, const lbAdaptiveStage* plain, int level) {
    const lbAdaptiveBody* body = adaptive->body;
    const lbDynamicBody* other = lb_dynamic(lb_find_body(plain->world, plain->id));
    int first = body->model->hierarchy.levels[level].first;
    double difference = 0, displacement = 0;
    for (int i = 0; i < other->model->nodeCount; ++i) {
        lbVec3 x = vec3_load(other->x + 4 * (size_t)i), y = vec3_load(body->x + 4 * (size_t)(first + i));
        lbVec3 start = lb_adaptiveNodeOps.start(&body->base, first + i);
        difference = fmax(difference, (double)vec3_length(vec3_sub(x, y)));
        displacement = fmax(displacement, (double)vec3_length(vec3_sub(x, start)));
    }
    return difference / displacement;
}

static lbResult compare(lbVerifyContext* context, const lbAdaptiveStageDef* def, int level, lbAdaptiveStage* adaptive,
                        lbAdaptiveStage* plain) {
    lbPinId pin;
    LB_TRY(lb_hold_wall(adaptive, def->size, &pin));
    LB_TRY(lb_hold_wall(plain, def->size, &pin));
    lb_activate_stage_level(adaptive, level);
    set_plain_masses(plain, adaptive, level);
    for (int frame = 0; frame < 20; ++frame) {
        LB_TRY(lbWorld_Step(adaptive->world, 1.0 / 60));
        LB_TRY(lbWorld_Step(plain->world, 1.0 / 60));
    }
    if (def->law == lb_lawLinear) { /* plain bodies have it edge by edge: other sums, other rounding */
        lb_verify_at_most(context,
                          lb_verify_name(context,
                                         "linear, boundary %s, level %d by elements against a plain body by "
                                         "edges: difference / displacement",
                                         def->boundary == lb_boundaryPaper ? "paper" : "full", level),
                          largest_difference(adaptive, plain, level), 1e-4);
        return lb_success();
    }
    lb_verify_near(context,
                   lb_verify_name(context, "%s, level %d alone against a plain body of that mesh: numbers that differ",
                                  lbLawKind_GetName(def->law), level),
                   count_differences(adaptive, plain, level), 0, 0);
    return lb_success();
}

static lbResult check_level(lbVerifyContext* context, lbLawKind law, lbLinearBoundary boundary, int level) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    lbAdaptiveStage adaptive = {0}, plain = {0};
    lbTetMesh* meshes[lb_mostLevels];
    def.law = law;
    def.boundary = boundary;
    def.gravity = vec3(0, -9.81f, 0);
    def.material.stiffnessDamping = 0.002f;
    def.material.massDamping = 0.1f;
    def.stepCount = 64;
    def.detail.uniformSteps = true;
    LB_TRY(lb_make_box_levels(def.size, def.edge, def.levels, meshes));
    lbResult result = lb_create_adaptive_stage(&def, &adaptive);
    result = result.code == lb_ok ? lb_create_plain_stage(&def, meshes[level], &plain) : result;
    result = result.code == lb_ok ? compare(context, &def, level, &adaptive, &plain) : result;
    lb_destroy_levels(meshes, def.levels);
    lb_destroy_adaptive_stage(&adaptive);
    lb_destroy_adaptive_stage(&plain);
    return result;
}

lbResult lb_verify_adaptive_plain(lbVerifyContext* context) {
    for (int level = 0; level < 3; ++level) {
        LB_TRY(check_level(context, lb_lawGreen, lb_boundaryFull, level));
    }
    LB_TRY(check_level(context, lb_lawCorotational, lb_boundaryFull, 1));
    LB_TRY(check_level(context, lb_lawNeoHookean, lb_boundaryFull, 1));
    LB_TRY(check_level(context, lb_lawLinear, lb_boundaryFull, 1));
    LB_TRY(check_level(context, lb_lawLinear, lb_boundaryPaper, 1));
    return check_level(context, lb_lawSprings, lb_boundaryFull, 1);
}
