/* Elastic energy just below a triangle of a surface, from displacements of its corners (Klimenko, Nikitina and Nikitin,
 * appendix 4, whose (5) and (6) count the volumetric term twice): the strain along the normal follows from the
 * traction, which is zero on a free surface:
 *
 *   dE/dV = mu Q / (8 S^2),  Q = 2 a^2 + 2 b^2 + c^2 + T (a + b)^2,  T = 2 nu / (1 - nu)
 *
 * with q = b - a and v = c - a in the triangle's own axes (q2 = 0 here: the first lies along q), f and g the
 * differences of displacements: a = v2 f1, b = q1 g2 - v1 f2, c = q1 g1 - v1 f1 + v2 f2, S the area. A traction t adds
 * t_n^2 (1 - 2 nu) / (4 mu (1 - nu)) + (t_1^2 + t_2^2) / (2 mu): in-plane strains and tractions store energy apart. */
#ifndef LIMBER_SRC_BEM_SURFACE_ENERGY_H
#define LIMBER_SRC_BEM_SURFACE_ENERGY_H

#include "base/math.h"

/* Of the rest shape: computed once. */
typedef struct lbEnergyTriangle {
    lbVec3 along, across; /* unit, in the plane */
    float q1, v1, v2;     /* m */
    float factor;         /* mu / (8 S^2) */
    float volumetric;     /* T */
    float normal, shear;  /* of tractions squared: (1 - 2 nu) / (4 mu (1 - nu)), 1 / (2 mu) */
} lbEnergyTriangle;

static inline lbEnergyTriangle lb_energy_triangle(lbVec3d a, lbVec3d b, lbVec3d c, double mu, double nu) {
    lbVec3d q = vec3d_sub(b, a), v = vec3d_sub(c, a), along = vec3d_normalize(q);
    lbVec3d n = vec3d_normalize(vec3d_cross(q, v)), across = vec3d_cross(n, along);
    double q1 = vec3d_length(q), v2 = vec3d_dot(v, across), twice = q1 * v2;
    return (lbEnergyTriangle){.along = vec3_from(along),
                              .across = vec3_from(across),
                              .q1 = (float)q1,
                              .v1 = (float)vec3d_dot(v, along),
                              .v2 = (float)v2,
                              .factor = (float)(mu / (2 * twice * twice)),
                              .volumetric = (float)(2 * nu / (1 - nu)),
                              .normal = (float)((1 - 2 * nu) / (4 * mu * (1 - nu))),
                              .shear = (float)(1 / (2 * mu))};
}

/* J/m^3; ub and uc: displacements relative to the first corner. */
static inline float lb_surface_energy(const lbEnergyTriangle* t, lbVec3 ub, lbVec3 uc) {
    float f1 = vec3_dot(ub, t->along), f2 = vec3_dot(ub, t->across);
    float g1 = vec3_dot(uc, t->along), g2 = vec3_dot(uc, t->across);
    float a = t->v2 * f1, b = t->q1 * g2 - t->v1 * f2, c = t->q1 * g1 - t->v1 * f1 + t->v2 * f2;
    return t->factor * (2 * (a * a + b * b) + c * c + t->volumetric * (a + b) * (a + b));
}

/* What a traction (Pa) adds. */
static inline float lb_traction_energy(const lbEnergyTriangle* t, lbVec3 traction) {
    float first = vec3_dot(traction, t->along), second = vec3_dot(traction, t->across);
    float up = vec3_dot(traction, vec3_cross(t->along, t->across));
    return t->normal * up * up + t->shear * (first * first + second * second);
}

#endif
