/* A beam of square section, held at one end and pulled down at the other, in static equilibrium, against the theory of
 * S. P. Timoshenko with the shear coefficient of G. R. Cowper (The Shear Coefficient in Timoshenko's Beam Theory,
 * 1966):
 *
 *   deflection = P L^3 / (3 E I) + P L / (k G A),  k = 10 (1 + nu) / (12 + 11 nu)
 *
 * The theory lets the section at the wall contract and bulge as the others do. So that end is held along the beam only,
 * and carries the opposite force spread over its face, as the theory has it; lines through its middle keep it from
 * sliding away. A wall that holds it in all directions makes a beam of nu = 0.49 and L = 8 sides 3 % stiffer. */
#ifndef LIMBER_VERIFY_CANTILEVER_H
#define LIMBER_VERIFY_CANTILEVER_H

#include "integrate/theta.h"
#include "limber/limber.h"

typedef struct lbCantilever {
    lbMeshKind mesh; /* of solids */
    int cells;       /* across the section, even */
    double length;   /* in sides; the side is 1 m */
    float nu;        /* E is 20 kPa */
    lbLawDef law;
    double slope; /* tip deflection / length that the load should make. 0: as little as one likes, all laws being one
                     linear theory, solved in double; else by the search for equilibrium, in float32 as bodies are */
} lbCantilever;

typedef struct lbCantileverResult {
    double deflection;    /* of the one end from the other, relative to the theory's */
    double pressureError; /* mean stress of elements in the middle half of the length: root mean square of how far it is
                             from the theory's, over that of the theory's. Linear law and slope 0 only */
    int tetCount, nodeCount;
    lbSolve solve; /* of the linear theory */
} lbCantileverResult;

/* Eight sides long, of cubes cut into five tetrahedra, nu = 0.3; slope 0. */
lbCantilever lb_default_cantilever(lbLawKind law, int cells);
lbResult lb_bend_cantilever(const lbCantilever* beam, lbCantileverResult* out);

#endif
