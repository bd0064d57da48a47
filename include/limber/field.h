/* Fields: what a body's surface can be coloured by. docs/fields.md has the equations. */
#ifndef LIMBER_FIELD_H
#define LIMBER_FIELD_H

#include "limber/base.h"
#include "limber/ids.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lbFieldKind {
    lb_fieldSpeed,        /* m/s: of the point. Every body has it */
    lb_fieldDisplacement, /* m: how far the point is from where it stood when the body was created. Every body has it */
    lb_fieldStrain,       /* 1: how much longer matter is than at rest; negative where it is shorter. Springs: the mean
                             of (l - L) / L over the springs around a place, L as muscles and prestrain have it */
    lb_fieldStress,       /* Pa: von Mises stress. Of laws of continua: springs have none */
    lb_fieldContactPressure, /* Pa: how hard others press on the surface, mean over the last frame */
    lb_fieldEnergyDensity,   /* J/m^3: elastic energy, penalties included, by the volume of matter at rest */
    lb_fieldLevel,           /* 1: which level of detail the surface follows, 0 the coarsest. Of adaptive bodies */
    lb_fieldAreaChange,      /* 1: relative change of the surface's area, the trace of its strain. Precomputed bodies */
    lb_fieldVolumeChange,    /* 1: relative change of volume at the surface. Precomputed bodies */
    lb_fieldFill,            /* 1: how much of its hexahedron is matter. Bodies of voxels */
    lb_fieldStiffness, /* Pa: how a hexahedron resists being stretched, mean of its three directions. Bodies of voxels
                        */
    lb_fieldKindCount
} lbFieldKind;

typedef struct lbFieldInfo {
    const char* name;        /* "energy-density" */
    const char* label;       /* "Energy density": for people */
    const char* unit;        /* "J/m^3"; "" for pure numbers */
    const char* description; /* one line, for people */
    bool diverging;          /* has a sign: to be shown about zero */
} lbFieldInfo;

/* All NULL for a kind that does not exist. */
LB_API lbFieldInfo lbFieldKind_GetInfo(lbFieldKind kind);
/* False if no kind has that name. */
LB_API bool lbFieldKind_FromName(const char* name, lbFieldKind* kind);

/* Whether this body, by its law, has such a field. False for a body that is gone. */
LB_API bool lbBody_HasField(const lbWorld* world, lbBodyId body, lbFieldKind kind);
/* Values at the skin points as the body is now: (skinPointCount). What laws measure in their elements is averaged at
 * the nodes by volume; a skin point takes the mean of the nodes that carry it, and never more than the most of them.
 * Allocates nothing. A field that the body does not have is an error. */
LB_API lbResult lbBody_GetField(const lbWorld* world, lbBodyId body, lbFieldKind kind, float* values);
/* The same inside, at the nodes: (nodeCount). Of what laws measure (strain, stress, energy density); all else is an
 * error. */
LB_API lbResult lbBody_GetNodeField(const lbWorld* world, lbBodyId body, lbFieldKind kind, float* values);

#ifdef __cplusplus
}
#endif

#endif
