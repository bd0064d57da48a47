/* What more threads gain, measured so that a busy machine distorts it least: runs on one thread and on all take turns,
 * and each is compared with its neighbour. A run in which the system took a thread off its processor for something else
 * says how busy the machine is, not how good the code: it does not count. All threads must be there when it begins
 * (they meet before), and none may be taken off until it ends (the system counts that). Waiting for one another,
 * spinning or asleep, is the code's own affair and always counts. */
#include "bench/bench.h"

#include "base/clock.h"

#include <math.h>
#include <stdatomic.h>
#include <sys/resource.h>

enum { mostPairs = 4096, fewestPairs = 20 };

static void wait_for_others(void* context, int begin, int end) {
    const double patience = 2e-3; /* s */
    atomic_int* missing = context;
    double start = lb_seconds();
    atomic_fetch_sub(missing, end - begin);
    while (atomic_load(missing) > 0 && lb_seconds() - start < patience) {
    }
}

/* Whether each of the threads takes a piece of a loop at the same time. */
static bool meet(lbTasks* tasks) {
    atomic_int missing = lb_tasks_thread_count(tasks);
    double begin = lb_seconds();
    lb_parallel_for(tasks, lb_tasks_thread_count(tasks), 1, wait_for_others, &missing);
    return lb_seconds() - begin < 1e-3;
}

/* How often the system has taken a thread of this process off its processor. */
static long count_interruptions(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

typedef struct Sample {
    double seconds; /* for one call */
    bool counts;
} Sample;

static Sample take_sample(const lbGainRun* run, int threads, int calls) {
    *run->tasks = run->choices[threads];
    run->function(run->argument); /* has the caches as they are while it runs */
    bool there = meet(run->choices[threads]);
    long interruptions = count_interruptions();
    double begin = lb_seconds();
    for (int i = 0; i < calls; ++i) {
        run->function(run->argument);
    }
    double seconds = lb_seconds() - begin;
    return (Sample){seconds / calls, there && count_interruptions() == interruptions};
}

lbGain lb_bench_gain(lbBenchContext* context, double seconds, const lbGainRun* run) {
    const double leastSampleSeconds = 5e-4;
    double times[2][mostPairs], ratios[mostPairs];
    int calls = 1, counted = 0, taken = 0;
    while (calls < 1 << 20 && take_sample(run, lb_oneThread, calls).seconds * calls < leastSampleSeconds) {
        calls *= 2;
    }
    double begin = lb_seconds(), length = (context->longRun ? 5 : 1) * seconds, patience = 5;
    while (counted < mostPairs) {
        double spent = lb_seconds() - begin;
        if (spent > length * (counted < fewestPairs ? patience : 1)) {
            break;
        }
        Sample one = take_sample(run, lb_oneThread, calls);
        Sample all = take_sample(run, lb_allThreads, calls);
        ++taken;
        if (one.counts && all.counts) {
            times[lb_oneThread][counted] = one.seconds;
            times[lb_allThreads][counted] = all.seconds;
            ratios[counted++] = one.seconds / all.seconds;
        }
    }
    lbGain gain = {.share = (double)counted / taken};
    for (int threads = lb_oneThread; threads <= lb_allThreads; ++threads) {
        lb_sort_samples(times[threads], counted);
        gain.seconds[threads] = counted > 0 ? lb_quantile(times[threads], counted, 0.5) : NAN;
    }
    lb_sort_samples(ratios, counted);
    for (int k = 0; k < 3; ++k) {
        gain.quartiles[k] = counted > 0 ? lb_quantile(ratios, counted, 0.25 * (k + 1)) : NAN;
    }
    return gain;
}
