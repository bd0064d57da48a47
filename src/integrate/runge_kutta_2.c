/* The explicit Runge-Kutta methods of two stages and second order: an Euler step over a share s of the whole, then the
 * derivatives at its start and at its end, weighted so that the order is two.
 *
 *   x* = x + s h v,  v* = v + s h a(x, v),  w = 1 / (2 s)
 *   x' = x + h ((1 - w) v + w v*),  v' = v + h ((1 - w) a(x, v) + w a(x*, v*))
 *
 * Heun's method goes all the way (s = 1), the midpoint method (Runge-Kutta 2) half of it. Whatever s is, x' is
 * x + h (v + h a / 2), and on linear motions all of them are one method. */
#include "integrate/integrator.h"

#include "base/simd.h"

typedef struct Predict {
    float h, part, first; /* s: the step, s h and (1 - w) h */
    const float* a;
    float *x, *v; /* position at the end; velocity but for the second stage */
    float *predictedX, *predictedV;
} Predict;

static void predict(void* context, int begin, int end) {
    const Predict p = *(const Predict*)context;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 x = load4(p.x + i), v = load4(p.v + i), a = load4(p.a + i);
        lbFloat4 halfway = v + 0.5f * p.h * a;
        store4(p.predictedX + i, x + p.part * v);
        store4(p.predictedV + i, v + p.part * a);
        store4(p.x + i, x + p.h * halfway);
        store4(p.v + i, v + p.first * a);
    }
}

static void step(const lbSystem* system, double time, double h, double share) {
    size_t used = system->scratch->used;
    float *a = lb_take_vector(system), *x = lb_take_vector(system), *v = lb_take_vector(system);
    double part = share * h, second = h / (2 * share);
    system->acceleration(system->self, time, system->x, system->v, a);
    lb_for_nodes(system, predict,
                 &(Predict){(float)h, (float)part, (float)(h - second), a, system->x, system->v, x, v});
    system->acceleration(system->self, time + part, x, v, a);
    lb_add_scaled(system->tasks, system->count, (float)second, a, system->v);
    lb_damp(system, h, system->v);
    system->scratch->used = used;
}

static void heun_step(const lbSystem* system, lbHistory* history, double time, double h) {
    (void)history;
    step(system, time, h, 1);
}

static void midpoint_step(const lbSystem* system, lbHistory* history, double time, double h) {
    (void)history;
    step(system, time, h, 0.5);
}

static int characteristic(double _Complex z, double _Complex* c) {
    c[0] = -(1 + z + z * z / 2), c[1] = 1;
    return 1;
}

static double stable_step(double frequency, double damping) {
    return lb_find_stable_step(characteristic, frequency, damping);
}

const lbIntegrator lb_heun = {
    .name = "heun",
    .label = "Heun",
    .description = "Second order, two evaluations of forces a step",
    .traits = lb_traitExplicit,
    .order = 2,
    .scratchVectors = 3,
    .step = heun_step,
    .stableStep = stable_step,
};

const lbIntegrator lb_midpoint = {
    .name = "midpoint",
    .label = "Midpoint",
    .description = "Second order, two evaluations of forces a step (Runge-Kutta 2)",
    .traits = lb_traitExplicit,
    .order = 2,
    .scratchVectors = 3,
    .step = midpoint_step,
    .stableStep = stable_step,
};
