/* A response by finite elements: the columns of K_nn^-1 that belong to points of the surface, in blocks, from one
 * factorisation (elastostatic/static_solver.h). Bodies may be of any matter; symmetric by itself. */
#include "base/clock.h"
#include "base/result.h"
#include "bem/response.h"
#include "elastostatic/modes.h"
#include "elastostatic/supports.h"
#include "mesh/tet_mesh.h"
#include "mesh/tet_surface.h"

#include <stdio.h>
#include <string.h>

typedef struct Work {
    const lbPrecomputeDef* def;
    const lbHost* host;
    lbTasks* tasks;
    lbMatter* matter;
    int* owner;
    bool* held;
    lbStiffness stiffness;
    lbStaticSolver* solver;
    lbTetSurface surface;
    double *forces, *moved; /* (nodeCount x 3 x lb_modeBlock) */
    lbResponse* response;
    lbResponseReport* report;
} Work;

static lbResult prepare(Work* work) {
    const lbTetMesh* mesh = work->def->mesh;
    work->matter = LB_NEW(work->host, lbMatter, mesh->tetCount);
    work->owner = LB_NEW(work->host, int, mesh->pointCount);
    work->held = LB_NEW(work->host, bool, mesh->pointCount);
    work->forces = LB_NEW(work->host, double, 3 * (int64_t)mesh->pointCount * lb_modeBlock);
    work->moved = LB_NEW(work->host, double, 3 * (int64_t)mesh->pointCount * lb_modeBlock);
    if (work->matter == NULL || work->owner == NULL || work->held == NULL || work->forces == NULL ||
        work->moved == NULL) {
        return lb_out_of_memory("a response");
    }
    LB_TRY(lb_precompute_matter(work->def, work->matter));
    LB_TRY(lb_own_nodes(work->host, work->def, work->owner));
    LB_TRY(lb_check_supports(work->host, mesh, work->owner));
    for (int i = 0; i < mesh->pointCount; ++i) {
        work->held[i] = work->owner[i] >= 0;
    }
    LB_TRY(lb_find_tet_surface(mesh, &work->surface));
    LB_TRY(lb_assemble_stiffness(work->host, mesh, work->matter, work->def->incompressible, &work->stiffness));
    return lb_success();
}

static lbResult create_solver(Work* work) {
    lbStaticSystem system = {.stiffness = &work->stiffness,
                             .held = work->held,
                             .tasks = work->tasks,
                             .byteLimit = work->def->byteLimit,
                             .tolerance = work->def->tolerance};
    lbStaticSolverKind kind = work->def->solver;
    if (kind != lb_staticSolverIterative) {
        lbResult result = lb_create_direct_solver(&system, &work->solver);
        if (kind == lb_staticSolverDirect || (result.code != lb_errorUnsupported && result.code != lb_errorMemory)) {
            return result;
        }
    }
    return lb_create_iterative_solver(&system, &work->solver);
}

static lbResult lay_out(Work* work) {
    const lbTetMesh* mesh = work->def->mesh;
    const lbTetSurface* surface = &work->surface;
    if (!lb_reserve_response(work->host, surface->pointCount, surface->triangleCount, &work->response)) {
        return lb_out_of_memory("a response");
    }
    lbResponse* made = work->response;
    int freeCount = 0;
    for (int i = 0; i < surface->pointCount; ++i) {
        int node = surface->points[i];
        vec3_store(made->rest + 3 * (size_t)i, vec3_from(tet_point(mesh->points, node)));
        made->freeOf[i] = work->held[node] ? -1 : freeCount++;
    }
    memcpy(made->triangles, surface->triangles, 3 * (size_t)surface->triangleCount * sizeof(int));
    for (int t = 0; t < surface->triangleCount; ++t) {
        const lbMatter* own = &work->matter[surface->tets[t]];
        made->matter[t] = (lbSkinMatter){own->youngsModulus / (2 * (1 + own->poissonsRatio)), own->poissonsRatio};
    }
    for (int i = 0; i < mesh->pointCount; ++i) {
        double mass = work->stiffness.mass[i];
        made->mass += mass;
        for (int c = 0; c < 3; ++c) {
            made->center[c] += mass * mesh->points[3 * (size_t)i + (size_t)c];
        }
    }
    for (int c = 0; c < 3; ++c) {
        made->center[c] /= made->mass;
    }
    if (freeCount == 0) {
        return lb_error(lb_errorArgument, "all of the surface is held: nothing can move");
    }
    double bytes = 36.0 * freeCount * freeCount;
    work->report->peakBytes = bytes + lb_stiffness_bytes(mesh->pointCount, mesh->tetCount) + work->solver->report.bytes;
    double limit = work->def->byteLimit > 0 ? work->def->byteLimit : lb_bytes_to_be_had();
    if (limit > 0 && work->report->peakBytes > limit) {
        return lb_error(lb_errorMemory, "%d free points of the surface would take %.2f GB in all; the limit is %.2f GB",
                        freeCount, 1e-9 * work->report->peakBytes, 1e-9 * limit);
    }
    lb_finish_response(made);
    return lb_number_response(made) ? lb_success() : lb_out_of_memory("a response");
}

/* Columns first <= c < first + count of the compliance, c = 3 x free point + axis. */
static lbResult solve_columns(Work* work, int first, int count) {
    lbResponse* made = work->response;
    size_t numbers = 3 * (size_t)work->def->mesh->pointCount * (size_t)count;
    memset(work->forces, 0, numbers * sizeof(double));
    for (int k = 0; k < count; ++k) {
        int node = work->surface.points[made->points[(first + k) / 3]];
        work->forces[(3 * (size_t)node + (size_t)((first + k) % 3)) * (size_t)count + (size_t)k] = 1;
    }
    LB_TRY(work->solver->solve(work->solver, work->forces, work->moved, count));
    for (int i = 0; i < made->freeCount; ++i) {
        size_t node = (size_t)work->surface.points[made->points[i]];
        for (int k = 0; k < count; ++k) {
            float* column = made->compliance + (size_t)(first + k) * made->stride;
            for (int a = 0; a < 3; ++a) {
                column[3 * i + a] = (float)work->moved[(3 * node + (size_t)a) * (size_t)count + (size_t)k];
            }
        }
    }
    return lb_success();
}

/* What rounding has left of the symmetry is taken out, so that files of one triangle are whole. */
static void make_symmetric(Work* work) {
    lbResponse* made = work->response;
    int rows = 3 * made->freeCount;
    float worst = 0, most = 0;
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j <= i; ++j) {
            float* a = &made->compliance[(size_t)j * made->stride + (size_t)i];
            float* b = &made->compliance[(size_t)i * made->stride + (size_t)j];
            worst = fmaxf(worst, fabsf(*a - *b));
            most = fmaxf(most, fabsf(*a));
            *a = *b = 0.5f * (*a + *b);
        }
    }
    work->report->asymmetry = (double)(worst / most);
}

static lbResult run(Work* work) {
    lbResponseReport* report = work->report;
    LB_TRY(lb_create_tasks(work->host, work->def->threadCount, &work->tasks));
    double begin = lb_seconds();
    LB_TRY(prepare(work));
    report->assembleSeconds = lb_seconds() - begin;
    begin = lb_seconds();
    LB_TRY(create_solver(work));
    LB_TRY(lay_out(work));
    int columns = 3 * work->response->freeCount;
    for (int first = 0; first < columns; first += lb_modeBlock) {
        const lbPrecomputeDef* def = work->def;
        if (def->progress != NULL &&
            !def->progress(def->progressUser, "solving for the surface", (double)first / columns)) {
            return lb_error(lb_errorArgument, "the precomputation was stopped while solving for the surface");
        }
        LB_TRY(solve_columns(work, first, int_min(lb_modeBlock, columns - first)));
    }
    report->solveSeconds = lb_seconds() - begin;
    begin = lb_seconds();
    make_symmetric(work);
    report->packSeconds = lb_seconds() - begin;
    report->pointCount = work->response->pointCount;
    report->triangleCount = work->response->triangleCount;
    report->freeCount = work->response->freeCount;
    report->nodeCount = work->def->mesh->pointCount;
    report->tetCount = work->def->mesh->tetCount;
    snprintf(report->method, sizeof(report->method), "finite elements, %.40s", work->solver->report.solver);
    return lb_sum_response(work->response);
}

lbResult lbPrecomputeResponse(const lbPrecomputeDef* def, lbResponse** made, lbResponseReport* report) {
    *made = NULL;
    LB_TRY(lb_check_precompute(def));
    LB_TRY(lbCheckProcessor());
    const lbHost* host = lb_resolve_host(def->host);
    lbResponseReport unread;
    Work work = {.def = def,
                 .host = host,
                 .stiffness = {.host = host},
                 .surface = {.host = host},
                 .report = report != NULL ? report : &unread};
    *work.report = (lbResponseReport){0};
    double begin = lb_seconds();
    lbResult result = run(&work);
    work.report->totalSeconds = lb_seconds() - begin;
    lb_release(host, work.matter);
    lb_release(host, work.owner);
    lb_release(host, work.held);
    lb_release(host, work.forces);
    lb_release(host, work.moved);
    lb_free_stiffness(&work.stiffness);
    lb_free_tet_surface(&work.surface);
    if (work.solver != NULL) {
        work.solver->release(work.solver);
    }
    lb_destroy_tasks(work.tasks);
    if (result.code == lb_ok) {
        *made = work.response;
    } else {
        lbDestroyResponse(work.response);
    }
    return result;
}
