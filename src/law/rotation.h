/* The rotation nearest to a matrix: R maximises tr(R^T F) over proper rotations, and F = R S with S symmetric.
 *
 * It has a closed form once t = tr(S) is known, the largest root of a quartic (F. L. Markley, Attitude Determination
 * using Vector Observations: a Fast Optimal Matrix Algorithm, 1993, for the same problem in spaceflight):
 *
 *   t^4 - 2 |F|^2 t^2 - 8 det(F) t + |F|^4 - 4 |cof F|^2 = 0
 *   R = ((k + |F|^2) F + t cof F - F F^T F) / (k t - det F),  k = (t^2 - |F|^2) / 2
 *
 * With C = F^T F, 4 |cof F|^2 = 2 (|F|^4 - |C|^2), and C is wanted for R anyway.
 *
 * The denominator is (s1 + s2)(s2 + s3)(s3 + s1), s the singular values. Where it is small against |F|^3 (an element
 * pressed to a line, or turned inside out by as much as it is thick) R is not well determined: such elements are
 * handed to a slower method in double. */
#ifndef LIMBER_SRC_ROTATION_H
#define LIMBER_SRC_ROTATION_H

#include "law/lanes33.h"
#include "law/polar.h"

/* Least (s1 + s2)(s2 + s3)(s3 + s1) / (|F|^2 t / sqrt(3)); 1.54 for a rotation. */
static const float lb_leastDenominator = 0.3f;
/* A step of the root's that is a smaller part of it has an error of its own below rounding: that of the third order. */
static const float lb_smallStep = 3e-3f;

/* The quartic of a matrix, and t on its way to its largest root. */
typedef struct lbRotationRoot {
    lbLanesSymmetric C; /* F^T F */
    lbLanes3 first;     /* column of cof F */
    lbLanes n, J, last; /* |F|^2, det F, |F|^4 - 4 |cof F|^2 */
    lbLanes t, step;    /* step: how far t went the last time */
} lbRotationRoot;

/* From sqrt(3) |F|, above which no root is. */
LB_INLINE lbRotationRoot begin_root(const lbLanes33* F) {
    lbRotationRoot root = {.C = lanes33_gram(F), .first = lanes3_cross(F->column[1], F->column[2])};
    const lbLanes* e = root.C.e;
    root.n = symmetric_trace(&root.C);
    root.J = lanes3_dot(F->column[0], root.first);
    lbLanes square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2], across = e[3] * e[3] + e[4] * e[4] + e[5] * e[5];
    root.last = 2.0f * square + (4.0f * across - root.n * root.n);
    root.t = lanes_sqrt(3.0f * root.n);
    return root;
}

enum { rootSteps = 2, mostRootSteps = 6 };

/* A step of Halley's method, which converges with the third order: rootSteps of them are enough for float32 from
 * stretches of 1.6 : 1 : 0.6. Each waits long for its division: it is best to have several roots under way. */
LB_INLINE void improve_root(lbRotationRoot* root) {
    lbLanes t = root->t, square = t * t, twice = root->n + root->n, eight = 8.0f * root->J;
    lbLanes value = ((square - twice) * t - eight) * t + root->last;
    lbLanes slope = (4.0f * square - 2.0f * twice) * t - eight;
    lbLanes curvature = 6.0f * square - twice; /* half of it */
    root->step = value * slope / (slope * slope - value * curvature);
    root->t = t - root->step;
}

/* Above 0 where t is the root to rounding; NaN is not. */
LB_INLINE lbLanes root_is_good(const lbRotationRoot* root) {
    return lb_smallStep * root->t - lanes_max(root->step, -root->step);
}

/* What R is made of: (a F + b cof F - c F C), c = 1 / denominator. */
typedef struct lbRotationSum {
    lbLanes a, b, c;
    lbLanes good; /* above 0 where R is to be trusted; NaN is not */
} lbRotationSum;

LB_INLINE lbRotationSum rotation_sum(const lbRotationRoot* root) {
    lbLanes n = root->n, t = root->t, k = 0.5f * (t * t - n), denominator = k * t - root->J;
    lbLanes inverse = 1.0f / denominator, size = (lb_leastDenominator / 1.7320508f) * n * t;
    return (lbRotationSum){(k + n) * inverse, t * inverse, inverse, lanes_min(denominator - size, root_is_good(root))};
}

/* a I - c C */
LB_INLINE lbLanesSymmetric rotation_inner(const lbRotationRoot* root, lbLanes a, lbLanes c) {
    const lbLanes* e = root->C.e;
    return (lbLanesSymmetric){{a - c * e[0], a - c * e[1], a - c * e[2], -c * e[3], -c * e[4], -c * e[5]}};
}

/* F inner + b cof F */
LB_INLINE lbLanes33 rotation_combine(const lbLanes33* F, const lbRotationRoot* root, const lbLanesSymmetric* inner,
                                     lbLanes b) {
    lbLanes33 sum = lanes33_symmetric_times(F, inner);
    sum.column[0] = lanes3_madd(sum.column[0], b, root->first);
    sum.column[1] = lanes3_madd(sum.column[1], b, lanes3_cross(F->column[2], F->column[0]));
    sum.column[2] = lanes3_madd(sum.column[2], b, lanes3_cross(F->column[0], F->column[1]));
    return sum;
}

LB_INLINE lbLanes33 rotation_of_sum(const lbLanes33* F, const lbRotationRoot* root, const lbRotationSum* sum) {
    lbLanesSymmetric inner = rotation_inner(root, sum->a, sum->c);
    return rotation_combine(F, root, &inner, sum->b);
}

/* The slower way: more steps, and lanes that are still not to be trusted in double. */
static __attribute__((noinline, cold)) void find_rotation_slowly(const lbLanes33* F, lbRotationRoot* root,
                                                                 lbLanes33* R) {
    for (int i = rootSteps; i < mostRootSteps && !lanes_positive(root_is_good(root)); ++i) {
        improve_root(root);
    }
    lbRotationSum sum = rotation_sum(root);
    *R = rotation_of_sum(F, root, &sum);
    if (!lanes_positive(sum.good)) {
        float from[9][LB_LANES], to[9][LB_LANES], numbers[LB_LANES];
        memcpy(numbers, &sum.good, sizeof(numbers));
        memcpy(from, F, sizeof(from));
        memcpy(to, R, sizeof(to));
        lb_nearest_rotations(from, numbers, to);
        memcpy(R, to, sizeof(to));
        root->t = lanes33_dot(R, F);
    }
}

/* R; `trace` receives tr(R^T F). */
LB_INLINE lbLanes33 nearest_rotation(const lbLanes33* F, lbLanes* trace) {
    lbRotationRoot root = begin_root(F);
    for (int i = 0; i < rootSteps; ++i) {
        improve_root(&root);
    }
    lbRotationSum sum = rotation_sum(&root);
    lbLanes33 R;
    if (__builtin_expect(lanes_positive(sum.good), 1)) {
        R = rotation_of_sum(F, &root, &sum);
    } else {
        find_rotation_slowly(F, &root, &R);
    }
    *trace = root.t;
    return R;
}

#endif
