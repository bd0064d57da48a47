/* Bodies that answer at once: linear elastic bodies whose response to what moves them is solved once, by finite
 * elements, and combined each frame. Few *controls*, groups of nodes that move by an affine map, move such a body.
 * docs/elastostatic.md has the equations. SI units: m, kg, s, N, Pa. */
#ifndef LIMBER_ELASTOSTATIC_H
#define LIMBER_ELASTOSTATIC_H

#include "limber/base.h"
#include "limber/field.h"
#include "limber/ids.h"
#include "limber/model.h"
#include "limber/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Precomputation ---------------------------------------------------------------------------------------------- */

/* Nodes that move together: node at X goes to C + T + A (X - C), C their mean place, so that displacements are
 * T + M (X - C) with M = A - I: twelve numbers. */
typedef struct lbControlDef {
    const char* name;
    int nodeCount;
    const int* nodes; /* (nodeCount) of the mesh, each in one control at most */
    bool fixed;       /* stays where it is, and takes part in the average rotation. Its nodes may lie in a plane or on a
                         line; those of others may not */
} lbControlDef;

/* A load that a body of the model can carry any multiple of: forces on nodes. */
typedef struct lbModeLoad {
    const char* name;
    const double* forces; /* (pointCount x 3) N, of all points of the mesh */
} lbModeLoad;

typedef enum lbStaticSolverKind {
    lb_staticSolverAutomatic, /* direct where this build has MUMPS, else iterative */
    lb_staticSolverDirect,    /* one factorisation, by MUMPS */
    lb_staticSolverIterative, /* conjugate gradients: little memory, slower where many right-hand sides are */
    lb_staticSolverKindCount
} lbStaticSolverKind;

/* "automatic", "mumps", "cg". NULL for a kind that does not exist; false for a name that none has. */
LB_API const char* lbStaticSolverKind_GetName(lbStaticSolverKind kind);
LB_API bool lbStaticSolverKind_FromName(const char* name, lbStaticSolverKind* kind);

typedef enum lbBasisPrecision {
    lb_basisFloat32, /* 4 bytes a number: rounds to 6e-8 */
    lb_basisFloat16, /* 2 bytes: rounds to 5e-4 of the largest displacement of each mode */
} lbBasisPrecision;

/* Told how far a precomputation is; false: stop it. */
typedef bool lbProgressFn(void* user, const char* stage, double share);

struct lbPrecomputeWork;

typedef struct lbPrecomputeDef {
    const lbTetMesh* mesh;
    lbMaterial material; /* density, E and nu count, where the mesh says nothing (lbTetMesh_GetMatter) */
    int zoneCount;
    const lbZone* zones;             /* (zoneCount) parts of other matter; where they overlap the later one counts */
    const lbMatter* elementMatter;   /* (tetCount) of the mesh, counts above zones; NULL: none */
    lbIncompressible incompressible; /* default lb_incompressibleAveraged, as laws on tetrahedra */
    int controlCount;
    const lbControlDef* controls; /* (controlCount) one at least */
    int loadCount;
    const lbModeLoad* loads; /* (loadCount) */
    const bool* hidden;      /* (pointCount) optional: triangles of the surface all of whose corners are hidden are
                                left out */
    bool strain, stress;     /* with bases of their own, for fields inside the matter at the surface; default false */
    lbBasisPrecision precision; /* default lb_basisFloat32 */
    lbStaticSolverKind solver;  /* default lb_staticSolverAutomatic */
    /* For programs that assemble and solve on several machines (limber-precompute-mpi): in place of all that comes
     * after the checks; it may leave the model to another of its processes, and none is made then. NULL: here. */
    lbResult (*solveElsewhere)(struct lbPrecomputeWork* work);
    double tolerance;       /* of iterations and refinement; default 1e-10 */
    double byteLimit;       /* memory that may be taken; 0: what the machine has */
    int threadCount;        /* 0: one for each processor */
    lbProgressFn* progress; /* may be NULL */
    void* progressUser;
    const lbHost* host;
    uint32_t cookie; /* set by lbDefaultPrecomputeDef() */
} lbPrecomputeDef;

typedef struct lbPrecomputeReport {
    char solver[64]; /* what solved it: "MUMPS 5.5.1" */
    int nodeCount, tetCount, freeNodeCount, surfacePointCount, modeCount;
    double assembleSeconds, factorSeconds, solveSeconds, totalSeconds;
    double estimatedBytes; /* of the solver, before it took them */
    double peakBytes;      /* of matrix, solver and vectors together */
    double residual;       /* largest |K u - f| / |f| of all modes, after refinement */
    double condition;      /* estimate of the condition number of K_nn, 2-norm */
    double asymmetry;      /* of the reaction matrix, relative to its largest entry: 0 by Betti's theorem */
    int iterations;        /* of conjugate gradients; 0: direct */
    double basisError;     /* largest rounding of the basis: of a mode's largest displacement */
} lbPrecomputeReport;

/* A precomputed response. Constant: any number of threads may read it. */
typedef struct lbElastostatic lbElastostatic;

LB_API lbPrecomputeDef lbDefaultPrecomputeDef(void);
/* Takes long. Fails, naming what and where, on controls that share nodes or are too few to be moved, on parts that
 * nothing holds (and says which rigid motions they are free to make), and when memory would not do. `report` may be
 * NULL. */
LB_API lbResult lbPrecompute(const lbPrecomputeDef* def, lbElastostatic** made, lbPrecomputeReport* report);
LB_API void lbDestroyElastostatic(lbElastostatic* made); /* NULL is fine; bodies that use it keep it */

/* One file: versioned, checksummed, read in place. Written whole or not at all. */
LB_API lbResult lbElastostatic_Save(const lbElastostatic* made, const char* path);
/* Fails on a file that is truncated, damaged, of another version or of another byte order. */
LB_API lbResult lbOpenElastostatic(const char* path, const lbHost* host, lbElastostatic** made);
/* The basis as morph targets of a glTF file (.glb): any viewer plays it. Weights are the coefficients, in m for T,
 * 1 for M, m/s^2 for gravity. */
LB_API lbResult lbElastostatic_ExportMorphs(const lbElastostatic* made, const char* path);

/* ---- What is in it ----------------------------------------------------------------------------------------------- */

LB_API int lbElastostatic_GetControlCount(const lbElastostatic* made);
LB_API const char* lbElastostatic_GetControlName(const lbElastostatic* made, int control);
LB_API bool lbElastostatic_IsControlFixed(const lbElastostatic* made, int control);
LB_API lbVec3 lbElastostatic_GetControlCenter(const lbElastostatic* made, int control); /* m */
LB_API int lbElastostatic_GetLoadCount(const lbElastostatic* made);
LB_API const char* lbElastostatic_GetLoadName(const lbElastostatic* made, int load);
/* 12 for each control (T, then M row by row), gravity along x, y, z, then loads. */
LB_API int lbElastostatic_GetModeCount(const lbElastostatic* made);
LB_API int lbElastostatic_GetPointCount(const lbElastostatic* made); /* of the surface */
LB_API const float* lbElastostatic_GetRestPoints(const lbElastostatic* made);
LB_API int lbElastostatic_GetTriangleCount(const lbElastostatic* made);
LB_API const int* lbElastostatic_GetTriangles(const lbElastostatic* made);
LB_API size_t lbElastostatic_GetFileSize(const lbElastostatic* made); /* bytes, as a file */
/* m for each unit of the mode's coefficient: (pointCount x 3). */
LB_API lbResult lbElastostatic_GetMode(const lbElastostatic* made, int mode, float* displacements);

/* ---- Without a world: from any thread ---------------------------------------------------------------------------- */

/* Generalised forces that hold the controls, (12 x controlCount): on T the force, N; on M (row by row) the moments
 * sum of f_i (X - C)_j, N m. Allocates nothing; about a microsecond. `coefficients` (modeCount). */
LB_API void lbReaction_Evaluate(const lbElastostatic* made, const double* coefficients, double* forces);
/* Force and torque (about its centre, N m) of one control, read off these. */
LB_API void lbReaction_Read(const double* forces, int control, lbVec3* force, lbVec3* torque);

/* Where the surface is: rest + sum of coefficients times modes; (pointCount x 3). Allocates nothing. */
LB_API void lbElastostatic_Evaluate(const lbElastostatic* made, const float* coefficients, float* positions);
/* Unit normals of the points of a surface like the model's. */
LB_API void lbElastostatic_Normals(const lbElastostatic* made, const float* positions, float* normals);

/* ---- Bodies of a model ------------------------------------------------------------------------------------------- */

/* Where a control is: its centre goes to C + translation, and matter around it by the matrix (A, row by row). */
typedef struct lbControlPose {
    lbVec3 translation; /* m */
    float matrix[9];    /* default the identity */
} lbControlPose;

typedef enum lbRefusal {
    lb_refusalNone,
    lb_refusalStrain,   /* some matter would be strained too much */
    lb_refusalStretch,  /* a control would be scaled too much */
    lb_refusalAngle,    /* two controls would be turned too far against each other */
    lb_refusalSingular, /* the controls' rotations have no mean: they lie half a turn apart */
    lb_refusalCount
} lbRefusal;

/* "none", "strain", "stretch", "angle", "singular". */
LB_API const char* lbRefusal_GetName(lbRefusal refusal);

/* Beyond these a configuration is refused, and the last one kept. 0: no limit. */
typedef struct lbLinearityLimits {
    float strain;  /* largest relative change of any surface edge; default 0 */
    float stretch; /* largest relative scaling of a control against the mean; default 0 */
    float angle;   /* rad, largest rotation of a control against the mean of all; default 0 */
} lbLinearityLimits;

/* The pose a control is to have from the next frame on, in the body's own coordinates (those of its model). Fails on a
 * control that is fixed, or numbers that are not finite. The control is then held there. */
LB_API lbResult lbBody_SetControl(lbWorld* world, lbBodyId body, int control, const lbControlPose* pose);
/* The same in the world: the control's centre goes there, and it is turned so, scaled along its own axes before that.
 */
LB_API lbResult lbBody_MoveControl(lbWorld* world, lbBodyId body, int control, lbVec3 center, lbQuat rotation,
                                   lbVec3 scale);
/* The control is free from the next frame on, with a force and a torque on it, in the body's own coordinates: the
 * static answer of the body, and what touches it, move it. One control at least stays held. */
LB_API lbResult lbBody_SetControlForce(lbWorld* world, lbBodyId body, int control, lbVec3 force, lbVec3 torque);
/* How much of a load acts; 1 is as it was given. */
LB_API lbResult lbBody_SetModeLoad(lbWorld* world, lbBodyId body, int load, float share);
LB_API lbResult lbBody_SetLinearityLimits(lbWorld* world, lbBodyId body, lbLinearityLimits limits);

LB_API int lbBody_GetControlCount(const lbWorld* world, lbBodyId body); /* 0: a body of another kind */
typedef struct lbControlState {
    const char* name;
    bool fixed, free;
    lbVec3 center;      /* m, where its centre is now, in the world */
    lbVec3 axes[3];     /* how its axes lie now, in the world: columns of A */
    lbControlPose pose; /* as it counts, in the body's own coordinates */
    lbVec3 force;       /* N, what holds it, in the world */
    lbVec3 torque;      /* N m, about its centre, in the world */
} lbControlState;
LB_API lbResult lbBody_GetControl(const lbWorld* world, lbBodyId body, int control, lbControlState* state);
/* A component of strain (1) or stress (Pa) at the skin points, from its own basis: 0 to 5 are xx, yy, zz, xy, xz, yz,
 * in the model's own axes, its average rotation taken out. Fails if the model was precomputed without. */
LB_API lbResult lbBody_GetStrainComponent(const lbWorld* world, lbBodyId body, int component, float* values);
LB_API lbResult lbBody_GetStressComponent(const lbWorld* world, lbBodyId body, int component, float* values);
/* Whether the last frame refused what was asked, why, and by how much: a value beside its limit. */
LB_API lbRefusal lbBody_GetRefusal(const lbWorld* world, lbBodyId body, double* value, double* limit);

/* ---- Tubes and cables -------------------------------------------------------------------------------------------- */

/* Along y at rest, its middle at the origin; bent towards -x, and wound about z. */
typedef struct lbTubeDef {
    double length;             /* m */
    double outerDiameter;      /* m */
    double innerDiameter;      /* m */
    double controlWidth;       /* m, of the controls at the ends; 0: the outer diameter */
    double curvature;          /* 1/m, of the rest shape: 0 straight, else an arc of radius 1/curvature */
    double torsion;            /* 1/m, of the rest shape: 0 plane, else a helix */
    int axial, around, radial; /* subdivisions; each cell becomes six tetrahedra */
    bool solid;                /* a cable: the inner wall is no surface, and is not shown */
    const lbHost* host;
    uint32_t cookie; /* set by lbDefaultTubeDef() */
} lbTubeDef;

/* A tube and the sets of its nodes that are wanted of it. */
typedef struct lbTube {
    lbTetMesh* mesh;
    int endCount; /* nodes of the control at each end */
    int* ends[2]; /* (endCount) each: where y is least, and most */
    bool* hidden; /* (pointCount) nodes of the inner wall of a cable; NULL: none */
    const lbHost* host;
} lbTube;

LB_API lbTubeDef lbDefaultTubeDef(void);
LB_API lbResult lbGenerateTube(const lbTubeDef* def, lbTube* tube);
LB_API void lbFreeTube(lbTube* tube);

#ifdef __cplusplus
}
#endif

#endif
