/* How long a step may be, from the roots of a method's characteristic polynomial.
 *
 * On x'' = -w^2 x - d x' a method that treats x and v alike sees two equations y' = lambda y, with lambda the roots of
 * lambda^2 + d lambda + w^2. Each step multiplies its solutions by the roots of the characteristic polynomial at
 * z = h lambda, and they must not be longer than 1. Whether they are is decided without finding them, by Schur and
 * Cohn's reduction (J. Schur 1917; Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, III.3).
 *
 * Explicit Euler, Heun, midpoint and Adams let every undamped motion grow at any step: by w h / 2 (Euler) or
 * (w h)^3 / 8 (Heun, midpoint) of itself in a radian. A growth of e-fold in 100 periods is therefore let through: real
 * matter is damped by more, and there is then a step to be taken. */
#include "integrate/integrator.h"

#include "base/math.h"

#include <complex.h>

static const double growthPerRadian = 1 / (200 * LB_PI);

/* Whether all roots of sum c_k r^k are shorter than 1. Overwrites c. */
static bool roots_are_short(double complex* c, int degree) {
    for (; degree > 0; --degree) {
        double complex first = c[0], last = c[degree];
        if (!(cabs(first) < cabs(last))) {
            return false;
        }
        double complex reduced[lb_highestDegree];
        for (int k = 0; k < degree; ++k) {
            reduced[k] = (conj(last) * c[k + 1] - first * conj(c[degree - k - 1])) / (cabs(last) * cabs(last));
        }
        for (int k = 0; k < degree; ++k) {
            c[k] = reduced[k];
        }
    }
    return true;
}

static bool is_stable(lbCharacteristic* characteristic, double complex z, double limit) {
    double complex c[lb_highestDegree + 1];
    int degree = characteristic(z, c);
    double power = 1;
    for (int k = 0; k <= degree; ++k, power *= limit) {
        c[k] *= power; /* roots are now measured in units of the limit */
    }
    return roots_are_short(c, degree);
}

double lb_find_stable_step(lbCharacteristic* characteristic, double frequency, double damping) {
    double fastest = fmax(frequency, damping);
    if (!(fastest > 0)) {
        return INFINITY;
    }
    double complex root = csqrt(0.25 * damping * damping - frequency * frequency);
    double complex lambda[2] = {-0.5 * damping + root, -0.5 * damping - root};
    double low = 0, high = 16 / fastest; /* no method here reaches that far */
    for (int i = 0; i < 48; ++i) {
        double h = 0.5 * (low + high);
        double limit = exp(growthPerRadian * frequency * h) * (1 + 1e-12);
        bool stable =
            is_stable(characteristic, h * lambda[0], limit) && is_stable(characteristic, h * lambda[1], limit);
        *(stable ? &low : &high) = h;
    }
    return low;
}

double lb_verlet_stable_step(double frequency, double damping) {
    double sum = sqrt(damping * damping + frequency * frequency) + damping;
    return sum > 0 ? 2 / sum : INFINITY; /* 2 (sqrt(d^2 + w^2) - d) / w^2, without the cancellation */
}
