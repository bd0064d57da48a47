#include "mpi/distributed.h"

#include "base/clock.h"
#include "base/result.h"
#include "mesh/tet_mesh.h"
#include "mpi/shares.h"

#include <stdio.h>
#include <string.h>

enum { mostRefinements = 4, conditionPasses = 24, inversePasses = 4 };

typedef struct Distributed {
    lbPrecomputeWork* work;
    lbModeSystem system;
    lbShares shares;
    int rank;
    IS free;   /* rows of nodes that nothing holds */
    Mat inner; /* K_nn */
    KSP ksp;
    Vec u, f, k, r, d;  /* of all nodes */
    Vec innerR, innerD; /* of free ones */
    VecScatter toInner; /* from all to free */
    Vec whole;          /* on the first rank: all of u, or of what else is gathered */
    VecScatter toFirst;
} Distributed;

/* ---- The system of free nodes ------------------------------------------------------------------------------------ */

static lbResult find_free_rows(Distributed* run) {
    const lbShares* shares = &run->shares;
    PetscInt* rows = LB_NEW(run->work->host, PetscInt, 3 * ((int64_t)shares->end - shares->begin) + 1);
    PetscInt count = 0;
    if (rows == NULL) {
        return lb_out_of_memory("rows");
    }
    for (int i = shares->begin; i < shares->end; ++i) {
        for (int c = 0; !run->work->held[i] && c < 3; ++c) {
            rows[count++] = 3 * i + c;
        }
    }
    PetscErrorCode code = ISCreateGeneral(PETSC_COMM_WORLD, count, rows, PETSC_COPY_VALUES, &run->free);
    lb_release(run->work->host, rows);
    TRY_PETSC(code);
    TRY_PETSC(ISSetBlockSize(run->free, 3));
    return lb_success();
}

static lbResult set_near_null_space(Distributed* run) {
    const double* points = lbTetMesh_GetPoints(run->work->def->mesh);
    Vec places;
    PetscScalar* values;
    TRY_PETSC(MatCreateVecs(run->inner, &places, NULL));
    TRY_PETSC(VecSetBlockSize(places, 3));
    TRY_PETSC(VecGetArray(places, &values));
    for (int i = run->shares.begin, at = 0; i < run->shares.end; ++i) {
        for (int c = 0; !run->work->held[i] && c < 3; ++c) {
            values[at++] = points[3 * (size_t)i + (size_t)c];
        }
    }
    TRY_PETSC(VecRestoreArray(places, &values));
    MatNullSpace motions;
    TRY_PETSC(MatNullSpaceCreateRigidBody(places, &motions));
    TRY_PETSC(MatSetNearNullSpace(run->inner, motions));
    TRY_PETSC(MatNullSpaceDestroy(&motions));
    TRY_PETSC(VecDestroy(&places));
    return lb_success();
}

static lbResult prepare_solver(Distributed* run) {
    LB_TRY(find_free_rows(run));
    TRY_PETSC(MatCreateSubMatrix(run->shares.stiffness, run->free, run->free, MAT_INITIAL_MATRIX, &run->inner));
    TRY_PETSC(MatSetBlockSize(run->inner, 3));
    TRY_PETSC(MatSetOption(run->inner, MAT_SPD, PETSC_TRUE));
    LB_TRY(set_near_null_space(run));
    PC pc;
    TRY_PETSC(KSPCreate(PETSC_COMM_WORLD, &run->ksp));
    TRY_PETSC(KSPSetOperators(run->ksp, run->inner, run->inner));
    TRY_PETSC(KSPSetType(run->ksp, KSPCG));
    TRY_PETSC(KSPGetPC(run->ksp, &pc));
    TRY_PETSC(PCSetType(pc, PCGAMG));
    TRY_PETSC(KSPSetTolerances(run->ksp, run->work->def->tolerance, PETSC_DEFAULT, PETSC_DEFAULT, 20000));
    TRY_PETSC(KSPSetFromOptions(run->ksp));
    TRY_PETSC(KSPSetUp(run->ksp));
    TRY_PETSC(MatCreateVecs(run->shares.stiffness, &run->u, &run->f));
    TRY_PETSC(VecDuplicate(run->u, &run->k));
    TRY_PETSC(VecDuplicate(run->u, &run->r));
    TRY_PETSC(VecDuplicate(run->u, &run->d));
    TRY_PETSC(MatCreateVecs(run->inner, &run->innerD, &run->innerR));
    TRY_PETSC(VecScatterCreate(run->u, run->free, run->innerR, NULL, &run->toInner));
    TRY_PETSC(VecScatterCreateToZero(run->u, &run->toFirst, &run->whole));
    return lb_success();
}

/* d = K_nn^-1 r on free nodes, 0 on others. */
static lbResult solve_inner(Distributed* run, Vec r, Vec d) {
    KSPConvergedReason reason;
    PetscInt iterations;
    TRY_PETSC(VecScatterBegin(run->toInner, r, run->innerR, INSERT_VALUES, SCATTER_FORWARD));
    TRY_PETSC(VecScatterEnd(run->toInner, r, run->innerR, INSERT_VALUES, SCATTER_FORWARD));
    TRY_PETSC(KSPSolve(run->ksp, run->innerR, run->innerD));
    TRY_PETSC(KSPGetConvergedReason(run->ksp, &reason));
    TRY_PETSC(KSPGetIterationNumber(run->ksp, &iterations));
    if (reason < 0) {
        return lb_error(lb_errorUnstable, "PETSc has not converged (reason %d) after %d iterations", (int)reason,
                        (int)iterations);
    }
    lbPrecomputeReport* report = run->work->report;
    report->iterations = int_max(report->iterations, (int)iterations);
    TRY_PETSC(VecSet(d, 0));
    TRY_PETSC(VecScatterBegin(run->toInner, run->innerD, d, INSERT_VALUES, SCATTER_REVERSE));
    TRY_PETSC(VecScatterEnd(run->toInner, run->innerD, d, INSERT_VALUES, SCATTER_REVERSE));
    return lb_success();
}

/* Zeroes what is held. */
static lbResult stop_held(const Distributed* run, Vec x) {
    PetscScalar* values;
    TRY_PETSC(VecGetArray(x, &values));
    for (int i = run->shares.begin; i < run->shares.end; ++i) {
        for (int c = 0; run->work->held[i] && c < 3; ++c) {
            values[3 * (i - run->shares.begin) + c] = 0;
        }
    }
    TRY_PETSC(VecRestoreArray(x, &values));
    return lb_success();
}

/* ---- Modes ------------------------------------------------------------------------------------------------------- */

static lbResult fill_given(Distributed* run, int mode) {
    PetscScalar *u, *f;
    TRY_PETSC(VecGetArray(run->u, &u));
    TRY_PETSC(VecGetArray(run->f, &f));
    for (int i = run->shares.begin, at = 0; i < run->shares.end; ++i) {
        for (int c = 0; c < 3; ++c, ++at) {
            u[at] = lb_given_displacement(&run->system, mode, i, c);
            f[at] = lb_given_force(&run->system, mode, i, c);
        }
    }
    TRY_PETSC(VecRestoreArray(run->u, &u));
    TRY_PETSC(VecRestoreArray(run->f, &f));
    return lb_success();
}

/* r = f - K u of free nodes, and its norm. */
static lbResult find_residual(Distributed* run, PetscReal* norm) {
    TRY_PETSC(MatMult(run->shares.stiffness, run->u, run->k));
    TRY_PETSC(VecWAXPY(run->r, -1, run->k, run->f));
    LB_TRY(stop_held(run, run->r));
    TRY_PETSC(VecNorm(run->r, NORM_2, norm));
    return lb_success();
}

static lbResult solve_mode(Distributed* run, int mode) {
    PetscReal first = 0, norm = 0, last = INFINITY;
    LB_TRY(fill_given(run, mode));
    LB_TRY(find_residual(run, &first));
    double share = 0;
    for (int attempt = 0; first > 0 && attempt < mostRefinements; ++attempt) {
        LB_TRY(solve_inner(run, run->r, run->d));
        TRY_PETSC(VecAXPY(run->u, 1, run->d));
        LB_TRY(find_residual(run, &norm));
        share = fmin(norm / first, last);
        if (!(share > run->work->def->tolerance) || share > 0.25 * last) {
            break;
        }
        last = share;
    }
    run->work->report->residual = fmax(run->work->report->residual, share);
    return share <= 1e-6 ? lb_success()
                         : lb_error(lb_errorUnstable,
                                    "mode %d could not be solved: a residual of %g of the load is left", mode, share);
}

/* All of a vector, to the first rank's memory. */
static lbResult gather(Distributed* run, Vec from, double* to) {
    const PetscScalar* values;
    TRY_PETSC(VecScatterBegin(run->toFirst, from, run->whole, INSERT_VALUES, SCATTER_FORWARD));
    TRY_PETSC(VecScatterEnd(run->toFirst, from, run->whole, INSERT_VALUES, SCATTER_FORWARD));
    if (run->rank == 0) {
        TRY_PETSC(VecGetArrayRead(run->whole, &values));
        memcpy(to, values, 3 * (size_t)run->work->def->mesh->pointCount * sizeof(double));
        TRY_PETSC(VecRestoreArrayRead(run->whole, &values));
    }
    return lb_success();
}

/* Pressures of averaged volumes, H G u, which stresses are made of. */
static lbResult gather_pressures(Distributed* run, double* to) {
    Vec sums, pressures, whole;
    VecScatter scatter;
    const PetscScalar* values;
    TRY_PETSC(MatCreateVecs(run->shares.volumes, NULL, &sums));
    TRY_PETSC(VecDuplicate(sums, &pressures));
    TRY_PETSC(MatMult(run->shares.volumes, run->u, sums));
    TRY_PETSC(MatMult(run->shares.pressures, sums, pressures));
    TRY_PETSC(VecScatterCreateToZero(pressures, &scatter, &whole));
    TRY_PETSC(VecScatterBegin(scatter, pressures, whole, INSERT_VALUES, SCATTER_FORWARD));
    TRY_PETSC(VecScatterEnd(scatter, pressures, whole, INSERT_VALUES, SCATTER_FORWARD));
    if (run->rank == 0) {
        TRY_PETSC(VecGetArrayRead(whole, &values));
        memcpy(to, values, (size_t)run->work->def->mesh->pointCount * sizeof(double));
        TRY_PETSC(VecRestoreArrayRead(whole, &values));
    }
    TRY_PETSC(VecScatterDestroy(&scatter));
    TRY_PETSC(VecDestroy(&whole));
    TRY_PETSC(VecDestroy(&pressures));
    TRY_PETSC(VecDestroy(&sums));
    return lb_success();
}

/* On the first rank: as much of a mode as the image is made of. One at a time, whatever their number. */
static lbResult keep_mode(Distributed* run, int mode, lbBasisPacker* packer) {
    lbPrecomputeWork* work = run->work;
    lbModes* modes = &work->modes;
    LB_TRY(gather(run, run->u, modes->u));
    LB_TRY(gather(run, run->k, modes->k));
    LB_TRY(gather(run, run->f, modes->f));
    if (run->shares.volumes != NULL && work->def->stress) {
        LB_TRY(gather_pressures(run, run->rank == 0 ? modes->scratch + work->def->mesh->pointCount : NULL));
    }
    if (run->rank != 0) {
        return lb_success();
    }
    modes->first = mode;
    modes->count = 1;
    lb_measure_modes(&run->system, modes, (double*)(work->image + work->header->offsets[lb_imageReaction]),
                     (double*)(work->image + work->header->offsets[lb_imageWork]));
    return lb_pack_modes(packer, modes);
}

static lbResult solve_modes(Distributed* run) {
    lbPrecomputeWork* work = run->work;
    lbBasisPacker packer = {&run->system, work->surface.points, work->surface.pointCount, work->image, 0};
    if (run->rank == 0) {
        LB_TRY(lb_reserve_modes(&run->system, 1, &work->modes));
    }
    for (int mode = 0; mode < run->system.modeCount; ++mode) {
        LB_TRY(lb_tell_progress(work, "solving modes", (double)mode / run->system.modeCount));
        LB_TRY(solve_mode(run, mode));
        LB_TRY(keep_mode(run, mode, &packer));
    }
    work->report->basisError = packer.error;
    return lb_success();
}

/* ---- The condition number ---------------------------------------------------------------------------------------- */

/* The same sequence as on one machine: every rank walks along all of it. */
static lbResult fill_random(const Distributed* run, Vec x) {
    PetscScalar* values;
    unsigned seed = 7;
    TRY_PETSC(VecGetArray(x, &values));
    for (int64_t i = 0; i < 3 * (int64_t)run->shares.end; ++i) {
        seed = seed * 1664525u + 1013904223u;
        if (i >= 3 * (int64_t)run->shares.begin) {
            values[i - 3 * (int64_t)run->shares.begin] = (double)(seed >> 8) / (1 << 24) - 0.5;
        }
    }
    TRY_PETSC(VecRestoreArray(x, &values));
    return stop_held(run, x);
}

static lbResult estimate_condition(Distributed* run, double* condition) {
    PetscReal norm = 0, largest = 0, smallest = 1;
    for (int inverse = 0; inverse < 2; ++inverse) {
        LB_TRY(fill_random(run, run->u));
        TRY_PETSC(VecNormalize(run->u, &norm));
        for (int pass = 0; pass < (inverse ? inversePasses : conditionPasses); ++pass) {
            if (inverse) {
                LB_TRY(solve_inner(run, run->u, run->k));
            } else {
                TRY_PETSC(MatMult(run->shares.stiffness, run->u, run->k));
            }
            LB_TRY(stop_held(run, run->k));
            TRY_PETSC(VecNormalize(run->k, &norm));
            *(inverse ? &smallest : &largest) = inverse ? 1 / norm : norm;
            TRY_PETSC(VecCopy(run->k, run->u));
        }
    }
    *condition = largest / smallest;
    return lb_success();
}

/* ---- From end to end --------------------------------------------------------------------------------------------- */

/* What masses, packing and measuring ask of a stiffness, without its matrix. */
static lbResult fill_shell(Distributed* run) {
    lbPrecomputeWork* work = run->work;
    const lbTetMesh* mesh = work->def->mesh;
    lbStiffness* shell = &work->stiffness;
    *shell = (lbStiffness){.host = work->host, .mesh = mesh, .nodeCount = mesh->pointCount};
    shell->mass = LB_NEW(work->host, double, mesh->pointCount);
    shell->matter = LB_NEW(work->host, lbElementMatter, mesh->tetCount);
    if (shell->mass == NULL || shell->matter == NULL) {
        return lb_out_of_memory("masses");
    }
    memcpy(shell->matter, run->shares.matter, (size_t)mesh->tetCount * sizeof(lbElementMatter));
    for (int t = 0; t < mesh->tetCount; ++t) {
        lbVec3d gradient[4];
        double mass = 0.25 * shell->matter[t].density * lb_element_gradients(mesh, t, gradient);
        for (int k = 0; k < 4; ++k) {
            shell->mass[mesh->tets[4 * (size_t)t + (size_t)k]] += mass;
        }
    }
    return lb_success();
}

static double matrix_bytes(Mat matrix) {
    MatInfo info;
    return matrix != NULL && MatGetInfo(matrix, MAT_GLOBAL_SUM, &info) == 0 ? info.memory : 0;
}

static lbResult precompute(Distributed* run) {
    lbPrecomputeWork* work = run->work;
    lbPrecomputeReport* report = work->report;
    double begin = lb_seconds();
    LB_TRY(lb_tell_progress(work, "assembling", 0));
    LB_TRY(lb_assemble_shares(work, &run->shares));
    LB_TRY(fill_shell(run));
    if (run->rank == 0) {
        LB_TRY(lb_begin_image(work));
    }
    report->assembleSeconds = lb_seconds() - begin;
    begin = lb_seconds();
    LB_TRY(lb_tell_progress(work, "factoring", 0));
    LB_TRY(prepare_solver(run));
    report->factorSeconds = lb_seconds() - begin;
    report->peakBytes = matrix_bytes(run->shares.stiffness) + matrix_bytes(run->inner);
    run->system = (lbModeSystem){.def = work->def,
                                 .host = work->host,
                                 .tasks = work->tasks,
                                 .stiffness = &work->stiffness,
                                 .owner = work->owner,
                                 .centers = work->centers,
                                 .modeCount = report->modeCount};
    begin = lb_seconds();
    LB_TRY(solve_modes(run));
    report->solveSeconds = lb_seconds() - begin;
    LB_TRY(estimate_condition(run, &report->condition));
    int ranks = 1;
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    snprintf(report->solver, sizeof(report->solver), "PETSc on %d ranks", ranks);
    return lb_success();
}

static void release(Distributed* run) {
    KSPDestroy(&run->ksp);
    MatDestroy(&run->inner);
    ISDestroy(&run->free);
    Vec* vectors[] = {&run->u, &run->f, &run->k, &run->r, &run->d, &run->innerR, &run->innerD, &run->whole};
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); ++i) {
        VecDestroy(vectors[i]);
    }
    VecScatterDestroy(&run->toInner);
    VecScatterDestroy(&run->toFirst);
    lb_free_shares(&run->shares);
}

lbResult lb_precompute_distributed(lbPrecomputeWork* work) {
    Distributed run = {.work = work, .shares = {.work = work}};
    MPI_Comm_rank(PETSC_COMM_WORLD, &run.rank);
    lbResult result = precompute(&run);
    release(&run);
    return result;
}
