/* Models: a shape, what is simulated inside it, its material and its law; baked once, shared by bodies. */
#ifndef LIMBER_MODEL_H
#define LIMBER_MODEL_H

#include "limber/base.h"
#include "limber/collision.h"
#include "limber/ids.h"
#include "limber/region.h"
#include "limber/shape.h"
#include "limber/tet_mesh.h"
#include "limber/voxel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lbMeshKind {
    lb_meshTetGrid,    /* a grid of cubes through the shape, each cut into five tetrahedra; holds solids */
    lb_meshCloth,      /* the surface itself: springs for structure, shear and bending */
    lb_meshLayered,    /* the surface and a copy of it inside, joined by springs: a shell that keeps its shape */
    lb_meshTets,       /* tetrahedra that end at the surface, by isosurface stuffing; see lbMeshSurface */
    lb_meshStructured, /* an exact mesh of a box, cylinder or tube along an axis; see lbGenerateTetMesh */
    lb_meshLevels,     /* the shape several times, coarse to fine: of an adaptive model */
    lb_meshVoxels,     /* hexahedra at any resolution, for any surface, even an open one, or of an image */
    lb_meshGiven,      /* lbModelDef.tetMesh. Scenes call it "file" */
    lb_meshKindCount
} lbMeshKind;

/* How full the finest cells of a voxel mesh are that the surface passes through. */
typedef enum lbVoxelFill {
    lb_fillFraction, /* as full as they are, sampled; cells of open sheets by their thickness, or half */
    lb_fillHalf      /* half */
} lbVoxelFill;

/* How the stiffness of a voxel mesh's hexahedra follows from the finest cells in them. */
typedef enum lbVoxelStiffness {
    lb_stiffnessEnhanced,   /* as non-uniform, and free to bend within: neither too stiff nor locked near nu = 0.5 */
    lb_stiffnessCondensed,  /* nodes of finer cells inside a hexahedron are free to move */
    lb_stiffnessNonUniform, /* by where matter is in them */
    lb_stiffnessUniform     /* by how full they are in all */
} lbVoxelStiffness;

/* What counts as inside of a voxel mesh's surface. */
typedef enum lbVoxelInside {
    lb_insideAuto,   /* what cannot be reached from outside, through holes that are large against the surface */
    lb_insideFlood,  /* what cannot be reached from outside, through any hole */
    lb_insideWinding /* what the surface winds around */
} lbVoxelInside;

typedef struct lbMeshDef {
    lbMeshKind kind; /* default lb_meshTetGrid */
    float edge;      /* wanted edge length of the cubes, tetrahedra or cells, m; 0: a twelfth of the longest side.
                        lb_meshTetGrid, lb_meshTets, lb_meshStructured; lb_meshLevels: of the coarsest, each level has
                        half of the one before (0: a fifth of the longest side) */
    float thickness; /* of the sheet, or between the layers, m; default 0.001. lb_meshCloth, lb_meshLayered */
    float prestrain; /* 0 to below 1: springs of the surface are at rest when shorter by this share, so that it stands
                        under tension; default 0. lb_meshCloth, lb_meshLayered */
    float bend;      /* stiffness of the springs that resist bending, relative to those along edges; default 0.02.
                        lb_meshCloth */
    int cells[3];    /* along each direction, as in lbTetGeneratorDef; 0: as many as suit the edge. lb_meshStructured */
    bool relax;      /* as in lbMesherDef; default false. lb_meshTets, lb_meshLevels */
    int levels;      /* how many, 2 to 8; default 3. lb_meshLevels */
    bool structured; /* levels as lb_meshStructured makes them; default false. lb_meshLevels */
    /* lb_meshVoxels: */
    int depth;           /* of the octree: finest cells are 2^depth along the longest side; default 5 */
    int mechanicalDepth; /* where hexahedra are; at most `depth`; default 3 */
    int elements; /* 0, or how many hexahedra are wanted, about: their size then follows from that, and the finest cells
                     are 2^(depth - mechanicalDepth) in each direction. Default 0 */
    lbVoxelFill fill;     /* default lb_fillFraction */
    float sheetThickness; /* m, of open sheets, with lb_fillFraction; default 0: their finest cells are half full */
    lbVoxelStiffness stiffness; /* default lb_stiffnessEnhanced */
    lbVoxelInside inside;       /* default lb_insideAuto */
    bool keepVoids;             /* cavities that the surface encloses stay empty; default false: they are filled */
    bool splitEdges;            /* the surface's edges that are longer than a hexahedron are cut where they cross faces
                                   between hexahedra, so that it bends where they do: lbModel_GetShape then has more
                                   points, those of the definition's shape first; default false */
    bool joinParts;             /* parts that are not connected but share a hexahedron move together; default false */
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

/* What the corotational law on hexahedra takes for an element's rotation. */
typedef enum lbRotationKind {
    lb_rotationPolar,    /* the one nearest to its mean deformation: forces have an energy, and keep momentum */
    lb_rotationMeanEdges /* its mean edges along x, then y, made orthonormal: faster, and depends on their order */
} lbRotationKind;

typedef struct lbLawDef {
    lbLawKind kind;
    float springStiffness;   /* k of every spring, N/m (power: N); 0: from Young's modulus, slope E V / L^2 at rest */
    float springDamping;     /* N s/m of every spring; used when springStiffness is given */
    lbSpringForm springForm; /* default lb_springLinear */
    int springPower;         /* of lb_springPower: odd, 1 to 15; default 3 */
    lbSpringDamping springDampingForm; /* default lb_dampingExact */
    lbLinearBoundary boundary;         /* of lb_lawLinear; default lb_boundaryFull */
    lbIncompressible incompressible;   /* of laws on tetrahedra; default lb_incompressibleAveraged */
    lbRotationKind rotation;           /* of lb_lawCorotational on voxels; default lb_rotationPolar */
} lbLawDef;

/* Penalties that keep what springs alone do not. All keep momentum. 0: none. */
typedef struct lbPenaltyDef {
    float volume;  /* Pa: on the volume of each tetrahedron; meshes of tetrahedra only */
    float area;    /* N/m: on the area of each triangle of the surface */
    float surface; /* N/m: on the signed distance of each triangle's neighbours from its plane */
} lbPenaltyDef;

/* A part of a model that is of other matter: the tetrahedra whose centre lies in a region. */
typedef struct lbZone {
    lbRegion region;   /* in the model's own coordinates; zeroed: all */
    bool byMeshRegion; /* of these, only those of one region of the tetrahedral mesh that the model was given */
    int meshRegion;    /* its number; with byMeshRegion */
    lbMatter matter;
} lbZone;

/* What bodies of a model are. */
typedef enum lbModelKind {
    lb_modelDynamic,      /* soft: nodes that move by force laws */
    lb_modelRigid,        /* stiff: moves as a whole, by what touches it (free bodies) or as it is told (guided ones) */
    lb_modelAdaptive,     /* soft, and as fine as it must be where it must be: levels of detail (lb_meshLevels) */
    lb_modelElastostatic, /* precomputed: answers at once to its controls, without dynamics (limber/elastostatic.h) */
    lb_modelCompliant,    /* precomputed: gives way at once wherever it is touched (limber/response.h) */
    lb_modelKindCount
} lbModelKind;

/* "dynamic", "rigid", "adaptive", "elastostatic", "compliant". NULL for a kind that does not exist; false for a name
 * that none has.
 */
LB_API const char* lbModelKind_GetName(lbModelKind kind);
LB_API bool lbModelKind_FromName(const char* name, lbModelKind* kind);

typedef struct lbModelDef {
    lbModelKind kind; /* default lb_modelDynamic. Of a rigid one, shape, collision, deforms and the material's density
                         count, and nothing else */
    const lbShape* shape; /* copied; with a tetMesh it may be NULL: its surface is then shown. Of a rigid model it may
                             be NULL if it collides by a sphere, capsule, box or half-space: that is then shown */
    lbCollisionDef
        collision; /* lb_modelRigid: how others meet it; default a mesh, whose shape is the model's if NULL */
    bool deforms;  /* lb_modelRigid: guided bodies of it may change their shape (lbBody_MoveSkinTo); they collide by
                      their  skin, and none of them is free. Default false */
    lbMeshDef mesh;
    int levelMeshCount;
    const lbTetMesh* const* levelMeshes; /* lb_modelAdaptive: (levelMeshCount) meshes of one shape, coarse to fine, in
                                            place of those that lb_meshLevels would make; copied. Else none */
    const lbTetMesh* tetMesh;            /* lb_meshGiven: what is simulated; copied. Else NULL */
    const lbVoxelImage* image; /* lb_meshVoxels: what is simulated, instead of what the shape encloses; copied. The
                                  shape may then be NULL: the image's surface is shown. Default NULL */
    lbMaterial material;
    lbLawDef law;
    lbPenaltyDef penalty;
    float nodeMass; /* kg of every node; 0: from the density */
    /* Other matter in some tetrahedra, for the laws of tetrahedra. Copied; none by default. */
    int zoneCount;
    const lbZone* zones; /* (zoneCount) parts of the body; where they overlap the later one counts */
    int elementMatterCount;
    const lbMatter* elementMatter; /* (elementMatterCount) one for each tetrahedron, in the order of the mesh as it was
                                      given; counts above zones */
    struct lbElastostatic* elastostatic; /* lb_modelElastostatic: what was precomputed, and all that counts; kept as
                                            long as the model is there. Else NULL */
    struct lbResponse* response;         /* lb_modelCompliant: the same */
    uint32_t cookie;                     /* set by lbDefaultModelDef() */
} lbModelDef;

LB_API lbModelDef lbDefaultModelDef(void);
/* Bakes: this may take long. Fails on a shape that cannot be meshed as asked, naming what and where. */
LB_API lbResult lbCreateModel(lbWorld* world, const lbModelDef* def, lbModelId* model);
/* Refused while a body uses it. */
LB_API lbResult lbDestroyModel(lbWorld* world, lbModelId model);

typedef struct lbModelInfo {
    int nodeCount, springCount, tetCount, skinPointCount, skinTriangleCount;
    int hexCount;            /* of voxel meshes */
    int hexMatrixCount;      /* different stiffness matrices of these */
    lbVec3 hexSize;          /* m, the sides of each at rest; zero without hexahedra */
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
/* The tetrahedra that are simulated, four nodes each, of positive volume; a hexahedron as six, around the diagonal from
 * the first node to the last of each. Writes up to `capacity` of them (capacity x 4) and how many there are. */
LB_API lbResult lbModel_GetTets(const lbWorld* world, lbModelId model, int* tets, int capacity, int* count);

/* The names that scenes use: "tet-grid", "springs", ... NULL for a kind that does not exist; false for a name that none
 * has. */
LB_API const char* lbMeshKind_GetName(lbMeshKind kind);
LB_API bool lbMeshKind_FromName(const char* name, lbMeshKind* kind);
LB_API const char* lbLawKind_GetName(lbLawKind kind);
LB_API bool lbLawKind_FromName(const char* name, lbLawKind* kind);

#ifdef __cplusplus
}
#endif

#endif
