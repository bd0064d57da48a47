/* Solves K_nn x = r for many right-hand sides, n the nodes that are free: by factors (solve_direct.c) or by conjugate
 * gradients (solve_iterative.c). */
#ifndef LIMBER_SRC_STATIC_SOLVER_H
#define LIMBER_SRC_STATIC_SOLVER_H

#include "elastostatic/stiffness.h"

/* What one way to solve it needs, and what it found. */
typedef struct lbStaticSystem {
    const lbStiffness* stiffness;
    const bool* held; /* (nodeCount) nodes whose displacements are given */
    lbTasks* tasks;
    double byteLimit; /* 0: what there is */
    double tolerance; /* of iterations, relative to the right-hand side */
} lbStaticSystem;

typedef struct lbStaticReport {
    char solver[64];       /* "MUMPS 5.5.1" */
    double factorSeconds;  /* analysis, factors, preconditioner */
    double bytes;          /* that it took */
    double estimatedBytes; /* before it took them */
    int iterations;        /* most of all right-hand sides; 0: direct */
    double flops;          /* of the factorisation */
} lbStaticReport;

typedef struct lbStaticSolver lbStaticSolver;
struct lbStaticSolver {
    /* Vectors (nodeCount x 3 x count), as lb_multiply_stiffness has them; held nodes of x become 0. */
    lbResult (*solve)(lbStaticSolver* solver, const double* r, double* x, int count);
    void (*release)(lbStaticSolver* solver);
    lbStaticReport report;
};

lbResult lb_create_direct_solver(const lbStaticSystem* system, lbStaticSolver** solver);
lbResult lb_create_iterative_solver(const lbStaticSystem* system, lbStaticSolver** solver);

#endif
