/* Springs as they are packed, for the files that bake, evaluate and measure them (the laws are at the head of
 * springs.c), and for muscles. */
#ifndef LIMBER_SRC_SPRINGS_H
#define LIMBER_SRC_SPRINGS_H

#include "base/node_offset.h"
#include "law/instance.h"

/* LB_LANES springs, one in each lane, 16 bytes a spring. */
typedef struct lbSpringBatch {
    lbNodeOffset a[LB_LANES], b[LB_LANES];
    float stiffness[LB_LANES]; /* k, N/m (power: N) */
    float rest[LB_LANES];      /* linear: k L; quadratic: k L^2; power: 1 / L */
} lbSpringBatch;

typedef struct lbSprings {
    lbSpringForm form;
    lbSpringDamping dampingForm;
    int power;         /* p, odd */
    float dampingTime; /* c / k: the same for all springs */
    int batchCount;
    lbSpringBatch* batches;
} lbSprings;

/* m^2, added to squared lengths, so that ends that meet give no force rather than a NaN; far below rounding else. */
static const float lb_leastSquaredLength = 1e-30f;

/* spring_properties.c */
extern const lbPropertyList lb_springProperties;

/* spring_bake.c */
lbResult lb_bake_springs(const lbMesh* mesh, const lbModelDef* def, void** elements, lbPlan* plan);
void lb_release_springs(const lbHost* host, void* elements);

/* spring_measure.c: in double, spring by spring. */
double lb_spring_energy(const lbScope* scope, const float* x);
void lb_share_spring_energy(const lbScope* scope, const float* x, float* energy);
void lb_spring_strain(const lbScope* scope, const float* x, lbFieldKind kind, float* sum, float* volume);
void lb_spring_bound(const lbScope* scope, const float* x, float* stiffness, float* damping);

/* How many places there are in the batches: the length of an activation. */
int lb_spring_place_count(const lbLawInstance* instance);

#endif
