#include "mpi/petsc_solver.h"

#include "base/clock.h"
#include "base/result.h"

#include <petscksp.h>
#include <stdio.h>
#include <string.h>

typedef struct PetscSolver {
    lbStaticSolver base;
    const lbHost* host;
    const lbStaticSystem* system;
    int nodeCount, size;
    int* numbers; /* (nodeCount) first of a free node's unknowns; -1: held */
    Mat matrix;
    KSP ksp;
    Vec rhs, solution, whole;
    VecScatter toAll;
} PetscSolver;

#define TRY_PETSC(call)                                                                                                \
    do {                                                                                                               \
        PetscErrorCode code_ = (call);                                                                                 \
        if (code_ != 0) {                                                                                              \
            return lb_error(lb_errorUnsupported, "PETSc failed with code %d in %s", (int)code_, #call);                \
        }                                                                                                              \
    } while (0)

/* Rows that this rank has of the matrix whose rows are `perNode` for each node of `places` (-1: none). */
static lbResult fill_rows(Mat matrix, const lbStiffness* stiffness, const int* rows, const int* columns, int high,
                          int wide, const double* values) {
    PetscInt begin, end;
    TRY_PETSC(MatGetOwnershipRange(matrix, &begin, &end));
    for (int row = 0; row < stiffness->nodeCount; ++row) {
        for (int64_t e = stiffness->starts[row]; rows[row] >= 0 && e < stiffness->starts[row + 1]; ++e) {
            int column = columns[stiffness->columns[e]];
            for (int k = 0; column >= 0 && k < high * wide; ++k) {
                PetscInt i = rows[row] + k / wide, j = column + k % wide;
                if (i >= begin && i < end && (values[(int64_t)high * wide * e + k] != 0 || i == j)) {
                    TRY_PETSC(MatSetValue(matrix, i, j, values[(int64_t)high * wide * e + k], ADD_VALUES));
                }
            }
        }
    }
    TRY_PETSC(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    TRY_PETSC(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
    return lb_success();
}

static lbResult create_matrix(PetscInt rows, PetscInt columns, PetscInt block, PetscInt perRow, Mat* matrix) {
    TRY_PETSC(MatCreate(PETSC_COMM_WORLD, matrix));
    TRY_PETSC(MatSetSizes(*matrix, PETSC_DECIDE, PETSC_DECIDE, rows, columns));
    TRY_PETSC(MatSetBlockSizes(*matrix, block, rows == columns ? block : 1));
    TRY_PETSC(MatSetType(*matrix, MATAIJ));
    TRY_PETSC(MatSeqAIJSetPreallocation(*matrix, perRow, NULL));
    TRY_PETSC(MatMPIAIJSetPreallocation(*matrix, perRow, NULL, perRow, NULL));
    TRY_PETSC(MatSetOption(*matrix, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    return lb_success();
}

/* K0 + G^T H G, written out: multigrid wants its entries. */
static lbResult assemble(PetscSolver* made) {
    const lbStiffness* stiffness = made->system->stiffness;
    LB_TRY(create_matrix(made->size, made->size, 3, 81, &made->matrix));
    LB_TRY(fill_rows(made->matrix, stiffness, made->numbers, made->numbers, 3, 3, stiffness->blocks));
    if (stiffness->volumes == NULL) {
        return lb_success();
    }
    int* own = LB_NEW(made->host, int, stiffness->nodeCount);
    if (own == NULL) {
        return lb_out_of_memory("averages");
    }
    for (int i = 0; i < stiffness->nodeCount; ++i) {
        own[i] = i;
    }
    Mat volumes = NULL, pressures = NULL, product = NULL;
    lbResult result = create_matrix(stiffness->nodeCount, made->size, 1, 81, &volumes);
    if (result.code == lb_ok) {
        result = fill_rows(volumes, stiffness, own, made->numbers, 1, 3, stiffness->volumes);
    }
    if (result.code == lb_ok) {
        result = create_matrix(stiffness->nodeCount, stiffness->nodeCount, 1, 27, &pressures);
    }
    if (result.code == lb_ok) {
        result = fill_rows(pressures, stiffness, own, own, 1, 1, stiffness->pressures);
    }
    lb_release(made->host, own);
    LB_TRY(result);
    TRY_PETSC(MatPtAP(pressures, volumes, MAT_INITIAL_MATRIX, 2, &product));
    TRY_PETSC(MatAXPY(made->matrix, 1, product, DIFFERENT_NONZERO_PATTERN));
    TRY_PETSC(MatDestroy(&volumes));
    TRY_PETSC(MatDestroy(&pressures));
    TRY_PETSC(MatDestroy(&product));
    return lb_success();
}

static lbResult set_near_null_space(PetscSolver* made) {
    Vec places;
    PetscInt begin, end;
    TRY_PETSC(MatCreateVecs(made->matrix, &places, NULL));
    TRY_PETSC(VecSetBlockSize(places, 3));
    TRY_PETSC(VecGetOwnershipRange(places, &begin, &end));
    const double* points = lbTetMesh_GetPoints(made->system->stiffness->mesh);
    for (int i = 0; i < made->nodeCount; ++i) {
        for (int c = 0; made->numbers[i] >= 0 && c < 3; ++c) {
            PetscInt row = made->numbers[i] + c;
            if (row >= begin && row < end) {
                TRY_PETSC(VecSetValue(places, row, points[3 * (size_t)i + (size_t)c], INSERT_VALUES));
            }
        }
    }
    TRY_PETSC(VecAssemblyBegin(places));
    TRY_PETSC(VecAssemblyEnd(places));
    MatNullSpace motions;
    TRY_PETSC(MatNullSpaceCreateRigidBody(places, &motions));
    TRY_PETSC(MatSetNearNullSpace(made->matrix, motions));
    TRY_PETSC(MatNullSpaceDestroy(&motions));
    TRY_PETSC(VecDestroy(&places));
    return lb_success();
}

static lbResult prepare(PetscSolver* made) {
    made->numbers = LB_NEW(made->host, int, made->nodeCount);
    if (made->numbers == NULL) {
        return lb_out_of_memory("a solver");
    }
    for (int i = 0; i < made->nodeCount; ++i) {
        made->numbers[i] = made->system->held[i] ? -1 : made->size;
        made->size += made->system->held[i] ? 0 : 3;
    }
    LB_TRY(assemble(made));
    LB_TRY(set_near_null_space(made));
    PC pc;
    TRY_PETSC(MatSetOption(made->matrix, MAT_SPD, PETSC_TRUE));
    TRY_PETSC(KSPCreate(PETSC_COMM_WORLD, &made->ksp));
    TRY_PETSC(KSPSetOperators(made->ksp, made->matrix, made->matrix));
    TRY_PETSC(KSPSetType(made->ksp, KSPCG));
    TRY_PETSC(KSPGetPC(made->ksp, &pc));
    TRY_PETSC(PCSetType(pc, PCGAMG));
    TRY_PETSC(KSPSetTolerances(made->ksp, made->system->tolerance, PETSC_DEFAULT, PETSC_DEFAULT, 20000));
    TRY_PETSC(KSPSetFromOptions(made->ksp));
    TRY_PETSC(KSPSetUp(made->ksp));
    TRY_PETSC(MatCreateVecs(made->matrix, &made->solution, &made->rhs));
    TRY_PETSC(VecScatterCreateToAll(made->solution, &made->toAll, &made->whole));
    return lb_success();
}

/* One right-hand side after another; all ranks have all of them. */
static lbResult solve_one(PetscSolver* solver, const double* r, double* x, int vector, int count) {
    PetscInt begin, end, iterations;
    KSPConvergedReason reason;
    TRY_PETSC(VecGetOwnershipRange(solver->rhs, &begin, &end));
    for (int i = 0; i < solver->nodeCount; ++i) {
        for (int c = 0; solver->numbers[i] >= 0 && c < 3; ++c) {
            PetscInt row = solver->numbers[i] + c;
            if (row >= begin && row < end) {
                size_t at = (3 * (size_t)i + (size_t)c) * (size_t)count + (size_t)vector;
                TRY_PETSC(VecSetValue(solver->rhs, row, r[at], INSERT_VALUES));
            }
        }
    }
    TRY_PETSC(VecAssemblyBegin(solver->rhs));
    TRY_PETSC(VecAssemblyEnd(solver->rhs));
    TRY_PETSC(KSPSolve(solver->ksp, solver->rhs, solver->solution));
    TRY_PETSC(KSPGetConvergedReason(solver->ksp, &reason));
    TRY_PETSC(KSPGetIterationNumber(solver->ksp, &iterations));
    if (reason < 0) {
        return lb_error(lb_errorUnstable, "PETSc has not converged (reason %d) after %d iterations", (int)reason,
                        (int)iterations);
    }
    solver->base.report.iterations = int_max(solver->base.report.iterations, (int)iterations);
    TRY_PETSC(VecScatterBegin(solver->toAll, solver->solution, solver->whole, INSERT_VALUES, SCATTER_FORWARD));
    TRY_PETSC(VecScatterEnd(solver->toAll, solver->solution, solver->whole, INSERT_VALUES, SCATTER_FORWARD));
    const PetscScalar* values;
    TRY_PETSC(VecGetArrayRead(solver->whole, &values));
    for (int i = 0; i < solver->nodeCount; ++i) {
        for (int c = 0; c < 3; ++c) {
            size_t at = (3 * (size_t)i + (size_t)c) * (size_t)count + (size_t)vector;
            x[at] = solver->numbers[i] >= 0 ? values[solver->numbers[i] + c] : 0;
        }
    }
    TRY_PETSC(VecRestoreArrayRead(solver->whole, &values));
    return lb_success();
}

static lbResult solve(lbStaticSolver* base, const double* r, double* x, int count) {
    for (int k = 0; k < count; ++k) {
        LB_TRY(solve_one((PetscSolver*)base, r, x, k, count));
    }
    return lb_success();
}

static void release(lbStaticSolver* base) {
    PetscSolver* solver = (PetscSolver*)base;
    KSPDestroy(&solver->ksp);
    MatDestroy(&solver->matrix);
    VecDestroy(&solver->rhs);
    VecDestroy(&solver->solution);
    VecDestroy(&solver->whole);
    VecScatterDestroy(&solver->toAll);
    lb_release(solver->host, solver->numbers);
    lb_release(solver->host, solver);
}

lbResult lb_create_petsc_solver(const lbStaticSystem* system, lbStaticSolver** solver) {
    *solver = NULL;
    PetscSolver* made = LB_NEW(system->stiffness->host, PetscSolver, 1);
    if (made == NULL) {
        return lb_out_of_memory("a solver");
    }
    double begin = lb_seconds();
    *made = (PetscSolver){.base = {.solve = solve, .release = release},
                          .host = system->stiffness->host,
                          .system = system,
                          .nodeCount = system->stiffness->nodeCount};
    lbResult result = prepare(made);
    if (result.code != lb_ok) {
        release(&made->base);
        return result;
    }
    int ranks = 1;
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    snprintf(made->base.report.solver, sizeof(made->base.report.solver), "PETSc on %d ranks", ranks);
    made->base.report.factorSeconds = lb_seconds() - begin;
    *solver = &made->base;
    return lb_success();
}
