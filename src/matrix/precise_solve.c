#include "matrix/precise_solve.h"

#include "base/math.h"
#include "base/result.h"

#include <string.h>

/* Multiplications of a factorisation that is worth while at once; and of one that is not worth while at all, unless
 * nothing else helps: some tenths of a second, and some ten seconds. */
static const double cheapWork = 1e9, mostWork = 1e11;
/* Numbers of a factor at most. */
static const double mostNumbers = 2e8;

lbResult lb_create_precise_solver(const lbHost* host, lbPreciseSolver* solver) {
    solver->vectors = LB_NEW(host, double, 12 * (int64_t)solver->stiffness->count);
    return solver->vectors != NULL ? lb_create_direct(solver->stiffness, &solver->direct)
                                   : lb_out_of_memory("a direct solution");
}

void lb_destroy_precise_solver(lbPreciseSolver* solver) {
    if (solver->stiffness != NULL) {
        lb_release(solver->stiffness->host, solver->vectors);
        solver->vectors = NULL;
    }
    lb_destroy_direct(&solver->direct);
}

void lb_project_held(const lbPreciseSolver* solver, double* p) {
    for (int i = 0; i < solver->heldCount; ++i) {
        const double* f = solver->held[i].filter;
        double *at = p + 3 * (size_t)solver->held[i].node, v[3] = {at[0], at[1], at[2]};
        at[0] = f[0] * v[0] + f[3] * v[1] + f[4] * v[2];
        at[1] = f[3] * v[0] + f[1] * v[1] + f[5] * v[2];
        at[2] = f[4] * v[0] + f[5] * v[1] + f[2] * v[2];
    }
}

static double dot(size_t size, const double* a, const double* b) {
    double sum = 0;
    for (size_t i = 0; i < size; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void multiply(const lbPreciseSolver* solver, double shift, const double* p, double* q) {
    lb_stiffness_times(solver->stiffness, p, q);
    for (size_t i = 0; shift != 0 && i < 3 * (size_t)solver->stiffness->count; ++i) {
        q[i] += shift * (double)solver->mass[i / 3] * p[i];
    }
    lb_project_held(solver, q);
}

static void precondition(const lbPreciseSolver* solver, bool direct, const double* r, double* z) {
    if (direct) {
        lb_solve_direct(&solver->direct, r, z);
    } else {
        solver->precondition(solver->self, r, z);
    }
    lb_project_held(solver, z);
}

/* From x = 0. Flexible (Polak and Ribiere's beta), since a preconditioner in float32 is not quite one matrix. */
static lbSolve iterate(const lbPreciseSolver* solver, bool direct, double shift, const double* b, double tolerance,
                       int limit, double* x) {
    size_t size = 3 * (size_t)solver->stiffness->count;
    double *r = solver->vectors, *z = r + size, *p = z + size, *q = p + size;
    lbSolve solve = {.residual = 1, .definite = true};
    memcpy(r, b, size * sizeof(double));
    memset(x, 0, size * sizeof(double));
    double goal = tolerance * sqrt(dot(size, b, b)), rz = 0, first = 0, energyGoal = tolerance * tolerance;
    for (;;) {
        precondition(solver, direct, r, z);
        double next = dot(size, r, z), length = sqrt(dot(size, r, r));
        first = solve.iterations == 0 ? next : first;
        solve.residual = goal > 0 ? tolerance * length / goal : 0;
        bool close = length <= goal && next <= energyGoal * first;
        if (close || !(next > 0) || solve.iterations >= limit) {
            solve.definite = next >= 0 || close;
            return solve;
        }
        double beta = 0;
        if (solve.iterations > 0) { /* q is the change of r by now: r_before = r + q */
            beta = -dot(size, z, q) / rz;
        }
        for (size_t i = 0; i < size; ++i) {
            p[i] = z[i] + beta * (solve.iterations > 0 ? p[i] : 0);
        }
        multiply(solver, shift, p, q);
        ++solve.iterations;
        double curvature = dot(size, p, q);
        if (!(curvature > 0)) {
            solve.definite = false;
            return solve;
        }
        double alpha = dot(size, r, p) / curvature;
        for (size_t i = 0; i < size; ++i) {
            x[i] += alpha * p[i];
            q[i] *= alpha;
            r[i] -= q[i];
        }
        rz = next;
    }
}

static lbResult solve_directly(lbPreciseSolver* solver, double shift, const double* b, double tolerance, double* x,
                               lbSolve* solve) {
    enum { mostRefinements = 20 };
    lbInertia inertia;
    LB_TRY(lb_factor_stiffness(&solver->direct, solver->stiffness, shift, solver->mass, solver->held, solver->heldCount,
                               &inertia));
    ++solver->factorisations;
    *solve = (lbSolve){.residual = 1};
    if (inertia.negative == 0) {
        *solve = iterate(solver, true, shift, b, fmin(tolerance, 1e-9), mostRefinements, x);
        solve->definite = true; /* by its pivots; refinement may have met the limit of rounding */
    }
    return lb_success();
}

lbResult lb_solve_precisely(lbPreciseSolver* solver, double shift, const double* b, double tolerance, double* x,
                            lbSolve* solve) {
    double work = solver->direct.work, numbers = (double)solver->direct.starts[solver->direct.count];
    bool possible = work <= mostWork && numbers <= mostNumbers;
    if (solver->prepare == NULL || work <= cheapWork || (solver->dear && possible)) {
        return solve_directly(solver, shift, b, tolerance, x, solve);
    }
    /* An iteration takes some 60 multiplications for each block of the matrix, and is bound by memory, not by them. */
    double blocks = (double)solver->stiffness->graph->starts[solver->stiffness->count];
    double worth = possible ? work / (60 * blocks) : 1e9;
    int limit = (int)fmax(100, fmin(3000, worth));
    solver->prepare(solver->self, shift);
    *solve = iterate(solver, false, shift, b, tolerance, limit, x);
    if (solve->definite && solve->residual > tolerance && possible) {
        solver->dear = true;
        int spent = solve->iterations;
        LB_TRY(solve_directly(solver, shift, b, tolerance, x, solve));
        solve->iterations += spent;
    }
    return lb_success();
}

/* A filter is a projection but for the rounding of its numbers, which would let forces of what is held through. Two
 * steps of 3 P^2 - 2 P^3 (R. McWeeny, Some Recent Advances in Density Matrix Theory, 1960) make it one in double. */
void lb_purify_filter(const float from[6], double filter[6]) {
    static const int places[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    for (int k = 0; k < 6; ++k) {
        filter[k] = (double)from[k];
    }
    for (int step = 0; step < 2; ++step) {
        double square[3][3] = {{0}}, cube[3][3] = {{0}};
        for (int k = 0; k < 27; ++k) {
            square[k / 9][k % 3] += filter[places[k / 9][k / 3 % 3]] * filter[places[k / 3 % 3][k % 3]];
        }
        for (int k = 0; k < 27; ++k) {
            cube[k / 9][k % 3] += square[k / 9][k / 3 % 3] * filter[places[k / 3 % 3][k % 3]];
        }
        for (int k = 0; k < 9; ++k) {
            filter[places[k / 3][k % 3]] = 3 * square[k / 3][k % 3] - 2 * cube[k / 3][k % 3];
        }
    }
}
