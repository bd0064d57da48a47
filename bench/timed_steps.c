#include "bench/timed_steps.h"

#include "base/clock.h"
#include "base/math.h"
#include "bench/bench.h"

void lb_time_steps(lbDynamicBody* body, int count, double h, lbTimedSteps* steps) {
    steps->count = int_min(count, lb_mostTimedSteps);
    steps->worstResidual = 0;
    for (int i = 0; i < steps->count; ++i) {
        double begin = lb_seconds();
        lb_advance_body(&body->base, i * h, h);
        steps->times[i] = lb_seconds() - begin;
        steps->iterations[i] = body->solve.iterations;
        steps->worstResidual = fmax(steps->worstResidual, body->solve.residual);
    }
}

lbStepTimes lb_find_step_times(const lbTimedSteps* runs, int runCount) {
    double samples[lb_mostTimedRuns], steps[lb_mostTimedSteps];
    int sampleCount = int_min(runCount, lb_mostTimedRuns), stepCount = runs->count;
    for (int i = 0; i < stepCount; ++i) {
        for (int r = 0; r < sampleCount; ++r) {
            samples[r] = runs[r].times[i];
        }
        steps[i] = lb_median(samples, sampleCount);
    }
    lbStepTimes times = {.first = steps[0]};
    times.median = lb_median(steps, stepCount);
    times.slowest = steps[stepCount - 1]; /* sorted by now */
    return times;
}
