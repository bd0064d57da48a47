/* A body: a name, a placement, a skin and operations. Everything else belongs to its kind, a folder or file beside this
 * one, whose struct begins with an lbBody. To add a kind: read src/body/rigid/rigid_body.c, a whole one.
 *
 * World, contact, scenes, recordings and the server know bodies by what is in this file, and nothing else. */
#ifndef LIMBER_SRC_BODY_H
#define LIMBER_SRC_BODY_H

#include "base/memory.h"
#include "base/symmetric.h"
#include "base/tasks.h"
#include "base/walk.h"
#include "body/model.h"
#include "body/side.h"
#include "limber/body.h"
#include "limber/field.h"
#include "limber/holds.h"
#include "matrix/conjugate_gradients.h"

enum { lb_mostSteps = 1000000 /* in a frame */ };

/* A body's part of the linear system that the step of an island is (contact/velocity_space.h):
 *
 *   A dv = b + impulses
 *
 * Vectors are (count x 4). Bodies whose velocities are known before they are pushed have b = 0, and A is their mass. */
typedef struct lbBlock {
    int count;
    double* dv; /* a guess at first */
    float* b;
    float* impulses;      /* what `push` has added up; NULL: velocities have it already */
    float *r, *z, *p, *q; /* for whoever solves it */
    /* How it moves as a whole, at the step's beginning. */
    bool free;         /* nothing holds it, so that it can */
    double mass;       /* kg */
    lbVec3d center;    /* m */
    double inertia[6]; /* kg m^2, about the centre: xx, yy, zz, xy, xz, yz */
} lbBlock;

/* A node that is not free: accelerations and velocities are multiplied by the symmetric matrix
 * (xx, yy, zz, xy, xz, yz). All zero: fixed; diag(1, 0, 1): free in the plane y = const. */
typedef struct lbHeldNode {
    int node;
    float filter[6];
} lbHeldNode;

/* Pressure on some of the skin's triangles. */
typedef struct lbPressure {
    int triangleCount;
    const int* triangles; /* (triangleCount) indices of skin triangles */
    float pascals;
} lbPressure;

/* How a body moves by forces and an integrator. */
typedef struct lbMotion {
    lbIntegratorKind integrator; /* changed by lbBodyOps.setIntegrator only, as are its settings */
    lbIntegratorKind method;     /* what it came to, where that is lb_integratorAutomatic; the same */
    lbIntegratorSettings settings;
    float frameTime;             /* s, for which it is chosen */
    int wantedSteps;             /* in a frame; 0: as the stability bound asks. May be written to, as what follows */
    lbPointDamping pointDamping; /* lbBodyOps.jump afterwards */
    float windDrag;              /* kg/(m^2 s); the same */
} lbMotion;

/* What can be asked of bodies that are made of nodes. */
typedef struct lbNodeOps {
    int (*count)(const lbBody* body);
    lbVec3 (*start)(const lbBody* body, int node); /* m, where it stood when the body was created */
    /* As they are now: (count x 4) m, m/s; (count) kg. */
    const float* (*positions)(const lbBody* body);
    const float* (*velocities)(const lbBody* body);
    const float* (*masses)(const lbBody* body);
    /* What the mesh that was given, or the mesher, calls each node: (count), from 0. NULL, as the next and
     * `displacements`: bodies whose nodes are not those of one mesh. */
    const int* (*numbers)(const lbBody* body);
    /* Marks (count) the corners of tetrahedra of a region of the mesh. */
    void (*markMeshRegion)(const lbBody* body, int region, bool* marks);
    /* Marks (count), by the numbers of the mesh that was given, what a region names: a group, or a list of nodes. */
    lbResult (*markNamed)(const lbBody* body, const lbRegion* region, bool* marks);
    /* (count x 3); either may be NULL. Velocities along what is held become 0. */
    void (*set)(lbBody* body, const float* positions, const float* velocities);
    /* Which nodes are held: (heldCount) each once. */
    void (*hold)(lbBody* body, int heldCount, const lbHeldNode* held);
    /* Adds to nodes' positions or velocities, along what is held: how driven pins move them. */
    void (*moveHeld)(lbBody* body, int node, lbVec3 position, lbVec3 velocity);
    /* Constant forces, N (count x 4), to be filled by the caller; lbBodyOps.jump afterwards. */
    float* (*loads)(lbBody* body);
    /* Shares of a force on all nodes by mass; they do not change with the density, not even in their last bits. */
    double (*relativeMass)(const lbBody* body, int node);
    /* The nodes that carry a skin point: up to lb_mostSideNodes. */
    int (*carriers)(const lbBody* body, int skinPoint, int* nodes, float* weights);
    /* Springs that can be muscles: how many places there are, the ends of one (false where there is none), and the
     * relative lengths at rest (count) or NULL without memory. No springs: 0 places. */
    int (*springPlaces)(const lbBody* body);
    bool (*springEnds)(const lbBody* body, int place, int ends[2]);
    float* (*activation)(lbBody* body);
    /* (count x 3) m, from where nodes stood when the body was created: as an equilibrium was found, in double; else as
     * positions have them. */
    lbResult (*displacements)(const lbBody* body, double* displacements);
    /* All forces on the nodes as they are now, N (count x 4): pins are not applied. Scratch; NULL without room. */
    const float* (*forces)(lbBody* body, double time);
} lbNodeOps;

/* What can be asked of bodies that move as a whole. Whoever calls has checked that poses and velocities are finite. */
typedef struct lbFrameOps {
    lbPose (*pose)(const lbBody* body); /* of the model's origin, now */
    /* Where it is when this share of the frame is over: guided bodies know that of every share; others say where they
     * are now. */
    lbPose (*poseAt)(const lbBody* body, float share);
    /* m/s of its centre (side.h: what arms begin at), rad/s. */
    void (*velocity)(const lbBody* body, lbVec3* linear, lbVec3* angular);
    void (*setPose)(lbBody* body, lbPose pose); /* at once */
    lbResult (*setVelocity)(lbBody* body, lbVec3 linear, lbVec3 angular);
    /* At the end of the frame that comes: (skinPointCount x 3) m of the skin in the model's own coordinates. */
    lbResult (*moveTo)(lbBody* body, lbPose pose);
    lbResult (*moveSkinTo)(lbBody* body, const float* positions);
} lbFrameOps;

/* What can be asked of bodies that have levels of detail. */
typedef struct lbDetailOps {
    void (*report)(const lbBody* body, lbDetailReport* report);
    lbResult (*set)(lbBody* body, float split, float merge, double budget);
    void (*skinLevels)(const lbBody* body, int* levels);
    /* Before it adapts to a frame of dt seconds: a shape that will be at `pose` at the end of it, and may come farther
     * by `reach` soon after, comes near these skin points. */
    void (*foresee)(lbBody* body, const struct lbCollisionShape* shape, lbPose pose, double dt, float reach, int count,
                    const int* points);
    /* After a frame: how long it took as a whole, and how long it may, s; 0: no limit. */
    void (*learn)(lbBody* body, double seconds, double allowed);
} lbDetailOps;

/* What a body does to a guided one that it feels. */
typedef struct lbFeltForce {
    int slot;             /* of the guided body in the world */
    lbVec3 force, moment; /* N; N m, about the world's origin */
} lbFeltForce;

/* Where a guided body pushes one that feels it. */
typedef struct lbFeltPoint {
    int slot;      /* of the guided body in the world */
    int skinPoint; /* of the body that feels it */
    lbVec3 force;  /* N, on that one */
    lbVec3 normal; /* unit, out of the guided one */
} lbFeltPoint;

typedef struct lbBodyOps {
    const char* kind; /* "dynamic", "rigid", ...: for people */
    bool guided;      /* it moves as it is told, and nothing pushes it */
    void (*destroy)(lbBody* body);

    /* ---- Steps: predict, then whoever touches it pushes, then finish ----------------------------------------------
     */

    /* Before anything else in a frame: what it is to be simulated by. NULL: that never changes. */
    void (*adapt)(lbBody* body, double dt);
    /* How many steps a frame of dt seconds needs, as the body is now; more than lb_mostSteps if no number is enough. */
    int (*countSteps)(lbBody* body, double dt);
    /* s, the longest stable step as it is now. */
    double (*stableStep)(lbBody* body);
    /* The same if nothing damped it; NULL: it makes no difference. */
    double (*undampedStep)(lbBody* body);
    /* Velocities at the end of the step as forces alone would have them; positions stay, but for methods that know no
     * place between the two: these take their whole step. Implicit bodies that are touched only prepare their linear
     * system: see openBlock. */
    void (*predict)(lbBody* body, lbStep step);
    /* Positions follow velocities. */
    void (*finish)(lbBody* body, lbStep step);

    /* ---- Surface points: where they are, how they move, how they answer -------------------------------------------
     */

    /* Of a step, before it is predicted; `step` must stay as long as the side. */
    void (*bindSkin)(lbBody* body, lbSurfacePoint place, const lbStep* step, lbSide* side);
    /* A point of a frame, m; NULL: the body has none. */
    void (*bindPoint)(lbBody* body, lbVec3 world, const lbStep* step, lbSide* side);
    /* m, at the step's beginning. */
    lbVec3 (*place)(const lbBody* body, const lbSide* side);
    /* m/s, mean over the step as it is predicted so far, impulses included; of an implicit body: at its beginning. */
    lbVec3 (*travel)(const lbBody* body, const lbSide* side);
    /* m/s, at the end of the step; as `travel` where positions follow velocities. */
    lbVec3 (*velocity)(const lbBody* body, const lbSide* side);
    /* N s. */
    void (*push)(lbBody* body, const lbSide* side, lbVec3 impulse);
    /* Between predict and finish: the side without its body, where `push` and `travel` come to no more than that.
     * False: they do not. NULL: never. */
    bool (*plainSide)(lbBody* body, const lbSide* side, lbPlainSide* plain);
    /* Whether positions have moved before others push: `travel` and `velocity` then differ. NULL: they never do. */
    bool (*hasMoved)(const lbBody* body);
    /* Before predict: an impulse that the step will bring, as far as is known, which bodies that move before others
     * push take as a force that acts all along. True: it is taken, and must not be pushed again. NULL: never. */
    bool (*preload)(lbBody* body, const lbSide* side, lbVec3 impulse);
    /* As push, but positions that have moved already stay: settles velocities after whole steps. */
    void (*pushVelocity)(lbBody* body, const lbSide* side, lbVec3 impulse);
    /* How `travel` answers to an impulse there, 1/kg: symmetric (xx, yy, zz, xy, xz, yz). Zero: not at all. */
    void (*compliance)(const lbBody* body, const lbSide* side, float c[6]);

    /* ---- Guided bodies that it feels ------------------------------------------------------------------------------
     */

    /* For bodies that solve their contact with shapes of guided bodies by themselves; NULL, all three: by rows, as
     * others. Once or more in a frame, after beginFrame: this one is near. */
    void (*feel)(lbBody* body, lbBody* guided, int slot, const struct lbCollisionShape* shape);
    /* After the frame: what it did to each of them; false: there is no such one. */
    bool (*felt)(const lbBody* body, int index, lbFeltForce* felt);
    void (*feltPressure)(const lbBody* body, float* pressure); /* adds Pa, (skinPointCount) */
    /* After the frame: points that they push, *at being where to look next, 0 at first; false: no more. */
    bool (*feltPoint)(const lbBody* body, int* at, lbFeltPoint* point);

    /* ---- Velocity space -------------------------------------------------------------------------------------------
     */

    /* Whether steps are linear systems, so that what touches the body must be part of them. */
    bool (*isImplicit)(const lbBody* body);
    /* Before openBlock: a row of the step is on this side, so that an impulse may come there. NULL: it is all the same.
     */
    void (*announce)(lbBody* body, const lbSide* side);
    /* Between predict and finish; memory is the body's own, valid until finish. */
    void (*openBlock)(lbBody* body, lbBlock* block);
    /* Adds H^T S H to A, S symmetric (xx, yy, zz, xy, xz, yz; kg), while the block is open. False: it is left to the
     * caller. */
    bool (*addResistance)(lbBody* body, const lbSide* side, const float s[6]);
    /* When all resistances are there: A and b are complete. */
    void (*closeBlock)(lbBody* body, lbBlock* block);
    void (*endBlock)(lbBody* body);          /* once it has served, before finish */
    void (*project)(lbBody* body, float* p); /* zeroes what is held; the functions that follow do it, too */
    void (*multiply)(lbBody* body, const float* p, float* q);                   /* q = A p */
    void (*residual)(lbBody* body, const double* dv, const float* b, float* r); /* r = b - A dv */
    /* z ~ A^-1 r, of a block that is free without motions as a whole: these come from `reduce`, what r does to the
     * whole (impulse and torque about the centre), and `expand`, which adds a motion (velocity and angular velocity) to
     * z. The three follow one another, with the same r and z: a body may put off part of the first to the others. */
    void (*precondition)(lbBody* body, const float* r, float* z);
    void (*reduce)(lbBody* body, const lbBlock* block, const float* r, double whole[6]);
    void (*expand)(lbBody* body, const lbBlock* block, const double whole[6], float* z);
    /* Of bodies whose sides are made of modes (lb_sideOfModes), H q and q += H^T p; NULL: it has no such sides. */
    lbVec3 (*gatherModes)(const lbBody* body, const lbSide* side, const float* q);
    lbVec3 (*gatherModesExactly)(const lbBody* body, const lbSide* side, const double* q);
    void (*scatterModes)(const lbBody* body, const lbSide* side, lbVec3 p, float* q);

    /* ---- Linear systems in contact space --------------------------------------------------------------------------
     */

    /* Before the first step of a frame: whether in steps of h seconds an implicit body can tell how it answers to
     * impulses without solving its linear system, about: by a matrix P near A, whose inverse is there. NULL: never. */
    bool (*prepareCompliance)(lbBody* body, double h);
    void (*beginCompliance)(lbBody* body);                           /* once the block is open, until it ends */
    void (*applyCompliance)(lbBody* body, const float* r, float* z); /* z = P^-1 r */
    /* How a node answers to an impulse on another but for the motion of the whole: an entry of Q E Q^T, about P^-1 -
     * R G R^T (row by row; 1/kg). */
    void (*nodeCompliance)(const lbBody* body, int a, int b, float block[9]);

    /* ---- Between frames -------------------------------------------------------------------------------------------
     */

    /* Before the first step of a frame of dt seconds, and after its last, before updateSkin; NULL: nothing is to be
     * done. */
    void (*beginFrame)(lbBody* body, double dt);
    void (*endFrame)(lbBody* body);
    void (*updateSkin)(lbBody* body, lbTasks* tasks);
    void (*walk)(lbBody* body, lbWalk* walk); /* its state, for hashes and files */
    void (*jump)(lbBody* body);               /* its state or its forces have jumped: what was remembered is void */
    /* How it moves by itself; NULL: it has no such settings. What is read from it is true; what may be changed by
     * writing to it is said beside lbMotion. */
    lbMotion* (*motion)(lbBody* body);
    lbResult (*setIntegrator)(lbBody* body, lbIntegratorKind kind, const lbIntegratorSettings* settings);
    lbEnergy (*energy)(const lbBody* body);
    lbMomentum (*momentum)(const lbBody* body);
    bool (*hasField)(const lbBody* body, lbFieldKind kind);
    void (*measureField)(lbBody* body, lbFieldKind kind, float* values); /* (skinPointCount) */
    void (*measureNodes)(lbBody* body, lbFieldKind kind, float* values); /* (nodeCount) NULL: it cannot */
    /* The part whose state is worst: the first that is not finite, else the one that moves fastest relative to the
     * whole. Sets that speed (m/s; NaN where not finite). */
    int (*findWorst)(const lbBody* body, double* speed);
    /* Elements that are flat or inside out; text: what the law is that does not bring them back, if any. */
    int (*countInverted)(const lbBody* body, char* text, size_t room);
    /* `prescribed`: (nodeCount x 3) m, how far held components of nodes are to move; NULL: they stay. */
    lbResult (*solveEquilibrium)(lbBody* body, const double* prescribed, const lbEquilibriumDef* def,
                                 lbEquilibriumReport* report);

    const lbNodeOps* nodes;    /* NULL: it has none */
    const lbDetailOps* detail; /* NULL: it has no levels of detail */
    const lbFrameOps* frame;   /* NULL: it does not move as a whole */
} lbBodyOps;

struct lbBody {
    const lbBodyOps* ops;
    const lbHost* host;
    lbTasks* tasks; /* NULL: the body is too small to be shared by threads, and may run beside others */
    lbModel* model;
    char name[64];
    lbVec3 position; /* placement at creation: rest coordinates to world coordinates */
    lbQuat rotation;

    double mass;       /* kg, in all, as of the last step; 0: guided */
    lbVec3 gravity;    /* m/s^2, the world's */
    lbVec3 wind;       /* m/s, the world's */
    float friction;    /* Coulomb's coefficient */
    float restitution; /* 0 to 1 */
    float thickness;   /* m, distance that is kept from its skin */
    lbSelfContact selfContact;
    int pressureCount;
    lbPressure* pressures; /* (pressureCount) computed from the loads */

    float *skinX, *skinV;  /* (model->skinPointCount x 3) at the end of the last frame */
    lbSolverReport solver; /* of the frame that runs now, or ran last */
    int stepCount;         /* the same: steps that it asked for */
    bool toldDamping;      /* whether damping sets its steps has been looked at */
    int invertedCount;     /* elements that were flat or inside out at the end of the last frame */
    int collider;          /* which of the world's it is in the frame that runs now */
    double forceSeconds;   /* wall-clock time spent in force laws since the frame began */
};

lbResult lb_create_body(const lbHost* host, lbTasks* tasks, lbModel* model, const lbBodyDef* def, lbBody** body);
void lb_destroy_body(lbBody* body); /* NULL is fine */

/* For kinds: checks a definition; fills what all bodies have; releases it. */
lbResult lb_begin_body(lbBody* body, const lbBodyOps* ops, const lbHost* host, lbModel* model, const lbBodyDef* def);
void lb_end_body(lbBody* body);

lbResult lb_check_step_count(int stepCount);
lbResult lb_check_point_damping(lbPointDamping damping);
lbResult lb_check_wind_drag(float windDrag);
/* Of kinds that have none. */
lbResult lb_refuse_integrator(lbBody* body, lbIntegratorKind kind, const lbIntegratorSettings* settings);
lbResult lb_check_surface(float friction, float restitution, float thickness);
lbResult lb_check_self_contact(lbSelfContact selfContact);

/* A step that nothing touches. */
static inline void lb_advance_body(lbBody* body, double time, double h) {
    lbStep step = {.time = time, .h = h, .begin = 0, .end = 1};
    body->ops->predict(body, step);
    body->ops->finish(body, step);
}

/* Adds a step's linear solution to what the frame's were. */
void lb_tally_solve(lbBody* body, const lbSolve* solve);

/* Where a skin point stood when the body was created. */
lbVec3 lb_skin_start(const lbBody* body, int point);

static inline int lb_node_count(const lbBody* body) {
    return body->ops->nodes != NULL ? body->ops->nodes->count(body) : 0;
}

static inline lbVec3 lb_filter(const float s[6], lbVec3 p) {
    return symmetric_apply(s, p);
}

#endif
