/* Velocity Verlet. Second order; the trajectory is Verlet's and leap-frog's, so symplectic. (W. C. Swope, H. C.
 * Andersen, P. H. Berens, K. R. Wilson 1982.)
 *
 *   x' = x + h v + h^2 a / 2,  v' = v + h (a + a') / 2
 *
 * The acceleration at the end of a step is kept for the next one: one evaluation a step. Where forces depend on
 * velocities, a' is taken at v + h a, which is right to second order, and so the method stays of second order with
 * damping. It is then stable while w^2 h^2 + 4 d h < 4. */
#include "integrate/integrator.h"

#include "base/simd.h"

typedef struct Pass {
    float h;
    float* a;
    const float* next; /* acceleration at the end of the step */
    float *x, *v;
} Pass;

static void predict(void* context, int begin, int end) {
    const Pass p = *(const Pass*)context;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 v = load4(p.v + i), change = p.h * load4(p.a + i);
        store4(p.x + i, load4(p.x + i) + p.h * (v + 0.5f * change));
        store4(p.v + i, v + change);
    }
}

static void correct(void* context, int begin, int end) {
    const Pass p = *(const Pass*)context;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 next = load4(p.next + i);
        store4(p.v + i, load4(p.v + i) + 0.5f * p.h * (next - load4(p.a + i)));
        store4(p.a + i, next);
    }
}

static void velocity_verlet_step(const lbSystem* system, lbHistory* history, double time, double h) {
    size_t used = system->scratch->used;
    float* next = lb_take_vector(system);
    Pass pass = {(float)h, history->vectors, next, system->x, system->v};
    if (history->filled == 0) {
        system->acceleration(system->self, time, system->x, system->v, pass.a);
    }
    lb_for_nodes(system, predict, &pass);
    system->acceleration(system->self, time + h, system->x, system->v, next);
    lb_for_nodes(system, correct, &pass);
    lb_damp(system, h, system->v);
    history->filled = 1;
    history->step = h;
    system->scratch->used = used;
}

const lbIntegrator lb_velocityVerlet = {
    .name = "velocity-verlet",
    .label = "Velocity Verlet",
    .description = "Second order; keeps energy bounded",
    .traits = lb_traitExplicit | lb_traitLocal | lb_traitSymplectic,
    .order = 2,
    .historyVectors = 1,
    .scratchVectors = 1,
    .step = velocity_verlet_step,
    .stableStep = lb_verlet_stable_step,
};
