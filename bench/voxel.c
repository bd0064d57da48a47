/* Voxel bodies in worlds stepped as a user steps them, 60 frames a second, implicit Euler.
 *
 * bunny_, dino_, fox_, dragon_: generated shapes with as many surface points and elements as those of Nesme, Payan and
 * Faure 2006, table 1 (within 20 %), hanging from their upper ends, 10 iterations. _ms: a frame on one thread, skin
 * too; _preprocess_s: the making of the model; _paper_ms: animation plus update there, on a Pentium M of 2 GHz; _gain:
 * how many times faster.
 *
 * elements30k_: a torus of 30,000 hexahedra on the ground, held by a hand, under a skin of 50,000 points, 10
 * iterations, in the second after the first. frame_ms: on one thread, and _all; _worst: the longest of 60; _matrices:
 * different ones; _residual: what iterations leave. elements100k_: the same of 100,000; with --long.
 *
 * matvec_gflops_all: products of the larger, element by element, beside what arithmetic can do at most.
 *
 * iterations_: to a residual of 1e-3 of a bar that hangs, steps of 1/60 s: by masses alone, the nodes' blocks, and
 * grids as well.
 *
 * liver_, bunny_, starfish_, as voxels_, tets_ and grid_ (of tetrahedra): held by a quarter of the longest side, how
 * far weight across the shortest one bends it, over what cells of a 64th of it come to; and a frame of it on one
 * thread. comes_apart: the mesh is more than one piece, and has no equilibrium.
 *
 * slope_elements, slope_points: by what power a frame grows with their number. */
#include "base/clock.h"
#include "base/math.h"
#include "base/result.h"
#include "bench/benches.h"
#include "body/dynamic/assembly.h"
#include "law/hexes.h"
#include "law/instance.h"
#include "verify/dynamic_bodies.h"
#include "verify/voxel_stage.h"
#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>

enum { frameCount = 60, largeFrames = 12, settleFrames = 60, iterations = 10 };

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

/* After `before` frames that are not counted. */
static lbResult time_frames_after(lbWorld* world, int before, int count, double samples[frameCount]) {
    for (int i = -before; i < count; ++i) {
        LB_TRY(lbWorld_Step(world, 1.0 / 60));
        if (i >= 0) {
            samples[i] = lbWorld_GetProfile(world).total;
        }
    }
    return lb_success();
}

static lbResult time_frames(lbWorld* world, int count, double* median) {
    double samples[frameCount];
    LB_TRY(time_frames_after(world, 2, count, samples));
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
    const Product* product = argument;
    const lbElementPart* part = product->body->matrix.elements;
    part->add(part->self, product->tasks, product->body->v, product->y);
}

/* Operations of a product: modes of eight nodes (90), into the frame and out of it (210), numbers (84; of one that is
 * cut 660), and back to the nodes (110). */
static double product_flops(const lbDynamicModel* model) {
    const lbHexes* hexes = model->laws[0].elements;
    double flops = 0;
    for (int b = 0; b < hexes->batchCount; ++b) {
        flops += LB_LANES * (hexes->batches[b].store == lb_hexWhole ? 494 : 1070);
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
        double samples[frameCount];
        lbModelInfo info;
        result = raise_stand(subject, shape, all ? context->threadCount : 1, &stand);
        if (result.code == lb_ok) { /* one second to sag onto the ground */
            result = time_frames_after(stand.world, settleFrames, frameCount, samples);
        }
        if (result.code == lb_ok) {
            result = lbModel_GetInfo(stand.world, stand.model, &info);
        }
        if (result.code == lb_ok) {
            lbDynamicBody* body = lb_dynamic(lb_find_body(stand.world, stand.body));
            lbSolverReport report;
            LB_TRY(lbBody_GetSolver(stand.world, stand.body, &report));
            lb_bench_report_of(context, subject->name, all ? "frame_all_ms" : "frame_ms",
                               1e3 * lb_median(samples, frameCount), "ms");
            lb_bench_report_of(context, subject->name, all ? "frame_worst_all_ms" : "frame_worst_ms",
                               1e3 * samples[frameCount - 1], "ms");
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
    LB_TRY(frame_of(&(Subject){"", lb_shapeLiver, 2000, 6000, 1, 0, false}, &few));
    LB_TRY(frame_of(&(Subject){"", lb_shapeLiver, 2000, 24000, 1, 0, false}, &many));
    lb_bench_report(context, "slope_elements", log(many / few) / log(4), "1");
    LB_TRY(frame_of(&(Subject){"", lb_shapeLiver, 10000, 8, 3, 0, false}, &few));
    LB_TRY(frame_of(&(Subject){"", lb_shapeLiver, 40000, 8, 3, 0, false}, &many));
    lb_bench_report(context, "slope_points", log(many / few) / log(4), "1");
    return lb_success();
}

/* ---- Preconditioners --------------------------------------------------------------------------------------------- */

typedef enum Preconditioner { byMasses, byBlocks, byGrids, preconditionerCount } Preconditioner;

static int count_iterations(lbDynamicBody* body, lbArena* scratch, Preconditioner kind) {
    const double h = 1.0 / 60;
    size_t count = 4 * (size_t)body->model->nodeCount;
    lbSystem system = lb_body_system(body);
    system.scratch = scratch;
    system.grids = kind == byGrids ? system.grids : NULL;
    lbTangentSystem tangent = {
        .system = &system, .x = body->x, .mass = 1, .a = (float)(-h * h), .b = (float)-h, .kind = lb_tangentSimple};
    lbLinearSystem linear = lb_prepare_tangent(&tangent);
    if (kind == byMasses) {
        lb_prepare_masses(&linear.preconditioner, body->model->mass);
    }
    float* f = lb_arena_take(scratch, count * sizeof(float));
    double* dv = lb_arena_take(scratch, count * sizeof(double));
    for (size_t i = 0; i < count; ++i) {
        f[i] = i % 4 == 1 ? (float)(-9.81 * h) * body->model->mass[i / 4] : 0;
    }
    system.project(system.self, f);
    lbSolve solve = lb_solve_linear(&linear, f, NULL, dv, 1e-3, 5000, scratch);
    scratch->used = 0;
    return solve.iterations;
}

static lbResult measure_preconditioners(lbBenchContext* context) {
    static const char* const names[] = {"iterations_masses", "iterations_blocks", "iterations_grids"};
    const Subject subject = {"", lb_shapeLiver, 2000, 6000, 1, 0, false};
    lbShape* shape = NULL;
    Stand stand = {0};
    lb_bench_progress(context, "preconditioners");
    lbResult result = shape_of(&subject, &shape);
    if (result.code == lb_ok) {
        result = raise_stand(&subject, shape, 1, &stand);
    }
    const lbIntegratorSettings exact = {.tolerance = 1e-3f, .iterationLimit = 5000};
    if (result.code == lb_ok) { /* with a matrix: grids need one */
        result = lbBody_SetIntegrator(stand.world, stand.body, lb_integratorImplicitEuler, &exact);
    }
    lbArena scratch = {0};
    if (result.code == lb_ok) {
        lbDynamicBody* body = lb_dynamic(lb_find_body(stand.world, stand.body));
        size_t vector = 4 * (size_t)body->model->nodeCount * sizeof(float) + 64;
        bool enough = lb_arena_create(body->base.host, &scratch,
                                      (lb_tangentVectors + 12) * vector + lb_grid_bytes(lb_model_grids(body->model)));
        for (int kind = 0; kind < preconditionerCount && enough; ++kind) {
            lb_bench_report(context, names[kind], count_iterations(body, &scratch, (Preconditioner)kind), "1");
        }
        lb_arena_destroy(body->base.host, &scratch);
    }
    lbDestroyWorld(stand.world);
    lbDestroyShape(shape);
    return result;
}

/* ---- Voxels and tetrahedra of one shape -------------------------------------------------------------------------- */

typedef struct Kind {
    const char* name;
    lbMeshKind mesh;
    int depth, mechanicalDepth; /* of voxels */
    float edge;                 /* m, of tetrahedra */
} Kind;

/* What is held, and how it is loaded. */
typedef struct Load {
    lbRegion held;
    size_t axis; /* along which weight acts */
} Load;

/* How far weight bends what is held: its work, linear theory, J; and a frame. */
static lbResult bend(const Kind* kind, const lbShape* shape, const Load* load, bool timed, double* work,
                     double* seconds, int* count) {
    lbWorldDef worldDef = lbDefaultWorldDef();
    lbWorld* world = NULL;
    lbModelDef def = lbDefaultModelDef();
    lbBodyDef bodyDef = lbDefaultBodyDef();
    lbBodyId id;
    lbPinDef pin = lbDefaultPinDef();
    lbPinId pinId;
    worldDef.threadCount = 1;
    def.shape = shape;
    def.mesh.kind = kind->mesh;
    def.law.kind = lb_lawCorotational;
    if (kind->mesh == lb_meshVoxels) {
        def.mesh.depth = kind->depth;
        def.mesh.mechanicalDepth = kind->mechanicalDepth;
    } else {
        def.mesh.edge = kind->edge;
    }
    bodyDef.integrator = lb_integratorImplicitEuler;
    LB_TRY(lbCreateWorld(&worldDef, &world));
    lbResult result = lbCreateModel(world, &def, &bodyDef.model);
    if (result.code == lb_ok) {
        result = lbCreateBody(world, &bodyDef, &id);
    }
    if (result.code == lb_ok) {
        pin.body = id;
        pin.region = load->held;
        result = lbCreatePin(world, &pin, &pinId);
    }
    if (result.code == lb_ok) {
        lbDynamicBody* body = lb_dynamic(lb_find_body(world, id));
        size_t numbers = 4 * (size_t)body->model->nodeCount;
        float* f = calloc(numbers, sizeof(float));
        double* moved = calloc(numbers, sizeof(double));
        for (size_t i = load->axis; i < numbers; i += 4) {
            f[i] = 9.81f * body->model->mass[i / 4];
        }
        *count = kind->mesh == lb_meshVoxels ? body->model->mesh.hexCount : body->model->tetCount;
        result = lb_solve_at_rest(body, f, moved);
        *work = 0;
        for (size_t i = 0; i < numbers; ++i) {
            *work += moved[i] * (double)f[i];
        }
        free(f);
        free(moved);
    }
    if (result.code == lb_ok && timed) {
        result = time_frames(world, largeFrames, seconds);
    }
    lbDestroyWorld(world);
    return result;
}

/* Held up to a plane that all lattices have: a quarter of their box, which is the shape's made longer by 1 %, and a
 * thousandth for rounding. */
static Load load_of(const lbShape* shape) {
    lbBox box = lbShape_GetBounds(shape);
    const float lower[3] = {box.lower.x, box.lower.y, box.lower.z}, upper[3] = {box.upper.x, box.upper.y, box.upper.z};
    size_t longest = 0, shortest = 0;
    for (size_t c = 1; c < 3; ++c) {
        longest = upper[c] - lower[c] > upper[longest] - lower[longest] ? c : longest;
        shortest = upper[c] - lower[c] < upper[shortest] - lower[shortest] ? c : shortest;
    }
    float side = 1.01f * (upper[longest] - lower[longest]), end[3] = {9, 9, 9};
    end[longest] = 0.5f * (lower[longest] + upper[longest]) - (0.25f - 1e-3f) * side;
    return (Load){{.kind = lb_regionBox, .box = {{-9, -9, -9}, {end[0], end[1], end[2]}}}, shortest};
}

/* One shape: what each mesh errs by, and costs. */
static lbResult compare_on(lbBenchContext* context, const char* name, lbShapeKind shapeKind) {
    static const Kind reference = {"", lb_meshVoxels, 6, 6, 0};
    static const Kind kinds[] = {
        {"voxels_coarse", lb_meshVoxels, 6, 3, 0},  {"voxels_medium", lb_meshVoxels, 6, 4, 0},
        {"voxels_fine", lb_meshVoxels, 6, 5, 0},    {"tets_coarse", lb_meshTets, 0, 0, 0.08f},
        {"tets_medium", lb_meshTets, 0, 0, 0.05f},  {"tets_fine", lb_meshTets, 0, 0, 0.032f},
        {"tets_finest", lb_meshTets, 0, 0, 0.02f},  {"grid_medium", lb_meshTetGrid, 0, 0, 0.05f},
        {"grid_fine", lb_meshTetGrid, 0, 0, 0.032f}};
    lbShape* shape = NULL;
    double exact, seconds;
    int count;
    char metric[64];
    LB_TRY(shape_of(&(Subject){"", shapeKind, 3000, 0, 0, 0, false}, &shape));
    Load load = load_of(shape);
    lbResult result = bend(&reference, shape, &load, false, &exact, &seconds, &count);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && result.code == lb_ok; ++i) {
        double work;
        result = bend(&kinds[i], shape, &load, true, &work, &seconds, &count);
        snprintf(metric, sizeof(metric), "%s_%s", name, kinds[i].name);
        if (result.code == lb_errorUnstable) { /* thin parts were lost, and what hung on them is held by nothing */
            lb_bench_report_of(context, metric, "comes_apart", 1, "1");
            result = lb_success();
        } else if (result.code == lb_ok) {
            lb_bench_report_of(context, metric, "elements", count, "1");
            lb_bench_report_of(context, metric, "bends", work / exact, "1");
            lb_bench_report_of(context, metric, "frame_ms", 1e3 * seconds, "ms");
        }
    }
    lbDestroyShape(shape);
    return result;
}

static lbResult compare_kinds(lbBenchContext* context) {
    lb_bench_progress(context, "voxels and tetrahedra of one shape");
    LB_TRY(compare_on(context, "liver", lb_shapeLiver));      /* a solid */
    LB_TRY(compare_on(context, "bunny", lb_shapeBunny));      /* with ears */
    return compare_on(context, "starfish", lb_shapeStarfish); /* with thin arms */
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
    LB_TRY(measure_preconditioners(context));
    LB_TRY(compare_kinds(context));
    LB_TRY(measure_large(context, &large[0], true));
    return context->longRun ? measure_large(context, &large[1], false) : lb_success();
}
