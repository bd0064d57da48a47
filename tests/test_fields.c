/* Fields against what they must be in states that are known exactly. */
#include "limber/field.h"

#include "base/math.h"
#include "body/dynamic/field.h"
#include "test_worlds.h"
#include "verify/law_checks.h"
#include "world/world.h"

/* Float32 positions of about a metre on edges of a tenth: lengths are good to about 1e-6 of themselves. */
static const double rounding = 1e-5;

typedef struct Fixture {
    lbWorld* world;
    lbBodyId id;
    lbDynamicBody* body;
} Fixture;

static Fixture make_fixture(const lbModelDef* model, const lbHost* host) {
    Fixture fixture = {.world = make_world(1, host)};
    CHECK_OK(lbWorld_SetGravity(fixture.world, vec3(0, 0, 0)));
    fixture.id = add_body(fixture.world, model, vec3(0.5f, 1, -2));
    fixture.body = lb_dynamic(lb_find_body(fixture.world, fixture.id));
    return fixture;
}

static float* read_field(const Fixture* fixture, lbFieldKind kind) {
    int count = lbBody_GetSkinPointCount(fixture->world, fixture->id);
    float* values = calloc((size_t)count, sizeof(float));
    CHECK(lbBody_HasField(fixture->world, fixture->id, kind));
    CHECK_OK(lbBody_GetField(fixture->world, fixture->id, kind, values));
    return values;
}

static void check_field(const Fixture* fixture, lbFieldKind kind, double expected, double tolerance) {
    int count = lbBody_GetSkinPointCount(fixture->world, fixture->id);
    float* values = read_field(fixture, kind);
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < count; ++i) {
        least = fmin(least, (double)values[i]);
        most = fmax(most, (double)values[i]);
    }
    CHECK(count > 0);
    CHECK_NEAR(least, expected, tolerance);
    CHECK_NEAR(most, expected, tolerance);
    free(values);
}

/* Nodes at center + rotation (scale x rest). */
static void place(const Fixture* fixture, float scale, lbQuat rotation, lbVec3 center) {
    int n = lbBody_GetNodeCount(fixture->world, fixture->id);
    float* x = malloc(3 * (size_t)n * sizeof(float));
    for (int i = 0; i < n; ++i) {
        lbVec3 rest = vec3_load(fixture->body->model->rest + 4 * (size_t)i);
        vec3_store(x + 3 * (size_t)i, vec3_add(quat_rotate(rotation, vec3_scale(scale, rest)), center));
    }
    CHECK_OK(lbBody_SetState(fixture->world, fixture->id, x, NULL));
    free(x);
}

static void deform_randomly(const Fixture* fixture, float amount) {
    int n = lbBody_GetNodeCount(fixture->world, fixture->id);
    float* x = malloc(3 * (size_t)n * sizeof(float));
    unsigned seed = 5;
    CHECK_OK(lbBody_GetState(fixture->world, fixture->id, x, NULL));
    for (int i = 0; i < 3 * n; ++i) {
        x[i] += amount * random_signed(&seed);
    }
    CHECK_OK(lbBody_SetState(fixture->world, fixture->id, x, NULL));
    free(x);
}

static const lbQuat someTurn = {0.5f, -0.5f, 0.1f, 0.7f}; /* of length 1 */

TEST(AnEvenStretchIsTheStrainAtEverySkinPoint) {
    lbShape* cube = make_sphere(3, 1, false);
    for (int mesh = lb_meshTetGrid; mesh <= lb_meshLayered; ++mesh) {
        for (int form = lb_springLinear; form <= lb_springPower; ++form) {
            lbModelDef def = cube_model(cube, 8);
            def.mesh.kind = (lbMeshKind)mesh;
            def.mesh.thickness = 0.1f;
            def.law.springForm = (lbSpringForm)form;
            Fixture fixture = make_fixture(&def, NULL);
            check_field(&fixture, lb_fieldStrain, 0, rounding);
            place(&fixture, 1.25f, someTurn, vec3(1, 2, 3));
            check_field(&fixture, lb_fieldStrain, 0.25, rounding);
            place(&fixture, 0.75f, someTurn, vec3(1, 2, 3));
            check_field(&fixture, lb_fieldStrain, -0.25, rounding);
            lbDestroyWorld(fixture.world);
        }
    }
    lbDestroyShape(cube);
}

/* Springs under tension are longer than at rest before anything has happened. */
TEST(StrainCountsFromTheLengthAtRest) {
    lbShape* cube = make_cube();
    lbModelDef def = cube_model(cube, 2);
    def.mesh.kind = lb_meshCloth;
    def.mesh.prestrain = 0.2f;
    Fixture fixture = make_fixture(&def, NULL);
    check_field(&fixture, lb_fieldStrain, 0.25, rounding);
    lbDestroyWorld(fixture.world);

    def = cube_model(cube, 2);
    fixture = make_fixture(&def, NULL);
    lbMuscleDef muscleDef = lbDefaultMuscleDef();
    lbMuscleId muscle;
    muscleDef.body = fixture.id;
    CHECK_OK(lbCreateMuscle(fixture.world, &muscleDef, &muscle));
    CHECK_OK(lbMuscle_SetLength(fixture.world, muscle, 0.8f));
    run_frames(fixture.world, 1, 1e-3);
    place(&fixture, 1, quat_identity(), vec3(0, 0, 0));
    check_field(&fixture, lb_fieldStrain, 0.25, rounding);
    lbDestroyWorld(fixture.world);
    lbDestroyShape(cube);
}

/* Springs whose stiffness follows the continuum make one of Poisson's ratio 1/4, whose bulk modulus is 2/3 E: evenly
 * stretched by e, it holds 9/2 K e^2 = 3 E e^2 everywhere. */
TEST(AnEvenlyStretchedSolidHoldsTheContinuumsEnergyDensity) {
    lbShape* sphere = make_sphere(3, 1, false);
    lbModelDef def = cube_model(sphere, 8);
    Fixture fixture = make_fixture(&def, NULL);
    check_field(&fixture, lb_fieldEnergyDensity, 0, 3 * 20000 * rounding * rounding);
    place(&fixture, 1.25f, someTurn, vec3(0, 0, 0));
    double expected = 3 * 20000 * 0.25 * 0.25;
    check_field(&fixture, lb_fieldEnergyDensity, expected, 10 * rounding * expected);
    lbDestroyWorld(fixture.world);
    lbDestroyShape(sphere);
}

TEST(EnergyDensityTimesVolumeIsTheEnergyOfAllLawsTogether) {
    lbShape* cube = make_cube();
    for (int mesh = lb_meshTetGrid; mesh <= lb_meshLayered; ++mesh) {
        for (int penalty = 0; penalty < 2; ++penalty) {
            lbModelDef def = cube_model(cube, 5);
            def.mesh.kind = (lbMeshKind)mesh;
            def.mesh.thickness = 0.1f;
            def.penalty.volume = penalty && mesh == lb_meshTetGrid ? 1e5f : 0;
            def.penalty.area = def.penalty.surface = penalty ? 1e4f : 0;
            Fixture fixture = make_fixture(&def, NULL);
            deform_randomly(&fixture, 0.05f);
            const lbMesh* baked = &fixture.body->model->mesh;
            float* density = calloc((size_t)baked->nodeCount, sizeof(float));
            lb_measure_nodes(fixture.body, lb_fieldEnergyDensity, density);
            double sum = 0;
            for (int i = 0; i < baked->nodeCount; ++i) {
                CHECK(density[i] >= 0);
                sum += (double)density[i] * baked->nodeVolumes[i];
            }
            lbEnergy energy;
            CHECK_OK(lbBody_GetEnergy(fixture.world, fixture.id, &energy));
            CHECK(energy.elastic > 0);
            CHECK_NEAR(sum, energy.elastic, rounding * energy.elastic);
            free(density);
            lbDestroyWorld(fixture.world);
        }
    }
    lbDestroyShape(cube);
}

TEST(ASkinPointLiesBetweenTheNodesThatCarryIt) {
    lbShape* sphere = make_sphere(4, 1, false);
    lbModelDef def = cube_model(sphere, 7);
    Fixture fixture = make_fixture(&def, NULL);
    deform_randomly(&fixture, 0.05f);
    const lbSkin* skin = &fixture.body->model->skin;
    const float beside[4] = {1.5f, -0.75f, 0.25f, 0}; /* as points have that lie beside their tetrahedron */
    memcpy(fixture.body->model->mesh.skinWeights, beside, sizeof(beside));
    const lbFieldKind kinds[] = {lb_fieldStrain, lb_fieldEnergyDensity};
    for (int which = 0; which < 2; ++which) {
        float* nodes = calloc((size_t)fixture.body->model->nodeCount, sizeof(float));
        float* values = read_field(&fixture, kinds[which]);
        lb_measure_nodes(fixture.body, kinds[which], nodes);
        for (int i = 0; i < skin->pointCount; ++i) {
            float least = INFINITY, most = -INFINITY;
            for (int k = 0; k < skin->width; ++k) {
                size_t at = (size_t)(i * skin->width + k);
                least = fminf(least, nodes[skin->nodes[at]]);
                most = fmaxf(most, nodes[skin->nodes[at]]);
            }
            float slack = 1e-6f * (fabsf(least) + fabsf(most));
            CHECK(values[i] >= least - slack && values[i] <= most + slack);
        }
        free(nodes);
        free(values);
    }
    lbDestroyWorld(fixture.world);
    lbDestroyShape(sphere);
}

TEST(SpeedAndDisplacementAreThoseOfThePoints) {
    lbShape* cube = make_cube();
    lbModelDef def = cube_model(cube, 3);
    Fixture fixture = make_fixture(&def, NULL);
    check_field(&fixture, lb_fieldSpeed, 0, 0);
    check_field(&fixture, lb_fieldDisplacement, 0, 1e-6);
    int n = lbBody_GetNodeCount(fixture.world, fixture.id);
    float* v = malloc(3 * (size_t)n * sizeof(float));
    for (int i = 0; i < n; ++i) {
        vec3_store(v + 3 * (size_t)i, vec3(2, 3, 6));
    }
    CHECK_OK(lbBody_SetState(fixture.world, fixture.id, NULL, v));
    check_field(&fixture, lb_fieldSpeed, 7, 7e-6);
    run_frames(fixture.world, 30, 1.0 / 60);
    check_field(&fixture, lb_fieldSpeed, 7, 1e-4);
    check_field(&fixture, lb_fieldDisplacement, 3.5, 1e-4);
    check_field(&fixture, lb_fieldStrain, 0, 1e-4);
    free(v);
    lbDestroyWorld(fixture.world);
    lbDestroyShape(cube);
}

TEST(FieldsThatABodyDoesNotHaveAreRefused) {
    lbShape* cube = make_cube();
    lbModelDef def = cube_model(cube, 2);
    Fixture fixture = make_fixture(&def, NULL);
    float values[1000];
    CHECK(!lbBody_HasField(fixture.world, fixture.id, lb_fieldStress));
    CHECK_FAILS(lbBody_GetField(fixture.world, fixture.id, lb_fieldStress, values), lb_errorArgument, "stress");
    CHECK(!lbBody_HasField(fixture.world, fixture.id, lb_fieldKindCount));
    CHECK(!lbBody_HasField(fixture.world, fixture.id, (lbFieldKind)-1));
    CHECK_FAILS(lbBody_GetField(fixture.world, fixture.id, (lbFieldKind)77, values), lb_errorArgument, "77");
    CHECK_OK(lbDestroyBody(fixture.world, fixture.id));
    CHECK(!lbBody_HasField(fixture.world, fixture.id, lb_fieldSpeed));
    CHECK_FAILS(lbBody_GetField(fixture.world, fixture.id, lb_fieldSpeed, values), lb_errorArgument, "no such body");
    lbDestroyWorld(fixture.world);
    lbDestroyShape(cube);
}

TEST(EveryFieldIsDescribedAndFoundByItsName) {
    for (int i = 0; i < lb_fieldKindCount; ++i) {
        lbFieldInfo info = lbFieldKind_GetInfo((lbFieldKind)i);
        lbFieldKind found;
        CHECK(info.name != NULL && info.label != NULL && info.unit != NULL && info.description != NULL);
        CHECK(lbFieldKind_FromName(info.name, &found) && (int)found == i);
        CHECK(info.diverging == (i == lb_fieldStrain || i == lb_fieldAreaChange || i == lb_fieldVolumeChange));
    }
    lbFieldKind kind;
    CHECK(lbFieldKind_GetInfo(lb_fieldKindCount).name == NULL);
    CHECK(!lbFieldKind_FromName("heat", &kind));
}

TEST(ReadingAFieldAllocatesNothingAndLeavesTheStateAlone) {
    ScarceMemory memory = {.left = 1000000};
    lbHost host = scarce_host(&memory);
    lbShape* cube = make_cube();
    lbModelDef def = cube_model(cube, 4);
    def.penalty.volume = 1000;
    Fixture fixture = make_fixture(&def, &host);
    deform_randomly(&fixture, 0.02f);
    float* values = calloc((size_t)lbBody_GetSkinPointCount(fixture.world, fixture.id), sizeof(float));
    uint64_t hash = lbWorld_Hash(fixture.world);
    int before = memory.left;
    for (int kind = 0; kind < lb_fieldKindCount; ++kind) {
        if (lbBody_HasField(fixture.world, fixture.id, (lbFieldKind)kind)) {
            CHECK_OK(lbBody_GetField(fixture.world, fixture.id, (lbFieldKind)kind, values));
        }
    }
    CHECK(memory.left == before && memory.left < 1000000);
    CHECK(lbWorld_Hash(fixture.world) == hash);
    free(values);
    lbDestroyWorld(fixture.world);
    lbDestroyShape(cube);
}

TEST_MAIN(TEST_ENTRY(AnEvenStretchIsTheStrainAtEverySkinPoint), TEST_ENTRY(StrainCountsFromTheLengthAtRest),
          TEST_ENTRY(AnEvenlyStretchedSolidHoldsTheContinuumsEnergyDensity),
          TEST_ENTRY(EnergyDensityTimesVolumeIsTheEnergyOfAllLawsTogether),
          TEST_ENTRY(ASkinPointLiesBetweenTheNodesThatCarryIt), TEST_ENTRY(SpeedAndDisplacementAreThoseOfThePoints),
          TEST_ENTRY(FieldsThatABodyDoesNotHaveAreRefused), TEST_ENTRY(EveryFieldIsDescribedAndFoundByItsName),
          TEST_ENTRY(ReadingAFieldAllocatesNothingAndLeavesTheStateAlone))
