/* The model of rigid and guided bodies: what they look like to the eye and to what touches them, and what they weigh.
 */
#ifndef LIMBER_SRC_RIGID_MODEL_H
#define LIMBER_SRC_RIGID_MODEL_H

#include "body/model.h"

typedef struct lbRigidModel {
    lbModel base;
    lbCollisionDef collision; /* as given; its shape is a copy, or NULL: the model's own */
    bool deforms;             /* guided bodies may change their shape; they collide by their skin */
    lbMaterial material;      /* its density counts */

    /* What free bodies need. Inertia is kept by unit of mass, so that another density changes the mass alone. */
    lbResult weighed;         /* lb_ok, or why there is no mass: such a model serves guided bodies only */
    double volume;            /* m^3 */
    double mass;              /* kg */
    lbVec3d center;           /* m, centre of mass in the model's own coordinates; their origin without one */
    double inertia[6];        /* m^2 about the centre, of each kg: xx, yy, zz, xy, xz, yz */
    double inverseInertia[6]; /* 1/m^2 */
    double unevenness;        /* 0 (a ball) to 1 (a needle): 1 - smallest / largest principal moment */
} lbRigidModel;

lbResult lb_create_rigid_model(const lbHost* host, const lbModelDef* def, lbModel** model);

static inline const lbRigidModel* lb_rigid_model(const lbModel* model) {
    return (const lbRigidModel*)model;
}

/* Where a place on the skin is at rest, m: in the model's own coordinates. */
static inline lbVec3d lb_rest_place(const float* points, const int corner[3], const float weight[3]) {
    lbVec3d sum = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        sum = vec3d_madd(sum, (double)weight[k], vec3d_load(points + 3 * (size_t)corner[k]));
    }
    return sum;
}

#endif
