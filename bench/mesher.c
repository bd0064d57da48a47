/* The mesher: a surface filled with 100,000 tetrahedra by isosurface stuffing, stage by stage, on one thread; and what
 * comes after it when a shape is dropped into a world, the body's mesh and its law.
 *
 * What bounds it: winding numbers at the lattice points around the surface, and sorting of faces and edges. */
#include "mesh/mesher.h"
#include "base/clock.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "bench/benches.h"
#include "limber/limber.h"
#include "mesh/stuffing.h"
#include "verify/dynamic_bodies.h"

#include <stdlib.h>

enum { runCount = 3, mostMetric = 64 };

typedef enum Stage {
    stageQuery, /* the tree of boxes and the far field */
    stageSigns,
    stageCuts,
    stageWarp,
    stageFill, /* with cleaning up: what the whole takes more than the others */
    stageWhole,
    stageRelax,
    stageMeasure,
    stageBody, /* meshing included */
    stageCount
} Stage;

static const char* const stageNames[stageCount] = {"query", "signs", "cuts",    "warp", "fill",
                                                   "whole", "relax", "measure", "body"};

typedef struct Case {
    const char* name;
    lbShapeKind kind;
    float triangleEdge; /* m; 0: as the generator has it */
    float keptBelow;    /* of the height: triangles above are left out, and the surface is open */
    double edge;        /* m, for about 100,000 tetrahedra */
    bool body;          /* times what follows the mesher, too */
} Case;

static const Case cases[] = {
    {"liver", lb_shapeLiver, 0, 1, 0.0104, true},
    {"fine", lb_shapeSphere, 0.0025f, 1, 0.0185, false}, /* many more triangles than the mesh has on its surface */
    {"open", lb_shapeSphere, 0, 0.9f, 0.0182, false},
};

/* ---- Shapes ------------------------------------------------------------------------------------------------------ */

/* The same without the triangles that reach above a height, m. */
static lbResult cut_off_above(const lbShape* shape, float height, lbShape** rest) {
    const float* points = lbShape_GetPoints(shape);
    const int* triangles = lbShape_GetTriangles(shape);
    int triangleCount = lbShape_GetTriangleCount(shape);
    int* kept = LB_NEW(lb_resolve_host(NULL), int, 3 * (int64_t)triangleCount);
    if (kept == NULL) {
        return lb_out_of_memory("a bench");
    }
    lbShapeDef def = lbDefaultShapeDef();
    def.pointCount = lbShape_GetPointCount(shape);
    def.points = points;
    def.triangles = kept;
    for (int t = 0; t < triangleCount; ++t) {
        const int* corner = triangles + 3 * (size_t)t;
        bool below = true;
        for (int k = 0; k < 3; ++k) {
            below = below && points[3 * (size_t)corner[k] + 1] <= height;
        }
        for (int k = 0; below && k < 3; ++k) {
            kept[3 * (size_t)def.triangleCount + (size_t)k] = corner[k];
        }
        def.triangleCount += below;
    }
    lbResult result = lbCreateShape(&def, rest);
    lb_release(lb_resolve_host(NULL), kept);
    return result;
}

static lbResult make_shape(const Case* one, lbShape** shape) {
    lbGeneratorDef def = lbDefaultGeneratorDef(one->kind);
    def.edge = one->triangleEdge;
    LB_TRY(lbGenerateShape(&def, shape));
    if (one->keptBelow < 1) {
        lbBox bounds = lbShape_GetBounds(*shape);
        lbShape* whole = *shape;
        float height = bounds.lower.y + one->keptBelow * (bounds.upper.y - bounds.lower.y);
        lbResult result = cut_off_above(whole, height, shape);
        lbDestroyShape(whole);
        return result;
    }
    return lb_success();
}

/* ---- Stages ------------------------------------------------------------------------------------------------------ */

typedef struct Run {
    double seconds[stageCount];
    double secondsAll; /* the whole on all threads */
    int tetCount;
} Run;

static double since(double* begin) {
    double now = lb_seconds(), passed = now - *begin;
    *begin = now;
    return passed;
}

/* The stages up to filling, as lb_stuff_surface runs them. */
static lbResult time_stages(const lbShape* shape, const Case* one, Run* run) {
    lbStuffing stuffing = {.host = lb_resolve_host(NULL)};
    lbShapeQuery* query = NULL;
    lbResult result;
    LB_TRY(lb_fit_lattice(lbShape_GetBounds(shape), one->edge, &stuffing.lattice));
    double begin = lb_seconds();
    LB_TRY_OR_DONE(lbCreateShapeQuery(shape, &query));
    run->seconds[stageQuery] = since(&begin);
    LB_TRY_OR_DONE(lb_find_signs(&stuffing, one->keptBelow >= 1, query));
    run->seconds[stageSigns] = since(&begin);
    LB_TRY_OR_DONE(lb_find_cuts(&stuffing, query));
    run->seconds[stageCuts] = since(&begin);
    LB_TRY_OR_DONE(lb_warp_points(&stuffing));
    run->seconds[stageWarp] = since(&begin);
done:
    lbDestroyShapeQuery(query);
    lb_release(stuffing.host, stuffing.signs);
    lb_release(stuffing.host, stuffing.bandIndices);
    lb_release(stuffing.host, stuffing.band);
    return result;
}

static lbResult time_whole(const lbShape* shape, const Case* one, Run* run) {
    lbMesherDef def = lbDefaultMesherDef();
    lbTetMesh* mesh = NULL;
    def.edge = one->edge;
    double begin = lb_seconds();
    LB_TRY(lbMeshSurface(shape, &def, &mesh));
    run->secondsAll = since(&begin);
    lbDestroyTetMesh(mesh);
    def.threadCount = 1;
    begin = lb_seconds();
    LB_TRY(lbMeshSurface(shape, &def, &mesh));
    run->seconds[stageWhole] = since(&begin);
    run->seconds[stageFill] = run->seconds[stageWhole];
    for (int stage = 0; stage < stageFill; ++stage) {
        run->seconds[stageFill] -= run->seconds[stage];
    }
    run->seconds[stageFill] =
        fmax(0, run->seconds[stageFill]); /* another run's: on a busy machine nothing may be left */
    run->tetCount = lbTetMesh_GetTetCount(mesh);
    lbResult result = lb_success();
    if (one->body) {
        lbTetMeshReport report;
        LB_TRY_OR_DONE(lbTetMesh_Measure(mesh, shape, &report));
        run->seconds[stageMeasure] = since(&begin);
        LB_TRY_OR_DONE(lb_relax_tet_mesh(mesh));
        run->seconds[stageRelax] = since(&begin);
    }
done:
    lbDestroyTetMesh(mesh);
    return result;
}

static lbResult time_body(const lbHost* host, const lbShape* shape, const Case* one, Run* run) {
    lbModelDef def = lbDefaultModelDef();
    def.shape = shape;
    def.mesh.kind = lb_meshTets;
    def.mesh.edge = (float)one->edge;
    def.law.kind = lb_lawCorotational;
    lbDynamicModel* model = NULL;
    double begin = lb_seconds();
    LB_TRY(lb_make_dynamic_model(host, &def, &model));
    run->seconds[stageBody] = since(&begin);
    lb_destroy_dynamic_model(model);
    return lb_success();
}

/* ---- Figures ----------------------------------------------------------------------------------------------------- */

static void report(lbBenchContext* context, const Case* one, const Run runs[runCount]) {
    char metric[mostMetric];
    double values[runCount];
    snprintf(metric, sizeof(metric), "%s_tetrahedra", one->name);
    lb_bench_report(context, metric, runs[0].tetCount, "1");
    for (int stage = 0; stage < (one->body ? stageCount : stageRelax); ++stage) {
        for (int r = 0; r < runCount; ++r) {
            values[r] = runs[r].seconds[stage];
        }
        snprintf(metric, sizeof(metric), "%s_%s_ms_1", one->name, stageNames[stage]);
        lb_bench_report(context, metric, 1e3 * lb_median(values, runCount), "ms");
    }
    for (int r = 0; r < runCount; ++r) {
        values[r] = runs[r].secondsAll;
    }
    snprintf(metric, sizeof(metric), "%s_whole_ms_all", one->name);
    lb_bench_report(context, metric, 1e3 * lb_median(values, runCount), "ms");
}

static lbResult run_case(lbBenchContext* context, const Case* one) {
    Run runs[runCount] = {0};
    lbShape* shape = NULL;
    lb_bench_progress(context, one->name);
    LB_TRY(make_shape(one, &shape));
    lbResult result = lb_success();
    for (int r = 0; r < runCount; ++r) {
        LB_TRY_OR_DONE(time_stages(shape, one, &runs[r]));
        LB_TRY_OR_DONE(time_whole(shape, one, &runs[r]));
        if (one->body) {
            LB_TRY_OR_DONE(time_body(context->host, shape, one, &runs[r]));
        }
    }
    report(context, one, runs);
done:
    lbDestroyShape(shape);
    return result;
}

lbResult lb_bench_mesher(lbBenchContext* context) {
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        LB_TRY(run_case(context, &cases[i]));
    }
    return lb_success();
}
