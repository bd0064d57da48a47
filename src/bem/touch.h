/* Contact of a precomputed surface with rigid probes, anew in each frame. Two schemes:
 *
 * - *exact* (Signorini: no tension, no penetration). With x = X + G f the places, g the signed distance to the probe
 * and n its outward normal, both at the deformed places: g(x_i) >= 0, f_i = l_i n(x_i), l_i >= 0, l_i g(x_i) = 0, that
 * is (2) of Klimenko, Nikitina and Nikitin, appendix 3, for any shape. Linearised about the last places and solved by
 * its active set, warm started, until places do not move any more.
 * - *layer* (their appendix 2 with units mended): points that the probe holds at rest are shifted to its surface by u0,
 * and f = (s (1 - alpha) / alpha + G_bb)^-1 u0, s a typical entry of G's diagonal, alpha rising from 0 to 1 within a
 * thin layer under the probe's surface. Forces may pull.
 *
 * Nothing allocates while it runs. */
#ifndef LIMBER_SRC_BEM_TOUCH_H
#define LIMBER_SRC_BEM_TOUCH_H

#include "bem/complementarity.h"
#include "bem/response.h"
#include "contact/collision_shape.h"

enum { lb_mostTouched = 512, lb_mostProbes = 16 };

typedef struct lbTouchProbe {
    const lbCollisionShape* shape;
    lbPose pose;           /* in the body's own coordinates */
    int owner;             /* for the caller */
    lbVec3d force, torque; /* N, N m about the pose's origin: what the body does to it */
    int touchedCount;      /* points that push it */
} lbTouchProbe;

typedef struct lbTouchReport {
    int candidateCount; /* points looked at */
    int touchedCount;   /* with a force */
    int rounds;         /* linearisations */
    int factorCount;
    double
        residual;   /* m: |g| where something pushes, -g where nothing does, and how far the last round moved a point */
    bool crowded;   /* more points were near than there is room for */
    bool converged; /* residual below 1e-6 of the body's size */
} lbTouchReport;

typedef struct lbTouch {
    const lbHost* host;
    const lbResponse* response;
    float* normals; /* (freeCount x 3) outward at rest, unit */
    double* forces; /* (freeCount x 3) N, the state: what the next frame starts from */
    float* u;       /* (stride) m, displacements of free points by these forces and by what is given */
    lbTouchReport report;

    /* Candidates. */
    int count;
    int* points;   /* (lb_mostTouched) free points */
    int* probeOf;  /* (lb_mostTouched) */
    bool* marked;  /* (freeCount) */
    lbVec3d* x;    /* (lb_mostTouched) places, m */
    lbVec3d* base; /* (lb_mostTouched) places without these forces, m */
    lbVec3d* n;    /* (lb_mostTouched) */
    double* gap;   /* (lb_mostTouched) m */
    double* f;     /* (lb_mostTouched x 3) N */
    float* blocks; /* (count x count x 9) compliance among them, rows of lb_mostTouched */
    lbComplementarity problem;
    double* layer; /* (3 lb_mostTouched)^2 of the layer's scheme; made when it is first asked for */
} lbTouch;

lbResult lb_create_touch(const lbHost* host, const lbResponse* response, lbTouch* touch);
void lb_destroy_touch(lbTouch* touch);
/* Room for the layer's scheme, which the exact one does not need. */
lbResult lb_prepare_layer(lbTouch* touch);

/* `given`: (stride) displacements by other forces, m; NULL: none. Fills forces, u, the report and the probes' forces.
 */
void lb_touch_exactly(lbTouch* touch, lbTouchProbe* probes, int probeCount, const float* given);
/* `thickness`: of the layer, m; 0: the hard boundary condition u = u0. */
void lb_touch_by_layer(lbTouch* touch, lbTouchProbe* probes, int probeCount, const float* given, double thickness);

#endif
