/* What must hold of every integrator on real bodies. Orders and energies are in verify/integrators.c. */
#include "test_worlds.h"

#include "base/math.h"
#include "integrate/integrator.h"

static const char* const statePath = LB_BINARY_DIR "/integrators.lbs";

static const char* kind_name(int kind) {
    return lbIntegratorKind_GetName((lbIntegratorKind)kind);
}

static lbBodyId add_body_with(lbWorld* world, const lbModelDef* modelDef, lbVec3 position, int kind) {
    lbModelId model;
    CHECK_OK(lbCreateModel(world, modelDef, &model));
    lbBodyDef def = lbDefaultBodyDef();
    def.model = model;
    def.position = position;
    def.integrator = (lbIntegratorKind)kind;
    def.name = kind_name(kind);
    lbBodyId body;
    CHECK_OK(lbCreateBody(world, &def, &body));
    return body;
}

/* Says which integrator a failure was of. */
static void end_of_kind(int kind, int failuresBefore) {
    if (testFailures > failuresBefore) {
        printf("    ... with %s\n", kind_name(kind));
    }
}

static void stretch(lbWorld* world, lbBodyId body) {
    int n = lbBody_GetNodeCount(world, body);
    float* x = malloc(3 * (size_t)n * sizeof(float));
    CHECK_OK(lbBody_GetState(world, body, x, NULL));
    for (int i = 0; i < n; ++i) {
        x[3 * i] *= 1.1f, x[3 * i + 1] *= 0.97f;
    }
    CHECK_OK(lbBody_SetState(world, body, x, NULL));
    free(x);
}

TEST(NamesAreFoundAndTraitsFit) {
    for (int kind = 0; kind < lb_integratorKindCount; ++kind) {
        const lbIntegrator* integrator = lb_find_integrator((lbIntegratorKind)kind);
        lbIntegratorKind found;
        CHECK(lbIntegratorKind_FromName(integrator->name, &found) && (int)found == kind);
        CHECK(!(integrator->traits & lb_traitMultistep) || integrator->historyVectors > 0);
        CHECK(!(integrator->traits & lb_traitAdaptive) || !(integrator->traits & lb_traitLocal));
    }
}

TEST(MomentumIsKeptInFreeFlight) {
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 4);
    model.material.stiffnessDamping = 0.002f;
    for (int kind = 0; kind < lb_integratorKindCount; ++kind) {
        int failures = testFailures;
        lbWorld* world = make_world(1, NULL);
        CHECK_OK(lbWorld_SetGravity(world, vec3(0, 0, 0)));
        lbBodyId body = add_body_with(world, &model, vec3(0, 0, 0), kind);
        stretch(world, body);
        lbEnergy energy;
        CHECK_OK(lbBody_GetEnergy(world, body, &energy));
        double start = energy.elastic, moved = 0;
        for (int frame = 0; frame < 60; ++frame) {
            run_frames(world, 1, 1.0 / 60);
            CHECK_OK(lbBody_GetEnergy(world, body, &energy));
            moved = fmax(moved, energy.kinetic);
        }
        CHECK(moved > 0.1 * start); /* it does ring */
        CHECK(energy.kinetic + energy.elastic < start);
        lbMomentum momentum;
        CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
        double scale = sqrt(2 * start * momentum.mass); /* the momentum if all energy moved one way */
        for (int c = 0; c < 3; ++c) {
            CHECK_NEAR(momentum.linear[c] / scale, 0, 1e-5);
        }
        lbDestroyWorld(world);
        end_of_kind(kind, failures);
    }
    lbDestroyShape(cube);
}

/* Every contact impulse makes histories void: methods that keep one must start anew, again and again. Impulses act
 * between slices of a frame. Within one the sole flies its little parabola: up by h f / 2m, and down again at the end,
 * so that a body at rest shows (h f)^2 / 8m of kinetic energy (four times that in explicit Euler, none in symplectic).
 */
TEST(ACubeDroppedOnTheGroundComesToRestWithItsWeight) {
    lbGeneratorDef box = lbDefaultGeneratorDef(lb_shapeBox);
    box.size = vec3(2, 2, 2);
    box.edge = 0.5f; /* a point of the skin at each node */
    lbShape* cube;
    CHECK_OK(lbGenerateShape(&box, &cube));
    lbModelDef model = cube_model(cube, 4);
    model.material.youngsModulus = 1e6f;
    model.material.stiffnessDamping = 0.01f;
    const double weight = 8000 * 9.81, soleMass = 1000;
    for (int kind = 0; kind < lb_integratorKindCount; ++kind) {
        int failures = testFailures;
        lbWorld* world = make_world(1, NULL);
        lbBodyId body = add_body_with(world, &model, vec3(0, 1.05f, 0), kind);
        lbToolId ground = add_ground(world, 0);
        run_frames(world, 240, 1.0 / 60);
        lbVec3 force;
        CHECK_OK(lbTool_GetForce(world, ground, &force));
        CHECK_NEAR(force.y, -weight, 0.001 * weight);
        lbEnergy energy;
        CHECK_OK(lbBody_GetEnergy(world, body, &energy));
        double h = 1.0 / 60 / int_min(32, lbWorld_GetCounters(world).stepCount);
        CHECK(energy.kinetic < 1.2 * h * h * weight * weight / (2 * soleMass));
        lbMomentum momentum;
        CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
        double sag = 1000 * 9.81 * 2 * 2 / (3 * 1e6); /* of a column's centre: rho g H^2 / 3E */
        CHECK_NEAR(momentum.center[1], 1 - sag, 0.4 * sag);
        lbDestroyWorld(world);
        end_of_kind(kind, failures);
    }
    lbDestroyShape(cube);
}

static lbWorld* falling_world(int kind, int cells, int threads, const lbHost* host) {
    lbWorld* world = make_world(threads, host);
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, cells);
    model.material.stiffnessDamping = 0.005f;
    lbBodyId body = add_body_with(world, &model, vec3(0, 1.02f, 0), kind);
    stretch(world, body);
    add_ground(world, 0);
    lbDestroyShape(cube);
    return world;
}

TEST(ARestoredBodyGoesOnBitForBit) {
    for (int kind = 0; kind < lb_integratorKindCount; ++kind) {
        int failures = testFailures;
        lbWorld* first = falling_world(kind, 4, 1, NULL);
        for (int part = 0; part < 2; ++part) { /* in the air, and on the ground */
            run_frames(first, part == 0 ? 2 : 12, 1.0 / 60);
            CHECK_OK(lbWorld_Save(first, statePath));
            lbWorld* second = falling_world(kind, 4, 1, NULL);
            CHECK_OK(lbWorld_Restore(second, statePath));
            CHECK(lbWorld_Hash(second) == lbWorld_Hash(first));
            run_frames(first, 5, 1.0 / 60);
            run_frames(second, 5, 1.0 / 60);
            CHECK(lbWorld_Hash(second) == lbWorld_Hash(first));
            lbDestroyWorld(second);
        }
        lbDestroyWorld(first);
        end_of_kind(kind, failures);
    }
}

TEST(TheStateDoesNotDependOnThreads) {
    for (int kind = 0; kind < lb_integratorKindCount; ++kind) {
        int failures = testFailures;
        uint64_t hashes[2];
        for (int i = 0; i < 2; ++i) {
            lbWorld* world = falling_world(kind, 14, 1 + i, NULL); /* 3,375 nodes: several pieces */
            run_frames(world, 3, 1.0 / 60);
            hashes[i] = lbWorld_Hash(world);
            lbDestroyWorld(world);
        }
        CHECK(hashes[0] == hashes[1]);
        end_of_kind(kind, failures);
    }
}

static int allocations;
static void* counting_allocate(void* user, size_t size, size_t alignment) {
    (void)user;
    ++allocations;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
static void plain_release(void* user, void* memory) {
    (void)user;
    free(memory);
}

TEST(SteppingNeverAllocates) {
    lbHost host = lbDefaultHost();
    host.allocate = counting_allocate;
    host.release = plain_release;
    for (int kind = 0; kind < lb_integratorKindCount; ++kind) {
        int failures = testFailures;
        lbWorld* world = falling_world(kind, 4, 2, &host);
        run_frames(world, 10, 1.0 / 60); /* what implicit bodies answer by is made before they touch first */
        int before = allocations;
        run_frames(world, 20, 1.0 / 60);
        CHECK(lbWorld_GetCounters(world).contactCount > 0);
        CHECK(allocations == before);
        lbDestroyWorld(world);
        end_of_kind(kind, failures);
    }
}

/* Loads and pins change forces between steps: what a method keeps of the old ones must not come back. */
TEST(APinHoldsBitForBitWhateverTheHistory) {
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 4);
    model.material.stiffnessDamping = 0.002f;
    for (int kind = 0; kind < lb_integratorKindCount; ++kind) {
        int failures = testFailures;
        lbWorld* world = make_world(1, NULL);
        lbBodyId body = add_body_with(world, &model, vec3(0, 0, 0), kind);
        stretch(world, body);
        run_frames(world, 5, 1.0 / 60);
        int n = lbBody_GetNodeCount(world, body), held = 0;
        float* before = malloc(3 * (size_t)n * sizeof(float));
        float* after = malloc(3 * (size_t)n * sizeof(float));
        CHECK_OK(lbBody_GetState(world, body, before, NULL));
        lbPinDef def = lbDefaultPinDef();
        def.body = body;
        def.region = (lbRegion){.kind = lb_regionHalfSpace, .point = {0, 0.999f, 0}, .normal = {0, -1, 0}};
        lbPinId pin;
        CHECK_OK(lbCreatePin(world, &def, &pin));
        run_frames(world, 20, 1.0 / 60);
        CHECK_OK(lbBody_GetState(world, body, after, NULL));
        for (int i = 0; i < n; ++i) {
            held += memcmp(before + 3 * i, after + 3 * i, 3 * sizeof(float)) == 0;
        }
        CHECK(held == 25);
        free(before);
        free(after);
        lbDestroyWorld(world);
        end_of_kind(kind, failures);
    }
    lbDestroyShape(cube);
}

/* A free point under gravity: methods of second order and more are exact; a change of the step must not show. */
TEST(ChangingStepsKeepTheOrder) {
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 2);
    for (int kind = 0; kind < lb_integratorKindCount; ++kind) {
        if (lb_find_integrator((lbIntegratorKind)kind)->order < 2) {
            continue;
        }
        int failures = testFailures;
        lbWorld* world = make_world(1, NULL);
        lbBodyId body = add_body_with(world, &model, vec3(0, 0, 0), kind);
        double t = 0;
        for (int frame = 0; frame < 40; ++frame) {
            double dt = frame % 3 == 0 ? 0.01 : 0.017;
            run_frames(world, 1, dt);
            t += dt;
        }
        lbMomentum momentum;
        CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
        CHECK_NEAR(momentum.center[1], -0.5 * 9.81 * t * t, 2e-5); /* float32 sums */
        CHECK_NEAR(momentum.linear[1] / momentum.mass, -9.81 * t, 2e-5);
        lbDestroyWorld(world);
        end_of_kind(kind, failures);
    }
    lbDestroyShape(cube);
}

/* ---- Damping at the next velocity, on a system of one free point ------------------------------------------------- */

static void no_acceleration(void* self, double time, const float* x, const float* v, float* a) {
    (void)self, (void)time, (void)x, (void)v;
    memset(a, 0, 4 * sizeof(float));
}

static void no_tangent(void* self, const float* x, float a, float b, const float* p, float* y) {
    (void)self, (void)x, (void)a, (void)b, (void)p, (void)y;
}

static void nothing_held(void* self, float* p) {
    (void)self, (void)p;
}

/* v' = v / (1 + h gamma), gamma 1 per second. */
static void stokes(void* self, double h, float* v) {
    (void)self;
    for (int c = 0; c < 3; ++c) {
        v[c] /= (float)(1 + h);
    }
}

TEST(DampingAtTheNextVelocityIsTakenOnceAStepAndNeverTurnsAPointRound) {
    for (int kind = 0; kind < lb_integratorKindCount; ++kind) {
        int failures = testFailures;
        const lbIntegrator* integrator = lb_find_integrator((lbIntegratorKind)kind);
        float x[4] = {0}, v[4] = {2, -1, 0, 0}, mass[1] = {1}, vectors[4 * 32] = {0};
        _Alignas(64) char scratch[64 * 64];
        lbArena arena = {.base = scratch, .size = sizeof(scratch)};
        lbIntegratorSettings settings = lbDefaultBodyDef().settings;
        lbSystem system = {.count = 1, .mass = mass, .x = x, .v = v, .settings = &settings, .scratch = &arena};
        system.acceleration = no_acceleration, system.tangent = no_tangent, system.project = nothing_held;
        system.damp = stokes;
        lbHistory history = {.vectors = vectors};
        for (int step = 0; step < 5; ++step) {
            integrator->step(&system, &history, 7 * step, 7); /* a plain -gamma v would throw it back at 6 times v */
        }
        CHECK_NEAR(v[0], 2 / pow(8, 5), 1e-9);
        CHECK_NEAR(v[1], -1 / pow(8, 5), 1e-9);
        CHECK(x[0] > 0 && x[0] <= 5 * 7 * 2 && x[1] == -0.5f * x[0]);
        CHECK(arena.used == 0);
        end_of_kind(kind, failures);
    }
}

TEST_MAIN(TEST_ENTRY(NamesAreFoundAndTraitsFit), TEST_ENTRY(MomentumIsKeptInFreeFlight),
          TEST_ENTRY(ACubeDroppedOnTheGroundComesToRestWithItsWeight), TEST_ENTRY(ARestoredBodyGoesOnBitForBit),
          TEST_ENTRY(TheStateDoesNotDependOnThreads), TEST_ENTRY(SteppingNeverAllocates),
          TEST_ENTRY(APinHoldsBitForBitWhateverTheHistory), TEST_ENTRY(ChangingStepsKeepTheOrder),
          TEST_ENTRY(DampingAtTheNextVelocityIsTakenOnceAStepAndNeverTurnsAPointRound))
