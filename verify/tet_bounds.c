/* The highest frequency of tetrahedra against the bound by which explicit methods choose their steps, and against
 * Courant's condition per element: no wave may cross an element in less than a step,
 *
 *   step <= h / c,  h = (sum of 1 / altitude^2)^(-1/2) over its four altitudes,  c = sqrt((lambda + 2 mu) / rho)
 *
 * Both are safe on any mesh: a system's highest frequency is at most that of one of its elements by itself. G. Debunne,
 * M. Desbrun, M.-P. Cani and A. H. Barr, Adaptive Simulation of Soft Bodies in Real-Time, 2000, equation (8), have
 * edges in place of h: too long. */
#include "base/result.h"
#include "mesh/operators.h"
#include "verify/law_checks.h"
#include "verify/suites.h"
#include "verify/tet_sample.h"

/* The square root of the largest eigenvalue of M^-1 (-dF/dx), rad/s, by power iteration, shifted so that what gives way
 * does not win. */
static double highest_frequency(const lbTetSample* sample, const float* x, double bound) {
    unsigned seed = 6;
    const lbDynamicModel* model = sample->model;
    int n = model->nodeCount;
    double square = 0, shift = bound * bound;
    float *p = random_vector(n, 1, &seed), *y = lb_sample_vector(sample);
    for (int round = 0; round < 1000; ++round) {
        double above = 0, below = 0, size = 0;
        lb_sample_tangent(sample, x, -1, 0, p, y);
        for (int i = 0; i < 4 * n; ++i) {
            above += (double)p[i] * (double)y[i];
            below += (double)p[i] * (double)p[i] * (double)model->mass[i / 4];
            y[i] = (float)(shift * (double)p[i] + (double)y[i] / (double)model->mass[i / 4]);
            size += (double)y[i] * (double)y[i];
        }
        square = above / below;
        for (int i = 0; i < 4 * n; ++i) {
            p[i] = (float)((double)y[i] / sqrt(size));
        }
    }
    free(p), free(y);
    return sqrt(square);
}

/* Over all elements, m. */
typedef struct lbLeastLengths {
    double h, edge;
} lbLeastLengths;

static lbLeastLengths find_lengths(const lbMesh* mesh) {
    lbLeastLengths least = {INFINITY, INFINITY};
    for (int t = 0; t < mesh->tetCount; ++t) {
        const int* node = mesh->tets[t].node;
        lbVec3d a[4]; /* as long as one over the altitudes */
        double sum = 0;
        lb_tet_gradients(mesh, t, a);
        for (int i = 0; i < 4; ++i) {
            sum += vec3d_dot(a[i], a[i]);
            for (int j = i + 1; j < 4; ++j) {
                double edge = vec3d_length(vec3d_sub(mesh->nodes[node[i]], mesh->nodes[node[j]]));
                least.edge = fmin(least.edge, edge);
            }
        }
        least.h = fmin(least.h, 1 / sqrt(sum));
    }
    return least;
}

static double bound_at(const lbTetSample* sample, const float* x) {
    float* blocks = calloc(lb_boundNumbers * (size_t)sample->model->nodeCount, sizeof(float));
    double bound = lb_bound_motion(sample->model, NULL, x, blocks).frequency;
    free(blocks);
    return bound;
}

/* In units of the longest stable step of leap-frog methods, 2 / (highest frequency). */
static lbResult compare_conditions(lbVerifyContext* context, double jitter) {
    lbTetSampleDef def = lb_default_tet_sample(lb_lawGreen);
    lbTetSample sample;
    def.pattern = lb_tetPatternSix;
    def.jitter = jitter;
    LB_TRY(lb_create_tet_sample(&def, &sample));
    const float* rest = sample.model->rest;
    const char* who = jitter > 0 ? "random mesh" : "uniform mesh";
    double bound = bound_at(&sample, rest), half = highest_frequency(&sample, rest, bound) / 2;
    double speed = lbMaterial_GetWaveSpeed(&sample.model->material);
    lbLeastLengths least = find_lengths(&sample.model->mesh);
    lb_verify_at_most(context, lb_verify_name(context, "step by limber's bound / longest stable step, %s", who),
                      2 * half / bound, 1);
    lb_verify_at_most(context, lb_verify_name(context, "Courant's step / longest stable step, %s", who),
                      least.h / speed * half, 1);
    lb_verify_at_least(context, lb_verify_name(context, "the same by shortest edge, %s: too long", who),
                       least.edge / speed * half, 1);
    lb_destroy_tet_sample(&sample);
    return lb_success();
}

/* By how much the bound is above the truth depends on how uneven elements at a node are, not on how large they are. */
static lbResult check_law(lbVerifyContext* context, lbLawKind law, float nu) {
    lbTetSampleDef def = lb_default_tet_sample(law);
    lbTetSample sample;
    def.nu = nu;
    LB_TRY(lb_create_tet_sample(&def, &sample));
    unsigned seed = 3;
    int n = sample.model->nodeCount;
    const char* who = lbLawKind_GetName(law);
    double bound = bound_at(&sample, sample.model->rest);
    lb_verify_near(context,
                   lb_verify_name(context, "%s, nu = %g: highest frequency / its bound, at rest", who, (double)nu),
                   highest_frequency(&sample, sample.model->rest, bound) / bound, 0.8, 0.2);
    float* x = random_vector(n, 0.1f, &seed);
    offset_vector(x, 1, sample.model->rest, n, x);
    bound = bound_at(&sample, x);
    lb_verify_at_most(context,
                      lb_verify_name(context, "%s, nu = %g: highest frequency / its bound, shaken", who, (double)nu),
                      highest_frequency(&sample, x, bound) / bound, 1);
    free(x);
    lb_destroy_tet_sample(&sample);
    return lb_success();
}

lbResult lb_verify_tet_bounds(lbVerifyContext* context) {
    LB_TRY(compare_conditions(context, 0));
    LB_TRY(compare_conditions(context, 0.15));
    for (lbLawKind law = lb_lawLinear; law < lb_lawKindCount; ++law) {
        LB_TRY(check_law(context, law, 0.3f));
    }
    return check_law(context, lb_lawNeoHookean, 0.49f);
}
