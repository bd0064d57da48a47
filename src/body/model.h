/* A model: what is simulated inside a shape, baked once and shared by bodies. Constant after lb_create_model, but for
 * its material. */
#ifndef LIMBER_SRC_MODEL_H
#define LIMBER_SRC_MODEL_H

#include "law/instance.h"
#include "skin/skin.h"

/* No motion is faster, and none is damped faster, than this. */
typedef struct lbMotionBound {
    double frequency; /* rad/s */
    double damping;   /* 1/s */
} lbMotionBound;

typedef struct lbModel {
    const lbHost* host;
    lbShape* shape; /* what bodies show, in the model's own coordinates */
    lbMesh mesh;    /* kept, so that another material can be baked */
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
    float size;         /* m, diagonal of the nodes' box at rest */

    lbSkin skin;      /* the mesh's */
    float* skinAreas; /* (skin.pointCount) m^2 of surface that a skin point stands for; 0: no triangle uses it */

    int lawCount;
    lbLawInstance* laws;         /* (lawCount) the law itself first, then what is added to it */
    lbMotionBound bound;         /* near rest */
    int userCount;               /* bodies */
    struct lbAssembly* assembly; /* for implicit bodies; NULL until the first of them (body/assembly.h) */
} lbModel;

lbResult lb_create_model(const lbHost* host, const lbModelDef* def, lbModel** model);
void lb_destroy_model(lbModel* model);

/* What the model was made from; the shape is its own. */
lbModelDef lb_model_def(const lbModel* model);
/* Bakes masses and laws anew. The places of elements in their batches stay, and so does what refers to them: muscles,
 * matrices. On failure the model is unchanged. */
lbResult lb_set_material(lbModel* model, const lbMaterial* material);
/* Bakes what was left for later: matrices refer to the places of all elements, of idle laws too. */
lbResult lb_bake_idle_laws(lbModel* model);

/* The bound for positions x; `activation` is that of the first law, or NULL. `blocks` is scratch: (nodeCount x
 * lb_boundNumbers). */
enum { lb_boundNumbers = 12 + 4 * lb_sharedVectors };
lbMotionBound lb_bound_motion(const lbModel* model, const float* activation, const float* x, float* blocks);

#endif
