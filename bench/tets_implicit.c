/* A step of implicit Euler on tetrahedra: a block of 1 x 0.25 x 0.25 m, 40 x 10 x 10 cells of six tetrahedra (24,000 of
 * them, 4,961 nodes), E = 1 MPa, nu = 0.3, 1000 kg/m^3, corotational, without damping; one end fixed, gravity; steps of
 * 10 ms, each to a true residual of 1e-6 of the right side, in double; on one thread, from rest, for 0.2 s. The same
 * with the neo-Hookean law, at nu = 0.49 and 0.499, with volumes averaged around nodes, and by the method of second
 * order. Then the same block and one of 98,304 tetrahedra, on one thread and on all.
 *
 * What bounds it: products with the matrix, one for each iteration. Each reads 61,520 blocks of 9 numbers and an index,
 * 2.5 MB, from the third-level cache, and gathers a node for each of them. */
#include "base/math.h"
#include "base/result.h"
#include "bench/benches.h"
#include "bench/timed_steps.h"
#include "verify/tet_block.h"

#include <stdio.h>

enum { stepCount = 20, runCount = 5 };
static const double stepSeconds = 0.01;
static const lbTetBlock block = {{1, 0.25, 0.25}, {40, 10, 10}};

/* Leaves how far the centre of the free end dropped, m. */
static lbResult run_steps(const lbHost* host, lbDynamicModel* model, lbIntegratorKind integrator, lbTimedSteps* run,
                          double* drop) {
    lbBodyDef def = lbDefaultBodyDef();
    def.integrator = integrator;
    def.settings = (lbIntegratorSettings){.tolerance = 1e-6f, .iterationLimit = 1000};
    lbDynamicBody* body = NULL;
    LB_TRY(lb_create_block_body(host, model, &def, &body));
    lb_time_steps(body, stepCount, stepSeconds, run);
    int end = lb_find_block_node(model, vec3d(0.5, 0, 0));
    *drop = -(double)body->x[4 * end + 1];
    lb_destroy_dynamic_body(body);
    return lb_success();
}

typedef struct Case {
    const char* name;
    lbLawKind law;
    float nu;
    lbIntegratorKind integrator;
} Case;

static void report_runs(lbBenchContext* context, const char* name, lbTimedSteps* runs, double drop) {
    lbStepTimes times = lb_find_step_times(runs, runCount);
    lb_bench_report_of(context, name, "step_ms", 1e3 * times.median, "ms");
    lb_bench_report_of(context, name, "slowest_step_ms", 1e3 * times.slowest, "ms");
    lb_bench_report_of(context, name, "iterations", lb_median(runs[0].iterations, stepCount), "1");
    lb_bench_report_of(context, name, "worst_residual", runs[0].worstResidual, "1");
    lb_bench_report_of(context, name, "drop", drop, "m");
}

static lbResult measure_case(lbBenchContext* context, const Case* one) {
    static lbTimedSteps runs[runCount];
    double drop = 0;
    lbModelDef def = lbDefaultModelDef();
    def.law.kind = one->law;
    def.material = (lbMaterial){.density = 1000, .youngsModulus = 1e6f, .poissonsRatio = one->nu};
    lbDynamicModel* model = NULL;
    lb_bench_progress(context, one->name);
    LB_TRY(lb_create_block_model(context->host, &block, &def, &model));
    lbResult result = lb_success();
    for (int r = 0; r < runCount && result.code == lb_ok; ++r) {
        result = run_steps(context->host, model, one->integrator, &runs[r], &drop);
    }
    if (result.code == lb_ok) {
        report_runs(context, one->name, runs, drop);
    }
    lb_destroy_dynamic_model(model);
    return result;
}

/* ---- On all threads ---------------------------------------------------------------------------------------------- */

typedef struct Threaded {
    lbDynamicBody* body;
    lbTasks* tasks; /* that the next step runs on */
    int step;
} Threaded;

static void take_step(void* argument) {
    Threaded* run = argument;
    run->body->base.tasks = run->tasks;
    lb_advance_body(&run->body->base, run->step * stepSeconds, stepSeconds);
    run->step += 1;
}

static void report_threads(lbBenchContext* context, const char* name, const lbGain* gain, double limit) {
    lb_bench_report_of(context, name, "step_ms_all", 1e3 * gain->seconds[lb_allThreads], "ms");
    char metric[80];
    snprintf(metric, sizeof(metric), "%s_gain_of_threads", name);
    lb_bench_report_with_limit(context, metric, gain->quartiles[1], "1", limit);
}

static lbResult measure_body_threads(lbBenchContext* context, const char* name, bool all, lbDynamicModel* model) {
    lbMachineLimits limits;
    LB_TRY(lb_bench_limits(context, &limits));
    lbBodyDef def = lbDefaultBodyDef();
    def.integrator = lb_integratorImplicitEuler;
    def.settings = (lbIntegratorSettings){.tolerance = 1e-6f, .iterationLimit = 1000};
    Threaded run = {.tasks = context->tasks[lb_oneThread]};
    LB_TRY(lb_create_block_body(context->host, model, &def, &run.body));
    for (int i = 0; i < 3; ++i) { /* guesses have become good */
        take_step(&run);
    }
    lbGainRun gainRun = {take_step, &run, &run.tasks, context->tasks};
    lbGain gain = lb_bench_gain(context, 1.5, &gainRun);
    if (all) {
        lb_bench_report_of(context, name, "step_ms", 1e3 * gain.seconds[lb_oneThread], "ms");
        lb_bench_report_of(context, name, "iterations", run.body->solve.iterations, "1");
    }
    report_threads(context, name, &gain, limits.gain);
    lb_destroy_dynamic_body(run.body);
    return lb_success();
}

/* `all`: times on one thread, too, which other rows have of the smaller block. */
static lbResult measure_threads(lbBenchContext* context, const char* name, const lbTetBlock* size, bool all) {
    lbModelDef def = lbDefaultModelDef();
    def.law.kind = lb_lawCorotational;
    def.material = (lbMaterial){.density = 1000, .youngsModulus = 1e6f, .poissonsRatio = 0.3f};
    lbDynamicModel* model = NULL;
    lb_bench_progress(context, name);
    LB_TRY(lb_create_block_model(context->host, size, &def, &model));
    lbResult result = measure_body_threads(context, name, all, model);
    lb_destroy_dynamic_model(model);
    return result;
}

lbResult lb_bench_implicit_tets(lbBenchContext* context) {
    const Case cases[] = {
        {"implicit_24k", lb_lawCorotational, 0.3f, lb_integratorImplicitEuler},
        {"implicit_24k_neohookean", lb_lawNeoHookean, 0.3f, lb_integratorImplicitEuler},
        {"implicit_24k_averaged", lb_lawCorotational, 0.49f, lb_integratorImplicitEuler},
        {"implicit_24k_averaged_499", lb_lawCorotational, 0.499f, lb_integratorImplicitEuler},
        {"second_order_24k", lb_lawCorotational, 0.3f, lb_integratorGeneralisedAlpha},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        LB_TRY(measure_case(context, &cases[i]));
    }
    const lbTetBlock large = {{1, 0.25, 0.25}, {64, 16, 16}};
    LB_TRY(measure_threads(context, "implicit_24k", &block, false));
    return measure_threads(context, "implicit_100k", &large, true);
}
