/* The kind *dynamic*: nodes that move by force laws and an integrator. */
#ifndef LIMBER_SRC_DYNAMIC_BODY_H
#define LIMBER_SRC_DYNAMIC_BODY_H

#include "body/body.h"
#include "body/dynamic/dynamic_model.h"
#include "integrate/integrator.h"
#include "integrate/theta.h"

/* How a body moves as a whole, at the beginning of a step. */
typedef struct lbWholeMotion {
    bool free;
    double mass;
    lbVec3d center;
    double inertia[6], inverse[6]; /* about the centre */
    double push[6];                /* what the vector does to it that was preconditioned last */
    double surplus[6];             /* the motion that is still to be taken from the outcome */
} lbWholeMotion;

typedef struct lbDynamicBody {
    lbBody base;
    lbDynamicModel* model; /* base.model */
    lbMotion motion;
    float *x, *v; /* (nodeCount x 4) m, m/s */
    const lbIntegrator* integrator;
    lbHistory history;
    lbBlockMatrix matrix; /* of implicit integrators */
    lbSolve solve;        /* how the last implicit step went */
    double step;          /* s, of the step that runs now or ran last */
    float* shared;        /* (lb_sharedVectors x nodeCount x 4) scratch of laws that collect; NULL if none does */
    lbArena scratch;      /* for the integrator, and between steps for what measures the body */

    float* activation; /* (lb_spring_place_count) of the first law; NULL without muscles */
    int heldCount;
    lbHeldNode* held; /* (heldCount) by node; computed from the pins */
    int* heldIndex;   /* (nodeCount) index into held, or -1 */
    float* load;      /* (nodeCount x 4) N, constant forces; computed from the loads */
    double* settled;  /* (nodeCount x 3) m, displacements of the last equilibrium that was found, of which x are rounded
                         until the body moves. Steps do not depend on them. NULL: there was none */
    float* skinF;     /* (skin.pointCount x 3) N, scratch of surface forces */

    /* Of the step that runs now: */
    const lbIntegrator* stepping; /* the method it takes, which may be another while the body is touched */
    float* rate; /* (nodeCount x 4) m/s, of methods without a place between velocities and positions: mean velocity over
                    the step, without pushes */
    float* kick; /* (nodeCount x 4) m/s, of the same: what pushes add to it */
    float* preload;   /* (nodeCount x 4) N s, of the same: impulses that act as forces all along the step */
    bool preloaded;   /* some are not zero */
    lbOpenStep open;  /* of a touched implicit step */
    uint8_t* touched; /* (nodeCount) of the same: nodes that rows of the step are on */
    bool pushed;
    lbWholeMotion whole;                     /* of the block that is open */
    float* offsets;                          /* (nodeCount x 4) m, of the same: nodes from its centre */
    const struct lbDenseInverse* compliance; /* for steps of the frame that runs now (rest_compliance.h); or NULL */
    float* turns;                            /* (nodeCount x 9) of the same, while a block is open */
} lbDynamicBody;

extern const lbBodyOps lb_dynamicBodyOps;
extern const lbNodeOps lb_dynamicNodeOps;

static inline lbDynamicBody* lb_dynamic(lbBody* body) {
    return (lbDynamicBody*)body;
}
static inline const lbDynamicBody* lb_dynamic_const(const lbBody* body) {
    return (const lbDynamicBody*)body;
}

lbResult lb_create_dynamic_body(const lbHost* host, lbTasks* tasks, lbModel* model, const lbBodyDef* def,
                                lbBody** body);

/* All forces on the nodes, N (nodeCount x 4): laws, gravity, damping, loads. Pins are not applied. */
void lb_body_forces(lbDynamicBody* body, lbMoment moment, const float* x, const float* v, float* f);

/* The body as its integrator sees it. */
lbSystem lb_body_system(lbDynamicBody* body);

/* The bound on its motion as it is deformed now. */
lbMotionBound lb_body_bound(lbDynamicBody* body);

/* The activation of one of the model's laws, or NULL. */
static inline const float* lb_activation(const lbDynamicBody* body, int law) {
    return law == 0 ? body->activation : NULL;
}

/* Where a node stood when the body was created. */
lbVec3 lb_node_start(const lbDynamicBody* body, int node);

/* The share of the stability bound that automatic steps use: within a frame a body may stiffen as it is stretched. */
static const double lb_stepSafety = 0.8;

/* Parts of lb_dynamicBodyOps that have files of their own. */
int lb_dynamic_count_steps(lbBody* body, double dt);
double lb_dynamic_stable_step(lbBody* body);
double lb_dynamic_undamped_step(lbBody* body);
void lb_dynamic_predict(lbBody* body, lbStep step);
void lb_dynamic_finish(lbBody* body, lbStep step);
bool lb_dynamic_is_implicit(const lbBody* body);
void lb_dynamic_announce(lbBody* body, const lbSide* side);
void lb_dynamic_open_block(lbBody* body, lbBlock* block);
bool lb_dynamic_add_resistance(lbBody* body, const lbSide* side, const float s[6]);
void lb_dynamic_close_block(lbBody* body, lbBlock* block);
void lb_dynamic_end_block(lbBody* body);
void lb_dynamic_project(lbBody* body, float* p);
void lb_dynamic_multiply(lbBody* body, const float* p, float* q);
void lb_dynamic_residual(lbBody* body, const double* dv, const float* b, float* r);
void lb_dynamic_precondition(lbBody* body, const float* r, float* z);
void lb_dynamic_reduce(lbBody* body, const lbBlock* block, const float* r, double whole[6]);
void lb_dynamic_expand(lbBody* body, const lbBlock* block, const double whole[6], float* z);

void lb_dynamic_bind_skin(lbBody* body, lbSurfacePoint place, const lbStep* step, lbSide* side);
lbVec3 lb_dynamic_place(const lbBody* body, const lbSide* side);
lbVec3 lb_dynamic_travel(const lbBody* body, const lbSide* side);
lbVec3 lb_dynamic_velocity(const lbBody* body, const lbSide* side);
void lb_dynamic_push(lbBody* body, const lbSide* side, lbVec3 impulse);
bool lb_dynamic_plain_side(lbBody* body, const lbSide* side, lbPlainSide* plain);
bool lb_dynamic_has_moved(const lbBody* body);
bool lb_dynamic_preload(lbBody* body, const lbSide* side, lbVec3 impulse);
void lb_dynamic_push_velocity(lbBody* body, const lbSide* side, lbVec3 impulse);
void lb_dynamic_compliance(const lbBody* body, const lbSide* side, float c[6]);

lbResult lb_dynamic_solve_equilibrium(lbBody* body, const double* prescribed, const lbEquilibriumDef* def,
                                      lbEquilibriumReport* report);
lbResult lb_dynamic_displacements(const lbBody* body, double* displacements);
/* Forces on the nodes (nodeCount x 4) from an equilibrium in double, where the body is still in one. False: it is not,
 * and f is as it was. */
bool lb_settled_forces(lbDynamicBody* body, float* f);

#endif
