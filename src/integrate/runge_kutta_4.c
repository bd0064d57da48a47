/* The classical Runge-Kutta method, fourth order. With a1 to a4 the accelerations of its four stages, the velocities of
 * the stages can be put into the sums for positions, so that only accelerations are kept:
 *
 *   stage 2: x + h v / 2,                v + h a1 / 2
 *   stage 3: x + h v / 2 + h^2 a1 / 4,   v + h a2 / 2
 *   stage 4: x + h v + h^2 a2 / 2,       v + h a3
 *   x' = x + h v + h^2 (a1 + a2 + a3) / 6
 *   v' = v + h (a1 + 2 a2 + 2 a3 + a4) / 6
 *
 * Each pass below makes one stage, and the last also all of the result but a4. */
#include "integrate/integrator.h"

#include "base/simd.h"

typedef struct Stages {
    float h;
    float *x, *v;
    float *a1, *a2;  /* a1 becomes a1 + a2 */
    const float* a3; /* of stage 4 only */
    float *stageX, *stageV;
} Stages;

static void make_stage_2(void* context, int begin, int end) {
    const Stages p = *(const Stages*)context;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 v = load4(p.v + i);
        store4(p.stageX + i, load4(p.x + i) + 0.5f * p.h * v);
        store4(p.stageV + i, v + 0.5f * p.h * load4(p.a1 + i));
    }
}

static void make_stage_3(void* context, int begin, int end) {
    const Stages p = *(const Stages*)context;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 v = load4(p.v + i), a1 = load4(p.a1 + i), a2 = load4(p.a2 + i);
        store4(p.stageX + i, load4(p.x + i) + 0.5f * p.h * (v + 0.5f * p.h * a1));
        store4(p.stageV + i, v + 0.5f * p.h * a2);
        store4(p.a1 + i, a1 + a2);
    }
}

static void make_stage_4(void* context, int begin, int end) {
    const Stages p = *(const Stages*)context;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 x = load4(p.x + i), v = load4(p.v + i);
        lbFloat4 sum = load4(p.a1 + i), a2 = load4(p.a2 + i), a3 = load4(p.a3 + i);
        store4(p.stageX + i, x + p.h * (v + 0.5f * p.h * a2));
        store4(p.stageV + i, v + p.h * a3);
        store4(p.x + i, x + p.h * (v + p.h / 6 * (sum + a3)));
        store4(p.v + i, v + p.h / 6 * (sum + a2 + 2.0f * a3));
    }
}

void lb_runge_kutta_4(const lbSystem* system, double time, double h, float* a) {
    size_t used = system->scratch->used;
    Stages stages = {.h = (float)h, .x = system->x, .v = system->v, .a1 = a};
    float* latest = lb_take_vector(system);
    stages.a2 = lb_take_vector(system);
    stages.stageX = lb_take_vector(system);
    stages.stageV = lb_take_vector(system);
    stages.a3 = latest;
    lb_for_nodes(system, make_stage_2, &stages);
    system->acceleration(system->self, time + 0.5 * h, stages.stageX, stages.stageV, stages.a2);
    lb_for_nodes(system, make_stage_3, &stages);
    system->acceleration(system->self, time + 0.5 * h, stages.stageX, stages.stageV, latest);
    lb_for_nodes(system, make_stage_4, &stages);
    system->acceleration(system->self, time + h, stages.stageX, stages.stageV, latest);
    lb_add_scaled(system->tasks, system->count, (float)(h / 6), latest, system->v);
    lb_damp(system, h, system->v);
    system->scratch->used = used;
}

static void runge_kutta_4_step(const lbSystem* system, lbHistory* history, double time, double h) {
    (void)history;
    size_t used = system->scratch->used;
    float* a = lb_take_vector(system);
    system->acceleration(system->self, time, system->x, system->v, a);
    lb_runge_kutta_4(system, time, h, a);
    system->scratch->used = used;
}

static int characteristic(double _Complex z, double _Complex* c) {
    c[0] = -(1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4)))), c[1] = 1;
    return 1;
}

static double stable_step(double frequency, double damping) {
    return lb_find_stable_step(characteristic, frequency, damping);
}

const lbIntegrator lb_rungeKutta4 = {
    .name = "rk4",
    .label = "Runge-Kutta 4",
    .description = "Fourth order, four evaluations of forces a step",
    .traits = lb_traitExplicit,
    .order = 4,
    .scratchVectors = 5,
    .step = runge_kutta_4_step,
    .stableStep = stable_step,
};
