/* Wall-clock time, for profiles. */
#ifndef LIMBER_SRC_CLOCK_H
#define LIMBER_SRC_CLOCK_H

#include <time.h>

/* Seconds since some moment in the past. */
static inline double lb_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
