/* Heun's method: an Euler step, then the mean of the derivatives at both its ends. Second order.
 *
 *   x* = x + h v,  v* = v + h a(x, v)
 *   x' = x + h (v + v*) / 2,  v' = v + h (a(x, v) + a(x*, v*)) / 2 */
#include "integrate/integrator.h"

#include "base/simd.h"

typedef struct Predict {
    float h;
    const float* a;
    float *x, *v; /* position at the end; velocity but for the second half of the mean */
    float *predictedX, *predictedV;
} Predict;

static void predict(void* context, int begin, int end) {
    const Predict p = *(const Predict*)context;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 x = load4(p.x + i), v = load4(p.v + i), a = load4(p.a + i);
        lbFloat4 halfway = v + 0.5f * p.h * a;
        store4(p.predictedX + i, x + p.h * v);
        store4(p.predictedV + i, v + p.h * a);
        store4(p.x + i, x + p.h * halfway);
        store4(p.v + i, halfway);
    }
}

static void heun_step(const lbSystem* system, lbHistory* history, double time, double h) {
    (void)history;
    size_t used = system->scratch->used;
    float *a = lb_take_vector(system), *x = lb_take_vector(system), *v = lb_take_vector(system);
    system->acceleration(system->self, time, system->x, system->v, a);
    lb_for_nodes(system, predict, &(Predict){(float)h, a, system->x, system->v, x, v});
    system->acceleration(system->self, time + h, x, v, a);
    lb_add_scaled(system->tasks, system->count, (float)(0.5 * h), a, system->v);
    lb_damp(system, h, system->v);
    system->scratch->used = used;
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
