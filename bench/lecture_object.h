/* The object of Teschner's lecture (Modeling Dynamic Deformation with Mass Points and Springs, "Comparison of
 * Integration Methods"): cubes of 0.1 m cut into five tetrahedra each, points of 1 g, springs of 1000 N/m and 0.05 N
 * s/m, one side held, under gravity. The lecture gives neither stiffness nor mass nor damping. */
#ifndef LIMBER_BENCH_LECTURE_OBJECT_H
#define LIMBER_BENCH_LECTURE_OBJECT_H

#include "bench/bench.h"
#include "verify/dynamic_bodies.h"

/* As many cubes as the lecture has: 4,096 points, 22,320 springs. */
extern const int lb_lectureCubes[3];

lbResult lb_create_lecture_model(lbBenchContext* context, const int cubes[3], lbDynamicModel** model);

/* At rest, on one thread. The definition's integrator and its settings count. */
lbResult lb_create_lecture_body(lbBenchContext* context, lbDynamicModel* model, const lbBodyDef* def,
                                lbDynamicBody** body);

#endif
