/* The midpoint method (Runge-Kutta 2): the whole step by the derivative in its middle. Second order.
 *
 *   x* = x + h v / 2,  v* = v + h a(x, v) / 2
 *   x' = x + h v*,     v' = v + h a(x*, v*) */
#include "integrate/integrator.h"

#include "base/simd.h"

typedef struct GoHalfway {
    float h;
    const float *a, *v;
    float* x; /* at the end */
    float *middleX, *middleV;
} GoHalfway;

static void go_halfway(void* context, int begin, int end) {
    const GoHalfway p = *(const GoHalfway*)context;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 x = load4(p.x + i), v = load4(p.v + i);
        lbFloat4 middle = v + 0.5f * p.h * load4(p.a + i);
        store4(p.middleX + i, x + 0.5f * p.h * v);
        store4(p.middleV + i, middle);
        store4(p.x + i, x + p.h * middle);
    }
}

static void midpoint_step(const lbSystem* system, lbHistory* history, double time, double h) {
    (void)history;
    size_t used = system->scratch->used;
    float *a = lb_take_vector(system), *x = lb_take_vector(system), *v = lb_take_vector(system);
    system->acceleration(system->self, time, system->x, system->v, a);
    lb_for_nodes(system, go_halfway, &(GoHalfway){(float)h, a, system->v, system->x, x, v});
    system->acceleration(system->self, time + 0.5 * h, x, v, a);
    lb_add_scaled(system->tasks, system->count, (float)h, a, system->v);
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
