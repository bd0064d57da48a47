/* The kind *compliant*: a precomputed surface that gives way wherever it is touched. */
#ifndef LIMBER_SRC_COMPLIANT_BODY_H
#define LIMBER_SRC_COMPLIANT_BODY_H

#include "bem/touch.h"
#include "body/body.h"
#include "body/compliant/compliant_model.h"

static const float lb_usualLayer = 0.02f; /* of the body's size */

typedef struct lbCompliantBody {
    lbBody base;
    const lbResponse* data;

    /* State. */
    lbTouch touch;     /* its forces: those of guided bodies, N, in the body's own coordinates */
    double* rowForces; /* (freeCount x 3) N, of all else that touched it in the last step */
    float* rowU;       /* (stride) m, displacements by these */
    float* now;        /* (stride) m, all displacements at the end of the last step */
    int scheme;        /* lbTouchScheme */
    float layer;       /* m, thickness of the layer under probes */
    float lastDt;      /* s, the frame that skinV is of; 0: at rest */

    /* Of the frame and the step that run now. */
    int probeCount;
    lbTouchProbe probes[lb_mostProbes];
    lbBody* probeBodies[lb_mostProbes];
    float* next;     /* (stride) m, displacements at the step's end but for what rows push */
    int pushedCount; /* free points that rows push */
    int* pushed;     /* (lb_mostTouched) */
    double* pushes;  /* (lb_mostTouched x 3) N */
    double dt;
    bool settled;      /* nothing has touched it, and nothing does */
    double change6[8]; /* velocity space: it gives no way there */
    float blockVectors[5][8];
} lbCompliantBody;

lbResult lb_create_compliant_body(const lbHost* host, lbTasks* tasks, lbModel* model, const lbBodyDef* def,
                                  lbBody** body);

/* NULL: a body of another kind. */
lbCompliantBody* lb_compliant(lbBody* body);

bool lb_compliant_has_field(const lbBody* body, lbFieldKind kind);
void lb_compliant_measure_field(lbBody* body, lbFieldKind kind, float* values);

#endif
