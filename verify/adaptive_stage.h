/* Adaptive bodies to be verified, in a world or without one. */
#ifndef LIMBER_VERIFY_ADAPTIVE_STAGE_H
#define LIMBER_VERIFY_ADAPTIVE_STAGE_H

#include "body/adaptive/adaptive_body.h"
#include "limber/limber.h"

/* Meshes of a box in cells of `edge`, `edge` / 2, ...: nodes inside are moved about, so that levels share no places but
 * those of the surface. */
lbResult lb_make_box_levels(lbVec3 size, double edge, int levels, lbTetMesh** meshes);
lbResult lb_make_box_mesh(lbVec3 size, double edge, unsigned seed, lbTetMesh** mesh);
void lb_destroy_levels(lbTetMesh** meshes, int levels);

/* What a body is, and which nodes are active at first. */
typedef struct lbAdaptiveStageDef {
    lbVec3 size; /* m */
    double edge; /* m, of the coarsest level */
    int levels;
    lbLawKind law;
    lbLinearBoundary boundary;
    lbMaterial material;
    lbVec3 gravity;
    lbDetailDef detail; /* thresholds that are infinite leave the active set as it is */
    int stepCount;
    lbVec3 velocity, angularVelocity;
    int threads;
} lbAdaptiveStageDef;

lbAdaptiveStageDef
lb_default_adaptive_stage(void); /* a cube of 1 m, three levels from a quarter of it, never changing */

typedef struct lbAdaptiveStage {
    lbWorld* world;
    lbModelId model;
    lbBodyId id;
    lbAdaptiveBody* body; /* the same, inside */
} lbAdaptiveStage;

lbResult lb_create_adaptive_stage(const lbAdaptiveStageDef* def, lbAdaptiveStage* stage);
/* A plain body of one of the levels, or of any mesh: `body` is NULL. */
lbResult lb_create_plain_stage(const lbAdaptiveStageDef* def, const lbTetMesh* mesh, lbAdaptiveStage* stage);
void lb_destroy_adaptive_stage(lbAdaptiveStage* stage);

/* Makes nodes of a stage active: all of one level, or finer wherever `finer` says so of a place at rest. */
void lb_activate_stage_level(lbAdaptiveStage* stage, int level);
typedef int lbWantedLevel(lbVec3 place);
void lb_refine_stage(lbAdaptiveStage* stage, lbWantedLevel* wanted);

/* Holds the face of least x. */
lbResult lb_hold_wall(lbAdaptiveStage* stage, lbVec3 size, lbPinId* pin);

/* A generator of numbers from 0 to 1, the same everywhere. */
double lb_stage_random(uint64_t* state);

#endif
