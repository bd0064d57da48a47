/* What implicit steps share, whatever their scheme: opening them, and following what a linear system has found. */
#ifndef LIMBER_SRC_IMPLICIT_STEP_H
#define LIMBER_SRC_IMPLICIT_STEP_H

#include "integrate/theta.h"

/* Takes the vectors that all open steps have, impulses zero, and leaves the rest of `open` empty but for what touches
 * it. */
void lb_take_open_vectors(const lbSystem* system, double time, double h, lbOpenStep* open);
/* dv is a guess, or zero where there is none (NULL); then the matrix is assembled. */
void lb_begin_open_step(lbOpenStep* open, const float* guess, lbTangentSystem tangent);

/* The last change carried on by the one before it. */
const float* lb_carry_on(const lbSystem* system, const float* last, const float* before, float* guess);
/* `last` becomes `before`, and z the last. */
void lb_remember(const lbSystem* system, const double* z, float* last, float* before);

/* A way along a direction, from where an equation asks to go along it. */
typedef struct lbWay {
    void (*evaluate)(void* self, double part); /* fills `trial` and `rest` for a part of the direction */
    void* self;
    const lbSystem* system;
    const double* direction; /* what is added next */
    const float* rest;       /* of the equation, at the trial */
    double *change, *trial;  /* what was added so far; and with a part of the direction */
} lbWay;

/* Goes along it, `slope` what the equation asks for along it, as far as it does not ask for the contrary by as much;
 * `change` and `trial` change places then. Returns the part of the direction. */
double lb_follow_way(lbWay* way, double slope);

double lb_dot_mixed(const lbSystem* system, const float* a, const double* b);
double lb_square_of(const lbSystem* system, const float* a);

/* A system's masses about their centre, each `scale` times what it is. */
typedef struct lbWholeMass {
    double mass;       /* kg */
    lbVec3d center;    /* m */
    double inertia[6]; /* xx, yy, zz, xy, xz, yz */
} lbWholeMass;
lbWholeMass lb_weigh_system(const lbSystem* system, const float* x, double scale);

/* The rate that gives the whole an angular momentum; zero for nodes on a straight line, which have no rotation. */
lbVec3d lb_spin_of(const lbWholeMass* whole, lbVec3d angularMomentum);

/* Implicit methods have no longest step. */
double lb_any_step(double frequency, double damping);

#endif
