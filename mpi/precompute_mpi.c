/* limber-precompute-mpi SCENE -o MODEL.lbe [--compare] [PETSc's options]: what limber precompute does, its matrix
 * assembled and its modes solved by PETSc on as many ranks as mpiexec starts. Rank 0 writes the file. --compare solves
 * again by limber's own conjugate gradients, and fails if reactions, work or the basis differ by more than 1e-6 of
 * their largest, or anything else in the file differs at all. */
#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "elastostatic/elastostatic.h"
#include "mpi/distributed.h"
#include "scene/scene.h"

#include <math.h>
#include <petscsys.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* Largest difference, relative to the largest number. */
static double difference(const double* a, const double* b, int64_t count) {
    double worst = 0, largest = 0;
    for (int64_t i = 0; i < count; ++i) {
        worst = fmax(worst, fabs(a[i] - b[i]));
        largest = fmax(largest, fabs(b[i]));
    }
    return largest > 0 ? worst / largest : 0;
}

static double difference_of_floats(const float* a, const float* b, int64_t count) {
    double worst = 0, largest = 0;
    for (int64_t i = 0; i < count; ++i) {
        worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
        largest = fmax(largest, fabs((double)b[i]));
    }
    return largest > 0 ? worst / largest : 0;
}

/* What no solver has a say in. */
static bool same_parts(const lbElastostatic* a, const lbElastostatic* b) {
    static const lbImagePart parts[] = {lb_imageControls,  lb_imageLoads,  lb_imageRest,
                                        lb_imageTriangles, lb_imageMatter, lb_imageRestTiles};
    bool same = a->size == b->size && memcmp(a->header->offsets, b->header->offsets, sizeof(a->header->offsets)) == 0 &&
                fabs(a->header->mass - b->header->mass) <= 1e-12 * b->header->mass;
    for (size_t i = 0; same && i < sizeof(parts) / sizeof(parts[0]); ++i) {
        uint64_t begin = a->header->offsets[parts[i]], end = a->header->offsets[parts[i] + 1];
        same = memcmp(a->image + begin, b->image + begin, (size_t)(end - begin)) == 0;
    }
    return same;
}

static lbResult compare(const lbSceneDef* def, const lbSceneBody* body, const char* folder,
                        const lbElastostatic* made) {
    lbPrecomputeDef settings = lbDefaultPrecomputeDef();
    settings.solver = lb_staticSolverIterative;
    lbElastostatic* other = NULL;
    LB_TRY(lb_precompute_scene_body(def, body, folder, &settings, &other, NULL));
    const lbImageHeader* header = made->header;
    int64_t controls = lb_controlModes * (int64_t)header->controlCount, modes = header->modeCount;
    double reactions = difference(made->reaction, other->reaction, controls * modes);
    double work = difference(made->work, other->work, modes * (3 + header->loadCount));
    double basis = 0;
    float* shapes = LB_NEW(lb_resolve_host(NULL), float, 6 * (int64_t)header->pointCount);
    for (int k = 0; shapes != NULL && k < header->modeCount; ++k) {
        LB_TRY(lbElastostatic_GetMode(made, k, shapes));
        LB_TRY(lbElastostatic_GetMode(other, k, shapes + 3 * (size_t)header->pointCount));
        basis = fmax(basis, difference_of_floats(shapes, shapes + 3 * (size_t)header->pointCount,
                                                 3 * (int64_t)header->pointCount));
    }
    lb_release(lb_resolve_host(NULL), shapes);
    bool alike = same_parts(made, other);
    lbDestroyElastostatic(other);
    printf("  beside conjugate gradients on one machine: reactions %.1e, work %.1e, modes %.1e of their largest; %s\n",
           reactions, work, basis, alike ? "all else is the same" : "other parts differ");
    return alike && shapes != NULL && fmax(reactions, fmax(work, basis)) <= 1e-6
               ? lb_success()
               : lb_error(lb_errorUnstable, "PETSc and conjugate gradients do not agree");
}

/* The most that a rank has held, and all together. */
static void print_memory(int rank) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double own = 1e-6 * (double)usage.ru_maxrss, most = 0, sum = 0; /* GB */
    MPI_Reduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, 0, PETSC_COMM_WORLD);
    MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, PETSC_COMM_WORLD);
    if (rank == 0) {
        printf("  memory: %.2f GB in the largest rank, %.2f GB in all\n", most, sum);
    }
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
    settings.solveElsewhere = lb_precompute_distributed;
    settings.threadCount = 1;
    result = body != NULL ? lb_precompute_scene_body(def, body, folder, &settings, &made, &report)
                          : lb_error(lb_errorArgument, "%s: has no precomputed body", scenePath);
    if (result.code == lb_ok && rank == 0) {
        printf("%s: %d nodes, %d modes by %s: assembly %.2f s, preconditioner %.2f s, modes %.2f s (at most %d "
               "iterations), residual %.1e, condition %.1e\n",
               output, report.nodeCount, report.modeCount, report.solver, report.assembleSeconds, report.factorSeconds,
               report.solveSeconds, report.iterations, report.residual, report.condition);
        result = lbElastostatic_Save(made, output);
        if (result.code == lb_ok && compares) {
            result = compare(def, body, folder, made);
        }
    }
    lbDestroyElastostatic(made);
    lb_free_scene_def(def);
    if (result.code == lb_ok) {
        print_memory(rank);
    }
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
        MPI_Abort(PETSC_COMM_WORLD, 1); /* others may be waiting for this one */
    }
    PetscFinalize();
    return result.code == lb_ok ? 0 : 1;
}
