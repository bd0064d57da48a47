/* A law on the elements of one mesh: what models and bodies hold a list of. */
#ifndef LIMBER_SRC_LAW_INSTANCE_H
#define LIMBER_SRC_LAW_INSTANCE_H

#include "base/tasks.h"
#include "law/law.h"

typedef struct lbLawInstance {
    const lbLaw* law;
    void* elements; /* NULL: idle, and not baked as yet */
    lbPlan plan;
    bool idle; /* the material leaves it nothing to do: all that follows passes it over, until another wakes it */
    int nodeCount;
    float* shared; /* (lb_sharedVectors x nodeCount x 4) scratch of laws that collect; NULL in the model's own, which
                      bodies share: who evaluates such a law brings it (lb_law_with) */
} lbLawInstance;

lbResult lb_bake_law(const lbLaw* law, const lbMesh* mesh, const lbModelDef* def, lbLawInstance* instance);
/* The same, but leaves the elements of an idle law for later: a law that sleeps takes neither time nor memory. */
lbResult lb_bake_law_unless_idle(const lbLaw* law, const lbMesh* mesh, const lbModelDef* def, lbLawInstance* instance);
void lb_release_law(const lbHost* host, lbLawInstance* instance);

static inline lbLawInstance lb_law_with(const lbLawInstance* instance, float* shared) {
    lbLawInstance with = *instance;
    with.shared = shared;
    return with;
}

/* Every batch, at rest as it was baked. */
lbScope lb_whole_scope(const lbLawInstance* instance, lbRange* range);

/* For all elements, phase by phase, on as many threads as there are. `activation` as in lbScope, may be NULL. */

/* The rounds before the last, for laws that collect (law.h); nothing for others. v and p may be NULL. */
void lb_collect_law(const lbLawInstance* instance, lbTasks* tasks, const float* x, const float* v, const float* p);

/* Adds forces. */
void lb_add_law_forces(const lbLawInstance* instance, lbTasks* tasks, const float* activation, lbMoment moment,
                       const float* x, const float* v, float* f);
/* Of a law that has `forceBeside`, and of one that has `beside`, on the same elements, neither of them idle: in one
 * loop where that is possible. */
void lb_add_forces_together(const lbLawInstance* instance, const lbLawInstance* averages, lbTasks* tasks,
                            const float* activation, lbMoment moment, const float* x, const float* v, float* f);
static inline bool lb_go_together(const lbLawInstance* instance, const lbLawInstance* averages) {
    return instance->law->forceBeside != NULL && averages->law->beside != NULL && !instance->idle && !averages->idle;
}
/* y += (a dF/dx + b dF/dv) p. */
void lb_add_law_tangent(const lbLawInstance* instance, lbTasks* tasks, const float* activation, const float* x, float a,
                        float b, const float* p, float* y);
/* As lbLaw.turn and lbLaw.product; of p in double, where `precise` is not NULL. */
void lb_turn_law(const lbLawInstance* instance, lbTasks* tasks, const float* x, float a, float b, float* frames,
                 float* first, float* second);
void lb_add_law_product(const lbLawInstance* instance, lbTasks* tasks, const float* frames, float a, float b,
                        const float* p, const double* precise, float* q);
double lb_law_energy(const lbLawInstance* instance, const float* activation, const float* x);
/* As lbLaw.bound. */
void lb_bound_law(const lbLawInstance* instance, const float* activation, const float* x, float* stiffness,
                  float* damping);

#endif
