/* A body: state only. What it is made of is its model's; how it moves is behind lbBodyOps. */
#ifndef LIMBER_SRC_BODY_H
#define LIMBER_SRC_BODY_H

#include "base/math.h"
#include "body/model.h"
#include "body/touch.h"
#include "integrate/integrator.h"

typedef struct lbBody lbBody;

/* A place on the skin: a weighted sum of skin points. A skin point itself: weights 1, 0, 0. */
typedef struct lbSurfacePoint {
    int corner[3];
    float weight[3];
} lbSurfacePoint;

typedef struct lbPoints {
    int count;
    const lbSurfacePoint* points;
} lbPoints;

static inline lbSurfacePoint lb_at_skin_point(int point) {
    return (lbSurfacePoint){{point, point, point}, {1, 0, 0}};
}

/* Everything outside touches a body through surface, push and compliance, or, while it takes implicit steps, through
 * surface and touches (touch.h), and nothing else: tools, grabs, contact,
 * force feedback are then the same for springs, tetrahedra, voxels and precomputed bodies. */
enum {
    lb_mostSteps = 1000000, /* in a frame */
    lb_mostSlices = 32,     /* of a frame: contacts and grabs act at the start of each */
};

typedef struct lbBodyOps {
    /* How many steps a frame of dt seconds needs, as the body is now; more than lb_mostSteps if no number is enough. */
    int (*countSteps)(lbBody* body, double dt);
    /* Advances by h seconds. */
    void (*advance)(lbBody* body, double time, double h);
    /* Where surface points are and how they move: H q. Each (count x 3); either may be NULL. */
    void (*surface)(const lbBody* body, lbPoints points, float* x, float* v);
    /* Impulses on surface points, N s (count x 3): H^T. */
    void (*push)(lbBody* body, lbPoints points, const float* impulse);
    /* How surface velocities answer to impulses, 1/kg: (3 count x 3 count), row-major. H A^-1 H^T. */
    void (*compliance)(const lbBody* body, lbPoints points, float* matrix);
} lbBodyOps;

extern const lbBodyOps lb_dynamicBodyOps;

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

struct lbBody {
    const lbBodyOps* ops;
    const lbHost* host;
    lbTasks* tasks; /* NULL: the body is too small to be shared by threads, and may run beside others */
    lbModel* model;
    char name[64];
    lbVec3 position; /* placement at creation: rest coordinates to world coordinates */
    lbQuat rotation;

    float *x, *v; /* (nodeCount x 4) m, m/s */
    const lbIntegrator* integrator;
    int wantedSteps; /* in a frame; 0: as the stability bound asks */
    bool touched;    /* a tool is near or a hand holds it; set by the world, frame by frame */
    float shortness; /* of its steps beside those that contacts wish for, at most 1: found when steps are counted */
    lbIntegratorSettings settings;
    lbHistory history;
    lbBlockMatrix matrix; /* of implicit integrators */
    lbTouches touches;    /* of the step that comes, or runs now; set by the world (lb_touchWithin) */
    /* Gives impulses between forces and motion (lb_touchBetween); set by the world for the step that comes. NULL:
     * nothing is near. */
    void (*answer)(void* context);
    void* answerContext;
    lbSolve solve;   /* how the last implicit step went */
    double step;     /* s, of the step that runs now or ran last */
    float* shared;   /* (lb_sharedVectors x nodeCount x 4) scratch of laws that collect; NULL if none does */
    lbArena scratch; /* for the integrator, and between steps for what measures the body */

    lbVec3 gravity; /* m/s^2, the world's */
    lbVec3 wind;    /* m/s, the world's */
    float windDrag; /* kg/(m^2 s) */
    lbPointDamping pointDamping;
    float* activation; /* (lb_spring_place_count) of the first law; NULL without muscles */
    int heldCount;
    lbHeldNode* held; /* (heldCount) by node; computed from the pins */
    int* heldIndex;   /* (nodeCount) index into held, or -1 */
    float* load;      /* (nodeCount x 4) N, constant forces; computed from the loads */
    int pressureCount;
    lbPressure* pressures; /* (pressureCount) computed from the loads */

    float *skinX, *skinV; /* (skin.pointCount x 3) at the end of the last frame; scratch of surface forces within one */
    float* skinF;         /* (skin.pointCount x 3) N, scratch of surface forces */
    int invertedCount;    /* tetrahedra that were flat or inside out at the end of the last frame */
    double forceSeconds;  /* wall-clock time spent in force laws since the frame began */
    double touchSeconds;  /* in contacts and grabs between forces and motion */
    double advanceSeconds; /* and in steps, all this included */
};

lbResult lb_create_body(const lbHost* host, lbTasks* tasks, lbModel* model, const lbBodyDef* def, lbBody** body);
void lb_destroy_body(lbBody* body);

lbResult lb_check_step_count(int stepCount);
lbResult lb_check_point_damping(lbPointDamping damping);
lbResult lb_check_wind_drag(float windDrag);

/* Another method for the same state, without a history. On failure the body is unchanged. */
lbResult lb_set_integrator(lbBody* body, lbIntegratorKind kind, const lbIntegratorSettings* settings);

/* Moves the skin to where the nodes are. */
void lb_update_skin(lbBody* body, lbTasks* tasks);

/* All forces on the nodes, N (nodeCount x 4): laws, gravity, damping, loads. Pins are not applied. */
void lb_body_forces(lbBody* body, lbMoment moment, const float* x, const float* v, float* f);

/* The body as its integrator sees it. */
lbSystem lb_body_system(lbBody* body);

/* The longest stable step for the body as it is deformed now, s. */
double lb_body_stable_step(lbBody* body);

/* The activation of one of the model's laws, or NULL. */
static inline const float* lb_activation(const lbBody* body, int law) {
    return law == 0 ? body->activation : NULL;
}

/* Where a node or a skin point stood when the body was created. */
lbVec3 lb_node_start(const lbBody* body, int node);
lbVec3 lb_skin_start(const lbBody* body, int point);

static inline lbVec3 lb_filter(const float s[6], lbVec3 p) {
    return vec3(s[0] * p.x + s[3] * p.y + s[4] * p.z, s[3] * p.x + s[1] * p.y + s[5] * p.z,
                s[4] * p.x + s[5] * p.y + s[2] * p.z);
}

#endif
