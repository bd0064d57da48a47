/* Bodies of voxels for checks: made of an image, so that what is in every cell is known. */
#ifndef LIMBER_VERIFY_VOXEL_STAGE_H
#define LIMBER_VERIFY_VOXEL_STAGE_H

#include "limber/limber.h"
#include "verify/dynamic_bodies.h"

/* Whether there is matter at a place, in m. */
typedef bool lbMatterAtFn(const void* self, lbVec3d p);

typedef struct lbVoxelStage {
    int size[3];    /* voxels */
    double voxel;   /* m, side of one; the first begins at `origin` */
    lbVec3d origin; /* m */
    lbMatterAtFn* at;
    const void* self;
    int levels; /* hexahedra are 2^levels voxels wide */
    lbVoxelStiffness stiffness;
    lbRotationKind rotation;
    float youngs, nu, density;
    float damping; /* s, of stiffness */
    int threads;   /* 0: one for each processor */
} lbVoxelStage;

/* E = 20 kPa, nu = 0.3, 1000 kg/m^3; enhanced, polar. */
lbVoxelStage lb_default_voxel_stage(int x, int y, int z, double voxel);

lbResult lb_voxel_stage_image(const lbVoxelStage* stage, lbVoxelImage** image);
/* A world without gravity, with the body in it, which is implicit. */
lbResult lb_raise_voxel_stage(const lbVoxelStage* stage, lbWorld** world, lbBodyId* body);

/* In linear theory, in double: nodes at x <= `wall` are held, and `pull` acts on all matter in proportion to its mass,
 * m/s^2. Returns the work of the load, J. */
lbResult lb_voxel_compliance(const lbVoxelStage* stage, double wall, lbVec3d pull, double* work);

/* The linear system of a body at rest: work of forces f (nodeCount x 4), N, what is held removed. */
lbResult lb_solve_at_rest(lbDynamicBody* body, const float* f, double* moved);

#endif
