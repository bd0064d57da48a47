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

/* Least (s1 + s2)(s2 + s3)(s3 + s1) / |F|^3; 1.54 for a rotation. */
static const float lb_leastDenominator = 0.1f;

/* The quartic of a matrix, and t on its way to its largest root. */
typedef struct lbRotationRoot {
    lbLanes n, J, last; /* |F|^2, det F, |F|^4 - 4 |cof F|^2 */
    lbLanes bound;      /* sqrt(3) |F|: no root is above */
    lbLanes t, step;    /* step: how far t went the last time */
} lbRotationRoot;

enum { rootSteps = 3 };

LB_INLINE lbRotationRoot begin_root(const lbLanes33* F) {
    lbLanes33 cofactors = lanes33_cofactors(F);
    lbLanes n = lanes33_dot(F, F), bound = lanes_sqrt(3.0f * n);
    return (lbRotationRoot){.n = n,
                            .J = lanes3_dot(F->column[0], cofactors.column[0]),
                            .last = n * n - 4.0f * lanes33_dot(&cofactors, &cofactors),
                            .bound = bound,
                            .t = bound};
}

/* A step of Halley's method, which converges with the third order: rootSteps of them are enough for float32 from
 * stretches of 2 : 1 : 1/2. Each waits long for its division: it is best to have several roots under way. */
LB_INLINE void improve_root(lbRotationRoot* root) {
    lbLanes t = root->t, square = t * t, twice = root->n + root->n, eight = 8.0f * root->J;
    lbLanes value = ((square - twice) * t - eight) * t + root->last;
    lbLanes slope = (4.0f * square - 2.0f * twice) * t - eight;
    lbLanes curvature = 6.0f * square - twice; /* half of it */
    root->step = value * slope / (slope * slope - value * curvature);
    root->t = t - root->step;
}

/* R, once the root is found; `trace` receives tr(R^T F). */
LB_INLINE lbLanes33 rotation_of_root(const lbLanes33* F, const lbRotationRoot* root, lbLanes* trace) {
    lbLanes33 cofactors = lanes33_cofactors(F);
    lbLanesSymmetric C = lanes33_gram(F);
    lbLanes n = root->n, t = root->t;
    lbLanes k = 0.5f * (t * t - n), denominator = k * t - root->J, inverse = 1.0f / denominator;
    lbLanes33 FC = lanes33_symmetric_times(F, &C);
    lbLanes33 R = lanes33_scale((k + n) * inverse, F);
    R = lanes33_madd(&R, t * inverse, &cofactors);
    R = lanes33_madd(&R, -inverse, &FC);
    *trace = t;
    /* Above 0 where R is to be trusted; NaN is not. The last step's own error is of the third order in it. */
    lbLanes size = (1.0f / 1.7320508f) * n * root->bound, step = lanes_max(root->step, -root->step);
    lbLanes good = lanes_min(denominator - lb_leastDenominator * size, 3e-3f * t - step);
    if (__builtin_expect(!lanes_positive(good), 0)) {
        float from[9][LB_LANES], to[9][LB_LANES], numbers[LB_LANES];
        memcpy(numbers, &good, sizeof(numbers));
        memcpy(from, F, sizeof(from));
        memcpy(to, &R, sizeof(to));
        lb_nearest_rotations(from, numbers, to);
        memcpy(&R, to, sizeof(to));
        *trace = lanes33_dot(&R, F);
    }
    return R;
}

LB_INLINE lbLanes33 nearest_rotation(const lbLanes33* F, lbLanes* trace) {
    lbRotationRoot root = begin_root(F);
    for (int i = 0; i < rootSteps; ++i) {
        improve_root(&root);
    }
    return rotation_of_root(F, &root, trace);
}

#endif
