/* Contact of a precomputed surface with rigid probes, anew in each frame. Two schemes:
 *
 * - *exact* (Signorini: no tension, no penetration; Coulomb's friction). With x = X + G f the places, g the signed
 * distance to the probe and n its outward normal, both at the deformed places: g(x_i) >= 0, f_i = l_i n(x_i) + t_i,
 * l_i >= 0, l_i g(x_i) = 0, that is, without friction, (2) of Klimenko, Nikitina and Nikitin, appendix 3, for any
 * shape. Linearised about the last places and solved by its active set, warm started, until places do not move any
 * more. Friction: touch_friction.c.
 * - *layer* (their appendix 2 with units mended): points that the probe holds at rest are shifted to its surface by u0,
 * and f = (s (1 - alpha) / alpha + G_bb)^-1 u0, s a typical entry of G's diagonal, alpha rising from 0 to 1 within a
 * thin layer under the probe's surface. Forces may pull (touch_layer.c).
 *
 * Nothing allocates while it runs. */
#ifndef LIMBER_SRC_BEM_TOUCH_H
#define LIMBER_SRC_BEM_TOUCH_H

#include "bem/complementarity.h"
#include "bem/response.h"
#include "bem/touch_blocks.h"
#include "contact/collision_shape.h"

enum { lb_mostTouched = 512, lb_mostProbes = 16 };

typedef struct lbTouchProbe {
    const lbCollisionShape* shape;
    lbPose pose;           /* in the body's own coordinates */
    lbPose before;         /* where it was in the last frame; counts beside friction */
    double friction;       /* Coulomb's coefficient, of the exact scheme; 0: smooth */
    int owner;             /* for the caller */
    lbVec3d force, torque; /* N, N m about the pose's origin: what the body does to it */
    int touchedCount;      /* points that push it */
} lbTouchProbe;

typedef struct lbTouchReport {
    int candidateCount; /* points looked at */
    int touchedCount;   /* with a force */
    int rounds;         /* linearisations */
    int factorCount;
    int searches;   /* for points in contact */
    int sweeps;     /* of friction */
    int stickCount; /* points that stick to their probe */
    double
        residual;   /* m: |g| where something pushes, -g where nothing does, and how far the last round moved a point */
    bool crowded;   /* more points were near than there is room for */
    bool converged; /* residual below 1e-6 of the body's size */
} lbTouchReport;

typedef struct lbTouch {
    const lbHost* host;
    const lbResponse* response;
    int capacity;   /* candidates */
    float* normals; /* (freeCount x 3) outward at rest, unit */
    double* forces; /* (freeCount x 3) N, the state: what the next frame starts from */
    float* u;       /* (stride) m, displacements of free points by these forces and by what is given */
    lbTouchReport report;

    /* Candidates: (capacity) each. */
    int count;
    int* points;     /* free points */
    int* probeOf;    /* the probe that each may touch */
    bool* marked;    /* (freeCount) */
    lbVec3d* x;      /* places, m */
    lbVec3d* base;   /* places without these forces, m */
    lbVec3d* n;      /* the probe's normals there */
    double* gap;     /* m */
    double* f;       /* (x 3) N */
    lbVec3d* slid;   /* m: how each has moved against its probe since the last frame, but for these forces */
    double* t;       /* (x 3) N, the tangential part of f */
    double* scratch; /* (x 3) */
    lbVec3d* moved;  /* scratch */
    float* uBefore;  /* (stride) m, of the last frame */
    lbTouchBlocks blocks;
    lbComplementarity problem;
    double* layer; /* (3 capacity)^2 of the layer's scheme; made when it is first asked for */
} lbTouch;

lbResult lb_create_touch(const lbHost* host, const lbResponse* response, lbTouch* touch);
void lb_destroy_touch(lbTouch* touch);
/* Room for the layer's scheme, which the exact one does not need. */
lbResult lb_prepare_layer(lbTouch* touch);

/* `given`: (stride) displacements by other forces, m; NULL: none. On entry u is the last frame's. Fills forces, u, the
 * report and the probes' forces. */
void lb_touch_exactly(lbTouch* touch, lbTouchProbe* probes, int probeCount, const float* given);
/* `thickness`: of the layer, m; 0: the hard boundary condition u = u0. */
void lb_touch_by_layer(lbTouch* touch, lbTouchProbe* probes, int probeCount, const float* given, double thickness);

/* ---- Parts -------------------------------------------------------------------------------------------------------
 */

/* m, of a place to a probe; its outward normal there. */
double lb_probe_gap(const lbTouchProbe* probe, lbVec3d x, lbVec3d* normal);
/* touch_candidates.c: none; then those that, displaced by u, are within `reach` of a probe; how many were added. */
void lb_begin_candidates(lbTouch* touch);
int lb_find_candidates(lbTouch* touch, const lbTouchProbe* probes, int probeCount, double reach);
/* The compliance among candidates, and where they would be without these forces. */
void lb_gather_candidates(lbTouch* touch, const float* given);
/* Places of all candidates by their forces; how far the farthest has moved. */
double lb_move_candidates(lbTouch* touch);
/* Forces of candidates become the state, and the shape follows. */
void lb_take_forces(lbTouch* touch);
void lb_take_shape(lbTouch* touch, const float* given);
void lb_sum_probes(lbTouch* touch, lbTouchProbe* probes, int probeCount);

/* touch_friction.c: how candidates would have slid, and the tangential forces of the last frame, before the rounds; and
 * what friction does about it, given how hard each is pressed (problem.l), into t; `roughly`: m, moves that do not
 * matter yet. */
void lb_begin_friction(lbTouch* touch, const lbTouchProbe* probes);
void lb_solve_friction(lbTouch* touch, const lbTouchProbe* probes, double roughly);

#endif
