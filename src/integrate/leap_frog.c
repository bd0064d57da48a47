/* Leap-frog with a half-step start: velocities live half a step away from positions. Second order, symplectic.
 *
 *   u(-h/2) = v(0) - h a(0) / 2
 *   u(t + h/2) = u(t - h/2) + h a(t),  x(t + h) = x(t) + h u(t + h/2)
 *
 * What others see as the velocity, v, is that at the same time as x: v(t + h) = u(t + h/2) + h a(t + h) / 2. So the
 * acceleration is evaluated at the end of a step and kept for the next one, with u. Guessing v from a(t) instead would
 * spare nothing in free motion and would make a body that is pushed in every step (it rests on the ground) unstable:
 * each push starts the method anew from v.
 *
 * Where forces depend on velocities, a(t + h) is taken at u(t + h/2) + h a(t) / 2, which is right to second order, and
 * so the method stays of second order with damping. It is then stable while w^2 h^2 + 4 d h < 4. */
#include "integrate/integrator.h"

#include "base/simd.h"

typedef struct Leap {
    float h;
    const float* a;
    float *u, *x, *v;
} Leap;

static inline void move(const Leap* p, size_t i, lbFloat4 u) {
    store4(p->x + i, load4(p->x + i) + p->h * u);
    store4(p->v + i, u + 0.5f * p->h * load4(p->a + i)); /* a guess at the velocity, for forces */
}

static void leap(void* context, int begin, int end) {
    const Leap p = *(const Leap*)context;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 u = load4(p.u + i) + p.h * load4(p.a + i);
        store4(p.u + i, u);
        move(&p, i, u);
    }
}

static void move_only(void* context, int begin, int end) {
    const Leap p = *(const Leap*)context;
    LB_FOR_NODES(i, begin, end) {
        move(&p, i, load4(p.u + i));
    }
}

static void leap_frog_step(const lbSystem* system, lbHistory* history, double time, double h) {
    float* a = lb_history_vector(system, history, 0);
    float* u = lb_history_vector(system, history, 1);
    if (history->filled == 0) {
        system->acceleration(system->self, time, system->x, system->v, a);
    }
    if (history->filled == 0 || history->step != h) {
        lb_combine(system, 1, system->v, (float)(-0.5 * h), a, u);
    }
    Leap pass = {(float)h, a, u, system->x, system->v};
    if (system->damp == NULL) {
        lb_for_nodes(system, leap, &pass);
    } else {
        lb_add_scaled(system->tasks, system->count, (float)h, a, u);
        system->damp(system->self, h, u);
        lb_for_nodes(system, move_only, &pass);
    }
    system->acceleration(system->self, time + h, system->x, system->v, a);
    lb_combine(system, 1, u, (float)(0.5 * h), a, system->v);
    history->filled = 1;
    history->step = h;
}

const lbIntegrator lb_leapFrog = {
    .name = "leap-frog",
    .label = "Leap-frog",
    .description = "Second order; keeps energy bounded; velocities half a step apart",
    .traits = lb_traitExplicit | lb_traitLocal | lb_traitSymplectic,
    .order = 2,
    .historyVectors = 2,
    .step = leap_frog_step,
    .stableStep = lb_verlet_stable_step,
};
