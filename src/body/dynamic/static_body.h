/* A dynamic body in double, for its static equilibrium: forces, stiffness, what is held. */
#ifndef LIMBER_SRC_STATIC_BODY_H
#define LIMBER_SRC_STATIC_BODY_H

#include "body/dynamic/dynamic_body.h"
#include "integrate/equilibrium.h"
#include "law/precise.h"

typedef struct lbStaticBody {
    lbDynamicBody* body;
    int count;
    lbVec3d* rest;   /* (count) m, as placed */
    lbVec3d* turned; /* (count) or NULL, as in lbPreciseScope */
    double* outside; /* (count x 3) N, scratch */
    double* gained;  /* (2 x count) averages of volumes, and what they make: scratch; NULL without any */

    lbPreciseStiffness stiffness;
    lbFilteredNode* held; /* (heldCount) */
    lbPreciseSolver solver;

    /* A preconditioner in float32, from the body's own matrix and grids. */
    lbSystem system;
    lbTangentSystem tangent;
    lbLinearSystem linear;
    float *x, *r, *z; /* (count x 4) */
    const double* u;  /* where the stiffness was filled last */
    size_t used;      /* of the scratch, before it was prepared */
} lbStaticBody;

/* Enough for forces; lb_prepare_static_solver adds what a search needs. `scratch`: for the preconditioner, with room
 * for lb_static_scratch; body->matrix is there. */
lbResult lb_create_static_body(lbDynamicBody* body, lbStaticBody* made);
lbResult lb_prepare_static_solver(lbStaticBody* made, lbArena* scratch);
void lb_destroy_static_body(lbStaticBody* made);
size_t lb_static_scratch(const lbDynamicBody* body);

/* Displacements (count x 3) of the nodes from where they stood when the body was placed: of an equilibrium that was
 * found and not left since in all its digits, else as float32 positions have them. Returns whether all are of an
 * equilibrium. */
bool lb_read_displacements(const lbStaticBody* made, double* u);

/* Forces on the nodes, N: laws, weight, loads, pressure, wind. */
void lb_static_forces(lbStaticBody* made, const double* u, double share, double* f);
/* Of these, those from outside, times `share`: added to f. */
void lb_add_outside_forces(const lbStaticBody* made, const double* u, double share, double* f);

/* As lbStaticSystem has them, of an lbStaticBody. */
void lb_static_force_of(void* self, const double* u, double share, double* f);
void lb_static_stiffness_of(void* self, const double* u, double share, lbTangentKind kind);
void lb_static_keep_whole(void* self, const double* u, double* d);
double lb_static_applied_of(void* self, const double* u);

/* static_surface.c: pressure and wind; and minus the derivative of pressure, as far as it is symmetric: it wholly is
 * where the surface that is pressed on is closed or its rim is held. */
void lb_add_static_surface_forces(const lbStaticBody* made, const double* u, double share, double* f);
void lb_add_pressure_stiffness(const lbStaticBody* made, const double* u, double share);

#endif
