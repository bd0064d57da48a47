/* Linear elasticity by hexahedra of 27 nodes, triquadratic, integrated by 3 x 3 x 3 points: an element that has nothing
 * in common with limber's, and bends without locking. For checks that theory has no closed answer to. It is small on
 * purpose: one block of cells, bent into shape by a map, one face held, one face with an even traction. */
#ifndef LIMBER_VERIFY_QUADRATIC_HEXAHEDRA_H
#define LIMBER_VERIFY_QUADRATIC_HEXAHEDRA_H

#include "verify/static_stage.h"

typedef struct lbHexahedraDef {
    int cells[3];
    lbBlockMap* map;
    const void* self;
    double E, nu;
    int axis, end;   /* of the face that carries the traction; the opposite one is held */
    lbVec3d force;   /* N, in all, spread evenly over it as it was */
    lbVec3d at;      /* parameters of the point whose displacement is asked for: a node's */
    lbVec3d answer;  /* m */
    double residual; /* of the linear system */
} lbHexahedraDef;

lbResult lb_solve_hexahedra(lbHexahedraDef* def);

#endif
