#include "bench/bench.h"

#include "base/clock.h"

#include <stdlib.h>

enum { mostSamples = 4096 };

static double time_group(lbTimedFn* function, void* argument, int calls) {
    double begin = lb_seconds();
    for (int i = 0; i < calls; ++i) {
        function(argument);
    }
    return (lb_seconds() - begin) / calls;
}

/* Calls per sample, so that the clock's own steps and cost do not count. */
static int choose_group(lbTimedFn* function, void* argument) {
    const double leastSampleSeconds = 5e-4;
    int calls = 1;
    while (calls < 1 << 20 && time_group(function, argument, calls) * calls < leastSampleSeconds) {
        calls *= 2;
    }
    return calls;
}

static int compare_samples(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

void lb_sort_samples(double* samples, int count) {
    qsort(samples, (size_t)count, sizeof(samples[0]), compare_samples);
}

double lb_quantile(const double* sorted, int count, double share) {
    double place = share * (count - 1);
    int below = (int)place;
    int above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

double lb_median(double* samples, int count) {
    lb_sort_samples(samples, count);
    return samples[count / 2];
}

lbTiming lb_bench_time(lbBenchContext* context, double seconds, lbTimedFn* function, void* argument) {
    double samples[mostSamples];
    function(argument);
    int calls = choose_group(function, argument);
    double end = lb_seconds() + (context->longRun ? 5 : 1) * seconds;
    int count = 0;
    do {
        samples[count++] = time_group(function, argument, calls);
    } while (count < mostSamples && (count < 3 || lb_seconds() < end));
    lb_sort_samples(samples, count);
    lbTiming timing = {.median = lb_quantile(samples, count, 0.5), .sampleCount = count};
    double quartiles = lb_quantile(samples, count, 0.75) - lb_quantile(samples, count, 0.25);
    timing.spread = timing.median > 0 ? 0.5 * quartiles / timing.median : 0;
    context->worstSpread = timing.spread > context->worstSpread ? timing.spread : context->worstSpread;
    return timing;
}
