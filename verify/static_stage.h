/* A block of cells, bent into shape by a map, alone in a world without gravity: what the checks of static equilibrium
 * hold, pull and press. Nodes are known by their numbers in the mesh, and by where they were in the block: parameters
 * 0 to 1 along three axes. */
#ifndef LIMBER_VERIFY_STATIC_STAGE_H
#define LIMBER_VERIFY_STATIC_STAGE_H

#include "base/math.h"
#include "limber/limber.h"

/* From parameters (0 to 1 each) to a place, m; keeps volumes positive. `self`: what the map needs. */
typedef lbVec3d lbBlockMap(const void* self, lbVec3d parameter);

typedef struct lbStaticDef {
    int cells[3];
    lbBlockMap* map;
    const void* self;
    lbLawKind law;
    double E, nu;     /* Pa */
    double tolerance; /* of equilibrium */
    double shake;     /* of a cell: inner nodes are moved at random by as much; 0: not at all */
    int zoneCount;
    const lbZone* zones;
} lbStaticDef;

/* E = 1 MPa, nu = 0.3, tolerance 1e-8. */
lbStaticDef lb_default_static(lbLawKind law, int x, int y, int z, lbBlockMap* map, const void* self);

typedef struct lbStaticStage {
    lbStaticDef def;
    lbWorld* world;
    lbBodyId body;
    int count;          /* of nodes */
    lbVec3d* parameter; /* (count) by number, as all that follows */
    lbVec3d* rest;      /* (count) m */
    lbVec3d* moved;     /* (count) m, displacements, by lb_settle_stage */
    int* list;          /* (count) scratch */
    lbEquilibriumReport report;
} lbStaticStage;

lbResult lb_create_stage(const lbStaticDef* def, lbStaticStage* stage);
void lb_destroy_stage(lbStaticStage* stage);

/* The nodes of a face: parameter `axis` is `end`, 0 or 1. */
lbRegion lb_face(lbStaticStage* stage, int axis, int end, lbRegionPart part);
lbResult lb_hold_region(lbStaticStage* stage, lbRegion region, unsigned axes, lbPinId* pin);
lbResult lb_hold_face(lbStaticStage* stage, int axis, int end, unsigned axes, lbPinId* pin); /* pin may be NULL */
/* A plane through the origin with this normal, along which the face may slide. */
lbResult lb_slide_face(lbStaticStage* stage, int axis, int end, lbVec3 normal);
/* All of `load` but its body and region. */
lbResult lb_load_face(lbStaticStage* stage, int axis, int end, const lbLoadDef* load);

/* Finds the equilibrium, and reads displacements. */
lbResult lb_settle_stage(lbStaticStage* stage);

/* The mean displacement of a face's nodes, each counted alike, m. */
lbVec3d lb_face_displacement(const lbStaticStage* stage, int axis, int end);
/* That of the node nearest to these parameters. */
lbVec3d lb_node_displacement(const lbStaticStage* stage, lbVec3d parameter);

#endif
