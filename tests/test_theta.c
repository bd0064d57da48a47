#include "test_worlds.h"

#include "base/math.h"
#include "body/dynamic/dynamic_body.h"
#include "world/world.h"

static const lbIntegratorKind implicitKinds[2] = {lb_integratorImplicitEuler, lb_integratorCrankNicolson};

static lbBodyId add_implicit(lbWorld* world, const lbModelDef* modelDef, lbVec3 position, lbIntegratorKind kind,
                             float tolerance) {
    lbModelId model;
    CHECK_OK(lbCreateModel(world, modelDef, &model));
    lbBodyDef def = lbDefaultBodyDef();
    def.model = model;
    def.position = position;
    def.integrator = kind;
    def.settings.tolerance = tolerance;
    lbBodyId body;
    CHECK_OK(lbCreateBody(world, &def, &body));
    return body;
}

/* Stretches a body by a factor along x. */
static void stretch(lbWorld* world, lbBodyId id, float factor) {
    lbDynamicBody* body = lb_dynamic(lb_find_body(world, id));
    for (int i = 0; i < body->model->nodeCount; ++i) {
        body->x[4 * i] *= factor;
    }
}

static void hold_left_side(lbWorld* world, lbBodyId body, unsigned axes) {
    lbPinDef def = lbDefaultPinDef();
    def.body = body;
    def.axes = axes;
    def.region = (lbRegion){.kind = lb_regionHalfSpace, .point = {-0.999f, 0, 0}, .normal = {1, 0, 0}};
    lbPinId pin;
    CHECK_OK(lbCreatePin(world, &def, &pin));
}

/* (M - h^2 theta^2 dF/dx - h theta dF/dv) dv = h (F + h theta dF/dx v), x' = x + h ((1 - theta) v + theta v'): the
 * residual of that equation, with the velocities that a step has given, by the exact tangent. */
TEST(AStepSolvesTheLinearisedEquation) {
    for (int k = 0; k < 2; ++k) {
        lbWorld* world = make_world(1, NULL);
        lbShape* cube = make_cube();
        lbModelDef model = cube_model(cube, 3);
        model.material.stiffnessDamping = 0.01f;
        lbBodyId id = add_implicit(world, &model, vec3(0, 0, 0), implicitKinds[k], 1e-6f);
        lbDynamicBody* body = lb_dynamic(lb_find_body(world, id));
        int n = body->model->nodeCount;
        size_t bytes = 4 * (size_t)n * sizeof(float);
        for (int i = 0; i < 4 * n; ++i) {
            body->x[i] *= 1.1f; /* no spring is pressed: the definite tangent is the exact one */
            body->v[i] = i % 4 < 3 ? sinf((float)i) : 0;
        }
        float *x = malloc(bytes), *v = malloc(bytes), *f = calloc(1, bytes), *dv = malloc(bytes);
        memcpy(x, body->x, bytes);
        memcpy(v, body->v, bytes);
        double h = 0.02, theta = k == 0 ? 1 : 0.5;
        lb_body_forces(body, (lbMoment){0}, x, v, f);
        lbSystem system = lb_body_system(body);
        system.turnsFreely = false; /* else its angular momentum is kept, beyond what the equation says */
        body->integrator->step(&system, &body->history, 0, h);
        double lack = 0, size = 0;
        for (int i = 0; i < 4 * n; ++i) {
            dv[i] = body->v[i] - v[i];
            CHECK_NEAR(body->x[i], x[i] + h * ((1 - theta) * v[i] + theta * body->v[i]), 3e-7);
            f[i] *= (float)h;
        }
        system.tangent(system.self, x, (float)(h * h * theta), 0, v, f);
        for (int i = 0; i < 4 * n; ++i) {
            size += (double)f[i] * (double)f[i];
            f[i] -= system.mass[i / 4] * dv[i];
        }
        system.tangent(system.self, x, (float)(h * h * theta * theta), (float)(h * theta), dv, f);
        for (int i = 0; i < 4 * n; ++i) {
            lack += (double)f[i] * (double)f[i];
        }
        CHECK_NEAR(sqrt(lack / size), 0, 2e-5); /* the tolerance, and the rounding of velocities */
        free(x), free(v), free(f), free(dv);
        lbDestroyWorld(world);
        lbDestroyShape(cube);
    }
}

/* x'' = -w^2 x, one node, without a matrix. */
static void oscillator(void* self, double time, const float* x, const float* v, float* a) {
    (void)time, (void)v;
    for (int c = 0; c < 4; ++c) {
        a[c] = -*(float*)self * x[c];
    }
}
static void oscillator_tangent(void* self, const float* x, float a, float b, const float* p, float* y) {
    (void)x, (void)b;
    for (int c = 0; c < 3; ++c) {
        y[c] -= a * *(float*)self * p[c];
    }
}
static void nothing_held(void* self, float* p) {
    (void)self, (void)p;
}

/* On the oscillator implicit Euler divides the energy by 1 + (w h)^2 each step; Crank-Nicolson keeps it. */
TEST(TheOscillatorsEnergyFollowsTheory) {
    const lbIntegrator* integrators[2] = {&lb_implicitEuler, &lb_crankNicolson};
    for (int k = 0; k < 2; ++k) {
        float x[4] = {1}, v[4] = {0}, mass = 1, square = 4, earlier[8] = {0};
        char room[4096];
        lbArena arena = {.base = room, .size = sizeof(room)};
        lbIntegratorSettings settings = {.tolerance = 1e-6f, .iterationLimit = 10, .linearisations = 1};
        lbHistory history = {.vectors = earlier};
        lbSystem system = {.count = 1,
                           .mass = &mass,
                           .x = x,
                           .v = v,
                           .acceleration = oscillator,
                           .tangent = oscillator_tangent,
                           .project = nothing_held,
                           .self = &square,
                           .settings = &settings,
                           .scratch = &arena};
        double h = 0.1, energy = 0.5 * 4;
        for (int i = 0; i < 100; ++i) {
            integrators[k]->step(&system, &history, i * h, h);
            energy /= k == 0 ? 1 + 4 * h * h : 1;
        }
        double reached = 0.5 * ((double)v[0] * (double)v[0] + 4 * (double)x[0] * (double)x[0]);
        CHECK_NEAR(reached / energy, 1, 1e-5);
    }
}

/* Energy is not linear in positions here: Crank-Nicolson's is third-order in the step, and the tolerance's. */
TEST(ARingingBodyKeepsItsEnergyUnderCrankNicolsonAndLosesItUnderImplicitEuler) {
    double left[2];
    for (int k = 0; k < 2; ++k) {
        lbWorld* world = make_world(1, NULL);
        CHECK_OK(lbWorld_SetGravity(world, vec3(0, 0, 0)));
        lbShape* cube = make_cube();
        lbModelDef model = cube_model(cube, 4);
        lbBodyId body = add_implicit(world, &model, vec3(0, 0, 0), implicitKinds[k], 1e-5f);
        stretch(world, body, 1.02f);
        lbEnergy energy;
        CHECK_OK(lbBody_GetEnergy(world, body, &energy));
        double start = energy.elastic, before = start;
        for (int frame = 0; frame < 120; ++frame) {
            run_frames(world, 1, 0.01);
            CHECK_OK(lbBody_GetEnergy(world, body, &energy));
            double now = energy.kinetic + energy.elastic;
            CHECK(k == 1 || now <= before * (1 + 1e-6));
            before = now;
        }
        left[k] = before / start;
        lbMomentum momentum;
        CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
        for (int c = 0; c < 3; ++c) {
            CHECK_NEAR(momentum.linear[c] / sqrt(2 * start * momentum.mass), 0, 1e-6);
        }
        lbDestroyWorld(world);
        lbDestroyShape(cube);
    }
    CHECK(left[0] < 0.5);
    CHECK_NEAR(left[1], 1, 0.02);
}

/* A stiff cube held at one side, stretched by half and let go, at 20 steps a second; explicit methods need a thousand.
 */
TEST(ImplicitEulerStandsHugeStepsOfAStiffBody) {
    lbWorld* world = make_world(1, NULL);
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 6);
    model.material.youngsModulus = 1e7f;
    lbBodyId body = add_implicit(world, &model, vec3(0, 0, 0), lb_integratorImplicitEuler, 1e-3f);
    hold_left_side(world, body, lb_axisAll);
    stretch(world, body, 1.5f);
    run_frames(world, 100, 0.05);
    CHECK(lbWorld_GetCounters(world).stepCount == 1);
    lbEnergy energy;
    CHECK_OK(lbBody_GetEnergy(world, body, &energy));
    CHECK(energy.kinetic < 1e-2 && energy.elastic < 1000); /* of the sag; it began with millions */
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

TEST(PinsHoldExactlyAndOneAxisLeavesTheOthersFree) {
    for (int k = 0; k < 4; ++k) {
        lbWorld* world = make_world(1, NULL);
        lbShape* cube = make_cube();
        lbModelDef model = cube_model(cube, 4);
        lbBodyId id = add_implicit(world, &model, vec3(0, 0, 0), implicitKinds[k % 2], 1e-3f);
        hold_left_side(world, id, k < 2 ? lb_axisAll : lb_axisX);
        run_frames(world, 30, 1.0 / 60);
        const lbDynamicBody* body = lb_dynamic(lb_find_body(world, id));
        double lowest = 0;
        for (int i = 0; i < body->heldCount; ++i) {
            const float *now = body->x + 4 * body->held[i].node, *rest = body->model->rest + 4 * body->held[i].node;
            CHECK(now[0] == rest[0]);
            CHECK(k >= 2 || (now[1] == rest[1] && now[2] == rest[2]));
            lowest = fmin(lowest, (double)(now[1] - rest[1]));
        }
        CHECK(body->heldCount == 25);
        CHECK(k < 2 || lowest < -1); /* half a second of free fall is 1.2 m */
        lbDestroyWorld(world);
        lbDestroyShape(cube);
    }
}

TEST(TheToleranceAndTheLimitOfIterationsAreKept) {
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 6);
    model.material.youngsModulus = 1e6f;
    const float tolerances[3] = {1e-1f, 1e-3f, 1e-5f};
    int before = 0;
    for (int i = 0; i < 3; ++i) {
        lbWorld* world = make_world(1, NULL);
        lbBodyId id = add_implicit(world, &model, vec3(0, 0, 0), lb_integratorImplicitEuler, tolerances[i]);
        hold_left_side(world, id, lb_axisAll);
        run_frames(world, 3, 1.0 / 60);
        const lbSolve* solve = &lb_dynamic(lb_find_body(world, id))->solve;
        CHECK(solve->residual <= (double)tolerances[i] && solve->iterations > before);
        before = solve->iterations;
        lb_dynamic(lb_find_body(world, id))->motion.settings.iterationLimit = 2;
        run_frames(world, 1, 1.0 / 60);
        CHECK(solve->iterations == 2 && isfinite(solve->residual));
        lbDestroyWorld(world);
    }
    lbDestroyShape(cube);
}

static uint64_t hash_of_run(int threadCount, lbIntegratorKind kind) {
    lbWorld* world = make_world(threadCount, NULL);
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 11); /* several chunks */
    model.penalty.volume = 1e4f;
    lbBodyId body = add_implicit(world, &model, vec3(0, 1.05f, 0), kind, 1e-3f);
    stretch(world, body, 1.05f);
    add_ground(world, 0);
    run_frames(world, 8, 1.0 / 30);
    CHECK(lbWorld_GetCounters(world).contactCount > 0);
    uint64_t hash = lbWorld_Hash(world);
    lbDestroyWorld(world);
    lbDestroyShape(cube);
    return hash;
}

TEST(TheStateDoesNotDependOnThreads) {
    for (int k = 0; k < 2; ++k) {
        uint64_t one = hash_of_run(1, implicitKinds[k]);
        CHECK(hash_of_run(2, implicitKinds[k]) == one);
        CHECK(hash_of_run(3, implicitKinds[k]) == one);
    }
}

TEST_MAIN(TEST_ENTRY(AStepSolvesTheLinearisedEquation), TEST_ENTRY(TheOscillatorsEnergyFollowsTheory),
          TEST_ENTRY(ARingingBodyKeepsItsEnergyUnderCrankNicolsonAndLosesItUnderImplicitEuler),
          TEST_ENTRY(ImplicitEulerStandsHugeStepsOfAStiffBody),
          TEST_ENTRY(PinsHoldExactlyAndOneAxisLeavesTheOthersFree),
          TEST_ENTRY(TheToleranceAndTheLimitOfIterationsAreKept), TEST_ENTRY(TheStateDoesNotDependOnThreads))
