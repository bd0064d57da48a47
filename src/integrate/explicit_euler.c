/* Explicit Euler: position and velocity both move by what they do at the start of the step. First order.
 *
 *   x' = x + h v,  v' = v + h a(x, v)
 *
 * Stable only where damping outweighs the growth that the method brings in, h < d / w^2 on x'' = -w^2 x - d v (and
 * h < 2 / d where damping is all there is). It is here because the others are measured by it. */
#include "integrate/integrator.h"

#include "base/simd.h"

typedef struct Advance {
    float h;
    const float* a;
    float *x, *v;
} Advance;

static void advance(void* context, int begin, int end) {
    const Advance p = *(const Advance*)context;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 v = load4(p.v + i);
        store4(p.x + i, load4(p.x + i) + p.h * v);
        store4(p.v + i, v + p.h * load4(p.a + i));
    }
}

static void explicit_euler_step(const lbSystem* system, lbHistory* history, double time, double h) {
    (void)history;
    size_t used = system->scratch->used;
    float* a = lb_take_vector(system);
    system->acceleration(system->self, time, system->x, system->v, a);
    lb_for_nodes(system, advance, &(Advance){(float)h, a, system->x, system->v});
    lb_damp(system, h, system->v);
    system->scratch->used = used;
}

static int characteristic(double _Complex z, double _Complex* c) {
    c[0] = -(1 + z), c[1] = 1;
    return 1;
}

static double stable_step(double frequency, double damping) {
    return lb_find_stable_step(characteristic, frequency, damping);
}

const lbIntegrator lb_explicitEuler = {
    .name = "explicit-euler",
    .label = "Explicit Euler",
    .description = "First order; every motion that is not damped grows",
    .traits = lb_traitExplicit | lb_traitLocal,
    .order = 1,
    .scratchVectors = 1,
    .step = explicit_euler_step,
    .stableStep = stable_step,
};
