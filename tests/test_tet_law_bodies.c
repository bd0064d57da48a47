/* Laws of tetrahedra in bodies and worlds: matrices, matter, fields, inversion, bad input. */
#include "body/dynamic/assembly.h"
#include "limber/field.h"
#include "test_worlds.h"
#include "tet_law_fixture.h"

static lbModelDef law_def(const lbShape* cube, TetLaw law, int cells) {
    lbModelDef def = cube_model(cube, cells);
    def.law.kind = law.kind;
    def.law.boundary = law.boundary;
    return def;
}

/* ---- Matrices ---------------------------------------------------------------------------------------------------- */

static lbDynamicBody* make_implicit_body(TetLaw law) {
    lbShape* cube = make_cube();
    lbModelDef def = law_def(cube, law, 3);
    def.material.stiffnessDamping = 0.01f;
    lbDynamicModel* model = NULL;
    CHECK_OK(lb_make_dynamic_model(lb_resolve_host(NULL), &def, &model));
    lbDestroyShape(cube);
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.integrator = lb_integratorImplicitEuler;
    lbDynamicBody* body = NULL;
    CHECK_OK(lb_make_dynamic_body(lb_resolve_host(NULL), NULL, model, &bodyDef, &body));
    return body;
}

static void destroy_with_model(lbDynamicBody* body) {
    lbDynamicModel* model = body->model;
    lb_destroy_dynamic_body(body);
    lb_destroy_dynamic_model(model);
}

static void deform(lbDynamicBody* body, float scale, float amount) {
    unsigned seed = 9;
    for (int i = 0; i < 4 * body->model->nodeCount; ++i) {
        body->x[i] = i % 4 < 3 ? scale * body->model->rest[i] + amount * random_signed(&seed) : 0;
    }
}

/* |A p - y| / |y|, y by tangent products. */
static double matrix_error(lbDynamicBody* body, lbTangentKind kind) {
    int n = body->model->nodeCount;
    lbSystem system = lb_body_system(body);
    unsigned seed = 4;
    float *p = random_vector(n, 1, &seed), *q = calloc(4 * (size_t)n, 4), *y = calloc(4 * (size_t)n, 4);
    double partial[8];
    lb_assemble_body(body, body->x, 0, -0.3f, -0.1f, kind);
    lb_multiply(&body->matrix, NULL, p, q, partial);
    system.tangent(system.self, body->x, -0.3f, -0.1f, p, y);
    offset_vector(q, -1, y, n, q);
    double error = sqrt(dot_vectors(q, q, n) / dot_vectors(y, y, n));
    free(p), free(q), free(y);
    return error;
}

TEST(TheMatrixIsTheTangent) {
    for (int i = 0; i < tetLawCount; ++i) {
        lbDynamicBody* body = make_implicit_body(tetLaws[i]);
        deform(body, 0.95f, 0.05f);
        CHECK_NEAR(matrix_error(body, lb_tangentExact), 0, 2e-6); /* sums of some twenty float32 products */
        destroy_with_model(body);
    }
}

/* Where every element is stretched along all axes nothing gives way. The corotational law's simple one leaves out how
 * elements turn, which is little where they are stretched little. */
TEST(TheDefiniteTangentIsTheExactOneWhereNothingGivesWay) {
    for (int i = 0; i < tetLawCount; ++i) {
        lbDynamicBody* body = make_implicit_body(tetLaws[i]);
        deform(body, 1.2f, 0.01f);
        CHECK_NEAR(matrix_error(body, lb_tangentDefinite), 0, 5e-6);
        CHECK_NEAR(matrix_error(body, lb_tangentSimple), 0, tetLaws[i].kind == lb_lawCorotational ? 0.2 : 5e-6);
        deform(body, 1, 0);
        CHECK_NEAR(matrix_error(body, lb_tangentDefinite), 0, 5e-6);
        CHECK_NEAR(matrix_error(body, lb_tangentSimple), 0, 5e-6);
        destroy_with_model(body);
    }
}

/* Pressed to half its size and shaken, elements turned inside out among them. */
TEST(TheDefiniteTangentResistsInEveryDirection) {
    for (int i = 0; i < tetLawCount; ++i) {
        lbDynamicBody* body = make_implicit_body(tetLaws[i]);
        int n = body->model->nodeCount;
        deform(body, 0.5f, 0.3f);
        unsigned seed = 2;
        float *q = calloc(4 * (size_t)n, 4), *y = calloc(4 * (size_t)n, 4);
        double partial[8];
        lb_assemble_body(body, body->x, 0, -1, 0, lb_tangentDefinite);
        float* p = random_vector(n, 1, &seed);
        double least = INFINITY, largest = 0;
        for (int round = 0; round < 400; ++round) { /* towards the softest direction: p - A p / (its largest slope) */
            double dot = lb_multiply(&body->matrix, NULL, p, q, partial), size = dot_vectors(p, p, n);
            largest = fmax(largest, 1.1 * sqrt(dot_vectors(q, q, n) / size));
            least = fmin(least, dot / size);
            offset_vector(p, -1 / largest, q, n, p);
            double scale = 1 / sqrt(dot_vectors(p, p, n));
            for (int k = 0; k < 4 * n; ++k) {
                p[k] = (float)(scale * (double)p[k]);
            }
        }
        CHECK(least > -1e-5 * largest); /* zero for rigid motions, but for rounding */
        free(p), free(q), free(y);
        destroy_with_model(body);
    }
}

/* ---- In worlds --------------------------------------------------------------------------------------------------- */

static uint64_t hash_after_frames(TetLaw law, int threads) {
    lbShape* cube = make_cube();
    lbModelDef def = law_def(cube, law, 17); /* enough nodes to be shared */
    def.material.stiffnessDamping = 0.001f;
    lbWorld* world = make_world(threads, NULL);
    lbBodyId body = add_body(world, &def, vec3(0, 0, 0));
    CHECK(lbBody_GetNodeCount(world, body) > 5000);
    lbPinDef pin = lbDefaultPinDef();
    pin.body = body;
    pin.region = (lbRegion){.kind = lb_regionHalfSpace, .point = {-0.99f, 0, 0}, .normal = {1, 0, 0}};
    lbPinId id;
    CHECK_OK(lbCreatePin(world, &pin, &id));
    run_frames(world, 2, 1.0 / 200);
    uint64_t hash = lbWorld_Hash(world);
    lbDestroyWorld(world);
    lbDestroyShape(cube);
    return hash;
}

TEST(TheHashDoesNotDependOnThreads) {
    for (int i = 0; i < tetLawCount; ++i) {
        CHECK(hash_after_frames(tetLaws[i], 1) == hash_after_frames(tetLaws[i], 2));
    }
}

static char lastLog[512];
static void keep_log(void* user, lbLogLevel level, const char* message) {
    (void)user, (void)level;
    snprintf(lastLog, sizeof(lastLog), "%s", message);
}

/* Every node somewhere in the cube, at random: as bad as it can be. */
static lbWorld* make_scrambled(TetLaw law, const lbHost* host, lbBodyId* body) {
    lbShape* cube = make_cube();
    lbModelDef def = law_def(cube, law, 4);
    def.material.stiffnessDamping = 0.02f;
    def.material.massDamping = 1;
    lbWorld* world = make_world(1, host);
    CHECK_OK(lbWorld_SetGravity(world, vec3(0, 0, 0)));
    lbModelId model;
    CHECK_OK(lbCreateModel(world, &def, &model));
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.model = model;
    bodyDef.integrator = lb_integratorImplicitEuler;
    CHECK_OK(lbCreateBody(world, &bodyDef, body));
    int n = lbBody_GetNodeCount(world, *body);
    unsigned seed = 17;
    float* x = malloc(3 * (size_t)n * sizeof(float));
    for (int i = 0; i < 3 * n; ++i) {
        x[i] = random_signed(&seed);
    }
    CHECK_OK(lbBody_SetState(world, *body, x, NULL));
    free(x);
    lbDestroyShape(cube);
    return world;
}

TEST(AScrambledBodyComesBackUnderSafeLaws) {
    for (int i = firstSafe; i < tetLawCount; ++i) {
        lbBodyId body;
        lbWorld* world = make_scrambled(tetLaws[i], NULL, &body);
        lbEnergy before, after;
        CHECK_OK(lbBody_GetEnergy(world, body, &before));
        run_frames(world, 1, 0.02);
        CHECK(lbBody_GetInvertedCount(world, body) > 50);
        CHECK(lbWorld_GetCounters(world).invertedCount == lbBody_GetInvertedCount(world, body));
        run_frames(world, 300, 0.02);
        CHECK_OK(lbBody_GetEnergy(world, body, &after));
        CHECK(lbBody_GetInvertedCount(world, body) == 0);
        CHECK(after.elastic < 1e-5 * before.elastic);
        lbDestroyWorld(world);
    }
}

TEST(GreensLawTellsOfElementsThatTurnedInsideOut) {
    lbHost host = lbDefaultHost();
    host.log = keep_log;
    lastLog[0] = 0;
    lbBodyId body;
    lbWorld* world = make_scrambled((TetLaw){lb_lawGreen, lb_boundaryFull}, &host, &body);
    CHECK(lbBody_GetInvertedCount(world, body) == 0); /* of the last frame, and there was none */
    run_frames(world, 1, 1e-4);
    CHECK(lbBody_GetInvertedCount(world, body) > 50);
    CHECK(strstr(lastLog, "at t = 0.0001 s, in body 'body', ") != NULL);
    CHECK(strstr(lastLog, " tetrahedra are flat or inside out, number ") != NULL);
    lastLog[0] = 0;
    run_frames(world, 1, 1e-4);
    CHECK(lastLog[0] == 0); /* once, when it begins */
    lbDestroyWorld(world);
}

TEST(AnExplosionIsExplainedByElementsThatTurnedInsideOut) {
    for (int i = 0; i < tetLawCount; ++i) {
        lbBodyId body;
        lbWorld* world = make_scrambled(tetLaws[i], NULL, &body);
        int n = lbBody_GetNodeCount(world, body);
        float* v = calloc(3 * (size_t)n, sizeof(float));
        v[0] = 1e7f;
        CHECK_OK(lbBody_SetState(world, body, NULL, v));
        lbResult result = lbWorld_Step(world, 1e-4);
        CHECK_FAILS(result, lb_errorUnstable, "at t = 0.0001 s body 'body' exploded at node 0");
        bool explained = strstr(result.message, "tetrahedra are flat or inside out, number ") != NULL;
        CHECK(explained == (tetLaws[i].kind == lb_lawGreen)); /* the others bring them back, or do not mind */
        free(v);
        lbDestroyWorld(world);
    }
}

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

static void check_field(const lbWorld* world, lbBodyId body, lbFieldKind kind, double expected, double tolerance) {
    int count = lbBody_GetSkinPointCount(world, body);
    float* values = calloc((size_t)count, sizeof(float));
    CHECK(lbBody_HasField(world, body, kind));
    CHECK_OK(lbBody_GetField(world, body, kind, values));
    for (int i = 0; i < count; ++i) {
        CHECK_NEAR(values[i], expected, tolerance);
    }
    free(values);
}

/* Stretched by s along x and t along y and z: strain s - 1, and stress and energy by the book. */
TEST(FieldsOfAUniformStretchAreExact) {
    const double s = 1.1, t = 0.96, lambda = 20000 * 0.3 / (1.3 * 0.4), mu = 20000 / 2.6;
    for (int i = 0; i < tetLawCount; ++i) {
        lbShape* cube = make_cube();
        lbModelDef def = law_def(cube, tetLaws[i], 3);
        lbWorld* world = make_world(1, NULL);
        lbBodyId body = add_body(world, &def, vec3(0, 0, 0));
        int n = lbBody_GetNodeCount(world, body);
        float* x = malloc(3 * (size_t)n * sizeof(float));
        CHECK_OK(lbBody_GetState(world, body, x, NULL));
        for (int k = 0; k < 3 * n; ++k) {
            x[k] *= (float)(k % 3 == 0 ? s : t);
        }
        CHECK_OK(lbBody_SetState(world, body, x, NULL));
        double e = s - 1, f = t - 1, trace = e + 2 * f, mises = 2 * mu * fabs(e - f);
        double energy = lambda / 2 * trace * trace + mu * (e * e + 2 * f * f);
        if (tetLaws[i].kind == lb_lawCorotational) {
            mises = fabs((2 * mu * e + lambda * trace) / (t * t) - (2 * mu * f + lambda * trace) / (s * t));
        } else if (tetLaws[i].kind == lb_lawGreen) {
            double a = (s * s - 1) / 2, b = (t * t - 1) / 2, sum = lambda * (a + 2 * b);
            mises = fabs(s * (2 * mu * a + sum) / (t * t) - (2 * mu * b + sum) / s);
            energy = lambda / 2 * (a + 2 * b) * (a + 2 * b) + mu * (a * a + 2 * b * b);
        } else if (tetLaws[i].kind == lb_lawNeoHookean) {
            double C = s * s + 2 * t * t, J = s * t * t, m = 4 * mu / 3, l = lambda + 5 * mu / 6, a = 1 + 0.75 * m / l;
            mises = fabs(m * (1 - 1 / (C + 1)) * (s * s - t * t) / J);
            energy = m / 2 * (C - 3) - m / 2 * log((C + 1) / 4) + l / 2 * ((J - a) * (J - a) - (1 - a) * (1 - a));
        } else if (tetLaws[i].boundary == lb_boundaryPaper) {
            energy = (lambda + mu) / 2 * trace * trace + mu / 2 * (e * e + 2 * f * f);
        }
        check_field(world, body, lb_fieldStrain, e, 2e-6);
        check_field(world, body, lb_fieldStress, mises, 1e-4 * mises);
        check_field(world, body, lb_fieldEnergyDensity, energy, 1e-4 * energy);
        lbEnergy total;
        CHECK_OK(lbBody_GetEnergy(world, body, &total));
        CHECK_NEAR(total.elastic, 8 * energy, 1e-5 * 8 * energy);
        free(x);
        lbDestroyWorld(world);
        lbDestroyShape(cube);
    }
}

/* ---- Matter ------------------------------------------------------------------------------------------------------ */

/* Two halves in series, the one k times as stiff: under a pull the strain of the one is that of the other over k. */
TEST(StiffAndSoftHalvesInSeriesCarryTheSamePull) {
    for (int i = 0; i < tetLawCount; ++i) {
        if (tetLaws[i].boundary == lb_boundaryPaper) {
            continue; /* has another stress at the boundary of the two */
        }
        lbShape* cube = make_cube();
        lbModelDef def = law_def(cube, tetLaws[i], 4);
        def.material.poissonsRatio = 0;
        lbZone zone = {.region = {.kind = lb_regionHalfSpace, .point = {0, 0, 0}, .normal = {-1, 0, 0}},
                       .matter = {500, 80000, 0}};
        def.zoneCount = 1;
        def.zones = &zone;
        lbWorld* world = make_world(1, NULL);
        CHECK_OK(lbWorld_SetGravity(world, vec3(0, 0, 0)));
        lbBodyId body = add_body(world, &def, vec3(0, 0, 0));
        lbMomentum momentum;
        CHECK_OK(lbBody_GetMomentum(world, body, &momentum));
        CHECK_NEAR(momentum.mass, 4 * 1000 + 4 * 500, 1e-3);
        CHECK_NEAR(momentum.center[0], (-4000 * 0.5 + 2000 * 0.5) / 6000, 0.04); /* lumped at the nodes */
        int n = lbBody_GetNodeCount(world, body);
        float *x = malloc(3 * (size_t)n * sizeof(float)), *at = malloc(3 * (size_t)n * sizeof(float));
        CHECK_OK(lbBody_GetState(world, body, x, NULL));
        const float strain = 4e-3f;
        for (int k = 0; k < n; ++k) {
            at[3 * k] = x[3 * k] * (1 + (x[3 * k] > 0 ? strain / 4 : strain));
            at[3 * k + 1] = x[3 * k + 1], at[3 * k + 2] = x[3 * k + 2];
        }
        CHECK_OK(lbBody_SetState(world, body, at, NULL));
        run_frames(world, 1, 1e-5);
        float* v = malloc(3 * (size_t)n * sizeof(float));
        CHECK_OK(lbBody_GetState(world, body, NULL, v));
        double worst = 0, end = 0;
        for (int k = 0; k < n; ++k) {
            double speed = vec3d_length(vec3d(v[3 * k], v[3 * k + 1], v[3 * k + 2]));
            *(fabsf(x[3 * k]) > 0.99f ? &end : &worst) = fmax(fabsf(x[3 * k]) > 0.99f ? end : worst, speed);
        }
        CHECK(end > 1e-6);
        CHECK(worst < 0.02 * end); /* strains of 0.4 % are linear within that */
        free(x), free(at), free(v);
        lbDestroyWorld(world);
        lbDestroyShape(cube);
    }
}

static lbResult try_model(const lbModelDef* def) {
    lbDynamicModel* model = NULL;
    lbResult result = lb_make_dynamic_model(lb_resolve_host(NULL), def, &model);
    lb_destroy_dynamic_model(model);
    return result;
}

TEST(MatterIsCheckedElementByElement) {
    lbShape* cube = make_cube();
    lbModelDef def = law_def(cube, (TetLaw){lb_lawGreen, lb_boundaryFull}, 2);
    lbMatter matter[40];
    for (int i = 0; i < 40; ++i) {
        matter[i] = (lbMatter){1000, 20000, 0.3f};
    }
    def.elementMatter = matter;
    def.elementMatterCount = 39;
    CHECK_FAILS(try_model(&def), lb_errorArgument, "the matter of 39 tetrahedra is given; the mesh has 40");
    def.elementMatterCount = 40;
    CHECK_OK(try_model(&def));
    matter[17].poissonsRatio = 0.5f;
    CHECK_FAILS(try_model(&def), lb_errorArgument, "tetrahedron 17 has a Poisson's ratio of 0.5");
    matter[17] = (lbMatter){1000, -5, 0.3f};
    CHECK_FAILS(try_model(&def), lb_errorArgument, "tetrahedron 17 has a Young's modulus of -5");
    matter[17] = (lbMatter){0, 5, 0.3f};
    CHECK_FAILS(try_model(&def), lb_errorArgument, "tetrahedron 17 has a density of 0");
    lbZone zones[2] = {{.matter = {1000, 20000, 0.3f}}, {.matter = {1000, 20000, -1}}};
    def.elementMatter = NULL;
    def.zones = zones;
    def.zoneCount = 2;
    CHECK_FAILS(try_model(&def), lb_errorArgument, "zone 1 has a Poisson's ratio of -1");
    def.zoneCount = 1;
    CHECK_OK(try_model(&def));
    def.law.kind = lb_lawSprings;
    CHECK_FAILS(try_model(&def), lb_errorArgument, "zones of other matter need a law of tetrahedra");
    lbDestroyShape(cube);
}

/* What the mesh's order does to elements must not be seen: each keeps its own matter. */
TEST(ElementMatterFollowsItsElement) {
    lbShape* cube = make_cube();
    lbModelDef def = law_def(cube, (TetLaw){lb_lawGreen, lb_boundaryFull}, 2);
    lbMatter matter[40];
    for (int i = 0; i < 40; ++i) {
        matter[i] = (lbMatter){(float)(100 + i), 20000, 0.3f};
    }
    def.elementMatter = matter;
    def.elementMatterCount = 40;
    lbDynamicModel* model = NULL;
    CHECK_OK(lb_make_dynamic_model(lb_resolve_host(NULL), &def, &model));
    double mass = 0;
    for (int i = 0; i < 40; ++i) {
        const lbTet* tet = &model->mesh.tets[i];
        CHECK(model->mesh.matter[i].density == (float)(100 + tet->number));
        mass += tet->volume * (100 + tet->number);
    }
    CHECK_NEAR(model->totalMass, mass, 1e-9 * mass);
    lb_destroy_dynamic_model(model);
    lbDestroyShape(cube);
}

/* Another material counts where no zone says otherwise. */
TEST(AnotherMaterialLeavesZonesAsTheyAre) {
    lbShape* cube = make_cube();
    lbModelDef def = law_def(cube, (TetLaw){lb_lawCorotational, lb_boundaryFull}, 4);
    lbZone zone = {.region = {.kind = lb_regionHalfSpace, .point = {0, 0, 0}, .normal = {-1, 0, 0}},
                   .matter = {500, 80000, 0}};
    def.zoneCount = 1;
    def.zones = &zone;
    lbDynamicModel* model = NULL;
    CHECK_OK(lb_make_dynamic_model(lb_resolve_host(NULL), &def, &model));
    CHECK_NEAR(model->totalMass, 6000, 1e-6);
    lbMaterial material = def.material;
    material.density = 2000;
    CHECK_OK(model->base.ops->setMaterial(&model->base, &material));
    CHECK_NEAR(model->totalMass, 10000, 1e-6);
    lbModelDef again = model->base.ops->define(&model->base);
    CHECK(again.zoneCount == 1 && again.zones != &zone && again.zones[0].matter.youngsModulus == 80000);
    lb_destroy_dynamic_model(model);
    lbDestroyShape(cube);
}

/* ---- Bad input --------------------------------------------------------------------------------------------------- */

TEST(WhatCannotBeIsRefused) {
    lbShape* cube = make_cube();
    for (int i = 0; i < tetLawCount; ++i) {
        lbModelDef def = law_def(cube, tetLaws[i], 2);
        def.material.poissonsRatio = 0.5f;
        CHECK_FAILS(try_model(&def), lb_errorArgument, "poissonsRatio is 0.5");
        def.material.poissonsRatio = -1;
        CHECK_FAILS(try_model(&def), lb_errorArgument, "poissonsRatio is -1");
        def = law_def(cube, tetLaws[i], 2);
        def.material.youngsModulus = 0;
        CHECK_FAILS(try_model(&def), lb_errorArgument, "youngsModulus is 0");
        def = law_def(cube, tetLaws[i], 2);
        def.mesh.kind = lb_meshCloth;
        CHECK_FAILS(try_model(&def), lb_errorArgument, "does not work on the mesh \"cloth\"");
    }
    lbModelDef def = law_def(cube, tetLaws[0], 2);
    def.law.boundary = (lbLinearBoundary)7;
    CHECK_FAILS(try_model(&def), lb_errorArgument, "boundary 7");
    lbDestroyShape(cube);
}

TEST(ElementsWithoutVolumeAreRefusedByNumber) {
    for (int i = 0; i < tetLawCount; ++i) {
        Fixture fixture = {.mesh = make_shaken_mesh(2, 0)};
        lbTet* tet = &fixture.mesh.tets[13];
        fixture.mesh.nodes[tet->node[3]] = fixture.mesh.nodes[tet->node[0]];
        fixture.def = lbDefaultModelDef();
        fixture.def.law.kind = tetLaws[i].kind;
        lbResult result = lb_bake_law(lb_find_law(tetLaws[i].kind), &fixture.mesh, &fixture.def, &fixture.law);
        CHECK(result.code == lb_errorArgument && strstr(result.message, "has a volume of ") != NULL);
        lb_destroy_mesh(&fixture.mesh);
    }
}

TEST(ALinearBodyCannotBePlacedTurned) {
    lbShape* cube = make_cube();
    lbModelDef def = law_def(cube, tetLaws[0], 2);
    lbWorld* world = make_world(1, NULL);
    lbModelId model;
    lbBodyId body;
    CHECK_OK(lbCreateModel(world, &def, &model));
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.integrator = lb_integratorSymplecticEuler;
    bodyDef.model = model;
    bodyDef.name = "bar";
    bodyDef.rotation = quat_from_axis_angle(vec3(0, 1, 0), 0.5f);
    CHECK_FAILS(lbCreateBody(world, &bodyDef, &body), lb_errorArgument, "body 'bar' is placed with a rotation");
    bodyDef.rotation = quat_identity();
    CHECK_OK(lbCreateBody(world, &bodyDef, &body));
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

TEST_MAIN(TEST_ENTRY(TheMatrixIsTheTangent), TEST_ENTRY(TheDefiniteTangentIsTheExactOneWhereNothingGivesWay),
          TEST_ENTRY(TheDefiniteTangentResistsInEveryDirection), TEST_ENTRY(TheHashDoesNotDependOnThreads),
          TEST_ENTRY(AScrambledBodyComesBackUnderSafeLaws), TEST_ENTRY(GreensLawTellsOfElementsThatTurnedInsideOut),
          TEST_ENTRY(AnExplosionIsExplainedByElementsThatTurnedInsideOut), TEST_ENTRY(FieldsOfAUniformStretchAreExact),
          TEST_ENTRY(StiffAndSoftHalvesInSeriesCarryTheSamePull), TEST_ENTRY(MatterIsCheckedElementByElement),
          TEST_ENTRY(ElementMatterFollowsItsElement), TEST_ENTRY(AnotherMaterialLeavesZonesAsTheyAre),
          TEST_ENTRY(WhatCannotBeIsRefused), TEST_ENTRY(ElementsWithoutVolumeAreRefusedByNumber),
          TEST_ENTRY(ALinearBodyCannotBePlacedTurned))
