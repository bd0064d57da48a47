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
#include "integrate/implicit_step.h"
#include "matrix/node_vectors.h"

#include <math.h>
#include <string.h>

static void multiply_tangent(void* self, const float* p, float* q) {
    const lbTangentSystem* tangent = self;
    const lbSystem* system = tangent->system;
    for (int i = 0; i < 4 * system->count; ++i) {
        float extra = tangent->extraMass != NULL ? tangent->extraMass[i / 4] : 0;
        q[i] = (tangent->mass * system->mass[i / 4] + extra) * p[i];
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

lbLinearSystem lb_begin_tangent(lbTangentSystem* tangent) {
    const lbSystem* system = tangent->system;
    lbLinearSystem linear = {.count = system->count,
                             .tasks = system->tasks,
                             .product = multiply_tangent,
                             .productSelf = tangent,
                             .project = system->project,
                             .projectSelf = system->self,
                             .preconditioner = lb_take_preconditioner(system->scratch, system->count, system->grids)};
    if (system->assemble != NULL) {
        system->assemble(system->self, tangent->x, tangent->a, tangent->b, tangent->kind);
        linear.matrix = &system->matrix;
    }
    return linear;
}

void lb_complete_tangent(const lbTangentSystem* tangent, lbLinearSystem* linear) {
    const lbSystem* system = tangent->system;
    if (linear->matrix == NULL) {
        lb_prepare_masses(&linear->preconditioner, system->mass);
        return;
    }
    size_t used = system->scratch->used;
    float* motion = lb_take_vector(system);
    lbVec3 whole = fill_free_motion(system, motion);
    system->complete(system->self, tangent->mass, tangent->b, tangent->extraMass);
    lb_prepare_preconditioner(&linear->preconditioner, system->tasks, linear->matrix, whole, motion);
    system->scratch->used = used;
}

lbLinearSystem lb_prepare_tangent(lbTangentSystem* tangent) {
    lbLinearSystem linear = lb_begin_tangent(tangent);
    lb_complete_tangent(tangent, &linear);
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

typedef struct Sides {
    const lbSystem* system;
    float h;
    const float *a, *product;
    float* b;
} Sides;

static void fill_by_product(void* context, int begin, int end) {
    const Sides* sides = context;
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; ++i) {
        sides->b[i] = sides->h * sides->system->mass[i / 4] * sides->a[i] - sides->product[i];
    }
}

/* h (F + h dF/dx v) by the matrix  M - h^2 dF/dx - h dF/dv: it is h (F - dF/dv v) - (its product with v but for M v),
 * and F - dF/dv v are the forces without damping. */
static void fill_right_side_by_matrix(const lbSystem* system, double time, double h, float* a, float* b) {
    float* product = lb_take_vector(system);
    size_t size = 4 * (size_t)system->count;
    memset(product, 0, size * sizeof(float));
    system->elasticAcceleration(system->self, time + h, system->x, system->v, product, a);
    lb_multiply_differences(&system->matrix, system->tasks, system->v, product);
    lb_for_nodes(system, fill_by_product, &(Sides){system, (float)h, a, product, b});
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
    return lb_carry_on(system, last, before, guess);
}

static void remember_change(const lbSystem* system, lbHistory* history, const double* change) {
    lb_remember(system, change, lb_history_vector(system, history, 0), lb_history_vector(system, history, 1));
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

/* The right side of a linearisation: what it does along the solution, and its square. */
typedef struct Asked {
    double slope, square;
} Asked;

/* One linearisation of a step. */
typedef struct StepSolve {
    lbSolve solve;
    Asked asked;
} StepSolve;

/* Finds dv. Fills a with F / m, where theta is not 1. */
static StepSolve solve_step(const lbSystem* system, const float* guess, double theta, double time, double h, float* a,
                            double* dv) {
    size_t used = system->scratch->used;
    lbTangentSystem tangent = tangent_at(system, theta, h, system->x);
    lbLinearSystem linear = lb_prepare_tangent(&tangent);
    float* b = lb_take_vector(system);
    size_t kept = system->scratch->used;
    if (theta == 1 && linear.matrix != NULL) {
        fill_right_side_by_matrix(system, time, h, a, b);
    } else {
        fill_right_side(system, theta, time, h, a, b);
    }
    system->project(system->self, b);
    system->scratch->used = kept;
    const lbIntegratorSettings* settings = system->settings;
    StepSolve made = {.solve = lb_solve_linear(&linear, b, guess, dv, (double)settings->tolerance,
                                               settings->iterationLimit, system->scratch)};
    made.asked = (Asked){lb_dot_mixed(system, b, dv), lb_square_of(system, b)};
    system->scratch->used = used;
    return made;
}

/* Finds dv. */
static Asked find_change(const lbSystem* system, lbHistory* history, double theta, double time, double h, float* a,
                         double* dv) {
    size_t used = system->scratch->used;
    float* guess = lb_take_vector(system);
    StepSolve made = solve_step(system, guess_change(system, history, h, guess), theta, time, h, a, dv);
    system->scratch->used = used;
    if (system->solve != NULL) {
        *system->solve = made.solve;
    }
    return made.asked;
}

/* ---- Where forces are far from linear ---------------------------------------------------------------------------- */

/* On the way to the scheme's next velocity: of v' - v. */
typedef struct Way {
    const lbSystem* system;
    double theta, time, h, part;
    const float* a; /* F / m at the start */
    lbWay along;
    float *x, *v;          /* x' and v' of the trial */
    float* rest;           /* h ((1 - theta) F + theta F') + impulses - m (v' - v) there: the equations' residual */
    const float* impulses; /* N s, of what touches the system; NULL: nothing does */
} Way;

static void fill_trial(void* context, int begin, int end) {
    const Way* way = context;
    const lbSystem* system = way->system;
    double h = way->h, theta = way->theta;
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; ++i) {
        double change = way->along.change[i] + way->part * way->along.direction[i];
        double v = (double)system->v[i], next = v + change;
        way->along.trial[i] = change;
        way->v[i] = (float)next;
        way->x[i] = (float)((double)system->x[i] + h * ((1 - theta) * v + theta * next));
    }
}

static void fill_rest(void* context, int begin, int end) {
    const Way* way = context;
    double h = way->h, theta = way->theta;
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; ++i) {
        double both = theta < 1 ? (1 - theta) * (double)way->a[i] + theta * (double)way->rest[i] : (double)way->rest[i];
        way->rest[i] = (float)((double)way->system->mass[i / 4] * (h * both - way->along.trial[i]));
        if (way->impulses != NULL) {
            way->rest[i] += way->impulses[i];
        }
    }
}

static void evaluate_rest(void* self, double part) {
    Way* way = self;
    const lbSystem* system = way->system;
    way->part = part;
    lb_for_nodes(system, fill_trial, way);
    system->acceleration(system->self, way->time + way->theta * way->h, way->x, way->v, way->rest);
    lb_for_nodes(system, fill_rest, way);
    system->project(system->self, way->rest);
}

/* Turns dv into what can be followed, and on to the scheme's own where settings ask for more linearisations than one.
 * True if it is another one now. */
static bool follow(const lbSystem* system, double theta, double time, double h, const float* a, const float* impulses,
                   Asked asked, double* dv) {
    const lbIntegratorSettings* settings = system->settings;
    size_t used = system->scratch->used, size = 4 * (size_t)system->count;
    Way way = {.system = system, .theta = theta, .time = time, .h = h, .a = a, .impulses = impulses};
    way.x = lb_take_vector(system), way.v = lb_take_vector(system), way.rest = lb_take_vector(system);
    way.along = (lbWay){.evaluate = evaluate_rest, .self = &way, .system = system, .direction = dv, .rest = way.rest};
    way.along.change = lb_arena_take(system->scratch, size * sizeof(double));
    way.along.trial = lb_arena_take(system->scratch, size * sizeof(double));
    memset(way.along.change, 0, size * sizeof(double));
    double enough = (double)(settings->tolerance * settings->tolerance) * asked.square;
    bool changed = false;
    for (int i = 1;; ++i) {
        bool cut = lb_follow_way(&way.along, asked.slope) < 1;
        changed |= cut || i > 1;
        if (!lb_linearise_again(settings, i, cut, lb_square_of(system, way.rest), enough)) {
            break;
        }
        lbTangentSystem tangent = tangent_at(system, theta, h, way.x);
        lb_solve_tangent(&tangent, way.rest, dv, (double)settings->tolerance, settings->iterationLimit);
        asked.slope = lb_dot_mixed(system, way.rest, dv);
    }
    memcpy(dv, way.along.change, size * sizeof(double));
    system->scratch->used = used;
    return changed;
}

typedef struct Change {
    float* v;
    const double* dv;
} Change;

static void change_velocities(void* context, int begin, int end) {
    const Change* change = context;
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; ++i) {
        change->v[i] = (float)((double)change->v[i] + change->dv[i]);
    }
}

/* v += dv, and positions by the scheme. */
static void move(const lbSystem* system, lbHistory* history, double theta, double h, const double* dv) {
    remember_change(system, history, dv);
    if (theta < 1) {
        lb_add_scaled(system->tasks, system->count, (float)(h * (1 - theta)), system->v, system->x);
    }
    lb_for_nodes(system, change_velocities, &(Change){system->v, dv});
    lb_damp(system, h, system->v);
    lb_add_scaled(system->tasks, system->count, (float)(h * theta), system->v, system->x);
}

/* ---- Steps of implicit Euler with what touches the system -------------------------------------------------------- */

static void open_step(const lbSystem* system, lbHistory* history, double time, double h, lbOpenStep* open) {
    lb_take_open_vectors(system, time, h, open);
    lb_begin_open_step(open, guess_change(system, history, h, open->b), tangent_at(&open->system, 1, h, system->x));
}

static void close_step(lbOpenStep* open, lbHistory* history) {
    (void)history;
    const lbSystem* system = &open->system;
    lb_complete_tangent(&open->tangent, &open->linear);
    size_t used = system->scratch->used;
    if (open->linear.matrix != NULL) {
        fill_right_side_by_matrix(system, open->time, open->h, open->a, open->b);
    } else {
        fill_right_side(system, 1, open->time, open->h, open->a, open->b);
    }
    system->project(system->self, open->b);
    system->scratch->used = used;
}

/* What dv lacks in momentum, and what it is given. */
typedef struct Lack {
    const lbSystem* system;
    double scale, h;
    const float *a, *impulses;
    double* dv;
    lbVec3d center, v, w;
} Lack;

/* h m a + impulses - m dv of a node, m as the matrix weighs it. */
static lbVec3d node_lack(const Lack* lack, int node) {
    size_t at = 4 * (size_t)node;
    const double m = (double)lack->system->mass[node], *dv = lack->dv + at;
    lbVec3d sum = vec3d_scale(lack->h * m, vec3d_load(lack->a + at));
    sum = vec3d_madd(sum, -lack->scale * m, vec3d(dv[0], dv[1], dv[2]));
    return lack->impulses != NULL ? vec3d_add(sum, vec3d_load(lack->impulses + at)) : sum;
}

/* kg m/s, and kg m^2/s about the centre. */
static void sum_lack(const void* context, int begin, int end, double sums[lb_mostSums]) {
    const Lack* lack = context;
    lbVec3d linear = {0, 0, 0}, angular = {0, 0, 0};
    for (int i = begin; i < end; ++i) {
        lbVec3d d = vec3d_sub(vec3d_load(lack->system->x + 4 * (size_t)i), lack->center), own = node_lack(lack, i);
        linear = vec3d_add(linear, own);
        angular = vec3d_add(angular, vec3d_cross(d, own));
    }
    sums[0] = linear.x, sums[1] = linear.y, sums[2] = linear.z;
    sums[3] = angular.x, sums[4] = angular.y, sums[5] = angular.z;
}

static void give_lack(void* context, int begin, int end) {
    const Lack* lack = context;
    for (int i = begin; i < end; ++i) {
        lbVec3d d = vec3d_sub(vec3d_load(lack->system->x + 4 * (size_t)i), lack->center);
        lbVec3d change = vec3d_add(lack->v, vec3d_cross(lack->w, d));
        double* at = lack->dv + 4 * (size_t)i;
        at[0] += change.x, at[1] += change.y, at[2] += change.z;
    }
}

/* Where nothing is held, the momentum of the whole follows from forces and impulses alone, whatever a linear solver has
 * left over. So does its angular momentum, where forces between nodes have none: x' = x + h v' leads to x' x m v' = x x
 * m v', so that what is given at x is kept. Implicit Euler by itself brakes rotations like any other fast motion. */
static void correct_momentum(const lbSystem* system, const lbBlockMatrix* matrix, double h, const float* a,
                             const float* impulses, double* dv) {
    if (system->heldCount > 0 || matrix == NULL) {
        return;
    }
    double scale = (double)(matrix->weights[matrix->pattern->slots[0]] / system->mass[0]), sums[lb_mostSums];
    lbWholeMass whole = lb_weigh_system(system, system->x, scale);
    Lack lack = {
        .system = system, .scale = scale, .h = h, .a = a, .impulses = impulses, .dv = dv, .center = whole.center};
    lb_sum_nodes(system->tasks, system->count, sum_lack, &lack, sums);
    lack.v = vec3d_scale(1 / whole.mass, vec3d(sums[0], sums[1], sums[2]));
    lack.w = system->turnsFreely ? lb_spin_of(&whole, vec3d(sums[3], sums[4], sums[5])) : vec3d(0, 0, 0);
    lb_for_nodes(system, give_lack, &lack);
}

/* b with impulses, along dv and squared. */
static void sum_asked(const void* context, int begin, int end, double sums[lb_mostSums]) {
    const lbOpenStep* open = context;
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; ++i) {
        double all = (double)open->b[i] + (double)open->impulses[i];
        sums[0] += all * open->dv[i];
        sums[1] += all * all;
    }
}

static void end_step(lbOpenStep* open, lbHistory* history) {
    const lbSystem* system = &open->system;
    correct_momentum(system, open->linear.matrix, open->h, open->a, open->impulses, open->dv);
    system->scratch->used = open->kept; /* the linear system has served */
    double sums[lb_mostSums];
    lb_sum_nodes(system->tasks, system->count, sum_asked, open, sums);
    const Asked asked = {sums[0], sums[1]};
    if (follow(system, 1, open->time, open->h, open->a, open->impulses, asked, open->dv)) {
        correct_momentum(system, open->linear.matrix, open->h, open->a, open->impulses, open->dv);
    }
    move(system, history, 1, open->h, open->dv);
    system->scratch->used = open->used;
}

static void theta_step(const lbSystem* system, lbHistory* history, double theta, double time, double h) {
    size_t used = system->scratch->used, size = 4 * (size_t)system->count;
    double* dv = lb_arena_take(system->scratch, size * sizeof(double));
    float* a = lb_take_vector(system);
    Asked asked = find_change(system, history, theta, time, h, a, dv);
    bool corrects = theta == 1 && system->assemble != NULL;
    if (corrects) {
        correct_momentum(system, &system->matrix, h, a, NULL, dv);
    }
    if (follow(system, theta, time, h, a, NULL, asked, dv) && corrects) {
        correct_momentum(system, &system->matrix, h, a, NULL, dv);
    }
    move(system, history, theta, h, dv);
    system->scratch->used = used;
}

static void implicit_euler_step(const lbSystem* system, lbHistory* history, double time, double h) {
    theta_step(system, history, 1, time, h);
}

static void crank_nicolson_step(const lbSystem* system, lbHistory* history, double time, double h) {
    theta_step(system, history, 0.5, time, h);
}

const lbIntegrator lb_implicitEuler = {
    .name = "implicit-euler",
    .label = "Implicit Euler",
    .description = "Stable at any step; damps what is faster than the step",
    .traits = lb_traitImplicit,
    .order = 1,
    .historyVectors = 2,
    .scratchVectors = 20 + lb_tangentVectors,
    .step = implicit_euler_step,
    .open = open_step,
    .close = close_step,
    .end = end_step,
    .stableStep = lb_any_step,
};

const lbIntegrator lb_crankNicolson = {
    .name = "crank-nicolson",
    .label = "Crank-Nicolson",
    .description = "Implicit, second order; keeps energy where forces are linear",
    .traits = lb_traitImplicit,
    .order = 2,
    .historyVectors = 2,
    .scratchVectors = 20 + lb_tangentVectors,
    .step = crank_nicolson_step,
    .whenTouched = &lb_implicitEuler,
    .stableStep = lb_any_step,
};
