/* Adams' predictor and corrector of fourth order (Bashforth-Moulton, PECE), started by Runge-Kutta 4. With f = (v, a):
 *
 *   y* = y + h (55 f - 59 f_1 + 37 f_2 - 9 f_3) / 24
 *   y' = y + h (9 f* + 19 f - 5 f_1 + f_2) / 24,  f_k the derivative k steps ago
 *
 * Two evaluations a step. The first is at the start of the step rather than the end of the last one: nothing is then
 * evaluated in vain when the state jumps. */
#include "integrate/integrator.h"

#include "base/simd.h"

#include <string.h>

enum { kept = 3 }; /* derivatives of earlier steps */

/* Derivatives: velocity and acceleration. */
typedef struct Slope {
    float *v, *a;
} Slope;

typedef struct Predict {
    float h;
    const float* a;
    Slope past[kept]; /* f_1, f_2, f_3; f takes the place of f_3 */
    float *x, *v;     /* become y' but for f* */
    float *predictedX, *predictedV;
} Predict;

static void predict(void* context, int begin, int end) {
    const Predict p = *(const Predict*)context;
    const float h = p.h / 24;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 x = load4(p.x + i), v = load4(p.v + i), a = load4(p.a + i);
        lbFloat4 v1 = load4(p.past[0].v + i), v2 = load4(p.past[1].v + i), v3 = load4(p.past[2].v + i);
        lbFloat4 a1 = load4(p.past[0].a + i), a2 = load4(p.past[1].a + i), a3 = load4(p.past[2].a + i);
        store4(p.predictedX + i, x + h * (55.0f * v - 59.0f * v1 + 37.0f * v2 - 9.0f * v3));
        store4(p.predictedV + i, v + h * (55.0f * a - 59.0f * a1 + 37.0f * a2 - 9.0f * a3));
        store4(p.x + i, x + h * (19.0f * v - 5.0f * v1 + v2));
        store4(p.v + i, v + h * (19.0f * a - 5.0f * a1 + a2));
        store4(p.past[2].v + i, v);
        store4(p.past[2].a + i, a);
    }
}

typedef struct Correct {
    float h;
    const float *predictedV, *predictedA;
    float *x, *v;
} Correct;

static void correct(void* context, int begin, int end) {
    const Correct p = *(const Correct*)context;
    const float h = p.h * 9 / 24;
    LB_FOR_NODES(i, begin, end) {
        store4(p.x + i, load4(p.x + i) + h * load4(p.predictedV + i));
        store4(p.v + i, load4(p.v + i) + h * load4(p.predictedA + i));
    }
}

/* The derivative that was stored as the given one; the places are used in turn. */
static Slope slope_at(const lbSystem* system, const lbHistory* history, int number) {
    int place = number % kept;
    return (Slope){lb_history_vector(system, history, 2 * place), lb_history_vector(system, history, 2 * place + 1)};
}

static void start_step(const lbSystem* system, const lbHistory* history, double time, double h, float* a) {
    Slope slope = slope_at(system, history, history->filled);
    memcpy(slope.v, system->v, 4 * (size_t)system->count * sizeof(float));
    memcpy(slope.a, a, 4 * (size_t)system->count * sizeof(float));
    lb_runge_kutta_4(system, time, h, a);
}

static void running_step(const lbSystem* system, const lbHistory* history, double time, double h, float* a) {
    float *x = lb_take_vector(system), *v = lb_take_vector(system);
    Predict first = {.h = (float)h, .a = a, .x = system->x, .v = system->v, .predictedX = x, .predictedV = v};
    for (int k = 0; k < kept; ++k) {
        first.past[k] = slope_at(system, history, history->filled - 1 - k);
    }
    lb_for_nodes(system, predict, &first);
    system->acceleration(system->self, time + h, x, v, a);
    lb_for_nodes(system, correct, &(Correct){(float)h, v, a, system->x, system->v});
    lb_damp(system, h, system->v);
}

static void adams_step(const lbSystem* system, lbHistory* history, double time, double h) {
    size_t used = system->scratch->used;
    float* a = lb_take_vector(system);
    if (history->step != h) {
        history->filled = 0;
    }
    system->acceleration(system->self, time, system->x, system->v, a);
    (history->filled < kept ? start_step : running_step)(system, history, time, h, a);
    history->filled = history->filled + 1 < 2 * kept ? history->filled + 1 : kept; /* the same place, a small number */
    history->step = h;
    system->scratch->used = used;
}

static int characteristic(double _Complex z, double _Complex* c) {
    double _Complex y = z / 24, s = 9 * y * y;
    c[4] = 1;
    c[3] = -(1 + 28 * y + 55 * s);
    c[2] = 5 * y + 59 * s;
    c[1] = -(y + 37 * s);
    c[0] = 9 * s;
    return 4;
}

static double stable_step(double frequency, double damping) {
    return lb_find_stable_step(characteristic, frequency, damping);
}

const lbIntegrator lb_adams = {
    .name = "adams",
    .label = "Adams-Bashforth-Moulton",
    .description = "Fourth order with two evaluations of forces a step, from the steps before",
    .traits = lb_traitExplicit | lb_traitMultistep,
    .order = 4,
    .historyVectors = 2 * kept,
    .scratchVectors = 5,
    .step = adams_step,
    .stableStep = stable_step,
};
