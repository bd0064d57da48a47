#include "body/dynamic/assembly.h"
#include "integrate/theta.h"
#include "matrix/dense_inverse.h"
#include "test_shapes.h"
#include "verify/law_checks.h"

typedef enum Kind { springsOnly, withPenalties } Kind;

static lbDynamicBody* make_body(Kind kind, int cells) {
    lbShape* cube = make_cube();
    lbModelDef def = lbDefaultModelDef();
    def.shape = cube;
    def.mesh.edge = 2.0f / (float)cells;
    def.material.stiffnessDamping = 0.01f;
    def.material.massDamping = 0.3f;
    if (kind == withPenalties) {
        def.penalty.volume = 2e4f;
        def.penalty.area = 3e3f;
        def.penalty.surface = 2e3f;
    }
    lbDynamicModel* model = NULL;
    CHECK_OK(lb_make_dynamic_model(lb_resolve_host(NULL), &def, &model));
    lbDestroyShape(cube);
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.integrator = lb_integratorImplicitEuler;
    lbDynamicBody* body = NULL;
    CHECK_OK(lb_make_dynamic_body(lb_resolve_host(NULL), NULL, model, &bodyDef, &body));
    return body;
}

static void destroy(lbDynamicBody* body) {
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

static double largest(const float* a, int count) {
    double most = 0;
    for (int i = 0; i < 4 * count; ++i) {
        most = fmax(most, fabs((double)a[i]));
    }
    return most;
}

/* A matrix whose inverse is known in closed form: A_ik = min(i, k) + 1 has tridiag(-1, 2, -1), but for a 1 in the last
 * place. Products must be right for sizes that fill their rows and for those that do not. */
TEST(DenseInversesAreInverses) {
    const int sizes[] = {1, 7, 8, 45};
    const lbHost* host = lb_resolve_host(NULL);
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); ++s) {
        int n = sizes[s];
        double a[45 * 45];
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < n; ++k) {
                a[i * n + k] = (i < k ? i : k) + 1;
            }
        }
        lbDenseInverse inverse;
        CHECK(lb_create_dense_inverse(host, n, a, &inverse));
        _Alignas(64) float x[48] = {0}, y[48];
        for (int i = 0; i < n; ++i) {
            x[i] = (float)(i % 5 - 2);
        }
        lb_multiply_dense(&inverse, x, y);
        for (int i = 0; i < n; ++i) {
            float before = i > 0 ? x[i - 1] : 0, after = i + 1 < n ? x[i + 1] : 0;
            CHECK_NEAR(y[i], (i + 1 < n ? 2 : 1) * x[i] - before - after, 1e-4);
        }
        lb_destroy_dense_inverse(host, &inverse);
    }
    double indefinite[4] = {1, 2, 2, 1};
    lbDenseInverse none;
    CHECK(!lb_create_dense_inverse(host, 2, indefinite, &none));
}

TEST(TheMatrixIsTheTangentOfEveryLaw) {
    for (int kind = springsOnly; kind <= withPenalties; ++kind) {
        lbDynamicBody* body = make_body((Kind)kind, 3);
        int n = body->model->nodeCount;
        deform(body, 0.95f, 0.05f);
        lbSystem system = lb_body_system(body);
        CHECK(system.matrix.pattern->numberCount == (kind == springsOnly ? 6 : 9));
        unsigned seed = 4;
        float *p = random_vector(n, 1, &seed), *q = calloc(4 * (size_t)n, 4), *y = calloc(4 * (size_t)n, 4);
        double partial[8];
        const float mass = 2, a = -0.3f, b = -0.1f;
        lb_assemble_body(body, body->x, mass, a, b, lb_tangentExact);
        double dot = lb_multiply(&body->matrix, NULL, p, q, partial);
        for (int i = 0; i < 4 * n; ++i) {
            y[i] = mass * body->model->mass[i / 4] * p[i];
        }
        system.tangent(system.self, body->x, a, b, p, y);
        CHECK_NEAR(dot, dot_vectors(p, y, n), 1e-5 * sqrt(dot_vectors(p, p, n) * dot_vectors(y, y, n)));
        offset_vector(q, -1, y, n, q);
        CHECK_NEAR(largest(q, n) / largest(y, n), 0, 1e-5); /* sums of some twenty float32 products */
        free(p), free(q), free(y);
        destroy(body);
    }
}

/* Forces are linear in velocities here, so that differences are exact but for rounding. */
TEST(TheTangentInVelocitiesMatchesDifferences) {
    lbDynamicBody* body = make_body(withPenalties, 3);
    int n = body->model->nodeCount;
    deform(body, 1, 0.05f);
    lbSystem system = lb_body_system(body);
    unsigned seed = 6;
    size_t bytes = 4 * (size_t)n * sizeof(float);
    float *v = random_vector(n, 1, &seed), *q = random_vector(n, 1, &seed);
    float *after = calloc(1, bytes), *before = calloc(1, bytes), *y = calloc(1, bytes);
    offset_vector(v, 1, q, n, v);
    lb_body_forces(body, (lbMoment){0}, body->x, v, after);
    offset_vector(v, -2, q, n, v);
    lb_body_forces(body, (lbMoment){0}, body->x, v, before);
    system.tangent(system.self, body->x, 0, 2, q, y);
    offset_vector(after, -1, before, n, after);
    offset_vector(after, -1, y, n, after);
    CHECK_NEAR(largest(after, n) / largest(y, n), 0, 1e-5);
    free(v), free(q), free(after), free(before), free(y);
    destroy(body);
}

/* A body pressed to half its size gives way in many directions. */
TEST(TheDefiniteTangentResistsInEveryDirection) {
    for (int kind = springsOnly; kind <= withPenalties; ++kind) {
        lbDynamicBody* body = make_body((Kind)kind, 3);
        int n = body->model->nodeCount;
        deform(body, 0.5f, 0.02f);
        unsigned seed = 2;
        float* q = calloc(4 * (size_t)n, 4);
        double partial[8], least[2] = {INFINITY, INFINITY};
        for (int tangent = lb_tangentExact; tangent <= lb_tangentDefinite; ++tangent) {
            lb_assemble_body(body, body->x, 0, -1, 0, (lbTangentKind)tangent);
            for (int round = 0; round < 20; ++round) {
                float* p = random_vector(n, 1, &seed);
                double dot = lb_multiply(&body->matrix, NULL, p, q, partial);
                least[tangent] = fmin(least[tangent], dot / sqrt(dot_vectors(p, p, n) * dot_vectors(q, q, n)));
                free(p);
            }
        }
        CHECK(kind == withPenalties || least[lb_tangentExact] < 0);
        CHECK(least[lb_tangentDefinite] > 0);
        free(q);
        destroy(body);
    }
}

/* b - A x of one row in double, from the blocks that the laws have added, with the diagonal written out. */
static lbVec3d residual_of_row(const lbBlockMatrix* matrix, int row, double weight, const float* b, const double* x) {
    const lbBlockPattern* pattern = matrix->pattern;
    const int six[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    double r[3], diagonal[9] = {0};
    for (int c = 0; c < 3; ++c) {
        r[c] = (double)b[4 * row + c] - weight * x[4 * row + c];
    }
    for (int column = 0; column < pattern->rowCount; ++column) {
        int place = lb_block_place(pattern, row, column);
        for (int e = 0; e < 9 && place != lb_place_without_effect(pattern); ++e) {
            int number = pattern->numberCount == 6 ? six[e] : place < 0 ? 3 * (e % 3) + e / 3 : e;
            double k = (double)matrix->pairs[(place < 0 ? ~place : place) + number];
            r[e / 3] -= k * x[4 * column + e % 3];
            diagonal[e] -= k;
        }
    }
    for (int e = 0; e < 9; ++e) {
        r[e / 3] -= diagonal[e] * x[4 * row + e % 3];
    }
    return vec3d(r[0], r[1], r[2]);
}

/* |b - A x| / |b|, what is held left out. */
static double residual_in_double(const lbDynamicBody* body, float mass, const float* b, const double* x) {
    double sum = 0, scale = 0;
    const float all[6] = {1, 1, 1, 0, 0, 0};
    for (int row = 0; row < body->model->nodeCount; ++row) {
        const float* s = all;
        for (int i = 0; i < body->heldCount; ++i) {
            s = body->held[i].node == row ? body->held[i].filter : s;
        }
        lbVec3d r = residual_of_row(&body->matrix, row, (double)(mass * body->model->mass[row]), b, x);
        r = vec3d((double)s[0] * r.x, (double)s[1] * r.y, (double)s[2] * r.z); /* along axes only */
        sum += vec3d_dot(r, r);
        scale += vec3d_dot(vec3d_load(b + 4 * row), vec3d_load(b + 4 * row));
    }
    return sqrt(sum / scale);
}

/* One side fixed, the other held along y. */
static void hold_two_sides(lbDynamicBody* body) {
    for (int i = 0; i < body->model->nodeCount; ++i) {
        float x = body->model->rest[4 * i];
        if (x < -0.99f) {
            body->held[body->heldCount++] = (lbHeldNode){.node = i};
        } else if (x > 0.99f) {
            body->held[body->heldCount++] = (lbHeldNode){.node = i, .filter = {1, 0, 1, 0, 0, 0}};
        }
    }
}

/* More nodes than a chunk, so that slices are not all full. At 1e-6 a solution in float32 would not do: its rounding
 * alone leaves more. */
TEST(ConjugateGradientsReachTheResidualThatTheyState) {
    for (int kind = springsOnly; kind <= withPenalties; ++kind) {
        lbDynamicBody* body = make_body((Kind)kind, 8);
        int n = body->model->nodeCount;
        CHECK(n > matrixChunk && n % 8 != 0);
        deform(body, 0.97f, 0.01f);
        hold_two_sides(body);
        lbSystem system = lb_body_system(body);
        unsigned seed = 8;
        float* b = random_vector(n, 1, &seed);
        double* x = calloc(4 * (size_t)n, sizeof(double));
        system.project(system.self, b);
        const double tolerances[3] = {1e-2, 1e-4, 1e-6};
        for (int i = 0; i < 3; ++i) {
            lbTangentSystem tangent = {&system, body->x, 1, -1e-2f, -1e-1f, lb_tangentDefinite, NULL};
            lbSolve solve = lb_solve_tangent(&tangent, b, x, tolerances[i], 500);
            CHECK(solve.definite && solve.residual <= tolerances[i] && solve.iterations > 2);
            float weight = 1 + 1e-1f * body->model->material.massDamping;
            CHECK_NEAR(residual_in_double(body, weight, b, x), solve.residual, 1e-3 * tolerances[i]);
            for (int k = 0; k < body->heldCount; ++k) { /* what is held stays exactly zero */
                const double* held = x + 4 * body->held[k].node;
                CHECK(held[1] == 0 && (body->held[k].filter[0] != 0 || (held[0] == 0 && held[2] == 0)));
            }
        }
        body->heldCount = 0;
        free(b), free(x);
        destroy(body);
    }
}

/* The tangent as products and as a matrix lead to the same step. */
TEST(ProductsAloneGiveTheSameSolution) {
    lbDynamicBody* body = make_body(springsOnly, 4);
    int n = body->model->nodeCount;
    deform(body, 1.2f, 0.01f); /* stretched: the exact tangent is definite */
    lbSystem system = lb_body_system(body);
    unsigned seed = 8;
    float* b = random_vector(n, 1, &seed);
    double *x = calloc(4 * (size_t)n, sizeof(double)), *y = calloc(4 * (size_t)n, sizeof(double));
    lbTangentSystem tangent = {&system, body->x, 1, -1e-3f, -1e-2f, lb_tangentExact, NULL};
    CHECK(lb_solve_tangent(&tangent, b, x, 1e-6, 500).residual <= 1e-6);
    system.assemble = NULL;
    system.grids = NULL;
    CHECK(lb_solve_tangent(&tangent, b, y, 1e-6, 500).residual <= 1e-6);
    double difference = 0, size = 0;
    for (int i = 0; i < 4 * n; ++i) {
        difference += (y[i] - x[i]) * (y[i] - x[i]);
        size += x[i] * x[i];
    }
    CHECK_NEAR(sqrt(difference / size), 0, 1e-5);
    free(b), free(x), free(y);
    destroy(body);
}

TEST(AnIndefiniteMatrixIsReportedAndHarmless) {
    lbDynamicBody* body = make_body(springsOnly, 3);
    int n = body->model->nodeCount;
    deform(body, 0.5f, 0.02f);
    lbSystem system = lb_body_system(body);
    unsigned seed = 8;
    float* b = random_vector(n, 1, &seed);
    double* x = calloc(4 * (size_t)n, sizeof(double));
    lbTangentSystem tangent = {&system, body->x, 0, -1, 0, lb_tangentExact, NULL};
    CHECK(!lb_solve_tangent(&tangent, b, x, 1e-3, 500).definite);
    for (int i = 0; i < 4 * n; ++i) {
        CHECK(isfinite(x[i]));
    }
    free(b), free(x);
    destroy(body);
}

TEST_MAIN(TEST_ENTRY(TheMatrixIsTheTangentOfEveryLaw), TEST_ENTRY(TheTangentInVelocitiesMatchesDifferences),
          TEST_ENTRY(TheDefiniteTangentResistsInEveryDirection),
          TEST_ENTRY(ConjugateGradientsReachTheResidualThatTheyState), TEST_ENTRY(ProductsAloneGiveTheSameSolution),
          TEST_ENTRY(AnIndefiniteMatrixIsReportedAndHarmless), TEST_ENTRY(DenseInversesAreInverses))
