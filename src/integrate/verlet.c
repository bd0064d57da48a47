/* Verlet's method: a recurrence of positions alone. Second order; the trajectory is that of leap-frog, so symplectic.
 *
 *   x(t + h) = 2 x(t) - x(t - h) + h^2 a(t),  v(t) = (x(t + h) - x(t - h)) / 2h
 *
 * (L. Verlet 1967; the lecture's line misses the minus.) Kept from step to step is the displacement s = x(t) - x(t - h)
 * rather than x(t - h): the same recurrence, s' = s + h^2 a, x' = x + s', but positions far from the origin then do not
 * round off velocities. The acceleration at the end of the step is kept too, so that the velocity there is known at
 * once: v(t + h) = (s' + s'') / 2h with s'' = s' + h^2 a(t + h). It starts with s = h v - h^2 a / 2.
 *
 * Where forces depend on velocities, a(t + h) takes the backward difference (3 s' - s) / 2h, which is right to second
 * order, and so the method stays of second order with damping. It is then stable while w^2 h^2 + 4 d h < 4. */
#include "integrate/integrator.h"

#include "base/simd.h"

typedef struct Move {
    float h;
    const float* a;
    float *s, *x, *v;
} Move;

static void move(void* context, int begin, int end) {
    const Move p = *(const Move*)context;
    const float hh = p.h * p.h, inverse = 0.5f / p.h;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 last = load4(p.s + i), next = last + hh * load4(p.a + i);
        store4(p.s + i, next);
        store4(p.x + i, load4(p.x + i) + next);
        store4(p.v + i, inverse * (3.0f * next - last));
    }
}

/* The same with the damping of points in between: v holds the velocity of the step, damped. */
static void move_by_velocity(void* context, int begin, int end) {
    const Move p = *(const Move*)context;
    const float inverse = 0.5f / p.h;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 last = load4(p.s + i), next = p.h * load4(p.v + i);
        store4(p.s + i, next);
        store4(p.x + i, load4(p.x + i) + next);
        store4(p.v + i, inverse * (3.0f * next - last));
    }
}

static void verlet_step(const lbSystem* system, lbHistory* history, double time, double h) {
    float* a = lb_history_vector(system, history, 0);
    float* s = lb_history_vector(system, history, 1);
    if (history->filled == 0) {
        system->acceleration(system->self, time, system->x, system->v, a);
    }
    if (history->filled == 0 || history->step != h) {
        lb_combine(system, (float)h, system->v, (float)(-0.5 * h * h), a, s);
    }
    Move pass = {(float)h, a, s, system->x, system->v};
    if (system->damp == NULL) {
        lb_for_nodes(system, move, &pass);
    } else {
        lb_combine(system, (float)(1 / h), s, (float)h, a, system->v);
        system->damp(system->self, h, system->v);
        lb_for_nodes(system, move_by_velocity, &pass);
    }
    system->acceleration(system->self, time + h, system->x, system->v, a);
    lb_combine(system, (float)(1 / h), s, (float)(0.5 * h), a, system->v);
    history->filled = 1;
    history->step = h;
}

const lbIntegrator lb_verlet = {
    .name = "verlet",
    .label = "Verlet",
    .description = "Second order; keeps energy bounded; steps positions",
    .traits = lb_traitExplicit | lb_traitLocal | lb_traitMultistep | lb_traitSymplectic,
    .order = 2,
    .historyVectors = 2,
    .step = verlet_step,
    .stableStep = lb_verlet_stable_step,
};
