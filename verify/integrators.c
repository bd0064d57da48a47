/* Integrators on the oscillator x'' = -w^2 x - d x' and on a chain of springs, against the exact motion (chain.c).
 *
 * State is float32, so steps are chosen for errors far above its rounding: the order of a method is seen where its
 * error is between 1e-2 and 1e-5 of the amplitude. */
#include "base/math.h"
#include "base/result.h"
#include "verify/chain.h"
#include "verify/suites.h"

#include <complex.h>
#include <float.h>
#include <stdio.h>

/* One mass between two springs has w^2 = 2 k / m. */
static const lbChain freeOscillator = {1, 0.5, 0}, dampedOscillator = {1, 0.5, 0.2};
static const lbChain freeChain = {6, 1, 0}, dampedChain = {6, 1, 0.2};

static void run_steps(const lbIntegrator* integrator, lbChainRun* run, int64_t steps, double h) {
    for (int64_t i = 0; i < steps; ++i) {
        integrator->step(&run->system, &run->history, (double)i * h, h);
    }
}

static double reference_frequency(const lbChain* chain) {
    return lb_chain_frequency(chain, chain->count >= 3 ? 3 : 1);
}

/* ---- Order of accuracy ---------------------------------------------------------------------------------------------
 */

static double error_after(const lbIntegrator* integrator, const lbChain* chain, double end, int steps) {
    lbChainRun run;
    lb_start_chain(&run, chain);
    run_steps(integrator, &run, steps, end / steps);
    return lb_chain_error(&run, end);
}

/* The error at a fixed time, at two steps a factor of two apart. The next term of its expansion is larger by a factor
 * of the size of w h, which changes the observed order by about as much. */
static void check_order(lbVerifyContext* context, const lbIntegrator* integrator, const lbChain* chain,
                        const char* which) {
    const double wh = integrator->order == 1 ? 0.01 : integrator->order == 2 ? 0.05 : 0.25;
    double end = 7.3 / reference_frequency(chain);
    int steps = (int)ceil(7.3 / wh);
    double coarse = error_after(integrator, chain, end, steps), fine = error_after(integrator, chain, end, 2 * steps);
    char name[128];
    snprintf(name, sizeof(name), "%s: order, %s", integrator->name, which);
    lb_verify_near(context, name, log2(coarse / fine), integrator->order, 2 * wh);
}

static double error_at_tolerance(const lbIntegrator* integrator, const lbChain* chain, double tolerance, int steps) {
    lbChainRun run;
    lb_start_chain(&run, chain);
    run.settings.tolerance = (float)tolerance;
    double end = 7.3 / reference_frequency(chain);
    run_steps(integrator, &run, steps, end / steps);
    return lb_chain_error(&run, end);
}

/* Adaptive steps: the error of a piece is held to the tolerance times the way, which goes as h^2, and so the error at
 * the end goes with the tolerance; pieces are not all of the length that they could have, within a factor of two. */
static void check_tolerance(lbVerifyContext* context, const lbIntegrator* integrator, const lbChain* chain,
                            const char* which) {
    double loose = error_at_tolerance(integrator, chain, 1e-2, 8);
    double strict = error_at_tolerance(integrator, chain, 1e-4, 8);
    char name[128];
    snprintf(name, sizeof(name), "%s: error's power of the tolerance, %s", integrator->name, which);
    lb_verify_near(context, name, log10(loose / strict) / 2, 1, log10(2));
}

/* Bulirsch-Stoer: each step adds its change to x and v, which rounds each by half an epsilon, and the forces that made
 * the change were those of rounded positions. */
static void check_rounding(lbVerifyContext* context, const lbIntegrator* integrator, const lbChain* chain,
                           const char* which) {
    const int steps = 8;
    char name[128];
    snprintf(name, sizeof(name), "%s: error at tolerance 1e-7 in float32 epsilons, %s", integrator->name, which);
    double error = error_at_tolerance(integrator, chain, 1e-7, steps);
    lb_verify_at_most(context, name, error / (double)FLT_EPSILON, 2 * steps);
}

static void check_accuracy(lbVerifyContext* context, const lbIntegrator* integrator, const lbChain* chain,
                           const char* which) {
    if (!(integrator->traits & lb_traitAdaptive)) {
        check_order(context, integrator, chain, which);
    } else if (integrator == &lb_bulirschStoer) {
        check_rounding(context, integrator, chain, which);
    } else {
        check_tolerance(context, integrator, chain, which);
    }
}

/* ---- Energy over a thousand periods --------------------------------------------------------------------------------
 */

/* The largest departure of the energy from its start, relative; and the energy at the end. */
static double energy_departure(const lbIntegrator* integrator, double h, double tolerance, double* end) {
    lbChainRun run;
    lb_start_chain(&run, &freeOscillator);
    run.settings.tolerance = (float)tolerance;
    double start = lb_chain_energy(&run), worst = 0, energy = start;
    int64_t steps = (int64_t)(1000 * 2 * LB_PI / h);
    for (int64_t i = 0; i < steps; ++i) {
        integrator->step(&run.system, &run.history, (double)i * h, h);
        energy = lb_chain_energy(&run);
        worst = fmax(worst, fabs(energy / start - 1));
    }
    *end = energy / start;
    return worst;
}

/* Symplectic Euler keeps x^2 + v^2 - h x v, whose mixed term is at most h / 2 of the rest: the energy stays below
 * 1 / (1 - h / 2). Verlet and its kin keep
 * v^2 + (1 - h^2 / 4) x^2. On top, 125,000 roundings of 6e-8, at random. */
static void check_bounded_energy(lbVerifyContext* context, const lbIntegrator* integrator) {
    const double h = 0.05;
    double end, limit = integrator->order == 1 ? h / (2 - h) : h * h / 4;
    char name[128];
    snprintf(name, sizeof(name), "%s: energy departure over 1000 periods, w h = %g", integrator->name, h);
    lb_verify_at_most(context, name, energy_departure(integrator, h, 1e-3, &end), limit + 2e-4);
}

/* What a radian multiplies the energy by, its logarithm: for one-step methods from the exponential's series up to their
 * order, which is what a step multiplies by. */
static double growth_of_series(int order, double h) {
    double complex factor = 1, term = 1;
    for (int k = 1; k <= order; ++k) {
        term *= I * h / k;
        factor += term;
    }
    return 2 * log(cabs(factor)) / h;
}

/* The same for Adams' method, by the method itself on y' = i y, in double. */
static double growth_of_adams(double h) {
    double complex y[4], z = I * h / 24;
    for (int k = 0; k < 4; ++k) {
        y[k] = cexp(-I * h * k); /* y[0] the latest */
    }
    double start = cabs(y[0]);
    const int steps = 2000;
    for (int i = 0; i < steps; ++i) {
        double complex predicted = y[0] + z * (55 * y[0] - 59 * y[1] + 37 * y[2] - 9 * y[3]);
        double complex next = y[0] + z * (9 * predicted + 19 * y[0] - 5 * y[1] + y[2]);
        y[3] = y[2], y[2] = y[1], y[1] = y[0], y[0] = next;
    }
    return 2 * log(cabs(y[0]) / start) / (steps * h);
}

/* Steps such that 1000 periods change the energy by a good part of itself, so that rounding is small beside it: its
 * bias, up to 6e-8 a step in explicit Euler's 12 million, is the tolerance there. */
static void check_energy_growth(lbVerifyContext* context, const lbIntegrator* integrator) {
    double h = integrator->order == 1 ? 5e-4 : integrator->order == 2 ? 0.05 : 0.2, end;
    energy_departure(integrator, h, 1e-3, &end);
    double theory = integrator == &lb_adams ? growth_of_adams(h) : growth_of_series(integrator->order, h);
    char name[128];
    snprintf(name, sizeof(name), "%s: log of the energy's growth in 1000 periods, w h = %g, theory's", integrator->name,
             h);
    double expected = theory * 1000 * 2 * LB_PI;
    lb_verify_near(context, name, log(end), expected, 0.02 * fabs(expected) + 1e-3);
}

/* A period is four amplitudes of way, each of which may bring an error of the tolerance; energy goes with the square.
 */
static void check_adaptive_energy(lbVerifyContext* context, const lbIntegrator* integrator) {
    const double tolerance = 1e-5;
    double end;
    char name[128];
    snprintf(name, sizeof(name), "%s: energy departure over 1000 periods, tolerance %g", integrator->name, tolerance);
    lb_verify_at_most(context, name, energy_departure(integrator, 0.5, tolerance, &end), 1000 * 4 * 2 * tolerance);
}

static void check_energy(lbVerifyContext* context, const lbIntegrator* integrator) {
    if (integrator->traits & lb_traitSymplectic) {
        check_bounded_energy(context, integrator);
    } else if (integrator->traits & lb_traitAdaptive) {
        check_adaptive_energy(context, integrator);
    } else if (integrator->traits & lb_traitExplicit) {
        check_energy_growth(context, integrator);
    }
}

/* ---- The longest stable step ---------------------------------------------------------------------------------------
 */

/* The largest |x| in the next `steps` steps; infinite once it overflows. */
static double amplitude(const lbIntegrator* integrator, lbChainRun* run, int64_t steps, double h) {
    double most = 0;
    for (int64_t i = 0; i < steps; ++i) {
        integrator->step(&run->system, &run->history, 0, h);
        double x = fabs((double)run->x[0]);
        if (!(x < 1e30)) {
            return INFINITY;
        }
        most = fmax(most, x);
    }
    return most;
}

/* Whether motions grow less than e-fold in 100 periods, seen over 300. */
static bool seems_stable(const lbIntegrator* integrator, const lbChain* chain, double h) {
    lbChainRun run;
    lb_start_chain(&run, chain);
    double stepsPerPeriod = 2 * LB_PI / (lb_chain_frequency(chain, 1) * h);
    int64_t some = (int64_t)ceil(20 * stepsPerPeriod), many = (int64_t)ceil(280 * stepsPerPeriod);
    double before = amplitude(integrator, &run, some, h);
    amplitude(integrator, &run, many, h);
    return amplitude(integrator, &run, some, h) <= exp(3) * before && before < 1e30;
}

/* By bisection, against what limber takes its steps by. Close to the limit of Verlet's method amplitudes swell by
 * (1 - (w h / 2)^2)^(-1/2), which is 16 two thousandths below it, and e-fold growth takes a few thousandths above. */
static void check_stable_step(lbVerifyContext* context, const lbIntegrator* integrator, const lbChain* chain,
                              const char* which) {
    double stated = integrator->stableStep(lb_chain_frequency(chain, 1), chain->damping);
    char name[128];
    if (!isfinite(stated) || integrator->traits & lb_traitAdaptive) {
        snprintf(name, sizeof(name), "%s: stays bounded at w h = 20, %s", integrator->name, which);
        lb_verify_at_least(context, name, seems_stable(integrator, chain, 20), 1);
        return;
    }
    double low = 0.25 * stated, high = 4 * stated;
    for (int i = 0; i < 14; ++i) {
        double middle = 0.5 * (low + high);
        *(seems_stable(integrator, chain, middle) ? &low : &high) = middle;
    }
    snprintf(name, sizeof(name), "%s: longest stable step, %s, s", integrator->name, which);
    lb_verify_near(context, name, low, stated, 5e-3 * stated);
}

lbResult lb_verify_integrators(lbVerifyContext* context) {
    for (int kind = 0; kind < lb_integratorKindCount; ++kind) {
        const lbIntegrator* integrator = lb_find_integrator((lbIntegratorKind)kind);
        check_accuracy(context, integrator, &freeOscillator, "undamped oscillator");
        check_accuracy(context, integrator, &dampedOscillator, "damped oscillator");
        check_accuracy(context, integrator, &freeChain, "undamped chain of springs");
        check_accuracy(context, integrator, &dampedChain, "damped chain of springs");
        check_stable_step(context, integrator, &freeOscillator, "undamped oscillator");
        check_stable_step(context, integrator, &dampedOscillator, "damped oscillator");
        check_energy(context, integrator);
    }
    LB_TRY(lb_verify_free_flight(context));
    LB_TRY(lb_verify_implicit_methods(context));
    LB_TRY(lb_verify_free_jelly(context));
    return lb_verify_spring_laws(context);
}
