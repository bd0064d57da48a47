#include "limber/body.h"
#include "limber/holds.h"
#include "limber/world.h"
#include "test.h"
#include "test_shapes.h"
#include "verify/law_checks.h"

/* A cube with all penalties, and no springs to speak of. */
static lbDynamicModel* make_model(float stiffnessDamping) {
    lbShape* cube = make_cube();
    lbModelDef def = lbDefaultModelDef();
    def.shape = cube;
    def.mesh.edge = 0.5f;
    def.material.stiffnessDamping = stiffnessDamping;
    def.material.massDamping = 0;
    def.penalty = (lbPenaltyDef){.volume = 3e4f, .area = 2e3f, .surface = 1e3f};
    lbDynamicModel* model = NULL;
    CHECK_OK(lb_make_dynamic_model(lb_resolve_host(NULL), &def, &model));
    CHECK(model->lawCount == 4);
    lbDestroyShape(cube);
    return model;
}

TEST(ForcesAreMinusTheGradientOfTheEnergyAndTangentsTheirDerivative) {
    lbDynamicModel* model = make_model(0);
    for (int i = 1; i < model->lawCount; ++i) {
        double forceError, tangentError;
        measure_law_errors(model, &model->laws[i], 0.05f, 1e-3, &forceError, &tangentError);
        CHECK_NEAR(forceError, 0, 2e-5); /* rounding of float32 positions over the difference step */
        CHECK_NEAR(tangentError, 0, 5e-5);
    }
    lb_destroy_dynamic_model(model);
}

TEST(PenaltiesKeepMomentumAndAngularMomentum) {
    lbDynamicModel* model = make_model(0.01f);
    unsigned seed = 3;
    int n = model->nodeCount;
    for (int i = 1; i < model->lawCount; ++i) {
        lbRange all;
        lbScope scope = lb_whole_scope(&model->laws[i], &all);
        float *x = random_vector(n, 0.1f, &seed), *v = random_vector(n, 1, &seed);
        float* f = calloc(4 * (size_t)n, sizeof(float));
        offset_vector(x, 1, model->rest, n, x);
        model->laws[i].law->force(&scope, (lbMoment){0, 0}, x, v, f);
        lbVec3d sum = {0, 0, 0}, torque = {0, 0, 0};
        double size = 0;
        for (int k = 0; k < n; ++k) {
            lbVec3d force = vec3d_load(f + 4 * k);
            sum = vec3d_add(sum, force);
            torque = vec3d_add(torque, vec3d_cross(vec3d_load(x + 4 * k), force));
            size += vec3d_length(force);
        }
        CHECK(size > 0);
        CHECK_NEAR(vec3d_length(sum) / size, 0, 1e-6);
        CHECK_NEAR(vec3d_length(torque) / size, 0, 1e-6);
        free(x), free(v), free(f);
    }
    lb_destroy_dynamic_model(model);
}

TEST(NoForceAtRestAndUnderRigidMotion) {
    lbDynamicModel* model = make_model(0.01f);
    int n = model->nodeCount;
    lbQuat turn = quat_from_axis_angle(vec3(1, 2, 3), 1.1f);
    lbVec3 spin = vec3(0.3f, -0.5f, 0.2f);
    for (int law = 1; law < model->lawCount; ++law) {
        float* x = calloc(4 * (size_t)n, sizeof(float));
        float* v = calloc(4 * (size_t)n, sizeof(float));
        float* f = calloc(4 * (size_t)n, sizeof(float));
        for (int i = 0; i < n; ++i) {
            vec3_store(x + 4 * i, quat_rotate(turn, vec3_load(model->rest + 4 * i)));
            vec3_store(v + 4 * i, vec3_cross(spin, vec3_load(x + 4 * i)));
        }
        lbRange all;
        lbScope scope = lb_whole_scope(&model->laws[law], &all);
        model->laws[law].law->force(&scope, (lbMoment){0, 0}, x, v, f);
        double worst = 0;
        for (int i = 0; i < 4 * n; ++i) {
            worst = fmax(worst, fabs((double)f[i]));
        }
        /* A stretch of 1 % makes forces of tens of N here; rounding of coordinates of 1 m over edges of 0.5 m is 2e-7.
         */
        CHECK_NEAR(worst, 0, 0.05);
        free(x), free(v), free(f);
    }
    lb_destroy_dynamic_model(model);
}

/* Squeezed to 80 %, springs alone let the volume go; with the penalty it stays. */
static double volume_when_squeezed(float penalty) {
    lbShape* cube = make_cube();
    lbModelDef def = lbDefaultModelDef();
    def.shape = cube;
    def.mesh.edge = 0.5f;
    def.penalty.volume = penalty;
    def.material.massDamping = 5;
    def.material.stiffnessDamping = 0.01f;
    lbWorldDef worldDef = lbDefaultWorldDef();
    worldDef.gravity = vec3(0, 0, 0);
    lbWorld* world = NULL;
    lbModelId model;
    lbBodyId body;
    lbPinId pin;
    CHECK_OK(lbCreateWorld(&worldDef, &world));
    CHECK_OK(lbCreateModel(world, &def, &model));
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.integrator = lb_integratorSymplecticEuler;
    bodyDef.model = model;
    CHECK_OK(lbCreateBody(world, &bodyDef, &body));
    int n = lbBody_GetNodeCount(world, body), points = lbBody_GetSkinPointCount(world, body);
    float* x = malloc(3 * (size_t)n * sizeof(float));
    float* skin = malloc(3 * (size_t)points * sizeof(float));
    CHECK_OK(lbBody_GetState(world, body, x, NULL));
    for (int i = 0; i < n; ++i) {
        x[3 * i + 1] *= 0.8f;
    }
    CHECK_OK(lbBody_SetState(world, body, x, NULL));
    for (int side = -1; side <= 1; side += 2) { /* both ends are held at their new height, free to widen */
        lbPinDef pinDef = lbDefaultPinDef();
        pinDef.body = body;
        pinDef.axes = lb_axisY;
        pinDef.region = (lbRegion){
            .kind = lb_regionHalfSpace, .point = {0, 0.99f * (float)side, 0}, .normal = {0, (float)-side, 0}};
        CHECK_OK(lbCreatePin(world, &pinDef, &pin));
    }
    for (int i = 0; i < 180; ++i) {
        CHECK_OK(lbWorld_Step(world, 1.0 / 60));
    }
    CHECK_OK(lbBody_GetSkin(world, body, skin, NULL, NULL));
    lbShape* squeezed = make_shape(skin, points, lbShape_GetTriangles(cube), lbShape_GetTriangleCount(cube));
    lbShapeReport report;
    CHECK_OK(lbShape_Inspect(squeezed, &report));
    lbDestroyShape(squeezed);
    lbDestroyShape(cube);
    lbDestroyWorld(world);
    free(x), free(skin);
    return report.volume;
}

TEST(TheVolumePenaltyHoldsWhatSpringsLetGo) {
    double springs = volume_when_squeezed(0), kept = volume_when_squeezed(1e6f);
    CHECK(springs < 7.4);
    CHECK_NEAR(kept, 8, 0.15);
}

TEST(AVolumePenaltyNeedsTetrahedra) {
    lbShape* cube = make_cube();
    lbModelDef def = lbDefaultModelDef();
    def.shape = cube;
    def.mesh.kind = lb_meshCloth;
    def.penalty.volume = 1;
    lbDynamicModel* model = NULL;
    CHECK_FAILS(lb_make_dynamic_model(lb_resolve_host(NULL), &def, &model), lb_errorArgument,
                "needs a mesh of tetrahedra");
    def.penalty.volume = -1;
    CHECK_FAILS(lb_make_dynamic_model(lb_resolve_host(NULL), &def, &model), lb_errorArgument, "penalty.volume is -1");
    lbDestroyShape(cube);
}

TEST_MAIN(TEST_ENTRY(ForcesAreMinusTheGradientOfTheEnergyAndTangentsTheirDerivative),
          TEST_ENTRY(PenaltiesKeepMomentumAndAngularMomentum), TEST_ENTRY(NoForceAtRestAndUnderRigidMotion),
          TEST_ENTRY(TheVolumePenaltyHoldsWhatSpringsLetGo), TEST_ENTRY(AVolumePenaltyNeedsTetrahedra))
