/* A step of implicit Euler on tetrahedra: a block of 1 x 0.25 x 0.25 m, 40 x 10 x 10 cells of six tetrahedra (24,000 of
 * them, 4,961 nodes), E = 1 MPa, nu = 0.3, 1000 kg/m^3, corotational, without damping; one end fixed, gravity; steps of
 * 10 ms, each to a true residual of 1e-6 of the right side, in double; on one thread, from rest, for 0.2 s. The same
 * with the neo-Hookean law, and at nu = 0.49, with volumes averaged around nodes.
 *
 * What bounds it: products with the matrix, one for each iteration. Each reads 61,520 blocks of 9 numbers and an index,
 * 2.5 MB, from the third-level cache, and gathers a node for each of them. */
#include "base/clock.h"
#include "base/math.h"
#include "base/result.h"
#include "bench/benches.h"
#include "body/body.h"
#include "verify/tet_block.h"

#include <stdlib.h>

enum { stepCount = 20, runCount = 5 };
static const double stepSeconds = 0.01;
static const lbTetBlock block = {{1, 0.25, 0.25}, {40, 10, 10}};

typedef struct Run {
    double times[stepCount]; /* s */
    double iterations[stepCount];
    double worstResidual;
    double drop; /* m, of the centre of the free end */
} Run;

static lbResult run_steps(const lbHost* host, lbModel* model, Run* run) {
    lbBodyDef def = lbDefaultBodyDef();
    def.integrator = lb_integratorImplicitEuler;
    def.settings = (lbIntegratorSettings){.tolerance = 1e-6f, .iterationLimit = 1000};
    lbBody* body = NULL;
    LB_TRY(lb_create_body(host, NULL, model, &def, &body));
    lb_hold_block_end(body);
    body->gravity = vec3(0, -9.81f, 0);
    run->worstResidual = 0;
    for (int i = 0; i < stepCount; ++i) {
        double begin = lb_seconds();
        body->ops->advance(body, i * stepSeconds, stepSeconds);
        run->times[i] = lb_seconds() - begin;
        run->iterations[i] = body->solve.iterations;
        run->worstResidual = fmax(run->worstResidual, body->solve.residual);
    }
    int end = lb_find_block_node(model, vec3d(0.5, 0, 0));
    run->drop = -(double)body->x[4 * end + 1];
    lb_destroy_body(body);
    return lb_success();
}

typedef struct Case {
    const char* name;
    lbLawKind law;
    float nu;
} Case;

static void report(lbBenchContext* context, const char* name, const char* what, double value, const char* unit) {
    char metric[64];
    snprintf(metric, sizeof(metric), "%s_%s", name, what);
    lb_bench_report(context, metric, value, unit);
}

/* Each step is timed in several runs; the median of each step, and of them the median. */
static void report_runs(lbBenchContext* context, const char* name, Run* runs) {
    double steps[stepCount], samples[runCount];
    for (int i = 0; i < stepCount; ++i) {
        for (int r = 0; r < runCount; ++r) {
            samples[r] = runs[r].times[i];
        }
        steps[i] = lb_median(samples, runCount);
    }
    report(context, name, "step_ms", 1e3 * lb_median(steps, stepCount), "ms");
    report(context, name, "slowest_step_ms", 1e3 * steps[stepCount - 1], "ms"); /* sorted by now */
    report(context, name, "iterations", lb_median(runs[0].iterations, stepCount), "1");
    report(context, name, "worst_residual", runs[0].worstResidual, "1");
    report(context, name, "drop", runs[0].drop, "m");
}

static lbResult measure_case(lbBenchContext* context, const Case* one) {
    static Run runs[runCount];
    lbModelDef def = lbDefaultModelDef();
    def.law.kind = one->law;
    def.material = (lbMaterial){.density = 1000, .youngsModulus = 1e6f, .poissonsRatio = one->nu};
    lbModel* model = NULL;
    lb_bench_progress(context, one->name);
    LB_TRY(lb_create_block_model(context->host, &block, &def, &model));
    lbResult result = lb_success();
    for (int r = 0; r < runCount && result.code == lb_ok; ++r) {
        result = run_steps(context->host, model, &runs[r]);
    }
    if (result.code == lb_ok) {
        report_runs(context, one->name, runs);
    }
    lb_destroy_model(model);
    return result;
}

lbResult lb_bench_implicit_tets(lbBenchContext* context) {
    const Case cases[] = {
        {"implicit_24k", lb_lawCorotational, 0.3f},
        {"implicit_24k_neohookean", lb_lawNeoHookean, 0.3f},
        {"implicit_24k_averaged", lb_lawCorotational, 0.49f},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        LB_TRY(measure_case(context, &cases[i]));
    }
    return lb_success();
}
