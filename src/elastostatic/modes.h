/* Modes of a body: its displacements for a unit of each of the twelve numbers of each control, for unit gravity along
 * each axis, and for each load (Klimenko, Nikitina and Nikitin, section 2.2):
 *
 *   K_nn u_n = -K_nb u_b + f
 *
 * and the forces that hold the controls, K_bn u_n + K_bb u_b - f_b. Modes are solved in blocks, so that memory does not
 * grow with their number. */
#ifndef LIMBER_SRC_MODES_H
#define LIMBER_SRC_MODES_H

#include "elastostatic/elastostatic.h"
#include "elastostatic/static_solver.h"

enum { lb_modeBlock = 64 };

typedef struct lbModeSystem {
    const lbPrecomputeDef* def;
    const lbHost* host;
    lbTasks* tasks;
    const lbStiffness* stiffness;
    lbStaticSolver* solver;
    const int* owner; /* (nodeCount) control of each node, or -1 */
    lbVec3d* centers; /* (controlCount) */
    int modeCount;
} lbModeSystem;

/* Modes first <= k < first + count, solved. Vectors are (nodeCount x 3 x count). */
typedef struct lbModes {
    int first, count;
    double* u;       /* displacements, m */
    double* f;       /* forces from outside on all nodes, N */
    double* k;       /* K u, N */
    double* scratch; /* (nodeCount x 2 x count): the second half holds pressures of averaged volumes, Pa */
    double *r, *d;   /* residual and correction */
    double residual; /* largest |K u - f| over free nodes / the same before anything was solved */
} lbModes;

lbResult lb_reserve_modes(const lbModeSystem* system, int count, lbModes* modes);
void lb_release_modes(const lbHost* host, lbModes* modes);
lbResult lb_solve_modes(const lbModeSystem* system, int first, int count, lbModes* modes);

/* What a mode gives component c of a node: its displacement if the node is held, m, and the force on it, N. */
double lb_given_displacement(const lbModeSystem* system, int mode, int node, int c);
double lb_given_force(const lbModeSystem* system, int mode, int node, int c);

/* Adds columns `first`... to reaction (12 controlCount x modeCount), and rows to work (modeCount x (3 + loadCount)). */
void lb_measure_modes(const lbModeSystem* system, const lbModes* modes, double* reaction, double* work);

/* Largest over smallest eigenvalue of K_nn, by power iterations on it and on its inverse. */
lbResult lb_estimate_condition(const lbModeSystem* system, double* condition);

/* ---- Definitions (precompute.c) ---- */

lbResult lb_check_precompute(const lbPrecomputeDef* def);
/* What every element is made of, (tetCount): the material, what the mesh's file says of it, zones, or its own. */
lbResult lb_precompute_matter(const lbPrecomputeDef* def, lbMatter* matter);

/* ---- Packing (pack_basis.c) ---- */

typedef struct lbBasisPacker {
    const lbModeSystem* system;
    const int* points; /* (pointCount) nodes of the surface */
    int pointCount;
    unsigned char* image; /* laid out, header in place */
    double error;         /* largest rounding so far, of a mode's largest displacement */
} lbBasisPacker;

lbResult lb_pack_modes(lbBasisPacker* packer, const lbModes* modes);

#endif
