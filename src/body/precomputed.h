/* What all kinds that were precomputed (elastostatic, compliant) answer alike: they have a surface, no integrator, and
 * are in equilibrium always. */
#ifndef LIMBER_SRC_PRECOMPUTED_H
#define LIMBER_SRC_PRECOMPUTED_H

#include "body/body.h"

/* Of models. */
lbResult lb_refuse_material(lbModel* model, const lbMaterial* material);
lbResult lb_list_no_edges(const lbModel* model, int* edges, int capacity, int* count);
/* The surface that was kept. */
lbResult lb_make_kept_shape(const lbHost* host, const float* points, int pointCount, const int* triangles,
                            int triangleCount, lbShape** shape);

/* Of bodies. */
int lb_count_none_inverted(const lbBody* body, char* text, size_t room);
lbResult lb_be_in_equilibrium(lbBody* body, const double* prescribed, const lbEquilibriumDef* def,
                              lbEquilibriumReport* report);
/* In velocity space: steps are no linear systems, and what is held keeps it from moving as a whole. */
bool lb_is_never_implicit(const lbBody* body);
void lb_end_no_block(lbBody* body);
void lb_reduce_nothing(lbBody* body, const lbBlock* block, const float* r, double whole[6]);
void lb_expand_nothing(lbBody* body, const lbBlock* block, const double whole[6], float* z);

#endif
