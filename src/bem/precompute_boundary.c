/* A response by boundary elements, from checks to what is kept. A force on a point is a traction that falls to nothing
 * towards its neighbours, so that forces that push make tractions that push: u = C p, p = f / a, a the third of the
 * triangles around. Betti's theorem makes C / a symmetric but for what collocation and a point's own width leave, which
 * is averaged away (the report has it). */
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "bem/boundary.h"
#include "bem/response.h"
#include "bem/surface_checks.h"
#include "body/region.h"
#include "matrix/dense_lu.h"
#include "shape/shape.h"

#include <stdio.h>
#include <string.h>

enum { boundaryCookie = 0x6265656d };
static const double worstError = 1e-3; /* a tenth of the asymmetry that collocation leaves */

lbBoundaryDef lbDefaultBoundaryDef(void) {
    return (lbBoundaryDef){.material = lbDefaultModelDef().material, .cookie = boundaryCookie};
}

static lbResult check_def(const lbBoundaryDef* def) {
    if (def == NULL || def->cookie != boundaryCookie) {
        return lb_error(lb_errorArgument, "the definition was not made by lbDefaultBoundaryDef()");
    }
    LB_TRY(lb_check_host(def->host));
    if (def->shape == NULL) {
        return lb_error(lb_errorArgument, "there is no surface to precompute");
    }
    const lbMaterial* m = &def->material;
    if (!(m->density > 0 && isfinite(m->density) && m->youngsModulus > 0 && isfinite(m->youngsModulus) &&
          m->poissonsRatio > -1 && m->poissonsRatio < 0.5f)) {
        return lb_error(
            lb_errorArgument,
            "the material has density %g kg/m^3, E = %g Pa and nu = %g; expected a density and an E of more than 0, "
            "and -1 < nu < 0.5",
            (double)m->density, (double)m->youngsModulus, (double)m->poissonsRatio);
    }
    if (def->regionCount < 0 || (def->regionCount > 0 && def->regions == NULL)) {
        return lb_error(lb_errorArgument, "%d regions are held, but none are given", def->regionCount);
    }
    for (int i = 0; i < def->regionCount; ++i) {
        LB_TRY(lb_in_context(lb_check_region(&def->regions[i]), "held region %d", i));
    }
    return lb_success();
}

typedef struct Work {
    const lbBoundaryDef* def;
    const lbHost* host;
    lbTasks* tasks;
    lbVec3d* points;
    bool* held;
    lbBoundary boundary;
    lbBoundarySolution solution;
    lbResponse* response;
    lbResponseReport* report;
} Work;

static bool is_held(const Work* work, int triangle) {
    const lbShape* shape = work->def->shape;
    if (work->def->held != NULL && work->def->held[triangle]) {
        return true;
    }
    for (int r = 0; r < work->def->regionCount; ++r) {
        bool all = true;
        for (int k = 0; k < 3; ++k) {
            int corner = shape->triangles[3 * (size_t)triangle + (size_t)k];
            all = all && lb_region_holds(&work->def->regions[r], vec3_load(shape->points + 3 * (size_t)corner));
        }
        if (all) {
            return true;
        }
    }
    return false;
}

static lbResult prepare(Work* work) {
    const lbShape* shape = work->def->shape;
    lbBoundarySurfaceReport surface;
    LB_TRY(lb_check_boundary_surface(shape, &surface));
    work->report->openArea = surface.openArea;
    work->report->foldCount = surface.foldCount;
    work->report->firstFold = surface.firstFold;
    if (surface.foldCount > 0) {
        lb_log(
            work->host, lb_logWarning,
            "the surface folds back on itself at %d edges, the first at (%.4g, %.4g, %.4g): tractions are poor there",
            surface.foldCount, (double)surface.firstFold.x, (double)surface.firstFold.y, (double)surface.firstFold.z);
    }
    work->points = LB_NEW(work->host, lbVec3d, shape->pointCount);
    work->held = LB_NEW(work->host, bool, shape->triangleCount);
    if (work->points == NULL || work->held == NULL ||
        !lb_reserve_response(work->host, shape->pointCount, shape->triangleCount, &work->response)) {
        return lb_out_of_memory("a response");
    }
    bool* used = (bool*)work->response->areas; /* scratch: zeroed, and filled later */
    for (int i = 0; i < 3 * shape->triangleCount; ++i) {
        used[shape->triangles[i]] = true;
    }
    for (int i = 0; i < shape->pointCount; ++i) {
        if (!used[i]) {
            return lb_error(lb_errorArgument, "point %d belongs to no triangle", i);
        }
        work->points[i] = vec3d_load(shape->points + 3 * (size_t)i);
    }
    memset(used, 0, (size_t)shape->pointCount * sizeof(bool));
    for (int t = 0; t < shape->triangleCount; ++t) {
        work->held[t] = is_held(work, t);
    }
    double nu = (double)work->def->material.poissonsRatio;
    work->boundary = (lbBoundary){work->host,
                                  shape->pointCount,
                                  shape->triangleCount,
                                  work->points,
                                  shape->triangles,
                                  work->held,
                                  nu,
                                  (double)work->def->material.youngsModulus / (2 * (1 + nu))};
    work->response->mass = surface.volume * (double)work->def->material.density;
    return lb_success();
}

/* The centre of the volume, by tetrahedra to the origin. */
static void find_center(Work* work) {
    const lbShape* shape = work->def->shape;
    double volume = 0, sum[3] = {0};
    for (int t = 0; t < shape->triangleCount; ++t) {
        const int* corner = shape->triangles + 3 * (size_t)t;
        lbVec3d a = work->points[corner[0]], b = work->points[corner[1]], c = work->points[corner[2]];
        double v = vec3d_dot(a, vec3d_cross(b, c)) / 6;
        lbVec3d mean = vec3d_scale(v / 4, vec3d_add(a, vec3d_add(b, c)));
        volume += v;
        sum[0] += mean.x, sum[1] += mean.y, sum[2] += mean.z;
    }
    for (int c = 0; c < 3; ++c) {
        work->response->center[c] = sum[c] / volume;
    }
}

/* ---- What is kept --------------------------------------------------------------------------------------------------
 */

typedef struct PackLoop {
    const Work* work;
    double* worst; /* (freeCount) largest asymmetry of each row */
    double* most;  /* (freeCount) largest entry */
} PackLoop;

static void pack_rows(void* context, int begin, int end) {
    const PackLoop* loop = context;
    const lbResponse* made = loop->work->response;
    for (int i = begin; i < end; ++i) {
        int p = made->points[i];
        for (int j = 0; j <= i; ++j) {
            int q = made->points[j];
            double there[9], back[9];
            lb_boundary_compliance(&loop->work->solution, p, q, there);
            lb_boundary_compliance(&loop->work->solution, q, p, back);
            for (int k = 0; k < 9; ++k) {
                double a = there[k] / (double)made->areas[q], b = back[3 * (k % 3) + k / 3] / (double)made->areas[p];
                loop->worst[i] = fmax(loop->worst[i], fabs(a - b));
                loop->most[i] = fmax(loop->most[i], fabs(a));
                lb_response_column(made, j, k % 3)[3 * i + k / 3] = (float)(0.5 * (a + b));
                lb_response_column(made, i, k / 3)[3 * j + k % 3] = (float)(0.5 * (a + b));
            }
        }
    }
}

static lbResult pack(Work* work) {
    lbResponse* made = work->response;
    const lbShape* shape = work->def->shape;
    memcpy(made->rest, shape->points, 3 * (size_t)shape->pointCount * sizeof(float));
    memcpy(made->triangles, shape->triangles, 3 * (size_t)shape->triangleCount * sizeof(int));
    memcpy(made->freeOf, work->solution.freeOf, (size_t)shape->pointCount * sizeof(int));
    for (int t = 0; t < shape->triangleCount; ++t) {
        made->matter[t] = (lbSkinMatter){(float)work->boundary.mu, (float)work->boundary.nu};
    }
    find_center(work);
    lb_finish_response(made);
    double *worst = LB_NEW(work->host, double, shape->pointCount),
           *most = LB_NEW(work->host, double, shape->pointCount);
    bool enough = lb_number_response(made) && worst != NULL && most != NULL;
    if (enough) {
        PackLoop loop = {work, worst, most};
        lb_parallel_for(work->tasks, made->freeCount, 64, pack_rows, &loop);
        double asymmetry = 0, largest = 0;
        for (int i = 0; i < made->freeCount; ++i) {
            asymmetry = fmax(asymmetry, worst[i]);
            largest = fmax(largest, most[i]);
        }
        work->report->asymmetry = asymmetry / largest;
    }
    lb_release(work->host, worst);
    lb_release(work->host, most);
    return enough ? lb_sum_response(made) : lb_out_of_memory("a response");
}

static lbResult run(Work* work) {
    const lbBoundaryDef* def = work->def;
    LB_TRY(lb_create_tasks(work->host, def->threadCount, &work->tasks));
    if (def->progress != NULL && !def->progress(def->progressUser, "looking at the surface", 0)) {
        return lb_error(lb_errorArgument, "the precomputation was stopped while looking at the surface");
    }
    LB_TRY(prepare(work));
    /* Float32, in which the response is kept, carries the compliance to what the condition of the system leaves; where
     * that is too little, all is done again in double. */
    lbBoundarySettings settings = {.compliance = true,
                                   .single = true,
                                   .tasks = work->tasks,
                                   .byteLimit = def->byteLimit,
                                   .progress = def->progress,
                                   .progressUser = def->progressUser};
    LB_TRY(lb_solve_boundary(&work->boundary, &settings, &work->solution));
    if (!(work->solution.error < worstError)) {
        lb_log(work->host, lb_logInfo, "float32 misses a known solution by %.1e: solving again in double",
               work->solution.error);
        lb_free_boundary_solution(&work->solution);
        settings.single = false;
        LB_TRY(lb_solve_boundary(&work->boundary, &settings, &work->solution));
    }
    work->report->solveError = work->solution.error;
    lbResponseReport* report = work->report;
    report->assembleSeconds = work->solution.assembleSeconds;
    report->solveSeconds = work->solution.solveSeconds;
    report->pointCount = work->boundary.pointCount;
    report->triangleCount = work->boundary.triangleCount;
    report->freeCount = work->solution.freeCount;
    report->peakBytes = work->solution.bytes;
    double begin = lb_seconds();
    LB_TRY(pack(work));
    report->packSeconds = lb_seconds() - begin;
    return lb_success();
}

lbResult lbPrecomputeBoundary(const lbBoundaryDef* def, lbResponse** made, lbResponseReport* report) {
    *made = NULL;
    LB_TRY(check_def(def));
    LB_TRY(lbCheckProcessor());
    lbResponseReport unread;
    Work work = {.def = def, .host = lb_resolve_host(def->host), .report = report != NULL ? report : &unread};
    *work.report = (lbResponseReport){0};
    work.solution.host = work.host;
    snprintf(work.report->method, sizeof(work.report->method), "boundary elements, %s", lb_dense_solver_name());
    double begin = lb_seconds();
    lbResult result = run(&work);
    work.report->totalSeconds = lb_seconds() - begin;
    lb_free_boundary_solution(&work.solution);
    lb_release(work.host, work.points);
    lb_release(work.host, work.held);
    lb_destroy_tasks(work.tasks);
    if (result.code == lb_ok) {
        *made = work.response;
    } else {
        lbDestroyResponse(work.response);
    }
    return result;
}
