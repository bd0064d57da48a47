/* Linear systems of nearly incompressible matter. In
 *
 *   A = K + B^T S B,  S = scale H  (reach.h)
 *
 * the second part is many times as stiff as the first, so that conjugate gradients with a preconditioner of K take the
 * more iterations the less compressible matter is. With the averages q = B u as unknowns beside u,
 *
 *   [ K    B^T S ] [ u ]   [ r ]
 *   [ S B   -S   ] [ q ] = [ 0 ],
 *
 * stiffness stands in S alone. The system is preconditioned by its triangular part,
 *
 *   q' = -(1 + B K^-1 B^T S)^-1 g,   u' = K^-1 (r - B^T S q'),
 *
 * K^-1 by a few conjugate gradients, and the first inverse by a polynomial in H, since B K^-1 B^T is about a second
 * average itself (lbResponse): gradients and divergences of a stiffness nearly cancel (M. F. Murphy, G. H. Golub and
 * A. J. Wathen, A Note on Preconditioning for Indefinite Linear Systems, 2000; H. C. Elman, D. J. Silvester and A. J.
 * Wathen, Finite Elements and Fast Iterative Solvers, 2014, chapter 4). What is left to solve is solved by a method
 * that takes the directions of flexible GMRES (Y. Saad, A Flexible Inner-Outer Preconditioned GMRES Algorithm, 1993),
 * in rounds that begin at the true residual of A and keep what rounds before them have found (mixed_space.h). The
 * number of iterations hardly depends on how incompressible matter is. */
#ifndef LIMBER_SRC_MIXED_SOLVE_H
#define LIMBER_SRC_MIXED_SOLVE_H

#include "matrix/conjugate_gradients.h"

/* Whether a system is of this kind, and stiff enough for this to pay. */
bool lb_is_mixed(const lbLinearSystem* system);

/* Adds to x what takes r = b - A x, held components zero, to |r| = goal, by the true residual; stops before where that
 * does not pay, or after about `limit` products with K. r is what is left at the end. `vectors`: four node vectors of
 * scratch; `partial`: as lb_solve_linear has it. Returns the number of products with K. */
int lb_solve_mixed(const lbLinearSystem* system, const float* b, double goal, int limit, float* r,
                   float* const vectors[4], double* partial, double* x);

#endif
