/* Contact against what mechanics asks: weight, action and reaction, no penetration. */
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "limber/limber.h"
#include "verify/suites.h"

#include <stdio.h>

/* What is touched. Explicit steps are pushed before them; implicit ones take what touches them in. */
typedef struct Kind {
    const char* name;
    lbMeshKind mesh;
    lbLawKind law;
    lbIntegratorKind integrator;
} Kind;

typedef struct Stage {
    const Kind* kind;
    lbWorld* world;
    lbBodyId body;
    lbMomentum momentum;
} Stage;

/* A block of rubber, 0.2 m a side, on a world of its own. */
static lbResult make_stage(Stage* stage, const lbShape* shape, lbVec3 position, lbVec3 gravity) {
    lbWorldDef worldDef = lbDefaultWorldDef();
    worldDef.gravity = gravity;
    LB_TRY(lbCreateWorld(&worldDef, &stage->world));
    lbModelDef modelDef = lbDefaultModelDef();
    modelDef.shape = shape;
    modelDef.mesh.kind = stage->kind->mesh;
    modelDef.mesh.edge = 0.04f;
    modelDef.law.kind = stage->kind->law;
    modelDef.material.youngsModulus = 2e5f;
    modelDef.material.stiffnessDamping = 0.01f;
    modelDef.material.massDamping = 0;
    lbModelId model;
    LB_TRY(lbCreateModel(stage->world, &modelDef, &model));
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.model = model;
    bodyDef.position = position;
    bodyDef.integrator = stage->kind->integrator;
    LB_TRY(lbCreateBody(stage->world, &bodyDef, &stage->body));
    return lbBody_GetMomentum(stage->world, stage->body, &stage->momentum);
}

enum { nameLength = 128 };

static const char* name_check(char name[nameLength], const Stage* stage, const char* part, const char* what) {
    snprintf(name, nameLength, "%s, %s: %s", part, stage->kind->name, what);
    return name;
}

static lbResult lowest_point(const Stage* stage, float* lowest) {
    int count = lbBody_GetSkinPointCount(stage->world, stage->body);
    float* skin = LB_NEW(lb_resolve_host(NULL), float, 3 * (int64_t)count);
    if (skin == NULL) {
        return lb_out_of_memory("a skin");
    }
    lbResult result = lbBody_GetSkin(stage->world, stage->body, skin, NULL, NULL);
    *lowest = INFINITY;
    for (int i = 0; i < count; ++i) {
        *lowest = fminf(*lowest, skin[3 * i + 1]);
    }
    lb_release(lb_resolve_host(NULL), skin);
    return result;
}

static lbResult verify_rest(lbVerifyContext* context, Stage* stage, const lbShape* block) {
    char name[nameLength];
    LB_TRY(make_stage(stage, block, vec3(0, 0.11f, 0), vec3(0, -9.81f, 0)));
    lbToolDef def = lbDefaultToolDef(lb_toolHalfSpace);
    lbToolId ground;
    LB_TRY(lbCreateTool(stage->world, &def, &ground));
    for (int i = 0; i < 240; ++i) {
        LB_TRY(lbWorld_Step(stage->world, 1.0 / 60));
    }
    lbVec3 force;
    float lowest = 0;
    LB_TRY(lbTool_GetForce(stage->world, ground, &force));
    LB_TRY(lowest_point(stage, &lowest));
    double weight = 9.81 * stage->momentum.mass;
    lb_verify_near(context, name_check(name, stage, "rest", "force on the ground, N"), -(double)force.y, weight,
                   1e-3 * weight);
    lb_verify_near(context, name_check(name, stage, "rest", "height of the lowest point, m"), lowest, 0, 1e-5);
    return lb_success();
}

/* A sphere is pushed into the free block: what the block gains, the sphere has lost. */
static lbResult verify_reaction(lbVerifyContext* context, Stage* stage, const lbShape* block) {
    char name[nameLength];
    LB_TRY(make_stage(stage, block, vec3(0, 0, 0), vec3(0, 0, 0)));
    lbToolDef def = lbDefaultToolDef(lb_toolSphere);
    def.radius = 0.05f;
    def.position = vec3(-0.16f, 0.01f, 0.02f);
    lbToolId tool;
    LB_TRY(lbCreateTool(stage->world, &def, &tool));
    lbVec3d given = {0, 0, 0};
    double dt = 1.0 / 60, largest = 0;
    for (int i = 0; i < 30; ++i) {
        LB_TRY(lbTool_MoveTo(stage->world, tool, vec3(-0.16f + 0.003f * (float)i, 0.01f, 0.02f), quat_identity()));
        LB_TRY(lbWorld_Step(stage->world, dt));
        lbVec3 force;
        LB_TRY(lbTool_GetForce(stage->world, tool, &force));
        given = vec3d_madd(given, -dt, vec3d_from(force));
        largest = fmax(largest, (double)vec3_length(force));
    }
    LB_TRY(lbBody_GetMomentum(stage->world, stage->body, &stage->momentum));
    const double* p = stage->momentum.linear;
    double gap = vec3d_length(vec3d_sub(vec3d(p[0], p[1], p[2]), given)), size = vec3d_length(given);
    lb_verify_at_least(context, name_check(name, stage, "reaction", "largest force of the pushed sphere, N"), largest,
                       1);
    lb_verify_at_most(context, name_check(name, stage, "reaction", "momentum gained beside momentum given, share"),
                      gap / size, 1e-5);
    return lb_success();
}

/* A stiff hand lifts the block: at rest it carries the weight. */
static lbResult verify_grab(lbVerifyContext* context, Stage* stage, const lbShape* block) {
    char name[nameLength];
    LB_TRY(make_stage(stage, block, vec3(0, 0, 0), vec3(0, -9.81f, 0)));
    lbGrabDef def = lbDefaultGrabDef();
    def.body = stage->body;
    def.target = vec3(0, 0.1f, 0);
    def.stiffness = 2000;
    def.damping = 60;
    LB_TRY(lbBody_FindSkinPoint(stage->world, stage->body, def.target, &def.skinPoint));
    lbGrabId grab;
    LB_TRY(lbCreateGrab(stage->world, &def, &grab));
    for (int i = 0; i < 600; ++i) {
        LB_TRY(lbWorld_Step(stage->world, 1.0 / 60));
    }
    lbVec3 force;
    LB_TRY(lbGrab_GetForce(stage->world, grab, &force));
    double weight = 9.81 * stage->momentum.mass;
    lb_verify_near(context, name_check(name, stage, "grab", "force on the hand, N"), -(double)force.y, weight,
                   1e-3 * weight);
    return lb_success();
}

typedef lbResult StagedFn(lbVerifyContext* context, Stage* stage, const lbShape* block);

lbResult lb_verify_contact(lbVerifyContext* context) {
    lbGeneratorDef def = lbDefaultGeneratorDef(lb_shapeBox);
    def.size = vec3(0.2f, 0.2f, 0.2f);
    def.edge = 0.02f;
    lbShape* block = NULL;
    LB_TRY(lbGenerateShape(&def, &block));
    StagedFn* const parts[] = {verify_rest, verify_reaction, verify_grab};
    const Kind kinds[] = {
        {"springs, explicit", lb_meshTetGrid, lb_lawSprings, lb_integratorSymplecticEuler},
        {"corotational, explicit", lb_meshTetGrid, lb_lawCorotational, lb_integratorSymplecticEuler},
        {"corotational, implicit", lb_meshTetGrid, lb_lawCorotational, lb_integratorImplicitEuler},
    };
    lbResult result = lb_success();
    for (int i = 0; i < 9 && result.code == lb_ok; ++i) {
        Stage stage = {.kind = &kinds[i / 3]};
        result = parts[i % 3](context, &stage, block);
        lbDestroyWorld(stage.world);
    }
    lbDestroyShape(block);
    return result;
}
