/* What all kinds that were precomputed (elastostatic, compliant) answer alike: they have a surface, no integrator, and
 * are in equilibrium always. */
#ifndef LIMBER_SRC_PRECOMPUTED_H
#define LIMBER_SRC_PRECOMPUTED_H

#include "body/body.h"

/* Of models. */
lbResult lb_refuse_material(lbModel* model, const lbMaterial* material);
lbResult lb_list_no_edges(const lbModel* model, int* edges, int capacity, int* count);

/* Of bodies. */
lbResult lb_refuse_integrator(lbBody* body, lbIntegratorKind kind, const lbIntegratorSettings* settings);
int lb_count_none_inverted(const lbBody* body, char* text, size_t room);
lbResult lb_be_in_equilibrium(lbBody* body, const double* prescribed, const lbEquilibriumDef* def,
                              lbEquilibriumReport* report);

#endif
