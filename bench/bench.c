#include "bench/bench.h"

#include "base/memory.h"
#include "bench/benches.h"
#include "bench/build_info.h"
#include "cli/nearest.h"

#include <string.h>

static const lbColumn columns[] = {{"bench", -14}, {"metric", -34}, {"value", 14}, {"unit", -10}, {"of limit", 9}};
enum { columnCount = sizeof(columns) / sizeof(columns[0]) };

/* ---- Reporting --------------------------------------------------------------------------------------------------- */

static void report(lbBenchContext* context, const char* metric, double value, const char* unit, const double* limit) {
    lb_clear_progress(context->output);
    if (context->output->json) {
        lbJson json = lb_jsonline_begin(context->output->stream);
        lb_jsonline_string(&json, "bench", context->bench);
        lb_jsonline_string(&json, "metric", metric);
        lb_jsonline_number(&json, "value", value);
        lb_jsonline_string(&json, "unit", unit);
        if (limit != NULL) {
            lb_jsonline_number(&json, "limit", *limit);
            lb_jsonline_number(&json, "of_limit", value / *limit);
        }
        lb_jsonline_end(&json);
        return;
    }
    char share[32] = "";
    if (limit != NULL) {
        snprintf(share, sizeof(share), "%.1f %%", 100 * value / *limit);
    }
    lbText number = lb_number_text(value);
    const char* cells[] = {context->bench, metric, number.text, unit, share};
    lb_print_row(context->output, columns, columnCount, cells);
}

void lb_bench_report(lbBenchContext* context, const char* metric, double value, const char* unit) {
    report(context, metric, value, unit, NULL);
}

void lb_bench_report_with_limit(lbBenchContext* context, const char* metric, double value, const char* unit,
                                double limit) {
    report(context, metric, value, unit, &limit);
}

void lb_bench_report_of(lbBenchContext* context, const char* name, const char* what, double value, const char* unit) {
    char metric[96];
    snprintf(metric, sizeof(metric), "%s_%s", name, what);
    for (char* at = metric; *at != 0; ++at) {
        *at = *at == '-' ? '_' : *at;
    }
    lb_bench_report(context, metric, value, unit);
}

void lb_bench_progress(lbBenchContext* context, const char* metric) {
    lb_show_progress(context->output, "bench %s: %s", context->bench, metric);
}

lbResult lb_bench_limits(lbBenchContext* context, lbMachineLimits* limits) {
    lbResult result = {.code = lb_ok};
    if (!context->limitsKnown) {
        result = lb_measure_limits(context, &context->limits);
        context->limitsKnown = result.code == lb_ok;
    }
    *limits = context->limits;
    return result;
}

/* Which machine, compiler and flags: figures mean nothing without. */
static void print_machine(lbOutput* output, int threadCount) {
    char processor[128];
    lb_get_processor_name(processor, sizeof(processor));
    if (output->json) {
        lbJson json = lb_jsonline_begin(output->stream);
        lb_jsonline_begin_object(&json, "machine");
        lb_jsonline_string(&json, "processor", processor);
        lb_jsonline_integer(&json, "threads", threadCount);
        lb_jsonline_string(&json, "compiler", lb_compiler_name());
        lb_jsonline_string(&json, "flags", lb_compiler_flags());
        lb_jsonline_string(&json, "kernel_flags", lb_kernel_flags());
        lb_jsonline_string(&json, "build_type", lb_build_type());
        lb_jsonline_string(&json, "version", lbGetVersion());
        lb_jsonline_end_object(&json);
        lb_jsonline_end(&json);
        return;
    }
    fprintf(output->stream, "%s, %d thread%s; limber %s, %s, %s, flags %s, kernels %s\n\n", processor, threadCount,
            threadCount == 1 ? "" : "s", lbGetVersion(), lb_compiler_name(), lb_build_type(), lb_compiler_flags(),
            lb_kernel_flags());
    lb_print_header(output, columns, columnCount);
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

static const lbBench* find_bench(const lbBenchRun* run, const char* name) {
    lbNearest nearest = lb_nearest_to(name);
    for (int i = 0; i < run->benchCount; ++i) {
        if (strcmp(run->benches[i].name, name) == 0) {
            return &run->benches[i];
        }
        lb_nearest_offer(&nearest, run->benches[i].name);
    }
    lb_print_unknown_name(&nearest, "bench");
    return NULL;
}

/* A median hides that the machine was busy with something else: better said than guessed. */
static void print_noise(const lbBenchContext* context) {
    const double noteworthy = 0.05;
    if (context->worstSpread > noteworthy && !context->output->json && !context->output->quiet) {
        fprintf(context->output->stream, "  the runs of %s varied by up to +-%.0f %%: the machine may be busy\n",
                context->bench, 100 * context->worstSpread);
    }
}

static bool run_one(lbBenchContext* context, const lbBench* bench) {
    context->bench = bench->name;
    context->worstSpread = 0;
    lb_show_progress(context->output, "bench %s", bench->name);
    lbResult result = bench->run(context);
    lb_clear_progress(context->output);
    if (result.code != lb_ok) {
        lb_print_error("bench %s: %s", bench->name, result.message);
    }
    print_noise(context);
    return result.code == lb_ok;
}

static bool run_all(lbBenchContext* context, const lbBenchRun* run) {
    print_machine(context->output, context->threadCount);
    bool good = true;
    for (int i = 0; i < (run->nameCount > 0 ? run->nameCount : run->benchCount); ++i) {
        const lbBench* bench = run->nameCount > 0 ? find_bench(run, run->names[i]) : &run->benches[i];
        good = run_one(context, bench) && good;
    }
    return good;
}

int lb_run_benches(const lbBenchRun* run, lbOutput* output) {
    for (int i = 0; i < run->nameCount; ++i) {
        if (find_bench(run, run->names[i]) == NULL) {
            return lb_exitUsage;
        }
    }
    lbBenchContext context = {.host = lb_resolve_host(NULL), .longRun = run->longRun, .output = output};
    lbResult result = lb_create_tasks(context.host, 1, &context.tasks[lb_oneThread]);
    if (result.code == lb_ok) {
        result = lb_create_tasks(context.host, run->threadCount, &context.tasks[lb_allThreads]);
    }
    bool good = result.code == lb_ok;
    if (good) {
        context.threadCount = lb_tasks_thread_count(context.tasks[lb_allThreads]);
        good = run_all(&context, run);
    } else {
        lb_print_error("bench: %s", result.message);
    }
    lb_destroy_tasks(context.tasks[lb_oneThread]);
    lb_destroy_tasks(context.tasks[lb_allThreads]);
    return good ? lb_exitOk : lb_exitFailed;
}
