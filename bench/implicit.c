/* A step of implicit Euler on the lecture's object (lecture_object.h): 4,096 points, 22,320 springs; steps of 10 ms, to
 * a true relative residual of 1e-3, on one thread.
 *
 * What bounds it: products with the matrix, one for each iteration. Each reads 22,320 x 2 + 4,096 blocks of 6 numbers
 * and an index, 1.3 MB, which do not fit the second-level cache, and gathers a node for each of them. */
#include "base/result.h"
#include "bench/benches.h"
#include "bench/lecture_object.h"
#include "bench/timed_steps.h"

enum { stepCount = 50 };
static const double stepSeconds = 0.01;

/* How the object is set in motion. */
typedef enum Start {
    released, /* from rest, gravity alone */
    hit,      /* a corner of 0.3 m is struck downwards at 5 m/s: all wavelengths */
} Start;

static void strike(lbDynamicBody* body) {
    for (int i = 0; i < body->model->nodeCount; ++i) {
        const float* x = body->x + 4 * (size_t)i;
        if (x[0] > 0.44f && x[1] > 0.44f && x[2] > 0.44f) {
            body->v[4 * (size_t)i + 1] = -5;
        }
    }
}

static lbResult run_steps(lbBenchContext* context, lbDynamicModel* model, Start start, lbTimedSteps* run) {
    lbBodyDef def = lbDefaultBodyDef();
    def.integrator = lb_integratorImplicitEuler;
    def.settings = (lbIntegratorSettings){.tolerance = 1e-3f, .iterationLimit = 1000};
    lbDynamicBody* body = NULL;
    LB_TRY(lb_create_lecture_body(context, model, &def, &body));
    if (start == hit) {
        strike(body);
    }
    lb_time_steps(body, stepCount, stepSeconds, run);
    lb_destroy_dynamic_body(body);
    return lb_success();
}

static lbResult measure(lbBenchContext* context, lbDynamicModel* model, Start start, const char* name) {
    enum { runs = 11 };
    static lbTimedSteps all[runs];
    for (int r = 0; r < runs; ++r) {
        LB_TRY(run_steps(context, model, start, &all[r]));
    }
    lbStepTimes times = lb_find_step_times(all, runs);
    lb_bench_report_of(context, name, "first_step_ms", 1e3 * times.first, "ms");
    lb_bench_report_of(context, name, "step_ms", 1e3 * times.median, "ms");
    lb_bench_report_of(context, name, "slowest_step_ms", 1e3 * times.slowest, "ms");
    lb_bench_report_of(context, name, "iterations", lb_median(all[0].iterations, stepCount), "1");
    lb_bench_report_of(context, name, "worst_residual", all[0].worstResidual, "1");
    return lb_success();
}

lbResult lb_bench_implicit(lbBenchContext* context) {
    lbDynamicModel* model = NULL;
    lb_bench_progress(context, "implicit_22k_step_ms");
    LB_TRY(lb_create_lecture_model(context, lb_lectureCubes, &model));
    lbResult result = measure(context, model, released, "implicit_22k");
    if (result.code == lb_ok) {
        result = measure(context, model, hit, "implicit_22k_hit");
    }
    lb_destroy_dynamic_model(model);
    return result;
}
