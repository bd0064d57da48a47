/* A cube of 0.2 m on the ground, cut into cells of six tetrahedra: nu = 0.3, 1000 kg/m^3. */
#ifndef LIMBER_BENCH_RESTING_CUBE_H
#define LIMBER_BENCH_RESTING_CUBE_H

#include "limber/body.h"
#include "limber/model.h"

typedef struct lbRestingCube {
    lbLawKind law;
    lbIntegratorKind integrator;
    int cells; /* along each edge */
    float youngsModulus;
} lbRestingCube;

/* The ground comes with it. */
lbResult lb_create_resting_cube(lbWorld* world, const lbHost* host, const lbRestingCube* cube);

#endif
