/* Integrators on the oscillator x'' = -w^2 x - 2 d v, against its exact solution
 *
 *   x(t) = exp(-d t) (cos q t + (d / q) sin q t),  q^2 = w^2 - d^2,  from x = 1, v = 0.
 *
 * Order: the error at a fixed time, at two steps a factor of two apart; theory allows a relative deviation of the size
 * of the next term, w h. State is float32, so steps are chosen for errors far above its rounding. */
#include "base/math.h"
#include "base/result.h"
#include "integrate/integrator.h"
#include "verify/suites.h"

#include <stdio.h>
#include <string.h>

typedef struct Oscillator {
    double frequency; /* w, rad/s */
    double damping;   /* d, 1/s */
} Oscillator;

static void oscillator_acceleration(void* self, double time, const float* x, const float* v, float* a) {
    (void)time;
    const Oscillator* oscillator = self;
    double w = oscillator->frequency, d = oscillator->damping;
    for (int c = 0; c < 4; ++c) {
        a[c] = (float)(-w * w * (double)x[c] - 2 * d * (double)v[c]);
    }
}

static void oscillator_tangent(void* self, const float* x, float a, float b, const float* p, float* y) {
    (void)x;
    const Oscillator* oscillator = self;
    double slope = -(double)a * oscillator->frequency * oscillator->frequency - (double)b * 2 * oscillator->damping;
    for (int c = 0; c < 3; ++c) {
        y[c] += (float)(slope * (double)p[c]);
    }
}

static void nothing_held(void* self, float* p) {
    (void)self, (void)p;
}

static double exact_position(const Oscillator* o, double t) {
    double q = sqrt(o->frequency * o->frequency - o->damping * o->damping);
    return exp(-o->damping * t) * (cos(q * t) + o->damping / q * sin(q * t));
}

enum { mostVectors = 32 };

/* Room for a system of one node. */
typedef struct OneNode {
    float x[4], v[4], mass[1];
    float vectors[4 * mostVectors];
    lbHistory history;
    lbIntegratorSettings settings;
    char scratch[mostVectors * 64];
    lbArena arena;
    lbSystem system;
} OneNode;

static void start(OneNode* node, Oscillator* oscillator) {
    *node = (OneNode){.x = {1}, .mass = {1}};
    node->history.vectors = node->vectors;
    node->settings = lbDefaultBodyDef().settings;
    node->arena = (lbArena){.base = node->scratch, .size = sizeof(node->scratch)};
    node->system = (lbSystem){.count = 1,
                              .mass = node->mass,
                              .x = node->x,
                              .v = node->v,
                              .acceleration = oscillator_acceleration,
                              .tangent = oscillator_tangent,
                              .project = nothing_held,
                              .self = oscillator,
                              .settings = &node->settings,
                              .scratch = &node->arena};
}

static double error_at(const lbIntegrator* integrator, Oscillator oscillator, double end, int steps) {
    OneNode node;
    start(&node, &oscillator);
    double h = end / steps;
    for (int i = 0; i < steps; ++i) {
        integrator->step(&node.system, &node.history, i * h, h);
    }
    return fabs((double)node.x[0] - exact_position(&oscillator, end));
}

static void check_order(lbVerifyContext* context, const lbIntegrator* integrator, Oscillator oscillator,
                        const char* which) {
    const int steps = 400;
    double end = 7.3, coarse = error_at(integrator, oscillator, end, steps);
    double observed = log2(coarse / error_at(integrator, oscillator, end, 2 * steps));
    char name[128];
    snprintf(name, sizeof(name), "%s: order, %s oscillator", integrator->name, which);
    lb_verify_near(context, name, observed, integrator->order, 5 * oscillator.frequency * end / steps);
}

/* The largest departure of the energy from its start, over a thousand periods. */
static double energy_drift(const lbIntegrator* integrator, double h) {
    Oscillator oscillator = {1, 0};
    OneNode node;
    start(&node, &oscillator);
    double worst = 0;
    int steps = (int)(1000 * 2 * LB_PI / h);
    for (int i = 0; i < steps; ++i) {
        integrator->step(&node.system, &node.history, i * h, h);
        double energy = 0.5 * ((double)node.v[0] * (double)node.v[0] + (double)node.x[0] * (double)node.x[0]);
        worst = fmax(worst, fabs(energy / 0.5 - 1));
    }
    return worst;
}

static bool stays_bounded(const lbIntegrator* integrator, Oscillator oscillator, double h) {
    OneNode node;
    start(&node, &oscillator);
    for (int i = 0; i < 4000; ++i) {
        integrator->step(&node.system, &node.history, i * h, h);
        if (!(fabsf(node.x[0]) < 1e6f)) {
            return false;
        }
    }
    return true;
}

/* The longest stable step by bisection, against the formula that limber takes its steps by. */
static void check_stable_step(lbVerifyContext* context, const lbIntegrator* integrator, Oscillator oscillator,
                              const char* which) {
    double stated = integrator->stableStep(oscillator.frequency, 2 * oscillator.damping);
    double low = 0.1 * stated, high = 10 * stated;
    for (int i = 0; i < 40; ++i) {
        double middle = 0.5 * (low + high);
        *(stays_bounded(integrator, oscillator, middle) ? &low : &high) = middle;
    }
    char name[128];
    snprintf(name, sizeof(name), "%s: longest stable step, %s oscillator, s", integrator->name, which);
    lb_verify_near(context, name, low, stated, 2e-3 * stated); /* growth must show within the run: 14 in 4000 steps */
}

lbResult lb_verify_integrators(lbVerifyContext* context) {
    const Oscillator free = {1, 0}, damped = {1, 0.1};
    for (int kind = 0; kind < lb_integratorKindCount; ++kind) {
        const lbIntegrator* integrator = lb_find_integrator((lbIntegratorKind)kind);
        check_order(context, integrator, free, "undamped");
        check_order(context, integrator, damped, "damped");
        check_stable_step(context, integrator, free, "undamped");
        check_stable_step(context, integrator, damped, "damped");
        char name[128];
        snprintf(name, sizeof(name), "%s: energy departure over 1000 periods, w h = 0.05", integrator->name);
        /* Symplectic Euler keeps x^2 + v^2 - h x v, whose mixed term is at most h / 2 of the rest. */
        lb_verify_at_most(context, name, energy_drift(integrator, 0.05), 0.05 / 2 + 1e-3);
    }
    return lb_verify_spring_laws(context);
}
