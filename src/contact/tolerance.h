/* What contacts may lack to the velocities that they ask for, the same in contact space and in velocity space. */
#ifndef LIMBER_SRC_TOLERANCE_H
#define LIMBER_SRC_TOLERANCE_H

#include <math.h>
#include <stdbool.h>

/* m/s, before strictness: of bodies at rest, and of any. How far a point may end up within a wall in a step of h
 * seconds: of the smallest body's size, and of the way that gravity takes it. */
typedef struct lbTolerance {
    double atRest, most;
} lbTolerance;

static inline lbTolerance lb_tolerance_of(double size, double gravity, double h) {
    const double ofSize = 5e-4, ofFall = 2e-3;
    double bySize = ofSize * size / h, byFall = ofFall * gravity * h;
    return (lbTolerance){.atRest = byFall > 0 ? fmin(bySize, byFall) : bySize, .most = bySize};
}

/* The share of it that is allowed: all of it where there are many rows; little where there are few, or where solutions
 * are cheap. */
static inline double lb_strictness(int rowCount, bool cheap) {
    const double least = 0.05, manyRows = 500;
    return cheap ? least : fmax(least, fmin(1, rowCount / manyRows));
}

#endif
