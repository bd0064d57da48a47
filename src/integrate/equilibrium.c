/* Newton's method on F(u) = 0, in three ways that follow one another:
 *
 *   K d = F(u),  u += d,  K = -dF/du
 *
 * - as it is. A linear body is solved in one step, most others in a few;
 * - with what acts from outside, and what pins prescribe, put on in steps, as long as that helps: large deflections of
 *   slender bodies. Steps that do not converge are halved, those that do so quickly are doubled;
 * - made safe, for bodies that start far from any equilibrium: the tangent is the definite one (law.h) where the exact
 *   one is not, a shift s M makes steps small where it is soft or singular (pseudo-transient continuation: C. T. Kelley
 *   and D. E. Keyes, Convergence Analysis of Pseudo-Transient Continuation, 1998), and steps are halved until forces
 *   have not turned against them. Their work along the step tells that: pressure has no energy.
 *
 * An equilibrium is found when forces are below the tolerance and the last step was Newton's own: whole, with the exact
 * tangent, which was positive definite. Forces alone would not tell: those of soft motions, as the bending of a long
 * beam, are small long before they are where they should be. */
#include "integrate/equilibrium.h"

#include "base/math.h"
#include "base/result.h"

#include <string.h>

typedef struct Search {
    lbStaticSystem* system;
    lbPreciseSolver* solver;
    const lbEquilibriumDef* def;
    lbEquilibriumReport* report;
    size_t size; /* of vectors */
    double *u, *f, *d, *trial, *trialForce, *start;
    double share;     /* of what acts from outside */
    double force;     /* |F|, held components left out */
    double reference; /* what it is compared with, N */
    double initial;   /* |F| at the start: what it is compared with where nothing acts from outside */
    double moved;     /* |K p| of prescribed displacements: what moving held components alone would take, N */
    double shift;     /* s, 1/s^2 */
    bool newton;      /* the last step was Newton's own */
    bool stalled;     /* such steps no longer make forces less, small as they are: they are all rounding */
} Search;

static double norm(size_t size, const double* a) {
    double sum = 0;
    for (size_t i = 0; i < size; ++i) {
        sum += a[i] * a[i];
    }
    return sqrt(sum);
}

static double dot(size_t size, const double* a, const double* b) {
    double sum = 0;
    for (size_t i = 0; i < size; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* F at u, held components left out; returns |F|, and what holds them, if that is asked for. */
static double evaluate(const Search* search, const double* u, double* f, double* reactions) {
    search->system->force(search->system->self, u, search->share, f);
    double all = reactions != NULL ? norm(search->size, f) : 0;
    lb_project_held(search->solver, f);
    double force = norm(search->size, f);
    if (reactions != NULL) {
        *reactions = sqrt(fmax(0, all * all - force * force));
    }
    return force;
}

/* F where the search is, and what it is compared with: what acts from outside; where nothing does, what holds the body;
 * where nothing does that, either, the forces at the start. */
static void arrive(Search* search) {
    double reactions, applied = search->system->applied(search->system->self, search->u);
    search->force = evaluate(search, search->u, search->f, &reactions);
    /* Forces at the start may be those of a body that is inside out: a small part of them, then. And where a body is
     * moved as a whole nothing holds it back but rounding. */
    double least = search->system->prescribed == NULL ? 1e-4 * search->initial : 1e-6 * search->moved;
    search->reference = applied > 0 ? applied : fmax(reactions, least);
}

static bool is_small(const Search* search, double tolerance) {
    return search->force <= tolerance * search->reference;
}

static bool is_sound(const Search* search) {
    return isfinite(search->force) && isfinite(search->reference);
}

/* How well the linear system is to be solved. A body whose forces are linear is there after one step if that is solved
 * to the tolerance; no other needs more than what the next step will put right. */
static double wanted_residual(const Search* search, double tolerance) {
    double closeness = search->reference > 0 ? search->force / search->reference : 0;
    double enough = closeness > 0 ? 0.1 * tolerance / closeness : 0.1;
    return fmax(1e-12, fmin(enough, 0.01));
}

/* Finds d. `exact`: with the exact tangent, where that is definite. */
static lbResult find_step(Search* search, double tolerance, bool* exact) {
    lbSolve solve = {0};
    for (int attempt = *exact ? 0 : 1; attempt < 2; ++attempt) {
        *exact = attempt == 0;
        search->system->stiffness(search->system->self, search->u, search->share,
                                  *exact ? lb_tangentExact : lb_tangentDefinite);
        LB_TRY(lb_solve_precisely(search->solver, search->shift, search->f, wanted_residual(search, tolerance),
                                  search->d, &solve));
        search->report->products += solve.iterations;
        if (solve.definite) {
            break;
        }
    }
    ++search->report->iterations;
    if (solve.definite && search->system->keepWhole != NULL) {
        search->system->keepWhole(search->system->self, search->u, search->d);
    }
    return solve.definite ? lb_success() : lb_error(lb_errorUnstable, "a tangent is not definite");
}

static bool may_go_on(const Search* search) {
    return search->report->iterations < search->def->iterationLimit;
}

/* ---- Newton's method as it is ------------------------------------------------------------------------------------ */

/* Moves held components by `part` of what is prescribed, and all others as they follow: K d = F - K p. */
static lbResult take_prescribed_step(Search* search, double part, double tolerance) {
    const double* prescribed = search->system->prescribed;
    double *move = search->trial, *resisted = search->trialForce;
    for (size_t i = 0; i < search->size; ++i) {
        move[i] = part * prescribed[i];
    }
    search->system->stiffness(search->system->self, search->u, search->share, lb_tangentExact);
    lb_stiffness_times(search->solver->stiffness, move, resisted);
    double before = search->force, reference = search->reference;
    for (size_t i = 0; i < search->size; ++i) {
        search->f[i] -= resisted[i];
    }
    search->moved = fmax(search->moved, norm(search->size, resisted));
    search->reference = fmax(reference, search->moved);
    lb_project_held(search->solver, search->f);
    search->force = norm(search->size, search->f);
    lbSolve solve;
    lbResult result =
        lb_solve_precisely(search->solver, 0, search->f, wanted_residual(search, tolerance), search->d, &solve);
    search->force = before, search->reference = reference;
    LB_TRY(result);
    ++search->report->iterations;
    search->report->products += solve.iterations;
    search->newton = solve.definite;
    for (size_t i = 0; i < search->size; ++i) {
        search->u[i] += move[i] + (solve.definite ? search->d[i] : 0);
    }
    arrive(search);
    return lb_success();
}

/* Whole steps until forces are small, at most so many. True if they are. */
static lbResult iterate_plainly(Search* search, double tolerance, bool* found) {
    enum { mostSteps = 15, mostInVain = 3 };
    const double small = 1e-3;
    double first = 0;
    int inVain = 0;
    *found = false;
    search->shift = 0;
    for (int i = 0; is_sound(search) && may_go_on(search); ++i) {
        if (search->newton && is_small(search, tolerance)) {
            *found = true;
            return lb_success();
        }
        first = i <= 1 ? search->force : first; /* the first step may lead far away, those after it should not */
        if (i >= mostSteps || search->force > 1e3 * (first + search->reference)) {
            return lb_success();
        }
        bool exact = true;
        lbResult result = find_step(search, tolerance, &exact);
        if (result.code != lb_ok) {
            return result.code == lb_errorUnstable ? lb_success() : result;
        }
        for (size_t k = 0; k < search->size; ++k) {
            search->u[k] += search->d[k];
        }
        double before = search->force;
        search->newton = exact;
        arrive(search);
        inVain = exact && search->force > 0.5 * before && is_small(search, small) ? inVain + 1 : 0;
        if (inVain >= mostInVain && !is_small(search, tolerance)) {
            search->stalled = true;
            return lb_success();
        }
    }
    return lb_success();
}

/* From one share of what acts to another. */
static lbResult advance_share(Search* search, double from, double to, double tolerance, bool* found) {
    search->share = to;
    search->newton = false;
    arrive(search);
    if (search->system->prescribed != NULL) {
        LB_TRY(take_prescribed_step(search, to - from, tolerance));
    }
    return iterate_plainly(search, tolerance, found);
}

/* Puts all on, at once if that can be, else in steps. If not even an eighth can be put on, that is not the way. */
static lbResult put_on(Search* search, bool* found) {
    const double leastFirst = 1.0 / 8, leastLater = 1.0 / 512, loose = 1e-3;
    double done = 0, part = 1, tolerance = (double)search->def->tolerance;
    *found = false;
    memcpy(search->start, search->u, search->size * sizeof(double));
    while (done < 1 && part >= (done > 0 ? leastLater : leastFirst) && may_go_on(search) && !search->stalled) {
        double next = fmin(1, done + part);
        int before = search->report->iterations;
        bool reached;
        LB_TRY(advance_share(search, done, next, next < 1 ? fmax(loose, tolerance) : tolerance, &reached));
        if (search->stalled) {
            break;
        }
        if (reached) {
            memcpy(search->start, search->u, search->size * sizeof(double));
            done = next;
            part = search->report->iterations - before <= 6 ? 2 * part : part;
        } else {
            memcpy(search->u, search->start, search->size * sizeof(double));
            part *= done + part > 1 ? 0.5 * (1 - done) / part : 0.5;
        }
    }
    *found = done >= 1;
    return lb_success();
}

/* ---- Newton's method made safe ----------------------------------------------------------------------------------- */

/* Goes along d as far as forces do not turn against it. 0: there is no such step. */
static double follow_step(Search* search) {
    double slope = dot(search->size, search->f, search->d), t = 1;
    for (int halving = 0; slope > 0 && halving < 12; ++halving, t *= 0.5) {
        for (size_t i = 0; i < search->size; ++i) {
            search->trial[i] = search->u[i] + t * search->d[i];
        }
        double force = evaluate(search, search->trial, search->trialForce, NULL);
        double work = dot(search->size, search->trialForce, search->d);
        if (force < search->force || (work >= -0.5 * slope && force < 100 * search->force)) {
            memcpy(search->u, search->trial, search->size * sizeof(double));
            arrive(search);
            return t;
        }
    }
    return 0;
}

static lbResult iterate_safely(Search* search, bool* found) {
    const double rounded = 1e-6;
    double tolerance = (double)search->def->tolerance, masses = 0;
    search->share = 1;
    search->newton = false;
    search->system->stiffness(search->system->self, search->u, 1, lb_tangentDefinite);
    for (int i = 0; i < search->system->count; ++i) {
        masses += 3 * (double)search->solver->mass[i];
    }
    double typical = lb_stiffness_trace(search->solver->stiffness) / masses;
    double least = 1e-9 * typical, most = 1e3 * typical;
    search->shift = 1e-3 * typical;
    arrive(search);
    while (is_sound(search) && may_go_on(search)) {
        /* Bodies that nothing holds have a tangent that is only just definite, or by rounding is not. Where forces are
         * nothing but rounding, a step would not say more. */
        *found = is_small(search, search->newton ? tolerance : rounded * tolerance);
        if (*found) {
            break;
        }
        bool exact = search->force < 0.3 * search->reference;
        double shift = search->shift;
        lbResult result = find_step(search, tolerance, &exact);
        double t = result.code == lb_ok ? follow_step(search) : 0;
        if (result.code != lb_ok && result.code != lb_errorUnstable) {
            return result;
        }
        search->newton = exact && t == 1 && shift == 0;
        if (t > 0.9) {
            search->shift = shift > least ? 0.1 * shift : 0;
        } else if (t < 0.2) {
            if (t == 0 && shift >= most) { /* not even along the forces themselves */
                break;
            }
            search->shift = fmin(most, (t == 0 ? 100 : 10) * fmax(shift, least));
        }
    }
    return lb_success();
}

/* ---- The search -------------------------------------------------------------------------------------------------- */

static lbResult search_for(Search* search, bool* found) {
    if (!search->system->tangled) {
        LB_TRY(put_on(search, found));
    }
    if (*found || search->stalled || !may_go_on(search)) {
        return lb_success();
    }
    for (size_t i = 0; search->system->prescribed != NULL && i < search->size; ++i) {
        search->u[i] += search->system->prescribed[i];
    }
    return iterate_safely(search, found);
}

lbResult lb_find_equilibrium(lbStaticSystem* system, lbPreciseSolver* solver, const lbEquilibriumDef* def,
                             double* scratch, lbEquilibriumReport* report) {
    *report = (lbEquilibriumReport){0};
    size_t size = 3 * (size_t)system->count;
    Search search = {.system = system, .solver = solver, .def = def, .report = report, .size = size, .u = system->u};
    double** vectors[] = {&search.f, &search.d, &search.trial, &search.trialForce, &search.start};
    for (int i = 0; i < 5; ++i) {
        *vectors[i] = scratch + (size_t)i * size;
    }
    search.share = 1;
    search.initial = evaluate(&search, search.u, search.f, NULL);
    bool found = search.initial == 0 && system->prescribed == NULL;
    arrive(&search);
    lbResult result = found ? lb_success() : search_for(&search, &found);
    double worst = 0;
    for (int i = 0; i < system->count; ++i) {
        worst = fmax(worst, norm(3, search.f + 3 * (size_t)i));
    }
    report->residual = search.reference > 0 ? search.force / search.reference : 0;
    report->worstForce = worst;
    report->factorisations = solver->factorisations;
    report->stalled = search.stalled;
    LB_TRY(result);
    return found ? lb_success() : lb_error(lb_errorUnstable, "no equilibrium");
}

/* ---- Bodies that nothing holds ----------------------------------------------------------------------------------- */

void lb_take_whole_step(int count, const float* mass, const lbVec3d* rest, const double* u, double* d) {
    lbVec3d center = {0, 0, 0}, motion = {0, 0, 0}, spin = {0, 0, 0}, J[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    double whole = 0;
    for (int i = 0; i < count; ++i) {
        whole += (double)mass[i];
        center = vec3d_madd(center, (double)mass[i], vec3d_add(rest[i], lb_displaced(u, i)));
        motion = vec3d_madd(motion, (double)mass[i], lb_displaced(d, i));
    }
    center = vec3d_scale(1 / whole, center);
    motion = vec3d_scale(1 / whole, motion);
    for (int i = 0; i < count; ++i) {
        lbVec3d arm = vec3d_sub(vec3d_add(rest[i], lb_displaced(u, i)), center);
        double m = (double)mass[i], square = vec3d_dot(arm, arm);
        spin = vec3d_madd(spin, m, vec3d_cross(arm, vec3d_sub(lb_displaced(d, i), motion)));
        J[0] = vec3d_madd(J[0], m, vec3d(square - arm.x * arm.x, -arm.x * arm.y, -arm.x * arm.z));
        J[1] = vec3d_madd(J[1], m, vec3d(-arm.x * arm.y, square - arm.y * arm.y, -arm.y * arm.z));
        J[2] = vec3d_madd(J[2], m, vec3d(-arm.x * arm.z, -arm.y * arm.z, square - arm.z * arm.z));
    }
    lbVec3d rate = vec3d_solve(J, spin);
    rate = isfinite(rate.x + rate.y + rate.z) ? rate : vec3d(0, 0, 0); /* nodes on a line */
    for (int i = 0; i < count; ++i) {
        lbVec3d arm = vec3d_sub(vec3d_add(rest[i], lb_displaced(u, i)), center);
        lbVec3d moved = vec3d_add(motion, vec3d_cross(rate, arm));
        double* own = d + 3 * (size_t)i;
        own[0] -= moved.x, own[1] -= moved.y, own[2] -= moved.z;
    }
}
