/* What acts on a body from outside or drives it from inside: wind, drag, muscles, and pins that let it slide or lead
 * it. */
#include "test_worlds.h"

#include "base/math.h"
#include "body/dynamic/dynamic_body.h"
#include "world/world.h"

static lbBodyId add_with(lbWorld* world, const lbModelDef* modelDef, const lbBodyDef* def) {
    lbModelId model;
    lbBodyDef placed = *def;
    lbBodyId body;
    CHECK_OK(lbCreateModel(world, modelDef, &model));
    placed.model = model;
    CHECK_OK(lbCreateBody(world, &placed, &body));
    return body;
}

static lbWorld* weightless_world(void) {
    lbWorld* world = make_world(1, NULL);
    CHECK_OK(lbWorld_SetGravity(world, vec3(0, 0, 0)));
    return world;
}

/* On a flat sheet across the wind: m v' = c A (w - v), so v = w (1 - exp(-c A t / m)). */
TEST(WindSpeedsASheetUpAsTheDragLawSays) {
    lbWorld* world = weightless_world();
    lbGeneratorDef clothDef = lbDefaultGeneratorDef(lb_shapeCloth);
    lbShape* cloth = NULL;
    CHECK_OK(lbGenerateShape(&clothDef, &cloth));
    lbModelDef model = lbDefaultModelDef();
    model.shape = cloth;
    model.mesh.kind = lb_meshCloth;
    model.material.massDamping = 0;
    lbBodyDef def = lbDefaultBodyDef();
    def.integrator = lb_integratorSymplecticEuler;
    def.windDrag = 2;
    lbBodyId body = add_with(world, &model, &def);
    CHECK_OK(lbWorld_SetWind(world, vec3(3, 4, 0))); /* the sheet lies in y = 0: only 4 m/s meet it */
    lbShapeReport report;
    CHECK_OK(lbShape_Inspect(cloth, &report));
    run_frames(world, 60, 1.0 / 60);
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
    double expected = 4 * (1 - exp(-2 * report.area / momentum.mass));
    CHECK_NEAR(momentum.linear[1] / momentum.mass, expected, 0.02 * expected);
    CHECK_NEAR(momentum.linear[0] / momentum.mass, 0, 0.02);
    lbDestroyWorld(world);
    lbDestroyShape(cloth);
}

/* v' = -(g / m) v and -(g / m) v |v|: exponential and hyperbolic decay, to first order in the step. */
TEST(PointDampingBrakesAndNeverTurnsRound) {
    lbShape* cube = make_cube();
    for (int form = lb_pointDampingStokes; form <= lb_pointDampingNewton; ++form) {
        lbWorld* world = weightless_world();
        lbModelDef model = cube_model(cube, 2);
        model.nodeMass = 2;
        lbBodyDef def = lbDefaultBodyDef();
        def.integrator = lb_integratorSymplecticEuler;
        def.velocity = vec3(5, 0, 0);
        def.pointDamping = (lbPointDamping){(lbPointDampingForm)form, 3};
        def.stepCount = 40;
        lbBodyId body = add_with(world, &model, &def);
        run_frames(world, 60, 1.0 / 60);
        lbMomentum momentum;
        CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
        double expected = form == lb_pointDampingStokes ? 5 * exp(-1.5) : 5 / (1 + 1.5 * 5);
        CHECK_NEAR(momentum.linear[0] / momentum.mass, expected, 2e-3 * expected);
        lbDestroyWorld(world);

        world = weightless_world(); /* a thousand times stronger: stops, but does not turn */
        def.pointDamping.coefficient = 3e6f;
        def.stepCount = 1;
        body = add_with(world, &model, &def);
        run_frames(world, 1, 1.0 / 60);
        CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
        CHECK(momentum.linear[0] >= 0 && momentum.linear[0] < 0.2 * momentum.mass);
        lbDestroyWorld(world);
    }
    lbDestroyShape(cube);
}

TEST(MusclesShortenABodyAndKeepItsMomentum) {
    lbWorld* world = weightless_world();
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 4);
    model.material.stiffnessDamping = 0.1f;
    lbBodyId body = add_body(world, &model, vec3(0, 0, 0));
    lbMuscleDef def = lbDefaultMuscleDef();
    def.body = body;
    def.direction = vec3(1, 0, 0);
    lbMuscleId muscle;
    CHECK_OK(lbCreateMuscle(world, &def, &muscle));
    CHECK_OK(lbMuscle_SetLength(world, muscle, 0.7f));
    run_frames(world, 180, 1.0 / 60);
    int n = lbBody_GetSkinPointCount(world, body);
    float* skin = malloc(3 * (size_t)n * sizeof(float));
    CHECK_OK(lbBody_GetSkin(world, body, skin, NULL, NULL));
    lbBox box = box_empty();
    for (int i = 0; i < n; ++i) {
        box = box_include(box, vec3_load(skin + 3 * i));
    }
    lbVec3 size = box_size(box);
    CHECK(size.x < 1.75f && size.x > 1.3f); /* between the muscle's 1.4 m and the rest's 2 m */
    CHECK(size.y > 1.95f);
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
    for (int c = 0; c < 3; ++c) {
        CHECK_NEAR(momentum.linear[c] / momentum.mass, 0, 1e-6);
        CHECK_NEAR(momentum.angular[c] / momentum.mass, 0, 1e-6);
    }
    CHECK_OK(lbMuscle_SetLength(world, muscle, 1));
    run_frames(world, 300, 1.0 / 60);
    lbEnergy energy;
    CHECK_OK(lbBody_GetEnergy(world, body, &energy));
    CHECK_NEAR(energy.elastic, 0, 0.05); /* back at rest: J, of a body whose contraction stores some hundreds */
    CHECK_FAILS(lbMuscle_SetLength(world, muscle, 0), lb_errorArgument, "expected 0.1 to 10");
    CHECK_OK(lbDestroyMuscle(world, muscle));
    CHECK_FAILS(lbDestroyMuscle(world, muscle), lb_errorArgument, "no such muscle");
    def.region = (lbRegion){.kind = lb_regionSphere, .center = {1, 1, 1}, .radius = 0.1f};
    CHECK_FAILS(lbCreateMuscle(world, &def, &muscle), lb_errorArgument, "holds no spring");
    free(skin);
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

/* Every node on a line through its place: gravity along (1, -2, 0) moves them along (1, 0, 0) only, by its share. */
TEST(PinsOnLinesAndPlanesLetNodesSlide) {
    lbShape* cube = make_cube();
    const lbPinKind kinds[2] = {lb_pinLine, lb_pinPlane};
    for (int i = 0; i < 2; ++i) {
        lbWorld* world = make_world(1, NULL);
        CHECK_OK(lbWorld_SetGravity(world, vec3(1, -2, 0.5f)));
        lbModelDef model = cube_model(cube, 2);
        lbBodyId body = add_body(world, &model, vec3(0, 0, 0));
        lbPinDef def = lbDefaultPinDef();
        def.body = body;
        def.kind = kinds[i];
        def.direction = vec3(3, 3, 0);
        lbPinId pin;
        CHECK_OK(lbCreatePin(world, &def, &pin));
        run_frames(world, 60, 1.0 / 60);
        lbMomentum momentum;
        CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
        lbVec3d g = {1, -2, 0.5}, d = {sqrt(0.5), sqrt(0.5), 0};
        lbVec3d along = vec3d_scale(vec3d_dot(g, d), d);
        lbVec3d expected = kinds[i] == lb_pinLine ? along : vec3d_sub(g, along);
        CHECK_NEAR(momentum.linear[0] / momentum.mass, expected.x, 1e-3);
        CHECK_NEAR(momentum.linear[1] / momentum.mass, expected.y, 1e-3);
        CHECK_NEAR(momentum.linear[2] / momentum.mass, expected.z, 1e-3);
        lbVec3 force;
        CHECK_OK(lbPin_GetForce(world, pin, &force));
        lbVec3d held = vec3d_scale(momentum.mass, vec3d_sub(g, expected));
        CHECK_NEAR(force.x, held.x, 1e-3 * momentum.mass);
        CHECK_NEAR(force.y, held.y, 1e-3 * momentum.mass);
        lbDestroyWorld(world);
    }
    lbDestroyShape(cube);
}

/* Two pins on one node: a plane and another hold what is not on their common line. */
TEST(SeveralPinsOnANodeHoldTogether) {
    lbShape* cube = make_cube();
    lbWorld* world = make_world(1, NULL);
    CHECK_OK(lbWorld_SetGravity(world, vec3(1, 1, 1)));
    lbModelDef model = cube_model(cube, 2);
    lbBodyId body = add_body(world, &model, vec3(0, 0, 0));
    lbPinDef def = lbDefaultPinDef();
    def.body = body;
    def.kind = lb_pinPlane;
    lbPinId pin;
    def.direction = vec3(1, 0, 0);
    CHECK_OK(lbCreatePin(world, &def, &pin));
    def.direction = vec3(1, 1, 0);
    CHECK_OK(lbCreatePin(world, &def, &pin));
    run_frames(world, 30, 1.0 / 60);
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
    CHECK_NEAR(momentum.linear[0] / momentum.mass, 0, 1e-6);
    CHECK_NEAR(momentum.linear[1] / momentum.mass, 0, 1e-6);
    CHECK_NEAR(momentum.linear[2] / momentum.mass, 0.5, 1e-4);
    def.direction = vec3(0, 0, 0);
    CHECK_FAILS(lbCreatePin(world, &def, &pin), lb_errorArgument, "not zero");
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

TEST(ADrivenPinArrivesExactlyAndTakesTheBodyAlong) {
    lbShape* cube = make_cube();
    lbWorld* world = weightless_world();
    lbModelDef model = cube_model(cube, 3);
    model.material.youngsModulus = 2e5f;
    model.material.stiffnessDamping = 0.05f;
    lbBodyId body = add_body(world, &model, vec3(0, 0, 0));
    lbPinDef def = lbDefaultPinDef();
    def.body = body;
    def.region = (lbRegion){.kind = lb_regionHalfSpace, .point = {-0.99f, 0, 0}, .normal = {1, 0, 0}};
    lbPinId pin;
    CHECK_OK(lbCreatePin(world, &def, &pin));
    for (int i = 1; i <= 60; ++i) {
        CHECK_OK(lbPin_MoveTo(world, pin, vec3(0.5f * (float)i / 60, 0.1f * (float)i / 60, 0)));
        run_frames(world, 1, 1.0 / 60);
    }
    run_frames(world, 300, 1.0 / 60);
    int n = lbBody_GetNodeCount(world, body), exact = 0;
    float* x = malloc(3 * (size_t)n * sizeof(float));
    CHECK_OK(lbBody_GetState(world, body, x, NULL));
    for (int i = 0; i < n; ++i) {
        exact += fabsf(x[3 * i] + 0.5f) < 1e-6f;
    }
    CHECK(exact == 16);
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
    CHECK_NEAR(momentum.center[0], 0.5, 1e-3);
    CHECK_NEAR(momentum.center[1], 0.1, 1e-3);
    free(x);
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

static const char* const statePath = LB_BINARY_DIR "/outside.lbs";

static lbWorld* busy_world(const lbShape* cube, lbMuscleId* muscle, lbPinId* pin) {
    lbWorld* world = make_world(1, NULL);
    lbModelDef model = cube_model(cube, 3);
    lbBodyDef def = lbDefaultBodyDef();
    def.integrator = lb_integratorSymplecticEuler;
    def.windDrag = 5;
    def.pointDamping = (lbPointDamping){lb_pointDampingNewton, 1};
    lbBodyId body = add_with(world, &model, &def);
    lbMuscleDef muscleDef = lbDefaultMuscleDef();
    muscleDef.body = body;
    CHECK_OK(lbCreateMuscle(world, &muscleDef, muscle));
    lbPinDef pinDef = lbDefaultPinDef();
    pinDef.body = body;
    pinDef.region = (lbRegion){.kind = lb_regionHalfSpace, .point = {-0.99f, 0, 0}, .normal = {1, 0, 0}};
    CHECK_OK(lbCreatePin(world, &pinDef, pin));
    return world;
}

static void stir(lbWorld* world, lbMuscleId muscle, lbPinId pin, int from, int to) {
    for (int i = from; i < to; ++i) {
        CHECK_OK(lbMuscle_SetLength(world, muscle, 1 + 0.2f * sinf(0.3f * (float)i)));
        CHECK_OK(lbPin_MoveTo(world, pin, vec3(0.01f * (float)i, 0, 0)));
        CHECK_OK(lbWorld_SetWind(world, vec3((float)i, 0, 0)));
        run_frames(world, 1, 1.0 / 60);
    }
}

TEST(AllOfItIsSavedAndRestored) {
    lbShape* cube = make_cube();
    lbMuscleId muscle;
    lbPinId pin;
    lbWorld* first = busy_world(cube, &muscle, &pin);
    stir(first, muscle, pin, 0, 10);
    CHECK_OK(lbWorld_Save(first, statePath));
    stir(first, muscle, pin, 10, 20);
    lbWorld* second = busy_world(cube, &muscle, &pin);
    CHECK_OK(lbWorld_Restore(second, statePath));
    stir(second, muscle, pin, 10, 20);
    CHECK(lbWorld_Hash(first) == lbWorld_Hash(second));
    lbDestroyWorld(first);
    lbDestroyWorld(second);
    lbDestroyShape(cube);
}

TEST_MAIN(TEST_ENTRY(WindSpeedsASheetUpAsTheDragLawSays), TEST_ENTRY(PointDampingBrakesAndNeverTurnsRound),
          TEST_ENTRY(MusclesShortenABodyAndKeepItsMomentum), TEST_ENTRY(PinsOnLinesAndPlanesLetNodesSlide),
          TEST_ENTRY(SeveralPinsOnANodeHoldTogether), TEST_ENTRY(ADrivenPinArrivesExactlyAndTakesTheBodyAlong),
          TEST_ENTRY(AllOfItIsSavedAndRestored))
