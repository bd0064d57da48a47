/* Handles of what is in a world. */
#ifndef LIMBER_IDS_H
#define LIMBER_IDS_H

#include "limber/base.h"

typedef struct lbWorld lbWorld; /* limber/world.h */

/* A zeroed one is null; one whose object is gone is recognised and refused, never followed. */
typedef struct lbModelId {
    int32_t index1;
    uint32_t generation;
} lbModelId;
typedef struct lbBodyId {
    int32_t index1;
    uint32_t generation;
} lbBodyId;
typedef lbBodyId lbToolId; /* tools are guided bodies */
typedef struct lbPinId {
    int32_t index1;
    uint32_t generation;
} lbPinId;
typedef struct lbMuscleId {
    int32_t index1;
    uint32_t generation;
} lbMuscleId;
typedef struct lbLoadId {
    int32_t index1;
    uint32_t generation;
} lbLoadId;
typedef struct lbGrabId {
    int32_t index1;
    uint32_t generation;
} lbGrabId;
typedef struct lbAttachmentId {
    int32_t index1;
    uint32_t generation;
} lbAttachmentId;

#endif
