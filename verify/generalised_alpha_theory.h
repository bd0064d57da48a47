/* What generalised alpha does to an oscillator, from its amplification matrix (Chung and Hulbert 1993). */
#ifndef LIMBER_VERIFY_GENERALISED_ALPHA_THEORY_H
#define LIMBER_VERIFY_GENERALISED_ALPHA_THEORY_H

#include <complex.h>

/* det(A - r) = 0, for w = (frequency x step)^2. */
static inline double complex lb_alpha_characteristic(double complex r, double w) {
    const double alpha = 1.0 / 3, beta = 4.0 / 9, gamma = 5.0 / 6;
    /* Multiplied out: a r + w ((1 - alpha) r + alpha) x = 0 with the Newmark relations of x and a. */
    double complex position = (r - 1) * (r - 1);
    double complex force =
        ((1 - alpha) * r + alpha) * (beta * r * r + (0.5 + gamma - 2 * beta) * r + (0.5 - gamma + beta));
    return r * position + w * force;
}

/* What a step multiplies an oscillation by, `h` being frequency (rad/s) times step: by Newton's method from the exact
 * factor. */
static inline double complex lb_alpha_factor(double h) {
    double complex r = cexp(I * h);
    for (int i = 0; i < 50; ++i) {
        const double d = 1e-6;
        double complex slope =
            (lb_alpha_characteristic(r + d, h * h) - lb_alpha_characteristic(r - d, h * h)) / (2 * d);
        r -= lb_alpha_characteristic(r, h * h) / slope;
    }
    return r;
}

#endif
