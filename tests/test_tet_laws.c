#include "body/assembly.h"
#include "test_shapes.h"
#include "verify/law_checks.h"

static const lbLawKind tetLaws[] = {lb_lawLinear, lb_lawGreen, lb_lawCorotational, lb_lawNeoHookean};
enum { tetLawCount = sizeof(tetLaws) / sizeof(tetLaws[0]) };

/* A cube of side 2 m about the origin. */
static lbModelDef cube_def(lbShape* cube, lbLawKind law, int cells, float stiffnessDamping) {
    lbModelDef def = lbDefaultModelDef();
    def.shape = cube;
    def.mesh.edge = 2.0f / (float)cells;
    def.law.kind = law;
    def.material.stiffnessDamping = stiffnessDamping;
    def.material.massDamping = 0;
    return def;
}

static lbModel* make_model(lbLawKind law, int cells, float stiffnessDamping) {
    lbShape* cube = make_cube();
    lbModelDef def = cube_def(cube, law, cells, stiffnessDamping);
    lbModel* model = NULL;
    CHECK_OK(lb_create_model(lb_resolve_host(NULL), &def, &model));
    lbDestroyShape(cube);
    return model;
}

TEST(ForcesAreMinusTheGradientOfTheEnergyAndTangentsTheirDerivative) {
    for (int i = 0; i < tetLawCount; ++i) {
        lbModel* model = make_model(tetLaws[i], 4, 0);
        double forceError, tangentError;
        measure_law_errors(model, &model->laws[0], 0.05f, 1e-3, &forceError, &tangentError);
        printf("    %s: %.2g %.2g\n", model->laws[0].law->name, forceError, tangentError);
        CHECK_NEAR(forceError, 0, 2e-5); /* rounding of float32 positions over the difference step */
        CHECK_NEAR(tangentError, 0, 5e-5);
        lb_destroy_model(model);
    }
}

/* The largest force on a node when the body moves rigidly, N. A stretch of 1 % makes some 50 N here. */
static double largest_rigid_force(const lbModel* model, lbQuat turn, lbVec3 shift) {
    int n = model->nodeCount;
    float* x = calloc(4 * (size_t)n, sizeof(float));
    float* v = calloc(4 * (size_t)n, sizeof(float));
    float* f = calloc(4 * (size_t)n, sizeof(float));
    lbVec3 spin = vec3(0.3f, -0.5f, 0.2f);
    for (int i = 0; i < n; ++i) {
        lbVec3 p = quat_rotate(turn, vec3_load(model->rest + 4 * i));
        vec3_store(v + 4 * i, vec3_cross(spin, p));
        vec3_store(x + 4 * i, vec3_add(p, shift));
    }
    lbRange all;
    lbScope scope = lb_whole_scope(&model->laws[0], &all);
    model->laws[0].law->force(&scope, (lbMoment){0, 0}, x, v, f);
    double worst = 0;
    for (int i = 0; i < 4 * n; ++i) {
        worst = fmax(worst, fabs((double)f[i]));
    }
    free(x), free(v), free(f);
    return worst;
}

TEST(RigidMotionMakesNoForce) {
    for (int i = 0; i < tetLawCount; ++i) {
        lbModel* model = make_model(tetLaws[i], 4, 0.01f);
        lbQuat turn = quat_from_axis_angle(vec3(1, 2, 3), 1.1f),
               half = quat_from_axis_angle(vec3(0, 1, 0), 3.14159265f);
        if (tetLaws[i] != lb_lawLinear) {
            CHECK_NEAR(largest_rigid_force(model, turn, vec3(0, 0, 0)), 0, 0.03);
            CHECK_NEAR(largest_rigid_force(model, half, vec3(1, 0, -2)), 0, 0.06);
        } else {
            CHECK_NEAR(largest_rigid_force(model, quat_identity(), vec3(1, 0.5f, -2)), 0, 0.06);
            CHECK(largest_rigid_force(model, turn, vec3(0, 0, 0)) > 1000); /* as no linear law can help */
        }
        lb_destroy_model(model);
    }
}

/* Uniform stretch along x with the sides free to follow by nu: the force over the end face is E times strain. */
TEST(ASmallStretchMeetsYoungsModulusAndPoissonsRatio) {
    for (int i = 0; i < tetLawCount; ++i) {
        lbModel* model = make_model(tetLaws[i], 4, 0);
        int n = model->nodeCount;
        const float strain = 1e-3f;
        float *x = calloc(4 * (size_t)n, sizeof(float)), *f = calloc(4 * (size_t)n, sizeof(float));
        for (int k = 0; k < n; ++k) {
            const float* p = model->rest + 4 * k;
            vec3_store(x + 4 * k, vec3((1 + strain) * p[0], (1 - 0.3f * strain) * p[1], (1 - 0.3f * strain) * p[2]));
        }
        lbRange all;
        lbScope scope = lb_whole_scope(&model->laws[0], &all);
        model->laws[0].law->force(&scope, (lbMoment){0, 0}, x, x, f);
        double pull = 0, side = 0, inside = 0;
        for (int k = 0; k < n; ++k) {
            const float *p = model->rest + 4 * k, *force = f + 4 * k;
            pull -= p[0] > 0.99f ? (double)force[0] : 0;
            side += p[1] > 0.99f ? (double)force[1] : 0;
            for (int c = 0; c < 3; ++c) {
                inside = fmax(inside, fabs(p[0]) < 0.99f ? fabs((double)force[c]) : 0);
            }
        }
        double expected = 4 * 20000 * (double)strain; /* area, E, strain: 80 N */
        CHECK_NEAR(pull, expected, (tetLaws[i] == lb_lawGreen ? 3 * strain : 0) * expected + 0.05);
        CHECK_NEAR(side, 0, 0.2);
        CHECK_NEAR(inside, 0, 0.05);
        free(x), free(f);
        lb_destroy_model(model);
    }
}

static lbBody* make_implicit_body(lbLawKind law) {
    lbBodyDef def = lbDefaultBodyDef();
    def.integrator = lb_integratorImplicitEuler;
    lbBody* body = NULL;
    CHECK_OK(lb_create_body(lb_resolve_host(NULL), NULL, make_model(law, 3, 0.01f), &def, &body));
    return body;
}

static void destroy_body(lbBody* body) {
    lbModel* model = body->model;
    lb_destroy_body(body);
    lb_destroy_model(model);
}

static void deform(lbBody* body, float scale, float amount) {
    unsigned seed = 9;
    for (int i = 0; i < 4 * body->model->nodeCount; ++i) {
        body->x[i] = i % 4 < 3 ? scale * body->model->rest[i] + amount * random_signed(&seed) : 0;
    }
}

TEST(TheMatrixIsTheTangent) {
    for (int i = 0; i < tetLawCount; ++i) {
        lbBody* body = make_implicit_body(tetLaws[i]);
        int n = body->model->nodeCount;
        deform(body, 0.95f, 0.05f);
        lbSystem system = lb_body_system(body);
        unsigned seed = 4;
        float *p = random_vector(n, 1, &seed), *q = calloc(4 * (size_t)n, 4), *y = calloc(4 * (size_t)n, 4);
        double partial[8];
        system.assemble(system.self, body->x, 0, -0.3f, -0.1f, lb_tangentExact);
        lb_multiply(&body->matrix, NULL, p, q, partial);
        system.tangent(system.self, body->x, -0.3f, -0.1f, p, y);
        offset_vector(q, -1, y, n, q);
        CHECK_NEAR(sqrt(dot_vectors(q, q, n) / dot_vectors(y, y, n)), 0, 2e-6); /* sums of float32 products */
        free(p), free(q), free(y);
        destroy_body(body);
    }
}

/* Pressed to half its size and shaken, elements turned inside out among them. */
TEST(TheDefiniteTangentResistsInEveryDirection) {
    for (int i = 0; i < tetLawCount; ++i) {
        lbBody* body = make_implicit_body(tetLaws[i]);
        int n = body->model->nodeCount;
        deform(body, 0.5f, 0.3f);
        lbSystem system = lb_body_system(body);
        unsigned seed = 2;
        float* q = calloc(4 * (size_t)n, 4);
        double partial[8], least = INFINITY;
        system.assemble(system.self, body->x, 0, -1, 0, lb_tangentDefinite);
        for (int round = 0; round < 50; ++round) {
            float* p = random_vector(n, 1, &seed);
            double dot = lb_multiply(&body->matrix, NULL, p, q, partial);
            least = fmin(least, dot / sqrt(dot_vectors(p, p, n) * dot_vectors(q, q, n)));
            free(p);
        }
        CHECK(least > 0);
        free(q);
        destroy_body(body);
    }
}

TEST_MAIN(TEST_ENTRY(ForcesAreMinusTheGradientOfTheEnergyAndTangentsTheirDerivative),
          TEST_ENTRY(RigidMotionMakesNoForce), TEST_ENTRY(ASmallStretchMeetsYoungsModulusAndPoissonsRatio),
          TEST_ENTRY(TheMatrixIsTheTangent), TEST_ENTRY(TheDefiniteTangentResistsInEveryDirection))
