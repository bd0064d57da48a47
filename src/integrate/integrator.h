/* The integrator contract. An integrator sees a system of masses and accelerations; it does not know what the forces
 * are or which body they belong to. To add one: write a file beside symplectic_euler.c and name it in integrator.c. */
#ifndef LIMBER_SRC_INTEGRATOR_H
#define LIMBER_SRC_INTEGRATOR_H

#include "base/memory.h"
#include "base/tasks.h"
#include "law/block_matrix.h"
#include "law/law.h"
#include "limber/world.h"

/* How a linear system was solved. */
typedef struct lbSolve {
    int iterations;  /* products with the matrix */
    double residual; /* |b - A x| / |b| at the end, computed anew */
    bool definite;   /* false: the matrix was not positive definite, and x is what had been found by then */
} lbSolve;

/* Node vectors are (count x 4): x, y, z and a zero. */
typedef struct lbSystem {
    int count;
    const float* mass; /* (count) kg */
    float *x, *v;      /* the state, which the integrator advances */
    /* Fills accelerations, held components zero. m/s^2 */
    void (*acceleration)(void* self, double time, const float* x, const float* v, float* a);
    /* y += (a dF/dx + b dF/dv) p, F in N. */
    void (*tangent)(void* self, const float* x, float a, float b, const float* p, float* y);
    /* Zeroes the components of p that are held (pins, lines, planes). */
    void (*project)(void* self, float* p);
    /* Fills the matrix with  mass M + a dF/dx + b dF/dv. Rows and columns of nodes that cannot move at all are zero;
     * `project` does the rest. NULL: there are products only (`tangent`). */
    void (*assemble)(void* self, const float* x, float mass, float a, float b, lbTangentKind kind);
    lbBlockMatrix matrix; /* what `assemble` fills */
    lbSolve* solve;       /* implicit methods leave here how their last step was solved; may be NULL */
    /* Damping of points that is taken at the next velocity: turns a velocity that forces alone would give after a step
     * of h into the damped one. Called once a step on new velocities, before positions are moved by them where the
     * method does that. NULL: there is none. */
    void (*damp)(void* self, double h, float* v);
    void* self;
    const lbIntegratorSettings* settings;
    lbTasks* tasks;
    lbArena* scratch; /* room for scratchVectors node vectors */
} lbSystem;

/* What a method remembers from step to step. It belongs to the body and is saved with it. */
typedef struct lbHistory {
    float* vectors; /* (historyVectors x count x 4) */
    int filled;     /* how many steps they hold; 0 at the start and whenever the state jumps (impulses, restore) */
    double step;    /* s, the length of those steps: a method whose vectors depend on it starts anew when it changes */
} lbHistory;

enum {
    lb_traitExplicit = 1,  /* stable up to a largest step */
    lb_traitLocal = 2,     /* each node can take its own step: fit for adaptive bodies */
    lb_traitImplicit = 32, /* solves with the tangent: wants a matrix */
};

typedef struct lbIntegrator {
    const char* name;
    unsigned traits;
    int order;          /* of accuracy */
    int historyVectors; /* node vectors kept from step to step */
    int scratchVectors; /* node vectors needed within a step */
    /* Advances the state by h seconds. */
    void (*step)(const lbSystem* system, lbHistory* history, double time, double h);
    /* The longest stable step for motions up to `frequency` (rad/s) with a damping rate up to `damping` (1/s: damping
     * force / momentum). Infinite where there is no limit. */
    double (*stableStep)(double frequency, double damping);
} lbIntegrator;

extern const lbIntegrator lb_symplecticEuler;
extern const lbIntegrator lb_implicitEuler;
extern const lbIntegrator lb_crankNicolson;

/* NULL for a kind that does not exist. */
const lbIntegrator* lb_find_integrator(lbIntegratorKind kind);

/* Nodes that one piece of a parallel loop over node vectors handles. */
enum { nodeGrain = 2048 };

/* v += h a, then x += h v, over all nodes. */
void lb_kick_and_drift(lbTasks* tasks, int count, float h, const float* a, float* v, float* x);

/* y += s x, over all nodes. */
void lb_add_scaled(lbTasks* tasks, int count, float s, const float* x, float* y);

#endif
