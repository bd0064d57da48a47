/* Static equilibrium from inside: laws in double, the direct solution, loads, driven pins, what success means. */
#include "test_worlds.h"

#include "base/math.h"
#include "body/dynamic/assembly.h"
#include "body/dynamic/static_body.h"
#include "limber/tet_mesh.h"
#include "verify/law_checks.h"
#include "verify/static_stage.h"
#include "world/world.h"

#include <stdlib.h>

/* ---- Laws in double ---------------------------------------------------------------------------------------------- */

/* Forces in double against those in float32, which a law has anyway; and stiffness against differences of forces. */
/* A body out of shape, and what the search for its equilibrium sees of it. */
typedef struct Bench {
    lbWorld* world;
    lbDynamicBody* body;
    lbStaticBody made;
    lbArena scratch;
    size_t size; /* coordinates of all nodes */
    double* u;   /* (size) displacements; then three more of that size: */
    double *p, *f, *g;
    double* q;
    unsigned seed;
} Bench;

static void fill_randomly(Bench* bench, double* values) {
    for (size_t i = 0; i < bench->size; ++i) {
        values[i] = (double)random_signed(&bench->seed);
    }
}

static void set_up(const lbModelDef* def, lbQuat rotation, Bench* bench) {
    *bench = (Bench){.world = make_world(1, NULL), .seed = 7};
    CHECK_OK(lbWorld_SetGravity(bench->world, vec3(0, 0, 0)));
    lbBodyDef bodyDef = lbDefaultBodyDef();
    lbBodyId id;
    bodyDef.integrator = lb_integratorSymplecticEuler;
    bodyDef.rotation = rotation;
    bodyDef.position = vec3(1, 2, 3);
    CHECK_OK(lbCreateModel(bench->world, def, &bodyDef.model));
    CHECK_OK(lbCreateBody(bench->world, &bodyDef, &id));
    lbDynamicBody* body = bench->body = lb_dynamic(lb_find_body(bench->world, id));
    bench->size = 3 * (size_t)body->model->nodeCount;
    bench->u = calloc(5 * bench->size, sizeof(double));
    bench->p = bench->u + bench->size;
    bench->f = bench->p + bench->size;
    bench->g = bench->f + bench->size;
    bench->q = bench->g + bench->size;
    for (size_t i = 0; i < bench->size; ++i) {
        body->x[4 * (i / 3) + i % 3] += 0.05f * random_signed(&bench->seed);
    }
    CHECK_OK(lb_create_body_matrix(body->model, &body->matrix));
    CHECK_OK(lb_create_static_body(body, &bench->made));
    CHECK(lb_arena_create(body->base.host, &bench->scratch, lb_static_scratch(body)));
    CHECK_OK(lb_prepare_static_solver(&bench->made, &bench->scratch));
    lb_read_displacements(&bench->made, bench->u);
}

static void tear_down(Bench* bench) {
    lb_destroy_static_body(&bench->made);
    bench->scratch.used = 0;
    lb_arena_destroy(bench->body->base.host, &bench->scratch);
    lb_destroy_matrix(&bench->body->matrix);
    free(bench->u);
    lbDestroyWorld(bench->world);
}

/* The largest difference of two lists is a small share of the largest value. */
static void check_alike(const Bench* bench, const double* a, const double* b, double share, const char* who,
                        const char* what) {
    double apart = 0, largest = 0;
    for (size_t i = 0; i < bench->size; ++i) {
        apart = fmax(apart, fabs(a[i] - b[i]));
        largest = fmax(largest, fabs(a[i]));
    }
    CHECK(largest > 0);
    if (!(apart / largest < share)) {
        printf("%s: %s differ by %g of %g\n", who, what, apart, largest);
    }
    CHECK(apart / largest < share);
}

/* In double they are those that steps take, but for the rounding of these. */
static void check_forces(Bench* bench, const char* who) {
    lbDynamicBody* body = bench->body;
    float* single = calloc(4 * (size_t)body->model->nodeCount, sizeof(float));
    lb_static_forces(&bench->made, bench->u, 1, bench->f);
    lb_body_forces(body, (lbMoment){0, 0}, body->x, body->v, single);
    for (size_t i = 0; i < bench->size; ++i) {
        bench->g[i] = (double)single[4 * (i / 3) + i % 3];
    }
    check_alike(bench, bench->f, bench->g, 2e-5, who, "forces");
    free(single);
}

/* Minus the derivative of the forces, by central differences. */
static void check_stiffness(Bench* bench, const char* who) {
    const double h = 1e-6;
    fill_randomly(bench, bench->p);
    lb_static_stiffness_of(&bench->made, bench->u, 1, lb_tangentExact);
    lb_stiffness_times(&bench->made.stiffness, bench->p, bench->q);
    for (size_t i = 0; i < bench->size; ++i) {
        bench->u[i] -= h * bench->p[i];
    }
    lb_static_forces(&bench->made, bench->u, 1, bench->f);
    for (size_t i = 0; i < bench->size; ++i) {
        bench->u[i] += 2 * h * bench->p[i];
    }
    lb_static_forces(&bench->made, bench->u, 1, bench->g);
    for (size_t i = 0; i < bench->size; ++i) {
        bench->f[i] = (bench->f[i] - bench->g[i]) / (2 * h);
        bench->u[i] -= h * bench->p[i];
    }
    check_alike(bench, bench->q, bench->f, 1e-5, who, "stiffness and differences");
}

/* The definite tangent lets no motion do negative work. */
static void check_definite(Bench* bench) {
    lb_static_stiffness_of(&bench->made, bench->u, 1, lb_tangentDefinite);
    for (int round = 0; round < 4; ++round) {
        double work = 0;
        fill_randomly(bench, bench->p);
        lb_stiffness_times(&bench->made.stiffness, bench->p, bench->q);
        for (size_t i = 0; i < bench->size; ++i) {
            work += bench->p[i] * bench->q[i];
        }
        CHECK(work >= 0);
    }
}

static void check_law(const lbModelDef* def, lbQuat rotation, const char* who) {
    Bench bench;
    set_up(def, rotation, &bench);
    check_forces(&bench, who);
    check_stiffness(&bench, who);
    check_definite(&bench);
    tear_down(&bench);
}

TEST(ForcesAndStiffnessInDoubleAreTheLaws) {
    lbShape* cube = make_cube();
    const lbQuat none = {0, 0, 0, 1}, turned = {0.5f, 0.5f, 0.5f, 0.5f};
    for (lbLawKind law = lb_lawLinear; law < lb_lawKindCount; ++law) {
        for (int round = 0; round < 4; ++round) {
            lbModelDef def = cube_model(cube, 3);
            def.law.kind = law;
            def.material.poissonsRatio = round % 2 == 0 ? 0.3f : 0.49f;
            check_law(&def, round < 2 || law == lb_lawLinear ? none : turned, lbLawKind_GetName(law));
        }
    }
    lbModelDef def = cube_model(cube, 3);
    def.law.kind = lb_lawLinear;
    def.law.boundary = lb_boundaryPaper;
    check_law(&def, none, "paper");
    def = cube_model(cube, 3);
    for (int form = 0; form < 3; ++form) {
        def.law.springForm = (lbSpringForm)form;
        check_law(&def, turned, "springs");
    }
    def.penalty.volume = 1e5f;
    def.penalty.area = 1e4f;
    def.penalty.surface = 1e4f;
    def.law.springForm = lb_springLinear;
    check_law(&def, turned, "penalties");
    def = cube_model(cube, 3);
    def.mesh.kind = lb_meshVoxels;
    def.law.kind = lb_lawCorotational;
    check_law(&def, turned, "voxels");
    lbDestroyShape(cube);
}

/* ---- The direct solution ----------------------------------------------------------------------------------------- */

/* A ring of nodes joined at random by blocks that resist: against products, with nodes held along a diagonal, and with
 * one part that nothing holds. */
TEST(ADirectSolutionSolvesWhatIsHeldAndLeavesOutWhatIsFree) {
    enum { nodes = 40, parts = 60 };
    lbHost host = lbDefaultHost();
    int list[2 * parts];
    unsigned seed = 3;
    for (int i = 0; i < parts; ++i) {
        list[2 * i] = i % nodes;
        list[2 * i + 1] = (i % nodes + 1 + (i >= nodes ? (int)(10 * fabsf(random_signed(&seed))) : 0)) % nodes;
    }
    lbPreciseStiffness stiffness;
    lbElementList elements = {parts, 2, list};
    CHECK_OK(lb_create_stiffness(&host, nodes, &elements, NULL, &stiffness));
    for (int i = 0; i < parts && list[2 * i] != list[2 * i + 1]; ++i) {
        double A[3][3], K[36];
        for (int k = 0; k < 9; ++k) {
            A[k / 3][k % 3] = (double)random_signed(&seed) + (k % 4 == 0 ? 2 : 0);
        }
        for (int k = 0; k < 36; ++k) {
            int r = k / 6 % 3, c = k % 3;
            double own = A[0][r] * A[0][c] + A[1][r] * A[1][c] + A[2][r] * A[2][c];
            K[k] = (k / 6 < 3) == (k % 6 < 3) ? own : -own;
        }
        lb_add_element_stiffness(&stiffness, 2, list + 2 * i, K);
    }
    float mass[nodes];
    for (int i = 0; i < nodes; ++i) {
        mass[i] = 1;
    }
    const double half = 0.5;
    lbFilteredNode held[2] = {{0, {0}}, {7, {half, half, 1, -half, 0, 0}}};
    for (int heldCount = 2; heldCount >= 0; heldCount -= 2) {
        lbPreciseSolver solver = {.stiffness = &stiffness, .mass = mass, .heldCount = heldCount, .held = held};
        CHECK_OK(lb_create_precise_solver(&host, &solver));
        double x[3 * nodes], b[3 * nodes], r[3 * nodes], size = 0, left = 0;
        for (int i = 0; i < 3 * nodes; ++i) {
            x[i] = (double)random_signed(&seed);
        }
        lb_project_held(&solver, x);
        lb_stiffness_times(&stiffness, x, b); /* of a motion, so that free parts are in balance */
        lb_project_held(&solver, b);
        lbSolve solve;
        CHECK_OK(lb_solve_precisely(&solver, 0, b, 1e-12, x, &solve));
        CHECK(solve.definite);
        lb_stiffness_times(&stiffness, x, r);
        lb_project_held(&solver, r);
        for (int i = 0; i < 3 * nodes; ++i) {
            size = fmax(size, fabs(b[i]));
            left = fmax(left, fabs(r[i] - b[i]));
        }
        CHECK_NEAR(left / size, 0, 1e-9);
        lb_destroy_precise_solver(&solver);
    }
    lb_destroy_stiffness(&stiffness);
}

/* ---- Loads ------------------------------------------------------------------------------------------------------- */

static lbVec3d unit_block(const void* self, lbVec3d p) {
    (void)self;
    return vec3d(p.x, 0.5 * p.y, 0.25 * p.z);
}

TEST(AMomentIsThatMomentAndNoForce) {
    lbStaticDef def = lb_default_static(lb_lawLinear, 4, 3, 2, unit_block, NULL);
    lbStaticStage stage;
    CHECK_OK(lb_create_stage(&def, &stage));
    lbLoadDef load = lbDefaultLoadDef();
    load.body = stage.body;
    load.moment = vec3(1, -2, 3);
    lbLoadId id;
    for (int part = 0; part < 2; ++part) {
        load.region = part == 0 ? (lbRegion){0} : lb_face(&stage, 0, 1, lb_partSurface);
        CHECK_OK(lbCreateLoad(stage.world, &load, &id));
        const lbDynamicBody* body = lb_dynamic(lb_find_body(stage.world, stage.body));
        lbVec3d force = {0, 0, 0}, moment = {0, 0, 0};
        for (int i = 0; i < stage.count; ++i) {
            lbVec3d f = vec3d_load(body->load + 4 * (size_t)i), x = vec3d_load(body->x + 4 * (size_t)i);
            force = vec3d_add(force, f);
            moment = vec3d_add(moment, vec3d_cross(x, f));
        }
        CHECK_NEAR(vec3d_length(force), 0, 1e-5);
        CHECK_NEAR(moment.x, 1, 1e-5);
        CHECK_NEAR(moment.y, -2, 1e-5);
        CHECK_NEAR(moment.z, 3, 1e-5);
        CHECK_OK(lbDestroyLoad(stage.world, id));
    }
    double area;
    load.region = lb_face(&stage, 0, 1, lb_partSurface);
    CHECK_OK(lbCreateLoad(stage.world, &load, &id));
    CHECK_OK(lbLoad_GetArea(stage.world, id, &area));
    CHECK_NEAR(area, 0.125, 1e-7);
    CHECK_OK(lbLoad_SetTraction(stage.world, id, vec3(8, 0, 0)));
    CHECK_OK(lbLoad_SetMoment(stage.world, id, vec3(0, 0, 0)));
    CHECK_FAILS(lbLoad_SetTraction(stage.world, id, vec3(INFINITY, 0, 0)), lb_errorArgument, "finite");
    const int line[2] = {0, 1};
    load.region = (lbRegion){.kind = lb_regionNodes, .nodes = line, .nodeCount = 2};
    CHECK_FAILS(lbCreateLoad(stage.world, &load, &id), lb_errorArgument, "not on a line");
    load.moment = vec3(0, 0, 0);
    load.traction = vec3(1, 0, 0);
    CHECK_FAILS(lbCreateLoad(stage.world, &load, &id), lb_errorArgument, "whole triangles");
    lb_destroy_stage(&stage);
}

/* ---- Nodes and regions ------------------------------------------------------------------------------------------- */

TEST(NodesKnowTheirNumbersInTheMeshThatWasGiven) {
    lbStaticDef def = lb_default_static(lb_lawLinear, 4, 3, 2, unit_block, NULL);
    lbStaticStage stage;
    CHECK_OK(lb_create_stage(&def, &stage));
    int* numbers = malloc((size_t)stage.count * sizeof(int));
    float* x = malloc(3 * (size_t)stage.count * sizeof(float));
    CHECK_OK(lbBody_GetNodeNumbers(stage.world, stage.body, numbers));
    CHECK_OK(lbBody_GetState(stage.world, stage.body, x, NULL));
    bool moved = false;
    for (int i = 0; i < stage.count; ++i) {
        lbVec3d given = stage.rest[numbers[i]];
        CHECK_NEAR(vec3d_length(vec3d_sub(given, vec3d_load(x + 3 * i))), 0, 1e-6);
        moved |= numbers[i] != i;
    }
    CHECK(moved); /* or this tells nothing */
    free(numbers);
    free(x);
    lb_destroy_stage(&stage);
}

/* ---- What success means ------------------------------------------------------------------------------------------ */

/* A beam under a load so small that rounding of positions to float32 is all that these can show of it. */
TEST(ATinyLoadBendsABeamByWhatALargeOneDoes) {
    double compliance[2];
    for (int round = 0; round < 2; ++round) {
        lbStaticDef def = lb_default_static(lb_lawCorotational, 40, 2, 2, unit_block, NULL);
        lbStaticStage stage;
        CHECK_OK(lb_create_stage(&def, &stage));
        lbLoadDef load = lbDefaultLoadDef();
        load.force = vec3(0, 0, round == 0 ? 1e-2f : 1e-9f);
        CHECK_OK(lb_hold_face(&stage, 0, 0, lb_axisAll, NULL));
        CHECK_OK(lb_load_face(&stage, 0, 1, &load));
        CHECK_OK(lb_settle_stage(&stage));
        CHECK(stage.report.residual <= stage.def.tolerance);
        compliance[round] = lb_face_displacement(&stage, 0, 1).z / (double)load.force.z;
        lb_destroy_stage(&stage);
    }
    CHECK_NEAR(compliance[1] / compliance[0], 1, 1e-5);
}

TEST(WhatIsNotFoundIsToldWithItsResidual) {
    lbStaticDef def = lb_default_static(lb_lawNeoHookean, 8, 2, 2, unit_block, NULL);
    lbStaticStage stage;
    CHECK_OK(lb_create_stage(&def, &stage));
    lbLoadDef load = lbDefaultLoadDef();
    load.force = vec3(0, 0, 2e3f);
    CHECK_OK(lb_hold_face(&stage, 0, 0, lb_axisAll, NULL));
    CHECK_OK(lb_load_face(&stage, 0, 1, &load));
    lbEquilibriumDef search = lbDefaultEquilibriumDef();
    lbEquilibriumReport report;
    search.iterationLimit = 2;
    CHECK_FAILS(lbBody_SolveEquilibrium(stage.world, stage.body, &search, &report), lb_errorUnstable,
                "unbalanced forces are");
    CHECK(report.residual > (double)search.tolerance && report.iterations >= 1);
    search.iterationLimit = 500;
    search.tolerance = 1e-18f;
    CHECK_FAILS(lbBody_SolveEquilibrium(stage.world, stage.body, &search, &report), lb_errorUnstable, "rounding");
    CHECK(report.stalled && report.iterations < 100);
    lb_destroy_stage(&stage);
}

/* A plate is driven far: a block under compression by a third, in steps that the search finds by itself; what was
 * driven has arrived. */
TEST(ADrivenPlateTakesABlockAlong) {
    for (lbLawKind law = lb_lawCorotational; law <= lb_lawNeoHookean; ++law) {
        lbStaticDef def = lb_default_static(law, 4, 3, 3, unit_block, NULL);
        lbStaticStage stage;
        CHECK_OK(lb_create_stage(&def, &stage));
        lbPinId plate;
        CHECK_OK(lb_hold_face(&stage, 0, 0, lb_axisAll, NULL));
        CHECK_OK(lb_hold_face(&stage, 0, 1, lb_axisAll, &plate));
        CHECK_OK(lbPin_MoveTo(stage.world, plate, vec3(0.5f, 0.2f, 0)));
        CHECK_OK(lb_settle_stage(&stage));
        CHECK_NEAR(lb_face_displacement(&stage, 0, 1).x, 0.5, 1e-12);
        CHECK_NEAR(lb_face_displacement(&stage, 0, 1).y, (double)0.2f, 1e-12);
        lbVec3 place;
        CHECK_OK(lbPin_GetPosition(stage.world, plate, &place));
        CHECK_NEAR(place.x, 1.5, 1e-6);
        CHECK_OK(lbWorld_Step(stage.world, 1.0 / 60)); /* and stays */
        CHECK_OK(lbPin_GetPosition(stage.world, plate, &place));
        CHECK_NEAR(place.x, 1.5, 1e-6);
        /* As a whole, which takes no force at all. */
        lb_destroy_stage(&stage);
    }
}

TEST(ABodyThatIsMovedAsAWholeHasNoForces) {
    lbStaticDef def = lb_default_static(lb_lawNeoHookean, 4, 3, 3, unit_block, NULL);
    lbStaticStage stage;
    CHECK_OK(lb_create_stage(&def, &stage));
    lbPinId pin;
    CHECK_OK(lb_hold_face(&stage, 0, 0, lb_axisAll, &pin));
    CHECK_OK(lbPin_MoveTo(stage.world, pin, vec3(3, -2, 1)));
    CHECK_OK(lb_settle_stage(&stage));
    CHECK_NEAR(lb_face_displacement(&stage, 0, 1).x, 3, 1e-9);
    lb_destroy_stage(&stage);
}

TEST_MAIN(TEST_ENTRY(ForcesAndStiffnessInDoubleAreTheLaws),
          TEST_ENTRY(ADirectSolutionSolvesWhatIsHeldAndLeavesOutWhatIsFree), TEST_ENTRY(AMomentIsThatMomentAndNoForce),
          TEST_ENTRY(NodesKnowTheirNumbersInTheMeshThatWasGiven), TEST_ENTRY(ATinyLoadBendsABeamByWhatALargeOneDoes),
          TEST_ENTRY(WhatIsNotFoundIsToldWithItsResidual), TEST_ENTRY(ADrivenPlateTakesABlockAlong),
          TEST_ENTRY(ABodyThatIsMovedAsAWholeHasNoForces))
