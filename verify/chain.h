/* A chain of equal masses between two walls, joined by linear springs, with plain viscous damping of its points, and
 * its exact motion. With one mass it is the oscillator. */
#ifndef LIMBER_VERIFY_CHAIN_H
#define LIMBER_VERIFY_CHAIN_H

#include "integrate/integrator.h"

enum { lb_mostLinks = 8, lb_mostChainVectors = 40 };

/* x_i'' = s^2 (x_(i+1) - 2 x_i + x_(i-1)) - d x_i', x displacements from rest. */
typedef struct lbChain {
    int count;      /* masses, at most lb_mostLinks */
    double spring;  /* s^2 = k / m, 1/s^2 */
    double damping; /* d, 1/s */
} lbChain;

/* The frequency of mode j, 1 <= j <= count, without damping, rad/s. */
double lb_chain_frequency(const lbChain* chain, int mode);

/* A chain that one integrator moves. Its first mode starts with amplitude 1, and its third, if there is one, with 1/2;
 * at rest. */
typedef struct lbChainRun {
    lbChain chain;
    float x[4 * lb_mostLinks], v[4 * lb_mostLinks], mass[lb_mostLinks];
    float vectors[4 * lb_mostLinks * lb_mostChainVectors];
    lbHistory history;
    lbIntegratorSettings settings;
    _Alignas(64) char scratch[lb_mostChainVectors * (16 * lb_mostLinks + 64)];
    lbArena arena;
    lbSystem system;
    int64_t evaluations; /* of accelerations */
} lbChainRun;

void lb_start_chain(lbChainRun* run, const lbChain* chain);

/* Largest error of any mass at time t, of position and of velocity / the third (or only) mode's frequency. */
double lb_chain_error(const lbChainRun* run, double t);

/* Kinetic and elastic energy, per mass, J/kg. */
double lb_chain_energy(const lbChainRun* run);

#endif
