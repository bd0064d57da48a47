/* The integrator contract. An integrator sees a system of masses and accelerations; it does not know what the forces
 * are or which body they belong to. To add one: write a file beside symplectic_euler.c and name it in integrator.c. */
#ifndef LIMBER_SRC_INTEGRATOR_H
#define LIMBER_SRC_INTEGRATOR_H

#include "base/memory.h"
#include "base/node_offset.h"
#include "base/property.h"
#include "base/tasks.h"
#include "law/law.h"
#include "limber/body.h"
#include "matrix/conjugate_gradients.h"

/* Node vectors are (count x 4): x, y, z and a zero. */
typedef struct lbSystem {
    int count;
    const float* mass; /* (count) kg */
    float *x, *v;      /* the state, which the integrator advances */
    /* Fills accelerations, held components zero. m/s^2 */
    void (*acceleration)(void* self, double time, const float* x, const float* v, float* a);
    /* The same without what dF/dv is made of, damping between nodes. `zero` is a node vector of zeros. For systems that
     * `assemble`. */
    void (*elasticAcceleration)(void* self, double time, const float* x, const float* v, const float* zero, float* a);
    /* y += (a dF/dx + b dF/dv) p, F in N. */
    void (*tangent)(void* self, const float* x, float a, float b, const float* p, float* y);
    /* Zeroes the components of p that are held (pins, lines, planes). */
    void (*project)(void* self, float* p);
    int heldCount;    /* nodes that `project` holds in some direction */
    bool turnsFreely; /* forces that turn the whole depend on where it is, not on how fast it turns: no wind, no
                         pressure */
    /* Fills the matrix with  a dF/dx + b dF/dv  of all nodes, what is held is left to `project`; then `complete` adds
     * mass M, and b times what damps nodes by themselves. NULL: there are products only (`tangent`). */
    void (*assemble)(void* self, const float* x, float a, float b, lbTangentKind kind);
    void (*complete)(void* self, float mass, float b, const float* extraMass); /* kg (count), or NULL: no more */
    lbBlockMatrix matrix;                                                      /* what they fill */
    const struct lbGrids* grids; /* over the nodes at rest, for solving with the matrix; may be NULL */
    lbSolve* solve;              /* implicit methods leave here how their last step was solved; may be NULL */
    /* Damping of points that is taken at the next velocity: turns a velocity that forces alone would give after a step
     * of h into the damped one. Called once a step on new velocities, before positions are moved by them where the
     * method does that. NULL: there is none. */
    void (*damp)(void* self, double h, float* v);
    void* self;
    const lbIntegratorSettings* settings;
    lbTasks* tasks;
    lbArena* scratch; /* room for scratchVectors node vectors, and for lb_grid_bytes beside them */
} lbSystem;

enum { lb_mostFilled = 16 };

/* What a method remembers from step to step. It belongs to the body and is saved with it. */
typedef struct lbHistory {
    float* vectors; /* (historyVectors x count x 4) */
    int filled;  /* how many steps they hold, at most lb_mostFilled; 0 at the start and whenever the state or its forces
                    jump (impulses, loads, pins) */
    double step; /* s, the length of those steps: a method whose vectors depend on it starts anew when it changes */
} lbHistory;

enum {
    lb_traitExplicit = 1,    /* needs accelerations only, no linear solver */
    lb_traitLocal = 2,       /* each node can take its own step: fit for adaptive bodies */
    lb_traitMultistep = 4,   /* uses values of earlier steps; without it a step needs the state alone */
    lb_traitAdaptive = 8,    /* divides the step it is given until the error is within settings->tolerance */
    lb_traitSymplectic = 16, /* without damping, the energy's error stays bounded for good */
    lb_traitImplicit = 32,   /* solves with the tangent: wants a matrix */
};

struct lbOpenStep;

typedef struct lbIntegrator {
    const char* name;
    const char *label, *description; /* for people: lbKindInfo */
    unsigned traits;
    int order;          /* of accuracy */
    int historyVectors; /* node vectors kept from step to step */
    int scratchVectors; /* node vectors needed within a step */
    /* Advances the state by h seconds. */
    void (*step)(const lbSystem* system, lbHistory* history, double time, double h);
    /* The same in two parts, for methods that have a place between velocities, which come first, and the positions that
     * follow them: there, others may change velocities. NULL: there is no such place. */
    void (*kick)(const lbSystem* system, double time, double h);
    void (*drift)(const lbSystem* system, double h);
    /* The same for implicit methods: the place is within a linear system (theta.h, lbOpenStep). `open` finds what the
     * caller has filled in of it. NULL: there is none. */
    void (*open)(const lbSystem* system, lbHistory* history, double time, double h, struct lbOpenStep* open);
    void (*close)(struct lbOpenStep* open, lbHistory* history);
    void (*end)(struct lbOpenStep* open, lbHistory* history);
    /* The method that takes its place while something touches the body; NULL: itself. */
    const struct lbIntegrator* whenTouched;
    /* The longest stable step for a motion of this frequency (rad/s) and damping rate (1/s: damping force / momentum).
     * Infinite where there is no limit. A step at which the motion grows less than e-fold in 100 periods counts as
     * stable: some methods let every undamped motion grow a little (stability.c). Of methods that divide their steps:
     * one that contacts, which act between steps, can live with. */
    double (*stableStep)(double frequency, double damping);
} lbIntegrator;

extern const lbIntegrator lb_symplecticEuler, lb_explicitEuler, lb_leapFrog, lb_heun, lb_midpoint, lb_rungeKutta4,
    lb_verlet, lb_velocityVerlet, lb_beeman, lb_adams, lb_bulirschStoer, lb_adaptiveVerlet, lb_implicitEuler,
    lb_crankNicolson, lb_generalisedAlpha;

/* Its steps are the body's (body/adaptive/adaptive_filter.c): a filter of internal forces needs to know them apart. */
extern const lbIntegrator lb_filteredEuler;

extern const lbPropertyList lb_integratorProperties;

/* NULL for a kind that does not exist. */
const lbIntegrator* lb_find_integrator(lbIntegratorKind kind);

/* ---- For integrators --------------------------------------------------------------------------------------------- */

/* Runs a loop over all nodes, in parallel pieces. */
static inline void lb_for_nodes(const lbSystem* system, lbTaskFn* loop, void* context) {
    lb_parallel_for(system->tasks, system->count, nodeGrain, loop, context);
}

/* A node vector of the scratch, not initialised; given back by resetting scratch->used. */
static inline float* lb_take_vector(const lbSystem* system) {
    return lb_arena_take(system->scratch, 4 * (size_t)system->count * sizeof(float));
}

static inline float* lb_history_vector(const lbSystem* system, const lbHistory* history, int index) {
    return history->vectors + 4 * (size_t)system->count * (size_t)index;
}

static inline void lb_damp(const lbSystem* system, double h, float* v) {
    if (system->damp != NULL) {
        system->damp(system->self, h, v);
    }
}

/* v += h a, then x += h v, over all nodes. */
void lb_kick_and_drift(lbTasks* tasks, int count, float h, const float* a, float* v, float* x);

/* y += s x, over all nodes. */
void lb_add_scaled(lbTasks* tasks, int count, float s, const float* x, float* y);

/* z = s x + t y, over all nodes. */
void lb_combine(const lbSystem* system, float s, const float* x, float t, const float* y, float* z);

/* The largest magnitude of any component of each vector; at most 4 vectors. Numbers that are not are passed over. Takes
 * one node vector of scratch for as long as it runs. */
void lb_find_largest(const lbSystem* system, int vectorCount, const float* const* vectors, float* largest);

/* A step of the classical Runge-Kutta method from the acceleration `a` at its start, which is lost. Takes 4 node
 * vectors of scratch. */
void lb_runge_kutta_4(const lbSystem* system, double time, double h, float* a);

/* The stable step of a method that treats positions and velocities alike, by its characteristic polynomial on
 * y' = lambda y, z = h lambda: writes the coefficients from the constant one up, returns the degree. */
enum { lb_highestDegree = 4 };
typedef int lbCharacteristic(double _Complex z, double _Complex* coefficients);
double lb_find_stable_step(lbCharacteristic* characteristic, double frequency, double damping);

/* The stable step of Verlet's method with the velocity predicted: w^2 h^2 + 4 d h = 4. */
double lb_verlet_stable_step(double frequency, double damping);

#endif
