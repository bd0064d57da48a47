/* Implicit steps, timed one by one. */
#ifndef LIMBER_BENCH_TIMED_STEPS_H
#define LIMBER_BENCH_TIMED_STEPS_H

#include "body/dynamic/dynamic_body.h"

enum { lb_mostTimedSteps = 64 };

typedef struct lbTimedSteps {
    int count;
    double times[lb_mostTimedSteps];      /* s */
    double iterations[lb_mostTimedSteps]; /* of conjugate gradients */
    double worstResidual;
} lbTimedSteps;

/* Takes `count` steps of h seconds, at most lb_mostTimedSteps. */
void lb_time_steps(lbDynamicBody* body, int count, double h, lbTimedSteps* steps);

/* s, of each step the median over all runs of it. */
typedef struct lbStepTimes {
    double first, median, slowest;
} lbStepTimes;

/* At most lb_mostTimedRuns of the same steps. */
enum { lb_mostTimedRuns = 16 };
lbStepTimes lb_find_step_times(const lbTimedSteps* runs, int runCount);

#endif
