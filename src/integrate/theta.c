/* The theta scheme: implicit Euler (theta = 1) and Crank-Nicolson (theta = 1/2), linearised once a step.
 *
 *   v' = v + h M^-1 ((1 - theta) F + theta F'),  x' = x + h ((1 - theta) v + theta v')
 *
 * With F' = F + dF/dx (x' - x) + dF/dv (v' - v), x' - x = h v + h theta dv and dv = v' - v:
 *
 *   (M - h^2 theta^2 dF/dx - h theta dF/dv) dv = h (F + h theta dF/dx v)
 *
 * (the lecture's slide mixes x(t + h) and v here). Forces that follow a clock are taken at t + theta h.
 *
 * The matrix on the left must be positive definite, so springs that are pressed together resist sideways as if they
 * were at rest (lb_tangentDefinite). dv is of the size of h, so that this costs nothing in the order: h^2 dK dv is a
 * third-order term. On the right it would: h^2 dK v is of second order. So Crank-Nicolson's is a product with the exact
 * tangent. The left must then resist by at least as much in every direction, or what is stiff grows from step to step:
 * no simple tangent there. Implicit Euler, of first order itself, has the same matrix on both sides,
 *
 *   (M - h^2 dF/dx - h dF/dv) v' = M v + h (F - dF/dv v),
 *
 * which costs a product with a matrix that is there anyway.
 *
 * Where forces are linear no step is too long: Crank-Nicolson then keeps the energy, implicit Euler takes it away.
 * Where they are not, one linearisation a step is a first guess at F'. Mostly that is enough. Where elements are inside
 * out or pressed to nothing it may lead far beyond where forces have turned round: then it is not followed to its end,
 * and the scheme's equations are linearised anew from there (`follow`). Crank-Nicolson has no damping of its own and
 * can still gain energy at steps far longer than the fastest period. */
#include "integrate/theta.h"

#include <math.h>
#include <string.h>

static void multiply_tangent(void* self, const float* p, float* q) {
    const lbTangentSystem* tangent = self;
    const lbSystem* system = tangent->system;
    for (int i = 0; i < 4 * system->count; ++i) {
        q[i] = tangent->mass * system->mass[i / 4] * p[i];
    }
    system->tangent(system->self, tangent->x, tangent->a, tangent->b, p, q);
}

/* Which nodes can move: a motion of all of them, along no axis or diagonal, without what is held. */
static lbVec3 fill_free_motion(const lbSystem* system, float* motion) {
    const lbVec3 direction = {1, 0.7548777f, 0.5698403f};
    for (int i = 0; i < system->count; ++i) {
        vec3_store(motion + 4 * (size_t)i, direction);
        motion[4 * (size_t)i + 3] = 0;
    }
    system->project(system->self, motion);
    return direction;
}

lbLinearSystem lb_prepare_tangent(lbTangentSystem* tangent) {
    const lbSystem* system = tangent->system;
    lbLinearSystem linear = {.count = system->count,
                             .tasks = system->tasks,
                             .product = multiply_tangent,
                             .productSelf = tangent,
                             .project = system->project,
                             .projectSelf = system->self,
                             .preconditioner = lb_take_preconditioner(system->scratch, system->count, system->grids)};
    if (system->assemble != NULL) {
        size_t used = system->scratch->used;
        float* motion = lb_take_vector(system);
        lbVec3 whole = fill_free_motion(system, motion);
        system->assemble(system->self, tangent->x, tangent->mass, tangent->a, tangent->b, tangent->kind);
        linear.matrix = &system->matrix;
        lb_prepare_preconditioner(&linear.preconditioner, system->tasks, linear.matrix, whole, motion);
        system->scratch->used = used;
    } else {
        lb_prepare_masses(&linear.preconditioner, system->mass);
    }
    return linear;
}

lbSolve lb_solve_tangent(lbTangentSystem* tangent, const float* f, double* y, double tolerance, int limit) {
    lbArena* scratch = tangent->system->scratch;
    size_t used = scratch->used;
    lbLinearSystem linear = lb_prepare_tangent(tangent);
    lbSolve solve = lb_solve_linear(&linear, f, NULL, y, tolerance, limit, scratch);
    scratch->used = used;
    return solve;
}

/* h (F + h theta dF/dx v), by the exact tangent; a receives F / m. */
static void fill_right_side(const lbSystem* system, double theta, double time, double h, float* a, float* b) {
    system->acceleration(system->self, time + theta * h, system->x, system->v, a);
    for (size_t i = 0; i < 4 * (size_t)system->count; ++i) {
        b[i] = (float)h * system->mass[i / 4] * a[i];
    }
    system->tangent(system->self, system->x, (float)(h * h * theta), 0, system->v, b);
}

/* h (F + h dF/dx v) by the matrix  M - h^2 dF/dx - h dF/dv: it is h (F - dF/dv v) - (its product with v but for M v),
 * and F - dF/dv v are the forces without damping. */
static void fill_right_side_by_matrix(const lbSystem* system, double time, double h, float* a, float* b) {
    float* product = lb_take_vector(system);
    size_t size = 4 * (size_t)system->count;
    memset(product, 0, size * sizeof(float));
    system->elasticAcceleration(system->self, time + h, system->x, system->v, product, a);
    lb_multiply_differences(&system->matrix, system->tasks, system->v, product);
    for (size_t i = 0; i < size; ++i) {
        b[i] = (float)h * system->mass[i / 4] * a[i] - product[i];
    }
}

/* Where the last steps' changes of velocity lead to, as a guess at this one's; NULL: there were none. */
static const float* guess_change(const lbSystem* system, lbHistory* history, double h, float* guess) {
    if (history->step != h) {
        history->filled = 0;
        history->step = h;
    }
    const float *last = lb_history_vector(system, history, 0), *before = lb_history_vector(system, history, 1);
    if (history->filled < 2) {
        return history->filled == 0 ? NULL : last;
    }
    lb_combine(system, 2, last, -1, before, guess);
    system->project(system->self, guess);
    return guess;
}

static void remember_change(const lbSystem* system, lbHistory* history, const double* change) {
    float *last = lb_history_vector(system, history, 0), *before = lb_history_vector(system, history, 1);
    memcpy(before, last, 4 * (size_t)system->count * sizeof(float));
    for (size_t i = 0; i < 4 * (size_t)system->count; ++i) {
        last[i] = (float)change[i];
    }
    history->filled = history->filled < 2 ? history->filled + 1 : 2;
}

static lbTangentSystem tangent_at(const lbSystem* system, double theta, double h, const float* x) {
    return (lbTangentSystem){.system = system,
                             .x = x,
                             .mass = 1,
                             .a = (float)(-h * h * theta * theta),
                             .b = (float)(-h * theta),
                             .kind = theta == 1 ? lb_tangentSimple : lb_tangentDefinite};
}

static double dot_with(size_t size, const float* a, const double* b) {
    double sum = 0;
    for (size_t i = 0; i < size; ++i) {
        sum += (double)a[i] * b[i];
    }
    return sum;
}

/* One linearisation of a step. */
typedef struct StepSolve {
    lbSolve solve;
    double slope; /* what the right side does along the solution */
} StepSolve;

/* Finds dv, with what touches the system as it is now. Fills a with F / m, where theta is not 1. */
static StepSolve solve_step(const lbSystem* system, const float* guess, double theta, double time, double h, float* a,
                            double* dv) {
    size_t used = system->scratch->used;
    lbTangentSystem tangent = tangent_at(system, theta, h, system->x);
    lbLinearSystem linear = lb_prepare_tangent(&tangent);
    float* b = lb_take_vector(system);
    size_t kept = system->scratch->used;
    if (theta == 1 && linear.matrix != NULL) {
        fill_right_side_by_matrix(system, time, h, a, b);
        system->addImpulses(system->self, NULL, b);
    } else {
        fill_right_side(system, theta, time, h, a, b);
    }
    system->project(system->self, b);
    system->scratch->used = kept;
    const lbIntegratorSettings* settings = system->settings;
    StepSolve made = {.solve = lb_solve_linear(&linear, b, guess, dv, (double)settings->tolerance,
                                               settings->iterationLimit, system->scratch)};
    made.slope = dot_with(4 * (size_t)system->count, b, dv);
    system->scratch->used = used;
    return made;
}

/* Whether what touches the system is part of its steps. */
static bool takes_touches(const lbSystem* system, double theta) {
    return theta == 1 && system->assemble != NULL;
}

/* Solves that a step takes at most while what touches it changes. */
enum { mostRounds = 5 };

/* Finds dv; returns what the right side does along it. */
static double find_change(const lbSystem* system, lbHistory* history, double theta, double time, double h, float* a,
                          double* dv) {
    size_t used = system->scratch->used;
    float* guess = lb_take_vector(system);
    StepSolve made = solve_step(system, guess_change(system, history, h, guess), theta, time, h, a, dv);
    bool reviewed = takes_touches(system, theta);
    for (int round = 1; reviewed && system->review(system->self, dv, round < mostRounds); ++round) {
        for (size_t i = 0; i < 4 * (size_t)system->count; ++i) {
            guess[i] = (float)dv[i];
        }
        int before = made.solve.iterations;
        made = solve_step(system, guess, theta, time, h, a, dv);
        made.solve.iterations += before;
    }
    system->scratch->used = used;
    if (system->solve != NULL) {
        *system->solve = made.solve;
    }
    return made.slope;
}

/* ---- Where forces are far from linear ---------------------------------------------------------------------------- */

/* On the way to the scheme's next velocity. */
typedef struct Way {
    const lbSystem* system;
    double theta, time, h;
    const float* a;                /* F / m at the start */
    double *change, *step, *trial; /* v' - v so far; what is added to it next; and with a part of that */
    float *x, *v;                  /* x' and v' of the trial */
    float* rest;                   /* h ((1 - theta) F + theta F') - m (v' - v) there: the equations' residual */
} Way;

static void evaluate_rest(Way* way, double part) {
    const lbSystem* system = way->system;
    double h = way->h, theta = way->theta;
    for (size_t i = 0; i < 4 * (size_t)system->count; ++i) {
        way->trial[i] = way->change[i] + part * way->step[i];
        double v = (double)system->v[i], next = v + way->trial[i];
        way->v[i] = (float)next;
        way->x[i] = (float)((double)system->x[i] + h * ((1 - theta) * v + theta * next));
    }
    system->acceleration(system->self, way->time + theta * h, way->x, way->v, way->rest);
    for (size_t i = 0; i < 4 * (size_t)system->count; ++i) {
        double both = theta < 1 ? (1 - theta) * (double)way->a[i] + theta * (double)way->rest[i] : (double)way->rest[i];
        way->rest[i] = (float)((double)system->mass[i / 4] * (h * both - way->trial[i]));
    }
    if (takes_touches(system, theta)) {
        system->addImpulses(system->self, way->v, way->rest);
    }
    system->project(system->self, way->rest);
}

/* Goes along the step, `slope` what the equations ask for along it, as far as they do not ask for the contrary by as
 * much. Returns the part of the step. */
static double follow_step(Way* way, double slope) {
    const double least = 1.0 / 1024;
    double part = 1;
    for (;; part *= 0.5) {
        evaluate_rest(way, part);
        double work = dot_with(4 * (size_t)way->system->count, way->rest, way->step);
        if (work >= -slope || part <= least) {
            break;
        }
    }
    double* old = way->change;
    way->change = way->trial;
    way->trial = old;
    return part;
}

/* Turns dv into what can be followed. */
static void follow(const lbSystem* system, double theta, double time, double h, const float* a, double slope,
                   double* dv) {
    enum { mostLinearisations = 8 };
    size_t used = system->scratch->used, size = 4 * (size_t)system->count;
    Way way = {.system = system, .theta = theta, .time = time, .h = h, .a = a, .step = dv};
    way.change = lb_arena_take(system->scratch, size * sizeof(double));
    way.trial = lb_arena_take(system->scratch, size * sizeof(double));
    way.x = lb_take_vector(system), way.v = lb_take_vector(system), way.rest = lb_take_vector(system);
    memset(way.change, 0, size * sizeof(double));
    for (int i = 1; follow_step(&way, slope) < 1 && i < mostLinearisations; ++i) {
        lbTangentSystem tangent = tangent_at(system, theta, h, way.x);
        lb_solve_tangent(&tangent, way.rest, dv, (double)system->settings->tolerance, system->settings->iterationLimit);
        slope = dot_with(size, way.rest, dv);
    }
    memcpy(dv, way.change, size * sizeof(double));
    system->scratch->used = used;
}

static void theta_step(const lbSystem* system, lbHistory* history, double theta, double time, double h) {
    size_t used = system->scratch->used, size = 4 * (size_t)system->count;
    double* dv = lb_arena_take(system->scratch, size * sizeof(double));
    float* a = lb_take_vector(system);
    double slope = find_change(system, history, theta, time, h, a, dv);
    follow(system, theta, time, h, a, slope, dv);
    if (takes_touches(system, theta)) {
        system->review(system->self, dv, false);
    }
    remember_change(system, history, dv);
    lb_add_scaled(system->tasks, system->count, (float)(h * (1 - theta)), system->v, system->x);
    for (size_t i = 0; i < size; ++i) {
        system->v[i] = (float)((double)system->v[i] + dv[i]);
    }
    if (system->damp != NULL) {
        system->damp(system->self, h, system->v);
    }
    lb_add_scaled(system->tasks, system->count, (float)(h * theta), system->v, system->x);
    system->scratch->used = used;
}

static void implicit_euler_step(const lbSystem* system, lbHistory* history, double time, double h) {
    theta_step(system, history, 1, time, h);
}

static void crank_nicolson_step(const lbSystem* system, lbHistory* history, double time, double h) {
    theta_step(system, history, 0.5, time, h);
}

static double any_step(double frequency, double damping) {
    (void)frequency, (void)damping;
    return INFINITY;
}

const lbIntegrator lb_implicitEuler = {
    .name = "implicit-euler",
    .label = "Implicit Euler",
    .description = "Stable at any step; damps what is faster than the step",
    .traits = lb_traitImplicit,
    .order = 1,
    .historyVectors = 2,
    .scratchVectors = 10 + lb_tangentVectors,
    .step = implicit_euler_step,
    .stableStep = any_step,
};

const lbIntegrator lb_crankNicolson = {
    .name = "crank-nicolson",
    .label = "Crank-Nicolson",
    .description = "Implicit, second order; keeps energy where forces are linear",
    .traits = lb_traitImplicit,
    .order = 2,
    .historyVectors = 2,
    .scratchVectors = 10 + lb_tangentVectors,
    .step = crank_nicolson_step,
    .stableStep = any_step,
};
