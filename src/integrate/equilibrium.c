/* Newton's method on F(x) = 0, made safe in three ways:
 *
 *   (s M - dF/dx) d = F(x),  x += t d
 *
 * - far from the goal the tangent is the definite one (law.h), near it the exact one, as long as that is definite too;
 * - the shift s makes the step small where the tangent is soft or singular; it falls as steps succeed, until the method
 *   is Newton's own, and rises as they fail, until it is damped relaxation along the forces (pseudo-transient
 *   continuation: C. T. Kelley and D. E. Keyes, Convergence Analysis of Pseudo-Transient Continuation, 1998);
 * - t is halved until the forces have not turned against the step. Their work along it tells that: an energy would be
 *   lost in rounding near the goal, and pressure has none. */
#include "integrate/equilibrium.h"

#include "base/math.h"

#include <string.h>

/* Of the forces from outside: what rounding is at most an excuse for. Far away from the origin, where a body that
 * nothing holds would go, all is rounding. */
static const double mostRounding = 0.1;

typedef struct Search {
    const lbSystem* system;
    double time;
    float *f, *d, *still, *trial, *trialForce,
        *spare;     /* node vectors: force, step, zero velocities, x + t d, F there */
    double* change; /* (count x 4) the step in double */
    double shift;   /* s, 1/s^2 */
    double leastShift, mostShift;
    bool free;       /* nothing is held: without a shift rounding would carry the whole body away */
    double force;    /* |F| */
    double rounding; /* what it is at least, by the rounding of positions */
    int products;
} Search;

static double dot_product(const Search* search, const float* a, const float* b) {
    double sum = 0;
    for (int i = 0; i < 4 * search->system->count; ++i) {
        sum += (double)a[i] * (double)b[i];
    }
    return sum;
}

static void evaluate(const Search* search, const float* x, float* f) {
    const lbSystem* system = search->system;
    system->acceleration(system->self, search->time, x, search->still, f);
    for (int i = 0; i < 4 * system->count; ++i) {
        f[i] *= system->mass[i / 4];
    }
}

static double worst_force(const Search* search) {
    double worst = 0;
    for (int i = 0; i < search->system->count; ++i) {
        worst = fmax(worst, vec3d_length(vec3d_load(search->f + 4 * (size_t)i)));
    }
    return worst;
}

/* What the rounding of positions to float32 does to forces: the change when each coordinate is moved by half its last
 * place, up or down. No position can be expected to leave less. */
static double rounding_force(Search* search) {
    const float* x = search->system->x;
    unsigned seed = 1;
    for (int i = 0; i < 4 * search->system->count; ++i) {
        seed = seed * 1664525u + 1013904223u;
        search->trial[i] = x[i] * (1 + (seed >> 31 != 0 ? FLT_EPSILON : -FLT_EPSILON));
    }
    evaluate(search, search->trial, search->trialForce);
    for (int i = 0; i < 4 * search->system->count; ++i) {
        search->trialForce[i] -= search->f[i];
    }
    return 0.5 * sqrt(dot_product(search, search->trialForce, search->trialForce));
}

/* The system's mean stiffness over its mean mass, 1/s^2: the scale of shifts. */
static double typical_shift(Search* search) {
    const lbSystem* system = search->system;
    unsigned seed = 3;
    double masses = 0;
    for (int i = 0; i < 4 * system->count; ++i) {
        seed = seed * 1664525u + 1013904223u;
        search->trial[i] = i % 4 == 3 ? 0 : seed >> 31 != 0 ? 1.0f : -1.0f;
        search->spare[i] = 0;
        masses += i % 4 == 3 ? 0 : (double)system->mass[i / 4];
    }
    system->project(system->self, search->trial);
    system->tangent(system->self, system->x, -1, 0, search->trial, search->spare);
    return fabs(dot_product(search, search->trial, search->spare)) / masses;
}

/* Whether the step is one of Newton's own and leads nowhere: so short that float32 positions cannot follow it, or
 * short, while forces are all rounding. A body that nothing holds takes long steps for ever. */
static bool is_below_rounding(const Search* search) {
    const double shortStep = 1e-4; /* as a share of the body's coordinates */
    double size = 0, most = 0;
    for (int i = 0; i < 4 * search->system->count; ++i) {
        size = fmax(size, fabs((double)search->system->x[i]));
        most = fmax(most, fabs(search->change[i]));
    }
    double enough = search->force <= search->rounding ? shortStep : FLT_EPSILON;
    return search->shift <= search->leastShift && most <= enough * size;
}

/* Finds d. With the exact tangent first, where that may do. */
static void find_step(Search* search, double closeness) {
    /* Where rounding of the stiffest parts is most of the forces, what the others need must not be lost in it. */
    double tolerance = search->force < 3 * search->rounding ? 1e-4 : fmax(1e-4, fmin(0.1, closeness));
    lbTangentSystem tangent = {.system = search->system, .x = search->system->x, .mass = (float)search->shift, .a = -1};
    const int limit = 2000;
    for (int attempt = closeness < 0.3 ? 0 : 1; attempt < 2; ++attempt) {
        tangent.kind = attempt == 0 ? lb_tangentExact : lb_tangentDefinite;
        if (attempt == 1 || search->free) {
            tangent.mass = (float)fmax(search->shift, search->leastShift);
        }
        lbSolve solve = lb_solve_tangent(&tangent, search->f, search->change, tolerance, limit);
        search->products += solve.iterations;
        for (int i = 0; i < 4 * search->system->count; ++i) {
            search->d[i] = (float)search->change[i];
        }
        if (solve.definite) {
            return;
        }
    }
}

/* Goes along d as far as forces do not turn against it. False if there is no such step. */
static bool take_step(Search* search) {
    const lbSystem* system = search->system;
    double slope = dot_product(search, search->f, search->d), t = 1;
    for (int halving = 0; slope > 0 && halving < 12; ++halving, t *= 0.5) {
        for (int i = 0; i < 4 * system->count; ++i) {
            search->trial[i] = system->x[i] + (float)t * search->d[i];
        }
        evaluate(search, search->trial, search->trialForce);
        double work = dot_product(search, search->trialForce, search->d);
        double force = sqrt(dot_product(search, search->trialForce, search->trialForce));
        if (force < search->force || (work >= -0.5 * slope && force < 100 * search->force)) {
            memcpy(system->x, search->trial, 4 * (size_t)system->count * sizeof(float));
            memcpy(search->f, search->trialForce, 4 * (size_t)system->count * sizeof(float));
            search->force = force;
            if (t > 0.9) {
                search->shift = search->shift > search->leastShift ? 0.1 * search->shift : 0;
            } else if (t < 0.2) {
                search->shift = fmin(search->mostShift, 10 * fmax(search->shift, search->leastShift));
            }
            return true;
        }
    }
    return false;
}

static bool is_free(Search* search) {
    const lbSystem* system = search->system;
    for (int i = 0; i < 4 * system->count; ++i) {
        search->trial[i] = i % 4 < 3 ? 1 : 0;
    }
    system->project(system->self, search->trial);
    return dot_product(search, search->trial, search->trial) == 3.0 * system->count;
}

static void begin(Search* search) {
    const lbSystem* system = search->system;
    size_t bytes = 4 * (size_t)system->count * sizeof(float);
    float** vectors[] = {&search->f, &search->d, &search->still, &search->trial, &search->trialForce, &search->spare};
    for (int i = 0; i < 6; ++i) {
        *vectors[i] = lb_arena_take(system->scratch, bytes);
    }
    search->change = lb_arena_take(system->scratch, 2 * bytes);
    memset(search->still, 0, bytes);
    evaluate(search, system->x, search->f);
    search->force = sqrt(dot_product(search, search->f, search->f));
    search->free = is_free(search);
    double typical = typical_shift(search);
    search->shift = 1e-3 * typical;
    search->leastShift = 1e-7 * typical;
    search->mostShift = 1e3 * typical;
}

bool lb_find_equilibrium(const lbSystem* system, double time, double applied, const lbEquilibriumDef* def,
                         lbEquilibriumReport* report) {
    size_t used = system->scratch->used;
    Search search = {.system = system, .time = time};
    begin(&search);
    double reference = applied > 0 ? applied : search.force, goal = 0;
    bool found = false;
    *report = (lbEquilibriumReport){0};
    for (;;) {
        search.rounding = rounding_force(&search);
        goal = fmax((double)def->tolerance * reference, fmin(search.rounding, mostRounding * reference));
        goal = applied > 0 ? goal : fmin(goal, 10 * search.rounding);
        found = search.force <= goal;
        if (found || !isfinite(search.force) || report->iterations >= def->iterationLimit) {
            break;
        }
        ++report->iterations;
        find_step(&search, search.force / reference);
        if (is_below_rounding(&search)) {
            found = true;
            break;
        }
        if (!take_step(&search)) {
            if (search.shift >= search.mostShift) { /* not even along the forces themselves */
                break;
            }
            search.shift = fmin(search.mostShift, 100 * fmax(search.shift, search.leastShift));
        }
    }
    report->products = search.products;
    report->residual = reference > 0 ? search.force / reference : 0;
    report->worstForce = worst_force(&search);
    system->scratch->used = used;
    return found;
}
