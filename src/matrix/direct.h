/* Direct solution in double: L D L^T within the envelope of a stiffness (A. George and J. Liu, Computer Solution of
 * Large Sparse Positive Definite Systems, 1981, chapter 4), nodes in the reverse order of Cuthill and McKee.
 *
 * That pays for what is slender, flat or small: the work grows with the square of the number of nodes across. It is
 * also where iterations are in trouble: the softest bending of a slender body is softer by the fourth power of its
 * slenderness than its stiffest motion. */
#ifndef LIMBER_SRC_DIRECT_H
#define LIMBER_SRC_DIRECT_H

#include "matrix/stiffness.h"

/* A node that is held along some directions: the rest is left by a symmetric projection (xx, yy, zz, xy, xz, yz). */
typedef struct lbFilteredNode {
    int node;
    double filter[6];
} lbFilteredNode;

typedef struct lbDirect {
    const lbHost* host;
    int count;
    int *order, *rank; /* (count) node of each place, and place of each node */
    int* first;        /* (count) the first place that each one's row reaches back to */
    int64_t* starts;   /* (count + 1) its three rows in `lower`, each from 3 first to 3 place + 2 */
    double work;       /* multiplications, of one factorisation */
    double* lower;     /* (starts[count]) K, then L; NULL until the first factorisation */
    double* inverse;   /* (3 count) 1 / D; 0 where the pivot is lost in rounding: that motion costs nothing, and is left
                        * out */
    double* row;       /* (3 x longest) scratch: of the rows that are factored now, L D */
    double* solution;  /* (3 count) scratch */
} lbDirect;

/* What elimination met. */
typedef struct lbInertia {
    int negative; /* pivots: the matrix is not positive definite */
    int lost;     /* pivots that are zero but for rounding */
} lbInertia;

/* Finds an order and what it will cost; `lower` is not there yet. */
lbResult lb_create_direct(const lbPreciseStiffness* stiffness, lbDirect* direct);
void lb_destroy_direct(lbDirect* direct);

/* Factors K + B^T H B + shift M, rows and columns of what is held left out. */
lbResult lb_factor_stiffness(lbDirect* direct, const lbPreciseStiffness* stiffness, double shift, const float* mass,
                             const lbFilteredNode* held, int heldCount, lbInertia* inertia);

/* z = its inverse times r, (count x 3) both. */
void lb_solve_direct(const lbDirect* direct, const double* r, double* z);

#endif
