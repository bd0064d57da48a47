/* Measures how fast limber is, beside the machine's own limits measured in the same run. To add a bench: a file NAME.c
 * with its function, and a line in benches.h and benches.c. */
#ifndef LIMBER_BENCH_BENCH_H
#define LIMBER_BENCH_BENCH_H

#include "base/tasks.h"
#include "cli/output.h"
#include "limber/base.h"

/* What this machine can do at most. Index lb_oneThread or lb_allThreads. */
enum { lb_oneThread, lb_allThreads };
typedef struct lbMachineLimits {
    double memory[2];     /* bytes/s, reading and writing */
    double memoryRead[2]; /* bytes/s, reading only */
    double flops[2];      /* single-precision operations/s, a fused multiply-add counts as two */
    double cache[2];      /* bytes/s, reading from the third-level cache; all threads: as arithmetic gains */
    double gain;          /* of arithmetic on all threads, by lb_bench_gain */
    double clock;         /* cycles/s of one core that computes, measured beside flops */
} lbMachineLimits;

typedef struct lbBenchContext {
    const lbHost* host;
    lbTasks* tasks[2]; /* by lb_oneThread, lb_allThreads */
    int threadCount;   /* of lb_allThreads */
    bool longRun;      /* the user has time */

    /* For bench.c. */
    lbOutput* output;
    const char* bench;
    lbMachineLimits limits;
    bool limitsKnown;
    double worstSpread; /* of the bench's timings */
} lbBenchContext;

/* A bench that cannot go on returns why. */
typedef lbResult lbBenchFn(lbBenchContext* context);

typedef struct lbBench {
    const char* name;
    const char* summary;
    lbBenchFn* run;
} lbBench;

/* Every bench there is. */
const lbBench* lb_benches(int* count);

/* ---- For benches ------------------------------------------------------------------------------------------------- */

/* A figure; units in the way of "GB/s", "1/s", "ms". Metrics measured by threads end in "_1" and "_all". */
void lb_bench_report(lbBenchContext* context, const char* metric, double value, const char* unit);
/* The same beside what the machine could do, in the same unit. */
void lb_bench_report_with_limit(lbBenchContext* context, const char* metric, double value, const char* unit,
                                double limit);
/* A figure "NAME_WHAT"; hyphens in it become underscores. */
void lb_bench_report_of(lbBenchContext* context, const char* name, const char* what, double value, const char* unit);

/* Tells a person who waits what is being measured. */
void lb_bench_progress(lbBenchContext* context, const char* metric);

typedef struct lbTiming {
    double median; /* s for one call */
    double spread; /* half the distance between the quartiles, as a share of the median */
    int sampleCount;
} lbTiming;

/* Calls `function` again and again for at least `seconds` (five times that with --long), after one call that is not
 * counted. Short calls are timed in groups. */
typedef void lbTimedFn(void* argument);
lbTiming lb_bench_time(lbBenchContext* context, double seconds, lbTimedFn* function, void* argument);

/* Sorts samples; the sample at a share (0 to 1) of the sorted ones, between two neighbours if need be. */
void lb_sort_samples(double* samples, int count);
double lb_quantile(const double* sorted, int count, double share);
/* Sorts them. */
double lb_median(double* samples, int count);

/* What is run on one thread and on all in turn. */
typedef struct lbGainRun {
    lbTimedFn* function;
    void* argument;
    lbTasks** tasks;         /* which the function runs on, a field of its argument */
    lbTasks* const* choices; /* lbBenchContext.tasks */
} lbGainRun;

typedef struct lbGain {
    double seconds[2];   /* for a call, median; by lb_oneThread, lb_allThreads */
    double quartiles[3]; /* of time on one thread / time on all, of neighbouring runs; the second is the median */
    double share;        /* of the runs that counted: in the others a thread waited for a processor */
} lbGain;

/* Runs for at least `seconds`, longer if few runs count. */
lbGain lb_bench_gain(lbBenchContext* context, double seconds, const lbGainRun* run);

/* Measured by the first bench that asks, once per run. */
lbResult lb_bench_limits(lbBenchContext* context, lbMachineLimits* limits);

/* ---- For the command --------------------------------------------------------------------------------------------- */

typedef struct lbBenchRun {
    int nameCount; /* 0: all benches */
    char** names;
    int benchCount;
    const lbBench* benches;
    int threadCount; /* 0: one for each processor */
    bool longRun;
} lbBenchRun;

/* Runs, prints, and returns the exit code. */
int lb_run_benches(const lbBenchRun* run, lbOutput* output);

#endif
