/* The generalised alpha method (J. Chung and G. M. Hulbert, A Time Integration Algorithm for Structural Dynamics With
 * Improved Numerical Dissipation, 1993) at a spectral radius of one half: what is far faster than the step is halved in
 * each step, what the step resolves is kept. At that radius it is the method of H. M. Hilber, T. J. R. Hughes and R. L.
 * Taylor (Improved Numerical Dissipation for Time Integration Algorithms in Structural Dynamics, 1977) at alpha = -1/3:
 *
 *   M a' = (1 - alpha) F' + alpha F,   x' = x + h v + h^2 ((1/2 - beta) a + beta a'),   v' = v + h ((1 - gamma) a +
 * gamma a')
 *
 * with alpha = 1/3, beta = 4/9, gamma = 5/6. Of second order, one linear system a step. `a` is remembered from step to
 * step. At the start, and when forces jumped, it is F / M without what is far faster than the step, of which the scheme
 * would make large velocities: (M - ...) a = F with the matrix of the step itself, one solution more. A step that
 * cannot be followed to its end, as where elements are inside out, is taken by implicit Euler instead, and so are some
 * that follow it; when steps become far longer, the first of them.
 *
 * With kappa = gamma / beta and z = (v' - v) / kappa, F' linearised at x,
 *
 *   (M - s (1 - alpha) (h dF/dx + kappa dF/dv)) z = s (F + (1 - alpha) h dF/dx w + (1 - gamma) / gamma M a),
 *   x' = x + h (w + z),   w = v - h (beta / gamma - 1/2) a,   s = beta h
 *
 * The product on the right is with the exact tangent. The matrix on the left is the simple one, which costs a third of
 * the definite one where a law has it and does as long as stresses are small beside stiffness; once a step could not be
 * followed it is the definite one, for good (theta.c says why).
 *
 * Contacts. An impulse p is not a force that acts all along the step but a jump of velocities, by p / m, and positions
 * must follow it by h p / m in the same step: by half of that, as the scheme's average would have it, a body that meets
 * a wall would bounce as if it were elastic. What rests then needs positions to follow velocities at its contacts,
 * x' = x + h v', or the two could not both be still. So nodes that rows of the step may push do that: for these beta is
 * gamma and w is v, while velocities follow from forces as everywhere else, so that momentum is kept. (O. Bruls, V.
 * Acary and A. Cardona, Simultaneous enforcement of constraints at position and velocity levels in the nonsmooth
 * generalized alpha scheme, 2014, split motions likewise, and solve for both levels.) All equations are scaled by gamma
 * / beta then, but those of the nodes that are pushed, so that the matrix stays symmetric and impulses enter it as they
 * are: z of these nodes is v' - v, and the mass of all others counts kappa times. */
#include "integrate/implicit_step.h"

#include <math.h>
#include <string.h>

static const double alpha = 1.0 / 3, beta = 4.0 / 9, gammaOf = 5.0 / 6;
static const double kappa = (5.0 / 6) / (4.0 / 9);
/* w = v - h (beta / gamma - 1/2) a */
static const double lag = (4.0 / 9) / (5.0 / 6) - 0.5;

/* Vectors of the history: a, and the solutions of the last two steps as guesses at the next. */
enum { accelerations, lastSolution, solutionBefore, historyVectors };
/* What lbHistory.filled says of them: nothing is known; 1 to eulerSteps: as many steps of implicit Euler come next; `a`
 * is known, and one solution, or two; the same with steps that are to be careful. */
enum { nothingKnown, eulerSteps = 8, oneAcceleration, oneSolution, twoSolutions, careful = 3 };

/* What the loops over nodes of a step work on. */
typedef struct Step {
    lbOpenStep* open;
    const lbSystem* system;
    double h, s;          /* s = beta h, or gamma h where something touches the system */
    const float* before;  /* (count x 4) m/s^2, `a` of the last step */
    const float* atStart; /* (count x 4) m/s^2, F / m at the beginning, as the scheme takes it */
    float *x, *v;         /* (count x 4) of the end: where forces are evaluated */
    float *end, *rest;    /* (count x 4) m/s^2, F' / m; N s, the equations' residual */
    float* remembered;    /* (count x 4) m/s^2, a' */
    lbWay along;          /* of z */
    double part;
} Step;

static bool is_careful(const lbHistory* history) {
    return history->filled > twoSolutions;
}

/* How much is known, careful or not. */
static int known(const lbHistory* history) {
    return is_careful(history) ? history->filled - careful : history->filled;
}

static bool is_eulers(const lbHistory* history) {
    return history->filled > nothingKnown && history->filled <= eulerSteps;
}

static inline bool is_touched(const Step* step, int node) {
    return step->open->touched != NULL && step->open->touched[node] != 0;
}

static Step begin_step(lbOpenStep* open, lbHistory* history) {
    const float* before = lb_history_vector(&open->system, history, accelerations);
    return (Step){.open = open,
                  .system = &open->system,
                  .h = open->h,
                  .s = (open->touched != NULL ? gammaOf : beta) * open->h,
                  .before = before,
                  .atStart = open->restarted ? before : open->a,
                  .remembered = lb_history_vector(&open->system, history, accelerations)};
}

static lbTangentSystem tangent_at(const lbOpenStep* open, const float* x, bool isCareful) {
    double s = (open->touched != NULL ? gammaOf : beta) * open->h;
    return (lbTangentSystem){.system = &open->system,
                             .x = x,
                             .mass = 1,
                             .a = (float)(-s * (1 - alpha) * open->h),
                             .b = (float)(-s * (1 - alpha) * kappa),
                             .extraMass = open->extraMass,
                             .kind = isCareful ? lb_tangentDefinite : lb_tangentSimple};
}

/* ---- Opening and closing ----------------------------------------------------------------------------------------- */

/* How much longer than the last a step may be. */
static const double mostGrowth = 2;

/* What implicit Euler may remember of a step: where it is put is all the same. */
static lbHistory euler_history(const lbSystem* system, const lbHistory* history) {
    return (lbHistory){.vectors = lb_history_vector(system, history, lastSolution)};
}

/* The last solutions carried on; steps of another length have changes in proportion. NULL: there are none. */
static const float* guess_solution(const lbSystem* system, const lbHistory* history, double h, float* guess) {
    const float* last = lb_history_vector(system, history, lastSolution);
    const float* before = lb_history_vector(system, history, solutionBefore);
    if (known(history) < oneSolution) {
        return NULL;
    }
    if (known(history) == twoSolutions && history->step == h) {
        return lb_carry_on(system, last, before, guess);
    }
    lb_combine(system, (float)(h / history->step), last, 0, last, guess);
    system->project(system->self, guess);
    return guess;
}

static void open_step(const lbSystem* system, lbHistory* history, double time, double h, lbOpenStep* open) {
    if (history->filled != nothingKnown && h > mostGrowth * history->step) {
        history->filled = 1;
    }
    if (is_eulers(history)) {
        lbHistory own = euler_history(system, history);
        lb_implicitEuler.open(system, &own, time, h, open);
        return;
    }
    lb_take_open_vectors(system, time, h, open);
    if (open->touched != NULL) {
        open->resisted = lb_take_vector(system);
        open->extraMass = lb_arena_take(system->scratch, (size_t)system->count * sizeof(float));
        open->kept = system->scratch->used;
        memset(open->resisted, 0, 4 * (size_t)system->count * sizeof(float));
    }
    const float* guess = guess_solution(system, history, h, open->b);
    lb_begin_open_step(open, guess, tangent_at(open, system->x, is_careful(history)));
}

static void weigh_untouched(lbOpenStep* open) {
    for (int i = 0; open->extraMass != NULL && i < open->system.count; ++i) {
        open->extraMass[i] = open->touched[i] != 0 ? 0 : (float)(kappa - 1) * open->system.mass[i];
    }
}

static void fill_w(void* context, int begin, int end) {
    const Step* step = context;
    const float scale = (float)(step->h * lag);
    for (int i = begin; i < end; ++i) {
        float own = is_touched(step, i) ? 0 : scale;
        for (size_t at = 4 * (size_t)i; at < 4 * (size_t)i + 4; ++at) {
            step->v[at] = step->system->v[at] - own * step->before[at];
        }
    }
}

/* s (F + (1 - gamma) / gamma M a) */
static void fill_forces(void* context, int begin, int end) {
    const Step* step = context;
    const float s = (float)step->s, kept = (float)((1 - gammaOf) / gammaOf);
    for (int i = begin; i < end; ++i) {
        float m = s * step->system->mass[i];
        for (size_t at = 4 * (size_t)i; at < 4 * (size_t)i + 4; ++at) {
            float mean = (1 - (float)alpha) * step->open->a[at] + (float)alpha * step->atStart[at];
            step->open->b[at] = m * (mean + kept * step->before[at]);
        }
    }
}

/* Forces that follow a clock are taken where the scheme has its balance. */
static double moment(const lbOpenStep* open) {
    return open->time + (1 - alpha) * open->h;
}

/* (M - ...) a = F, which also takes the place of F at the beginning. */
static void find_first_accelerations(lbOpenStep* open, lbHistory* history) {
    const lbSystem* system = &open->system;
    size_t used = system->scratch->used, size = 4 * (size_t)system->count;
    float* f = lb_take_vector(system);
    double* a = lb_arena_take(system->scratch, size * sizeof(double));
    for (size_t i = 0; i < size; ++i) {
        float m = system->mass[i / 4] + (open->extraMass != NULL ? open->extraMass[i / 4] : 0);
        f[i] = m * open->a[i];
    }
    lb_solve_linear(&open->linear, f, NULL, a, (double)system->settings->tolerance, system->settings->iterationLimit,
                    system->scratch);
    float* first = lb_history_vector(system, history, accelerations);
    for (size_t i = 0; i < size; ++i) {
        first[i] = (float)a[i];
    }
    system->scratch->used = used;
    open->restarted = true;
    history->filled = oneAcceleration;
}

/* `a` is of the time alpha h before the step's end, h the last step's: as if that had been as long as this one. */
static void lag_accelerations(const lbOpenStep* open, lbHistory* history) {
    float* a = lb_history_vector(&open->system, history, accelerations);
    float ratio = (float)(open->h / history->step);
    lb_combine(&open->system, 1 - ratio, open->a, ratio, a, a);
}

static void close_step(lbOpenStep* open, lbHistory* history) {
    const lbSystem* system = &open->system;
    if (is_eulers(history)) {
        lb_implicitEuler.close(open, history);
        return;
    }
    weigh_untouched(open);
    lb_complete_tangent(&open->tangent, &open->linear);
    system->acceleration(system->self, moment(open), system->x, system->v, open->a);
    if (history->filled == nothingKnown) {
        find_first_accelerations(open, history);
    } else if (history->step != open->h) {
        lag_accelerations(open, history);
    }
    size_t used = system->scratch->used;
    Step step = begin_step(open, history);
    step.v = lb_take_vector(system);
    lb_for_nodes(system, fill_w, &step);
    lb_for_nodes(system, fill_forces, &step);
    system->tangent(system->self, system->x, (float)(step.s * (1 - alpha) * open->h), 0, step.v, open->b);
    if (open->resisted != NULL) {
        lb_add_scaled(system->tasks, system->count, -1, open->resisted, open->b);
    }
    system->project(system->self, open->b);
    system->scratch->used = used;
}

/* ---- Where forces are far from linear ---------------------------------------------------------------------------- */

/* The state that z leads to. Damping sees v + kappa z of all nodes: those that are touched included, or the linear
 * system would not be symmetric; it is exact where they rest. */
static void fill_trial(void* context, int begin, int end) {
    const Step* step = context;
    const lbSystem* system = step->system;
    const double h = step->h;
    for (int i = begin; i < end; ++i) {
        double own = is_touched(step, i) ? 0 : h * lag;
        for (size_t at = 4 * (size_t)i; at < 4 * (size_t)i + 4; ++at) {
            double z = step->along.change[at] + step->part * step->along.direction[at], v = (double)system->v[at];
            step->along.trial[at] = z;
            step->v[at] = (float)(v + kappa * z);
            step->x[at] = (float)((double)system->x[at] + h * (v + z - own * (double)step->before[at]));
        }
    }
}

/* s ((1 - alpha) F' + alpha F + (1 - gamma) / gamma M a) + p - M z */
static void fill_rest(void* context, int begin, int end) {
    const Step* step = context;
    const lbOpenStep* open = step->open;
    const double kept = (1 - gammaOf) / gammaOf;
    for (int i = begin; i < end; ++i) {
        double m = (double)step->system->mass[i], whole = m;
        whole += open->extraMass != NULL ? (double)open->extraMass[i] : 0;
        for (size_t at = 4 * (size_t)i; at < 4 * (size_t)i + 4; ++at) {
            double mean = (1 - alpha) * (double)step->end[at] + alpha * (double)step->atStart[at];
            mean += kept * (double)step->before[at];
            step->rest[at] = (float)(step->s * m * mean + (double)open->impulses[at] - whole * step->along.trial[at]);
        }
    }
}

static void evaluate_trial(void* self, double part) {
    Step* step = self;
    const lbSystem* system = step->system;
    step->part = part;
    lb_for_nodes(system, fill_trial, step);
    system->acceleration(system->self, moment(step->open), step->x, step->v, step->end);
    lb_for_nodes(system, fill_rest, step);
    system->project(system->self, step->rest);
}

/* Turns the solution of the linear system into what can be followed, and on to the scheme's own, where settings ask for
 * more linearisations than one. False: it could not be followed to its end. */
static bool follow(Step* step, bool isCareful, double* solution) {
    const lbSystem* system = step->system;
    const lbIntegratorSettings* settings = system->settings;
    const lbOpenStep* open = step->open;
    size_t size = 4 * (size_t)system->count;
    step->along.evaluate = evaluate_trial, step->along.self = step, step->along.system = step->system;
    step->along.direction = solution, step->along.rest = step->rest;
    memset(step->along.change, 0, size * sizeof(double));
    double slope = 0, whole = 0;
    for (size_t i = 0; i < size; ++i) {
        double asked = (double)open->b[i] + (double)open->impulses[i];
        slope += asked * solution[i];
        whole += asked * asked;
    }
    double enough = (double)(settings->tolerance * settings->tolerance) * whole;
    double largest = 0, largestCut = 0;
    for (int i = 1;; ++i) {
        bool cut = lb_follow_way(&step->along, slope) < 1;
        largest = fmax(largest, slope);
        largestCut = cut ? fmax(largestCut, slope) : largestCut;
        double rest = lb_square_of(system, step->rest);
        if (!lb_linearise_again(settings, i, cut || rest > whole, rest, enough)) { /* worse than nothing: once more */
            break;
        }
        lbTangentSystem tangent = tangent_at(open, step->x, isCareful);
        lb_solve_tangent(&tangent, step->rest, solution, (double)settings->tolerance, settings->iterationLimit);
        slope = lb_dot_mixed(system, step->rest, solution);
    }
    return largestCut <= 0.01 * largest; /* a direction that was hardly one means nothing */
}

/* ---- Momentum ---------------------------------------------------------------------------------------------------- */

/* Forces between nodes have no sum: what z lacks in momentum, a linear solver has left over. */
static void correct_linear_momentum(const lbOpenStep* open, double* z) {
    const lbSystem* system = &open->system;
    const lbBlockMatrix* matrix = open->linear.matrix;
    if (system->heldCount > 0 || matrix == NULL) {
        return;
    }
    lbVec3d lack = {0, 0, 0};
    double mass = 0;
    for (int i = 0; i < system->count; ++i) {
        size_t at = 4 * (size_t)i;
        double m = (double)matrix->weights[matrix->pattern->slots[i]];
        mass += m;
        lack = vec3d_add(lack, vec3d_add(vec3d_load(open->b + at), vec3d_load(open->impulses + at)));
        lack = vec3d_madd(lack, -m, vec3d(z[at], z[at + 1], z[at + 2]));
    }
    lack = vec3d_scale(1 / mass, lack);
    for (size_t at = 0; at < 4 * (size_t)system->count; at += 4) {
        z[at] += lack.x, z[at + 1] += lack.y, z[at + 2] += lack.z;
    }
}

/* A system as it turns about its centre. */
typedef struct Turning {
    lbWholeMass whole;
    lbVec3d momentum;     /* kg m^2/s */
    lbVec3d torque, kick; /* N m of forces; N m s of impulses, which may be NULL */
} Turning;

static Turning measure_turning(const lbSystem* system, const float* x, const float* v, const float* a,
                               const float* impulses) {
    Turning turning = {.whole = lb_weigh_system(system, x, 1)};
    for (int i = 0; i < system->count; ++i) {
        size_t at = 4 * (size_t)i;
        double m = (double)system->mass[i];
        lbVec3d d = vec3d_sub(vec3d_load(x + at), turning.whole.center);
        turning.momentum = vec3d_madd(turning.momentum, m, vec3d_cross(d, vec3d_load(v + at)));
        turning.torque = vec3d_madd(turning.torque, m, vec3d_cross(d, vec3d_load(a + at)));
        if (impulses != NULL) {
            turning.kick = vec3d_add(turning.kick, vec3d_cross(d, vec3d_load(impulses + at)));
        }
    }
    return turning;
}

/* Angular momentum changes by the torque of what acts from outside: forces between nodes have none. Second-order
 * positions keep it to third order in a step, which adds up in bodies that spin for long; what is missing is given back
 * to velocities. */
static void correct_angular_momentum(const lbSystem* system, const Turning* before, const Turning* after, double h) {
    lbVec3d wanted = vec3d_add(before->momentum, before->kick);
    wanted = vec3d_madd(wanted, 0.5 * h, vec3d_add(before->torque, after->torque));
    lbVec3d w = lb_spin_of(&after->whole, vec3d_sub(wanted, after->momentum));
    for (int i = 0; i < system->count; ++i) {
        float* v = system->v + 4 * (size_t)i;
        lbVec3d d = vec3d_sub(vec3d_load(system->x + 4 * (size_t)i), after->whole.center);
        vec3_store(v, vec3_from(vec3d_add(vec3d_load(v), vec3d_cross(w, d))));
    }
}

/* ---- Moving ------------------------------------------------------------------------------------------------------ */

/* a' = z / (beta h) - (1 - gamma) / gamma a, of touched nodes (z - p / m) / (gamma h) - ...; v' = v + kappa z, or + z
 */
static void move_nodes(void* context, int begin, int end) {
    const Step* step = context;
    const lbSystem* system = step->system;
    const double kept = (1 - gammaOf) / gammaOf, h = step->h;
    for (int i = begin; i < end; ++i) {
        bool touched = is_touched(step, i);
        double rate = 1 / ((touched ? gammaOf : beta) * h), gain = touched ? 1 : kappa;
        double answer = touched ? 1 / (double)system->mass[i] : 0;
        for (size_t at = 4 * (size_t)i; at < 4 * (size_t)i + 4; ++at) {
            double z = step->along.change[at], jump = answer * (double)step->open->impulses[at];
            step->remembered[at] = (float)(rate * (z - jump) - kept * (double)step->before[at]);
            system->v[at] = (float)((double)system->v[at] + gain * z);
        }
    }
}

static void remember_solution(const lbSystem* system, lbHistory* history, const double* z, double h) {
    lb_remember(system, z, lb_history_vector(system, history, lastSolution),
                lb_history_vector(system, history, solutionBefore));
    int filled = history->step != h || known(history) < oneSolution ? oneSolution : twoSolutions;
    history->filled = is_careful(history) ? filled + careful : filled;
    history->step = h;
}

/* a' = (v' - v - p / m) / h */
static void end_euler_step(lbOpenStep* open, lbHistory* history) {
    lbSystem system = open->system;
    lbHistory own = euler_history(&system, history);
    double h = open->h;
    float* a = lb_history_vector(&system, history, accelerations);
    for (size_t i = 0; i < 4 * (size_t)system.count; ++i) {
        a[i] = system.v[i] + open->impulses[i] / system.mass[i / 4];
    }
    lb_implicitEuler.end(open, &own);
    for (size_t i = 0; i < 4 * (size_t)system.count; ++i) {
        a[i] = (system.v[i] - a[i]) / (float)h;
    }
    system.project(system.self, a);
    history->filled = history->filled > 1 ? history->filled - 1 : oneAcceleration + careful;
    history->step = h;
}

/* The same step anew, with the impulses that it had, and some more to come. */
static void take_euler_step(const lbOpenStep* open, lbHistory* history) {
    const lbSystem* system = &open->system;
    lbOpenStep again = {0};
    lbHistory own = euler_history(system, history);
    system->scratch->used = open->kept;
    lb_implicitEuler.open(system, &own, open->time, open->h, &again);
    lb_implicitEuler.close(&again, &own);
    memcpy(again.impulses, open->impulses, 4 * (size_t)system->count * sizeof(float));
    system->project(system->self, again.impulses);
    lb_add_scaled(system->tasks, system->count, 1, again.impulses, again.b);
    lb_solve_linear(&again.linear, again.b, NULL, again.dv, (double)system->settings->tolerance,
                    system->settings->iterationLimit, system->scratch);
    lb_add_scaled(system->tasks, system->count, -1, again.impulses, again.b);
    history->filled = is_careful(history) ? eulerSteps : 1;
    end_euler_step(&again, history);
}

static void finish_step(lbOpenStep* open, lbHistory* history) {
    const lbSystem* system = &open->system;
    size_t size = 4 * (size_t)system->count;
    if (is_eulers(history)) {
        end_euler_step(open, history);
        return;
    }
    correct_linear_momentum(open, open->dv);
    system->scratch->used = open->kept; /* the linear system has served */
    Step step = begin_step(open, history);
    step.along.change = lb_arena_take(system->scratch, size * sizeof(double));
    step.along.trial = lb_arena_take(system->scratch, size * sizeof(double));
    step.x = lb_take_vector(system), step.v = lb_take_vector(system);
    step.end = lb_take_vector(system), step.rest = lb_take_vector(system);
    if (!follow(&step, is_careful(history), open->dv)) {
        take_euler_step(open, history);
        system->scratch->used = open->used;
        return;
    }
    bool turns = system->heldCount == 0 && system->turnsFreely;
    Turning before = {0};
    if (turns) {
        before = measure_turning(system, system->x, system->v, open->a, open->impulses);
    }
    lb_for_nodes(system, move_nodes, &step);
    memcpy(system->x, step.x, size * sizeof(float));
    if (turns) {
        Turning after = measure_turning(system, system->x, system->v, step.end, NULL);
        correct_angular_momentum(system, &before, &after, open->h);
    }
    lb_damp(system, open->h, system->v);
    remember_solution(system, history, step.along.change, open->h);
    system->scratch->used = open->used;
}

/* ---- A step that nothing touches --------------------------------------------------------------------------------- */

static void alpha_step(const lbSystem* system, lbHistory* history, double time, double h) {
    lbOpenStep open = {0};
    open_step(system, history, time, h, &open);
    size_t used = system->scratch->used;
    float* guess = NULL;
    if (open.guessed) {
        guess = lb_take_vector(system);
        for (size_t i = 0; i < 4 * (size_t)system->count; ++i) {
            guess[i] = (float)open.dv[i];
        }
    }
    close_step(&open, history);
    lbSolve solve = lb_solve_linear(&open.linear, open.b, guess, open.dv, (double)system->settings->tolerance,
                                    system->settings->iterationLimit, system->scratch);
    if (system->solve != NULL) {
        *system->solve = solve;
    }
    system->scratch->used = used;
    finish_step(&open, history);
}

const lbIntegrator lb_generalisedAlpha = {
    .name = "generalised-alpha",
    .label = "Generalised alpha",
    .description = "Implicit, second order; damps only what the step cannot resolve",
    .traits = lb_traitImplicit,
    .order = 2,
    .historyVectors = historyVectors,
    .scratchVectors = 28 + lb_tangentVectors,
    .step = alpha_step,
    .open = open_step,
    .close = close_step,
    .end = finish_step,
    .stableStep = lb_any_step,
};
