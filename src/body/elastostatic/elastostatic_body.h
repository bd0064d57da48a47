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
    float lastDt;      /* s, the frame that skinV is of; 0: at rest */
    double change6[8]; /* velocity space: it gives no way there */
    float blockVectors[5][8];
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

/* elastostatic_fields.c */
/* Component 0 to 5 (xx, yy, zz, xy, xz, yz) of strain or stress at all points, in the model's own axes. */
void lb_elastostatic_measure_tensor(lbElastostaticBody* body, bool stress, int component, float* values);
bool lb_elastostatic_has_field(const lbBody* body, lbFieldKind kind);
void lb_elastostatic_measure_field(lbBody* body, lbFieldKind kind, float* values);

#endif
