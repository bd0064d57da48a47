/* Precomputation from end to end: checks, assembly, factors, modes in blocks, and the image that is kept. */
#include "elastostatic/precompute.h"
#include "base/clock.h"
#include "base/result.h"
#include "body/region.h"
#include "elastostatic/supports.h"
#include "mesh/tet_mesh.h"
#include "mesh/tet_surface.h"

#include <stdio.h>
#include <string.h>

enum { precomputeCookie = 0x656c6173 };

static const char* const solverNames[lb_staticSolverKindCount] = {"automatic", "mumps", "cg"};

const char* lbStaticSolverKind_GetName(lbStaticSolverKind kind) {
    return (unsigned)kind < lb_staticSolverKindCount ? solverNames[kind] : NULL;
}

bool lbStaticSolverKind_FromName(const char* name, lbStaticSolverKind* kind) {
    for (int i = 0; i < lb_staticSolverKindCount; ++i) {
        if (strcmp(solverNames[i], name) == 0) {
            *kind = (lbStaticSolverKind)i;
            return true;
        }
    }
    return false;
}

lbPrecomputeDef lbDefaultPrecomputeDef(void) {
    return (lbPrecomputeDef){.material = lbDefaultModelDef().material, .tolerance = 1e-10, .cookie = precomputeCookie};
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static lbResult check_matter(const lbMatter* matter, const char* what, int index) {
    bool sound = matter->density > 0 && isfinite(matter->density) && matter->youngsModulus > 0 &&
                 isfinite(matter->youngsModulus) && matter->poissonsRatio > -1 && matter->poissonsRatio < 0.5f;
    return sound ? lb_success()
                 : lb_error(lb_errorArgument,
                            "%s %d has density %g kg/m^3, E = %g Pa and nu = %g; expected a density and an E of more "
                            "than 0, and -1 < nu < 0.5",
                            what, index, (double)matter->density, (double)matter->youngsModulus,
                            (double)matter->poissonsRatio);
}

lbResult lb_check_precompute(const lbPrecomputeDef* def) {
    if (def == NULL || def->cookie != precomputeCookie) {
        return lb_error(lb_errorArgument, "the definition was not made by lbDefaultPrecomputeDef()");
    }
    LB_TRY(lb_check_host(def->host));
    if (def->mesh == NULL) {
        return lb_error(lb_errorArgument, "there is no mesh to precompute");
    }
    if (def->controlCount < 1 || def->controls == NULL) {
        return lb_error(lb_errorArgument,
                        "the body has no fixed or controlled node: all six rigid motions are free, and the system is "
                        "singular; expected one control at least");
    }
    if (def->controlCount > 1000 || def->loadCount < 0 || def->loadCount > 1000 ||
        (def->loadCount > 0 && def->loads == NULL)) {
        return lb_error(lb_errorArgument, "%d controls and %d loads; expected at most 1000 of each", def->controlCount,
                        def->loadCount);
    }
    if ((unsigned)def->solver >= lb_staticSolverKindCount || (unsigned)def->precision > lb_basisFloat16 ||
        (unsigned)def->incompressible > lb_incompressibleNone) {
        return lb_error(lb_errorArgument, "solver %d, precision %d or incompressible %d does not exist",
                        (int)def->solver, (int)def->precision, (int)def->incompressible);
    }
    if (!(def->tolerance > 0 && def->tolerance < 1)) {
        return lb_error(lb_errorArgument, "tolerance is %g; expected more than 0 and less than 1", def->tolerance);
    }
    for (int l = 0; l < def->loadCount; ++l) {
        for (int i = 0; i < 3 * def->mesh->pointCount; ++i) {
            if (def->loads[l].forces == NULL || !isfinite(def->loads[l].forces[i])) {
                return lb_error(lb_errorArgument, "load %d has no force, or one that is not finite", l);
            }
        }
    }
    return lb_success();
}

/* Numbers that a mesh's file gives count above the material's. */
static lbMatter file_matter(const lbTetMesh* mesh, int tet, lbMatter standard) {
    const lbMatter* given = mesh->matter != NULL ? &mesh->matter[tet] : NULL;
    return given == NULL ? standard
                         : (lbMatter){isnan(given->density) ? standard.density : given->density,
                                      isnan(given->youngsModulus) ? standard.youngsModulus : given->youngsModulus,
                                      isnan(given->poissonsRatio) ? standard.poissonsRatio : given->poissonsRatio};
}

lbResult lb_precompute_matter(const lbPrecomputeDef* def, lbMatter* matter) {
    const lbTetMesh* mesh = def->mesh;
    const lbMatter standard = {def->material.density, def->material.youngsModulus, def->material.poissonsRatio};
    LB_TRY(check_matter(&standard, "material", 0));
    for (int z = 0; z < def->zoneCount; ++z) {
        LB_TRY(lb_in_context(lb_check_region(&def->zones[z].region), "zone %d", z));
        if (def->zones[z].region.kind != lb_regionMesh && lb_region_is_named(&def->zones[z].region)) {
            return lb_error(lb_errorArgument,
                            "zone %d: groups and lists of nodes are not taken here; expected a place, or "
                            "a region of the mesh",
                            z);
        }
        LB_TRY(check_matter(&def->zones[z].matter, "zone", z));
    }
    for (int t = 0; t < mesh->tetCount; ++t) {
        lbVec3d sum = {0, 0, 0};
        for (int k = 0; k < 4; ++k) {
            sum = vec3d_madd(sum, 0.25, tet_point(mesh->points, mesh->tets[4 * (size_t)t + (size_t)k]));
        }
        int region = mesh->regions != NULL ? mesh->regions[t] : 0;
        matter[t] = file_matter(mesh, t, standard);
        LB_TRY(mesh->matter != NULL ? check_matter(&matter[t], "tetrahedron", t) : lb_success());
        for (int z = 0; z < def->zoneCount; ++z) {
            const lbZone* zone = &def->zones[z];
            bool inRegion = zone->region.kind == lb_regionMesh ? zone->region.meshRegion == region
                                                               : lb_region_holds(&zone->region, vec3_from(sum));
            if ((!zone->byMeshRegion || zone->meshRegion == region) && inRegion) {
                matter[t] = zone->matter;
            }
        }
        if (def->elementMatter != NULL) {
            LB_TRY(check_matter(&def->elementMatter[t], "tetrahedron", t));
            matter[t] = def->elementMatter[t];
        }
    }
    return lb_success();
}

/* ---- The work ---------------------------------------------------------------------------------------------------- */

lbResult lb_tell_progress(const lbPrecomputeWork* work, const char* stage, double share) {
    if (work->def->progress != NULL && !work->def->progress(work->def->progressUser, stage, share)) {
        return lb_error(lb_errorArgument, "the precomputation was stopped while %s", stage);
    }
    return lb_success();
}

/* Triangles all of whose corners are hidden are left out, and points that no triangle uses then. */
static void leave_out_hidden(const lbPrecomputeWork* work, lbTetSurface* surface, int* numbers) {
    const bool* hidden = work->def->hidden;
    int kept = 0;
    memset(numbers, 0xff, (size_t)surface->pointCount * sizeof(int));
    for (int t = 0; t < surface->triangleCount; ++t) {
        const int* corner = surface->triangles + 3 * (size_t)t;
        bool out = hidden[surface->points[corner[0]]] && hidden[surface->points[corner[1]]] &&
                   hidden[surface->points[corner[2]]];
        if (out) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            numbers[corner[k]] = 0;
            surface->triangles[3 * (size_t)kept + (size_t)k] = corner[k];
        }
        surface->tets[kept++] = surface->tets[t];
    }
    surface->triangleCount = kept;
    int count = 0;
    for (int i = 0; i < surface->pointCount; ++i) {
        if (numbers[i] == 0) {
            numbers[i] = count;
            surface->points[count++] = surface->points[i];
        }
    }
    surface->pointCount = count;
    for (int i = 0; i < 3 * kept; ++i) {
        surface->triangles[i] = numbers[surface->triangles[i]];
    }
}

static lbResult find_surface(lbPrecomputeWork* work) {
    LB_TRY(lb_find_tet_surface(work->def->mesh, &work->surface));
    if (work->def->hidden != NULL) {
        int* numbers = LB_NEW(work->host, int, work->surface.pointCount);
        if (numbers == NULL) {
            return lb_out_of_memory("a surface");
        }
        leave_out_hidden(work, &work->surface, numbers);
        lb_release(work->host, numbers);
    }
    if (work->surface.triangleCount == 0) {
        return lb_error(lb_errorArgument, "all of the surface is hidden");
    }
    return lb_success();
}

/* Before anything large is taken. Of the factors, MUMPS estimates itself (matrix/direct_solver.h). */
static lbResult check_memory(const lbPrecomputeWork* work, int modeCount) {
    const lbTetMesh* mesh = work->def->mesh;
    int block = int_min(modeCount, lb_modeBlock);
    double bytes = lb_stiffness_bytes(mesh->pointCount, mesh->tetCount) + 6.0 * 24.0 * mesh->pointCount * block;
    bytes += 12.0 * modeCount * work->surface.pointCount * (1 + 2 * work->def->strain + 2 * work->def->stress);
    work->report->peakBytes = bytes;
    if (work->def->byteLimit > 0 && bytes > work->def->byteLimit) {
        return lb_error(
            lb_errorMemory,
            "%d nodes, %d tetrahedra and %d modes would take %.2f GB beside the solver; the limit is %.2f GB",
            mesh->pointCount, mesh->tetCount, modeCount, 1e-9 * bytes, 1e-9 * work->def->byteLimit);
    }
    return lb_success();
}

static lbResult prepare(lbPrecomputeWork* work) {
    const lbPrecomputeDef* def = work->def;
    const lbTetMesh* mesh = def->mesh;
    work->matter = LB_NEW(work->host, lbMatter, mesh->tetCount);
    work->owner = LB_NEW(work->host, int, mesh->pointCount);
    work->held = LB_NEW(work->host, bool, mesh->pointCount);
    work->centers = LB_NEW(work->host, lbVec3d, def->controlCount);
    if (work->matter == NULL || work->owner == NULL || work->held == NULL || work->centers == NULL) {
        return lb_out_of_memory("a precomputation");
    }
    LB_TRY(lb_precompute_matter(def, work->matter));
    LB_TRY(lb_own_nodes(work->host, def, work->owner));
    LB_TRY(lb_check_supports(work->host, mesh, work->owner));
    work->report->freeNodeCount = mesh->pointCount;
    for (int i = 0; i < mesh->pointCount; ++i) {
        work->held[i] = work->owner[i] >= 0;
        work->report->freeNodeCount -= work->held[i];
    }
    for (int c = 0; c < def->controlCount; ++c) {
        const lbControlDef* control = &def->controls[c];
        for (int i = 0; i < control->nodeCount; ++i) {
            work->centers[c] =
                vec3d_madd(work->centers[c], 1.0 / control->nodeCount, tet_point(mesh->points, control->nodes[i]));
        }
    }
    return find_surface(work);
}

static lbResult create_solver(lbPrecomputeWork* work) {
    work->system = (lbStaticSystem){.stiffness = &work->stiffness,
                                    .held = work->held,
                                    .tasks = work->tasks,
                                    .byteLimit = work->def->byteLimit,
                                    .tolerance = work->def->tolerance};
    lbStaticSolverKind kind = work->def->solver;
    if (kind == lb_staticSolverAutomatic) {
        lbResult result = lb_create_direct_solver(&work->system, &work->solver);
        if (result.code != lb_errorUnsupported && result.code != lb_errorMemory) {
            return result;
        }
        kind = lb_staticSolverIterative; /* there is none, or it would take too much */
    }
    return kind == lb_staticSolverDirect ? lb_create_direct_solver(&work->system, &work->solver)
                                         : lb_create_iterative_solver(&work->system, &work->solver);
}

/* ---- The image --------------------------------------------------------------------------------------------------- */

static void fill_records(lbPrecomputeWork* work) {
    const lbPrecomputeDef* def = work->def;
    lbControlRecord* controls = (lbControlRecord*)(work->image + work->header->offsets[lb_imageControls]);
    for (int c = 0; c < def->controlCount; ++c) {
        const char* name = def->controls[c].name;
        snprintf(controls[c].name, sizeof(controls[c].name), "%s", name != NULL ? name : "control");
        controls[c].center[0] = work->centers[c].x;
        controls[c].center[1] = work->centers[c].y;
        controls[c].center[2] = work->centers[c].z;
        controls[c].fixed = def->controls[c].fixed;
        controls[c].nodeCount = def->controls[c].nodeCount;
    }
    lbLoadRecord* loads = (lbLoadRecord*)(work->image + work->header->offsets[lb_imageLoads]);
    for (int l = 0; l < def->loadCount; ++l) {
        snprintf(loads[l].name, sizeof(loads[l].name), "%s", def->loads[l].name != NULL ? def->loads[l].name : "load");
    }
}

static void fill_surface(lbPrecomputeWork* work) {
    const lbTetMesh* mesh = work->def->mesh;
    const lbTetSurface* surface = &work->surface;
    float* rest = (float*)(work->image + work->header->offsets[lb_imageRest]);
    float* tiles = (float*)(work->image + work->header->offsets[lb_imageRestTiles]);
    for (int i = 0; i < surface->pointCount; ++i) {
        lbVec3 p = vec3_from(tet_point(mesh->points, surface->points[i]));
        vec3_store(rest + 3 * (size_t)i, p);
        for (int c = 0; c < 3; ++c) {
            tiles[((size_t)(i / lb_tilePoints) * 3 + (size_t)c) * lb_tilePoints + (size_t)(i % lb_tilePoints)] =
                rest[3 * (size_t)i + (size_t)c];
        }
    }
    memcpy(work->image + work->header->offsets[lb_imageTriangles], surface->triangles,
           3 * (size_t)surface->triangleCount * sizeof(int));
    lbSkinMatter* matter = (lbSkinMatter*)(work->image + work->header->offsets[lb_imageMatter]);
    for (int t = 0; t < surface->triangleCount; ++t) {
        const lbMatter* own = &work->matter[surface->tets[t]];
        matter[t] = (lbSkinMatter){own->youngsModulus / (2 * (1 + own->poissonsRatio)), own->poissonsRatio};
    }
}

lbResult lb_begin_image(lbPrecomputeWork* work) {
    const lbPrecomputeDef* def = work->def;
    const lbTetMesh* mesh = def->mesh;
    lbImageHeader header = {.byteOrder = lb_imageByteOrder,
                            .version = lb_imageVersion,
                            .pointCount = work->surface.pointCount,
                            .triangleCount = work->surface.triangleCount,
                            .controlCount = def->controlCount,
                            .loadCount = def->loadCount,
                            .modeCount = work->report->modeCount,
                            .tileCount = (work->surface.pointCount + lb_tilePoints - 1) / lb_tilePoints,
                            .precision = (int32_t)def->precision,
                            .fields = (def->strain ? 1 : 0) | (def->stress ? 2 : 0),
                            .nodeCount = mesh->pointCount,
                            .tetCount = mesh->tetCount};
    memcpy(header.magic, lb_imageMagic, sizeof(header.magic));
    for (int i = 0; i < mesh->pointCount; ++i) {
        double mass = work->stiffness.mass[i];
        header.mass += mass;
        for (int c = 0; c < 3; ++c) {
            header.center[c] += mass * mesh->points[3 * (size_t)i + (size_t)c];
        }
    }
    for (int c = 0; c < 3; ++c) {
        header.center[c] /= header.mass;
    }
    if (!lb_lay_out_image(&header)) {
        return lb_error(lb_errorArgument, "a model of %d controls and %d loads cannot be kept", def->controlCount,
                        def->loadCount);
    }
    work->image = LB_NEW(work->host, unsigned char, (int64_t)header.size);
    if (work->image == NULL) {
        return lb_out_of_memory("a precomputed model");
    }
    work->header = (lbImageHeader*)work->image;
    *work->header = header;
    fill_records(work);
    fill_surface(work);
    return lb_success();
}

/* By Betti's theorem the reaction matrix of the controls is symmetric. */
static double measure_asymmetry(const lbImageHeader* header, const double* reaction) {
    int rows = lb_controlModes * header->controlCount;
    double worst = 0, largest = 0;
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < rows; ++j) {
            double a = reaction[(size_t)i * (size_t)header->modeCount + (size_t)j];
            double b = reaction[(size_t)j * (size_t)header->modeCount + (size_t)i];
            worst = fmax(worst, fabs(a - b));
            largest = fmax(largest, fabs(a));
        }
    }
    return largest > 0 ? worst / largest : 0;
}

static lbResult solve_all(lbPrecomputeWork* work, lbModeSystem* system) {
    double* reaction = (double*)(work->image + work->header->offsets[lb_imageReaction]);
    double* energies = (double*)(work->image + work->header->offsets[lb_imageWork]);
    lbBasisPacker packer = {system, work->surface.points, work->surface.pointCount, work->image, 0};
    LB_TRY(lb_reserve_modes(system, int_min(system->modeCount, lb_modeBlock), &work->modes));
    for (int first = 0; first < system->modeCount; first += lb_modeBlock) {
        LB_TRY(lb_tell_progress(work, "solving modes", (double)first / system->modeCount));
        int count = int_min(lb_modeBlock, system->modeCount - first);
        LB_TRY(lb_solve_modes(system, first, count, &work->modes));
        work->report->residual = fmax(work->report->residual, work->modes.residual);
        lb_measure_modes(system, &work->modes, reaction, energies);
        LB_TRY(lb_pack_modes(&packer, &work->modes));
    }
    work->report->basisError = packer.error;
    return lb_success();
}

static lbResult finish_image(lbPrecomputeWork* work, lbElastostatic** made) {
    lbImageHeader* header = work->header;
    work->report->asymmetry =
        measure_asymmetry(header, (const double*)(work->image + header->offsets[lb_imageReaction]));
    header->residual = work->report->residual;
    header->condition = work->report->condition;
    header->basisError = work->report->basisError;
    snprintf(header->solver, sizeof(header->solver), "%s", work->report->solver);
    header->checksum = lb_image_checksum(work->image, (size_t)header->size);
    LB_TRY(lb_adopt_image(work->host, work->image, (size_t)header->size, false, false, made));
    work->image = NULL;
    return lb_success();
}

static lbResult run(lbPrecomputeWork* work, lbElastostatic** made) {
    const lbPrecomputeDef* def = work->def;
    lbPrecomputeReport* report = work->report;
    int modeCount = lb_controlModes * def->controlCount + 3 + def->loadCount;
    LB_TRY(lb_tell_progress(work, "looking at the mesh", 0));
    LB_TRY(prepare(work));
    LB_TRY(check_memory(work, modeCount));
    report->nodeCount = def->mesh->pointCount;
    report->tetCount = def->mesh->tetCount;
    report->surfacePointCount = work->surface.pointCount;
    report->modeCount = modeCount;
    if (def->solveElsewhere != NULL) {
        LB_TRY(def->solveElsewhere(work));
        return work->image != NULL ? finish_image(work, made) : lb_success();
    }
    LB_TRY(lb_tell_progress(work, "assembling", 0));
    double begin = lb_seconds();
    LB_TRY(lb_assemble_stiffness(work->host, def->mesh, work->matter, def->incompressible, &work->stiffness));
    LB_TRY(lb_begin_image(work));
    report->assembleSeconds = lb_seconds() - begin;
    LB_TRY(lb_tell_progress(work, "factoring", 0));
    begin = lb_seconds();
    LB_TRY(create_solver(work));
    report->factorSeconds = lb_seconds() - begin;
    report->estimatedBytes = work->solver->report.estimatedBytes;
    report->peakBytes += work->solver->report.bytes;
    lbModeSystem system = {def,          work->host,  work->tasks,   &work->stiffness,
                           work->solver, work->owner, work->centers, modeCount};
    begin = lb_seconds();
    LB_TRY(solve_all(work, &system));
    report->solveSeconds = lb_seconds() - begin;
    LB_TRY(lb_tell_progress(work, "estimating the condition number", 1));
    LB_TRY(lb_estimate_condition(&system, &report->condition));
    report->iterations = work->solver->report.iterations;
    snprintf(report->solver, sizeof(report->solver), "%s", work->solver->report.solver);
    return finish_image(work, made);
}

static void release(lbPrecomputeWork* work) {
    lb_release(work->host, work->matter);
    lb_release(work->host, work->owner);
    lb_release(work->host, work->held);
    lb_release(work->host, work->centers);
    lb_release(work->host, work->image);
    lb_free_stiffness(&work->stiffness);
    lb_release_modes(work->host, &work->modes);
    lb_free_tet_surface(&work->surface);
    if (work->solver != NULL) {
        work->solver->release(work->solver);
    }
    lb_destroy_tasks(work->tasks);
}

lbResult lbPrecompute(const lbPrecomputeDef* def, lbElastostatic** made, lbPrecomputeReport* report) {
    *made = NULL;
    LB_TRY(lb_check_precompute(def));
    LB_TRY(lbCheckProcessor());
    const lbHost* host = lb_resolve_host(def->host);
    lbPrecomputeReport unread;
    lbPrecomputeWork work = {.def = def,
                             .host = host,
                             .stiffness = {.host = host},
                             .surface = {.host = host},
                             .report = report != NULL ? report : &unread};
    *work.report = (lbPrecomputeReport){0};
    double begin = lb_seconds();
    lbResult result = lb_create_tasks(host, def->threadCount, &work.tasks);
    if (result.code == lb_ok) {
        result = run(&work, made);
    }
    work.report->totalSeconds = lb_seconds() - begin;
    release(&work);
    return result;
}
