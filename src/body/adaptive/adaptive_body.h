/* The kind *adaptive*: nodes of several levels, of which some are active, each moving at a rate of its own. */
#ifndef LIMBER_SRC_ADAPTIVE_BODY_H
#define LIMBER_SRC_ADAPTIVE_BODY_H

#include "body/adaptive/adaptive_model.h"
#include "body/body.h"
#include "integrate/integrator.h"

/* How a skin point comes from where it was shown to where a changed active set has it, without a jump: it keeps the
 * difference, in position and velocity, which go to zero within LB_BLEND_SECONDS and LB_BLEND_RATE_SECONDS. */
typedef struct lbSkinBlend {
    lbVec3 offset; /* m, when it began */
    lbVec3 rate;   /* m/s */
    float age;     /* s since; LB_BLEND_SECONDS or more: it is over */
} lbSkinBlend;

#define LB_BLEND_SECONDS 0.1f
#define LB_BLEND_RATE_SECONDS 0.02f

/* Undamped bodies tremble, at the pitch of their finest elements, and by this alone would be refined ever further; the
 * bend that matters goes slower. */
#define LB_BEND_SECONDS 0.03f

/* Nodes stay active for so long at least, unless a budget asks for less: what has just been split is not merged in the
 * next moment, and a body that starts finer than its rest asks for is given time to move. */
#define LB_DWELL_SECONDS 0.25f

/* What limits splitting, and what is known of its price. */
typedef struct lbDetailBudget {
    double nodeSteps;      /* in a frame, as asked for; 0: no limit */
    double secondsAllowed; /* of a frame, for this body, as of the last one; 0: no limit */
    double secondsUsed;    /* in the last frame */
    double secondsPerNode; /* learned: s for a node-step */
    double secondsElse;    /* learned: what a frame takes that does not depend on node-steps */
    double slowness;       /* learned: log of how much longer than that frames may last */
    double allowed;        /* node-steps in the coming frame; infinite: no limit */
    bool limited, late;    /* lbDetailReport */
} lbDetailBudget;

typedef struct lbAdaptiveBody {
    lbBody base;
    lbAdaptiveModel* model; /* base.model */
    lbMotion motion;
    float split, merge; /* m */
    bool closestSpacing, uniformSteps;
    lbActiveSet set;
    lbScopes scopes;
    int bakedCount; /* the model's, when this body last packed its elements */

    /* Nodes of all levels, (nodeCount x 4). Of active ones x and v are the state; of others they are fresh where rows
     * were evaluated last, and nowhere else. */
    float *x, *v, *f; /* f is zero between steps, but for `forcesLeft` */
    bool forcesLeft;
    float *mass, *inverseMass; /* (nodeCount) kg, 1/kg; 0 where not active */
    float* load;               /* (nodeCount x 4) N on any node, as given */
    float* activeLoad;         /* (nodeCount x 4) the same on active ones */
    bool loadsChanged, loaded; /* loaded: there are some */
    bool pulled;               /* x and v of all nodes are fresh */
    int heldCount;
    lbHeldNode* held;
    int* heldIndex;     /* (nodeCount) -1: free */
    uint8_t* fewest;    /* (nodeCount) level of a node's region: splits go on up to it, */
    uint8_t* most;      /* and no further */
    double* numbers;    /* (nodeCount x 4) scratch */
    uint8_t* wasActive; /* (nodeCount) scratch */
    float* delta;       /* (nodeCount) m, of active nodes, at the beginning of the last frame */
    lbVec3* bend;       /* (nodeCount) 1/m, of active nodes: the Laplacian, averaged over LB_BEND_SECONDS */
    float* age;         /* (nodeCount) s, since a node became active, up to LB_DWELL_SECONDS */
    int* candidates;    /* (nodeCount) scratch */
    float* asked;       /* (nodeCount) m, of nodes about to be touched: what their level could not follow by */
    bool anyAsked;      /* else it is all zero */
    bool* listed;       /* (nodeCount) scratch: false */
    lbMassScratch massScratch;

    /* Rates. */
    float* stiffness; /* (nodeCount) N/m at rest, of active nodes */
    double slack;     /* the least of the model's levels */
    float surplus;    /* J that changes of levels have added and that could not be taken back as yet */
    float* filter;    /* (nodeCount x 6) 1/kg, of active nodes where the integrator is filtered: adaptive_filter.c */
    float* growth;    /* (nodeCount) of active nodes: by how much that has grown as the body is deformed */
    float strayed;    /* how much closer two neighbours may have come since that was measured, of their distance */
    float* blocks;    /* (nodeCount x 12) scratch */
    float* longest;   /* (nodeCount) s, of active nodes: the longest step that they should take */
    int fineSteps;    /* how many of the shortest ones a frame takes */
    bool poison;      /* for tests: what is not fresh is made NaN */

    /* The frame that runs now. */
    double frame; /* s */
    int stepCount, stepIndex;
    double nodeSteps;
    int splitCount, mergeCount;
    lbDetailBudget budget;
    double advanceSeconds; /* spent in steps and adaptation since the frame began */

    /* The skin. */
    uint8_t* skinLevel;  /* (skinPointCount) */
    int* skinNodes;      /* (skinPointCount x 4) nodes that carry a point */
    bool* skinMoved;     /* (skinPointCount) scratch: whether these have just changed */
    lbSkinBlend* blends; /* (skinPointCount) */
    bool blending;
    float* skinF; /* (skinPointCount x 3) N, scratch of pressure and wind */

    /* While a block is open. */
    lbArena scratch;
    double center[3], inertia[6];
    bool wholeFree;
} lbAdaptiveBody;

extern const lbBodyOps lb_adaptiveBodyOps;
extern const lbNodeOps lb_adaptiveNodeOps;
extern const lbDetailOps lb_adaptiveDetailOps;

static inline lbAdaptiveBody* lb_adaptive(lbBody* body) {
    return (lbAdaptiveBody*)body;
}
static inline const lbAdaptiveBody* lb_adaptive_const(const lbBody* body) {
    return (const lbAdaptiveBody*)body;
}
static inline int lb_all_nodes(const lbAdaptiveBody* body) {
    return body->model->hierarchy.nodeCount;
}

lbResult lb_create_adaptive_body(const lbHost* host, lbTasks* tasks, lbModel* model, const lbBodyDef* def,
                                 lbBody** body);

/* adaptive_levels.c */
void lb_adaptive_adapt(lbBody* body, double dt);
/* After any change of the active set: masses, elements, rates, skin. dt: of the frame that comes; 0: rates stay. */
void lb_adaptive_rebuild(lbAdaptiveBody* body, double dt);
lbResult lb_check_detail(const lbAdaptiveModel* model, const lbDetailDef* def);
void lb_adaptive_take_thresholds(lbAdaptiveBody* body, float split, float merge);
/* Splits until every region has its level. */
void lb_adaptive_settle_regions(lbAdaptiveBody* body);

/* At rest, without a frame: splits what its bend there asks for, and merges, if that is allowed. Returns whether levels
 * changed. Needs fresh rows. */
bool lb_adaptive_refine_at_rest(lbAdaptiveBody* body, bool merge);

/* adaptive_keeping.c */
typedef struct lbKept {
    lbVec3d linear, angular; /* N s, N m s */
    double energy;           /* J */
} lbKept;

/* Before a change of the active set, and after all that follows from it. */
lbKept lb_adaptive_measure_kept(const lbAdaptiveBody* body);
void lb_adaptive_restore_kept(lbAdaptiveBody* body, const lbKept* before);

/* adaptive_equilibrium.c */
lbResult lb_adaptive_solve_equilibrium(lbBody* body, const double* prescribed, const lbEquilibriumDef* def,
                                       lbEquilibriumReport* report);

/* adaptive_budget.c */
/* What a node-step less or more a frame of this body takes: nodes of level l at about the steps that their level's
 * nodes take now, or twice those of the level before. */
typedef struct lbStepPrices {
    double steps[lb_mostLevels];
} lbStepPrices;

lbStepPrices lb_adaptive_find_prices(const lbAdaptiveBody* body);
double lb_adaptive_total_price(const lbAdaptiveBody* body, const lbStepPrices* prices);
/* What splitting a node adds, without what else must be split for it. */
double lb_adaptive_split_price(const lbAdaptiveBody* body, const lbStepPrices* prices, int node);
void lb_adaptive_find_allowance(lbAdaptiveBody* body);
void lb_adaptive_learn(lbBody* body, double seconds, double allowed);

/* adaptive_touch.c */
void lb_adaptive_foresee(lbBody* body, const struct lbCollisionShape* shape, lbPose pose, double dt, float reach,
                         int count, const int* points);
void lb_adaptive_forget_asked(lbAdaptiveBody* body);

/* adaptive_rates.c */
/* Where the body may have been deformed enough since the last time; needs fresh rows. */
void lb_adaptive_measure_growth(lbAdaptiveBody* body);
/* Rates of active nodes for frames of dt; returns whether some have changed. */
bool lb_adaptive_find_rates(lbAdaptiveBody* body, double dt);
int lb_adaptive_count_steps(lbBody* body, double dt);
double lb_adaptive_stable_step(lbBody* body);
double lb_adaptive_node_step(const lbAdaptiveBody* body, int node); /* s, the longest that is stable */

/* adaptive_filter.c */
static inline bool lb_is_filtered(const lbAdaptiveBody* body) {
    return body->motion.integrator == lb_integratorFilteredEuler;
}
void lb_adaptive_fill_filter(lbAdaptiveBody* body, double dt); /* after rates of frames of dt were found */
/* What forces on a node make of its velocity: internal ones, and those from outside (accelerations). */
lbVec3 lb_adaptive_filtered(const lbAdaptiveBody* body, int node, lbVec3 force, lbVec3 outside);

/* adaptive_steps.c */
void lb_adaptive_pull_rows(lbAdaptiveBody* body);  /* all that elements read */
void lb_adaptive_pull_all(lbAdaptiveBody* body);   /* all nodes */
void lb_adaptive_take_loads(lbAdaptiveBody* body); /* those on any node to the active ones, if something changed */
void lb_adaptive_begin_frame(lbBody* body, double dt);
/* By a share of the periods with which forces come, h that of the shortest, s: half of them takes velocities to where
 * places are. */
void lb_adaptive_shift_velocities(lbAdaptiveBody* body, double h, double share);
void lb_adaptive_predict(lbBody* body, lbStep step);
void lb_adaptive_finish(lbBody* body, lbStep step);
/* All forces on active nodes as they are now, to body->f: pins are not applied. */
void lb_adaptive_forces(lbAdaptiveBody* body, double time);
/* The period of a rate in steps of a frame of so many. */
int lb_adaptive_period(const lbAdaptiveBody* body, int rate);

/* adaptive_skin.c */
void lb_adaptive_choose_skin(lbAdaptiveBody* body); /* which level each point follows */
void lb_adaptive_begin_blend(lbAdaptiveBody* body); /* from where the skin was shown last */
void lb_adaptive_update_skin(lbBody* body, lbTasks* tasks);
void lb_adaptive_end_frame(lbBody* body);
/* Offset and its rate at `seconds` after the frame's beginning. */
void lb_adaptive_offset(const lbAdaptiveBody* body, int point, float seconds, lbVec3* offset, lbVec3* rate);
const float* lb_skin_weights(const lbAdaptiveBody* body, int point);

/* adaptive_sides.c */
void lb_adaptive_bind_skin(lbBody* body, lbSurfacePoint place, const lbStep* step, lbSide* side);
lbVec3 lb_adaptive_place(const lbBody* body, const lbSide* side);
lbVec3 lb_adaptive_velocity(const lbBody* body, const lbSide* side);
void lb_adaptive_push(lbBody* body, const lbSide* side, lbVec3 impulse);
void lb_adaptive_compliance(const lbBody* body, const lbSide* side, float c[6]);
/* Adds a vector on any node to the active ones that carry it. */
void lb_adaptive_scatter(const lbActiveSet* set, int node, lbVec3 p, float* q);

/* adaptive_block.c */
bool lb_adaptive_is_implicit(const lbBody* body);
void lb_adaptive_open_block(lbBody* body, lbBlock* block);
bool lb_adaptive_add_resistance(lbBody* body, const lbSide* side, const float s[6]);
void lb_adaptive_close_block(lbBody* body, lbBlock* block);
void lb_adaptive_end_block(lbBody* body);
void lb_adaptive_project(lbBody* body, float* p);
void lb_adaptive_multiply(lbBody* body, const float* p, float* q);
void lb_adaptive_residual(lbBody* body, const double* dv, const float* b, float* r);
void lb_adaptive_precondition(lbBody* body, const float* r, float* z);
void lb_adaptive_reduce(lbBody* body, const lbBlock* block, const float* r, double whole[6]);
void lb_adaptive_expand(lbBody* body, const lbBlock* block, const double whole[6], float* z);

/* adaptive_measure.c */
lbEnergy lb_adaptive_energy(const lbBody* body);
lbMomentum lb_adaptive_momentum(const lbBody* body);
int lb_adaptive_find_worst(const lbBody* body, double* speed);
int lb_adaptive_count_inverted(const lbBody* body, char* text, size_t room);
bool lb_adaptive_has_field(const lbBody* body, lbFieldKind kind);
void lb_adaptive_measure_field(lbBody* body, lbFieldKind kind, float* values);

#endif
