/* A precomputation on several ranks: matrix, preconditioner and vectors are shared by them; the first one keeps the
 * image. */
#ifndef LIMBER_MPI_DISTRIBUTED_H
#define LIMBER_MPI_DISTRIBUTED_H

#include "elastostatic/precompute.h"

/* For lbPrecomputeDef.solveElsewhere: on all ranks at once. By conjugate gradients on algebraic multigrid (GAMG, the
 * six rigid motions as its near null space), or whatever PETSc's options ask for (-ksp_type preonly -pc_type cholesky
 * -pc_factor_mat_solver_type mumps). */
lbResult lb_precompute_distributed(lbPrecomputeWork* work);

#endif
