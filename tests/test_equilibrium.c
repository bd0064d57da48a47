#include "test_worlds.h"

#include "base/math.h"
#include "body/dynamic/dynamic_body.h"
#include "integrate/equilibrium.h"
#include "verify/cantilever.h"
#include "world/world.h"

/* ---- A chain, against its exact solution ------------------------------------------------------------------------- */

enum { links = 12 };
static const double chainStiffness = 50, linkLength = 0.1, linkMass = 0.02, gravity = 9.81;

/* Displacements are positions: from the origin. Node 0 is fixed. */
static void chain_force(void* self, const double* x, double share, double* f) {
    (void)self;
    memset(f, 0, 3 * (links + 1) * sizeof(double));
    for (int i = 0; i < links; ++i) {
        double d[3], length = 0;
        for (int c = 0; c < 3; ++c) {
            d[c] = x[3 * (i + 1) + c] - x[3 * i + c];
            length += d[c] * d[c];
        }
        for (int c = 0; c < 3; ++c) {
            double pull = chainStiffness * (1 - linkLength / sqrt(length)) * d[c];
            f[3 * i + c] += pull;
            f[3 * (i + 1) + c] -= pull;
        }
        f[3 * (i + 1) + 1] -= share * linkMass * gravity;
    }
}

static void chain_stiffness(void* self, const double* x, double share, lbTangentKind kind) {
    (void)share;
    const lbPreciseStiffness* stiffness = self;
    lb_zero_stiffness(stiffness);
    for (int i = 0; i < links; ++i) {
        int nodes[2] = {i, i + 1};
        double d[3], K[36], squared = 0;
        for (int c = 0; c < 3; ++c) {
            d[c] = x[3 * (i + 1) + c] - x[3 * i + c];
            squared += d[c] * d[c];
        }
        double across = 1 - linkLength / sqrt(squared);
        across = kind == lb_tangentExact ? across : fmax(across, 0);
        for (int k = 0; k < 36; ++k) {
            int r = k / 6 % 3, c = k % 3;
            double own = chainStiffness * ((1 - across) * d[r] * d[c] / squared + (r == c ? across : 0));
            K[k] = (k / 6 < 3) == (k % 6 < 3) ? own : -own;
        }
        lb_add_element_stiffness(stiffness, 2, nodes, K);
    }
}

static double chain_weight(void* self, const double* x) {
    (void)self, (void)x;
    return sqrt(links) * linkMass * gravity;
}

/* From a straight line at this angle below the horizon. */
static void check_chain(double angle) {
    double x[3 * (links + 1)] = {0}, scratch[lb_equilibriumVectors * 3 * (links + 1)];
    float mass[links + 1];
    int nodes[2 * links];
    for (int i = 0; i <= links; ++i) {
        x[3 * i] = cos(angle) * i * linkLength;
        x[3 * i + 1] = -sin(angle) * i * linkLength;
        mass[i] = (float)linkMass;
    }
    for (int i = 0; i < 2 * links; ++i) {
        nodes[i] = i / 2 + i % 2;
    }
    lbHost host = lbDefaultHost();
    lbElementList list = {links, 2, nodes};
    lbPreciseStiffness stiffness;
    lbFilteredNode held = {0, {0}};
    lbPreciseSolver solver = {.stiffness = &stiffness, .mass = mass, .heldCount = 1, .held = &held};
    CHECK_OK(lb_create_stiffness(&host, links + 1, &list, NULL, &stiffness));
    CHECK_OK(lb_create_precise_solver(&host, &solver));
    lbStaticSystem system = {.count = links + 1,
                             .u = x,
                             .solver = &solver,
                             .force = chain_force,
                             .stiffness = chain_stiffness,
                             .applied = chain_weight,
                             .self = &stiffness};
    lbEquilibriumDef def = lbDefaultEquilibriumDef();
    lbEquilibriumReport report;
    CHECK_OK(lb_find_equilibrium(&system, &solver, &def, scratch, &report));
    CHECK(report.residual <= (double)def.tolerance);
    double y = 0;
    for (int i = 0; i < links; ++i) { /* a link carries what hangs below it */
        y -= linkLength + (links - i) * linkMass * gravity / chainStiffness;
        CHECK_NEAR(x[3 * (i + 1)], 0, 1e-6);
        CHECK_NEAR(x[3 * (i + 1) + 1], y, 1e-6);
    }
    lb_destroy_precise_solver(&solver);
    lb_destroy_stiffness(&stiffness);
}

TEST(AHangingChainHasItsExactLengths) {
    check_chain(LB_PI / 2);
    check_chain(LB_PI / 4);
    check_chain(0);
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

static lbPinId pin_half_space(lbWorld* world, lbBodyId body, lbVec3 point, lbVec3 normal) {
    lbPinDef def = lbDefaultPinDef();
    def.body = body;
    def.region = (lbRegion){.kind = lb_regionHalfSpace, .point = point, .normal = normal};
    lbPinId pin;
    CHECK_OK(lbCreatePin(world, &def, &pin));
    return pin;
}

/* The largest distance between a body's nodes and where they are after a long, damped run from there. */
static double drift_of_long_run(lbWorld* world, lbBodyId id, int frames) {
    const lbDynamicBody* body = lb_dynamic(lb_find_body(world, id));
    size_t bytes = 4 * (size_t)body->model->nodeCount * sizeof(float);
    float* x = malloc(bytes);
    memcpy(x, body->x, bytes);
    run_frames(world, frames, 1.0 / 60);
    double most = 0;
    for (int i = 0; i < body->model->nodeCount; ++i) {
        most = fmax(most, (double)vec3_length(vec3_sub(vec3_load(x + 4 * i), vec3_load(body->x + 4 * i))));
    }
    free(x);
    return most;
}

static lbWorld* cantilever(lbIntegratorKind kind, float volumePenalty, lbBodyId* body, lbPinId* pin) {
    lbWorld* world = make_world(1, NULL);
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 6);
    model.material.youngsModulus = 3e5f;
    model.material.massDamping = 4;
    model.penalty.volume = volumePenalty;
    lbModelId modelId;
    CHECK_OK(lbCreateModel(world, &model, &modelId));
    lbBodyDef def = lbDefaultBodyDef();
    def.model = modelId;
    def.integrator = kind;
    CHECK_OK(lbCreateBody(world, &def, body));
    *pin = pin_half_space(world, *body, vec3(-0.999f, 0, 0), vec3(1, 0, 0));
    lbDestroyShape(cube);
    return world;
}

/* A block of 8 t that sticks out from a wall: sags by some centimetres. The same body, run for long with damping from
 * rest, must come to the same place. */
TEST(ABlockOnAWallSagsAsALongDampedRunDoes) {
    for (int round = 0; round < 2; ++round) {
        lbBodyId body, other;
        lbPinId pin, otherPin;
        float penalty = round == 0 ? 0 : 1e5f;
        lbWorld* world = cantilever(lb_integratorSymplecticEuler, penalty, &body, &pin);
        lbEquilibriumDef def = lbDefaultEquilibriumDef();
        lbEquilibriumReport report;
        CHECK_OK(lbBody_SolveEquilibrium(world, body, &def, &report));
        CHECK(report.residual < 1e-3 && report.iterations < 30);
        lbVec3 force;
        CHECK_OK(lbPin_GetForce(world, pin, &force));
        const double weight = 8000 * 9.81;
        CHECK_NEAR(force.y, -weight, 1e-4 * weight);
        CHECK_NEAR(force.x, 0, 1e-3 * weight);
        lbEnergy energy;
        CHECK_OK(lbBody_GetEnergy(world, body, &energy));
        CHECK(energy.kinetic == 0);

        lbWorld* slow = cantilever(lb_integratorImplicitEuler, penalty, &other, &otherPin);
        run_frames(slow, 600, 1.0 / 60);
        const lbDynamicBody *here = lb_dynamic(lb_find_body(world, body)),
                            *there = lb_dynamic(lb_find_body(slow, other));
        double sag = 0, apart = 0;
        for (int i = 0; i < here->model->nodeCount; ++i) {
            lbVec3 x = vec3_load(here->x + 4 * i);
            sag = fmax(sag, (double)vec3_length(vec3_sub(x, vec3_load(here->model->rest + 4 * i))));
            apart = fmax(apart, (double)vec3_length(vec3_sub(x, vec3_load(there->x + 4 * i))));
        }
        CHECK(sag > 0.02);
        CHECK_NEAR(apart / sag, 0, 2e-3);
        CHECK_NEAR(drift_of_long_run(world, body, 60) / sag, 0, 1e-3);
        lbDestroyWorld(slow);
        lbDestroyWorld(world);
    }
}

/* A flat cloth held at two corners: without stiffness against gravity at first, and far from where it will hang. */
TEST(AClothHangsFromTwoCorners) {
    lbWorld* world = make_world(1, NULL);
    lbGeneratorDef generator = lbDefaultGeneratorDef(lb_shapeCloth);
    generator.size = vec3(1, 0, 1);
    generator.edge = 0.125f;
    lbShape* shape;
    CHECK_OK(lbGenerateShape(&generator, &shape));
    lbModelDef model = lbDefaultModelDef();
    model.shape = shape;
    model.mesh.kind = lb_meshCloth;
    model.material.youngsModulus = 1e5f;
    model.material.massDamping = 3;
    lbBodyId body = add_body(world, &model, vec3(0, 0, 0));
    lbPinDef pin = lbDefaultPinDef();
    pin.body = body;
    lbPinId pins[2];
    for (int i = 0; i < 2; ++i) {
        float x = i == 0 ? -0.5f : 0.5f;
        pin.region = (lbRegion){.kind = lb_regionBox, .box = {{x - 0.01f, -1, 0.49f}, {x + 0.01f, 1, 0.51f}}};
        CHECK_OK(lbCreatePin(world, &pin, &pins[i]));
    }
    lbEquilibriumDef def = lbDefaultEquilibriumDef();
    lbEquilibriumReport report;
    CHECK_OK(lbBody_SolveEquilibrium(world, body, &def, &report));
    lbMomentum momentum;
    CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
    CHECK(momentum.center[1] < -0.3); /* it hangs */
    lbVec3 left, right;
    CHECK_OK(lbPin_GetForce(world, pins[0], &left));
    CHECK_OK(lbPin_GetForce(world, pins[1], &right));
    double weight = momentum.mass * 9.81;
    CHECK_NEAR(left.y + right.y, -weight, 1e-3 * weight);
    CHECK_NEAR(left.x + right.x, 0, 1e-3 * weight);
    CHECK_NEAR(drift_of_long_run(world, body, 120), 0, 0.01); /* of a metre: it stays where it was put */
    lbDestroyWorld(world);
    lbDestroyShape(shape);
}

TEST(WhatHasNoEquilibriumIsLeftAsItWas) {
    lbWorld* world = make_world(1, NULL);
    lbShape* cube = make_cube();
    lbModelDef model = cube_model(cube, 3);
    lbBodyId body = add_body(world, &model, vec3(0, 0, 0));
    run_frames(world, 3, 1.0 / 60);
    uint64_t hash = lbWorld_Hash(world);
    lbEquilibriumDef def = lbDefaultEquilibriumDef();
    def.iterationLimit = 60;
    CHECK_FAILS(lbBody_SolveEquilibrium(world, body, &def, NULL), lb_errorUnstable, "no pin holds it");
    CHECK(lbWorld_Hash(world) == hash);
    def.tolerance = 0;
    CHECK_FAILS(lbBody_SolveEquilibrium(world, body, &def, NULL), lb_errorArgument, "tolerance is 0");
    lbEquilibriumDef blank = {0};
    CHECK_FAILS(lbBody_SolveEquilibrium(world, body, &blank, NULL), lb_errorArgument, "lbDefaultEquilibriumDef");
    def = lbDefaultEquilibriumDef();
    CHECK_FAILS(lbBody_SolveEquilibrium(world, (lbBodyId){9, 9}, &def, NULL), lb_errorArgument, "no such body");
    /* Without gravity a free body has one: its shape at rest. */
    CHECK_OK(lbWorld_SetGravity(world, vec3(0, 0, 0)));
    lbDynamicBody* inner = lb_dynamic(lb_find_body(world, body));
    for (int i = 0; i < inner->model->nodeCount; ++i) {
        inner->x[4 * i] *= 1.2f;
    }
    CHECK_OK(lbBody_SolveEquilibrium(world, body, &def, NULL));
    lbEnergy energy;
    CHECK_OK(lbBody_GetEnergy(world, body, &energy));
    CHECK_NEAR(energy.elastic, 0, 1e-3);
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

/* A long beam under a load that is hardly more than what rounding of its positions makes of forces: these are below
 * that long before it has bent as far as it should. */
TEST(ALongBeamBendsAllTheWayWhereForcesAreLostInRounding) {
    for (lbLawKind law = lb_lawLinear; law < lb_lawKindCount; ++law) {
        lbCantilever beam = lb_default_cantilever(law, 4);
        lbCantileverResult linear, settled;
        CHECK_OK(lb_bend_cantilever(&beam, &linear));
        beam.slope = 0.01;
        CHECK_OK(lb_bend_cantilever(&beam, &settled));
        CHECK_NEAR(settled.deflection / linear.deflection, 1, 1e-3);
    }
}

TEST_MAIN(TEST_ENTRY(AHangingChainHasItsExactLengths), TEST_ENTRY(ABlockOnAWallSagsAsALongDampedRunDoes),
          TEST_ENTRY(AClothHangsFromTwoCorners), TEST_ENTRY(WhatHasNoEquilibriumIsLeftAsItWas),
          TEST_ENTRY(ALongBeamBendsAllTheWayWhereForcesAreLostInRounding))
