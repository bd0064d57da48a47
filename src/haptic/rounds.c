#define _GNU_SOURCE
#include "haptic/rounds.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <time.h>

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void sleep_until(int64_t when) {
    struct timespec at = {(time_t)(when / 1000000000), (long)(when % 1000000000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) {
    }
}

static void count_period(lbPeriods* periods, int64_t ns) {
    int64_t bin = ns / 1000;
    bin = bin < lb_periodBins - 1 ? bin : lb_periodBins - 1;
    atomic_fetch_add_explicit(&periods->bins[bin], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&periods->count, 1, memory_order_relaxed);
    if (ns > atomic_load_explicit(&periods->worst, memory_order_relaxed)) {
        atomic_store_explicit(&periods->worst, ns, memory_order_relaxed);
    }
}

double lb_period_at(const lbPeriods* periods, double share) {
    int64_t count = atomic_load_explicit(&periods->count, memory_order_relaxed), sum = 0;
    for (int i = 0; i < lb_periodBins && count > 0; ++i) {
        sum += atomic_load_explicit(&periods->bins[i], memory_order_relaxed);
        if ((double)sum >= share * (double)count) {
            double worst = 1e-9 * (double)atomic_load_explicit(&periods->worst, memory_order_relaxed);
            return i == lb_periodBins - 1 ? worst : fmin(1e-6 * (i + 1), worst);
        }
    }
    return 0;
}

static void ask_for_real_time(lbRounds* rounds) {
    struct sched_param parameter = {.sched_priority = sched_get_priority_max(SCHED_FIFO) / 2};
    atomic_store(&rounds->realTime,
                 rounds->wantsRealTime && pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter) == 0);
}

/* A round that comes too late is not made up for: the next is at the next even time. */
static void* run(void* argument) {
    lbRounds* rounds = argument;
    int64_t period = (int64_t)(1e9 * rounds->period), start, last, due;
    ask_for_real_time(rounds);
    start = last = now_ns();
    due = start + period;
    while (!atomic_load_explicit(&rounds->stop, memory_order_relaxed)) {
        sleep_until(due);
        int64_t begun = now_ns();
        count_period(&rounds->periods, begun - last);
        last = begun;
        rounds->round(rounds->self, 1e-9 * (double)(begun - start));
        int64_t passed = (now_ns() - due) / period; /* while it came late, or took long: a device may */
        atomic_fetch_add_explicit(&rounds->periods.missed, passed, memory_order_relaxed);
        due += period * (passed + 1);
    }
    return NULL;
}

bool lb_start_rounds(lbRounds* rounds) {
    memset((void*)&rounds->periods, 0, sizeof(rounds->periods));
    atomic_store(&rounds->stop, false);
    rounds->running = pthread_create(&rounds->thread, NULL, run, rounds) == 0;
    return rounds->running;
}

void lb_stop_rounds(lbRounds* rounds) {
    if (rounds->running) {
        atomic_store(&rounds->stop, true);
        pthread_join(rounds->thread, NULL);
        rounds->running = false;
    }
}
