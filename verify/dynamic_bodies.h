/* Dynamic models and bodies without a world, as what they are rather than as models and bodies of any kind. */
#ifndef LIMBER_VERIFY_DYNAMIC_BODIES_H
#define LIMBER_VERIFY_DYNAMIC_BODIES_H

#include "body/dynamic/dynamic_body.h"

/* NULL on failure. */
static inline lbResult lb_make_dynamic_model(const lbHost* host, const lbModelDef* def, lbDynamicModel** model) {
    lbModel* base = NULL;
    lbResult result = lb_create_model(host, def, &base);
    *model = (lbDynamicModel*)base;
    return result;
}

/* NULL on failure. */
static inline lbResult lb_make_dynamic_body(const lbHost* host, lbTasks* tasks, lbDynamicModel* model,
                                            const lbBodyDef* def, lbDynamicBody** body) {
    lbBody* base = NULL;
    lbResult result = lb_create_body(host, tasks, &model->base, def, &base);
    *body = lb_dynamic(base);
    return result;
}

static inline void lb_destroy_dynamic_model(lbDynamicModel* model) {
    lb_destroy_model(model != NULL ? &model->base : NULL);
}
static inline void lb_destroy_dynamic_body(lbDynamicBody* body) {
    lb_destroy_body(body != NULL ? &body->base : NULL);
}

#endif
