/* A precomputed body's model: what was precomputed, and its surface. */
#ifndef LIMBER_SRC_ELASTOSTATIC_MODEL_H
#define LIMBER_SRC_ELASTOSTATIC_MODEL_H

#include "body/model.h"
#include "elastostatic/elastostatic.h"

typedef struct lbElastostaticModel {
    lbModel base;
    lbElastostatic* data;
} lbElastostaticModel;

lbResult lb_create_elastostatic_model(const lbHost* host, const lbModelDef* def, lbModel** model);

#endif
