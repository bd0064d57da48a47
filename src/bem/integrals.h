/* Integrals over a flat triangle of Kelvin's solution times the three linear shape functions:
 *
 *   u[k] = integral of N_k U dS,   t[k] = integral of N_k T dS
 *
 * U_ij is the displacement along j at y for a unit force along i at x in unbounded matter, T_ij the traction there on
 * the plane across n, r = y - x:
 *
 *   U_ij = 1 / (16 pi mu (1 - nu) r) ((3 - 4 nu) d_ij + r_i r_j / r^2)
 *   T_ij = -1 / (8 pi (1 - nu) r^2) (dr/dn ((1 - 2 nu) d_ij + 3 r_i r_j / r^2) - (1 - 2 nu) (r_i n_j - r_j n_i) / r)
 *
 * C. A. Brebbia, J. C. F. Telles and L. C. Wrobel, Boundary Element Techniques, 1984. U is multiplied by mu here, so
 * that both are of the order of lengths alone. Blocks are row by row. */
#ifndef LIMBER_SRC_BEM_INTEGRALS_H
#define LIMBER_SRC_BEM_INTEGRALS_H

#include "base/math.h"

typedef struct lbElementIntegrals {
    double u[3][9]; /* m: times mu */
    double t[3][9]; /* 1 */
} lbElementIntegrals;

/* What the kernels need of the matter. */
typedef struct lbKelvin {
    double displacement; /* 1 / (16 pi (1 - nu)) */
    double traction;     /* 1 / (8 pi (1 - nu)) */
    double three;        /* 3 - 4 nu */
    double one;          /* 1 - 2 nu */
} lbKelvin;

lbKelvin lb_kelvin(double nu);

/* How exact `lb_integrate_near` is: the longest panel of its one-dimensional rules. Its ten points are exact to 3e-9 of
 * the largest entry with the first, and to rounding with the second. */
static const double lb_nearPanel = 2.5, lb_nearPanelExact = 1.25;

/* For any place of x: at a corner, on an edge, inside, beside or above the triangle, however near. Along rays from the
 * foot of x the integral is closed; what is left, along the edges, is taken by Gauss' rule after t = d sinh(s), which
 * puts the poles a quarter turn away whatever the distance d. In the triangle's own plane T is Cauchy's principal
 * value; at its very corner the entry of that corner's own shape function does not exist, and means nothing. */
void lb_integrate_near(const lbKelvin* kelvin, const lbVec3d corners[3], lbVec3d x, double panel,
                       lbElementIntegrals* made);

/* ---- Far away: symmetric rules on triangles, several places at once (regular_integrals.c) --------------------------
 */

enum {
    lb_placeLanes = LB_LANES > 1 ? LB_LANES / 2 : 1 /* doubles are twice as long */
};

/* A triangle as the rules take it. */
typedef struct lbFarTriangle {
    lbVec3d corners[3];
    lbVec3d normal; /* unit */
    lbVec3d center; /* m */
    double area;    /* m^2 */
    double radius;  /* m, from the centre to the farthest corner */
} lbFarTriangle;

lbFarTriangle lb_far_triangle(const lbVec3d corners[3]);

/* Rules in the order of their degrees, and how far away, in radii, each is good for 1e-6 of the largest entry. */
typedef enum lbFarRule { lb_rule7, lb_rule16, lb_farRuleCount } lbFarRule;
extern const double lb_ruleReach[lb_farRuleCount];
/* Which of them does at a distance of so many radii; lb_farRuleCount: none. */
lbFarRule lb_choose_rule(double radii);

/* Integrals for lb_placeLanes places: x (3 x lb_placeLanes); u, t (3 x 9 x lb_placeLanes). */
void lb_integrate_far(const lbKelvin* kelvin, const lbFarTriangle* triangle, lbFarRule rule, const double* x, double* u,
                      double* t);

#endif
