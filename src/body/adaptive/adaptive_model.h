/* The model of an adaptive body: a dynamic model for each level, and the links between them. */
#ifndef LIMBER_SRC_ADAPTIVE_MODEL_H
#define LIMBER_SRC_ADAPTIVE_MODEL_H

#include "adapt/scopes.h"
#include "body/dynamic/dynamic_model.h"

typedef struct lbAdaptiveModel {
    lbModel base;
    lbMeshDef meshDef;
    int levelCount;
    lbDynamicModel*
        levels[lb_mostLevels]; /* coarse to fine; each with its mesh, its laws and how the skin hangs on it */
    lbLawInstance byElements[lb_mostLevels]; /* where a level's own law has no parts: the same by elements */
    lbHierarchy hierarchy;
    lbLevelElements elements[lb_mostLevels];
    double* bakedMass; /* (nodeCount) kg, of nodes where all finer ones are covered */
    double totalMass;  /* kg */
    int bakedCount;    /* how often the material was changed: bodies then weigh and pack anew */
} lbAdaptiveModel;

lbResult lb_create_adaptive_model(const lbHost* host, const lbModelDef* def, lbModel** model);

static inline const lbDynamicModel* lb_finest_level(const lbAdaptiveModel* model) {
    return model->levels[model->levelCount - 1];
}

#endif
