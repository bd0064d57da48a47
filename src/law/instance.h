/* A law on the elements of one mesh: what models and bodies hold a list of. */
#ifndef LIMBER_SRC_LAW_INSTANCE_H
#define LIMBER_SRC_LAW_INSTANCE_H

#include "base/tasks.h"
#include "law/law.h"

typedef struct lbLawInstance {
    const lbLaw* law;
    void* elements;
    lbPlan plan;
} lbLawInstance;

lbResult lb_bake_law(const lbLaw* law, const lbMesh* mesh, const lbModelDef* def, lbLawInstance* instance);
void lb_release_law(const lbHost* host, lbLawInstance* instance);

/* Every batch, at rest as it was baked. */
lbScope lb_whole_scope(const lbLawInstance* instance, lbRange* range);

/* For all elements, phase by phase, on as many threads as there are. `activation` as in lbScope, may be NULL. */

/* Adds forces. */
void lb_add_law_forces(const lbLawInstance* instance, lbTasks* tasks, const float* activation, lbMoment moment,
                       const float* x, const float* v, float* f);
/* y += (a dF/dx + b dF/dv) p. */
void lb_add_law_tangent(const lbLawInstance* instance, lbTasks* tasks, const float* activation, const float* x, float a,
                        float b, const float* p, float* y);
double lb_law_energy(const lbLawInstance* instance, const float* activation, const float* x);

#endif
