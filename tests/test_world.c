#include "test_worlds.h"

#include "base/math.h"

TEST(FreeFallFollowsTheIntegratorsExactSum) {
    lbWorld* world = make_world(1, NULL);
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 2);
    lbBodyId body = add_body(world, &model, vec3(0, 10, 0));
    double dt = 1.0 / 60;
    run_frames(world, 60, dt);
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
    /* n steps of symplectic Euler: y = y0 - g h^2 n (n + 1) / 2 */
    int n = 60 * lbWorld_GetCounters(world).stepCount;
    double h = 1.0 / n;
    CHECK_NEAR(momentum.center[1], 10 - 9.81 * h * h * n * (n + 1.0) / 2, 2e-4); /* float32 sums over n steps at 10 m */
    CHECK_NEAR(momentum.linear[1] / momentum.mass, -9.81, 2e-4);
    CHECK_NEAR(momentum.center[0], 0, 1e-6);
    CHECK_NEAR(momentum.mass, 8000, 0.01);
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

TEST(AFrameThatNeedsMoreStepsThanItMayTakeFailsBeforeItBegins) {
    lbWorld* world = make_world(1, NULL);
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 2);
    model.material.youngsModulus = 1e8f;
    add_body(world, &model, vec3(0, 10, 0));
    run_frames(world, 2, 1.0 / 60);
    int steps = lbWorld_GetCounters(world).stepCount;
    CHECK(steps > 1);
    uint64_t before = lbWorld_Hash(world);
    CHECK_FAILS(lbWorld_SetStepLimit(world, 0), lb_errorArgument, "stepLimit");
    CHECK_FAILS(lbWorld_SetStepLimit(world, 1000001), lb_errorArgument, "stepLimit");
    CHECK_OK(lbWorld_SetStepLimit(world, steps - 1));
    CHECK_FAILS(lbWorld_Step(world, 1.0 / 60), lb_errorUnstable, "steps a frame");
    CHECK(lbWorld_Hash(world) == before);
    CHECK_OK(lbWorld_SetStepLimit(world, steps));
    CHECK_OK(lbWorld_Step(world, 1.0 / 60));
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

static bool gives_up_at(void* user, double seconds) {
    int* left = user;
    return seconds >= 0 && (*left)-- == 0;
}

TEST(AFrameCanBeGivenUpBetweenSteps) {
    lbWorld* world = make_world(1, NULL);
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 2);
    model.material.youngsModulus = 1e8f;
    add_body(world, &model, vec3(0, 10, 0));
    run_frames(world, 2, 1.0 / 60);
    int steps = lbWorld_GetCounters(world).stepCount, left = steps - 1;
    double time = lbWorld_GetTime(world);
    CHECK(steps > 1);
    lbWorld_SetGiveUp(world, gives_up_at, &left);
    CHECK_FAILS(lbWorld_Step(world, 1.0 / 60), lb_errorGivenUp, "given up");
    CHECK(lbWorld_GetTime(world) == time);
    left = steps + 1000;
    CHECK_OK(lbWorld_Step(world, 1.0 / 60));
    CHECK(left >= 1000 - steps && left < steps + 1000); /* it was asked between steps */
    lbWorld_SetGiveUp(world, NULL, NULL);
    CHECK_OK(lbWorld_Step(world, 1.0 / 60));
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

/* Stretches a free body and lets it ring. */
TEST(AFreeRingingBodyKeepsMomentumAndBoundsItsEnergy) {
    lbWorld* world = make_world(1, NULL);
    CHECK_OK(lbWorld_SetGravity(world, vec3(0, 0, 0)));
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 4);
    lbBodyId body = add_body(world, &model, vec3(0, 0, 0));
    int n = lbBody_GetNodeCount(world, body);
    float* x = malloc(3 * (size_t)n * sizeof(float));
    CHECK_OK(lbBody_GetState(world, body, x, NULL));
    for (int i = 0; i < n; ++i) {
        x[3 * i] *= 1.1f, x[3 * i + 1] *= 0.97f;
    }
    CHECK_OK(lbBody_SetState(world, body, x, NULL));
    lbEnergy energy;
    CHECK_OK(lbBody_GetEnergy(world, body, &energy));
    double start = energy.kinetic + energy.elastic, most = start, least = start, moved = 0;
    for (int frame = 0; frame < 300; ++frame) {
        run_frames(world, 1, 1.0 / 60);
        CHECK_OK(lbBody_GetEnergy(world, body, &energy));
        most = fmax(most, energy.kinetic + energy.elastic);
        least = fmin(least, energy.kinetic + energy.elastic);
        moved = fmax(moved, energy.kinetic);
    }
    CHECK(moved > 0.2 * start); /* it does ring */
    CHECK(most < 1.1 * start && least > 0.9 * start);
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
    double scale = sqrt(2 * start * momentum.mass); /* the momentum if all energy moved one way */
    for (int c = 0; c < 3; ++c) {
        CHECK_NEAR(momentum.linear[c] / scale, 0, 1e-5);
        CHECK_NEAR(momentum.angular[c] / scale, 0, 1e-5);
    }
    free(x);
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

static uint64_t hash_of_run(int threadCount, const lbHost* host) {
    lbWorld* world = make_world(threadCount, host);
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 16); /* large enough for several blocks and pieces */
    model.material.youngsModulus = 5e4f;
    add_body(world, &model, vec3(0, 1.05f, 0));
    add_ground(world, 0);
    run_frames(world, 8, 1.0 / 30);
    CHECK(lbWorld_GetCounters(world).contactCount > 0);
    uint64_t hash = lbWorld_Hash(world);
    lbDestroyWorld(world);
    lbDestroyShape(cube);
    return hash;
}

/* A host that runs pieces one by one, backwards. */
static void backwards(void* user, int count, int grain, lbTaskFn* task, void* context) {
    ++*(int*)user;
    for (int begin = (count - 1) / grain * grain; begin >= 0; begin -= grain) {
        task(context, begin, begin + grain < count ? begin + grain : count);
    }
}

TEST(TheStateDoesNotDependOnThreads) {
    uint64_t one = hash_of_run(1, NULL);
    CHECK(hash_of_run(2, NULL) == one);
    CHECK(hash_of_run(5, NULL) == one);
    int calls = 0;
    lbHost host = lbDefaultHost();
    host.parallelFor = backwards;
    host.user = &calls;
    CHECK(hash_of_run(1, &host) == one);
    CHECK(calls > 0);
}

static int liveBlocks, allocations;
static void* counting_allocate(void* user, size_t size, size_t alignment) {
    (void)user;
    ++liveBlocks, ++allocations;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
static void counting_release(void* user, void* memory) {
    (void)user;
    --liveBlocks;
    free(memory);
}

TEST(SteppingNeverAllocatesAndNothingIsLost) {
    lbHost host = lbDefaultHost();
    host.allocate = counting_allocate;
    host.release = counting_release;
    lbWorld* world = make_world(2, &host);
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 6);
    lbBodyId body = add_body(world, &model, vec3(0, 1.01f, 0));
    add_ground(world, 0);
    lbGrabDef grab = lbDefaultGrabDef();
    grab.body = body;
    grab.target = vec3(0, 3, 0);
    lbGrabId id;
    CHECK_OK(lbCreateGrab(world, &grab, &id));
    int before = allocations;
    run_frames(world, 20, 1.0 / 60);
    CHECK(lbWorld_GetCounters(world).contactCount > 0);
    CHECK(allocations == before);
    lbDestroyWorld(world);
    CHECK(liveBlocks == 0);
    lbDestroyShape(cube);
}

TEST(APinHoldsAndFeelsTheWeight) {
    lbWorld* world = make_world(1, NULL);
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 4);
    model.material.youngsModulus = 1e6f;
    model.material.massDamping = 20; /* settles */
    lbBodyId body = add_body(world, &model, vec3(0, 0, 0));
    lbPinDef def = lbDefaultPinDef();
    def.body = body;
    def.region = (lbRegion){.kind = lb_regionHalfSpace, .point = {0, 0.999f, 0}, .normal = {0, -1, 0}};
    lbPinId pin;
    CHECK_OK(lbCreatePin(world, &def, &pin));
    run_frames(world, 180, 1.0 / 60);
    lbVec3 force;
    CHECK_OK(lbPin_GetForce(world, pin, &force));
    CHECK_NEAR(force.y, -8000 * 9.81, 0.002 * 8000 * 9.81);
    CHECK_NEAR(force.x, 0, 0.002 * 8000 * 9.81);
    int n = lbBody_GetNodeCount(world, body);
    float* x = malloc(3 * (size_t)n * sizeof(float));
    CHECK_OK(lbBody_GetState(world, body, x, NULL));
    int held = 0;
    for (int i = 0; i < n; ++i) {
        held += x[3 * i + 1] == 1; /* bit for bit where they were */
    }
    CHECK(held == 25);
    CHECK_OK(lbDestroyPin(world, pin));
    CHECK_FAILS(lbDestroyPin(world, pin), lb_errorArgument, "no such pin");
    CHECK_FAILS(lbPin_GetForce(world, pin, &force), lb_errorArgument, "no such pin");
    run_frames(world, 30, 1.0 / 60);
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
    CHECK(momentum.linear[1] < -0.3 * momentum.mass); /* released: it falls, against its own drag */
    free(x);
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

TEST(APinOnOneAxisLeavesTheOthersFree) {
    lbWorld* world = make_world(1, NULL);
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 2);
    lbBodyId body = add_body(world, &model, vec3(0, 0, 0));
    CHECK_OK(lbWorld_SetGravity(world, vec3(1, -9.81f, 0)));
    lbPinDef def = lbDefaultPinDef();
    def.body = body;
    def.axes = lb_axisY;
    lbPinId pin;
    CHECK_OK(lbCreatePin(world, &def, &pin));
    run_frames(world, 60, 1.0 / 60);
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
    CHECK_NEAR(momentum.linear[1], 0, 1e-9);
    CHECK_NEAR(momentum.linear[0] / momentum.mass, 1, 1e-4);
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

TEST(LoadsGiveTheirForceAndPressureOnAClosedSurfaceGivesNone) {
    lbWorld* world = make_world(1, NULL);
    CHECK_OK(lbWorld_SetGravity(world, vec3(0, 0, 0)));
    lbShape* torus = make_torus(32, 16, 1, 0.3f);
    lbModelDef model = lbDefaultModelDef();
    model.shape = torus;
    model.mesh.edge = 0.2f;
    model.material.massDamping = 0;
    lbBodyId body = add_body(world, &model, vec3(0, 0, 0));
    lbLoadDef def = lbDefaultLoadDef();
    def.body = body;
    def.region = (lbRegion){.part = lb_partSurface};
    def.pressure = 500;
    lbLoadId pressure, pull;
    CHECK_OK(lbCreateLoad(world, &def, &pressure));
    run_frames(world, 10, 1.0 / 60);
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
    lbEnergy energy;
    CHECK_OK(lbBody_GetEnergy(world, body, &energy));
    CHECK(energy.elastic + energy.kinetic > 1); /* it is squeezed */
    double scale = sqrt(2 * (energy.elastic + energy.kinetic) * momentum.mass);
    CHECK_NEAR(momentum.linear[0] / scale, 0, 1e-5);
    CHECK_NEAR(momentum.linear[1] / scale, 0, 1e-5);
    CHECK_OK(lbDestroyLoad(world, pressure));
    def.pressure = 0;
    def.force = vec3(0, 30, 0);
    CHECK_OK(lbCreateLoad(world, &def, &pull));
    double before = momentum.linear[1];
    run_frames(world, 10, 1.0 / 60);
    CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
    CHECK_NEAR(momentum.linear[1] - before, 30 * 10 / 60.0, 1e-3);
    CHECK_FAILS(lbLoad_Set(world, pull, vec3(NAN, 0, 0), 0), lb_errorArgument, "finite");
    def.region.part = lb_partNodes;
    def.pressure = 1;
    CHECK_FAILS(lbCreateLoad(world, &def, &pull), lb_errorArgument, "surface");
    lbDestroyWorld(world);
    lbDestroyShape(torus);
}

TEST(TooLongAStepIsReportedWithTimeBodyAndNode) {
    lbWorld* world = make_world(1, NULL);
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 6);
    model.material.youngsModulus = 1e8f;
    lbModelId id;
    CHECK_OK(lbCreateModel(world, &model, &id));
    lbBodyDef def = lbDefaultBodyDef();
    def.integrator = lb_integratorSymplecticEuler;
    def.model = id;
    def.name = "brick";
    def.angularVelocity = vec3(0, 1, 0);
    def.stepCount = 1;
    lbBodyId body;
    CHECK_OK(lbCreateBody(world, &def, &body));
    lbResult result = lbWorld_Step(world, 1.0 / 60);
    for (int i = 0; i < 200 && result.code == lb_ok; ++i) {
        result = lbWorld_Step(world, 1.0 / 60);
    }
    CHECK_FAILS(result, lb_errorUnstable, "body 'brick'");
    CHECK_FAILS(result, lb_errorUnstable, "the stability bound asks for steps below");
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

TEST(WhatMakesNoSenseIsRefused) {
    lbWorld* world = make_world(1, NULL);
    lbWorld* none;
    lbWorldDef foreign = {0};
    CHECK_FAILS(lbCreateWorld(&foreign, &none), lb_errorArgument, "lbDefaultWorldDef");
    double steps[] = {0, -1, 1e9, NAN, INFINITY};
    for (int i = 0; i < 5; ++i) {
        CHECK_FAILS(lbWorld_Step(world, steps[i]), lb_errorArgument, "expected more than 0 and at most 1 s");
    }
    lbShape* cube = make_cube();
    lbModelId model;
    lbModelDef def = cube_model(cube, 2);
    def.material.density = -1;
    CHECK_FAILS(lbCreateModel(world, &def, &model), lb_errorArgument, "density is -1");
    def = cube_model(cube, 2);
    def.material.poissonsRatio = 0.5f;
    CHECK_FAILS(lbCreateModel(world, &def, &model), lb_errorArgument, "poissonsRatio is 0.5");
    def = cube_model(cube, 2);
    def.material.youngsModulus = NAN;
    CHECK_FAILS(lbCreateModel(world, &def, &model), lb_errorArgument, "youngsModulus");
    def = cube_model(NULL, 2);
    CHECK_FAILS(lbCreateModel(world, &def, &model), lb_errorArgument, "no shape");
    def = cube_model(cube, 2);
    lbBodyId body = add_body(world, &def, vec3(0, 0, 0));
    CHECK_FAILS(lbDestroyModel(world, lbBody_GetModel(world, body)), lb_errorArgument, "in use by 1 body");
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.integrator = lb_integratorSymplecticEuler;
    CHECK_FAILS(lbCreateBody(world, &bodyDef, &body), lb_errorArgument, "no such model");
    lbBodyId stale = {1, 99};
    CHECK(!lbBody_IsValid(world, stale) && lbBody_GetName(world, stale) == NULL);
    float state[3];
    CHECK_FAILS(lbBody_GetState(world, stale, state, state), lb_errorArgument, "no such body");
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

TEST(BodiesOfOneModelAreIndependentAndHandlesGoStale) {
    lbWorld* world = make_world(1, NULL);
    lbShape* cube = make_cube();
    lbModelDef modelDef = cube_model(cube, 2);
    lbBodyId first = add_body(world, &modelDef, vec3(0, 0, 0)), second;
    lbBodyDef def = lbDefaultBodyDef();
    def.integrator = lb_integratorSymplecticEuler;
    def.model = lbBody_GetModel(world, first);
    def.position = vec3(5, 0, 0);
    def.velocity = vec3(0, 9.81f, 0);
    CHECK_OK(lbCreateBody(world, &def, &second));
    run_frames(world, 6, 1.0 / 60);
    lbMomentum a, b;
    CHECK_OK(lbBody_GetMomentum(world, first, &a));
    CHECK_OK(lbBody_GetMomentum(world, second, &b));
    CHECK(a.linear[1] < 0 && b.linear[1] > 0);
    CHECK_OK(lbDestroyBody(world, first));
    CHECK(!lbBody_IsValid(world, first) && lbBody_IsValid(world, second));
    lbBodyId third;
    CHECK_OK(lbCreateBody(world, &def, &third));
    CHECK(third.index1 == first.index1 && third.generation != first.generation);
    CHECK_FAILS(lbDestroyBody(world, first), lb_errorArgument, "no such body");
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

TEST(APinHoldsWhateverStateIsSet) {
    lbWorld* world = make_world(1, NULL);
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 2);
    lbBodyId body = add_body(world, &model, vec3(0, 0, 0));
    lbPinDef pinDef = lbDefaultPinDef();
    pinDef.body = body;
    lbPinId pin;
    CHECK_OK(lbCreatePin(world, &pinDef, &pin));
    float before[3 * 64], v[3 * 64], after[3 * 64];
    int count = lbBody_GetNodeCount(world, body);
    CHECK(count <= 64);
    for (int i = 0; i < 3 * count; ++i) {
        v[i] = 1;
    }
    CHECK_OK(lbBody_GetState(world, body, before, NULL));
    CHECK_OK(lbBody_SetState(world, body, NULL, v));
    run_frames(world, 2, 1.0 / 60);
    CHECK_OK(lbBody_GetState(world, body, after, NULL));
    CHECK(memcmp(before, after, 3 * (size_t)count * sizeof(float)) == 0);
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

TEST_MAIN(TEST_ENTRY(FreeFallFollowsTheIntegratorsExactSum),
          TEST_ENTRY(AFrameThatNeedsMoreStepsThanItMayTakeFailsBeforeItBegins),
          TEST_ENTRY(AFrameCanBeGivenUpBetweenSteps), TEST_ENTRY(AFreeRingingBodyKeepsMomentumAndBoundsItsEnergy),
          TEST_ENTRY(TheStateDoesNotDependOnThreads), TEST_ENTRY(SteppingNeverAllocatesAndNothingIsLost),
          TEST_ENTRY(APinHoldsAndFeelsTheWeight), TEST_ENTRY(APinOnOneAxisLeavesTheOthersFree),
          TEST_ENTRY(APinHoldsWhateverStateIsSet), TEST_ENTRY(LoadsGiveTheirForceAndPressureOnAClosedSurfaceGivesNone),
          TEST_ENTRY(TooLongAStepIsReportedWithTimeBodyAndNode), TEST_ENTRY(WhatMakesNoSenseIsRefused),
          TEST_ENTRY(BodiesOfOneModelAreIndependentAndHandlesGoStale))
