/* Static equilibrium: displacements at which no force is left, in double. */
#ifndef LIMBER_SRC_EQUILIBRIUM_H
#define LIMBER_SRC_EQUILIBRIUM_H

#include "law/precise.h"
#include "limber/body.h"
#include "matrix/precise_solve.h"

/* What is to come to rest: node vectors are (count x 3). `share` is how much of what acts from outside is there, 0 to
 * 1, so that it can be put on in steps. */
typedef struct lbStaticSystem {
    int count;
    double* u;                     /* displacements, m: the start, then the equilibrium */
    const double* prescribed;      /* how far held components are to move, m, beside u's; NULL: they stay */
    bool tangled;                  /* the start is inside out somewhere: Newton's method as it is might end in a fold */
    const lbPreciseSolver* solver; /* its stiffness is what `stiffness` fills */
    /* All forces, N; held components are left as they are: the forces of what holds them, turned round. */
    void (*force)(void* self, const double* u, double share, double* f);
    /* Fills the matrix with minus their derivative. */
    void (*stiffness)(void* self, const double* u, double share, lbTangentKind kind);
    /* Takes from a step d what moves the whole: of a system that nothing holds. NULL: something does. */
    void (*keepWhole)(void* self, const double* u, double* d);
    /* The Euclidean norm of what acts from outside, N. */
    double (*applied)(void* self, const double* u);
    void* self;
} lbStaticSystem;

enum { lb_equilibriumVectors = 6 };

/* Moves system->u to an equilibrium. lb_errorUnstable: none was found, and u is where the search ended. `report` is
 * filled in any case. `scratch`: lb_equilibriumVectors vectors of (3 count). */
lbResult lb_find_equilibrium(lbStaticSystem* system, lbPreciseSolver* solver, const lbEquilibriumDef* def,
                             double* scratch, lbEquilibriumReport* report);

/* Takes from a step d what moves nodes at rest + u, of these masses, as a whole: a direct solution holds a free body by
 * some of its nodes, as good as any. (count x 3) both. For `keepWhole`. */
void lb_take_whole_step(int count, const float* mass, const lbVec3d* rest, const double* u, double* d);

#endif
