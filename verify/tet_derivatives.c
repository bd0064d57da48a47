/* Laws of tetrahedra: forces against differences of the energy, tangents against differences of forces, elements inside
 * out among them; and the definite tangent that implicit methods solve with. */
#include "base/result.h"
#include "body/dynamic/assembly.h"
#include "verify/law_checks.h"
#include "verify/suites.h"
#include "verify/tet_sample.h"

#include <stdio.h>

/* By how much nodes are moved at random, m, of 0.5 m between neighbours. */
static const float shaken = 0.05f, insideOut = 0.4f;

/* ---- Energy, force, tangent -------------------------------------------------------------------------------------- */

/* Central differences over eps: positions of 1 m are rounded at 6e-8 m, so that an energy that changes over 2 eps is
 * off by 1e-7 / eps of the force, and less where the roundings of 125 nodes cancel. Energies are cubic at most in what
 * eps^2 leaves out: 1e-6. */
static void check_differences(lbVerifyContext* context, const lbTetSample* sample, int law, float amount,
                              const char* who) {
    /* Inside out, the corotational energy has kinks, where two rotations are as near as each other; the shorter the
     * difference the fewer it steps over. */
    const double eps = amount > 0.1f ? 2e-4 : 1e-3, rounding = 1e-7 / eps;
    double forceError, tangentError;
    measure_law_errors(sample->model, &sample->model->laws[law], amount, eps, &forceError, &tangentError);
    lb_verify_at_most(context, lb_verify_name(context, "%s: force + gradient of the energy", who), forceError,
                      rounding / 10);
    lb_verify_at_most(context, lb_verify_name(context, "%s: tangent - derivative of the force", who), tangentError,
                      amount > 0.1f ? 2 * rounding : rounding / 5);
}

/* |y - g| / |g|; changes y. */
static double relative_distance(float* y, const float* g, int n) {
    offset_vector(y, -1, g, n, y);
    return sqrt(dot_vectors(y, y, n) / dot_vectors(g, g, n));
}

/* Forces are linear in velocities, so that any difference will do: from v to v + p. */
static void check_damping(lbVerifyContext* context, const lbTetSample* sample, const char* who) {
    unsigned seed = 3;
    int n = sample->model->nodeCount;
    float *x = random_vector(n, shaken, &seed), *v = random_vector(n, 20, &seed), *p = random_vector(n, 20, &seed);
    float *y = lb_sample_vector(sample), *f = lb_sample_vector(sample), *g = lb_sample_vector(sample);
    offset_vector(x, 1, sample->model->rest, n, x);
    lb_sample_forces(sample, x, v, f);
    offset_vector(v, 1, p, n, v);
    lb_sample_forces(sample, x, v, g);
    offset_vector(g, -1, f, n, g);
    lb_sample_tangent(sample, x, 0, 1, p, y);
    double power = dot_vectors(g, p, n) / sqrt(dot_vectors(g, g, n) * dot_vectors(p, p, n));
    lb_verify_at_most(context, lb_verify_name(context, "%s: tangent in velocities - difference of forces", who),
                      relative_distance(y, g, n), 2e-6); /* float32 products */
    lb_verify_at_most(context, lb_verify_name(context, "%s: power of the damping, force . velocity", who), power,
                      -0.1); /* in every direction below 0, in random ones clearly */
    free(x), free(v), free(p), free(y), free(f), free(g);
}

/* At rest all laws are damped by stiffnessDamping times their stiffness. */
static void check_damping_at_rest(lbVerifyContext* context, const lbTetSample* sample, const char* who) {
    unsigned seed = 12;
    int n = sample->model->nodeCount;
    const float* rest = sample->model->rest;
    float *p = random_vector(n, 1, &seed), *y = lb_sample_vector(sample), *g = lb_sample_vector(sample);
    lb_sample_tangent(sample, rest, 0, 1, p, y);
    lb_sample_tangent(sample, rest, sample->model->material.stiffnessDamping, 0, p, g);
    lb_verify_at_most(context, lb_verify_name(context, "%s: damping - its time x stiffness, at rest", who),
                      relative_distance(y, g, n), 2e-6);
    free(p), free(y), free(g);
}

/* ---- Matrices ---------------------------------------------------------------------------------------------------- */

typedef struct lbQuotients {
    double least, largest; /* p.Ap / p.p */
} lbQuotients;

/* By power iteration: the largest, then the least as the largest of (largest - A). */
static lbQuotients find_quotients(const lbBlockMatrix* matrix, int n) {
    unsigned seed = 2;
    double partial[8];
    lbQuotients found = {INFINITY, 0};
    float* p = random_vector(n, 1, &seed);
    float* q = calloc(4 * (size_t)n, sizeof(float));
    for (int round = 0; round < 500; ++round) {
        double quotient = lb_multiply(matrix, NULL, p, q, partial) / dot_vectors(p, p, n);
        found.largest = fmax(found.largest, quotient);
        found.least = fmin(found.least, quotient);
        if (round >= 100) { /* from here on towards the softest motion */
            offset_vector(p, -1 / (1.05 * found.largest), q, n, q);
        }
        double size = sqrt(dot_vectors(q, q, n));
        for (int i = 0; i < 4 * n; ++i) {
            p[i] = (float)((double)q[i] / size);
        }
    }
    free(p), free(q);
    return found;
}

/* |A p - (-dF/dx) p| / |A p| for a random p. */
static double distance_from_tangent(const lbTetSample* sample, const lbBlockMatrix* matrix, const float* x) {
    unsigned seed = 4;
    int n = sample->model->nodeCount;
    double partial[8];
    float *p = random_vector(n, 1, &seed), *q = lb_sample_vector(sample), *y = lb_sample_vector(sample);
    lb_multiply(matrix, NULL, p, q, partial);
    lb_sample_tangent(sample, x, -1, 0, p, y);
    offset_vector(y, -1, q, n, y);
    double distance = sqrt(dot_vectors(y, y, n) / dot_vectors(q, q, n));
    free(p), free(q), free(y);
    return distance;
}

static void check_matrix(lbVerifyContext* context, const lbTetSample* sample, lbDynamicBody* body, const char* who) {
    unsigned seed = 9;
    int n = sample->model->nodeCount;
    float* x = random_vector(n, shaken, &seed);
    offset_vector(x, 1, sample->model->rest, n, x);
    lb_assemble_body(body, x, 0, -1, 0, lb_tangentExact);
    lb_verify_at_most(context, lb_verify_name(context, "%s: matrix - tangent", who),
                      distance_from_tangent(sample, &body->matrix, x), 3e-6); /* float32 products */
    lb_assemble_body(body, sample->model->rest, 0, -1, 0, lb_tangentDefinite);
    lb_verify_at_most(context, lb_verify_name(context, "%s: definite matrix - tangent at rest", who),
                      distance_from_tangent(sample, &body->matrix, sample->model->rest), 5e-6);
    free(x);
    x = random_vector(n, insideOut, &seed);
    offset_vector(x, 0.5, sample->model->rest, n, x); /* pressed to half its size, and many elements inside out */
    lb_assemble_body(body, x, 0, -1, 0, lb_tangentDefinite);
    lbQuotients found = find_quotients(&body->matrix, n);
    lb_verify_at_least(context,
                       lb_verify_name(context, "%s: definite matrix, crushed: least / largest eigenvalue", who),
                       found.least / found.largest, -1e-6); /* 0 for rigid motions, but for rounding */
    free(x);
}

static lbResult check_matrices(lbVerifyContext* context, const lbTetSample* sample, const char* who) {
    lbBodyDef def = lbDefaultBodyDef();
    def.integrator = lb_integratorImplicitEuler;
    lbDynamicBody* body = NULL;
    LB_TRY(lb_make_dynamic_body(lb_resolve_host(NULL), NULL, sample->model, &def, &body));
    check_matrix(context, sample, body, who);
    lb_destroy_dynamic_body(body);
    return lb_success();
}

/* ------------------------------------------------------------------------------------------------------------------ */

static lbResult check_law(lbVerifyContext* context, lbLawKind law, lbLinearBoundary boundary) {
    lbTetSampleDef def = lb_default_tet_sample(law);
    lbTetSample sample;
    def.law.boundary = boundary;
    def.stiffnessDamping = 0.01f;
    LB_TRY(lb_create_tet_sample(&def, &sample));
    char who[64], mixed[96];
    snprintf(who, sizeof(who), boundary == lb_boundaryPaper ? "%s (paper)" : "%s", lbLawKind_GetName(law));
    snprintf(mixed, sizeof(mixed), "%s, inside out", who);
    check_differences(context, &sample, 0, shaken, who);
    if (lb_find_law(law)->comesBack) {
        check_differences(context, &sample, 0, insideOut, mixed);
    }
    check_damping(context, &sample, who);
    check_damping_at_rest(context, &sample, who);
    lbResult result = check_matrices(context, &sample, who);
    lb_destroy_tet_sample(&sample);
    return result;
}

/* The law beside the others that keeps the volume of nearly incompressible matter; for the linear law it is linear. */
static lbResult check_averaged(lbVerifyContext* context, lbLawKind law) {
    lbTetSampleDef def = lb_default_tet_sample(law);
    lbTetSample sample;
    def.nu = 0.49f;
    def.stiffnessDamping = 0.01f;
    LB_TRY(lb_create_tet_sample(&def, &sample));
    char who[64];
    snprintf(who, sizeof(who), "averaged volumes, %s", lbLawKind_GetName(law));
    check_differences(context, &sample, 1, shaken, who);
    snprintf(who, sizeof(who), "%s, nu = 0.49", lbLawKind_GetName(law));
    check_damping(context, &sample, who);
    check_damping_at_rest(context, &sample, who);
    lbResult result = check_matrices(context, &sample, who);
    lb_destroy_tet_sample(&sample);
    return result;
}

lbResult lb_verify_tet_derivatives(lbVerifyContext* context) {
    LB_TRY(check_law(context, lb_lawLinear, lb_boundaryFull));
    LB_TRY(check_law(context, lb_lawLinear, lb_boundaryPaper));
    for (lbLawKind law = lb_lawGreen; law < lb_lawKindCount; ++law) {
        LB_TRY(check_law(context, law, lb_boundaryFull));
    }
    LB_TRY(check_averaged(context, lb_lawLinear));
    return check_averaged(context, lb_lawNeoHookean);
}
