#include "verify/chain.h"

#include "base/math.h"

static void chain_acceleration(void* self, double time, const float* x, const float* v, float* a) {
    (void)time;
    lbChainRun* run = self;
    const lbChain* chain = &run->chain;
    for (int i = 0; i < chain->count; ++i) {
        double before = i > 0 ? (double)x[4 * (i - 1)] : 0, after = i + 1 < chain->count ? (double)x[4 * (i + 1)] : 0;
        double pull = chain->spring * (before + after - 2 * (double)x[4 * i]);
        a[4 * i] = (float)(pull - chain->damping * (double)v[4 * i]);
        a[4 * i + 1] = a[4 * i + 2] = a[4 * i + 3] = 0;
    }
    ++run->evaluations;
}

static void chain_tangent(void* self, const float* x, float a, float b, const float* p, float* y) {
    (void)x;
    const lbChain* chain = &((const lbChainRun*)self)->chain;
    for (int i = 0; i < chain->count; ++i) {
        double before = i > 0 ? (double)p[4 * (i - 1)] : 0, after = i + 1 < chain->count ? (double)p[4 * (i + 1)] : 0;
        double pull = chain->spring * (before + after - 2 * (double)p[4 * i]);
        y[4 * i] += (float)((double)a * pull - (double)b * chain->damping * (double)p[4 * i]);
    }
}

static void nothing_held(void* self, float* p) {
    (void)self, (void)p;
}

double lb_chain_frequency(const lbChain* chain, int mode) {
    return 2 * sqrt(chain->spring) * sin(mode * LB_PI / (2 * (chain->count + 1)));
}

/* Of mode j at mass i. */
static double shape(const lbChain* chain, int mode, int i) {
    return sin(mode * LB_PI * (i + 1) / (chain->count + 1));
}

/* What a mode does from amplitude 1 at rest: exp(-d t / 2) (cos q t + d / 2q sin q t), q^2 = w^2 - d^2 / 4. */
static void mode_motion(const lbChain* chain, int mode, double t, double* x, double* v) {
    double w = lb_chain_frequency(chain, mode), d = 0.5 * chain->damping, q = sqrt(w * w - d * d);
    *x = exp(-d * t) * (cos(q * t) + d / q * sin(q * t));
    *v = -exp(-d * t) * w * w / q * sin(q * t);
}

static void exact_motion(const lbChain* chain, int i, double t, double* x, double* v) {
    double third = chain->count >= 3 ? 0.5 : 0, modeX, modeV;
    mode_motion(chain, 1, t, &modeX, &modeV);
    *x = modeX * shape(chain, 1, i);
    *v = modeV * shape(chain, 1, i);
    if (third > 0) {
        mode_motion(chain, 3, t, &modeX, &modeV);
        *x += third * modeX * shape(chain, 3, i);
        *v += third * modeV * shape(chain, 3, i);
    }
}

void lb_start_chain(lbChainRun* run, const lbChain* chain) {
    *run = (lbChainRun){.chain = *chain};
    for (int i = 0; i < chain->count; ++i) {
        double x, v;
        exact_motion(chain, i, 0, &x, &v);
        run->x[4 * i] = (float)x;
        run->mass[i] = 1;
    }
    run->history.vectors = run->vectors;
    run->settings = lbDefaultBodyDef().settings;
    run->arena = (lbArena){.base = run->scratch, .size = sizeof(run->scratch)};
    run->system = (lbSystem){.count = chain->count,
                             .mass = run->mass,
                             .x = run->x,
                             .v = run->v,
                             .acceleration = chain_acceleration,
                             .tangent = chain_tangent,
                             .project = nothing_held,
                             .self = run,
                             .settings = &run->settings,
                             .scratch = &run->arena};
}

double lb_chain_error(const lbChainRun* run, double t) {
    double w = lb_chain_frequency(&run->chain, run->chain.count >= 3 ? 3 : 1), worst = 0;
    for (int i = 0; i < run->chain.count; ++i) {
        double x, v;
        exact_motion(&run->chain, i, t, &x, &v);
        worst = fmax(worst, hypot((double)run->x[4 * i] - x, ((double)run->v[4 * i] - v) / w));
    }
    return worst;
}

double lb_chain_energy(const lbChainRun* run) {
    double energy = 0, before = 0;
    for (int i = 0; i <= run->chain.count; ++i) {
        double x = i < run->chain.count ? (double)run->x[4 * i] : 0;
        double v = i < run->chain.count ? (double)run->v[4 * i] : 0;
        energy += 0.5 * v * v + 0.5 * run->chain.spring * (x - before) * (x - before);
        before = x;
    }
    return energy;
}
