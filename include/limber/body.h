/* Bodies: a model with a state; how they move, their skin, their energy, their equilibrium and their parts. */
#ifndef LIMBER_BODY_H
#define LIMBER_BODY_H

#include "limber/base.h"
#include "limber/ids.h"
#include "limber/region.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lbIntegratorKind {
    lb_integratorSymplecticEuler,  /* explicit, first order, keeps energy bounded */
    lb_integratorExplicitEuler,    /* first order; every motion that is not damped grows */
    lb_integratorLeapFrog,         /* second order, keeps energy bounded; velocities half a step apart */
    lb_integratorHeun,             /* second order, two evaluations of forces a step */
    lb_integratorMidpoint,         /* second order, two evaluations (Runge-Kutta 2) */
    lb_integratorRungeKutta4,      /* fourth order, four evaluations */
    lb_integratorVerlet,           /* second order, keeps energy bounded; steps positions */
    lb_integratorVelocityVerlet,   /* second order, keeps energy bounded */
    lb_integratorBeeman,           /* Verlet's positions, velocities of third order */
    lb_integratorAdams,            /* fourth order, two evaluations: Adams-Bashforth-Moulton */
    lb_integratorBulirschStoer,    /* extrapolation to settings.tolerance, divides its steps */
    lb_integratorAdaptive,         /* Verlet with steps divided by settings.tolerance */
    lb_integratorImplicitEuler,    /* implicit, first order, stable at any step; damps what is faster than the step */
    lb_integratorCrankNicolson,    /* implicit, second order; keeps energy where forces are linear */
    lb_integratorGeneralisedAlpha, /* implicit, second order, stable; damps only what the step cannot resolve */
    lb_integratorKindCount,
    /* Not a method but a choice: of symplectic Euler and generalised alpha the one that takes less time for a frame of
     * lbBodyDef.frameTime, made when the body is created, when it is asked for anew and when the material changes. */
    lb_integratorAutomatic = lb_integratorKindCount,
    /* Of bodies of adaptive models alone: symplectic Euler with longer steps, for which nodes that could not follow are
     * made to move more slowly (docs/adaptive.md). */
    lb_integratorFilteredEuler,
    lb_integratorNameCount
} lbIntegratorKind;

/* For the methods that take them; the defaults serve. */
enum { lb_mostLinearisations = 1000, lb_mostLonger = 64 };
typedef struct lbIntegratorSettings {
    float tolerance;    /* relative: of the residual (implicit methods), of the error of a step (adaptive ones) */
    int iterationLimit; /* of linear solvers, in a step */
    int linearisations; /* of implicit methods, in a step, at most: default 1, as is 0. More are Newton's method, to the
                           tolerance */
    float longer; /* of lb_integratorFilteredEuler: how many times longer than what is stable without the filter steps
                     may be; default 2 */
    bool compensate; /* of the same: filters no more than such steps need; default true */
} lbIntegratorSettings;

/* "symplectic-euler", ... as above. */
LB_API const char* lbIntegratorKind_GetName(lbIntegratorKind kind);
LB_API bool lbIntegratorKind_FromName(const char* name, lbIntegratorKind* kind);

/* Drag on each node, taken at the next velocity, so that it never turns a node round. First order in the step. */
typedef enum lbPointDampingForm {
    lb_pointDampingStokes, /* force = coefficient x velocity; kg/s */
    lb_pointDampingNewton  /* force = coefficient x velocity x speed; kg/m */
} lbPointDampingForm;

typedef struct lbPointDamping {
    lbPointDampingForm form; /* default lb_pointDampingStokes */
    float coefficient;       /* kg/s or kg/m, as the form says; default 0: none */
} lbPointDamping;

/* How levels of different resolution are coupled where they meet, in bodies of an adaptive model (docs/adaptive.md). */
typedef enum lbCoupling {
    lb_couplingEnergy, /* one energy of all levels: keeps momentum and, undamped, energy */
    lb_couplingPaper   /* as in Debunne and others 2000: exact under uniform strain; grows unless it is damped */
} lbCoupling;

/* A part of a body whose resolution is set beforehand. */
typedef struct lbDetailRegion {
    lbRegion region; /* of nodes, where the body stands when it is created */
    int level;       /* 0: the coarsest */
} lbDetailRegion;

/* Where bodies of an adaptive model are simulated how finely. */
typedef struct lbDetailDef {
    float split; /* m: a node whose delta is above is split; more than `merge`. Negative: automatic, 0.2 % of the
                    body's size. Infinite: levels stay as they are */
    float merge; /* m: nodes whose deltas are all below are merged; more than 0. Negative: 0.15 of split */
    bool closestSpacing; /* delta with the least distance to a neighbour (2001) instead of the mean (2000) */
    int start;           /* the level that is active at first, outside of regions; default 0, the coarsest */
    bool uniformSteps;   /* all nodes take the shortest of their steps, instead of each its own; default false */
    lbCoupling coupling; /* default lb_couplingEnergy */
    double budget;       /* node-steps in a frame that splitting must not exceed; 0: no limit */
    int regionCount;
    const lbDetailRegion* regions; /* (regionCount) where they overlap the later one counts; copied */
} lbDetailDef;

/* Whether a body touches itself: folds of cloth, fingers of a hand. */
typedef enum lbSelfContact {
    lb_selfContactAutomatic, /* sheets that keep a distance (lbBodyDef.thickness) do */
    lb_selfContactOff,
    lb_selfContactOn
} lbSelfContact;

typedef struct lbBodyDef {
    lbModelId model;
    const char* name;            /* for messages; copied; default "body" */
    lbVec3 position;             /* m: where the model's origin goes */
    lbQuat rotation;             /* about that origin; default none */
    lbVec3 velocity;             /* m/s */
    lbVec3 angularVelocity;      /* rad/s, about the body's centre of mass */
    lbIntegratorKind integrator; /* default lb_integratorAutomatic */
    lbIntegratorSettings settings;
    float frameTime; /* s: how long frames will be, for lb_integratorAutomatic; default 1/60 */
    int stepCount;   /* steps in a frame; 0: as many as the stability bound asks */
    lbPointDamping pointDamping;
    float windDrag;    /* kg/(m^2 s): force of the wind on a surface = this x area x wind along the normal; default 0 */
    bool guided;       /* of a rigid model: moved from outside (lbBody_MoveTo) and by nothing else; default false */
    float friction;    /* Coulomb's coefficient, 0 or more; of two bodies that touch, the geometric mean; default 0.5 */
    float restitution; /* 0 to 1: how much of the speed with which it meets others is given back; of two bodies, the
                          larger; default 0 */
    float thickness;   /* m, distance that is kept from its surface, 0 or more; default 0. For cloth */
    lbSelfContact selfContact; /* default lb_selfContactAutomatic. What is nearer along the surface at rest than one and
                                  a half times the distance kept, and a little, does not touch itself */
    lbDetailDef detail;        /* of an adaptive model */
    uint32_t cookie;           /* set by lbDefaultBodyDef() */
} lbBodyDef;

LB_API lbBodyDef lbDefaultBodyDef(void);
LB_API lbResult lbCreateBody(lbWorld* world, const lbBodyDef* def, lbBodyId* body);
LB_API lbResult lbDestroyBody(lbWorld* world, lbBodyId body); /* with its pins, loads, muscles, grabs and attachments */
LB_API bool lbBody_IsValid(const lbWorld* world, lbBodyId body);

/* Changes from the next frame on; as in lbBodyDef. On failure nothing has changed. */

LB_API lbResult lbBody_SetStepCount(lbWorld* world, lbBodyId body, int stepCount);
/* Positions and velocities stay; the new method begins without a history. `settings` may be NULL: as they were. */
LB_API lbResult lbBody_SetIntegrator(lbWorld* world, lbBodyId body, lbIntegratorKind integrator,
                                     const lbIntegratorSettings* settings);
LB_API lbResult lbBody_SetPointDamping(lbWorld* world, lbBodyId body, lbPointDamping damping);
LB_API lbResult lbBody_SetWindDrag(lbWorld* world, lbBodyId body, float windDrag); /* kg/(m^2 s) */

LB_API lbResult lbBody_SetFriction(lbWorld* world, lbBodyId body, float friction);
LB_API lbResult lbBody_SetRestitution(lbWorld* world, lbBodyId body, float restitution);
LB_API lbResult lbBody_SetThickness(lbWorld* world, lbBodyId body, float thickness); /* m */
LB_API lbResult lbBody_SetSelfContact(lbWorld* world, lbBodyId body, lbSelfContact selfContact);
/* Whether a body touches itself as it is now. */
LB_API lbResult lbBody_TouchesItself(const lbWorld* world, lbBodyId body, bool* touches);
/* Any of the pointers may be NULL. */
LB_API lbResult lbBody_GetSurface(const lbWorld* world, lbBodyId body, float* friction, float* restitution,
                                  float* thickness);

/* ---- Bodies that move as a whole: of a rigid model. Others are refused ---- */

/* Where the model's origin is and how it is turned. */
LB_API lbResult lbBody_GetPose(const lbWorld* world, lbBodyId body, lbVec3* position, lbQuat* rotation);
/* m/s of the centre of mass; rad/s. */
LB_API lbResult lbBody_GetVelocity(const lbWorld* world, lbBodyId body, lbVec3* velocity, lbVec3* angularVelocity);
/* At once, without touching anything on the way. */
LB_API lbResult lbBody_SetPose(lbWorld* world, lbBodyId body, lbVec3 position, lbQuat rotation);
LB_API lbResult lbBody_SetVelocity(lbWorld* world, lbBodyId body, lbVec3 velocity, lbVec3 angularVelocity);
/* Where a guided body shall be at the end of the next frame; it moves there evenly, step by step. */
LB_API lbResult lbBody_MoveTo(lbWorld* world, lbBodyId body, lbVec3 position, lbQuat rotation);
/* Where the skin points of a guided body whose model deforms shall be at the end of the next frame, in the model's own
 * coordinates: (skinPointCount x 3) m. They move there evenly. */
LB_API lbResult lbBody_MoveSkinTo(lbWorld* world, lbBodyId body, const float* positions);
LB_API bool lbBody_IsGuided(const lbWorld* world, lbBodyId body);
/* "dynamic", "rigid", "guided". NULL for a body that is gone. */
LB_API const char* lbBody_GetKind(const lbWorld* world, lbBodyId body);

/* How it moves, as it is now; any of the pointers may be NULL. */
LB_API lbResult lbBody_GetIntegrator(const lbWorld* world, lbBodyId body, lbIntegratorKind* integrator,
                                     lbIntegratorSettings* settings, int* stepCount);

/* What it moves by: the integrator itself, or what lb_integratorAutomatic chose; and the steps of the last frame.
 * Either may be NULL. */
LB_API lbResult lbBody_GetMethod(const lbWorld* world, lbBodyId body, lbIntegratorKind* method, int* stepCount);

/* How the linear systems of a body's implicit steps were solved in the last frame; all zero for explicit methods. Of
 * bodies that touch, one system is that of all of them. */
typedef struct lbSolverReport {
    int solveCount;
    int iterations;      /* products with the matrix, most of any step */
    double residual;     /* relative, the largest of any step */
    int unfinishedCount; /* steps whose iterations ended at their limit */
    int indefiniteCount; /* steps whose matrix was not positive definite */
} lbSolverReport;

LB_API lbResult lbBody_GetSolver(const lbWorld* world, lbBodyId body, lbSolverReport* report);

/* How many steps a frame of dt seconds would take as the body is now. */
LB_API lbResult lbBody_CountSteps(const lbWorld* world, lbBodyId body, double dt, int* stepCount);

/* Whether damping, rather than the fastest motion, sets the length of a body's explicit steps; and how many steps a
 * frame of dt seconds would take without it. NULL is fine. */
LB_API bool lbBody_IsStepSetByDamping(const lbWorld* world, lbBodyId body, double dt, int* stepsWithout);

/* Of a body that is gone: NULL, a null id, and 0. */
LB_API const char* lbBody_GetName(const lbWorld* world, lbBodyId body);
LB_API lbModelId lbBody_GetModel(const lbWorld* world, lbBodyId body);
LB_API int lbBody_GetNodeCount(const lbWorld* world, lbBodyId body);
LB_API int lbBody_GetSkinPointCount(const lbWorld* world, lbBodyId body);
/* Tetrahedra that were flat or inside out at the end of the last frame: of a hundredth of their volume or less. Under
 * the corotational and neo-Hookean laws they come back; under Green's law they may not, and when it begins a warning
 * goes to lbHost.log, with the time and the number of one of them. The linear law takes no notice. */
LB_API int lbBody_GetInvertedCount(const lbWorld* world, lbBodyId body);

/* Nodes: positions in m, velocities in m/s. They stand in an order of the engine's own, neighbours in space beside each
 * other; lbBody_GetNodeNumbers says which is which. Each array is (nodeCount x 3); either may be
 * NULL, and is then left as it is. What is set must be finite; velocities along directions that a pin holds become 0.
 */
LB_API lbResult lbBody_GetState(const lbWorld* world, lbBodyId body, float* positions, float* velocities);
LB_API lbResult lbBody_SetState(lbWorld* world, lbBodyId body, const float* positions, const float* velocities);
/* A body of voxels goes on where another one of the same shape is now, of this world or of another, however fine either
 * is: nodes take positions and velocities from the other's field, linear and angular momentum are kept. */
LB_API lbResult lbBody_TakeMotion(lbWorld* world, lbBodyId body, const lbWorld* otherWorld, lbBodyId other);
/* The number of each node, from 0, in the mesh that was given (lbTetMesh_GetPoints), or as the mesher made them:
 * (nodeCount). */
LB_API lbResult lbBody_GetNodeNumbers(const lbWorld* world, lbBodyId body, int* numbers);
LB_API lbResult lbBody_GetMasses(const lbWorld* world, lbBodyId body, float* masses); /* (nodeCount) kg */

/* The skin, in the order of the shape's points: positions in m, velocities in m/s, unit normals. Each array is
 * (skinPointCount x 3); any may be NULL. As they were at the end of the last frame. */
LB_API lbResult lbBody_GetSkin(const lbWorld* world, lbBodyId body, float* positions, float* velocities,
                               float* normals);
/* Where the skin points stood when the body was created: what regions choose by. (skinPointCount x 3) m. */
LB_API lbResult lbBody_GetSkinStart(const lbWorld* world, lbBodyId body, float* positions);
/* What the skin hangs on, for those who move it themselves, in a shader say: point i is the sum over k of
 * weights[i * width + k] times node nodes[i * width + k] of lbBody_GetState, the same in every frame. Of voxels the
 * width is 8 and weights are trilinear, so that a frame need only be sent the nodes of the lattice. Width 0: the body
 * has no such skin (rigid, precomputed, adaptive), or is gone; carriers are then refused. */
LB_API int lbBody_GetSkinWidth(const lbWorld* world, lbBodyId body);
/* Each array is (skinPointCount x width); either may be NULL. */
LB_API lbResult lbBody_GetSkinCarriers(const lbWorld* world, lbBodyId body, int* nodes, float* weights);

typedef struct lbEnergy {
    double kinetic; /* J */
    double elastic; /* J */
    double gravity; /* J, zero at the origin's height */
} lbEnergy;

LB_API lbResult lbBody_GetEnergy(const lbWorld* world, lbBodyId body, lbEnergy* energy);

typedef struct lbMomentum {
    double mass;       /* kg */
    double center[3];  /* m, centre of mass */
    double linear[3];  /* kg m/s */
    double angular[3]; /* kg m^2/s about the world's origin */
} lbMomentum;

LB_API lbResult lbBody_GetMomentum(const lbWorld* world, lbBodyId body, lbMomentum* momentum);

/* ---- Levels of detail: bodies of an adaptive model. Others are refused ---- */

enum { lb_mostDetailLevels = 8 };

/* What the last frame took. */
typedef struct lbDetailReport {
    int levelCount;
    int levelNodes[lb_mostDetailLevels];    /* active nodes of each level, coarsest first */
    int levelElements[lb_mostDetailLevels]; /* elements with an active node */
    int activeCount;                        /* active nodes in all */
    int ghostCount;                         /* nodes that are not active but lend their values */
    int splitCount, mergeCount;             /* nodes that were split and merged */
    int stepCount;                          /* of the nodes that take most */
    double nodeSteps;                       /* sum over active nodes of the steps that they took */
    double nodeStepsAllowed;                /* 0: as many as thresholds ask for */
    double secondsUsed, secondsAllowed;     /* of this body; allowed 0: no limit (lbWorld_SetBudget) */
    bool limited;                           /* something was not split, or was merged, because of a budget */
    bool late;                              /* even the coarsest level takes more than the budget */
} lbDetailReport;

LB_API lbResult lbBody_GetDetail(const lbWorld* world, lbBodyId body, lbDetailReport* report);
/* Other thresholds and another budget from the next frame on, as in lbDetailDef; regions and coupling stay. */
LB_API lbResult lbBody_SetDetail(lbWorld* world, lbBodyId body, float split, float merge, double budget);
/* Which level each skin point follows: (skinPointCount). */
LB_API lbResult lbBody_GetSkinLevels(const lbWorld* world, lbBodyId body, int* levels);

/* ---- Equilibrium ------------------------------------------------------------------------------------------------- */

typedef struct lbEquilibriumDef {
    float tolerance; /* the unbalanced forces that may stay, as lbEquilibriumReport.residual has them; default 1e-6 */
    int iterationLimit; /* steps of Newton's method; default 500 */
    uint32_t cookie;    /* set by lbDefaultEquilibriumDef() */
} lbEquilibriumDef;

typedef struct lbEquilibriumReport {
    int iterations;     /* steps of Newton's method */
    int products;       /* products with the tangent in all of them */
    int factorisations; /* of the tangent: direct solutions; 0: by iterations alone */
    double residual;   /* the unbalanced forces, as a share of what acts from outside: weight, loads, pressure and wind;
                          without any, of the forces on pins (Euclidean norms over all nodes) */
    double worstForce; /* N, the largest unbalanced force on a node */
    bool stalled;      /* no equilibrium to the tolerance: what is left is the rounding of numbers in double */
} lbEquilibriumReport;

LB_API lbEquilibriumDef lbDefaultEquilibriumDef(void);
/* Moves a body to where its forces, weight and loads balance, and lets it rest there. Pins hold; those that were moved
 * (lbPin_MoveTo) take their nodes along. Tools and grabs take no part. The search is in double; positions are then
 * rounded to float32, and lbBody_GetDisplacements has what was found. Success means that the tolerance is met. Else it
 * fails, says what is left, and the body is as it was. `report` may be NULL, and is filled in both cases. */
LB_API lbResult lbBody_SolveEquilibrium(lbWorld* world, lbBodyId body, const lbEquilibriumDef* def,
                                        lbEquilibriumReport* report);

/* Displacements of the nodes from where they stood when the body was created, (nodeCount x 3) m: of an equilibrium that
 * the body has not left since, in all the digits that were found; else as positions have them. */
LB_API lbResult lbBody_GetDisplacements(const lbWorld* world, lbBodyId body, double* displacements);

/* ---- Parts of a body --------------------------------------------------------------------------------------------- */

/* Writes up to `capacity` indices (nodes or skin points, as the region's part says) and how many there are. */
LB_API lbResult lbBody_Select(const lbWorld* world, lbBodyId body, const lbRegion* region, int* indices, int capacity,
                              int* count);
/* The skin point nearest to a place, where the body stood when it was created. */
LB_API lbResult lbBody_FindSkinPoint(const lbWorld* world, lbBodyId body, lbVec3 place, int* skinPoint);

#ifdef __cplusplus
}
#endif

#endif
