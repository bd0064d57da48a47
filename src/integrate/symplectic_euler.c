/* Symplectic (semi-implicit) Euler: velocity first, then position with the new velocity. First order; the energy
 * error stays bounded for good.
 *
 *   v' = v + h a(x, v),  x' = x + h v'
 *
 * On x'' = -w^2 x - d v the step is stable while h^2 w^2 + 2 h d < 4 and h d < 2; the first is the stricter, and its
 * root is h = (sqrt(d^2 + 4 w^2) - d) / w^2. */
#include "integrate/integrator.h"

#include <math.h>

static void kick(const lbSystem* system, double time, double h) {
    size_t used = system->scratch->used;
    float* a = lb_take_vector(system);
    system->acceleration(system->self, time, system->x, system->v, a);
    lb_add_scaled(system->tasks, system->count, (float)h, a, system->v);
    lb_damp(system, h, system->v);
    system->scratch->used = used;
}

static void drift(const lbSystem* system, double h) {
    lb_add_scaled(system->tasks, system->count, (float)h, system->v, system->x);
}

static void symplectic_euler_step(const lbSystem* system, lbHistory* history, double time, double h) {
    (void)history;
    if (system->damp != NULL) {
        kick(system, time, h);
        drift(system, h);
        return;
    }
    size_t used = system->scratch->used;
    float* a = lb_take_vector(system);
    system->acceleration(system->self, time, system->x, system->v, a);
    lb_kick_and_drift(system->tasks, system->count, (float)h, a, system->v, system->x);
    system->scratch->used = used;
}

static double symplectic_euler_stable_step(double frequency, double damping) {
    if (frequency > 0) { /* (sqrt(d^2 + 4 w^2) - d) / w^2, without the cancellation */
        return 4 / (sqrt(damping * damping + 4 * frequency * frequency) + damping);
    }
    return damping > 0 ? 2 / damping : INFINITY;
}

const lbIntegrator lb_symplecticEuler = {
    .name = "symplectic-euler",
    .label = "Symplectic Euler",
    .description = "First order, cheapest; keeps energy bounded",
    .traits = lb_traitExplicit | lb_traitLocal | lb_traitSymplectic,
    .order = 1,
    .scratchVectors = 1,
    .step = symplectic_euler_step,
    .kick = kick,
    .drift = drift,
    .stableStep = symplectic_euler_stable_step,
};

const lbIntegrator lb_filteredEuler = {
    .name = "filtered-euler",
    .label = "Filtered Euler",
    .description = "Longer steps at the price of slower motion; of bodies with levels of detail alone",
    .traits = lb_traitExplicit | lb_traitLocal,
    .order = 1,
    .stableStep = symplectic_euler_stable_step,
};
