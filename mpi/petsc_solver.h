/* K_nn on PETSc: conjugate gradients preconditioned by algebraic multigrid (GAMG) with the six rigid motions as its
 * near null space, rows shared by the ranks; or whatever PETSc's options ask for (-ksp_type preonly -pc_type cholesky
 * -pc_factor_mat_solver_type mumps). Every rank gets the whole solution. */
#ifndef LIMBER_MPI_PETSC_SOLVER_H
#define LIMBER_MPI_PETSC_SOLVER_H

#include "elastostatic/static_solver.h"

lbResult lb_create_petsc_solver(const struct lbStaticSystem* system, struct lbStaticSolver** solver);

#endif
