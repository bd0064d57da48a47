/* Implicit methods on the path that bodies take: assembled matrices, preconditioned conjugate gradients, one
 * linearisation a step. The linear law makes the body a set of oscillators: its motion is compared with that of the
 * method itself on each of them, and with explicit steps far shorter. */
#include "base/math.h"
#include "base/result.h"
#include "verify/chain.h"
#include "verify/generalised_alpha_theory.h"
#include "verify/suites.h"
#include "verify/tet_block.h"

#include <stdio.h>
#include <string.h>

static const lbTetBlock bar = {{0.4, 0.1, 0.1}, {8, 2, 2}};

static lbResult make_bar(lbLawKind law, lbIntegratorKind integrator, lbDynamicModel** model, lbDynamicBody** body) {
    lbModelDef def = lbDefaultModelDef();
    def.law.kind = law;
    def.material = (lbMaterial){.density = 1000, .youngsModulus = 1e5f, .poissonsRatio = 0.3f};
    LB_TRY(lb_create_block_model(lb_resolve_host(NULL), &bar, &def, model));
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.integrator = integrator;
    bodyDef.settings = (lbIntegratorSettings){.tolerance = 1e-7f, .iterationLimit = 2000, .linearisations = 1};
    lbResult result = lb_create_block_body(lb_resolve_host(NULL), *model, &bodyDef, body);
    if (result.code != lb_ok) {
        lb_destroy_dynamic_model(*model);
    }
    return result;
}

enum { mostNodes = 128 };

/* Where all nodes are after a time, by steps of equal length; and the largest energy on the way. */
static lbResult run_bar(lbLawKind law, lbIntegratorKind integrator, double end, int steps, float* x, double* energy) {
    lbDynamicModel* model = NULL;
    lbDynamicBody* body = NULL;
    LB_TRY(make_bar(law, integrator, &model, &body));
    lbEnergy start = body->base.ops->energy(&body->base);
    double h = end / steps, most = -INFINITY;
    for (int i = 0; i < steps; ++i) {
        lb_advance_body(&body->base, i * h, h);
        lbEnergy now = body->base.ops->energy(&body->base);
        most = fmax(most, now.kinetic + now.elastic + now.gravity - start.gravity);
    }
    memcpy(x, body->x, 4 * (size_t)model->nodeCount * sizeof(float));
    if (energy != NULL) {
        *energy = most;
    }
    lb_destroy_dynamic_body(body);
    lb_destroy_dynamic_model(model);
    return lb_success();
}

static double distance(const float* x, const float* reference) {
    double sum = 0;
    for (int i = 0; i < 4 * mostNodes; ++i) {
        double d = (double)x[i] - (double)reference[i];
        sum += d * d;
    }
    return sqrt(sum / mostNodes);
}

/* The error of all nodes at a fixed time, at steps a factor of two apart, against explicit ones far shorter. The bar
 * is let go: it bends by a third of its length, and rings at all of its frequencies, of which the coarser steps leave
 * the fastest unresolved; these are what the observed order lacks. */
static lbResult check_order(lbVerifyContext* context, lbLawKind law, lbIntegratorKind kind) {
    const double end = 0.3;
    const lbIntegrator* integrator = lb_find_integrator(kind);
    float reference[4 * mostNodes] = {0}, coarse[4 * mostNodes] = {0}, fine[4 * mostNodes] = {0};
    LB_TRY(run_bar(law, lb_integratorVelocityVerlet, end, 6000, reference, NULL));
    int steps = integrator->order == 1 ? 800 : 240;
    LB_TRY(run_bar(law, kind, end, steps, coarse, NULL));
    LB_TRY(run_bar(law, kind, end, 2 * steps, fine, NULL));
    char name[128];
    snprintf(name, sizeof(name), "%s: order on assembled matrices, %s", integrator->name, lbLawKind_GetName(law));
    lb_verify_near(context, name, log2(distance(coarse, reference) / distance(fine, reference)), integrator->order,
                   0.15);
    return lb_success();
}

/* A step of 0.1 s is 50 times what explicit methods can take: what is left of the fall's energy never grows. */
static lbResult check_bounded(lbVerifyContext* context, lbLawKind law, lbIntegratorKind kind) {
    float x[4 * mostNodes];
    double energy;
    LB_TRY(run_bar(law, kind, 20, 200, x, &energy));
    char name[128];
    snprintf(name, sizeof(name), "%s: most energy in 200 steps of 0.1 s, J above the start, %s",
             lb_find_integrator(kind)->name, lbLawKind_GetName(law));
    /* Of some 2 J that go back and forth, ten steps in a swing. Where forces are not linear, one linearisation a step
     * is off by what a swing's second-order error is, (w h)^2 / 12. */
    lb_verify_at_most(context, name, energy, law == lb_lawLinear ? 1e-3 : 2 * 0.36 / 6);
    return lb_success();
}

/* ---- Amplitude and phase ----------------------------------------------------------------------------------------- */

/* What is left of an oscillator's amplitude after a period, by the integrator, against the scheme's own theory. */
static void check_amplitude(lbVerifyContext* context, int stepsPerPeriod) {
    double h = 2 * LB_PI / stepsPerPeriod;
    double complex factor = lb_alpha_factor(h);
    lbChain oscillator = {1, 0.5, 0};
    lbChainRun run;
    lb_start_chain(&run, &oscillator);
    run.settings.tolerance = 1e-7f;
    const int warm = 3 * stepsPerPeriod, timed = 2 * stepsPerPeriod;
    for (int i = 0; i < warm; ++i) {
        lb_generalisedAlpha.step(&run.system, &run.history, i * h, h);
    }
    double x[3] = {(double)run.x[0], 0, 0};
    for (int i = 0; i < timed; ++i) {
        lb_generalisedAlpha.step(&run.system, &run.history, i * h, h);
        x[1] = i == 0 ? (double)run.x[0] : x[1];
    }
    /* x_n = Re(c r^n): c from two of them, and so the third. */
    double r = creal(factor), s = cimag(factor);
    double complex c = CMPLX(x[0], (x[0] * r - x[1]) / s);
    double expected = creal(c * cpow(factor, timed)), size = cabs(c);
    char name[128];
    snprintf(name, sizeof(name), "generalised-alpha: amplitude left after a period of %d steps", stepsPerPeriod);
    lb_verify_near(context, name, pow(cabs(factor), stepsPerPeriod), stepsPerPeriod >= 20 ? 1 : 0.94,
                   stepsPerPeriod >= 20 ? 0.005 : 0.045);
    snprintf(name, sizeof(name), "generalised-alpha: two periods of %d steps - theory, of the amplitude",
             stepsPerPeriod);
    lb_verify_near(context, name, ((double)run.x[0] - expected) / size, 0, 1e-3);
}

static void check_high_frequencies(lbVerifyContext* context) {
    lbChain oscillator = {1, 0.5, 0};
    lbChainRun run;
    lb_start_chain(&run, &oscillator);
    const double h = 1000;
    double before = 0;
    for (int i = 0; i < 20; ++i) {
        before = fabs((double)run.x[0]);
        lb_generalisedAlpha.step(&run.system, &run.history, i * h, h);
    }
    /* A double root: n 2^-n after n steps. */
    lb_verify_near(context, "generalised-alpha: what the 20th step leaves of w h = 1000",
                   fabs((double)run.x[0]) / before, 0.5 * 20 / 19, 0.05);
}

lbResult lb_verify_implicit_methods(lbVerifyContext* context) {
    const lbIntegratorKind kinds[] = {lb_integratorImplicitEuler, lb_integratorCrankNicolson,
                                      lb_integratorGeneralisedAlpha};
    for (int k = 0; k < 3; ++k) {
        LB_TRY(check_order(context, lb_lawLinear, kinds[k]));
        LB_TRY(check_order(context, lb_lawCorotational, kinds[k]));
        LB_TRY(check_bounded(context, lb_lawLinear, kinds[k]));
    }
    LB_TRY(check_bounded(context, lb_lawCorotational, lb_integratorGeneralisedAlpha));
    const int periods[] = {10, 20, 50};
    for (int i = 0; i < 3; ++i) {
        check_amplitude(context, periods[i]);
    }
    check_high_frequencies(context);
    return lb_success();
}
