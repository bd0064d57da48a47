/* Implicit steps and static equilibria of tetrahedra: far from rest, stiff and soft, inside out, badly shaped. */
#include "body/dynamic/assembly.h"
#include "integrate/theta.h"
#include "test_worlds.h"
#include "verify/law_checks.h"
#include "verify/tet_block.h"
#include "world/world.h"

static const lbLawKind laws[] = {lb_lawLinear, lb_lawGreen, lb_lawCorotational, lb_lawNeoHookean};
enum { lawCount = sizeof(laws) / sizeof(laws[0]), firstSafe = 2 };

/* A beam along x about the origin. */
typedef struct Beam {
    lbLawKind law;
    float youngs, nu;
    lbVec3 size; /* m; 0: 1 x 0.25 x 0.25 */
    float edge;  /* m; 0: 1/16 */
    lbIntegratorKind integrator;
    float tolerance; /* 0: 1e-4 */
    float damping;   /* of the mass, 1/s */
    const lbZone* zone;
    bool weightless;
} Beam;

typedef struct Scene {
    lbWorld* world;
    lbBodyId id;
    lbDynamicBody* body;
    lbVec3 half;
} Scene;

static Scene make_scene(const Beam* beam) {
    Scene scene = {.world = make_world(1, NULL)};
    lbVec3 size = beam->size.x > 0 ? beam->size : vec3(1, 0.25f, 0.25f);
    scene.half = vec3_scale(0.5f, size);
    lbGeneratorDef box = lbDefaultGeneratorDef(lb_shapeBox);
    box.size = size;
    box.edge = 0.25f;
    lbShape* shape = NULL;
    CHECK_OK(lbGenerateShape(&box, &shape));
    lbModelDef def = lbDefaultModelDef();
    def.shape = shape;
    def.mesh.kind = lb_meshStructured;
    def.mesh.edge = beam->edge > 0 ? beam->edge : 0.0625f;
    def.law.kind = beam->law;
    def.material = (lbMaterial){
        .density = 1000, .youngsModulus = beam->youngs, .poissonsRatio = beam->nu, .massDamping = beam->damping};
    def.zones = beam->zone;
    def.zoneCount = beam->zone != NULL ? 1 : 0;
    lbModelId model;
    CHECK_OK(lbCreateModel(scene.world, &def, &model));
    lbDestroyShape(shape);
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.model = model;
    bodyDef.integrator = beam->integrator == 0 ? lb_integratorImplicitEuler : beam->integrator;
    bodyDef.settings.tolerance = beam->tolerance > 0 ? beam->tolerance : 1e-4f;
    bodyDef.settings.iterationLimit = 2000;
    CHECK_OK(lbCreateBody(scene.world, &bodyDef, &scene.id));
    CHECK_OK(lbWorld_SetGravity(scene.world, vec3(0, beam->weightless ? 0 : -9.81f, 0)));
    scene.body = lb_dynamic(lb_find_body(scene.world, scene.id));
    return scene;
}

static lbPinId pin_end(const Scene* scene, float side, unsigned axes) {
    lbPinDef def = lbDefaultPinDef();
    def.body = scene->id;
    def.axes = axes;
    def.region = (lbRegion){
        .kind = lb_regionHalfSpace, .point = {side * (scene->half.x - 1e-3f), 0, 0}, .normal = {-side, 0, 0}};
    lbPinId pin;
    CHECK_OK(lbCreatePin(scene->world, &def, &pin));
    return pin;
}

static Scene make_cantilever(const Beam* beam) {
    Scene scene = make_scene(beam);
    pin_end(&scene, -1, lb_axisAll);
    return scene;
}

static lbEquilibriumReport find_equilibrium(const Scene* scene) {
    lbEquilibriumDef def = lbDefaultEquilibriumDef();
    lbEquilibriumReport report;
    CHECK_OK(lbBody_SolveEquilibrium(scene->world, scene->id, &def, &report));
    return report;
}

/* The largest distance of a node from where it is at rest. */
static double largest_move(const Scene* scene) {
    double most = 0;
    for (int i = 0; i < 4 * scene->body->model->nodeCount; i += 4) {
        lbVec3 d = vec3_sub(vec3_load(scene->body->x + i), vec3_load(scene->body->model->rest + i));
        most = fmax(most, (double)vec3_length(d));
    }
    return most;
}

/* How far the middle of the free end has come down. */
static double drop(const Scene* scene) {
    int node = lb_find_block_node(scene->body->model, vec3d((double)scene->half.x, 0, 0));
    return (double)scene->body->model->rest[4 * node + 1] - (double)scene->body->x[4 * node + 1];
}

static double total_energy(const Scene* scene) {
    lbEnergy energy;
    CHECK_OK(lbBody_GetEnergy(scene->world, scene->id, &energy));
    return energy.kinetic + energy.elastic + energy.gravity;
}

/* Every node that is not held somewhere in the box, at random. */
static void scramble(const Scene* scene) {
    int n = scene->body->model->nodeCount;
    unsigned seed = 17;
    float* x = malloc(3 * (size_t)n * sizeof(float));
    for (int i = 0; i < n; ++i) {
        lbVec3 at = vec3_load(scene->body->x + 4 * (size_t)i);
        if (scene->body->heldIndex[i] < 0) {
            at.x = scene->half.x * random_signed(&seed);
            at.y = scene->half.y * random_signed(&seed);
            at.z = scene->half.z * random_signed(&seed);
        }
        x[3 * i] = at.x, x[3 * i + 1] = at.y, x[3 * i + 2] = at.z;
    }
    CHECK_OK(lbBody_SetState(scene->world, scene->id, x, NULL));
    free(x);
}

static void destroy(Scene* scene) {
    lbDestroyWorld(scene->world);
}

/* ---- Against other ways ------------------------------------------------------------------------------------------ */

/* 24,000 elements, 20 steps of 10 ms. The drop is that of a separate program in double, with matrices of doubles and
 * conjugate gradients to 1e-6: 0.233217 m. What the residual leaves, and the rounding of positions to 6e-8 m at each
 * step, are far below 1e-5 m. */
TEST(ACantileverDropsAsInAProgramInDouble) {
    const lbTetBlock block = {{1, 0.25, 0.25}, {40, 10, 10}};
    const lbHost* host = lb_resolve_host(NULL);
    lbModelDef def = lbDefaultModelDef();
    def.law.kind = lb_lawCorotational;
    def.material = (lbMaterial){.density = 1000, .youngsModulus = 1e6f, .poissonsRatio = 0.3f};
    lbDynamicModel* model = NULL;
    CHECK_OK(lb_create_block_model(host, &block, &def, &model));
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.integrator = lb_integratorImplicitEuler;
    bodyDef.settings = (lbIntegratorSettings){.tolerance = 1e-6f, .iterationLimit = 2000};
    lbDynamicBody* body = NULL;
    CHECK_OK(lb_create_block_body(host, model, &bodyDef, &body));
    for (int i = 0; i < 20; ++i) {
        lb_advance_body(&body->base, 0.01 * i, 0.01);
        CHECK(body->solve.definite && body->solve.residual <= 1e-6 && body->solve.iterations < 60);
    }
    CHECK_NEAR(-(double)body->x[4 * lb_find_block_node(model, vec3d(0.5, 0, 0)) + 1], 0.233217, 1e-5);
    lb_destroy_dynamic_body(body);
    lb_destroy_dynamic_model(model);
}

/* Bent by a fifth of its length, and by its whole one. */
TEST(AnEquilibriumIsWhereDampedStepsComeToRest) {
    const float youngs[] = {1e6f, 1e5f};
    for (int i = 0; i < lawCount; ++i) {
        for (int k = 0; k < 2; ++k) {
            Beam beam = {.law = laws[i], .youngs = youngs[k], .nu = 0.3f, .edge = 0.125f, .damping = 8};
            Scene scene = make_cantilever(&beam);
            CHECK(find_equilibrium(&scene).iterations < 60);
            double found = drop(&scene);
            CHECK(found > (k == 0 ? 0.1 : 0.4));
            Scene other = make_cantilever(&beam);
            run_frames(other.world, 400, 0.02);
            CHECK_NEAR(drop(&other), found, 2e-3 * found);
            destroy(&other);
            destroy(&scene);
        }
    }
}

/* Trapezoidal steps keep the energy of linear systems; of these ones they lose or gain some of what goes back and
 * forth, m g times half the drop: some 230 J. Without what turning elements resist by, the body would fly apart. */
TEST(CrankNicolsonKeepsTheEnergyOfASwingingBeam) {
    for (int i = 0; i < lawCount; ++i) {
        Beam beam = {
            .law = laws[i], .youngs = 1e6f, .nu = 0.3f, .integrator = lb_integratorCrankNicolson, .tolerance = 1e-6f};
        Scene scene = make_cantilever(&beam);
        double start = total_energy(&scene), lowest = 0;
        for (int frame = 0; frame < 100; ++frame) {
            run_frames(scene.world, 1, 0.01);
            lbEnergy energy;
            CHECK_OK(lbBody_GetEnergy(scene.world, scene.id, &energy));
            lowest = fmin(lowest, energy.gravity - start);
            CHECK_NEAR(total_energy(&scene), start, 3);
        }
        CHECK(lowest < -70);
        destroy(&scene);
    }
}

/* ---- Matter of all kinds ----------------------------------------------------------------------------------------- */

/* At E = 1 GPa the rounding of positions makes forces as large as the weight. All laws are then the linear one, whose
 * deflection is the inverse of E. */
TEST(StiffMatterBendsByTheLinearTheory) {
    Beam soft = {.law = lb_lawLinear, .youngs = 1e6f, .nu = 0.3f};
    Scene reference = make_cantilever(&soft);
    find_equilibrium(&reference);
    for (int i = 0; i < lawCount; ++i) {
        Beam beam = {.law = laws[i], .youngs = 1e9f, .nu = 0.3f};
        Scene scene = make_cantilever(&beam);
        CHECK(find_equilibrium(&scene).iterations < 20);
        CHECK_NEAR(drop(&scene), 1e-3 * drop(&reference), 1e-2 * 1e-3 * drop(&reference));
        destroy(&scene);
        scene = make_cantilever(&beam); /* and so do steps much longer than its slowest period */
        run_frames(scene.world, 60, 0.1);
        CHECK_NEAR(drop(&scene), 1e-3 * drop(&reference), 1e-2 * 1e-3 * drop(&reference));
        destroy(&scene);
    }
    destroy(&reference);
}

/* A beam that hangs by its weight as a rope: stretched to several times its length. */
TEST(SoftMatterHangsWithoutLimits) {
    const lbLawKind able[] = {lb_lawGreen, lb_lawNeoHookean};
    for (int i = 0; i < 2; ++i) {
        Beam beam = {.law = able[i], .youngs = 1e3f, .nu = 0.3f};
        Scene scene = make_cantilever(&beam);
        lbEquilibriumReport report = find_equilibrium(&scene);
        CHECK(report.iterations < 100 && report.residual < 1e-4);
        CHECK(drop(&scene) > 2);
        double energy = total_energy(&scene);
        run_frames(scene.world, 5, 0.01);
        CHECK_NEAR(total_energy(&scene), energy, 1e-3 * fabs(energy)); /* and stays there */
        destroy(&scene);
    }
}

/* A half that is ten thousand times as stiff keeps its shape while the other bends down beside it. */
TEST(ZonesTenThousandApartFindTheirEquilibrium) {
    const lbZone zone = {.region = {.kind = lb_regionHalfSpace, .point = {0, 0, 0}, .normal = {-1, 0, 0}},
                         .matter = {1000, 1e8f, 0.3f}};
    for (int i = 1; i < lawCount; ++i) {
        Beam beam = {.law = laws[i], .youngs = 1e4f, .nu = 0.3f, .zone = &zone};
        Scene scene = make_cantilever(&beam);
        CHECK(find_equilibrium(&scene).iterations < 250);
        CHECK(drop(&scene) > 1);
        int near = lb_find_block_node(scene.body->model, vec3d(0.0625, 0, 0));
        int far = lb_find_block_node(scene.body->model, vec3d(0.5, 0, 0));
        lbVec3 along = vec3_sub(vec3_load(scene.body->x + 4 * far), vec3_load(scene.body->x + 4 * near));
        CHECK_NEAR(vec3_length(along), 0.4375, 1e-3 * 0.4375); /* strains of rho g L / E = 1e-4, in bending */
        run_frames(scene.world, 20, 0.01);
        CHECK(scene.body->solve.definite && scene.body->solve.residual <= 1e-4);
        destroy(&scene);
    }
}

/* Tetrahedra fifteen times as long as thick. */
TEST(SliversAreSolvedAsWell) {
    for (int i = 0; i < lawCount; ++i) {
        Beam beam = {.law = laws[i], .youngs = 1e6f, .nu = 0.3f, .size = {1, 0.25f, 0.004f}};
        Scene scene = make_cantilever(&beam);
        for (int frame = 0; frame < 20; ++frame) {
            run_frames(scene.world, 1, 0.01);
            CHECK(scene.body->solve.definite && scene.body->solve.residual <= 1e-4);
            CHECK(scene.body->solve.iterations < 400);
        }
        CHECK(find_equilibrium(&scene).iterations < 60);
        /* rho g L^4 / (8 E I), I = a^2 / 12 for a unit of area, is 0.2354 m; coarse meshes are stiffer. */
        CHECK(drop(&scene) > 0.17 && drop(&scene) < 0.2354);
        destroy(&scene);
    }
}

/* nu = 0.499: the volume stays, and the solver has five hundred times as much of it to resist with. */
TEST(NearlyIncompressibleMatterIsSolvedAndKeepsItsVolume) {
    for (int i = 0; i < lawCount; ++i) {
        Beam beam = {.law = laws[i], .youngs = 1e5f, .nu = 0.499f};
        Scene scene = make_cantilever(&beam);
        for (int frame = 0; frame < 30; ++frame) {
            run_frames(scene.world, 1, 0.01);
            CHECK(scene.body->solve.definite && scene.body->solve.residual <= 1e-4);
            CHECK(scene.body->solve.iterations < 250);
        }
        CHECK(find_equilibrium(&scene).iterations < 100);
        const lbMesh* mesh = &scene.body->model->mesh;
        double volume = 0, rest = 0;
        for (int t = 0; t < mesh->tetCount; ++t) {
            lbVec3d e[3];
            for (int k = 0; k < 3; ++k) {
                e[k] = vec3d_sub(vec3d_load(scene.body->x + 4 * mesh->tets[t].node[k + 1]),
                                 vec3d_load(scene.body->x + 4 * mesh->tets[t].node[0]));
            }
            volume += vec3d_dot(e[0], vec3d_cross(e[1], e[2])) / 6;
            rest += mesh->tets[t].volume;
        }
        /* p / K: stresses of E at most, and K = E / (3 (1 - 2 nu)) = 167 E. The linear law knows no rotation. */
        CHECK(laws[i] == lb_lawLinear || fabs(volume / rest - 1) < 6e-3);
        destroy(&scene);
    }
}

/* ---- Inside out, pressed, torn apart ----------------------------------------------------------------------------- */

/* No load: the rest shape is the goal. Near nu = 0.5, where volumes are averaged around nodes, a node may stay folded
 * in at the surface, in a balance of its own; its elements are not inside out. */
TEST(NewtonsMethodMakesScrambledBodiesWhole) {
    const float nu[] = {0.3f, 0.49f};
    for (int i = firstSafe; i < lawCount; ++i) {
        for (int k = 0; k < 2; ++k) {
            Beam beam = {.law = laws[i], .youngs = 1e5f, .nu = nu[k], .weightless = true};
            Scene scene = make_cantilever(&beam);
            scramble(&scene);
            double start = total_energy(&scene);
            CHECK(largest_move(&scene) > 0.5);
            find_equilibrium(&scene);
            CHECK(total_energy(&scene) < (k == 0 ? 1e-9 : 1e-2) * start);
            CHECK(k != 0 || largest_move(&scene) < 1e-3);
            run_frames(scene.world, 1, 0.01);
            CHECK(lbBody_GetInvertedCount(scene.world, scene.id) == 0);
            destroy(&scene);
        }
    }
}

/* Steps of implicit Euler take energy away; a linearisation that is followed too far would add it, without end. */
TEST(ImplicitEulerGainsNoEnergyFromScrambledBodies) {
    for (int i = firstSafe; i < lawCount; ++i) {
        for (int pinned = 0; pinned < 2; ++pinned) {
            Beam beam = {.law = laws[i], .youngs = 1e5f, .nu = 0.3f, .weightless = true};
            Scene scene = make_scene(&beam);
            if (pinned) {
                pin_end(&scene, -1, lb_axisAll);
            }
            scramble(&scene);
            double start = total_energy(&scene), before = start;
            for (int frame = 0; frame < 100; ++frame) {
                run_frames(scene.world, 1, 0.01);
                double now = total_energy(&scene);
                CHECK(now < 1.5 * before + 1e-3 * start); /* one linearisation a step: some comes and goes */
                before = now;
            }
            CHECK(before < 1e-3 * start);
            CHECK(lbBody_GetInvertedCount(scene.world, scene.id) < 20);
            destroy(&scene);
        }
    }
}

/* Ends that come together to a fifth of the length within a second, and go apart again. */
TEST(ABeamPressedByMovingPinsComesBack) {
    for (int i = firstSafe; i < lawCount; ++i) {
        Beam beam = {.law = laws[i], .youngs = 1e5f, .nu = 0.3f, .damping = 5, .weightless = true};
        Scene scene = make_cantilever(&beam);
        lbPinId right = pin_end(&scene, 1, lb_axisAll);
        for (int frame = 0; frame < 200; ++frame) {
            float at = frame < 100 ? (float)(frame + 1) : (float)(199 - frame);
            CHECK_OK(lbPin_MoveTo(scene.world, right, vec3(-0.008f * at, 0, 0)));
            run_frames(scene.world, 1, 0.01);
            CHECK(scene.body->solve.definite && scene.body->solve.residual <= 1e-4);
        }
        find_equilibrium(&scene);
        CHECK_NEAR(largest_move(&scene), 0, 1e-3);
        destroy(&scene);
    }
}

/* ---- What holds it ----------------------------------------------------------------------------------------------- */

/* One end may slide along x and z, the other along y: as a beam it still has one equilibrium. */
TEST(PinsOfSomeAxesHoldThoseAndNoOthers) {
    for (int i = 0; i < lawCount; ++i) {
        Beam beam = {.law = laws[i], .youngs = 1e6f, .nu = 0.3f};
        Scene scene = make_scene(&beam);
        pin_end(&scene, -1, lb_axisY);
        pin_end(&scene, 1, lb_axisX | lb_axisZ);
        CHECK(find_equilibrium(&scene).iterations < 40);
        double left = 0, across = 0, slid = 0;
        for (int k = 0; k < scene.body->model->nodeCount; ++k) {
            const float *x = scene.body->x + 4 * k, *rest = scene.body->model->rest + 4 * k;
            if (rest[0] < -0.499f) {
                left = fmax(left, fabs((double)(x[1] - rest[1])));
                slid = fmax(slid, fabs((double)(x[0] - rest[0])));
            } else if (rest[0] > 0.499f) {
                across = fmax(across, fmax(fabs((double)(x[0] - rest[0])), fabs((double)(x[2] - rest[2]))));
            }
        }
        CHECK(left == 0 && across == 0 && slid > 1e-3);
        CHECK(drop(&scene) > 0.05);
        destroy(&scene);
    }
}

/* Nothing holds it: it finds its shape where it is, and flies on as it was thrown. */
TEST(FreeBodiesStayWhereTheyAreAndKeepTheirMomentum) {
    for (int i = 0; i < lawCount; ++i) {
        Beam beam = {
            .law = laws[i], .youngs = 1e5f, .nu = 0.3f, .edge = 0.125f, .weightless = true, .tolerance = 1e-6f};
        Scene scene = make_scene(&beam);
        int n = scene.body->model->nodeCount;
        float *x = malloc(3 * (size_t)n * sizeof(float)), *v = calloc(3 * (size_t)n, sizeof(float));
        for (int k = 0; k < 3 * n; ++k) {
            x[k] = (k % 3 == 0 ? 1.5f : 1.0f) * scene.body->model->rest[4 * (k / 3) + k % 3];
            v[k] = k % 3 == 1 ? 2.0f : 0.0f;
        }
        CHECK_OK(lbBody_SetState(scene.world, scene.id, x, v));
        lbMomentum before, after;
        CHECK_OK(lbBody_GetMomentum(scene.world, scene.id, &before));
        run_frames(scene.world, 50, 0.01);
        CHECK_OK(lbBody_GetMomentum(scene.world, scene.id, &after));
        for (int c = 0; c < 3; ++c) { /* 50 sums of 225 numbers, each rounded to 6e-8 */
            CHECK_NEAR(after.linear[c], before.linear[c], 1e-4 * before.linear[1]);
        }
        CHECK_OK(lbBody_SetState(scene.world, scene.id, x, NULL));
        double stretched = total_energy(&scene);
        find_equilibrium(&scene);
        CHECK_OK(lbBody_GetMomentum(scene.world, scene.id, &after));
        CHECK(total_energy(&scene) < 1e-9 * stretched);
        for (int c = 0; c < 3; ++c) {
            CHECK_NEAR(after.center[c], before.center[c], 0.01);
        }
        free(x), free(v);
        destroy(&scene);
    }
}

/* ---- What cannot be solved is told ------------------------------------------------------------------------------- */

/* The exact tangent of a body that is pressed to half its length gives way. */
TEST(AMatrixThatIsNotDefiniteIsReported) {
    for (int i = 1; i < lawCount; ++i) {
        Beam beam = {.law = laws[i], .youngs = 1e5f, .nu = 0.3f, .edge = 0.125f};
        Scene scene = make_cantilever(&beam);
        lbDynamicBody* body = scene.body;
        for (int k = 0; k < 4 * body->model->nodeCount; k += 4) {
            body->x[k] = -0.5f + 0.4f * (body->x[k] + 0.5f);
        }
        lbSystem system = lb_body_system(body);
        size_t count = 4 * (size_t)body->model->nodeCount;
        float* f = calloc(count, sizeof(float));
        double* y = calloc(count, sizeof(double));
        unsigned seed = 3;
        for (size_t k = 0; k < count; ++k) {
            f[k] = k % 4 < 3 ? random_signed(&seed) : 0;
        }
        system.project(system.self, f);
        lbTangentSystem tangent = {.system = &system, .x = body->x, .a = -1, .kind = lb_tangentExact};
        CHECK(!lb_solve_tangent(&tangent, f, y, 1e-6, 2000).definite);
        tangent.kind = lb_tangentDefinite;
        tangent.mass = 1;
        lbSolve solve = lb_solve_tangent(&tangent, f, y, 1e-4, 2000);
        CHECK(solve.definite && solve.residual <= 1e-4);
        free(f), free(y);
        destroy(&scene);
    }
}

TEST(ABodyThatFallsForEverHasNoEquilibrium) {
    Beam beam = {.law = lb_lawCorotational, .youngs = 1e5f, .nu = 0.3f, .edge = 0.125f};
    Scene scene = make_scene(&beam);
    lbEquilibriumDef def = lbDefaultEquilibriumDef();
    CHECK_FAILS(lbBody_SolveEquilibrium(scene.world, scene.id, &def, NULL), lb_errorUnstable, "no pin holds it");
    CHECK(largest_move(&scene) == 0);
    destroy(&scene);
}

/* ---- Touched ----------------------------------------------------------------------------------------------------- */

/* However stiff it is, a frame takes one step: it does not stall. */
TEST(StiffBodiesThatAreTouchedDoNotStall) {
    const float youngs[] = {1e6f, 1e9f};
    for (int k = 0; k < 2; ++k) {
        Beam beam = {.law = lb_lawCorotational, .youngs = youngs[k], .nu = 0.3f, .edge = 0.125f};
        Scene scene = make_scene(&beam);
        add_ground(scene.world, -0.126f);
        for (int frame = 0; frame < 60; ++frame) {
            run_frames(scene.world, 1, 1.0 / 60);
            CHECK(lbWorld_GetCounters(scene.world).stepCount == 1);
        }
        lbMomentum momentum;
        CHECK_OK(lbBody_GetMomentum(scene.world, scene.id, &momentum));
        CHECK_NEAR(momentum.center[1], 0, 0.02); /* it lies there */
        destroy(&scene);
    }
}

TEST_MAIN(TEST_ENTRY(ACantileverDropsAsInAProgramInDouble), TEST_ENTRY(AnEquilibriumIsWhereDampedStepsComeToRest),
          TEST_ENTRY(CrankNicolsonKeepsTheEnergyOfASwingingBeam), TEST_ENTRY(StiffMatterBendsByTheLinearTheory),
          TEST_ENTRY(SoftMatterHangsWithoutLimits), TEST_ENTRY(ZonesTenThousandApartFindTheirEquilibrium),
          TEST_ENTRY(SliversAreSolvedAsWell), TEST_ENTRY(NearlyIncompressibleMatterIsSolvedAndKeepsItsVolume),
          TEST_ENTRY(NewtonsMethodMakesScrambledBodiesWhole), TEST_ENTRY(ImplicitEulerGainsNoEnergyFromScrambledBodies),
          TEST_ENTRY(ABeamPressedByMovingPinsComesBack), TEST_ENTRY(PinsOfSomeAxesHoldThoseAndNoOthers),
          TEST_ENTRY(FreeBodiesStayWhereTheyAreAndKeepTheirMomentum), TEST_ENTRY(AMatrixThatIsNotDefiniteIsReported),
          TEST_ENTRY(ABodyThatFallsForEverHasNoEquilibrium), TEST_ENTRY(StiffBodiesThatAreTouchedDoNotStall))
