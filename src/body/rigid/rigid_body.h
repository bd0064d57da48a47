/* Bodies of rigid models: the kind *rigid*, which moves by what touches it, and the kind *guided*, which moves as it is
 * told. */
#ifndef LIMBER_SRC_RIGID_BODY_H
#define LIMBER_SRC_RIGID_BODY_H

#include "body/body.h"

/* Fails if the model has no mass. */
lbResult lb_create_rigid_body(const lbHost* host, lbModel* model, const lbBodyDef* def, lbBody** body);
lbResult lb_create_guided_body(const lbHost* host, lbModel* model, const lbBodyDef* def, lbBody** body);

/* What neither kind has. */
lbResult lb_rigid_refuse_equilibrium(lbBody* body, const double* prescribed, const lbEquilibriumDef* def,
                                     lbEquilibriumReport* report);
bool lb_rigid_has_field(const lbBody* body, lbFieldKind kind);
void lb_rigid_measure_field(lbBody* body, lbFieldKind kind, float* values);
int lb_rigid_count_inverted(const lbBody* body, char* text, size_t room);
int lb_rigid_count_steps(lbBody* body, double dt);
double lb_rigid_stable_step(lbBody* body);
bool lb_rigid_is_implicit(const lbBody* body);
void lb_rigid_project(lbBody* body, float* p);

#endif
