/* What a body of tetrahedra costs as a whole, on one thread:
 *   explicit_100k_steps_per_s  steps of symplectic Euler of a block of 101,400 tetrahedra (25 x 26 x 26 cells of six),
 *                              corotational, undamped, one end fixed, gravity: zeroing, forces, gravity, division by
 *                              masses, integration
 *   equilibrium_24k_ms         from rest to the static equilibrium of the beam of implicit_24k, forces balanced to 1e-4
 * of its weight or to the rounding of its positions */
#include "base/clock.h"
#include "base/math.h"
#include "base/result.h"
#include "bench/benches.h"
#include "body/dynamic/assembly.h"
#include "integrate/equilibrium.h"
#include "verify/tet_block.h"

#include <string.h>

typedef struct Stepping {
    lbDynamicBody* body;
    double time, h; /* s */
} Stepping;

static lbResult create(lbBenchContext* context, const lbTetBlock* block, lbIntegratorKind integrator,
                       lbDynamicBody** body) {
    lbModelDef def = lbDefaultModelDef();
    def.law.kind = lb_lawCorotational;
    def.material = (lbMaterial){.density = 1000, .youngsModulus = 1e6f, .poissonsRatio = 0.3f};
    lbDynamicModel* model = NULL;
    LB_TRY(lb_create_block_model(context->host, block, &def, &model));
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.integrator = integrator;
    lbResult result = lb_create_block_body(context->host, model, &bodyDef, body);
    if (result.code != lb_ok) {
        lb_destroy_dynamic_model(model);
    }
    return result;
}

static void destroy(lbDynamicBody* body) {
    lbDynamicModel* model = body->model;
    lb_destroy_dynamic_body(body);
    lb_destroy_dynamic_model(model);
}

static void take_step(void* argument) {
    Stepping* stepping = argument;
    lb_advance_body(&stepping->body->base, stepping->time, stepping->h);
    stepping->time += stepping->h;
}

static lbResult measure_explicit(lbBenchContext* context) {
    const lbTetBlock block = {{1, 1.04, 1.04}, {25, 26, 26}};
    Stepping stepping = {0};
    lb_bench_progress(context, "explicit_100k_steps_per_s");
    LB_TRY(create(context, &block, lb_integratorSymplecticEuler, &stepping.body));
    stepping.h = 0.8 * lb_dynamic_stable_step(&stepping.body->base);
    double seconds = lb_bench_time(context, 0.5, take_step, &stepping).median;
    lb_bench_report(context, "explicit_100k_steps_per_s", 1 / seconds, "1/s");
    lb_bench_report(context, "explicit_100k_tets_per_s", stepping.body->model->tetCount / seconds, "1/s");
    destroy(stepping.body);
    return lb_success();
}

static lbResult solve(lbDynamicBody* body, lbEquilibriumReport* report, double* seconds) {
    lbEquilibriumDef def = lbDefaultEquilibriumDef();
    memcpy(body->x, body->model->rest, 4 * (size_t)body->model->nodeCount * sizeof(float));
    double begin = lb_seconds();
    lbResult result = lb_dynamic_solve_equilibrium(&body->base, NULL, &def, report);
    *seconds = lb_seconds() - begin;
    return result;
}

static lbResult measure_equilibrium(lbBenchContext* context) {
    enum { runCount = 7 };
    const lbTetBlock block = {{1, 0.25, 0.25}, {40, 10, 10}};
    lbDynamicBody* body = NULL;
    lbEquilibriumReport report = {0};
    double samples[runCount];
    lb_bench_progress(context, "equilibrium_24k_ms");
    LB_TRY(create(context, &block, lb_integratorImplicitEuler, &body));
    lbResult result = lb_success();
    for (int i = 0; i < runCount && result.code == lb_ok; ++i) {
        result = solve(body, &report, &samples[i]);
    }
    if (result.code == lb_ok) {
        lb_sort_samples(samples, runCount);
        lb_bench_report(context, "equilibrium_24k_ms", 1e3 * lb_quantile(samples, runCount, 0.5), "ms");
        lb_bench_report(context, "equilibrium_24k_iterations", report.iterations, "1");
        lb_bench_report(context, "equilibrium_24k_products", report.products, "1");
        int end = lb_find_block_node(body->model, vec3d(0.5, 0, 0));
        lb_bench_report(context, "equilibrium_24k_drop", -(double)body->x[4 * end + 1], "m");
    }
    destroy(body);
    return result;
}

lbResult lb_bench_tet_steps(lbBenchContext* context) {
    LB_TRY(measure_explicit(context));
    return measure_equilibrium(context);
}
