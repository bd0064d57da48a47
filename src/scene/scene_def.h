/* A scene as it is written in its file: checked, with names resolved to indices, before anything is built from it. */
#ifndef LIMBER_SRC_SCENE_DEF_H
#define LIMBER_SRC_SCENE_DEF_H

#include "limber/base.h"
#include "limber/body.h"
#include "limber/contact.h"
#include "limber/elastostatic.h"
#include "limber/holds.h"
#include "limber/model.h"
#include "limber/response.h"
#include "limber/shape.h"
#include "limber/world.h"

enum { lb_sceneFileLimit = 64 };

/* A file that the scene carries within itself. */
typedef struct lbSceneFile {
    const char *name, *base64;
} lbSceneFile;

enum { lb_sceneNameLimit = 64, lb_noIndex = -1, lb_lowestFrameRate = 1, lb_highestFrameRate = 10000 /* 1/s */ };

/* What a body looks like. */
typedef struct lbSceneShape {
    const char* file; /* NULL: made by the generator */
    bool flip;        /* its triangles are turned: it was inside out */
    float fit;        /* m: length of the longest side after centring; 0: as it is */
    float edge;       /* m: of a file, longer edges are halved; 0: as they are */
    lbGeneratorDef generator;
    lbVec3 scale;
    bool hasColor;
    lbVec3 color;    /* linear red, green, blue, 0 to 1 */
    float roughness; /* 0 to 1 */
} lbSceneShape;

/* Where something is and how it is turned. */
typedef struct lbScenePose {
    lbVec3 position;
    lbQuat rotation;
} lbScenePose;

typedef struct lbWaypoint {
    double time;      /* s, after the path's beginning; increases along it */
    lbScenePose pose; /* of a pin: the offset from where it was made, as a position */
    bool turns;       /* the rotation was given; else it stays what it was */
} lbWaypoint;

typedef struct lbPath {
    int count; /* 0: no path */
    const lbWaypoint* points;
    bool smooth; /* comes to rest at each waypoint, instead of moving evenly between them */
} lbPath;

/* The shape that something guided has at some moment. */
typedef struct lbShapeKey {
    double time; /* s, increases along the list */
    lbSceneShape shape;
} lbShapeKey;

typedef struct lbShapeKeys {
    int count; /* 0: keeps its shape */
    const lbShapeKey* keys;
} lbShapeKeys;

/* Where a control of a precomputed body is at some moment. */
typedef struct lbControlKey {
    double time; /* s, increases along the list */
    lbVec3 translation;
    lbQuat rotation;
    lbVec3 scale;
} lbControlKey;

typedef struct lbSceneControl {
    const char* name;
    int region; /* lb_noIndex: an end of a tube, or in the file */
    bool byMeshRegion;
    int meshRegion;
    const char* group; /* of nodes, as the mesh's file names it; NULL: none */
    bool fixed, free;
    lbVec3 force, torque; /* N, N m, of a free one */
    int keyCount;
    const lbControlKey* keys;
    int index; /* of the model's; once it is built */
} lbSceneControl;

typedef struct lbSceneModeLoad {
    const char* name;
    int region;
    lbVec3 force;   /* N */
    float pressure; /* Pa */
    float share;    /* of it that acts */
} lbSceneModeLoad;

/* What is precomputed of a body. */
typedef struct lbSceneElastostatic {
    const char* file; /* NULL: it is precomputed when the scene is built */
    bool hasTube;
    lbTubeDef tube;
    int controlCount, loadCount;
    lbSceneControl* controls;
    lbSceneModeLoad* loads;
    lbBasisPrecision precision;
    lbStaticSolverKind solver;
    bool strain, stress;
    lbLinearityLimits limits;
} lbSceneElastostatic;

/* What is precomputed of a body that gives way wherever it is touched. */
typedef struct lbSceneCompliant {
    const char* file; /* NULL: it is precomputed when the scene is built */
    int heldCount;
    int* held;           /* (heldCount) regions that are held */
    bool finiteElements; /* else boundary elements */
    lbStaticSolverKind solver;
    lbTouchScheme scheme;
    float layer; /* m; negative: the usual one */
} lbSceneCompliant;

typedef struct lbSceneBody {
    const char* name;
    lbModelKind kind;
    bool hasShape; /* else the surface of the mesh, which is from a file, is shown */
    lbSceneShape shape;
    float friction, restitution; /* as in lbBodyDef */
    float thickness;             /* m */
    lbSelfContact selfContact;
    /* Of a rigid body: */
    bool guided;
    lbPath path;               /* of a guided one */
    lbShapeKeys keys;          /* of a guided one */
    lbCollisionKind collision; /* how others meet it */
    /* Of a soft one, but for the material's density: */
    lbMeshDef mesh;
    const char* meshFile; /* NULL: the mesh is made */
    float meshScale;      /* of the mesh that is in the file */
    int levelFileCount;   /* of meshes of kind levels: 0: they are made */
    const char** levelFiles;
    lbMaterial material;
    bool dampingGiven; /* the material's stiffnessDamping was */
    lbLawDef law;
    lbPenaltyDef penalty;
    float nodeMass; /* kg; 0: from the density */
    int zoneCount;
    lbZone* zones; /* (zoneCount) */
    lbVec3 position;
    lbQuat rotation;
    lbVec3 velocity, angularVelocity;
    lbIntegratorKind integrator;
    lbIntegratorSettings settings;
    int stepCount;
    lbPointDamping pointDamping;
    lbDetailDef detail;
    float windDrag;                    /* kg/(m^2 s) */
    bool equilibrium;                  /* begins where its forces balance */
    lbEquilibriumDef search;           /* for that */
    lbSceneElastostatic* elastostatic; /* of a precomputed one; else NULL */
    lbSceneCompliant* compliant;       /* of one that is precomputed at all its surface; else NULL */
} lbSceneBody;

typedef struct lbSceneRegion {
    const char* name;
    lbRegion region;
} lbSceneRegion;

typedef struct lbSceneLoad {
    const char* name;
    int body, region;
    lbVec3 force;    /* N */
    lbVec3 moment;   /* N m */
    lbVec3 traction; /* Pa */
    float pressure;  /* Pa */
} lbSceneLoad;

typedef struct lbScenePin {
    const char* name;
    int body, region;
    lbPinKind kind;
    bool carriers;    /* holds the nodes that carry the skin points, instead of the points */
    unsigned axes;    /* lb_pinAxes */
    lbVec3 direction; /* lb_pinLine, lb_pinPlane */
    lbPath path;
} lbScenePin;

/* The length at rest that a muscle has at some moment, relative to its own. */
typedef struct lbLengthKey {
    double time; /* s, increases along the list */
    float length;
} lbLengthKey;

/* A muscle swings, or goes from key to key. */
typedef struct lbSceneMuscle {
    const char* name;
    int body, region;
    lbVec3 direction; /* zero: springs of all directions */
    float amplitude;  /* of the relative length */
    double frequency; /* 1/s */
    double phase;     /* rad */
    double start;     /* s */
    int keyCount;     /* 0: swings */
    const lbLengthKey* keys;
    bool smooth; /* comes to rest at each key */
} lbSceneMuscle;

/* Changes of the wind that come and go by themselves. */
typedef struct lbGust {
    lbVec3 amplitude; /* m/s, the most along each axis */
    double frequency; /* 1/s, of the slowest change; 0: none */
} lbGust;

typedef struct lbSceneTool {
    const char* name;
    lbToolDef def;
    float thickness;    /* m */
    lbSceneShape shape; /* lb_toolMesh */
    lbPath path;
    lbShapeKeys keys; /* lb_toolMesh */
} lbSceneTool;

typedef struct lbSceneGrab {
    const char* name;
    int body;
    lbVec3 at;      /* the skin point nearest to this place */
    bool hasTarget; /* else it is held where it is at the beginning */
    lbVec3 target;
    bool hard;
    float stiffness, damping;
    double start; /* s */
    lbPath path;
} lbSceneGrab;

typedef struct lbSceneAttachment {
    const char* name;
    int body;
    lbVec3 point;    /* the skin point of the body that is nearest to this place */
    int other, tool; /* what it is attached to: one of them, the other lb_noIndex */
    bool hasToPoint; /* else it is attached where the point is */
    lbVec3 toPoint;  /* the skin point nearest to this place */
    bool keepDistance, hard;
    float stiffness, damping;
} lbSceneAttachment;

typedef enum lbEventKind {
    lb_eventReleasePin,
    lb_eventReleaseGrab,
    lb_eventReleaseAttachment,
    lb_eventStartGrab, /* made from a grab's "start" */
    lb_eventSetLoad,
    lb_eventSetGravity,
    lb_eventSetWind,
    lb_eventMovePin,
    lb_eventMoveBody,
    lb_eventMoveTool,
    lb_eventMoveGrab,
} lbEventKind;

typedef struct lbSceneEvent {
    double time; /* s */
    lbEventKind kind;
    int index; /* of the pin, grab, attachment, load, body or tool */
    bool hasForce, hasPressure, hasMoment, hasTraction;
    lbVec3 vector;   /* force, N, gravity, m/s^2, or wind, m/s */
    lbVec3 moment;   /* N m */
    lbVec3 traction; /* Pa */
    float pressure;  /* Pa */
    double over;     /* s that the change takes */
    lbPath path;
} lbSceneEvent;

typedef enum lbProbeKind {
    lb_probePosition,
    lb_probeDisplacement,
    lb_probeVelocity,
    lb_probeEnergy,
    lb_probeForce,
    lb_probeTorque,
    lb_probePose,
    lb_probeAngularVelocity,
    lb_probeContactPressure,
    lb_probeViolation,
    lb_probeSolver,
    lb_probeRotation,
    lb_probeEquilibrium,
    lb_probeKindCount
} lbProbeKind;

typedef struct lbSceneProbe {
    const char* name;
    lbProbeKind what;
    int body;   /* lb_noIndex for energy: all bodies */
    int region; /* lb_noIndex: a point, or the whole body */
    bool hasPoint;
    lbVec3 point;
    int pin, tool, grab, attachment; /* of a force: one of them or the body, the others lb_noIndex */
    int column;                      /* the first of its columns */
} lbSceneProbe;

typedef struct lbProbeColumn {
    const char* name;
    const char* unit;
} lbProbeColumn;

/* All pointers belong to the definition. */
typedef struct lbSceneDef {
    const lbHost* host;
    struct lbSceneBlock* blocks; /* everything that was allocated */
    const char* file;            /* as messages name it */
    const char* name;
    const char* description;
    double frameRate; /* 1/s */
    int frameCount;
    double budget; /* s of a frame (lbWorld_SetBudget); 0: no limit */
    lbVec3 gravity;
    lbVec3 wind; /* m/s */
    lbGust gust;
    int regionCount, bodyCount, pinCount, muscleCount, loadCount, toolCount, grabCount, attachmentCount, eventCount;
    int probeCount, columnCount;
    lbSceneRegion* regions;
    lbSceneBody* bodies;
    lbScenePin* pins;
    lbSceneMuscle* muscles;
    lbSceneLoad* loads;
    bool hasGround;
    lbSceneTool* tools; /* the ground comes first, if there is one */
    lbSceneGrab* grabs;
    lbSceneAttachment* attachments;
    lbSceneEvent* events; /* grabs' beginnings, then those of the file, in its order */
    lbSceneProbe* probes;
    lbProbeColumn* columns; /* (columnCount) */
    bool* recorded;         /* (bodyCount) */
    int recordEvery;        /* frames */
    int fileCount;
    lbSceneFile* files; /* (fileCount) if there are any, all files that the scene names are among them */
} lbSceneDef;

/* Reads and checks a scene's text. */
lbResult lb_read_scene_def(const lbHost* host, const char* text, size_t size, const char* file, lbSceneDef** def);
void lb_free_scene_def(lbSceneDef* def); /* NULL is fine */

lbResult lb_create_scene_def(const lbHost* host, const char* file, lbSceneDef** def);
/* Zeroed memory that lives as long as the definition; NULL if there is none. */
void* lb_scene_take(lbSceneDef* def, int64_t count, size_t size);
const char* lb_scene_copy(lbSceneDef* def, const char* text);

#endif
