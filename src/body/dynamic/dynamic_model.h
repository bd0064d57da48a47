/* The model of a dynamic body: nodes, a mesh between them, and force laws. */
#ifndef LIMBER_SRC_DYNAMIC_MODEL_H
#define LIMBER_SRC_DYNAMIC_MODEL_H

#include "body/model.h"
#include "law/instance.h"
#include "skin/skin.h"

/* No motion is faster, and none is damped faster, than this. */
typedef struct lbMotionBound {
    double frequency; /* rad/s */
    double damping;   /* 1/s */
} lbMotionBound;

typedef struct lbDynamicModel {
    lbModel base;
    lbMesh mesh; /* kept, so that another material can be baked */
    lbMeshDef meshDef;
    lbMaterial material;
    lbLawDef lawDef;
    lbPenaltyDef penalty;
    float nodeMass; /* kg of every node; 0: from the density */
    int zoneCount;
    lbZone* zones;           /* (zoneCount) */
    lbMatter* elementMatter; /* (tetCount) as given, or NULL */
    int nodeCount, springCount, tetCount;
    float* rest;        /* (nodeCount x 4) m */
    float* mass;        /* (nodeCount) kg */
    float* inverseMass; /* (nodeCount) 1/kg */
    double totalMass;   /* kg */
    lbVec3 center;      /* m, centre of mass at rest */

    lbSkin skin; /* the mesh's */

    int lawCount;
    lbLawInstance* laws;                   /* (lawCount) the law itself first, then what is added to it */
    lbMotionBound bound;                   /* near rest */
    struct lbRestCompliances* compliances; /* of the material; NULL until a small implicit body is touched */
    struct lbAssembly* assembly;           /* for implicit bodies; NULL until the first of them (assembly.h) */
    struct lbBlockPattern* emptyPattern;   /* for those that solve element by element; NULL until the first */
} lbDynamicModel;

lbResult lb_create_dynamic_model(const lbHost* host, const lbModelDef* def, lbModel** model);

/* Bakes what was left for later: matrices refer to the places of all elements, of idle laws too. */
lbResult lb_bake_idle_laws(lbDynamicModel* model);

/* The bound for positions x; `activation` is that of the first law, or NULL. `blocks` is scratch: (nodeCount x
 * lb_boundNumbers). */
enum { lb_boundNumbers = 12 + 4 * lb_sharedVectors };
lbMotionBound lb_bound_motion(const lbDynamicModel* model, const float* activation, const float* x, float* blocks);

#endif
