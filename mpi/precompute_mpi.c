/* limber-precompute-mpi SCENE -o MODEL.lbe [--compare] [PETSc's options]: what limber precompute does, its systems
 * solved by PETSc on as many ranks as mpiexec starts. Rank 0 writes the file. --compare solves again by limber's own
 * conjugate gradients, and fails if the reactions differ by more than 1e-6 of the largest. */
#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "elastostatic/elastostatic.h"
#include "mpi/petsc_solver.h"
#include "scene/scene.h"

#include <petscsys.h>
#include <stdio.h>
#include <string.h>

static lbResult compare(const lbSceneDef* def, const lbSceneBody* body, const char* folder,
                        const lbElastostatic* made) {
    lbPrecomputeDef settings = lbDefaultPrecomputeDef();
    settings.solver = lb_staticSolverIterative;
    lbElastostatic* other = NULL;
    LB_TRY(lb_precompute_scene_body(def, body, folder, &settings, &other, NULL));
    double worst = 0, largest = 0;
    for (int i = 0; i < lb_controlModes * made->header->controlCount * made->header->modeCount; ++i) {
        worst = fmax(worst, fabs(made->reaction[i] - other->reaction[i]));
        largest = fmax(largest, fabs(made->reaction[i]));
    }
    lbDestroyElastostatic(other);
    printf("  reactions differ from conjugate gradients' by %.2e of the largest\n", worst / largest);
    return worst <= 1e-6 * largest ? lb_success()
                                   : lb_error(lb_errorUnstable, "PETSc and conjugate gradients do not agree");
}

static lbResult precompute(const char* scenePath, const char* output, bool compares, int rank) {
    const lbHost* host = lb_resolve_host(NULL);
    lbBytes bytes;
    LB_TRY(lb_read_file(host, scenePath, &bytes));
    lbSceneDef* def = NULL;
    lbResult result = lb_read_scene_def(host, (const char*)bytes.data, bytes.size, scenePath, &def);
    lb_free_bytes(host, &bytes);
    LB_TRY(result);
    char folder[4096];
    snprintf(folder, sizeof(folder), "%s", scenePath);
    char* slash = strrchr(folder, '/');
    *(slash != NULL ? slash : folder) = 0;
    const lbSceneBody* body = NULL;
    for (int i = 0; i < def->bodyCount; ++i) {
        body = def->bodies[i].elastostatic != NULL ? &def->bodies[i] : body;
    }
    lbElastostatic* made = NULL;
    lbPrecomputeReport report;
    lbPrecomputeDef settings = lbDefaultPrecomputeDef();
    settings.createSolver = lb_create_petsc_solver;
    settings.threadCount = 1;
    result = body != NULL ? lb_precompute_scene_body(def, body, folder, &settings, &made, &report)
                          : lb_error(lb_errorArgument, "%s: has no precomputed body", scenePath);
    if (result.code == lb_ok && rank == 0) {
        printf("%s: %d nodes, %d modes by %s: matrix and preconditioner %.2f s, modes %.2f s (%d iterations), residual "
               "%.1e\n",
               output, report.nodeCount, report.modeCount, report.solver, report.factorSeconds, report.solveSeconds,
               report.iterations, report.residual);
        result = lbElastostatic_Save(made, output);
        if (result.code == lb_ok && compares) {
            result = compare(def, body, folder, made);
        }
    }
    lbDestroyElastostatic(made);
    lb_free_scene_def(def);
    return result;
}

int main(int argumentCount, char** arguments) {
    const char *scene = NULL, *output = NULL;
    bool compares = false;
    for (int i = 1; i < argumentCount; ++i) {
        if (strcmp(arguments[i], "-o") == 0 && i + 1 < argumentCount) {
            output = arguments[++i];
        } else if (strcmp(arguments[i], "--compare") == 0) {
            compares = true;
        } else if (scene == NULL && arguments[i][0] != '-') {
            scene = arguments[i];
        }
    }
    if (scene == NULL || output == NULL) {
        fprintf(stderr,
                "usage: mpiexec -n RANKS limber-precompute-mpi SCENE -o MODEL.lbe [--compare] [PETSc's options]\n");
        return 2;
    }
    if (PetscInitialize(&argumentCount, &arguments, NULL, NULL) != 0) {
        return 1;
    }
    int rank = 0;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    lbResult result = precompute(scene, output, compares, rank);
    if (result.code != lb_ok) {
        fprintf(stderr, "limber-precompute-mpi: rank %d: %s\n", rank, result.message);
    }
    PetscFinalize();
    return result.code == lb_ok ? 0 : 1;
}
