/* Worlds: models, bodies, tools, pins, loads and grabs, and the one function that advances a frame.
 * SI units everywhere: m, kg, s, N, Pa. A world and all that is in it belong to one thread at a time. */
#ifndef LIMBER_WORLD_H
#define LIMBER_WORLD_H

#include "limber/base.h"
#include "limber/shape.h"
#include "limber/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbWorld lbWorld;

/* Handles. A zeroed one is null; one whose object is gone is recognised and refused, never followed. */
typedef struct lbModelId {
    int32_t index1;
    uint32_t generation;
} lbModelId;
typedef struct lbBodyId {
    int32_t index1;
    uint32_t generation;
} lbBodyId;
typedef struct lbToolId {
    int32_t index1;
    uint32_t generation;
} lbToolId;
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

/* ---- World ------------------------------------------------------------------------------------------------------- */

typedef struct lbWorldDef {
    lbVec3 gravity;  /* m/s^2; default (0, -9.81, 0) */
    int threadCount; /* 0: one for each processor; results do not depend on it */
    const lbHost* host;
    uint32_t cookie; /* set by lbDefaultWorldDef() */
} lbWorldDef;

LB_API lbWorldDef lbDefaultWorldDef(void);
LB_API lbResult lbCreateWorld(const lbWorldDef* def, lbWorld** world);
LB_API void lbDestroyWorld(lbWorld* world); /* and all that is in it; NULL is fine */

/* Advances everything by one frame of dt seconds. dt must be finite, more than 0 and at most 1 s. Fails when a body's
 * state becomes non-finite or explodes: the message names the time, the body and the worst node. */
LB_API lbResult lbWorld_Step(lbWorld* world, double dt);

/* The most steps that a frame may take, 1 to 1000000; default 1000000. A frame that needs more fails before it begins,
 * and nothing has changed: for programs that must not wait for it. */
LB_API lbResult lbWorld_SetStepLimit(lbWorld* world, int stepLimit);

LB_API double lbWorld_GetTime(const lbWorld* world);    /* s */
LB_API lbVec3 lbWorld_GetGravity(const lbWorld* world); /* m/s^2 */
/* m/s^2, from the next frame on; finite. */
LB_API lbResult lbWorld_SetGravity(lbWorld* world, lbVec3 gravity);
LB_API lbVec3 lbWorld_GetWind(const lbWorld* world); /* m/s; default none */
/* m/s, from the next frame on; bodies with a windDrag feel it. */
LB_API lbResult lbWorld_SetWind(lbWorld* world, lbVec3 wind);

/* Wall-clock seconds of the last frame, stage by stage, in the order of the stages. */
typedef struct lbProfile {
    double adapt;   /* choosing steps and levels of detail */
    double collide; /* finding contacts */
    double forces;  /* evaluating force laws */
    double solve;   /* contact and grab impulses */
    double advance; /* integrating */
    double skin;    /* moving surfaces */
    double publish; /* checking and counting */
    double total;   /* all of them */
} lbProfile;

LB_API lbProfile lbWorld_GetProfile(const lbWorld* world);

/* What was in the world in the last frame, and what it took. */
typedef struct lbCounters {
    int bodyCount, nodeCount, skinPointCount; /* of all bodies */
    int contactCount;                         /* of the last step of the last frame */
    int stepCount;                            /* steps in the last frame, of the body that took most */
    int invertedCount;                        /* lbBody_GetInvertedCount of all bodies */
} lbCounters;

/* All zero before the first frame. */
LB_API lbCounters lbWorld_GetCounters(const lbWorld* world);

/* Of the whole state: time, positions, velocities, tools, grabs, histories. The same for any number of threads. */
LB_API uint64_t lbWorld_Hash(const lbWorld* world);

/* The state as a file: versioned, checksummed, written whole or not at all. It is restored into a world that holds the
 * same things (built from the same scene); that world then goes on bit for bit like the one that was saved. On
 * failure the world is unchanged. */
LB_API lbResult lbWorld_Save(const lbWorld* world, const char* path);
LB_API lbResult lbWorld_Restore(lbWorld* world, const char* path);

/* ---- Models: baked once, shared by bodies ------------------------------------------------------------------------ */

typedef enum lbMeshKind {
    lb_meshTetGrid,    /* a grid of cubes through the shape, each cut into five tetrahedra; holds solids */
    lb_meshCloth,      /* the surface itself: springs for structure, shear and bending */
    lb_meshLayered,    /* the surface and a copy of it inside, joined by springs: a shell that keeps its shape */
    lb_meshTets,       /* tetrahedra that end at the surface, by isosurface stuffing; see lbMeshSurface */
    lb_meshStructured, /* an exact mesh of a box, cylinder or tube along an axis; see lbGenerateTetMesh */
    lb_meshGiven,      /* lbModelDef.tetMesh. Scenes call it "file" */
    lb_meshKindCount
} lbMeshKind;

typedef struct lbMeshDef {
    lbMeshKind kind; /* default lb_meshTetGrid */
    float edge;      /* wanted edge length of the cubes, tetrahedra or cells, m; 0: a twelfth of the longest side.
                        lb_meshTetGrid, lb_meshTets, lb_meshStructured */
    float thickness; /* of the sheet, or between the layers, m; default 0.001. lb_meshCloth, lb_meshLayered */
    float prestrain; /* 0 to below 1: springs of the surface are at rest when shorter by this share, so that it stands
                        under tension; default 0. lb_meshCloth, lb_meshLayered */
    float bend;      /* stiffness of the springs that resist bending, relative to those along edges; default 0.02.
                        lb_meshCloth */
    int cells[3];    /* along each direction, as in lbTetGeneratorDef; 0: as many as suit the edge. lb_meshStructured */
    bool relax;      /* as in lbMesherDef; default false. lb_meshTets */
} lbMeshDef;

typedef struct lbMaterial {
    float density;          /* kg/m^3; default 1000 */
    float youngsModulus;    /* E, Pa; default 20000: a firm jelly */
    float poissonsRatio;    /* nu, -1 < nu < 0.5; default 0.3. Springs have a ratio of their own and take no notice */
    float stiffnessDamping; /* s: damping force = this times the elastic force's rate; default 0.002 */
    float massDamping;      /* 1/s: deceleration = this times the velocity; default 0.1 */
} lbMaterial;

/* m/s, of pressure waves, the fastest there are: sqrt((lambda + 2 mu) / density). */
LB_API double lbMaterial_GetWaveSpeed(const lbMaterial* material);

typedef enum lbLawKind {
    lb_lawSprings, /* springs along the mesh's edges */
    lb_lawLinear,  /* tetrahedra, stress linear in displacements: cheapest; for small motions without turning */
    lb_lawGreen,   /* tetrahedra, Green's strain (St. Venant-Kirchhoff): turns freely; collapses when pressed hard */
    lb_lawCorotational, /* tetrahedra, linear in a frame that turns with each of them; survives inversion */
    lb_lawNeoHookean,   /* tetrahedra, rubber-like and stable: resists being pressed to nothing, survives inversion */
    lb_lawKindCount
} lbLawKind;

/* What the linear law takes for free surfaces. */
typedef enum lbLinearBoundary {
    lb_boundaryFull, /* the standard finite element: no stress on what is free */
    lb_boundaryPaper /* Laplacian and gradient of divergence alone: turning makes forces at the surface */
} lbLinearBoundary;

/* How a spring's force follows from its length l and its length at rest L. */
typedef enum lbSpringForm {
    lb_springLinear,    /* f = k (l - L) */
    lb_springQuadratic, /* f = k (l^2 - L^2) / l: no square root; twice as stiff at rest as k says */
    lb_springPower      /* f = k ((l - L) / L)^springPower, k in N; soft at rest, ever stiffer */
} lbSpringForm;

/* What a spring's damping takes for its rate of change. */
typedef enum lbSpringDamping {
    lb_dampingExact,     /* the ends' relative velocity */
    lb_dampingLastLength /* the change of length over the last step: cheap, and wrong where the motion turns round */
} lbSpringDamping;

/* How laws on tetrahedra keep the volume of nearly incompressible matter. */
typedef enum lbIncompressible {
    lb_incompressibleAveraged, /* above nu = 0.4, around nodes: beams bend as they should */
    lb_incompressibleNone      /* each tetrahedron by itself: they do not, the less the closer nu is to 0.5 */
} lbIncompressible;

typedef struct lbLawDef {
    lbLawKind kind;
    float springStiffness;   /* k of every spring, N/m (power: N); 0: from Young's modulus, slope E V / L^2 at rest */
    float springDamping;     /* N s/m of every spring; used when springStiffness is given */
    lbSpringForm springForm; /* default lb_springLinear */
    int springPower;         /* of lb_springPower: odd, 1 to 15; default 3 */
    lbSpringDamping springDampingForm; /* default lb_dampingExact */
    lbLinearBoundary boundary;         /* of lb_lawLinear; default lb_boundaryFull */
    lbIncompressible incompressible;   /* of laws on tetrahedra; default lb_incompressibleAveraged */
} lbLawDef;

/* Penalties that keep what springs alone do not. All keep momentum. 0: none. */
typedef struct lbPenaltyDef {
    float volume;  /* Pa: on the volume of each tetrahedron; meshes of tetrahedra only */
    float area;    /* N/m: on the area of each triangle of the surface */
    float surface; /* N/m: on the signed distance of each triangle's neighbours from its plane */
} lbPenaltyDef;

/* What a tetrahedron is made of where that is not the model's material. Damping is the model's. */
typedef struct lbMatter {
    float density;       /* kg/m^3 */
    float youngsModulus; /* E, Pa */
    float poissonsRatio; /* nu, -1 < nu < 0.5 */
} lbMatter;

struct lbZone; /* beside lbRegion */

typedef struct lbModelDef {
    const lbShape* shape; /* copied; with a tetMesh it may be NULL: its surface is then shown */
    lbMeshDef mesh;
    const lbTetMesh* tetMesh; /* lb_meshGiven: what is simulated; copied. Else NULL */
    lbMaterial material;
    lbLawDef law;
    lbPenaltyDef penalty;
    float nodeMass; /* kg of every node; 0: from the density */
    /* Other matter in some tetrahedra, for the laws of tetrahedra. Copied; none by default. */
    int zoneCount;
    const struct lbZone* zones; /* (zoneCount) parts of the body; where they overlap the later one counts */
    int elementMatterCount;
    const lbMatter* elementMatter; /* (elementMatterCount) one for each tetrahedron, in the order of the mesh as it was
                                      given; counts above zones */
    uint32_t cookie;               /* set by lbDefaultModelDef() */
} lbModelDef;

LB_API lbModelDef lbDefaultModelDef(void);
/* Bakes: this may take long. Fails on a shape that cannot be meshed as asked, naming what and where. */
LB_API lbResult lbCreateModel(lbWorld* world, const lbModelDef* def, lbModelId* model);
/* Refused while a body uses it. */
LB_API lbResult lbDestroyModel(lbWorld* world, lbModelId model);

typedef struct lbModelInfo {
    int nodeCount, springCount, tetCount, skinPointCount, skinTriangleCount;
    double mass;             /* kg */
    double highestFrequency; /* rad/s, an upper bound over all motions */
    double stableStep;       /* s, the longest step of symplectic Euler that the bound allows */
} lbModelInfo;

LB_API lbResult lbModel_GetInfo(const lbWorld* world, lbModelId model, lbModelInfo* info);
/* The surface that bodies of this model show. NULL for a model that is gone. */
LB_API const lbShape* lbModel_GetShape(const lbWorld* world, lbModelId model);
/* What the model was made from, its material as it is now. `shape` is the model's own: valid as long as the model;
 * `tetMesh` is not kept: NULL. */
LB_API lbResult lbModel_GetDef(const lbWorld* world, lbModelId model, lbModelDef* def);

/* Another material from the next frame on, for all bodies of the model: masses and laws are baked anew on the mesh as
 * it is; positions and velocities stay. Takes a fraction of what lbCreateModel takes. On failure nothing has changed.
 */
LB_API lbResult lbModel_SetMaterial(lbWorld* world, lbModelId model, const lbMaterial* material);

/* What is simulated, to be shown: pairs of nodes that are joined by a spring or, where there are none, by the edge of a
 * tetrahedron; no pair twice. Writes up to `capacity` pairs (capacity x 2) and how many there are. */
LB_API lbResult lbModel_GetEdges(const lbWorld* world, lbModelId model, int* edges, int capacity, int* count);

/* The names that scenes use: "tet-grid", "springs", ... NULL for a kind that does not exist; false for a name that none
 * has. */
LB_API const char* lbMeshKind_GetName(lbMeshKind kind);
LB_API bool lbMeshKind_FromName(const char* name, lbMeshKind* kind);
LB_API const char* lbLawKind_GetName(lbLawKind kind);
LB_API bool lbLawKind_FromName(const char* name, lbLawKind* kind);

/* ---- Bodies: state only ------------------------------------------------------------------------------------------ */

typedef enum lbIntegratorKind {
    lb_integratorSymplecticEuler, /* explicit, first order, keeps energy bounded */
    lb_integratorExplicitEuler,   /* first order; every motion that is not damped grows */
    lb_integratorLeapFrog,        /* second order, keeps energy bounded; velocities half a step apart */
    lb_integratorHeun,            /* second order, two evaluations of forces a step */
    lb_integratorMidpoint,        /* second order, two evaluations (Runge-Kutta 2) */
    lb_integratorRungeKutta4,     /* fourth order, four evaluations */
    lb_integratorVerlet,          /* second order, keeps energy bounded; steps positions */
    lb_integratorVelocityVerlet,  /* second order, keeps energy bounded */
    lb_integratorBeeman,          /* Verlet's positions, velocities of third order */
    lb_integratorAdams,           /* fourth order, two evaluations: Adams-Bashforth-Moulton */
    lb_integratorBulirschStoer,   /* extrapolation to settings.tolerance, divides its steps */
    lb_integratorAdaptive,        /* Verlet with steps divided by settings.tolerance */
    lb_integratorImplicitEuler,   /* implicit, first order, stable at any step; damps what is faster than the step */
    lb_integratorCrankNicolson,   /* implicit, second order; keeps energy where forces are linear */
    lb_integratorKindCount
} lbIntegratorKind;

/* For the methods that take them; the defaults serve. */
typedef struct lbIntegratorSettings {
    float tolerance;    /* relative: of the residual (implicit methods), of the error of a step (adaptive ones) */
    int iterationLimit; /* of linear solvers, in a step */
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

typedef struct lbBodyDef {
    lbModelId model;
    const char* name;            /* for messages; copied; default "body" */
    lbVec3 position;             /* m: where the model's origin goes */
    lbQuat rotation;             /* about that origin; default none */
    lbVec3 velocity;             /* m/s */
    lbVec3 angularVelocity;      /* rad/s, about the body's centre of mass */
    lbIntegratorKind integrator; /* default lb_integratorSymplecticEuler */
    lbIntegratorSettings settings;
    int stepCount; /* steps in a frame; 0: as many as the stability bound asks */
    lbPointDamping pointDamping;
    float windDrag;  /* kg/(m^2 s): force of the wind on a surface = this x area x wind along the normal; default 0 */
    uint32_t cookie; /* set by lbDefaultBodyDef() */
} lbBodyDef;

LB_API lbBodyDef lbDefaultBodyDef(void);
LB_API lbResult lbCreateBody(lbWorld* world, const lbBodyDef* def, lbBodyId* body);
LB_API lbResult lbDestroyBody(lbWorld* world, lbBodyId body); /* with its pins, loads and grabs */
LB_API bool lbBody_IsValid(const lbWorld* world, lbBodyId body);

/* Changes from the next frame on; as in lbBodyDef. On failure nothing has changed. */

LB_API lbResult lbBody_SetStepCount(lbWorld* world, lbBodyId body, int stepCount);
/* Positions and velocities stay; the new method begins without a history. `settings` may be NULL: as they were. */
LB_API lbResult lbBody_SetIntegrator(lbWorld* world, lbBodyId body, lbIntegratorKind integrator,
                                     const lbIntegratorSettings* settings);
LB_API lbResult lbBody_SetPointDamping(lbWorld* world, lbBodyId body, lbPointDamping damping);
LB_API lbResult lbBody_SetWindDrag(lbWorld* world, lbBodyId body, float windDrag); /* kg/(m^2 s) */

/* How it moves, as it is now; any of the pointers may be NULL. */
LB_API lbResult lbBody_GetIntegrator(const lbWorld* world, lbBodyId body, lbIntegratorKind* integrator,
                                     lbIntegratorSettings* settings, int* stepCount);

/* Of a body that is gone: NULL, a null id, and 0. */
LB_API const char* lbBody_GetName(const lbWorld* world, lbBodyId body);
LB_API lbModelId lbBody_GetModel(const lbWorld* world, lbBodyId body);
LB_API int lbBody_GetNodeCount(const lbWorld* world, lbBodyId body);
LB_API int lbBody_GetSkinPointCount(const lbWorld* world, lbBodyId body);
/* Tetrahedra that were flat or inside out at the end of the last frame: of a hundredth of their volume or less. Under
 * the corotational and neo-Hookean laws they come back; under Green's law they may not, and when it begins a warning
 * goes to lbHost.log, with the time and the number of one of them. The linear law takes no notice. */
LB_API int lbBody_GetInvertedCount(const lbWorld* world, lbBodyId body);

/* Nodes, in the order of the mesh: positions in m, velocities in m/s. Each array is (nodeCount x 3); either may be
 * NULL, and is then left as it is. What is set must be finite; velocities along directions that a pin holds become 0.
 */
LB_API lbResult lbBody_GetState(const lbWorld* world, lbBodyId body, float* positions, float* velocities);
LB_API lbResult lbBody_SetState(lbWorld* world, lbBodyId body, const float* positions, const float* velocities);
LB_API lbResult lbBody_GetMasses(const lbWorld* world, lbBodyId body, float* masses); /* (nodeCount) kg */

/* The skin, in the order of the shape's points: positions in m, velocities in m/s, unit normals. Each array is
 * (skinPointCount x 3); any may be NULL. As they were at the end of the last frame. */
LB_API lbResult lbBody_GetSkin(const lbWorld* world, lbBodyId body, float* positions, float* velocities,
                               float* normals);
/* Where the skin points stood when the body was created: what regions choose by. (skinPointCount x 3) m. */
LB_API lbResult lbBody_GetSkinStart(const lbWorld* world, lbBodyId body, float* positions);

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

/* ---- Equilibrium ------------------------------------------------------------------------------------------------- */

typedef struct lbEquilibriumDef {
    float tolerance;    /* the unbalanced forces that may stay, as a share of weight and loads; default 1e-4 */
    int iterationLimit; /* steps of Newton's method; default 500 */
    uint32_t cookie;    /* set by lbDefaultEquilibriumDef() */
} lbEquilibriumDef;

typedef struct lbEquilibriumReport {
    int iterations;    /* steps of Newton's method */
    int products;      /* products with the tangent in all of them */
    double residual;   /* the unbalanced forces, as a share of weight and loads (Euclidean norms over all nodes) */
    double worstForce; /* N, the largest unbalanced force on a node */
} lbEquilibriumReport;

LB_API lbEquilibriumDef lbDefaultEquilibriumDef(void);
/* Moves a body to where its forces, weight and loads balance, pins held, and lets it rest there. Tools and grabs take
 * no part. Positions are float32: the search also ends when unbalanced forces are no more than their rounding makes.
 * Fails when it finds no equilibrium; the body is then as it was. `report` may be NULL. */
LB_API lbResult lbBody_SolveEquilibrium(lbWorld* world, lbBodyId body, const lbEquilibriumDef* def,
                                        lbEquilibriumReport* report);

/* ---- Regions: a part of a body, chosen where it stood when it was created ---------------------------------------- */

typedef enum lbRegionKind { lb_regionAll, lb_regionBox, lb_regionSphere, lb_regionHalfSpace } lbRegionKind;
typedef enum lbRegionPart {
    lb_partNodes,  /* the nodes inside */
    lb_partSurface /* the skin points within */
} lbRegionPart;

/* In the world's coordinates. A zeroed one is all of the nodes. */
typedef struct lbRegion {
    lbRegionKind kind;
    lbRegionPart part;
    lbBox box;     /* lb_regionBox, m */
    lbVec3 center; /* lb_regionSphere, m */
    float radius;  /* lb_regionSphere, m */
    lbVec3 point;  /* lb_regionHalfSpace: a point of its plane, m */
    lbVec3 normal; /* lb_regionHalfSpace: the side it points to is outside */
} lbRegion;

/* A part of a model that is of other matter: the tetrahedra whose centre lies in a region. */
typedef struct lbZone {
    lbRegion region;   /* in the model's own coordinates; zeroed: all */
    bool byMeshRegion; /* of these, only those of one region of the tetrahedral mesh that the model was given */
    int meshRegion;    /* its number; with byMeshRegion */
    lbMatter matter;
} lbZone;

/* Writes up to `capacity` indices (nodes or skin points, as the region's part says) and how many there are. */
LB_API lbResult lbBody_Select(const lbWorld* world, lbBodyId body, const lbRegion* region, int* indices, int capacity,
                              int* count);
/* The skin point nearest to a place, where the body stood when it was created. */
LB_API lbResult lbBody_FindSkinPoint(const lbWorld* world, lbBodyId body, lbVec3 place, int* skinPoint);

/* ---- Pins -------------------------------------------------------------------------------------------------------- */

typedef enum lbPinKind {
    lb_pinAxes, /* holds the axes */
    lb_pinLine, /* nodes can slide along the direction only */
    lb_pinPlane /* nodes can slide in the plane across the direction only */
} lbPinKind;

/* The axes that a pin holds: a sum of these. */
enum { lb_axisX = 1, lb_axisY = 2, lb_axisZ = 4, lb_axisAll = 7 };

typedef struct lbPinDef {
    lbBodyId body;
    lbRegion region;  /* of nodes; with lb_partSurface: the nodes that carry the chosen skin points */
    lbPinKind kind;   /* default lb_pinAxes */
    unsigned axes;    /* lb_pinAxes: which are held, lb_axisX | ...; default all */
    lbVec3 direction; /* lb_pinLine, lb_pinPlane; need not be of unit length */
    uint32_t cookie;  /* set by lbDefaultPinDef() */
} lbPinDef;

LB_API lbPinDef lbDefaultPinDef(void);
/* Holds nodes where they are. A region that holds no node is an error. */
LB_API lbResult lbCreatePin(lbWorld* world, const lbPinDef* def, lbPinId* pin);
/* Lets the nodes go. */
LB_API lbResult lbDestroyPin(lbWorld* world, lbPinId pin);
/* The force with which the body pulls on the pin, N. */
LB_API lbResult lbPin_GetForce(const lbWorld* world, lbPinId pin, lbVec3* force);
/* The body it holds; a null id for a pin that is gone. */
LB_API lbBodyId lbPin_GetBody(const lbWorld* world, lbPinId pin);
/* Where it is now: the mean of its nodes, m. */
LB_API lbResult lbPin_GetPosition(const lbWorld* world, lbPinId pin, lbVec3* position);
/* Writes up to `capacity` of the nodes it holds, and how many there are. */
LB_API lbResult lbPin_GetNodes(const lbWorld* world, lbPinId pin, int* nodes, int capacity, int* count);

/* Where the pin's nodes shall be at the end of the next frame, m from where they were when it was made; they move there
 * evenly. Only along directions that the pin holds. */
LB_API lbResult lbPin_MoveTo(lbWorld* world, lbPinId pin, lbVec3 offset);

/* ---- Loads ------------------------------------------------------------------------------------------------------- */

typedef struct lbLoadDef {
    lbBodyId body;
    lbRegion region; /* nodes: the force is shared by mass; surface: by area */
    lbVec3 force;    /* N, in all */
    float pressure;  /* Pa, pushes the surface inwards, follows it as it turns; lb_partSurface only */
    uint32_t cookie; /* set by lbDefaultLoadDef() */
} lbLoadDef;

/* No force, no pressure. A region that holds nothing is an error. */
LB_API lbLoadDef lbDefaultLoadDef(void);
LB_API lbResult lbCreateLoad(lbWorld* world, const lbLoadDef* def, lbLoadId* load);
LB_API lbResult lbDestroyLoad(lbWorld* world, lbLoadId load);
/* N and Pa, as in the definition, from the next frame on. */
LB_API lbResult lbLoad_Set(lbWorld* world, lbLoadId load, lbVec3 force, float pressure);

/* ---- Muscles ----------------------------------------------------------------------------------------------------- */

typedef struct lbMuscleDef {
    lbBodyId body;    /* of springs */
    lbRegion region;  /* springs with both ends inside; of nodes */
    lbVec3 direction; /* only springs within 30 degrees of it; zero: all */
    uint32_t cookie;  /* set by lbDefaultMuscleDef() */
} lbMuscleDef;

LB_API lbMuscleDef lbDefaultMuscleDef(void);
/* Makes springs that can change their length at rest. A region that holds no spring is an error. */
LB_API lbResult lbCreateMuscle(lbWorld* world, const lbMuscleDef* def, lbMuscleId* muscle);
LB_API lbResult lbDestroyMuscle(lbWorld* world, lbMuscleId muscle);
/* The length at rest at the end of the next frame, relative to the spring's own: 1 relaxed, below 1 contracted; 0.1
 * to 10. It changes evenly over the frame. */
LB_API lbResult lbMuscle_SetLength(lbWorld* world, lbMuscleId muscle, float length);

/* ---- Tools ------------------------------------------------------------------------------------------------------- */

typedef enum lbToolKind {
    lb_toolSphere,    /* radius */
    lb_toolHalfSpace, /* all below the plane through its position, whose normal is its own y axis: the ground */
    lb_toolKindCount
} lbToolKind;

typedef struct lbToolDef {
    lbToolKind kind;
    lbVec3 position; /* m; default the origin */
    lbQuat rotation; /* default none */
    float radius;    /* m; default 0.1. lb_toolSphere */
    uint32_t cookie; /* set by lbDefaultToolDef() */
} lbToolDef;

LB_API lbToolDef lbDefaultToolDef(lbToolKind kind);
/* It stays where it is until it is moved. */
LB_API lbResult lbCreateTool(lbWorld* world, const lbToolDef* def, lbToolId* tool);
LB_API lbResult lbDestroyTool(lbWorld* world, lbToolId tool);
/* Where the tool shall be at the end of the next frame; it moves there evenly, step by step. */
LB_API lbResult lbTool_MoveTo(lbWorld* world, lbToolId tool, lbVec3 position, lbQuat rotation);
LB_API lbResult lbTool_GetPosition(const lbWorld* world, lbToolId tool, lbVec3* position); /* m, now */
LB_API lbResult lbTool_GetRotation(const lbWorld* world, lbToolId tool, lbQuat* rotation); /* now */
/* What it is and where it is now, as a definition. */
LB_API lbResult lbTool_GetDef(const lbWorld* world, lbToolId tool, lbToolDef* def);
/* What bodies did to the tool in the last frame: mean force, N. Equal and opposite to what they got. */
LB_API lbResult lbTool_GetForce(const lbWorld* world, lbToolId tool, lbVec3* force);

/* A skin point that a tool pushed in the last frame. */
typedef struct lbContactPoint {
    lbVec3 position; /* m, of the skin point now */
    lbVec3 force;    /* N, on the body: mean over the frame. Of all contacts of a tool: minus its lbTool_GetForce */
    lbToolId tool;
    int skinPoint;
} lbContactPoint;

/* Writes up to `capacity` contacts of a body and how many there are. None after what makes its state jump
 * (lbBody_SetState, a tool that goes, lbWorld_Restore), until the next frame. */
LB_API lbResult lbBody_GetContacts(const lbWorld* world, lbBodyId body, lbContactPoint* contacts, int capacity,
                                   int* count);

/* "sphere", "half-space". NULL for a kind that does not exist; false for a name that none has. */
LB_API const char* lbToolKind_GetName(lbToolKind kind);
LB_API bool lbToolKind_FromName(const char* name, lbToolKind* kind);

/* ---- Grabs ------------------------------------------------------------------------------------------------------- */

typedef struct lbGrabDef {
    lbBodyId body;
    int skinPoint;   /* its index; lbBody_FindSkinPoint finds one */
    lbVec3 target;   /* m: where the point is pulled to */
    float stiffness; /* N/m; default 200 */
    float damping;   /* N s/m; default 2 */
    uint32_t cookie; /* set by lbDefaultGrabDef() */
} lbGrabDef;

LB_API lbGrabDef lbDefaultGrabDef(void);
/* A hand that pulls a point by a damped spring, stable at any stiffness. */
LB_API lbResult lbCreateGrab(lbWorld* world, const lbGrabDef* def, lbGrabId* grab);
LB_API lbResult lbDestroyGrab(lbWorld* world, lbGrabId grab);
/* Where the hand shall be at the end of the next frame, m; it moves there evenly. */
LB_API lbResult lbGrab_MoveTo(lbWorld* world, lbGrabId grab, lbVec3 target);
/* What the body did to the hand in the last frame: mean force, N. */
LB_API lbResult lbGrab_GetForce(const lbWorld* world, lbGrabId grab, lbVec3* force);
/* What it holds and where the hand is now, as a definition. */
LB_API lbResult lbGrab_GetDef(const lbWorld* world, lbGrabId grab, lbGrabDef* def);

#ifdef __cplusplus
}
#endif

#endif
