/* A thread that calls a function at even times, and how well it keeps them. */
#ifndef LIMBER_SRC_ROUNDS_H
#define LIMBER_SRC_ROUNDS_H

#include "limber/base.h"

#include <pthread.h>
#include <stdatomic.h>

/* Times from round to round, by microsecond; the last holds all that are longer. Written by the thread, read by others
 * at any time: counts, one by one, are whole. */
enum { lb_periodBins = 20001 };
typedef struct lbPeriods {
    atomic_llong count, missed;
    atomic_llong worst; /* ns */
    atomic_uint bins[lb_periodBins];
} lbPeriods;

/* s: the time that `share` of the rounds stayed within, to a microsecond; 0: there were none. */
double lb_period_at(const lbPeriods* periods, double share);

typedef struct lbRounds {
    double period; /* s */
    bool wantsRealTime;
    void (*round)(void* self, double time); /* s since the start */
    void* self;
    lbPeriods periods;
    atomic_bool stop, realTime;
    bool running;
    pthread_t thread;
} lbRounds;

/* False: the system gives no thread. */
bool lb_start_rounds(lbRounds* rounds);
void lb_stop_rounds(lbRounds* rounds);

#endif
