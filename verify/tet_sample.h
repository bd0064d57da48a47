/* A cube of tetrahedra of some law, for checks of forces alone: no time, no pins. Its side is 2 m, about the origin. */
#ifndef LIMBER_VERIFY_TET_SAMPLE_H
#define LIMBER_VERIFY_TET_SAMPLE_H

#include "body/dynamic/dynamic_model.h"

typedef struct lbTetSampleDef {
    lbLawDef law;
    float nu;               /* E is 20 kPa */
    float stiffnessDamping; /* s */
    int cells;              /* along a side */
    lbTetPattern pattern;
    double jitter; /* by how much nodes are moved at random along each axis, in cells; those of a side stay within it */
} lbTetSampleDef;

typedef struct lbTetSample {
    lbDynamicModel* model; /* of one law, or of two: averaged volumes are one of their own */
    bool* inside;          /* (nodeCount) not on the surface */
    float* shared;         /* scratch of laws that collect */
    double lambda, mu;     /* Pa */
} lbTetSample;

/* A mesh without symmetry: four cells a side of five tetrahedra, jitter 0.15; nu = 0.3, no damping. */
lbTetSampleDef lb_default_tet_sample(lbLawKind law);
/* Its mesh alone. */
lbResult lb_create_sample_mesh(const lbTetSampleDef* def, lbTetMesh** mesh);
lbResult lb_create_tet_sample(const lbTetSampleDef* def, lbTetSample* sample);
void lb_destroy_tet_sample(lbTetSample* sample);

/* A zeroed vector of the nodes (nodeCount x 4), to be freed by free(). */
float* lb_sample_vector(const lbTetSample* sample);

/* Of all the model's laws: forces, N, moving at v (NULL: not at all); energy, J; y = (a dF/dx + b dF/dv) p. */
void lb_sample_forces(const lbTetSample* sample, const float* x, const float* v, float* f);
double lb_sample_energy(const lbTetSample* sample, const float* x);
void lb_sample_tangent(const lbTetSample* sample, const float* x, float a, float b, const float* p, float* y);

/* x = X + gradient X + shift. */
typedef struct lbAffine {
    double gradient[3][3];
    lbVec3d shift; /* m */
} lbAffine;

lbVec3d lb_displacement(const lbAffine* map, lbVec3d place);
void lb_sample_map(const lbTetSample* sample, const lbAffine* map, float* x);
/* Turned by an angle about an axis through the origin. */
lbAffine lb_affine_turn(lbVec3 axis, double angle);

/* The largest of a vector's nodes, inside and on the surface. */
typedef struct lbLargest {
    double inside, surface;
} lbLargest;

lbLargest lb_largest_of(const lbTetSample* sample, const float* f);

#endif
