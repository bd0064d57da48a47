/* Changes to a running world: materials, integrators, damping. And what can be asked of a world to show it. */
#include "test_worlds.h"

#include "base/math.h"
#include "body/dynamic/dynamic_body.h"
#include "contact/closest.h"
#include "verify/law_checks.h"
#include "world/world.h"

static const char* const statePath = LB_BINARY_DIR "/live.lbs";
static const double frame = 1.0 / 60;

/* Two bodies of one model, with all that may refer to what a material is baked into. */
typedef struct Busy {
    lbWorld* world;
    lbModelId model;
    lbBodyId bodies[2];
    lbToolId ground;
    lbPinId pin;
    lbMuscleId muscle;
    lbLoadId load;
} Busy;

static lbModelDef busy_model(const lbShape* cube) {
    lbModelDef def = lbDefaultModelDef();
    def.shape = cube;
    def.mesh.edge = 0.5f;
    def.penalty.volume = 1000;
    def.penalty.area = 50;
    return def;
}

static lbMaterial other_material(void) {
    return (lbMaterial){
        .density = 437, .youngsModulus = 7777, .poissonsRatio = 0.4f, .stiffnessDamping = 0.011f, .massDamping = 0.3f};
}

static Busy make_busy(const lbMaterial* material, lbIntegratorKind integrator, int threads, const lbHost* host) {
    lbShape* cube = make_cube();
    lbModelDef def = busy_model(cube);
    Busy busy = {.world = make_world(threads, host)};
    def.material = material != NULL ? *material : def.material;
    CHECK_OK(lbCreateModel(busy.world, &def, &busy.model));
    lbBodyDef body = lbDefaultBodyDef();
    body.model = busy.model;
    body.integrator = integrator;
    body.stepCount = 24; /* enough for all of them */
    body.angularVelocity = vec3(0.3f, 0.2f, 0.1f);
    for (int i = 0; i < 2; ++i) {
        body.position = vec3(3.0f * (float)i, 1.05f, 0);
        CHECK_OK(lbCreateBody(busy.world, &body, &busy.bodies[i]));
    }
    busy.ground = add_ground(busy.world, 0);
    lbPinDef pin = lbDefaultPinDef();
    pin.body = busy.bodies[0];
    pin.region = (lbRegion){.kind = lb_regionSphere, .center = vec3(-1, 2.05f, -1), .radius = 0.6f};
    CHECK_OK(lbCreatePin(busy.world, &pin, &busy.pin));
    lbMuscleDef muscle = lbDefaultMuscleDef();
    muscle.body = busy.bodies[1];
    muscle.direction = vec3(1, 0, 0);
    CHECK_OK(lbCreateMuscle(busy.world, &muscle, &busy.muscle));
    CHECK_OK(lbMuscle_SetLength(busy.world, busy.muscle, 0.95f));
    lbLoadDef load = lbDefaultLoadDef();
    load.body = busy.bodies[1];
    load.force = vec3(300, 20, 0);
    load.region = (lbRegion){.kind = lb_regionHalfSpace, .point = vec3(3.2f, 0, 0), .normal = vec3(1, 0, 0)};
    CHECK_OK(lbCreateLoad(busy.world, &load, &busy.load));
    lbDestroyShape(cube);
    return busy;
}

static uint64_t hash_after(lbWorld* world, int frames) {
    run_frames(world, frames, frame);
    return lbWorld_Hash(world);
}

/* ---- Materials --------------------------------------------------------------------------------------------------- */

/* The twin is made with the other material and given the state of the moment. */
TEST(AfterAChangeOfMaterialBodiesGoOnAsThoseMadeOfIt) {
    const lbIntegratorKind kinds[] = {lb_integratorSymplecticEuler, lb_integratorRungeKutta4,
                                      lb_integratorAdams,           lb_integratorVerlet,
                                      lb_integratorImplicitEuler,   lb_integratorCrankNicolson};
    lbMaterial material = other_material();
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i) {
        Busy changed = make_busy(NULL, kinds[i], 1, NULL), twin = make_busy(&material, kinds[i], 1, NULL);
        run_frames(changed.world, 6, frame);
        CHECK_OK(lbModel_SetMaterial(changed.world, changed.model, &material));
        CHECK_OK(lbWorld_Save(changed.world, statePath));
        CHECK_OK(lbWorld_Restore(twin.world, statePath));
        CHECK(lbWorld_Hash(changed.world) == lbWorld_Hash(twin.world));
        CHECK(hash_after(changed.world, 8) == hash_after(twin.world, 8));
        lbDestroyWorld(changed.world);
        lbDestroyWorld(twin.world);
    }
}

TEST(AChangedWorldDoesNotDependOnTheNumberOfThreads) {
    lbMaterial material = other_material();
    uint64_t hashes[2];
    for (int threads = 1; threads <= 2; ++threads) {
        Busy busy = make_busy(NULL, lb_integratorSymplecticEuler, threads, NULL);
        run_frames(busy.world, 3, frame);
        CHECK_OK(lbModel_SetMaterial(busy.world, busy.model, &material));
        CHECK_OK(lbBody_SetIntegrator(busy.world, busy.bodies[0], lb_integratorImplicitEuler, NULL));
        hashes[threads - 1] = hash_after(busy.world, 5);
        lbDestroyWorld(busy.world);
    }
    CHECK(hashes[0] == hashes[1]);
}

TEST(PositionsAndVelocitiesStayWhenTheMaterialChangesAndMomentumFollowsTheDensityAlone) {
    lbShape* cube = make_cube();
    lbModelDef def = cube_model(cube, 4);
    lbWorld* world = make_world(1, NULL);
    CHECK_OK(lbWorld_SetGravity(world, vec3(0, 0, 0)));
    lbBodyId body = add_body(world, &def, vec3(0, 0, 0));
    int n = lbBody_GetNodeCount(world, body);
    size_t bytes = 3 * (size_t)n * sizeof(float);
    float *x = malloc(bytes), *v = malloc(bytes), *xAfter = malloc(bytes), *vAfter = malloc(bytes);
    unsigned seed = 3;
    for (int i = 0; i < 3 * n; ++i) {
        v[i] = random_signed(&seed);
    }
    CHECK_OK(lbBody_SetState(world, body, NULL, v));
    run_frames(world, 5, frame);
    lbMomentum before, after;
    CHECK_OK(lbBody_GetState(world, body, x, v));
    CHECK_OK(lbBody_GetMomentum(world, body, &before));

    def.material.youngsModulus *= 20;
    CHECK_OK(lbModel_SetMaterial(world, lbBody_GetModel(world, body), &def.material));
    CHECK_OK(lbBody_GetState(world, body, xAfter, vAfter));
    CHECK(memcmp(x, xAfter, bytes) == 0 && memcmp(v, vAfter, bytes) == 0);
    CHECK_OK(lbBody_GetMomentum(world, body, &after));
    CHECK(memcmp(&before, &after, sizeof(before)) == 0);
    run_frames(world, 10, frame); /* and forces still sum to zero */
    CHECK_OK(lbBody_GetMomentum(world, body, &after));
    double scale = before.mass; /* nodes move at about 1 m/s */
    for (int c = 0; c < 3; ++c) {
        CHECK_NEAR(after.linear[c], before.linear[c], 1e-5 * scale);
        CHECK_NEAR(after.angular[c], before.angular[c], 1e-4 * scale);
    }

    def.material.density *= 2;
    CHECK_OK(lbBody_GetMomentum(world, body, &before));
    CHECK_OK(lbModel_SetMaterial(world, lbBody_GetModel(world, body), &def.material));
    CHECK_OK(lbBody_GetMomentum(world, body, &after));
    CHECK_NEAR(after.mass, 2 * before.mass, 1e-6 * before.mass);
    CHECK_NEAR(after.linear[0], 2 * before.linear[0], 1e-6 * scale);
    lbModelInfo info;
    CHECK_OK(lbModel_GetInfo(world, lbBody_GetModel(world, body), &info));
    CHECK_NEAR(info.mass, after.mass, 1e-6 * after.mass);
    free(x), free(v), free(xAfter), free(vAfter);
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

/* A spring twice as stiff for its mass: frequencies grow by the square root. */
TEST(TheStableStepFollowsTheMaterial) {
    lbShape* cube = make_cube();
    lbModelDef def = cube_model(cube, 3);
    lbWorld* world = make_world(1, NULL);
    lbModelId model;
    CHECK_OK(lbCreateModel(world, &def, &model));
    lbModelInfo before, after;
    CHECK_OK(lbModel_GetInfo(world, model, &before));
    def.material.youngsModulus *= 8;
    def.material.density /= 2;
    CHECK_OK(lbModel_SetMaterial(world, model, &def.material));
    CHECK_OK(lbModel_GetInfo(world, model, &after));
    CHECK_NEAR(after.highestFrequency, 4 * before.highestFrequency, 1e-4 * before.highestFrequency);
    CHECK_NEAR(after.stableStep, before.stableStep / 4, 1e-4 * before.stableStep);
    lbModelDef found;
    CHECK_OK(lbModel_GetDef(world, model, &found));
    CHECK(memcmp(&found.material, &def.material, sizeof(def.material)) == 0);
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

TEST(AMaterialThatIsRefusedChangesNothing) {
    Busy busy = make_busy(NULL, lb_integratorImplicitEuler, 1, NULL);
    Busy twin = make_busy(NULL, lb_integratorImplicitEuler, 1, NULL);
    run_frames(busy.world, 3, frame);
    run_frames(twin.world, 3, frame);
    const struct {
        lbMaterial material;
        const char* words;
    } cases[] = {
        {{-1, 20000, 0.3f, 0, 0}, "density"},         {{1000, NAN, 0.3f, 0, 0}, "youngsModulus"},
        {{1000, 20000, 0.5f, 0, 0}, "poissonsRatio"}, {{1000, 20000, 0.3f, -1, 0}, "stiffnessDamping"},
        {{1000, 20000, 0.3f, 0, -1}, "massDamping"},  {{1e-42f, 20000, 0.3f, 0, 0}, "mass"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        CHECK_FAILS(lbModel_SetMaterial(busy.world, busy.model, &cases[i].material), lb_errorArgument, cases[i].words);
    }
    CHECK(lbWorld_Hash(busy.world) == lbWorld_Hash(twin.world));
    CHECK(hash_after(busy.world, 5) == hash_after(twin.world, 5));
    lbMaterial material = other_material();
    CHECK_FAILS(lbModel_SetMaterial(busy.world, (lbModelId){0}, &material), lb_errorArgument, "no such model");
    lbDestroyWorld(busy.world);
    lbDestroyWorld(twin.world);
}

TEST(WithoutMemoryForAMaterialOrAnIntegratorNothingChanges) {
    ScarceMemory memory = {.left = 1000000};
    lbHost host = scarce_host(&memory);
    Busy busy = make_busy(NULL, lb_integratorSymplecticEuler, 1, &host);
    Busy twin = make_busy(NULL, lb_integratorSymplecticEuler, 1, NULL);
    run_frames(busy.world, 2, frame);
    run_frames(twin.world, 2, frame);
    lbMaterial material = other_material();
    int refused = 0;
    for (int pass = 0; pass < 2; ++pass) {
        lbResult result = {.code = lb_errorMemory};
        for (int left = 0; result.code != lb_ok && left < 1000; ++left) {
            int live = memory.live;
            memory.left = left;
            result = pass == 0 ? lbModel_SetMaterial(busy.world, busy.model, &material)
                               : lbBody_SetIntegrator(busy.world, busy.bodies[0], lb_integratorImplicitEuler, NULL);
            if (result.code != lb_ok) {
                CHECK(result.code == lb_errorMemory);
                CHECK(memory.live == live || pass == 1); /* what the model has for matrices it may keep */
                CHECK(lbWorld_Hash(busy.world) == lbWorld_Hash(twin.world));
                ++refused;
            }
        }
        CHECK_OK(result);
        memory.left = 1000000;
        if (pass == 0) {
            CHECK_OK(lbModel_SetMaterial(twin.world, twin.model, &material));
        } else {
            CHECK_OK(lbBody_SetIntegrator(twin.world, twin.bodies[0], lb_integratorImplicitEuler, NULL));
        }
        CHECK(hash_after(busy.world, 2) == hash_after(twin.world, 2));
    }
    CHECK(refused > 5);
    lbDestroyWorld(busy.world);
    CHECK(memory.live == 0);
    lbDestroyWorld(twin.world);
}

TEST(AModelMadeFromADefinitionThatWasAskedForIsTheSame) {
    lbShape* cube = make_cube();
    lbModelDef def = busy_model(cube), found;
    def.nodeMass = 0.7f;
    def.law.springForm = lb_springQuadratic;
    uint64_t hashes[2];
    for (int pass = 0; pass < 2; ++pass) {
        lbWorld* world = make_world(1, NULL);
        lbModelId model;
        lbBodyId body = add_body(world, &def, vec3(0, 0.9f, 0));
        add_ground(world, 0);
        CHECK_OK(lbModel_GetDef(world, lbBody_GetModel(world, body), &found));
        CHECK_OK(lbCreateModel(world, &found, &model)); /* the shape is the model's own */
        if (pass == 1) {
            CHECK_OK(lbDestroyBody(world, body));
            lbBodyDef bodyDef = lbDefaultBodyDef();
            bodyDef.integrator = lb_integratorSymplecticEuler;
            bodyDef.model = model;
            bodyDef.position = vec3(0, 0.9f, 0);
            CHECK_OK(lbCreateBody(world, &bodyDef, &body));
        }
        hashes[pass] = hash_after(world, 5);
        lbDestroyWorld(world);
    }
    CHECK(hashes[0] == hashes[1]);
    lbDestroyShape(cube);
}

/* ---- Integrators and damping ------------------------------------------------------------------------------------- */

TEST(AfterAChangeOfIntegratorABodyGoesOnAsOneMadeWithIt) {
    lbIntegratorSettings settings = {.tolerance = 1e-4f, .iterationLimit = 77};
    for (int kind = 0; kind < lb_integratorKindCount; ++kind) {
        lbIntegratorKind from = (lbIntegratorKind)((kind + 5) % lb_integratorKindCount), found;
        Busy changed = make_busy(NULL, from, 1, NULL), twin = make_busy(NULL, from, 1, NULL);
        run_frames(changed.world, 4, frame);
        for (int i = 0; i < 2; ++i) {
            CHECK_OK(lbBody_SetIntegrator(changed.world, changed.bodies[i], (lbIntegratorKind)kind, &settings));
            CHECK_OK(lbBody_SetIntegrator(twin.world, twin.bodies[i], (lbIntegratorKind)kind, &settings));
        }
        CHECK_OK(lbWorld_Save(changed.world, statePath));
        CHECK_OK(lbWorld_Restore(twin.world, statePath));
        CHECK(hash_after(changed.world, 3) == hash_after(twin.world, 3));
        lbIntegratorSettings kept;
        int steps = 0;
        CHECK_OK(lbBody_SetIntegrator(changed.world, changed.bodies[0], (lbIntegratorKind)kind, NULL));
        CHECK_OK(lbBody_GetIntegrator(changed.world, changed.bodies[0], &found, &kept, &steps));
        CHECK((int)found == kind && kept.iterationLimit == 77 && kept.tolerance == 1e-4f && steps == 24);
        lbDestroyWorld(changed.world);
        lbDestroyWorld(twin.world);
    }
}

TEST(TheStateStaysWhenTheIntegratorChangesAndWhatIsRefusedChangesNothing) {
    Busy busy = make_busy(NULL, lb_integratorBeeman, 1, NULL);
    run_frames(busy.world, 4, frame);
    int n = lbBody_GetNodeCount(busy.world, busy.bodies[0]);
    size_t bytes = 3 * (size_t)n * sizeof(float);
    float *x = malloc(bytes), *v = malloc(bytes), *xAfter = malloc(bytes), *vAfter = malloc(bytes);
    CHECK_OK(lbBody_GetState(busy.world, busy.bodies[0], x, v));
    uint64_t hash = lbWorld_Hash(busy.world);
    lbIntegratorSettings bad = {.tolerance = 0, .iterationLimit = 10};
    CHECK_FAILS(lbBody_SetIntegrator(busy.world, busy.bodies[0], lb_integratorNameCount, NULL), lb_errorArgument,
                "does not exist");
    CHECK_FAILS(lbBody_SetIntegrator(busy.world, busy.bodies[0], lb_integratorFilteredEuler, NULL), lb_errorArgument,
                "levels of detail alone");
    CHECK_FAILS(lbBody_SetIntegrator(busy.world, busy.bodies[0], lb_integratorHeun, &bad), lb_errorArgument,
                "tolerance");
    CHECK_FAILS(lbBody_SetIntegrator(busy.world, (lbBodyId){0}, lb_integratorHeun, NULL), lb_errorArgument,
                "no such body");
    CHECK(lbWorld_Hash(busy.world) == hash);
    CHECK_OK(lbBody_SetIntegrator(busy.world, busy.bodies[0], lb_integratorRungeKutta4, NULL));
    CHECK_OK(lbBody_GetState(busy.world, busy.bodies[0], xAfter, vAfter));
    CHECK(memcmp(x, xAfter, bytes) == 0 && memcmp(v, vAfter, bytes) == 0);
    free(x), free(v), free(xAfter), free(vAfter);
    lbDestroyWorld(busy.world);
}

TEST(DragThatIsSetLaterActsAsDragOfTheDefinition) {
    lbShape* cube = make_cube();
    lbModelDef def = cube_model(cube, 3);
    lbPointDamping drag = {lb_pointDampingNewton, 0.5f};
    uint64_t hashes[2];
    for (int pass = 0; pass < 2; ++pass) {
        lbWorld* world = make_world(1, NULL);
        lbModelId model;
        lbBodyId body;
        CHECK_OK(lbCreateModel(world, &def, &model));
        CHECK_OK(lbWorld_SetWind(world, vec3(3, 0, 1)));
        lbBodyDef bodyDef = lbDefaultBodyDef();
        bodyDef.integrator = lb_integratorSymplecticEuler;
        bodyDef.model = model;
        bodyDef.windDrag = pass == 0 ? 30.0f : 0;
        bodyDef.pointDamping = pass == 0 ? drag : bodyDef.pointDamping;
        CHECK_OK(lbCreateBody(world, &bodyDef, &body));
        if (pass == 1) {
            CHECK_OK(lbBody_SetWindDrag(world, body, 30));
            CHECK_OK(lbBody_SetPointDamping(world, body, drag));
        }
        CHECK_FAILS(lbBody_SetWindDrag(world, body, -1), lb_errorArgument, "windDrag is -1");
        CHECK_FAILS(lbBody_SetPointDamping(world, body, (lbPointDamping){lb_pointDampingStokes, NAN}), lb_errorArgument,
                    "coefficient");
        CHECK_FAILS(lbBody_SetPointDamping(world, body, (lbPointDamping){(lbPointDampingForm)7, 1}), lb_errorArgument,
                    "form 7");
        hashes[pass] = hash_after(world, 10);
        lbDestroyWorld(world);
    }
    CHECK(hashes[0] == hashes[1]);
    lbDestroyShape(cube);
}

/* ---- What is shown ----------------------------------------------------------------------------------------------- */

static int compare_pairs(const void* a, const void* b) {
    return memcmp(a, b, 2 * sizeof(int));
}

TEST(EdgesAreThoseOfTheMeshAndNoneComesTwice) {
    lbShape* cube = make_cube();
    lbModelDef def = cube_model(cube, 3);
    lbWorld* world = make_world(1, NULL);
    lbModelId model;
    CHECK_OK(lbCreateModel(world, &def, &model));
    lbModelInfo info;
    CHECK_OK(lbModel_GetInfo(world, model, &info));
    int count = 0, second = 0;
    CHECK_OK(lbModel_GetEdges(world, model, NULL, 0, &count));
    CHECK(count == info.springCount);
    int *edges = calloc(2 * (size_t)count, sizeof(int)), *again = calloc(2 * (size_t)count, sizeof(int));
    CHECK_OK(lbModel_GetEdges(world, model, edges, count, &count));
    lbMesh bare = ((lbDynamicModel*)LB_FIND(&world->models, model))->mesh; /* as a mesh of tetrahedra alone has it */
    bare.springCount = 0;
    CHECK_OK(lb_list_edges(&bare, again, count, &second));
    CHECK(second == count);
    qsort(edges, (size_t)count, 2 * sizeof(int), compare_pairs);
    qsort(again, (size_t)count, 2 * sizeof(int), compare_pairs);
    CHECK(memcmp(edges, again, 2 * (size_t)count * sizeof(int)) == 0);
    for (int i = 0; i < count; ++i) {
        CHECK(edges[2 * i] >= 0 && edges[2 * i] < edges[2 * i + 1] && edges[2 * i + 1] < info.nodeCount);
        CHECK(i == 0 || compare_pairs(edges + 2 * i - 2, edges + 2 * i) != 0);
    }
    int few[4] = {-1, -1, -1, -1};
    CHECK_OK(lbModel_GetEdges(world, model, few, 1, &count));
    CHECK(count == info.springCount && few[1] >= 0 && few[2] == -1);
    free(edges), free(again);
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

/* m, from a place to the nearest triangle. */
static double distance_to_skin(const lbShape* shape, const float* skin, lbVec3 place) {
    const int* corners = lbShape_GetTriangles(shape);
    double least = INFINITY;
    for (int t = 0; t < lbShape_GetTriangleCount(shape); ++t) {
        lbVec3 p[3];
        float weights[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = vec3_load(skin + 3 * (size_t)corners[3 * t + k]);
        }
        least = fmin(least, (double)lb_closest_on_triangle(place, p[0], p[1], p[2], weights));
    }
    return sqrt(least);
}

TEST(ContactForcesOfAToolAreTogetherTheForceOnIt) {
    enum { capacity = 512 };
    lbContactPoint contacts[capacity];
    lbShape* cube = make_sphere(3, 1, false);
    lbModelDef def = cube_model(cube, 6);
    def.material.massDamping = 2;
    lbWorld* world = make_world(1, NULL);
    lbBodyId body = add_body(world, &def, vec3(0, 1.3f, 0));
    lbToolId tools[2] = {add_ground(world, 0), {0}};
    lbToolDef ball = lbDefaultToolDef(lb_toolSphere);
    ball.position = vec3(0.2f, 2.2f, 0);
    CHECK_OK(lbCreateTool(world, &ball, &tools[1]));
    double friction = sqrt((double)(ball.friction * lbDefaultBodyDef().friction));
    int count = -1;
    CHECK_OK(lbBody_GetContacts(world, body, contacts, capacity, &count));
    CHECK(count == 0);
    int seen[2] = {0, 0}, atPoints = 0;
    double worst = 0;
    for (int i = 0; i < 60; ++i) {
        run_frames(world, 1, frame);
        CHECK_OK(lbBody_GetContacts(world, body, contacts, capacity, &count));
        CHECK(count <= capacity);
        float* skin = calloc(3 * (size_t)lbBody_GetSkinPointCount(world, body), sizeof(float));
        CHECK_OK(lbBody_GetSkin(world, body, skin, NULL, NULL));
        for (int t = 0; t < 2; ++t) {
            lbVec3d sum = {0, 0, 0};
            for (int c = 0; c < count; ++c) {
                if (contacts[c].other.index1 == tools[t].index1) {
                    sum = vec3d_add(sum, vec3d_from(contacts[c].force));
                    ++seen[t];
                }
                lbVec3 point = vec3_load(skin + 3 * (size_t)contacts[c].skinPoint);
                double apart = (double)vec3_length(vec3_sub(point, contacts[c].position));
                worst = fmax(worst, distance_to_skin(cube, skin, contacts[c].position));
                atPoints += apart == 0;
                CHECK(apart < 0.25); /* within a triangle, as far as it is stretched */
                CHECK_NEAR(vec3_length(contacts[c].normal), 1, 1e-5);
                /* Each step's impulse is within Coulomb's cone about that step's normal; within a frame normals turn a
                 * little. */
                double across = (double)vec3_length(
                    vec3_madd(contacts[c].force, -vec3_dot(contacts[c].normal, contacts[c].force), contacts[c].normal));
                CHECK(across <= 1.05 * friction * (double)vec3_dot(contacts[c].normal, contacts[c].force));
            }
            lbVec3 force;
            CHECK_OK(lbTool_GetForce(world, tools[t], &force));
            lbVec3d left = vec3d_add(sum, vec3d_from(force));
            CHECK(vec3d_length(left) <= 1e-5 * (1 + vec3d_length(sum)));
        }
        free(skin);
        CHECK_OK(lbTool_MoveTo(world, tools[1], vec3(0.2f, 2.2f - 0.01f * (float)i, 0), quat_identity()));
    }
    CHECK(seen[0] > 0 && seen[1] > 0 && atPoints > 0);
    CHECK_NEAR(worst, 0, 1e-5); /* places are on the surface as it is now */
    lbContactPoint one = {.skinPoint = -7};
    int all = 0;
    CHECK_OK(lbBody_GetContacts(world, body, &one, 0, &all));
    CHECK(all == count && one.skinPoint == -7);
    CHECK_OK(lbWorld_Save(world, statePath));
    CHECK_OK(lbWorld_Restore(world, statePath));
    CHECK_OK(lbBody_GetContacts(world, body, contacts, capacity, &count));
    CHECK(count == 0);
    run_frames(world, 1, frame);
    CHECK_OK(lbDestroyTool(world, tools[0]));
    CHECK_OK(lbBody_GetContacts(world, body, contacts, capacity, &count));
    for (int c = 0; c < count; ++c) {
        CHECK(contacts[c].other.index1 == tools[1].index1);
    }
    CHECK_FAILS(lbBody_GetContacts(world, (lbBodyId){0}, contacts, capacity, &count), lb_errorArgument, "no such body");
    lbDestroyWorld(world);
    lbDestroyShape(cube);
}

TEST(ToolsPinsAndGrabsTellWhatTheyAreAndWhere) {
    Busy busy = make_busy(NULL, lb_integratorSymplecticEuler, 1, NULL);
    lbToolDef made = lbDefaultToolDef(lb_toolSphere), tool;
    lbQuat turn = quat_normalize((lbQuat){0.1f, 0.2f, 0.3f, 0.9f}), rotation;
    lbToolId ball;
    made.radius = 0.07f;
    made.position = vec3(9, 9, 9);
    CHECK_OK(lbCreateTool(busy.world, &made, &ball));
    CHECK_OK(lbTool_MoveTo(busy.world, ball, vec3(9, 8, 9), turn));
    lbGrabDef grabDef = lbDefaultGrabDef(), grab;
    lbGrabId hand;
    grabDef.body = busy.bodies[1];
    grabDef.skinPoint = 3;
    grabDef.stiffness = 50;
    grabDef.target = vec3(3, 2, 1);
    CHECK_OK(lbCreateGrab(busy.world, &grabDef, &hand));
    CHECK_OK(lbGrab_MoveTo(busy.world, hand, vec3(3, 2.5f, 1)));
    CHECK_OK(lbGrab_GetDef(busy.world, hand, &grab));
    CHECK(grab.target.y == 2); /* it is there at the end of the next frame */
    run_frames(busy.world, 1, frame);
    CHECK_OK(lbTool_GetDef(busy.world, ball, &tool));
    CHECK_OK(lbTool_GetRotation(busy.world, ball, &rotation));
    CHECK(tool.kind == lb_toolSphere && tool.radius == 0.07f && tool.position.y == 8);
    CHECK_NEAR(rotation.x, turn.x, 1e-6);
    CHECK_NEAR(rotation.w, turn.w, 1e-6);
    CHECK(memcmp(&rotation, &tool.rotation, sizeof(turn)) == 0);
    CHECK_OK(lbGrab_GetDef(busy.world, hand, &grab));
    CHECK(grab.body.index1 == busy.bodies[1].index1 && grab.skinPoint == 3 && grab.stiffness == 50 &&
          grab.target.y == 2.5f);

    int nodes[200], count = 0;
    lbVec3 position;
    CHECK(lbPin_GetBody(busy.world, busy.pin).index1 == busy.bodies[0].index1);
    CHECK_OK(lbPin_GetNodes(busy.world, busy.pin, nodes, 200, &count));
    CHECK(count > 0 && count <= 200);
    lbDynamicBody* body = lb_dynamic(lb_find_body(busy.world, busy.bodies[0]));
    lbVec3 mean = {0, 0, 0};
    for (int i = 0; i < count; ++i) {
        CHECK(body->heldIndex[nodes[i]] >= 0);
        mean = vec3_madd(mean, 1.0f / (float)count, vec3_load(body->x + 4 * (size_t)nodes[i]));
    }
    CHECK_OK(lbPin_GetPosition(busy.world, busy.pin, &position));
    CHECK(vec3_length(vec3_sub(position, mean)) < 1e-5f);
    CHECK_OK(lbDestroyPin(busy.world, busy.pin));
    CHECK(lbPin_GetBody(busy.world, busy.pin).index1 == 0);
    CHECK_FAILS(lbPin_GetPosition(busy.world, busy.pin, &position), lb_errorArgument, "no such pin");
    CHECK_FAILS(lbPin_GetNodes(busy.world, busy.pin, nodes, 200, &count), lb_errorArgument, "no such pin");
    CHECK_FAILS(lbGrab_GetDef(busy.world, (lbGrabId){0}, &grab), lb_errorArgument, "no such grab");
    CHECK_FAILS(lbTool_GetDef(busy.world, (lbToolId){0}, &tool), lb_errorArgument, "no such tool");
    lbDestroyWorld(busy.world);
}

/* A person points at the surface as it is now; regions are chosen where it was. */
TEST(WhereASkinPointBeganChoosesItAgain) {
    Busy busy = make_busy(NULL, lb_integratorSymplecticEuler, 1, NULL);
    run_frames(busy.world, 10, frame);
    int count = lbBody_GetSkinPointCount(busy.world, busy.bodies[1]);
    float* start = calloc(3 * (size_t)count, sizeof(float));
    CHECK_OK(lbBody_GetSkinStart(busy.world, busy.bodies[1], start));
    for (int i = 0; i < count; ++i) {
        int found = -1;
        CHECK_OK(lbBody_FindSkinPoint(busy.world, busy.bodies[1], vec3_load(start + 3 * (size_t)i), &found));
        CHECK(found == i);
    }
    free(start);
    lbDestroyWorld(busy.world);
}

TEST_MAIN(TEST_ENTRY(AfterAChangeOfMaterialBodiesGoOnAsThoseMadeOfIt),
          TEST_ENTRY(AChangedWorldDoesNotDependOnTheNumberOfThreads),
          TEST_ENTRY(PositionsAndVelocitiesStayWhenTheMaterialChangesAndMomentumFollowsTheDensityAlone),
          TEST_ENTRY(TheStableStepFollowsTheMaterial), TEST_ENTRY(AMaterialThatIsRefusedChangesNothing),
          TEST_ENTRY(WithoutMemoryForAMaterialOrAnIntegratorNothingChanges),
          TEST_ENTRY(AModelMadeFromADefinitionThatWasAskedForIsTheSame),
          TEST_ENTRY(AfterAChangeOfIntegratorABodyGoesOnAsOneMadeWithIt),
          TEST_ENTRY(TheStateStaysWhenTheIntegratorChangesAndWhatIsRefusedChangesNothing),
          TEST_ENTRY(DragThatIsSetLaterActsAsDragOfTheDefinition), TEST_ENTRY(EdgesAreThoseOfTheMeshAndNoneComesTwice),
          TEST_ENTRY(ContactForcesOfAToolAreTogetherTheForceOnIt), TEST_ENTRY(ToolsPinsAndGrabsTellWhatTheyAreAndWhere),
          TEST_ENTRY(WhereASkinPointBeganChoosesItAgain))
