/* Voxel bodies in worlds stepped as a user steps them, 60 frames a second, implicit Euler:
 *   bunny_ms, dino_ms, fox_ms, dragon_ms   a frame on one thread, skin and normals too, of generated shapes with as
 * many surface points and elements as those of Nesme, Payan and Faure 2006, table 1 (within 20 %), hanging from their
 * upper ends, 10 iterations; _preprocess_s: the making of the model; _paper_ms: animation plus update there, on a
 * Pentium M of 2 GHz; _gain: how many times faster elements30k_frame_ms    a torus of 30,000 hexahedra on the ground,
 * held by a hand, under a skin of 50,000 points; 10 iterations; one thread, and _all; _matrices: different ones;
 * _residual: what iterations leave elements100k_frame_ms   the same of 100,000; with --long matvec_gflops_all products
 * with the tangent of the larger, element by element, without a matrix, beside what arithmetic can do at most
 *   slope_elements, slope_points   by what power a frame grows with their number */
#include "base/clock.h"
#include "base/math.h"
#include "base/result.h"
#include "bench/benches.h"
#include "law/hexes.h"
#include "law/instance.h"
#include "verify/dynamic_bodies.h"
#include "world/world.h"

#include <stdlib.h>

enum { frameCount = 60, largeFrames = 12, iterations = 10 };

typedef struct Subject {
    const char* name;
    lbShapeKind kind;
    int points, elements, levels; /* wanted */
    double paper;                 /* ms, animation plus update in the paper; 0: not there */
    bool onGround;                /* and held by a hand; else hanging */
} Subject;

/* A generated shape with about as many points. */
static lbResult shape_of(const Subject* subject, lbShape** shape) {
    double edge = 0.05;
    for (int i = 0; i < 6; ++i) {
        lbGeneratorDef def = lbDefaultGeneratorDef(subject->kind);
        def.edge = (float)edge;
        lbDestroyShape(*shape);
        *shape = NULL;
        LB_TRY(lbGenerateShape(&def, shape));
        double ratio = (double)lbShape_GetPointCount(*shape) / subject->points;
        if (fabs(ratio - 1) < 0.05) {
            break;
        }
        edge *= sqrt(ratio);
    }
    return lb_success();
}

typedef struct Stand {
    lbWorld* world;
    lbBodyId body;
    lbModelId model;
    double preprocess; /* s */
} Stand;

static lbResult hold(const Subject* subject, const lbShape* shape, Stand* stand) {
    lbBox box = lbShape_GetBounds(shape);
    if (subject->onGround) {
        lbToolDef ground = lbDefaultToolDef(lb_toolHalfSpace);
        lbGrabDef grab = lbDefaultGrabDef();
        lbToolId tool;
        lbGrabId id;
        ground.position = vec3(0, box.lower.y - 1e-4f, 0);
        LB_TRY(lbCreateTool(stand->world, &ground, &tool));
        grab.body = stand->body;
        grab.target = vec3(box.upper.x, box.upper.y + 0.1f, 0);
        return lbCreateGrab(stand->world, &grab, &id);
    }
    lbPinDef pin = lbDefaultPinDef();
    lbPinId id;
    float from = box.upper.y - 0.15f * (box.upper.y - box.lower.y);
    pin.body = stand->body;
    pin.region = (lbRegion){.kind = lb_regionBox, .box = {{-100, from, -100}, {100, 100, 100}}};
    return lbCreatePin(stand->world, &pin, &id);
}

static lbResult raise_stand(const Subject* subject, const lbShape* shape, int threadCount, Stand* stand) {
    lbWorldDef worldDef = lbDefaultWorldDef();
    worldDef.threadCount = threadCount;
    LB_TRY(lbCreateWorld(&worldDef, &stand->world));
    lbModelDef def = lbDefaultModelDef();
    def.shape = shape;
    def.mesh.kind = lb_meshVoxels;
    def.mesh.elements = subject->elements;
    def.mesh.depth = subject->levels;
    def.mesh.mechanicalDepth = 0;
    def.law.kind = lb_lawCorotational;
    double start = lb_seconds();
    LB_TRY(lbCreateModel(stand->world, &def, &stand->model));
    stand->preprocess = lb_seconds() - start;
    lbBodyDef body = lbDefaultBodyDef();
    body.model = stand->model;
    body.integrator = lb_integratorImplicitEuler;
    body.settings = (lbIntegratorSettings){.tolerance = 1e-6f, .iterationLimit = iterations};
    LB_TRY(lbCreateBody(stand->world, &body, &stand->body));
    return hold(subject, shape, stand);
}

static lbResult time_frames(lbWorld* world, int count, double* median) {
    static double samples[frameCount];
    for (int i = -2; i < count; ++i) {
        LB_TRY(lbWorld_Step(world, 1.0 / 60));
        if (i >= 0) {
            samples[i] = lbWorld_GetProfile(world).total;
        }
    }
    *median = lb_median(samples, count);
    return lb_success();
}

/* ---- The paper's table ------------------------------------------------------------------------------------------- */

static lbResult measure_small(lbBenchContext* context, const Subject* subject) {
    lbShape* shape = NULL;
    Stand stand = {0};
    double median = 0;
    lbModelInfo info;
    lb_bench_progress(context, subject->name);
    lbResult result = shape_of(subject, &shape);
    if (result.code == lb_ok) {
        result = raise_stand(subject, shape, 1, &stand);
    }
    if (result.code == lb_ok) {
        result = time_frames(stand.world, frameCount, &median);
    }
    if (result.code == lb_ok) {
        result = lbModel_GetInfo(stand.world, stand.model, &info);
    }
    if (result.code == lb_ok) {
        lb_bench_report_of(context, subject->name, "ms", 1e3 * median, "ms");
        lb_bench_report_of(context, subject->name, "paper_ms", subject->paper, "ms");
        lb_bench_report_of(context, subject->name, "gain", subject->paper / (1e3 * median), "1");
        lb_bench_report_of(context, subject->name, "preprocess_s", stand.preprocess, "s");
        lb_bench_report_of(context, subject->name, "points", info.skinPointCount, "1");
        lb_bench_report_of(context, subject->name, "elements", info.hexCount, "1");
        lb_bench_report_of(context, subject->name, "nodes", info.nodeCount, "1");
    }
    lbDestroyWorld(stand.world);
    lbDestroyShape(shape);
    return result;
}

/* ---- Large bodies ------------------------------------------------------------------------------------------------ */

typedef struct Product {
    lbDynamicBody* body;
    lbTasks* tasks;
    float* y;
} Product;

static void multiply(void* argument) {
    Product* product = argument;
    const lbDynamicModel* model = product->body->model;
    lb_add_law_tangent(&model->laws[0], product->tasks, NULL, product->body->x, 1, 0, product->body->v, product->y);
}

/* Operations of a product: a full hexahedron's modes, rotation, numbers and back; one that is cut has 171 numbers. */
static double product_flops(const lbDynamicModel* model) {
    const lbHexes* hexes = model->laws[0].elements;
    double flops = 0;
    for (int b = 0; b < hexes->batchCount; ++b) {
        flops += LB_LANES * (hexes->batches[b].store == lb_hexWhole ? 1600 : 2800);
    }
    return flops;
}

static lbResult measure_product(lbBenchContext* context, const char* name, lbDynamicBody* body) {
    lbMachineLimits limits;
    LB_TRY(lb_bench_limits(context, &limits));
    Product product = {body, context->tasks[lb_allThreads], calloc(4 * (size_t)body->model->nodeCount, sizeof(float))};
    if (product.y == NULL) {
        return lb_out_of_memory("a product");
    }
    double seconds = lb_bench_time(context, 0.3, multiply, &product).median;
    free(product.y);
    lb_bench_report_of(context, name, "products_per_s_all", 1 / seconds, "1/s");
    lb_bench_report_with_limit(context, "matvec_gflops_all", 1e-9 * product_flops(body->model) / seconds, "Gflop/s",
                               1e-9 * limits.flops[lb_allThreads]);
    return lb_success();
}

static lbResult measure_large(lbBenchContext* context, const Subject* subject, bool product) {
    lbShape* shape = NULL;
    lb_bench_progress(context, subject->name);
    lbResult result = shape_of(subject, &shape);
    for (int all = 0; all < 2 && result.code == lb_ok; ++all) {
        Stand stand = {0};
        double median = 0;
        lbModelInfo info;
        result = raise_stand(subject, shape, all ? context->threadCount : 1, &stand);
        if (result.code == lb_ok) {
            result = time_frames(stand.world, largeFrames, &median);
        }
        if (result.code == lb_ok) {
            result = lbModel_GetInfo(stand.world, stand.model, &info);
        }
        if (result.code == lb_ok) {
            lbDynamicBody* body = lb_dynamic(lb_find_body(stand.world, stand.body));
            lbSolverReport report;
            LB_TRY(lbBody_GetSolver(stand.world, stand.body, &report));
            lb_bench_report_of(context, subject->name, all ? "frame_all_ms" : "frame_ms", 1e3 * median, "ms");
            if (all) {
                lb_bench_report_of(context, subject->name, "elements", info.hexCount, "1");
                lb_bench_report_of(context, subject->name, "nodes", info.nodeCount, "1");
                lb_bench_report_of(context, subject->name, "points", info.skinPointCount, "1");
                lb_bench_report_of(context, subject->name, "matrices", info.hexMatrixCount, "1");
                lb_bench_report_of(context, subject->name, "iterations", report.iterations, "1");
                lb_bench_report_of(context, subject->name, "residual", report.residual, "1");
                lb_bench_report_of(context, subject->name, "preprocess_s", stand.preprocess, "s");
                result = product ? measure_product(context, subject->name, body) : lb_success();
            }
        }
        lbDestroyWorld(stand.world);
    }
    lbDestroyShape(shape);
    return result;
}

/* ---- Slopes ------------------------------------------------------------------------------------------------------ */

static lbResult frame_of(const Subject* subject, double* median) {
    lbShape* shape = NULL;
    Stand stand = {0};
    lbResult result = shape_of(subject, &shape);
    if (result.code == lb_ok) {
        result = raise_stand(subject, shape, 1, &stand);
    }
    if (result.code == lb_ok) {
        result = time_frames(stand.world, largeFrames, median);
    }
    lbDestroyWorld(stand.world);
    lbDestroyShape(shape);
    return result;
}

static lbResult measure_slopes(lbBenchContext* context) {
    double few, many;
    lb_bench_progress(context, "slopes");
    LB_TRY(frame_of(&(Subject){"", lb_shapeLiver, 2000, 1500, 1, 0, false}, &few));
    LB_TRY(frame_of(&(Subject){"", lb_shapeLiver, 2000, 6000, 1, 0, false}, &many));
    lb_bench_report(context, "slope_elements", log(many / few) / log(4), "1");
    LB_TRY(frame_of(&(Subject){"", lb_shapeLiver, 10000, 8, 3, 0, false}, &few));
    LB_TRY(frame_of(&(Subject){"", lb_shapeLiver, 40000, 8, 3, 0, false}, &many));
    lb_bench_report(context, "slope_points", log(many / few) / log(4), "1");
    return lb_success();
}

lbResult lb_bench_voxel(lbBenchContext* context) {
    static const Subject small[] = {{"bunny", lb_shapeLiver, 453, 8, 4, 2, false},
                                    {"dino", lb_shapeFish, 2151, 33, 3, 4, false},
                                    {"fox", lb_shapeStarfish, 8564, 30, 3, 10, false},
                                    {"dragon", lb_shapeBunny, 21507, 125, 3, 16, false}};
    static const Subject large[] = {{"elements30k", lb_shapeTorus, 50000, 30000, 1, 0, true},
                                    {"elements100k", lb_shapeTorus, 50000, 100000, 1, 0, true}};
    for (size_t i = 0; i < sizeof(small) / sizeof(small[0]); ++i) {
        LB_TRY(measure_small(context, &small[i]));
    }
    LB_TRY(measure_slopes(context));
    LB_TRY(measure_large(context, &large[0], true));
    return context->longRun ? measure_large(context, &large[1], false) : lb_success();
}
