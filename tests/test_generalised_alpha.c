/* The implicit method of second order: bodies that wobble and bounce under it, and what it makes of bad input. */
#include "body/dynamic/dynamic_body.h"
#include "test_worlds.h"
#include "world/world.h"

static const lbLawKind laws[] = {lb_lawLinear, lb_lawGreen, lb_lawCorotational, lb_lawNeoHookean};
enum { lawCount = sizeof(laws) / sizeof(laws[0]) };

/* A jelly of 0.2 m. */
typedef struct Jelly {
    lbLawKind law;
    lbIntegratorKind integrator;
    int steps;
    float youngs; /* Pa; 0: 40 kPa */
    float height; /* m, of its centre */
    lbVec3 velocity, spin;
    int linearisations;
    const lbZone* zone;
    bool held; /* by its left side */
    bool ground, weightless;
} Jelly;

typedef struct Scene {
    lbWorld* world;
    lbBodyId id;
    lbDynamicBody* body;
} Scene;

static Scene make_jelly(const Jelly* jelly) {
    Scene scene = {.world = make_world(1, NULL)};
    lbGeneratorDef box = lbDefaultGeneratorDef(lb_shapeBox);
    box.size = vec3(0.2f, 0.2f, 0.2f);
    box.edge = 0.05f;
    lbShape* shape = NULL;
    CHECK_OK(lbGenerateShape(&box, &shape));
    lbModelDef def = lbDefaultModelDef();
    def.shape = shape;
    def.mesh.kind = lb_meshStructured;
    def.mesh.edge = 0.05f;
    def.law.kind = jelly->law;
    def.material =
        (lbMaterial){.density = 1000, .youngsModulus = jelly->youngs > 0 ? jelly->youngs : 4e4f, .poissonsRatio = 0.4f};
    def.zones = jelly->zone;
    def.zoneCount = jelly->zone != NULL ? 1 : 0;
    lbModelId model;
    CHECK_OK(lbCreateModel(scene.world, &def, &model));
    lbDestroyShape(shape);
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.model = model;
    bodyDef.integrator = jelly->integrator;
    bodyDef.stepCount = jelly->steps;
    bodyDef.settings.linearisations = jelly->linearisations;
    bodyDef.position = vec3(0, jelly->height, 0);
    bodyDef.velocity = jelly->velocity;
    bodyDef.angularVelocity = jelly->spin;
    CHECK_OK(lbCreateBody(scene.world, &bodyDef, &scene.id));
    CHECK_OK(lbWorld_SetGravity(scene.world, vec3(0, jelly->weightless ? 0 : -9.81f, 0)));
    if (jelly->ground) {
        add_ground(scene.world, 0);
    }
    if (jelly->held) {
        lbPinDef pin = lbDefaultPinDef();
        pin.body = scene.id;
        pin.region = (lbRegion){.kind = lb_regionHalfSpace, .point = {-0.0999f, jelly->height, 0}, .normal = {1, 0, 0}};
        lbPinId id;
        CHECK_OK(lbCreatePin(scene.world, &pin, &id));
    }
    scene.body = lb_dynamic(lb_find_body(scene.world, scene.id));
    return scene;
}

static double energy_of(const Scene* scene) {
    lbEnergy energy;
    CHECK_OK(lbBody_GetEnergy(scene->world, scene->id, &energy));
    return energy.kinetic + energy.elastic + energy.gravity;
}

static double height_of(const Scene* scene) {
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(scene->world, scene->id, &momentum));
    return momentum.center[1];
}

static bool is_finite(const Scene* scene) {
    for (int i = 0; i < 4 * scene->body->model->nodeCount; ++i) {
        if (!isfinite(scene->body->x[i]) || !isfinite(scene->body->v[i])) {
            return false;
        }
    }
    return true;
}

/* The least and the most of what the free side's height is in some frames. */
static double swing(Scene* scene, int frames) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < frames; ++i) {
        run_frames(scene->world, 1, 1.0 / 60);
        double y = height_of(scene);
        low = fmin(low, y), high = fmax(high, y);
    }
    return high - low;
}

/* A cube on a wall is let go and swings by its weight, 20 steps in a period: three seconds later, after nine periods,
 * it still swings by nearly as much as thirty times shorter explicit steps have it; by implicit Euler it stands
 * still. */
TEST(ACubeOnAWallGoesOnWobbling) {
    for (int i = 0; i < lawCount; ++i) {
        const lbIntegratorKind kinds[] = {lb_integratorVelocityVerlet, lb_integratorGeneralisedAlpha,
                                          lb_integratorImplicitEuler};
        double late[3];
        for (int k = 0; k < 3; ++k) {
            Jelly jelly = {.law = laws[i], .integrator = kinds[k], .steps = k == 0 ? 30 : 1, .held = true};
            Scene scene = make_jelly(&jelly);
            run_frames(scene.world, 150, 1.0 / 60);
            late[k] = swing(&scene, 30);
            lbDestroyWorld(scene.world);
        }
        CHECK_NEAR(late[1] / late[0], 1, 0.25);
        CHECK(late[2] < 0.05 * late[0]);
    }
}

/* What is dropped on the ground bounces, and never has more energy than it began with. */
TEST(ADroppedJellyBouncesAndGainsNothing) {
    const lbIntegratorKind kinds[] = {lb_integratorGeneralisedAlpha, lb_integratorImplicitEuler};
    for (int i = 2; i < lawCount; ++i) { /* the linear law does not turn, and Green's collapses */
        double apex[2] = {0, 0};
        for (int k = 0; k < 2; ++k) {
            Jelly jelly = {.law = laws[i], .integrator = kinds[k], .steps = 1, .height = 0.3f, .ground = true};
            Scene scene = make_jelly(&jelly);
            double start = energy_of(&scene);
            for (int frame = 0; frame < 180; ++frame) {
                run_frames(scene.world, 1, 1.0 / 60);
                CHECK(energy_of(&scene) <= start * (1 + 1e-3));
                apex[k] = frame > 20 ? fmax(apex[k], height_of(&scene)) : apex[k];
            }
            CHECK_NEAR(height_of(&scene), 0.1, 0.01); /* it has come to rest, a little pressed */
            lbDestroyWorld(scene.world);
        }
        CHECK(apex[0] > apex[1] + 0.02);
    }
}

/* At rest, impulses are the weight, and nothing moves: nodes on the ground included, whose positions follow their
 * velocities. */
TEST(WhatRestsIsStillAndWeighsWhatItWeighs) {
    Jelly jelly = {.law = lb_lawCorotational,
                   .integrator = lb_integratorGeneralisedAlpha,
                   .steps = 1,
                   .height = 0.1f,
                   .ground = true};
    Scene scene = make_jelly(&jelly);
    scene.body->motion.pointDamping.coefficient = 0.5f; /* 125 nodes of 64 g in the mean */
    run_frames(scene.world, 300, 1.0 / 60);
    double fastest = 0;
    for (int i = 0; i < scene.body->model->nodeCount; ++i) {
        fastest = fmax(fastest, (double)vec3_length(vec3_load(scene.body->v + 4 * (size_t)i)));
    }
    CHECK(fastest < 1e-3);
    CHECK(lbWorld_GetCounters(scene.world).contactCount > 0);
    lbDestroyWorld(scene.world);
}

static void turning_momentum(const Scene* scene, double l[3]) {
    lbMomentum m;
    CHECK_OK(lbBody_GetMomentum(scene->world, scene->id, &m));
    const double *c = m.center, *p = m.linear;
    l[0] = m.angular[0] - (c[1] * p[2] - c[2] * p[1]);
    l[1] = m.angular[1] - (c[2] * p[0] - c[0] * p[2]);
    l[2] = m.angular[2] - (c[0] * p[1] - c[1] * p[0]);
}

/* Two turns a second, thirty steps a turn, for 10 s. */
TEST(ASpinningJellyKeepsItsAngularMomentum) {
    for (int i = 1; i < lawCount; ++i) {
        Jelly jelly = {.law = laws[i],
                       .integrator = lb_integratorGeneralisedAlpha,
                       .steps = 1,
                       .velocity = {1, 0, 0},
                       .spin = {3, 12, 1},
                       .weightless = true};
        Scene scene = make_jelly(&jelly);
        double before[3], after[3], change = 0, size = 0, energy = energy_of(&scene);
        turning_momentum(&scene, before);
        run_frames(scene.world, 600, 1.0 / 60);
        turning_momentum(&scene, after);
        for (int c = 0; c < 3; ++c) {
            change += (after[c] - before[c]) * (after[c] - before[c]);
            size += before[c] * before[c];
        }
        CHECK_NEAR(sqrt(change / size), 0, 2e-4); /* 600 roundings of velocities that are 1e-7 of themselves */
        CHECK(energy_of(&scene) <= energy * (1 + 1e-3));
        CHECK(energy_of(&scene) >= 0.9 * energy);
        lbDestroyWorld(scene.world);
    }
}

/* With Newton's method a step of a bent body solves the scheme's own equations: half the steps then differ from all of
 * them by what a second-order method may. */
TEST(MoreLinearisationsComeCloserToTheScheme) {
    double y[2][2];
    for (int k = 0; k < 2; ++k) {
        for (int n = 0; n < 2; ++n) {
            Jelly jelly = {.law = lb_lawCorotational,
                           .integrator = lb_integratorGeneralisedAlpha,
                           .steps = n == 0 ? 4 : 8,
                           .youngs = 2e4f,
                           .linearisations = k == 0 ? 1 : 20,
                           .held = true};
            Scene scene = make_jelly(&jelly);
            run_frames(scene.world, 12, 1.0 / 60);
            y[k][n] = height_of(&scene);
            lbDestroyWorld(scene.world);
        }
    }
    CHECK(y[0][0] != y[1][0]);
    CHECK(fabs(y[1][1] - y[1][0]) < 2e-4);
    CHECK_NEAR(y[0][1], y[1][1], 2e-4);
}

/* ---- Bad input --------------------------------------------------------------------------------------------------- */

TEST(FramesOfAllLengthsAreFinite) {
    const double frames[] = {1.0 / 60, 1e-4, 0.05, 1, 1.0 / 240, 0.2, 1e-6, 0.01};
    for (int i = 0; i < lawCount; ++i) {
        Jelly jelly = {.law = laws[i], .integrator = lb_integratorGeneralisedAlpha, .steps = 1, .held = true};
        Scene scene = make_jelly(&jelly);
        double start = energy_of(&scene);
        for (int frame = 0; frame < 64; ++frame) {
            run_frames(scene.world, 1, frames[frame % 8]);
        }
        CHECK(is_finite(&scene));
        CHECK(energy_of(&scene) <= start + 1); /* of the 8 kg that could fall by a few centimetres */
        lbDestroyWorld(scene.world);
    }
}

/* Steps that change from frame to frame do not cost the second order: a body swings as by even steps. */
TEST(StepsThatChangeKeepTheMotion) {
    double y[2];
    for (int k = 0; k < 2; ++k) {
        Jelly jelly = {
            .law = lb_lawCorotational, .integrator = lb_integratorGeneralisedAlpha, .steps = 4, .held = true};
        Scene scene = make_jelly(&jelly);
        for (int frame = 0; frame < 30; ++frame) {
            double dt = 1.0 / 60;
            run_frames(scene.world, 1, k == 0 ? dt : frame % 2 == 0 ? 1.25 * dt : 0.75 * dt);
        }
        y[k] = height_of(&scene);
        lbDestroyWorld(scene.world);
    }
    CHECK_NEAR(y[1], y[0], 1e-4);
}

TEST(ABodyInsideOutComesBack) {
    for (int i = 2; i < lawCount; ++i) {
        Jelly jelly = {.law = laws[i], .integrator = lb_integratorGeneralisedAlpha, .steps = 1, .weightless = true};
        Scene scene = make_jelly(&jelly);
        for (int n = 0; n < scene.body->model->nodeCount; ++n) {
            scene.body->x[4 * n] *= -0.7f;
        }
        run_frames(scene.world, 200, 1.0 / 60);
        CHECK(is_finite(&scene));
        lbEnergy energy;
        CHECK_OK(lbBody_GetEnergy(scene.world, scene.id, &energy));
        CHECK(energy.elastic < 1);
        lbDestroyWorld(scene.world);
    }
}

TEST(ZonesAMillionTimesStifferAreFinite) {
    lbZone zone = {.region = {.kind = lb_regionHalfSpace, .point = {0, 0, 0}, .normal = {1, 0, 0}},
                   .matter = {1000, 4e10f, 0.4f}};
    for (int i = 0; i < lawCount; ++i) {
        Jelly jelly = {
            .law = laws[i], .integrator = lb_integratorGeneralisedAlpha, .steps = 1, .zone = &zone, .held = true};
        Scene scene = make_jelly(&jelly);
        double start = energy_of(&scene);
        run_frames(scene.world, 120, 1.0 / 60);
        CHECK(is_finite(&scene));
        CHECK(energy_of(&scene) <= start + 0.01);
        lbDestroyWorld(scene.world);
    }
}

/* All nodes are held but one corner, which hangs by its tetrahedra. */
TEST(OneFreeNodeIsEnough) {
    Jelly jelly = {.law = lb_lawCorotational, .integrator = lb_integratorGeneralisedAlpha, .steps = 1};
    Scene scene = make_jelly(&jelly);
    lbPinDef pin = lbDefaultPinDef();
    pin.body = scene.id;
    pin.region = (lbRegion){.kind = lb_regionHalfSpace, .point = {0.0999f, 0.0999f, 0.0999f}, .normal = {1, 1, 1}};
    lbPinId id;
    CHECK_OK(lbCreatePin(scene.world, &pin, &id));
    CHECK(scene.body->heldCount == scene.body->model->nodeCount - 1);
    run_frames(scene.world, 100, 1.0 / 60);
    CHECK(is_finite(&scene));
    CHECK(energy_of(&scene) <= 0);
    lbDestroyWorld(scene.world);
}

TEST(AbsurdLinearisationsAreRefused) {
    Jelly jelly = {.law = lb_lawCorotational, .integrator = lb_integratorGeneralisedAlpha, .steps = 1};
    Scene scene = make_jelly(&jelly);
    lbIntegratorSettings settings = lbDefaultBodyDef().settings;
    settings.linearisations = -1;
    CHECK_FAILS(lbBody_SetIntegrator(scene.world, scene.id, lb_integratorGeneralisedAlpha, &settings), lb_errorArgument,
                "linearisations are -1");
    settings.linearisations = lb_mostLinearisations + 1;
    CHECK_FAILS(lbBody_SetIntegrator(scene.world, scene.id, lb_integratorGeneralisedAlpha, &settings), lb_errorArgument,
                "expected 0 to 1000");
    lbDestroyWorld(scene.world);
}

/* ---- The choice, and solvers that tell --------------------------------------------------------------------------- */

TEST(SoftBodiesAreExplicitAndStiffOnesImplicit) {
    const float youngs[] = {500, 4e7f};
    for (int i = 0; i < 2; ++i) {
        Jelly jelly = {
            .law = lb_lawCorotational, .integrator = lb_integratorAutomatic, .youngs = youngs[i], .weightless = true};
        Scene scene = make_jelly(&jelly);
        lbIntegratorKind kind, method;
        int steps;
        run_frames(scene.world, 1, 1.0 / 60);
        CHECK_OK(lbBody_GetIntegrator(scene.world, scene.id, &kind, NULL, NULL));
        CHECK_OK(lbBody_GetMethod(scene.world, scene.id, &method, &steps));
        CHECK(kind == lb_integratorAutomatic);
        CHECK(method == (i == 0 ? lb_integratorSymplecticEuler : lb_integratorGeneralisedAlpha));
        CHECK(i == 0 ? steps >= 1 && steps <= 20 : steps == 1);
        int now, later;
        CHECK_OK(lbBody_CountSteps(scene.world, scene.id, 1.0 / 60, &now));
        CHECK_OK(lbBody_CountSteps(scene.world, scene.id, 10.0 / 60, &later));
        CHECK(now == steps);
        CHECK(i == 0 ? later > now && later <= 10 * now : later == 1);
        CHECK(lbBody_CountSteps(scene.world, scene.id, 0, &now).code == lb_errorArgument);
        CHECK(lbBody_CountSteps(scene.world, scene.id, (double)NAN, &now).code == lb_errorArgument);
        CHECK(lbBody_CountSteps(scene.world, (lbBodyId){0}, 1.0 / 60, &now).code != lb_ok);
        lbDestroyWorld(scene.world);
    }
}

TEST(SolutionsThatEndAtTheirLimitAreCounted) {
    Jelly jelly = {.law = lb_lawCorotational,
                   .integrator = lb_integratorGeneralisedAlpha,
                   .steps = 1,
                   .youngs = 4e6f,
                   .held = true};
    for (int k = 0; k < 2; ++k) {
        Scene scene = make_jelly(&jelly);
        lbIntegratorSettings settings = lbDefaultBodyDef().settings;
        settings.iterationLimit = k == 0 ? 1 : 200;
        CHECK_OK(lbBody_SetIntegrator(scene.world, scene.id, lb_integratorGeneralisedAlpha, &settings));
        run_frames(scene.world, 3, 1.0 / 60);
        lbSolverReport report;
        CHECK_OK(lbBody_GetSolver(scene.world, scene.id, &report));
        CHECK(report.solveCount == 1 && report.iterations >= 1);
        CHECK((lbWorld_GetCounters(scene.world).unfinishedSolveCount > 0) == (k == 0));
        CHECK((report.residual > 1e-3) == (k == 0));
        lbDestroyWorld(scene.world);
    }
}

TEST_MAIN(TEST_ENTRY(SoftBodiesAreExplicitAndStiffOnesImplicit), TEST_ENTRY(SolutionsThatEndAtTheirLimitAreCounted),
          TEST_ENTRY(ACubeOnAWallGoesOnWobbling), TEST_ENTRY(ADroppedJellyBouncesAndGainsNothing),
          TEST_ENTRY(WhatRestsIsStillAndWeighsWhatItWeighs), TEST_ENTRY(ASpinningJellyKeepsItsAngularMomentum),
          TEST_ENTRY(MoreLinearisationsComeCloserToTheScheme), TEST_ENTRY(FramesOfAllLengthsAreFinite),
          TEST_ENTRY(StepsThatChangeKeepTheMotion), TEST_ENTRY(ABodyInsideOutComesBack),
          TEST_ENTRY(ZonesAMillionTimesStifferAreFinite), TEST_ENTRY(OneFreeNodeIsEnough),
          TEST_ENTRY(AbsurdLinearisationsAreRefused))
