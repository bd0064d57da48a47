/* The rotation nearest to a matrix: R maximises tr(R^T F) over proper rotations, and F = R S with S symmetric.
 *
 * It has a closed form once t = tr(S) is known, the largest root of a quartic (F. L. Markley, Attitude Determination
 * using Vector Observations: a Fast Optimal Matrix Algorithm, 1993, for the same problem in spaceflight):
 *
 *   t^4 - 2 |F|^2 t^2 - 8 det(F) t + |F|^4 - 4 |cof F|^2 = 0
 *   R = ((k + |F|^2) F + t cof F - F F^T F) / (k t - det F),  k = (t^2 - |F|^2) / 2
 *
 * The denominator is (s1 + s2)(s2 + s3)(s3 + s1), s the singular values. Where it is small against |F|^3 (an element
 * pressed to a line, or turned inside out by as much as it is thick) R is not well determined: such elements are
 * handed to a slower method in double. */
#ifndef LIMBER_SRC_ROTATION_H
#define LIMBER_SRC_ROTATION_H

#include "law/lanes33.h"
#include "law/polar.h"

#include <stdbool.h>

/* Least (s1 + s2)(s2 + s3)(s3 + s1) / |F|^3; 1.54 for a rotation. */
static const float lb_leastDenominator = 0.1f;

/* tr(S): the largest root. From t = sqrt(n + 2 sqrt(c + 2 J t)), which holds at the root, then Newton's method. */
LB_INLINE lbLanes largest_root(lbLanes n, lbLanes c, lbLanes J, lbLanes* lastStep) {
    lbLanes t = lanes_sqrt(3.0f * n), last = n * n - 4.0f * c;
    t = lanes_sqrt(n + 2.0f * lanes_sqrt(lanes_max(c + 2.0f * J * t, LANES_ALL(0.0f))));
    for (int i = 0; i < 3; ++i) {
        lbLanes square = t * t;
        lbLanes value = ((square - 2.0f * n) * t - 8.0f * J) * t + last;
        lbLanes slope = (4.0f * (square - n)) * t - 8.0f * J;
        *lastStep = value / slope;
        t -= *lastStep;
    }
    return t;
}

LB_INLINE lbLanes33 nearest_rotation(const lbLanes33* F) {
    lbLanes33 cofactors = lanes33_cofactors(F);
    lbLanesSymmetric C = lanes33_gram(F);
    lbLanes n = symmetric_trace(&C), J = lanes3_dot(F->column[0], cofactors.column[0]), lastStep;
    lbLanes t = largest_root(n, lanes33_dot(&cofactors, &cofactors), J, &lastStep);
    lbLanes k = 0.5f * (t * t - n), denominator = k * t - J, inverse = 1.0f / denominator;
    lbLanes33 FC = lanes33_symmetric_times(F, &C);
    lbLanes33 R = lanes33_scale((k + n) * inverse, F);
    R = lanes33_madd(&R, t * inverse, &cofactors);
    R = lanes33_madd(&R, -inverse, &FC);
    /* Above 0 where R is to be trusted; NaN is not. */
    lbLanes size = n * lanes_sqrt(n), step = lanes_max(lastStep, -lastStep);
    lbLanes good = lanes_min(denominator - lb_leastDenominator * size, 1e-5f * t - step);
    float numbers[LB_LANES];
    memcpy(numbers, &good, sizeof(numbers));
    bool all = true;
    for (int lane = 0; lane < LB_LANES; ++lane) {
        all &= numbers[lane] > 0;
    }
    if (__builtin_expect(!all, 0)) {
        float from[9][LB_LANES], to[9][LB_LANES];
        memcpy(from, F, sizeof(from));
        memcpy(to, &R, sizeof(to));
        lb_nearest_rotations(from, numbers, to);
        memcpy(&R, to, sizeof(to));
    }
    return R;
}

#endif
