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
 * were at rest (lb_tangentDefinite); the product on the right is exact. dv is of the size of h, so that this costs
 * nothing in the order: h^2 dK dv is a third-order term.
 *
 * Where forces are linear no step is too long: Crank-Nicolson then keeps the energy, implicit Euler takes it away.
 * Where they are not, one linearisation a step is a first guess at F': implicit Euler's own damping has always been
 * enough so far, while Crank-Nicolson has none and can gain energy at steps far longer than the fastest period. */
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

lbSolve lb_solve_tangent(const lbTangentSystem* tangent, const float* f, float* y, double tolerance, int limit) {
    const lbSystem* system = tangent->system;
    size_t used = system->scratch->used;
    lbTangentSystem self = *tangent;
    lbLinearSystem linear = {.count = system->count,
                             .tasks = system->tasks,
                             .product = multiply_tangent,
                             .productSelf = &self,
                             .project = system->project,
                             .projectSelf = system->self,
                             .preconditioner = lb_take_aggregates(system->scratch, system->count)};
    if (system->assemble != NULL) {
        system->assemble(system->self, tangent->x, tangent->mass, tangent->a, tangent->b, tangent->kind);
        linear.matrix = &system->matrix;
        lb_prepare_aggregates(&linear.preconditioner, system->tasks, linear.matrix);
    } else {
        lb_prepare_masses(&linear.preconditioner, system->mass);
    }
    lbSolve solve = lb_solve_linear(&linear, f, y, tolerance, limit, system->scratch);
    system->scratch->used = used;
    return solve;
}

/* h (F + h theta dF/dx v), held components zero. */
static void fill_right_side(const lbSystem* system, double theta, double time, double h, float* b) {
    size_t used = system->scratch->used, size = 4 * (size_t)system->count;
    float* a = lb_arena_take(system->scratch, size * sizeof(float));
    system->acceleration(system->self, time + theta * h, system->x, system->v, a);
    for (size_t i = 0; i < size; ++i) {
        b[i] = (float)h * system->mass[i / 4] * a[i];
    }
    system->tangent(system->self, system->x, (float)(h * h * theta), 0, system->v, b);
    system->project(system->self, b);
    system->scratch->used = used;
}

static void theta_step(const lbSystem* system, double theta, double time, double h) {
    size_t used = system->scratch->used, bytes = 4 * (size_t)system->count * sizeof(float);
    float* b = lb_arena_take(system->scratch, bytes);
    float* dv = lb_arena_take(system->scratch, bytes);
    fill_right_side(system, theta, time, h, b);
    lbTangentSystem tangent = {.system = system,
                               .x = system->x,
                               .mass = 1,
                               .a = (float)(-h * h * theta * theta),
                               .b = (float)(-h * theta),
                               .kind = lb_tangentDefinite};
    const lbIntegratorSettings* settings = system->settings;
    lbSolve solve = lb_solve_tangent(&tangent, b, dv, (double)settings->tolerance, settings->iterationLimit);
    if (system->solve != NULL) {
        *system->solve = solve;
    }
    lb_add_scaled(system->tasks, system->count, (float)(h * (1 - theta)), system->v, system->x);
    lb_add_scaled(system->tasks, system->count, 1, dv, system->v);
    if (system->damp != NULL) {
        system->damp(system->self, h, system->v);
    }
    lb_add_scaled(system->tasks, system->count, (float)(h * theta), system->v, system->x);
    system->scratch->used = used;
}

static void implicit_euler_step(const lbSystem* system, lbHistory* history, double time, double h) {
    (void)history;
    theta_step(system, 1, time, h);
}

static void crank_nicolson_step(const lbSystem* system, lbHistory* history, double time, double h) {
    (void)history;
    theta_step(system, 0.5, time, h);
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
    .scratchVectors = 2 + lb_tangentVectors,
    .step = implicit_euler_step,
    .stableStep = any_step,
};

const lbIntegrator lb_crankNicolson = {
    .name = "crank-nicolson",
    .label = "Crank-Nicolson",
    .description = "Implicit, second order; keeps energy where forces are linear",
    .traits = lb_traitImplicit,
    .order = 2,
    .scratchVectors = 2 + lb_tangentVectors,
    .step = crank_nicolson_step,
    .stableStep = any_step,
};
