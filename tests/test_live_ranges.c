/* Whatever a panel can move while bodies run, moved from one end of its range to the other: every live property, under
 * every law and integrator. And laws that a material wakes (law/instance.h). */
#include "test_worlds.h"

#include "base/math.h"
#include "body/dynamic/assembly.h"
#include "limber/describe.h"
#include "limber/field.h"
#include "verify/law_checks.h"
#include "world/world.h"

static const char* const statePath = LB_BINARY_DIR "/live_ranges.lbs";
static const double frame = 1.0 / 60;

/* ---- A body that everything can be changed of -------------------------------------------------------------------- */

typedef struct Running {
    lbWorld* world;
    lbModelId model;
    lbBodyId body;
    lbMaterial material;
    lbPointDamping drag;
    lbIntegratorKind integrator;
    lbIntegratorSettings settings;
    double frameTime; /* s */
} Running;

/* A cube of 2 x 2 x 2 cells that turns while it comes down on the ground. */
static Running make_running(const lbModelDef* def, lbIntegratorKind integrator, const lbHost* host) {
    Running running = {.world = make_world(1, host), .integrator = integrator, .frameTime = frame};
    CHECK_OK(lbCreateModel(running.world, def, &running.model));
    lbBodyDef body = lbDefaultBodyDef();
    body.model = running.model;
    body.integrator = integrator;
    body.position = vec3(0, 1.02f, 0);
    body.angularVelocity = vec3(0.3f, 0.2f, 0.1f);
    CHECK_OK(lbCreateBody(running.world, &body, &running.body));
    add_ground(running.world, 0);
    running.material = def->material;
    running.settings = body.settings;
    return running;
}

static lbModelDef small_cube(const lbShape* cube, lbLawKind law, float poissonsRatio) {
    lbModelDef def = cube_model(cube, 2);
    def.law.kind = law;
    def.material.stiffnessDamping = 0.002f;
    def.material.massDamping = 0.1f;
    def.material.poissonsRatio = poissonsRatio;
    return def;
}

static lbResult set_material_number(Running* running, float* number, double value) {
    *number = (float)value;
    return lbModel_SetMaterial(running->world, running->model, &running->material);
}

static lbResult set_integrator(Running* running) {
    return lbBody_SetIntegrator(running->world, running->body, running->integrator, &running->settings);
}

static lbVec3 diagonal(double value) {
    return vec3((float)value, (float)value, (float)value);
}

static lbResult set_property(Running* running, const char* path, double value) {
    lbMaterial* material = &running->material;
    const struct {
        const char* path;
        float* number;
    } numbers[] = {{"material.density", &material->density},
                   {"material.youngsModulus", &material->youngsModulus},
                   {"material.poissonsRatio", &material->poissonsRatio},
                   {"material.stiffnessDamping", &material->stiffnessDamping},
                   {"material.massDamping", &material->massDamping}};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
        if (strcmp(path, numbers[i].path) == 0) {
            return set_material_number(running, numbers[i].number, value);
        }
    }
    if (strcmp(path, "gravity") == 0) {
        return lbWorld_SetGravity(running->world, diagonal(value));
    } else if (strcmp(path, "wind") == 0) {
        return lbWorld_SetWind(running->world, diagonal(value));
    } else if (strcmp(path, "frameRate") == 0) {
        running->frameTime = 1 / value;
        return (lbResult){0};
    } else if (strcmp(path, "windDrag") == 0) {
        CHECK_OK(lbWorld_SetWind(running->world, vec3(10, 0, 5)));
        return lbBody_SetWindDrag(running->world, running->body, (float)value);
    } else if (strcmp(path, "friction") == 0) {
        return lbBody_SetFriction(running->world, running->body, (float)value);
    } else if (strcmp(path, "restitution") == 0) {
        return lbBody_SetRestitution(running->world, running->body, (float)value);
    } else if (strcmp(path, "thickness") == 0) {
        return lbBody_SetThickness(running->world, running->body, (float)value);
    } else if (strcmp(path, "selfContact") == 0) {
        return lbBody_SetSelfContact(running->world, running->body, (lbSelfContact)value);
    } else if (strcmp(path, "pointDamping.coefficient") == 0) {
        running->drag.coefficient = (float)value;
        return lbBody_SetPointDamping(running->world, running->body, running->drag);
    } else if (strcmp(path, "pointDamping.form") == 0) {
        running->drag = (lbPointDamping){(lbPointDampingForm)value, 1};
        return lbBody_SetPointDamping(running->world, running->body, running->drag);
    } else if (strcmp(path, "integrator.kind") == 0) {
        running->integrator = (lbIntegratorKind)value;
        return set_integrator(running);
    } else if (strcmp(path, "integrator.steps") == 0) {
        return lbBody_SetStepCount(running->world, running->body, (int)value);
    } else if (strcmp(path, "integrator.tolerance") == 0) {
        running->settings.tolerance = (float)value;
        return set_integrator(running);
    } else if (strcmp(path, "integrator.iterationLimit") == 0) {
        running->settings.iterationLimit = (int)value;
        return set_integrator(running);
    } else if (strcmp(path, "integrator.linearisations") == 0) {
        running->settings.linearisations = (int)value;
        return set_integrator(running);
    }
    printf("    %s is live, and this test does not know how to set it\n", path);
    return (lbResult){.code = lb_errorUnsupported};
}

/* ---- From one end to the other ----------------------------------------------------------------------------------- */

enum { stops = 4 };

/* The ends and what lies between, after the 0 that may stand beside them; choices one by one. */
static int stop_count(const lbPropertyInfo* property) {
    return property->type == lb_propertyChoice ? property->choiceCount : stops + (property->zero != NULL);
}

static double stop_at(const lbPropertyInfo* property, int stop) {
    if (property->type == lb_propertyChoice) {
        return stop;
    }
    stop -= property->zero != NULL;
    double way = (double)stop / (stops - 1), low = property->minimum, high = property->maximum;
    double value = property->logarithmic ? low * pow(high / low, way) : low + way * (high - low);
    return stop < 0 ? 0 : fmin(value, high);
}

/* All that is asked of a body while it is shown. */
static void look_at(const Running* running) {
    lbEnergy energy;
    CHECK_OK(lbBody_GetEnergy(running->world, running->body, &energy));
    float values[256];
    CHECK(lbBody_GetSkinPointCount(running->world, running->body) <= 256);
    for (int kind = 0; kind < lb_fieldKindCount; ++kind) {
        if (lbBody_HasField(running->world, running->body, (lbFieldKind)kind)) {
            CHECK_OK(lbBody_GetField(running->world, running->body, (lbFieldKind)kind, values));
        }
    }
}

/* A frame goes well, or says why not; false if not. */
static bool step_or_say_why(const Running* running, const char* path, double value) {
    lbResult result = lbWorld_Step(running->world, running->frameTime);
    bool told = result.code == lb_ok || (result.code == lb_errorUnstable && result.message[0] != 0);
    if (!told) {
        printf("    %s = %g: code %d, %s\n", path, value, (int)result.code, result.message);
    }
    CHECK(told);
    look_at(running);
    return result.code == lb_ok;
}

/* There and back again. Returns how many frames went well. */
static int move_property(Running* running, const lbPropertyInfo* property) {
    int count = stop_count(property), well = 0;
    for (int i = 0; i < 2 * count; ++i) {
        double value = stop_at(property, i < count ? i : 2 * count - 1 - i);
        CHECK_OK(set_property(running, property->path, value));
        well += step_or_say_why(running, property->path, value);
    }
    return well;
}

/* How many of a body's frames went well, of how many. */
typedef struct Score {
    int well, all;
} Score;

/* `path`: of one property; NULL: of all. */
static Score move_all(const lbModelDef* def, lbIntegratorKind integrator, const char* path) {
    lbBodyKinds kinds = {lb_bodyDynamic, lb_shapeKindCount, def->mesh.kind, def->law.kind, integrator};
    Score score = {0, 0};
    for (int i = 0; i < lbGetPropertyCount(); ++i) {
        const lbPropertyInfo* property = lbGetProperty(i);
        bool asked = path == NULL || strcmp(property->path, path) == 0;
        if (asked && property->live && lbProperty_AppliesTo(property, &kinds)) {
            Running running = make_running(def, integrator, NULL);
            score.well += move_property(&running, property);
            score.all += 2 * stop_count(property);
            lbDestroyWorld(running.world);
        }
    }
    return score;
}

/* A soft body bears it all. A stiff one does not bear a step a frame of an explicit method, and goes on being changed
 * after it has exploded. */
TEST(EveryLivePropertyCanBeMovedOverItsWholeRangeUnderEveryLawAndIntegrator) {
    lbShape* cube = make_cube();
    int exploded = 0;
    for (int i = 0; i < lb_lawKindCount * lb_integratorKindCount; ++i) {
        lbModelDef def = small_cube(cube, (lbLawKind)(i % lb_lawKindCount), 0.3f);
        Score soft = move_all(&def, (lbIntegratorKind)(i / lb_lawKindCount), NULL);
        CHECK(soft.well == soft.all);
        def.material.youngsModulus = 1e8f;
        def.material.stiffnessDamping = 0; /* which would ask for many more steps */
        Score stiff = move_all(&def, (lbIntegratorKind)(i / lb_lawKindCount), "integrator.steps");
        exploded += stiff.well < stiff.all;
    }
    CHECK(exploded > 2 * lb_lawKindCount);
    lbDestroyShape(cube);
}

/* Far beyond what a panel offers, numbers that float32 holds by a hair: refused, or said to be unstable. */
TEST(NoMaterialThatAProgramCanSetBreaksAWorld) {
    const double moduli[] = {1e-38, 1e-20, 1e20, 3e38}, ratios[] = {-0.9999999, 0.4999999};
    const double densities[] = {1e-36, 1e-10, 1e38}, dampings[] = {0, 1e-38, 3e38};
    const lbIntegratorKind kinds[] = {lb_integratorSymplecticEuler, lb_integratorAdaptive, lb_integratorBulirschStoer,
                                      lb_integratorImplicitEuler, lb_integratorCrankNicolson};
    lbShape* cube = make_cube();
    for (int i = 0; i < lb_lawKindCount * (int)(sizeof(kinds) / sizeof(kinds[0])); ++i) {
        lbModelDef def = small_cube(cube, (lbLawKind)(i % lb_lawKindCount), 0.3f);
        Running running = make_running(&def, kinds[i / lb_lawKindCount], NULL);
        CHECK_OK(lbWorld_SetStepLimit(running.world, 100));
        for (int k = 0; k < 4 * 2 * 3 * 3; ++k) {
            running.material =
                (lbMaterial){(float)densities[k / 24], (float)moduli[k / 6 % 4], (float)ratios[k / 3 % 2],
                             (float)dampings[k % 3], (float)dampings[(k + 1) % 3]};
            lbResult result = lbModel_SetMaterial(running.world, running.model, &running.material);
            CHECK(result.code == lb_ok || (result.code == lb_errorArgument && result.message[0] != 0));
            step_or_say_why(&running, "material", k);
        }
        lbDestroyWorld(running.world);
    }
    lbDestroyShape(cube);
}

/* ---- Laws that wake ---------------------------------------------------------------------------------------------- */

static const lbLawKind tetLaws[] = {lb_lawLinear, lb_lawGreen, lb_lawCorotational, lb_lawNeoHookean};
enum { tetLawCount = sizeof(tetLaws) / sizeof(tetLaws[0]) };

static lbZone upper_half(float poissonsRatio) {
    return (lbZone){.region = {.kind = lb_regionHalfSpace, .normal = vec3(0, -1, 0)},
                    .matter = {.density = 800, .youngsModulus = 30000, .poissonsRatio = poissonsRatio}};
}

static void set_poissons_ratio(Running* running, float poissonsRatio) {
    CHECK_OK(set_material_number(running, &running->material.poissonsRatio, (double)poissonsRatio));
}

/* It and one made with the material that it has now, from the same state: they go on alike. */
static void check_against_fresh(const Running* running, const lbModelDef* def) {
    lbModelDef freshDef = *def;
    freshDef.material = running->material;
    Running fresh = make_running(&freshDef, running->integrator, NULL);
    CHECK_OK(lbWorld_Save(running->world, statePath));
    CHECK_OK(lbWorld_Restore(fresh.world, statePath));
    for (int i = 0; i < 3; ++i) {
        CHECK_OK(lbWorld_Step(running->world, frame));
        CHECK_OK(lbWorld_Step(fresh.world, frame));
        look_at(running);
    }
    CHECK(lbWorld_Hash(running->world) == lbWorld_Hash(fresh.world));
    lbEnergy energy, freshEnergy;
    CHECK_OK(lbBody_GetEnergy(running->world, running->body, &energy));
    CHECK_OK(lbBody_GetEnergy(fresh.world, fresh.body, &freshEnergy));
    CHECK(energy.elastic == freshEnergy.elastic);
    lbDestroyWorld(fresh.world);
}

TEST(BodiesWhosePoissonsRatioIsMovedGoOnAsThoseMadeWithIt) {
    const float ratios[] = {0.49f, 0.3f, 0.42f, 0.499f, 0, 0.45f, 0.4f};
    const lbIntegratorKind kinds[] = {lb_integratorSymplecticEuler, lb_integratorRungeKutta4,
                                      lb_integratorImplicitEuler, lb_integratorCrankNicolson};
    lbShape* cube = make_cube();
    for (int i = 0; i < tetLawCount * (int)(sizeof(kinds) / sizeof(kinds[0])); ++i) {
        for (int zones = 0; zones < 3; ++zones) { /* none; one that is always averaged; one that never is */
            lbZone zone = upper_half(zones == 1 ? 0.48f : 0.2f);
            lbModelDef def = small_cube(cube, tetLaws[i % tetLawCount], 0.3f);
            def.zones = &zone;
            def.zoneCount = zones > 0 ? 1 : 0;
            Running running = make_running(&def, kinds[i / tetLawCount], NULL);
            run_frames(running.world, 3, frame);
            for (size_t k = 0; k < sizeof(ratios) / sizeof(ratios[0]); ++k) {
                set_poissons_ratio(&running, ratios[k]);
                check_against_fresh(&running, &def);
            }
            lbDestroyWorld(running.world);
        }
    }
    lbDestroyShape(cube);
}

/* It is made while they sleep or while they are awake, and made anew after explicit steps in which they woke. */
TEST(AMatrixMayBeMadeBeforeOrAfterAveragesWake) {
    const float before[] = {0.3f, 0.49f, 0.3f}, after[] = {0.49f, 0.3f, 0.3f};
    lbShape* cube = make_cube();
    for (int i = 0; i < tetLawCount * 3; ++i) {
        lbModelDef def = small_cube(cube, tetLaws[i % tetLawCount], before[i / tetLawCount]);
        Running running = make_running(&def, lb_integratorSymplecticEuler, NULL);
        run_frames(running.world, 2, frame);
        running.integrator = lb_integratorImplicitEuler;
        CHECK_OK(set_integrator(&running));
        run_frames(running.world, 2, frame);
        set_poissons_ratio(&running, after[i / tetLawCount]);
        check_against_fresh(&running, &def);
        running.integrator = lb_integratorVelocityVerlet;
        CHECK_OK(set_integrator(&running));
        set_poissons_ratio(&running, 0.47f);
        running.integrator = lb_integratorCrankNicolson;
        CHECK_OK(set_integrator(&running));
        check_against_fresh(&running, &def);
        lbDestroyWorld(running.world);
    }
    lbDestroyShape(cube);
}

/* A p by the matrix and by products, at a shaken state. */
TEST(AMatrixThatWasMadeWhileAveragesSleptIsTheTangentOnceTheyWake) {
    lbShape* cube = make_cube();
    for (int i = 0; i < tetLawCount; ++i) {
        lbModelDef def = small_cube(cube, tetLaws[i], 0);
        Running running = make_running(&def, lb_integratorImplicitEuler, NULL);
        run_frames(running.world, 1, frame);
        set_poissons_ratio(&running, 0.48f);
        lbDynamicBody* body = lb_dynamic(lb_find_body(running.world, running.body));
        int n = body->model->nodeCount;
        size_t size = 4 * (size_t)n;
        float *x = calloc(size, sizeof(float)), *p = calloc(size, sizeof(float));
        float *q = calloc(size, sizeof(float)), *y = calloc(size, sizeof(float));
        unsigned seed = 5;
        for (int k = 0; k < n; ++k) {
            vec3_store(x + 4 * (size_t)k, vec3_madd(vec3_load(body->x + 4 * (size_t)k), 0.05f,
                                                    vec3(random_signed(&seed), random_signed(&seed), 0)));
            vec3_store(p + 4 * (size_t)k, vec3(random_signed(&seed), random_signed(&seed), random_signed(&seed)));
        }
        lbSystem system = lb_body_system(body);
        lb_assemble_body(body, x, 0, -1, -0.01f, lb_tangentExact);
        double partial[8];
        lb_multiply(&body->matrix, NULL, p, q, partial);
        system.tangent(body, x, -1, -0.01f, p, y);
        double error = 0, scale = 0;
        for (size_t k = 0; k < size; ++k) {
            error += pow((double)(q[k] - y[k]), 2);
            scale += pow((double)y[k], 2);
        }
        CHECK_NEAR(sqrt(error / scale), 0, 1e-5);
        free(x), free(p), free(q), free(y);
        lbDestroyWorld(running.world);
    }
    lbDestroyShape(cube);
}

TEST(WithoutMemoryToWakeALawNothingChanges) {
    lbShape* cube = make_cube();
    for (int implicit = 0; implicit < 2; ++implicit) {
        ScarceMemory memory = {.left = 1000000};
        lbHost host = scarce_host(&memory);
        lbModelDef def = small_cube(cube, lb_lawNeoHookean, 0.3f);
        lbIntegratorKind kind = implicit ? lb_integratorImplicitEuler : lb_integratorSymplecticEuler;
        Running running = make_running(&def, kind, &host), twin = make_running(&def, kind, NULL);
        lbMaterial woken = def.material;
        woken.poissonsRatio = 0.49f;
        lbResult result = {.code = lb_errorMemory};
        int refused = 0;
        for (int left = 0; result.code != lb_ok && left < 1000; ++left) {
            int live = memory.live;
            memory.left = left;
            result = lbModel_SetMaterial(running.world, running.model, &woken);
            memory.left = 1000000;
            if (result.code != lb_ok) {
                CHECK(result.code == lb_errorMemory && memory.live == live);
                run_frames(running.world, 1, frame);
                run_frames(twin.world, 1, frame);
                CHECK(lbWorld_Hash(running.world) == lbWorld_Hash(twin.world));
                ++refused;
            }
        }
        CHECK_OK(result);
        CHECK(refused > 5);
        CHECK_OK(lbModel_SetMaterial(twin.world, twin.model, &woken));
        run_frames(running.world, 3, frame);
        run_frames(twin.world, 3, frame);
        CHECK(lbWorld_Hash(running.world) == lbWorld_Hash(twin.world));
        lbDestroyWorld(running.world);
        CHECK(memory.live == 0);
        lbDestroyWorld(twin.world);
    }
    lbDestroyShape(cube);
}

TEST(FieldsOfABodyAreThereAgainWhenAveragesSleep) {
    lbShape* cube = make_cube();
    lbModelDef def = small_cube(cube, lb_lawCorotational, 0.49f);
    Running running = make_running(&def, lb_integratorImplicitEuler, NULL);
    CHECK(!lbBody_HasField(running.world, running.body, lb_fieldEnergyDensity));
    set_poissons_ratio(&running, 0.3f);
    CHECK(lbBody_HasField(running.world, running.body, lb_fieldEnergyDensity));
    look_at(&running);
    lbDestroyWorld(running.world);
    lbDestroyShape(cube);
}

TEST_MAIN(TEST_ENTRY(EveryLivePropertyCanBeMovedOverItsWholeRangeUnderEveryLawAndIntegrator),
          TEST_ENTRY(NoMaterialThatAProgramCanSetBreaksAWorld),
          TEST_ENTRY(BodiesWhosePoissonsRatioIsMovedGoOnAsThoseMadeWithIt),
          TEST_ENTRY(AMatrixMayBeMadeBeforeOrAfterAveragesWake),
          TEST_ENTRY(AMatrixThatWasMadeWhileAveragesSleptIsTheTangentOnceTheyWake),
          TEST_ENTRY(WithoutMemoryToWakeALawNothingChanges), TEST_ENTRY(FieldsOfABodyAreThereAgainWhenAveragesSleep))
