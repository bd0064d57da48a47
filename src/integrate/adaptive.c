/* Error-controlled steps: velocity Verlet in pieces of the step it is given, short where forces change fast and long
 * where they do not. Second order in the mean step.
 *
 * Verlet's method takes the longest stable step for each evaluation of forces, which is what bodies with stiff and soft
 * parts are limited by: 2/w, where an embedded Runge-Kutta pair has 1.7/w for three evaluations (Bogacki-Shampine).
 * And its error costs nothing to know: a step that took the change of acceleration into account would end at
 *
 *   x + h v + h^2 (2 a + a') / 6
 *
 * so that the error is h^2 (a' - a) / 6. (O. C. Zienkiewicz, Y. M. Xie 1991, for Newmark's methods, of which this is
 * the one with beta = 0.)
 *
 * A piece is taken if that is, at the worst node, within the tolerance times the way that the fastest node goes, or
 * below what positions are rounded to: a body at rest then takes long steps, not endless ones. Too long a step for
 * stability shows as changing acceleration, and is shortened too. */
#include "integrate/integrator.h"

#include "base/simd.h"

#include <float.h>
#include <math.h>

/* The shortest piece, of the step; it is taken whatever its error is, so that a step always ends. */
static const double shortest = 1.0 / 4096;

typedef struct Pass {
    float h;
    float *a, *next; /* accelerations at the start and the end of the piece */
    float *x, *v;
    float *triedX, *triedV;
} Pass;

static void try_piece(void* context, int begin, int end) {
    const Pass p = *(const Pass*)context;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 v = load4(p.v + i), change = p.h * load4(p.a + i);
        store4(p.triedX + i, load4(p.x + i) + p.h * (v + 0.5f * change));
        store4(p.triedV + i, v + change);
    }
}

static void accept_piece(void* context, int begin, int end) {
    const Pass p = *(const Pass*)context;
    LB_FOR_NODES(i, begin, end) {
        lbFloat4 next = load4(p.next + i);
        store4(p.v + i, load4(p.v + i) + 0.5f * p.h * (load4(p.a + i) + next));
        store4(p.x + i, load4(p.triedX + i));
        store4(p.a + i, next);
    }
}

/* The error of a piece in units of what is allowed. triedV is free by now. */
static double relative_error(const lbSystem* system, const Pass* pass) {
    lb_combine(system, 1, pass->next, -1, pass->a, pass->triedV);
    const float* vectors[4] = {pass->triedV, pass->v, pass->next, pass->triedX};
    float largest[4];
    lb_find_largest(system, 4, vectors, largest);
    double h = pass->h;
    double way = h * ((double)largest[1] + 0.5 * h * (double)largest[2]);
    double allowed = (double)system->settings->tolerance * way + (double)FLT_EPSILON * (double)largest[3];
    return allowed > 0 ? h * h / 6 * (double)largest[0] / allowed : 0;
}

/* What to take next: not so much that a sliver is left for the end. */
static double choose_piece(double wanted, double rest) {
    return wanted >= rest ? rest : fmin(wanted, 0.5 * rest);
}

static void adaptive_step(const lbSystem* system, lbHistory* history, double time, double h) {
    size_t used = system->scratch->used;
    Pass pass = {.a = history->vectors, .x = system->x, .v = system->v};
    pass.next = lb_take_vector(system);
    pass.triedX = lb_take_vector(system);
    pass.triedV = lb_take_vector(system);
    if (history->filled == 0) {
        system->acceleration(system->self, time, system->x, system->v, pass.a);
    }
    double wanted = history->step > 0 ? fmin(history->step, h) : h, done = 0;
    while (done < h) {
        double piece = choose_piece(wanted, h - done);
        pass.h = (float)piece;
        lb_for_nodes(system, try_piece, &pass);
        system->acceleration(system->self, time + done + piece, pass.triedX, pass.triedV, pass.next);
        double error = relative_error(system, &pass);
        double fitting = piece * fmin(2, fmax(0.1, 0.9 / sqrt(error)));
        bool accepted = error <= 1 || piece <= shortest * h;
        if (accepted) {
            lb_for_nodes(system, accept_piece, &pass);
            lb_damp(system, piece, system->v);
            done = piece < h - done ? done + piece : h;
        }
        wanted = accepted && piece < wanted ? fmax(wanted, fitting) : fmax(fitting, 0.5 * shortest * h);
    }
    history->filled = 1;
    history->step = wanted;
    system->scratch->used = used;
}

const lbIntegrator lb_adaptiveVerlet = {
    .name = "adaptive",
    .label = "Adaptive Verlet",
    .description = "Verlet with steps divided until their error is within the tolerance",
    .traits = lb_traitExplicit | lb_traitAdaptive,
    .order = 2,
    .historyVectors = 1,
    .scratchVectors = 4,
    .step = adaptive_step,
    .stableStep = lb_verlet_stable_step,
};
