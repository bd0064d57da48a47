#include "test.h"
#include "test_shapes.h"
#include "verify/law_checks.h"

/* Which form the models of a test have. */
static lbSpringForm form = lb_springLinear;
#define FOR_EACH_FORM for (form = lb_springLinear; form <= lb_springPower; ++form)

static lbDynamicModel* make_model(float edge, float stiffnessDamping) {
    lbShape* cube = make_cube();
    lbModelDef def = lbDefaultModelDef();
    def.law.springForm = form;
    def.shape = cube;
    def.mesh.edge = edge;
    def.material.stiffnessDamping = stiffnessDamping;
    def.material.massDamping = 0;
    lbDynamicModel* model = NULL;
    CHECK_OK(lb_make_dynamic_model(lb_resolve_host(NULL), &def, &model));
    lbDestroyShape(cube);
    return model;
}

TEST(ForceIsMinusTheGradientOfTheEnergyAndTangentItsDerivative) {
    FOR_EACH_FORM {
        lbDynamicModel* model = make_model(0.5f, 0);
        double forceError, tangentError;
        measure_law_errors(model, &model->laws[0], 0.05f, 1e-3, &forceError, &tangentError);
        CHECK_NEAR(forceError, 0, 2e-5); /* rounding of float32 positions over the difference step */
        CHECK_NEAR(tangentError, 0, 5e-5);
        lb_destroy_dynamic_model(model);
    }
    form = lb_springLinear;
}

/* One spring of 2 m between two nodes, with k = 100 and c = 10. Node 1 lies at (2, 0, 0) from node 0. */
static lbLawInstance make_spring(lbSpringDamping dampingForm) {
    lbVec3d nodes[2] = {{0, 0, 0}, {2, 0, 0}};
    double volumes[2] = {1, 1};
    lbSpring spring = {0, 1, 1, 1, 1};
    int blocks[2] = {0, 2};
    lbMesh mesh = {.host = lb_resolve_host(NULL),
                   .nodeCount = 2,
                   .nodes = nodes,
                   .nodeVolumes = volumes,
                   .springCount = 1,
                   .springs = &spring,
                   .blockCount = 1,
                   .blockStarts = blocks};
    lbModelDef def = lbDefaultModelDef();
    def.law.springForm = form;
    def.law.springPower = 5;
    def.law.springStiffness = 100;
    def.law.springDamping = 10;
    def.law.springDampingForm = dampingForm;
    lbLawInstance law;
    CHECK_OK(lb_bake_law(&lb_springs, &mesh, &def, &law));
    return law;
}

TEST(EachFormFollowsItsFormula) {
    FOR_EACH_FORM {
        lbLawInstance law = make_spring(lb_dampingExact);
        double l = 2.5, L = 2, rate = 3;
        double expected = form == lb_springLinear      ? 100 * (l - L)
                          : form == lb_springQuadratic ? 100 * (l * l - L * L) / l
                                                       : 100 * pow((l - L) / L, 5);
        float x[8] = {0, 0, 0, 0, 0, (float)l, 0, 0}, v[8] = {0, 0, 0, 0, 7, (float)rate, 0, 0}, f[8] = {0};
        lb_add_law_forces(&law, NULL, NULL, (lbMoment){0, 0}, x, v, f);
        CHECK_NEAR(f[1], expected + 10 * rate, 1e-4 * expected);
        CHECK_NEAR(f[5], -(expected + 10 * rate), 1e-4 * expected);
        CHECK_NEAR(fabs((double)f[0]) + fabs((double)f[2]), 0, 1e-6);
        lb_release_law(lb_resolve_host(NULL), &law);
    }
    form = lb_springLinear;
}

/* Close to a turning point the length of one step before says the wrong thing: the spring grows already, but was longer
 * before. The cheap form then pushes along with the motion and adds energy; the exact one never does. */
TEST(CheapDampingAddsEnergyWhereTheMotionTurns) {
    lbLawInstance exact = make_spring(lb_dampingExact), cheap = make_spring(lb_dampingLastLength);
    float x[8] = {0, 0, 0, 0, 2, 0, 0, 0}, v[8] = {0, 0, 0, 0, 1, 30, 0, 0}, f[8] = {0};
    lb_add_law_forces(&cheap, NULL, NULL, (lbMoment){0, 0.1}, x, v, f);
    double before = hypot(2 - 0.1 * 1, 0.1 * 30);
    CHECK_NEAR(f[4], -10 * (2 - before) / 0.1, 1e-3);
    CHECK(dot_vectors(f, v, 2) > 0);
    memset(f, 0, sizeof(f));
    lb_add_law_forces(&exact, NULL, NULL, (lbMoment){0, 0.1}, x, v, f);
    CHECK_NEAR(f[4], -10, 1e-4);
    CHECK(dot_vectors(f, v, 2) < 0);
    lb_release_law(lb_resolve_host(NULL), &exact);
    lb_release_law(lb_resolve_host(NULL), &cheap);
}

TEST(NoForceAtRestAndUnderRigidMotion) {
    lbDynamicModel* model = make_model(0.5f, 0.01f);
    int n = model->nodeCount;
    lbRange all;
    lbScope scope = lb_whole_scope(&model->laws[0], &all);
    float* x = calloc(4 * (size_t)n, sizeof(float));
    float* v = calloc(4 * (size_t)n, sizeof(float));
    float* f = calloc(4 * (size_t)n, sizeof(float));
    lbQuat turn = quat_from_axis_angle(vec3(1, 2, 3), 1.1f);
    lbVec3 spin = vec3(0.3f, -0.5f, 0.2f);
    for (int i = 0; i < n; ++i) {
        lbVec3 p = vec3_add(quat_rotate(turn, vec3_load(model->rest + 4 * i)), vec3(0.3f, 2, -1));
        vec3_store(x + 4 * i, p);
        vec3_store(v + 4 * i, vec3_cross(spin, p));
    }
    model->laws[0].law->force(&scope, (lbMoment){0, 0}, x, v, f);
    /* One spring stretched by the rounding of a coordinate of about 3 m pulls k eps 3. */
    double k = 20000 * 0.5, worst = 0;
    for (int i = 0; i < 4 * n; ++i) {
        worst = fmax(worst, fabs((double)f[i]));
    }
    CHECK_NEAR(worst, 0, 18 * k * 3 * 1.2e-7);
    free(x), free(v), free(f);
    lb_destroy_dynamic_model(model);
}

TEST(InternalForcesKeepMomentumAndAngularMomentum) {
    lbDynamicModel* model = make_model(0.25f, 0.01f);
    unsigned seed = 3;
    int n = model->nodeCount;
    lbRange all;
    lbScope scope = lb_whole_scope(&model->laws[0], &all);
    float *x = random_vector(n, 0.1f, &seed), *v = random_vector(n, 1, &seed);
    float* f = calloc(4 * (size_t)n, sizeof(float));
    offset_vector(x, 1, model->rest, n, x);
    model->laws[0].law->force(&scope, (lbMoment){0, 0}, x, v, f);
    lbVec3d sum = {0, 0, 0}, torque = {0, 0, 0};
    double size = 0;
    for (int i = 0; i < n; ++i) {
        lbVec3d force = vec3d_load(f + 4 * i);
        sum = vec3d_add(sum, force);
        torque = vec3d_add(torque, vec3d_cross(vec3d_load(x + 4 * i), force));
        size += vec3d_length(force);
    }
    CHECK_NEAR(vec3d_length(sum) / size, 0, 1e-6);
    CHECK_NEAR(vec3d_length(torque) / size, 0, 1e-6);
    free(x), free(v), free(f);
    lb_destroy_dynamic_model(model);
}

TEST(DampingNeverAddsEnergy) {
    lbDynamicModel* model = make_model(0.5f, 0.01f);
    lbDynamicModel* undamped = make_model(0.5f, 0);
    unsigned seed = 5;
    int n = model->nodeCount;
    lbRange all;
    lbScope scope = lb_whole_scope(&model->laws[0], &all), undampedScope = lb_whole_scope(&undamped->laws[0], &all);
    for (int round = 0; round < 100; ++round) {
        float *x = random_vector(n, 0.2f, &seed), *v = random_vector(n, 1, &seed);
        float* f = calloc(4 * (size_t)n, sizeof(float));
        float* elastic = calloc(4 * (size_t)n, sizeof(float));
        offset_vector(x, 1, model->rest, n, x);
        model->laws[0].law->force(&scope, (lbMoment){0, 0}, x, v, f);
        undamped->laws[0].law->force(&undampedScope, (lbMoment){0, 0}, x, v, elastic);
        CHECK(dot_vectors(f, v, n) < dot_vectors(elastic, v, n));
        free(x), free(v), free(f), free(elastic);
    }
    lb_destroy_dynamic_model(model);
    lb_destroy_dynamic_model(undamped);
}

/* The largest eigenvalue of M^-1 K at x, by power iteration on the tangent. */
static double power_iteration(const lbDynamicModel* model, const float* x) {
    unsigned seed = 11;
    int n = model->nodeCount;
    lbRange all;
    lbScope scope = lb_whole_scope(&model->laws[0], &all);
    float* p = random_vector(n, 1, &seed);
    float* y = malloc(4 * (size_t)n * sizeof(float));
    double eigenvalue = 0;
    for (int round = 0; round < 300; ++round) {
        memset(y, 0, 4 * (size_t)n * sizeof(float));
        model->laws[0].law->tangent(&scope, x, -1, 0, p, y);
        for (int i = 0; i < 4 * n; ++i) {
            y[i] *= model->inverseMass[i / 4];
        }
        eigenvalue = sqrt(dot_vectors(y, y, n) / dot_vectors(p, p, n));
        for (int i = 0; i < 4 * n; ++i) {
            p[i] = (float)((double)y[i] / eigenvalue);
        }
    }
    free(p), free(y);
    return eigenvalue;
}

/* At rest, turned and sheared, and stretched to three times its length. */
TEST(TheFrequencyBoundHoldsInAnyStateAndIsNotWasteful) {
    lbDynamicModel* model = make_model(0.25f, 0.01f);
    int n = model->nodeCount;
    float* x = malloc(4 * (size_t)n * sizeof(float));
    float* blocks = malloc(12 * (size_t)n * sizeof(float));
    const float stretches[3] = {1, 1.4f, 3};
    for (int s = 0; s < 3; ++s) {
        for (int i = 0; i < n; ++i) {
            lbVec3 p = vec3_load(model->rest + 4 * i);
            p.x = stretches[s] * p.x + (stretches[s] - 1) * p.y;
            vec3_store(x + 4 * i, p);
            x[4 * i + 3] = 0;
        }
        double fastest = sqrt(power_iteration(model, x));
        lbMotionBound bound = lb_bound_motion(model, NULL, x, blocks);
        CHECK(bound.frequency >= fastest * (1 - 1e-4));
        CHECK(bound.frequency <= 1.3 * fastest);
        if (s == 0) { /* at rest damping is stiffnessDamping times stiffness, also in the bound */
            CHECK_NEAR(bound.damping, 0.01 * bound.frequency * bound.frequency, 1e-3 * bound.damping);
        }
    }
    free(x), free(blocks);
    lb_destroy_dynamic_model(model);
}

TEST(EndsThatMeetGiveNoNaN) {
    lbDynamicModel* model = make_model(1, 0.01f);
    int n = model->nodeCount;
    lbRange all;
    lbScope scope = lb_whole_scope(&model->laws[0], &all);
    float* x = calloc(4 * (size_t)n, sizeof(float));
    float* f = calloc(4 * (size_t)n, sizeof(float));
    model->laws[0].law->force(&scope, (lbMoment){0, 0}, x, x, f); /* all nodes at the origin */
    for (int i = 0; i < 4 * n; ++i) {
        CHECK(isfinite(f[i]));
    }
    free(x), free(f);
    lb_destroy_dynamic_model(model);
}

TEST_MAIN(TEST_ENTRY(ForceIsMinusTheGradientOfTheEnergyAndTangentItsDerivative), TEST_ENTRY(EachFormFollowsItsFormula),
          TEST_ENTRY(CheapDampingAddsEnergyWhereTheMotionTurns), TEST_ENTRY(NoForceAtRestAndUnderRigidMotion),
          TEST_ENTRY(InternalForcesKeepMomentumAndAngularMomentum), TEST_ENTRY(DampingNeverAddsEnergy),
          TEST_ENTRY(TheFrequencyBoundHoldsInAnyStateAndIsNotWasteful), TEST_ENTRY(EndsThatMeetGiveNoNaN))
