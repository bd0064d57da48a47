/* Levels of detail: what must hold of every adaptive body. Accuracy is `limber verify adaptive`. */
#include "base/math.h"
#include "test_worlds.h"
#include "verify/adaptive_stage.h"

static const char* const statePath = LB_BINARY_DIR "/adaptive.lbs";

static lbModelDef levels_of_cube(const lbShape* cube, int levels) {
    lbModelDef def = lbDefaultModelDef();
    def.kind = lb_modelAdaptive;
    def.shape = cube;
    def.mesh = (lbMeshDef){.kind = lb_meshLevels, .edge = 1, .levels = levels, .structured = true};
    def.law.kind = lb_lawNeoHookean;
    def.material.youngsModulus = 100000;
    return def;
}

static lbBodyDef lively_body(void) {
    lbBodyDef def = lbDefaultBodyDef();
    def.detail.split = 0.01f;
    def.detail.merge = 0.002f;
    def.position = vec3(0, 1.3f, 0);
    return def;
}

/* A cube of 2 m that falls on the ground, and a ball that is pushed into it. */
static lbWorld* touched_world(int threads, lbBodyId* body) {
    lbWorld* world = make_world(threads, NULL);
    lbShape* cube = make_cube();
    lbModelDef modelDef = levels_of_cube(cube, 3);
    lbBodyDef def = lively_body();
    CHECK_OK(lbCreateModel(world, &modelDef, &def.model));
    CHECK_OK(lbCreateBody(world, &def, body));
    add_ground(world, 0);
    lbToolDef ball = lbDefaultToolDef(lb_toolSphere);
    ball.radius = 0.4f;
    ball.position = vec3(0.2f, 2.9f, 0.1f);
    lbToolId tool;
    CHECK_OK(lbCreateTool(world, &ball, &tool));
    CHECK_OK(lbTool_MoveTo(world, tool, vec3(0.2f, 2.2f, 0.1f), quat_identity()));
    lbDestroyShape(cube);
    return world;
}

static lbDetailReport report_of(const lbWorld* world, lbBodyId body) {
    lbDetailReport report = {0};
    CHECK_OK(lbBody_GetDetail(world, body, &report));
    return report;
}

TEST(TheResultDoesNotDependOnTheNumberOfThreads) {
    uint64_t hash[2];
    for (int threads = 1; threads <= 2; ++threads) {
        lbBodyId body;
        lbWorld* world = touched_world(threads, &body);
        run_frames(world, 30, 1.0 / 60);
        hash[threads - 1] = lbWorld_Hash(world);
        CHECK(report_of(world, body).levelNodes[0] < report_of(world, body).activeCount);
        lbDestroyWorld(world);
    }
    CHECK(hash[0] == hash[1]);
}

TEST(ARestoredBodyGoesOnBitForBit) {
    lbBodyId body;
    lbWorld* first = touched_world(1, &body);
    run_frames(first, 20, 1.0 / 60);
    CHECK_OK(lbWorld_Save(first, statePath));
    uint64_t saved = lbWorld_Hash(first);
    run_frames(first, 15, 1.0 / 60);
    uint64_t end = lbWorld_Hash(first);
    lbWorld* second = touched_world(1, &body);
    CHECK_OK(lbWorld_Restore(second, statePath));
    CHECK(lbWorld_Hash(second) == saved);
    run_frames(second, 15, 1.0 / 60);
    CHECK(lbWorld_Hash(second) == end);
    lbDestroyWorld(first);
    lbDestroyWorld(second);
}

static int half(lbVec3 place) {
    return place.x > 0.1f ? 2 : place.x > -0.3f ? 1 : 0;
}

/* What is not fresh is made NaN before each step: one that was read would be seen. */
TEST(NoStaleValueIsEverRead) {
    uint64_t hash[2];
    for (int poisoned = 0; poisoned < 2; ++poisoned) {
        lbAdaptiveStageDef def = lb_default_adaptive_stage();
        def.edge = 0.5;
        def.gravity = vec3(0, -9.81f, 0);
        def.material.stiffnessDamping = 0.001f;
        def.detail.split = 0.002f;
        def.detail.merge = 0.0002f;
        lbAdaptiveStage stage;
        CHECK_OK(lb_create_adaptive_stage(&def, &stage));
        lb_refine_stage(&stage, half);
        lbPinId pin;
        CHECK_OK(lb_hold_wall(&stage, def.size, &pin));
        stage.body->poison = poisoned != 0;
        run_frames(stage.world, 40, 1.0 / 60);
        hash[poisoned] = lbWorld_Hash(stage.world);
        lb_destroy_adaptive_stage(&stage);
    }
    CHECK(hash[0] == hash[1]);
}

TEST(SplitsAndMergesKeepMomentum) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    lbAdaptiveStage stage;
    def.edge = 0.5;
    def.velocity = vec3(1, 2, 3);
    def.angularVelocity = vec3(2, -3, 1);
    def.detail.split = 2e-4f;
    def.detail.merge = 1e-4f;
    CHECK_OK(lb_create_adaptive_stage(&def, &stage));
    lbMomentum first, last;
    int changes = 0;
    for (int i = 0; i < lb_all_nodes(stage.body); ++i) { /* wobbles, so that levels change */
        float* v = stage.body->v + 4 * (size_t)i;
        v[0] += sinf(4 * stage.body->x[4 * i + 1]);
    }
    CHECK_OK(lbBody_GetMomentum(stage.world, stage.id, &first));
    for (int frame = 0; frame < 60; ++frame) {
        CHECK_OK(lbWorld_Step(stage.world, 1.0 / 60));
        lbDetailReport report = report_of(stage.world, stage.id);
        changes += report.splitCount + report.mergeCount;
    }
    CHECK_OK(lbBody_GetMomentum(stage.world, stage.id, &last));
    CHECK(changes > 20);
    for (int c = 0; c < 3; ++c) {
        CHECK_NEAR(last.linear[c] / first.mass, first.linear[c] / first.mass, 1e-5);
        /* The centre moves by 3.7 m, and its moment with it. */
        double mean = first.linear[c] / first.mass;
        (void)mean;
    }
    lbVec3d r = {last.center[0], last.center[1], last.center[2]};
    lbVec3d p = {last.linear[0], last.linear[1], last.linear[2]};
    lbVec3d l = {last.angular[0], last.angular[1], last.angular[2]};
    lbVec3d r0 = {first.center[0], first.center[1], first.center[2]};
    lbVec3d p0 = {first.linear[0], first.linear[1], first.linear[2]};
    lbVec3d l0 = {first.angular[0], first.angular[1], first.angular[2]};
    lbVec3d spin = vec3d_sub(l, vec3d_cross(r, p)), spin0 = vec3d_sub(l0, vec3d_cross(r0, p0));
    /* A change may move the centre by a little, and the spin about it by as much times the momentum. */
    CHECK_NEAR(vec3d_length(vec3d_sub(spin, spin0)) / vec3d_length(spin0), 0, 0.02);
    lb_destroy_adaptive_stage(&stage);
}

TEST(ABudgetIsKept) {
    lbBodyId body;
    lbWorld* world = touched_world(1, &body);
    lbShape* cube = make_cube();
    run_frames(world, 40, 1.0 / 60);
    double unlimited = report_of(world, body).nodeSteps;
    CHECK_OK(lbBody_SetDetail(world, body, 0.01f, 0.002f, 0.5 * unlimited));
    run_frames(world, 5, 1.0 / 60);
    lbDetailReport report = report_of(world, body);
    CHECK(report.nodeSteps < 0.8 * unlimited && report.limited);
    CHECK_OK(lbBody_SetDetail(world, body, 0.01f, 0.002f, 1));
    run_frames(world, 20, 1.0 / 60);
    report = report_of(world, body);
    CHECK(report.levelNodes[0] == report.activeCount && report.late); /* it runs, late, and says so */
    lbDestroyShape(cube);
    lbDestroyWorld(world);
}

/* A second is more than frames of this take, a nanosecond less: what fits, fits on every machine. */
TEST(SecondsAreABudgetToo) {
    for (int tight = 0; tight < 2; ++tight) {
        lbBodyId body;
        lbWorld* world = touched_world(1, &body);
        run_frames(world, 20, 1.0 / 60);
        CHECK(report_of(world, body).levelNodes[0] < report_of(world, body).activeCount);
        CHECK_OK(lbWorld_SetBudget(world, tight != 0 ? 1e-9 : 1000));
        run_frames(world, 20, 1.0 / 60);
        lbDetailReport report = report_of(world, body);
        CHECK((report.levelNodes[0] == report.activeCount) ==
              (tight != 0)); /* all are merged, those split together too */
        CHECK(report.late == (tight != 0));
        CHECK(report.secondsUsed > 0 && report.secondsAllowed > 0);
        lbDestroyWorld(world);
    }
}

TEST(WhatIsWrongIsRefusedByName) {
    lbWorld* world = make_world(1, NULL);
    lbShape* cube = make_cube();
    lbModelDef model = levels_of_cube(cube, 1);
    lbModelId id;
    lbBodyId body;
    CHECK_FAILS(lbCreateModel(world, &model, &id), lb_errorArgument, "levels is 1");
    model = levels_of_cube(cube, 2);
    model.mesh.edge = 2;
    CHECK_FAILS(lbCreateModel(world, &model, &id), lb_errorArgument, "no node inside");
    model = levels_of_cube(cube, 2);
    model.material.poissonsRatio = 0.49f;
    CHECK_FAILS(lbCreateModel(world, &model, &id), lb_errorArgument, "incompressible");
    model = levels_of_cube(cube, 2);
    model.penalty.area = 1;
    CHECK_FAILS(lbCreateModel(world, &model, &id), lb_errorArgument, "penalty");

    lbTetMesh* meshes[3] = {0};
    CHECK_OK(lb_make_box_mesh(vec3(2, 2, 2), 0.5, 1, &meshes[0]));
    CHECK_OK(lb_make_box_mesh(vec3(2, 2, 2), 1, 1, &meshes[1]));
    CHECK_OK(lb_make_box_mesh(vec3(4, 2, 2), 0.25, 1, &meshes[2]));
    model = lbDefaultModelDef();
    model.kind = lb_modelAdaptive;
    model.law.kind = lb_lawGreen;
    model.levelMeshCount = 2;
    model.levelMeshes = (const lbTetMesh* const*)meshes;
    CHECK_FAILS(lbCreateModel(world, &model, &id), lb_errorArgument, "from coarse to fine");
    model.levelMeshes = (const lbTetMesh* const*)(meshes + 1);
    CHECK_FAILS(lbCreateModel(world, &model, &id), lb_errorArgument, "not meshes of the same shape");
    lb_destroy_levels(meshes, 3);

    model = levels_of_cube(cube, 2);
    CHECK_OK(lbCreateModel(world, &model, &id));
    lbBodyDef def = lbDefaultBodyDef();
    def.model = id;
    def.detail.split = 0;
    CHECK_FAILS(lbCreateBody(world, &def, &body), lb_errorArgument, "more than 0");
    def.detail.split = 0.01f;
    def.detail.merge = 0.02f;
    CHECK_FAILS(lbCreateBody(world, &def, &body), lb_errorArgument, "merge below split");
    def.detail.merge = NAN;
    CHECK_FAILS(lbCreateBody(world, &def, &body), lb_errorArgument, "more than 0");
    def.detail.merge = -1;
    def.detail.budget = -5;
    CHECK_FAILS(lbCreateBody(world, &def, &body), lb_errorArgument, "budget");
    def.detail.budget = 0;
    def.integrator = lb_integratorImplicitEuler;
    CHECK_FAILS(lbCreateBody(world, &def, &body), lb_errorArgument, "expected \"symplectic-euler\"");
    def.integrator = lb_integratorSymplecticEuler;
    def.detail.regionCount = 1;
    def.detail.regions = &(lbDetailRegion){.level = 2};
    CHECK_FAILS(lbCreateBody(world, &def, &body), lb_errorArgument, "expected 0 to 1");
    def.detail.regionCount = 0;
    CHECK_OK(lbCreateBody(world, &def, &body));
    CHECK_FAILS(lbBody_SetDetail(world, body, 1, 2, 0), lb_errorArgument, "merge below split");
    CHECK_FAILS(lbBody_SolveEquilibrium(world, body, &(lbEquilibriumDef){0}, NULL), lb_errorArgument, "");
    lbEquilibriumDef rest = lbDefaultEquilibriumDef();
    lbLoadDef load = lbDefaultLoadDef();
    lbLoadId pull;
    load.body = body;
    load.region = (lbRegion){.part = lb_partNodes, .kind = lb_regionHalfSpace, .normal = {1, 0, 0}};
    load.force = vec3(0, 5, 0);
    CHECK_OK(lbCreateLoad(world, &load, &pull)); /* which nothing holds against */
    lbDetailReport before, after;
    CHECK_OK(lbBody_GetDetail(world, body, &before));
    CHECK_FAILS(lbBody_SolveEquilibrium(world, body, &rest, NULL), lb_errorUnstable, "no pin holds it");
    CHECK_OK(lbBody_GetDetail(world, body, &after)); /* as it was */
    CHECK(after.activeCount == before.activeCount);
    def.detail.coupling = lb_couplingPaper;
    CHECK_OK(lbCreateBody(world, &def, &body));
    CHECK_FAILS(lbBody_SolveEquilibrium(world, body, &rest, NULL), lb_errorArgument, "expected \"energy\"");
    CHECK_FAILS(lbWorld_SetBudget(world, -1), lb_errorArgument, "budget");
    lbDestroyShape(cube);
    lbDestroyWorld(world);
}

TEST(RegionsKeepTheirLevel) {
    lbWorld* world = make_world(1, NULL);
    lbShape* cube = make_cube();
    lbModelDef model = levels_of_cube(cube, 3);
    lbDetailRegion region = {.region = {.kind = lb_regionHalfSpace, .point = {0.3f, 0, 0}, .normal = {-1, 0, 0}},
                             .level = 2};
    lbBodyDef def = lbDefaultBodyDef();
    lbBodyId body;
    def.detail.regionCount = 1;
    def.detail.regions = &region;
    def.detail.split = INFINITY;
    CHECK_OK(lbCreateModel(world, &model, &def.model));
    CHECK_OK(lbCreateBody(world, &def, &body));
    run_frames(world, 10, 1.0 / 60);
    lbDetailReport report = report_of(world, body);
    CHECK(report.levelNodes[2] > 200 && report.levelNodes[0] > 5 && report.levelNodes[0] < 27);
    lbDestroyShape(cube);
    lbDestroyWorld(world);
}

TEST(AnotherMaterialIsTakenWhileItRuns) {
    lbBodyId body;
    lbWorld* world = touched_world(1, &body);
    lbMomentum before, after;
    run_frames(world, 10, 1.0 / 60);
    CHECK_OK(lbBody_GetMomentum(world, body, &before));
    lbMaterial material = {.density = 2000, .youngsModulus = 50000, .poissonsRatio = 0.2f, .massDamping = 1};
    CHECK_OK(lbModel_SetMaterial(world, lbBody_GetModel(world, body), &material));
    lbEnergy energy;
    CHECK_OK(lbBody_GetEnergy(world, body, &energy));
    CHECK_OK(lbBody_GetMomentum(world, body, &after));
    CHECK_NEAR(after.mass, 2 * before.mass, 1e-3 * before.mass);
    run_frames(world, 10, 1.0 / 60);
    material.poissonsRatio = 0.49f;
    CHECK_FAILS(lbModel_SetMaterial(world, lbBody_GetModel(world, body), &material), lb_errorArgument,
                "incompressible");
    run_frames(world, 3, 1.0 / 60);
    lbDestroyWorld(world);
}

TEST_MAIN(TEST_ENTRY(TheResultDoesNotDependOnTheNumberOfThreads), TEST_ENTRY(ARestoredBodyGoesOnBitForBit),
          TEST_ENTRY(NoStaleValueIsEverRead), TEST_ENTRY(SplitsAndMergesKeepMomentum), TEST_ENTRY(ABudgetIsKept),
          TEST_ENTRY(SecondsAreABudgetToo), TEST_ENTRY(WhatIsWrongIsRefusedByName), TEST_ENTRY(RegionsKeepTheirLevel),
          TEST_ENTRY(AnotherMaterialIsTakenWhileItRuns))
