/* Elastostatics on the surface of a homogeneous body by boundary elements: collocation at the points of flat triangles,
 * displacements linear over them and continuous, tractions linear over each by itself where they are given.
 *
 *   K u = L p,   K: free term and integrals of T,   L: integrals of U   (integrals.h)
 *
 * A part of the surface, whole triangles, is held: displacements are given and tractions unknown there, one value a
 * point. With b for held and s for free points (Klimenko, Nikitina and Nikitin, appendix 1, with the sign that it
 * lost):
 *
 *   [K_s, -L_b] [u_s; p_b] = L_s p_s - K_b u_b
 *
 * The free term is what rigid translations ask for: K's rows sum up to nothing. */
#ifndef LIMBER_SRC_BEM_BOUNDARY_H
#define LIMBER_SRC_BEM_BOUNDARY_H

#include "base/math.h"
#include "base/tasks.h"
#include "limber/elastostatic.h"

typedef struct lbBoundary {
    const lbHost* host;
    int pointCount, triangleCount;
    const lbVec3d* points; /* (pointCount) m */
    const int* triangles;  /* (triangleCount x 3) counter-clockwise seen from outside */
    const bool* held;      /* (triangleCount) */
    double nu, mu;         /* 1, Pa */
} lbBoundary;

/* What acts: tractions at the corners of free triangles, displacements of held points. */
typedef struct lbBoundaryLoad {
    const double* tractions;     /* (triangleCount x 3 x 3) Pa; NULL: none */
    const double* displacements; /* (pointCount x 3) m, of held points; NULL: none */
} lbBoundaryLoad;

typedef struct lbBoundarySettings {
    bool compliance; /* solve for tractions at each free point, too */
    bool single;     /* in float32: half the time and memory; without loads only */
    int loadCount;
    const lbBoundaryLoad* loads; /* (loadCount) */
    lbTasks* tasks;              /* NULL: on the calling thread */
    double byteLimit;            /* 0: what there is */
    lbProgressFn* progress;      /* may be NULL */
    void* progressUser;
} lbBoundarySettings;

typedef struct lbBoundarySolution {
    const lbHost* host;
    int pointCount, freeCount, loadCount;
    int* freeOf; /* (pointCount) which free point it is, or -1: held */
    int* rank;   /* (pointCount) where it stands in the system */
    bool compliance;
    double* matrix;        /* while it is solved */
    double* x;             /* (3 pointCount x (3 freeCount with `compliance` + loadCount)) solutions, by columns */
    float *matrix32, *x32; /* in place of both */
    double error;          /* of float32: how far a solution that is known is missed by, of its largest number */
    double mu;             /* Pa */
    double assembleSeconds, solveSeconds;
    double bytes; /* of the matrices */
} lbBoundarySolution;

/* Which points are held: all corners of held triangles. */
void lb_mark_held_points(const lbBoundary* boundary, bool* held);

/* Bytes that the matrices will take. */
double lb_boundary_bytes(int pointCount, int freeCount, const lbBoundarySettings* settings);

/* Fails when no triangle is held, or all are, when memory would not do, and when `progress` says so. */
lbResult lb_solve_boundary(const lbBoundary* boundary, const lbBoundarySettings* settings,
                           lbBoundarySolution* solution);
void lb_free_boundary_solution(lbBoundarySolution* solution);

/* How point i moves (free, m) or what traction holds it (held, Pa) for a traction of 1 Pa along each axis at free point
 * j and falling to nothing towards its neighbours: row by row. */
void lb_boundary_compliance(const lbBoundarySolution* solution, int i, int j, double block[9]);
/* The same for a load: displacement of a free point, traction of a held one. */
lbVec3d lb_boundary_answer(const lbBoundarySolution* solution, int load, int i);

/* L p - K u for displacements of all points and tractions at all corners, m, (pointCount x 3): nothing, where they go
 * together. */
lbResult lb_boundary_residual(const lbBoundary* boundary, const lbBoundaryLoad* load, lbTasks* tasks, double* residual);

#endif
