/* A block of cubes cut into five tetrahedra each, given with nodes and elements in random order, as a file might hold
 * them, and put in order by limber; deformed a little. What benches of forces are measured on. */
#ifndef LIMBER_BENCH_SHUFFLED_GRID_H
#define LIMBER_BENCH_SHUFFLED_GRID_H

#include "law/instance.h"

typedef struct lbShuffledGrid {
    lbTasks* tasks; /* what forces are evaluated on */
    lbMesh mesh;
    lbLawInstance law; /* baked by who measures it */
    float *x, *v, *f;  /* (nodeCount x 4) */
} lbShuffledGrid;

/* How nodes stand to where they are at rest: turned, then stretched along x and shaken. */
typedef struct lbDeformation {
    float angle;   /* rad */
    float stretch; /* 1: none */
    float noise;   /* m, at most */
} lbDeformation;

/* Cubes of 0.1 m. What was made is to be released in any case. */
lbResult lb_create_shuffled_grid(const lbHost* host, const int cubes[3], lbDeformation deformation,
                                 lbShuffledGrid* grid);
void lb_release_shuffled_grid(lbShuffledGrid* grid);

void lb_zero_grid_forces(lbShuffledGrid* grid);
/* The forces of the law, zeroing included: an lbTimedFn on an lbShuffledGrid. */
void lb_evaluate_grid(void* grid);

#endif
