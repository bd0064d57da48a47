/* What exists, in words for people and in data for programs: kinds with their labels, and every property of a scene
 * that a panel can offer. A panel that is built from this needs no knowledge of its own. */
#ifndef LIMBER_DESCRIBE_H
#define LIMBER_DESCRIBE_H

#include "limber/base.h"
#include "limber/body.h"
#include "limber/contact.h"
#include "limber/model.h"
#include "limber/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Kinds ------------------------------------------------------------------------------------------------------- */

/* All NULL for a kind that does not exist. */
typedef struct lbKindInfo {
    const char* name;        /* what scenes say: "tet-grid" */
    const char* label;       /* "Grid of tetrahedra" */
    const char* description; /* one line */
} lbKindInfo;

LB_API lbKindInfo lbShapeKind_GetInfo(lbShapeKind kind);
LB_API lbKindInfo lbMeshKind_GetInfo(lbMeshKind kind);
LB_API lbKindInfo lbLawKind_GetInfo(lbLawKind kind);
LB_API lbKindInfo lbIntegratorKind_GetInfo(lbIntegratorKind kind);
LB_API lbKindInfo lbToolKind_GetInfo(lbToolKind kind);

/* Whether a law can be used on such a mesh; lbCreateModel refuses it else. */
LB_API bool lbLawKind_WorksOn(lbLawKind law, lbMeshKind mesh);
/* Whether it solves with the tangent: stable at any step. */
LB_API bool lbIntegratorKind_IsImplicit(lbIntegratorKind kind);

/* ---- Properties -------------------------------------------------------------------------------------------------- */

typedef enum lbPropertyType {
    lb_propertyNumber,
    lb_propertyInteger,
    lb_propertyBoolean,
    lb_propertyChoice, /* one of lbProperty_GetChoice */
    lb_propertyVector, /* three numbers */
    lb_propertyTypeCount
} lbPropertyType;

typedef enum lbBodyKind {
    lb_bodyDynamic,      /* soft: of lb_modelDynamic */
    lb_bodyRigid,        /* of lb_modelRigid, free */
    lb_bodyGuided,       /* of lb_modelRigid, moved from outside */
    lb_bodyElastostatic, /* of lb_modelElastostatic */
    lb_bodyCompliant,    /* of lb_modelCompliant */
    lb_bodyKindCount
} lbBodyKind;

/* Their names are those of lbBody_GetKind. */
LB_API lbKindInfo lbBodyKind_GetInfo(lbBodyKind kind);

/* What a body is, as far as it decides which properties it has. */
typedef struct lbBodyKinds {
    lbBodyKind body; /* a rigid or guided one has no mesh, law or integrator: what stands there does not count */
    int shape;       /* an lbShapeKind, or lb_shapeKindCount: read from a file */
    lbMeshKind mesh;
    lbLawKind law;
    lbIntegratorKind integrator;
} lbBodyKinds;

/* One thing that a scene can say and a person may want to change. Strings live as long as the program. */
typedef struct lbPropertyInfo {
    const char* path; /* as in docs/scene.md, from the scene ("frameRate") or from a body ("material.density"). A path
                         may stand several times, for bodies of different kinds; at most one applies to a body. Where a
                         path goes through "mesh", "law" or "integrator", the scene reader wants their "kind" beside */
    bool ofBody;      /* the path is from a body */
    const char* label;
    const char* unit;        /* "" for none */
    const char* description; /* one line */
    const char* group;       /* properties of one group stand together: "Material" */
    lbPropertyType type;
    double minimum, maximum; /* what a control should offer; the scene reader takes at least these. Vectors: of each
                                number */
    int step;                /* lb_propertyInteger: only minimum + a multiple of it */
    bool logarithmic;        /* to be shown on a logarithmic scale: minimum > 0 */
    const char* zero; /* what 0 stands for where it may be given beside the range: "automatic"; NULL: nothing special */
    bool optional;    /* may be left out, which means something that no value says (the description tells) */
    bool live;        /* a running world can change it: lbModel_SetMaterial, lbBody_SetIntegrator and the like,
                         lbScene_SetGravity, ... Others need the scene to be built anew */
    int choiceCount;  /* lb_propertyChoice */
    /* Which bodies have it: bits of kinds, 1u << lb_meshCloth; 0: it does not depend on that. Of shapes the bit
     * lb_shapeKindCount is for those from a file. */
    uint32_t bodies, shapes, meshes, laws, integrators;
    /* Counts, and is accepted by the scene reader, only where this other property is set, to this choice if one is
     * named. NULL: always. */
    const char* beside;
    const char* besideChoice;
} lbPropertyInfo;

LB_API int lbGetPropertyCount(void);
/* In the order in which they are to be shown. NULL for an index out of range. */
LB_API const lbPropertyInfo* lbGetProperty(int index);

/* For properties that lbGetProperty gave. */

/* Whether bodies of these kinds have it; true for those of the scene. `beside` is not looked at. */
LB_API bool lbProperty_AppliesTo(const lbPropertyInfo* property, const lbBodyKinds* kinds);
/* What counts where the scene does not say: a number, 0 or 1, the index of a choice, or three numbers. Some depend on
 * the shape. Optional ones have none: NANs. `kinds` may be NULL for properties of the scene. */
LB_API void lbProperty_GetDefault(const lbPropertyInfo* property, const lbBodyKinds* kinds, double value[3]);
/* A choice, by index; all NULL for one that does not exist. The scene says its name. */
LB_API lbKindInfo lbProperty_GetChoice(const lbPropertyInfo* property, int index);

#ifdef __cplusplus
}
#endif

#endif
