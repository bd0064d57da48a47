/* The kind *elastostatic*: what its controls make of it, at once. */
#ifndef LIMBER_SRC_ELASTOSTATIC_BODY_H
#define LIMBER_SRC_ELASTOSTATIC_BODY_H

#include "body/body.h"
#include "body/elastostatic/configuration.h"
#include "body/elastostatic/elastostatic_model.h"

typedef struct lbElastostaticBody {
    lbBody base;
    const lbElastostatic* data; /* of base.model */
    int controlCount, modeCount;

    /* State. */
    lbControlMap* asked; /* (controlCount) where held controls are to be */
    lbControlMap* maps;  /* (controlCount) where all controls are */
    bool* free;          /* (controlCount) it moves by forces */
    double* pushes;      /* (controlCount x 12) generalised forces on free controls, in the body's coordinates:
                            force, and half the torque as moments */
    float* shares;       /* (loadCount) of loads that act */
    lbLinearityLimits limits;
    int refusal;         /* lbRefusal of the last frame */
    double refused[2];   /* value and limit */
    lbConfiguration now; /* as the controls are */
    double* contact;     /* (controlCount x 12) generalised forces of contact in the last step, in the frame of
                            `now` */

    /* Of the free controls; made when one is freed or held. */
    int freeCount;      /* modes: 12 for each */
    int* freeModes;     /* (freeCount) */
    double* compliance; /* (freeCount x freeCount) the reaction matrix of the free ones inverted, 1/(N/m) */

    /* Of the frame and the step that run now. */
    lbConfiguration next, target;
    lbControlMap *goals, *trial; /* (controlCount) of the frame, and of its steps */
    double* forces;              /* (controlCount x 12) scratch */
    double *given, *change;      /* (modeCount) scratch */
    float* scaled;               /* (modeCount) scratch */
    float* targetX;              /* (pointCount x 3) the skin at the frame's end as far as is known, m */
    float* displacements;        /* (pointCount x 3) scratch of fields */
    double dt, done;             /* s; share of the frame that is over */
    bool asking;                 /* something was asked since the last frame */
    bool moving;                 /* this frame moves the body; */
    bool pushed;                 /* and something has pushed it, so that targetX is not where it comes to be */
    lbVec3 lastGravity;
    float lastDt; /* s, the frame that skinV is of; 0: at rest */

    /* Velocity space. */
    double h;            /* s, of the step that runs */
    double* matrix;      /* (freeCount x freeCount) A, kg m^2 or what the units of coefficients make of it */
    double* factor;      /* (freeCount x freeCount) Cholesky's */
    double* blockChange; /* (freeCount / 3 x 4) */
    float* blockVectors; /* (5 x freeCount / 3 x 4) */
    lbVec3d* sideModes;  /* (freeCount) scratch */
} lbElastostaticBody;

lbResult lb_create_elastostatic_body(const lbHost* host, lbTasks* tasks, lbModel* model, const lbBodyDef* def,
                                     lbBody** body);

/* NULL: a body of another kind. */
lbElastostaticBody* lb_elastostatic(lbBody* body);
const lbElastostaticBody* lb_elastostatic_const(const lbBody* body);

/* For the world. Indices and numbers have been checked. */
lbResult lb_hold_control(lbElastostaticBody* body, int control, const lbControlMap* map);
lbResult lb_free_control(lbElastostaticBody* body, int control, lbVec3 force, lbVec3 torque);
/* Generalised forces that hold the controls now, in the frame of `now`: (controlCount x 12). */
void lb_control_forces(const lbElastostaticBody* body, double* forces);

/* ---- Between the files of this kind ------------------------------------------------------------------------------ */

/* elastostatic_shape.c */
/* All coefficients of controls that are at `maps`, gravity and loads. False: their rotations have no mean. */
bool lb_elasto_configure(lbElastostaticBody* body, const lbControlMap* maps, lbConfiguration* made, double* angle,
                         double* stretch);
void lb_elasto_copy_configuration(const lbElastostaticBody* body, lbConfiguration* to, const lbConfiguration* from);
/* The rigid motion from a configuration's frame to the world. */
lbRigidMap lb_elasto_world_map(const lbElastostaticBody* body, const lbConfiguration* configuration);
void lb_elasto_evaluate(lbElastostaticBody* body, lbTasks* tasks, const lbConfiguration* configuration,
                        float* positions);
/* Where free controls have come to be. */
void lb_elasto_place_free(lbElastostaticBody* body, const lbConfiguration* configuration, lbControlMap* maps);

/* elastostatic_controls.c */
/* What follows from which controls are free; false: their reaction matrix is not definite. */
bool lb_elasto_list_free(lbElastostaticBody* body);
void lb_elasto_begin_frame(lbBody* body, double dt);

/* elastostatic_measures.c */
lbEnergy lb_elasto_energy(const lbBody* body);
lbMomentum lb_elasto_momentum(const lbBody* body);
int lb_elasto_find_worst(const lbBody* body, double* speed);

/* elastostatic_sides.c: operations of lbBodyOps */
void lb_elasto_bind_skin(lbBody* body, lbSurfacePoint place, const lbStep* step, lbSide* side);
lbVec3 lb_elasto_place(const lbBody* body, const lbSide* side);
lbVec3 lb_elasto_travel(const lbBody* body, const lbSide* side);
void lb_elasto_push(lbBody* body, const lbSide* side, lbVec3 impulse);
void lb_elasto_compliance(const lbBody* body, const lbSide* side, float c[6]);
/* A point's displacement in the frame for each unit of a mode, Phi_k: weighted over the side's corners. */
lbVec3d lb_elasto_side_mode(const lbElastostaticBody* body, const lbSide* side, int mode);
/* The same in the world for all free ones: (freeCount). */
void lb_elasto_side_modes(const lbElastostaticBody* body, const lbSide* side, lbVec3d* modes);
/* A world vector in the frame of the step's end, and back. */
lbVec3d lb_elasto_to_frame(const lbElastostaticBody* body, lbVec3 world);
lbVec3 lb_elasto_from_frame(const lbElastostaticBody* body, lbVec3d local);

/* elastostatic_block.c: operations of lbBodyOps */
void lb_elasto_open_block(lbBody* body, lbBlock* block);
bool lb_elasto_add_resistance(lbBody* body, const lbSide* side, const float s[6]);
void lb_elasto_close_block(lbBody* body, lbBlock* block);
void lb_elasto_project(lbBody* body, float* p);
void lb_elasto_multiply(lbBody* body, const float* p, float* q);
void lb_elasto_residual(lbBody* body, const double* dv, const float* b, float* r);
void lb_elasto_precondition(lbBody* body, const float* r, float* z);
lbVec3 lb_elasto_gather_modes(const lbBody* body, const lbSide* side, const float* q);
lbVec3 lb_elasto_gather_modes_exactly(const lbBody* body, const lbSide* side, const double* q);
void lb_elasto_scatter_modes(const lbBody* body, const lbSide* side, lbVec3 p, float* q);

/* elastostatic_fields.c */
/* Component 0 to 5 (xx, yy, zz, xy, xz, yz) of strain or stress at all points, in the model's own axes. */
void lb_elastostatic_measure_tensor(lbElastostaticBody* body, bool stress, int component, float* values);
bool lb_elastostatic_has_field(const lbBody* body, lbFieldKind kind);
void lb_elastostatic_measure_field(lbBody* body, lbFieldKind kind, float* values);

#endif
