/* Precomputation of the four models of Klimenko et al., from the mesh to the file; there it took 18 minutes to 7 hours.
 *
 * What bounds it: the flops of the factorisation, and for the modes the bytes of the factors, read once for each block
 * of right-hand sides. */
#include "base/clock.h"
#include "base/result.h"
#include "bench/benches.h"
#include "bench/elasto_models.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static lbResult write_model(const lbElastostatic* made, double* seconds) {
    char path[64];
    snprintf(path, sizeof(path), "/tmp/limber-bench-%d.lbe", (int)getpid());
    double begin = lb_seconds();
    lbResult result = lbElastostatic_Save(made, path);
    *seconds = lb_seconds() - begin;
    remove(path);
    return result;
}

static lbResult measure(lbBenchContext* context, int model) {
    const char* name = lb_elastoModelNames[model];
    lbElastostatic* made = NULL;
    lbPrecomputeReport report;
    double writing = 0;
    lb_bench_progress(context, name);
    clock_t begin = clock();
    LB_TRY(lb_precompute_elasto_model(model, lb_staticSolverAutomatic, lb_basisFloat32, &made, &report));
    double processor = (double)(clock() - begin) / CLOCKS_PER_SEC;
    lbResult result = write_model(made, &writing);
    double bytes = (double)lbElastostatic_GetFileSize(made);
    lbDestroyElastostatic(made);
    LB_TRY(result);
    lb_bench_report_of(context, name, "s", report.totalSeconds + writing, "s");
    lb_bench_report_of(context, name, "processor_s", processor, "s"); /* of all threads, whatever else runs */
    lb_bench_report_of(context, name, "assemble_s", report.assembleSeconds, "s");
    lb_bench_report_of(context, name, "factor_s", report.factorSeconds, "s");
    lb_bench_report_of(context, name, "solve_s", report.solveSeconds, "s");
    lb_bench_report_of(context, name, "write_s", writing, "s");
    lb_bench_report_of(context, name, "peak_mb", 1e-6 * report.peakBytes, "MB");
    lb_bench_report_of(context, name, "mb", 1e-6 * bytes, "MB");
    lb_bench_report_of(context, name, "tets", report.tetCount, "1");
    lb_bench_report_of(context, name, "nodes", report.nodeCount, "1");
    lb_bench_report_of(context, name, "surface_nodes", report.surfacePointCount, "1");
    lb_bench_report_of(context, name, "residual", report.residual, "1");
    lb_bench_report_of(context, name, "condition", report.condition, "1");
    LB_TRY(lb_precompute_elasto_model(model, lb_staticSolverAutomatic, lb_basisFloat16, &made, &report));
    lb_bench_report_of(context, name, "float16_mb", 1e-6 * (double)lbElastostatic_GetFileSize(made), "MB");
    lb_bench_report_of(context, name, "float16_error", report.basisError, "1");
    lbDestroyElastostatic(made);
    return lb_success();
}

/* Without factors, on the smallest of the four; all of them with --long. */
static lbResult measure_iterative(lbBenchContext* context, int model) {
    char metric[32];
    snprintf(metric, sizeof(metric), "%s-cg", lb_elastoModelNames[model]);
    lbElastostatic* made = NULL;
    lbPrecomputeReport report;
    lb_bench_progress(context, metric);
    LB_TRY(lb_precompute_elasto_model(model, lb_staticSolverIterative, lb_basisFloat32, &made, &report));
    lbDestroyElastostatic(made);
    lb_bench_report_of(context, metric, "s", report.totalSeconds, "s");
    lb_bench_report_of(context, metric, "iterations", report.iterations, "1");
    lb_bench_report_of(context, metric, "peak_mb", 1e-6 * report.peakBytes, "MB");
    return lb_success();
}

lbResult lb_bench_precompute(lbBenchContext* context) {
    for (int model = 0; model < lb_elastoModelCount; ++model) {
        LB_TRY(measure(context, model));
    }
    for (int model = 0; context->longRun && model < lb_elastoModelCount; ++model) {
        LB_TRY(measure_iterative(context, model));
    }
    return lb_success();
}
