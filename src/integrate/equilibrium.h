/* Static equilibrium: positions at which no force is left. */
#ifndef LIMBER_SRC_EQUILIBRIUM_H
#define LIMBER_SRC_EQUILIBRIUM_H

#include "integrate/theta.h"

enum { lb_equilibriumVectors = 8 + lb_tangentVectors };

/* Moves system->x to an equilibrium; velocities take no part. `applied`: what forces are compared with, N: the
 * Euclidean norm of those from outside over all nodes; 0: the forces at the start. False if none was found: x is then
 * where the search ended. Needs lb_equilibriumVectors node vectors of scratch, and lb_grid_bytes. */
bool lb_find_equilibrium(const lbSystem* system, double time, double applied, const lbEquilibriumDef* def,
                         lbEquilibriumReport* report);

#endif
