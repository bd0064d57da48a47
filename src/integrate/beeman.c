/* Beeman's method: Verlet's positions with velocities of third order. (D. Beeman 1976.)
 *
 *   x' = x + h v + h^2 (4 a - a_) / 6,  v' = v + h (2 a' + 5 a - a_) / 6,  a_ the acceleration one step ago
 *
 * It starts with a step of velocity Verlet, which differs in its weights only. Where forces depend on velocities, a' is
 * taken at v + h (3 a - a_) / 2. With damping positions stay of second order; the step is then stable while
 * w^2 h^2 + 20 d h / 3 < 4. */
#include "integrate/integrator.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

/* Of a_, a, a' in the step's position (times h^2), guessed velocity and velocity (times h). */
typedef struct Weights {
    float position[2], guess[2], velocity[3];
} Weights;

static const Weights running = {{-1.0f / 6, 4.0f / 6}, {-0.5f, 1.5f}, {-1.0f / 6, 5.0f / 6, 2.0f / 6}};
static const Weights starting = {{0, 0.5f}, {0, 1}, {0, 0.5f, 0.5f}};

typedef struct Pass {
    float h;
    Weights weights;
    float *before, *now; /* a_ and a */
    const float* next;   /* a' */
    float *x, *v;
} Pass;

static void predict(void* context, int begin, int end) {
    const Pass p = *(const Pass*)context;
    const Weights w = p.weights;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 v = load4(p.v + i), before = p.h * load4(p.before + i), now = p.h * load4(p.now + i);
        store4(p.x + i, load4(p.x + i) + p.h * (v + w.position[0] * before + w.position[1] * now));
        store4(p.v + i, v + w.guess[0] * before + w.guess[1] * now);
    }
}

/* Turns the guess into the velocity, and moves the accelerations on. */
static void correct(void* context, int begin, int end) {
    const Pass p = *(const Pass*)context;
    const Weights w = p.weights;
    const float change[3] = {p.h * (w.velocity[0] - w.guess[0]), p.h * (w.velocity[1] - w.guess[1]),
                             p.h * w.velocity[2]};
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 now = load4(p.now + i), next = load4(p.next + i);
        store4(p.v + i, load4(p.v + i) + change[0] * load4(p.before + i) + change[1] * now + change[2] * next);
        store4(p.before + i, now);
        store4(p.now + i, next);
    }
}

static void beeman_step(const lbSystem* system, lbHistory* history, double time, double h) {
    size_t used = system->scratch->used;
    float* next = lb_take_vector(system);
    bool runs = history->filled > 0 && history->step == h;
    Pass pass = {(float)h,
                 runs ? running : starting,
                 lb_history_vector(system, history, 0),
                 lb_history_vector(system, history, 1),
                 next,
                 system->x,
                 system->v};
    if (history->filled == 0) {
        system->acceleration(system->self, time, system->x, system->v, pass.now);
        memcpy(pass.before, pass.now,
               4 * (size_t)system->count * sizeof(float)); /* a weight of zero asks for a number */
    }
    lb_for_nodes(system, predict, &pass);
    system->acceleration(system->self, time + h, system->x, system->v, next);
    lb_for_nodes(system, correct, &pass);
    lb_damp(system, h, system->v);
    history->filled = 1;
    history->step = h;
    system->scratch->used = used;
}

static double beeman_stable_step(double frequency, double damping) {
    double d = 5 * damping / 3, sum = sqrt(d * d + frequency * frequency) + d;
    return sum > 0 ? 2 / sum : INFINITY;
}

const lbIntegrator lb_beeman = {
    .name = "beeman",
    .label = "Beeman",
    .description = "Verlet's positions, velocities of third order; keeps energy bounded",
    .traits = lb_traitExplicit | lb_traitMultistep | lb_traitSymplectic,
    .order = 2,
    .historyVectors = 2,
    .scratchVectors = 1,
    .step = beeman_step,
    .stableStep = beeman_stable_step,
};
