/* Evaluation of precomputed bodies: a sum over modes, which has to read the basis once and write positions once. Beside
 * it, in the same run and over the same footprint, how fast memory is read: cold, when many instances take turns and
 * none is in a cache, and warm, when one is evaluated again and again. */
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "bench/benches.h"
#include "bench/elasto_models.h"
#include "bench/machine_kernels.h"
#include "elastostatic/elastostatic.h"

#include <stdio.h>
#include <string.h>

enum { mostInstances = 400 };
/* Larger than any cache. */
static const double coldBytes = 256e6;

typedef struct Runner {
    const lbElastostatic* made;
    const lbElastostatic* instances[mostInstances];
    int count, next;
    float *coefficients, *positions, *normals;
    double *exact, *forces;
    bool withNormals;
    volatile float sink;
} Runner;

static void evaluate_next(void* argument) {
    Runner* runner = argument;
    const lbElastostatic* made = runner->instances[runner->next];
    runner->next = (runner->next + 1) % runner->count;
    lbElastostatic_Evaluate(made, runner->coefficients, runner->positions);
    if (runner->withNormals) {
        lbElastostatic_Normals(made, runner->positions, runner->normals);
    }
    runner->sink = runner->positions[0];
}

/* The same bytes, read and added up in the simplest way. */
static void read_next(void* argument) {
    Runner* runner = argument;
    const lbElastostatic* made = runner->instances[runner->next];
    runner->next = (runner->next + 1) % runner->count;
    const lbImageHeader* header = made->header;
    size_t bytes = header->offsets[lb_imageStrain] - header->offsets[lb_imageRestTiles];
    runner->sink = lb_kernel_read(made->restTiles, bytes / sizeof(float) / lb_vectorBlock * lb_vectorBlock, 1);
}

static void react(void* argument) {
    Runner* runner = argument;
    lbReaction_Evaluate(runner->made, runner->exact, runner->forces);
    runner->sink = (float)runner->forces[0];
}

static lbResult copy_instances(Runner* runner, const lbElastostatic* made) {
    runner->instances[0] = made;
    runner->count = 1;
    int wanted = (int)fmin(mostInstances, coldBytes / (double)made->size);
    for (int i = 1; i < wanted; ++i) {
        unsigned char* image = LB_NEW(made->host, unsigned char, (int64_t)made->size);
        lbElastostatic* copy = NULL;
        if (image == NULL) {
            return lb_out_of_memory("a bench");
        }
        memcpy(image, made->image, made->size);
        LB_TRY(lb_adopt_image(made->host, image, made->size, false, false, &copy));
        runner->instances[runner->count++] = copy;
    }
    return lb_success();
}

static lbResult measure(lbBenchContext* context, int model) {
    const char* name = lb_elastoModelNames[model];
    lbElastostatic* made = NULL;
    LB_TRY(lb_precompute_elasto_model(model, lb_staticSolverAutomatic, lb_basisFloat32, &made, NULL));
    const lbImageHeader* header = made->header;
    Runner* runner = LB_NEW(context->host, Runner, 1);
    runner->made = made;
    runner->coefficients = LB_NEW(context->host, float, header->modeCount);
    runner->exact = LB_NEW(context->host, double, header->modeCount);
    runner->forces = LB_NEW(context->host, double, 12 * (int64_t)header->controlCount);
    runner->positions = LB_NEW(context->host, float, 3 * (int64_t)header->pointCount);
    runner->normals = LB_NEW(context->host, float, 3 * (int64_t)header->pointCount);
    for (int k = 0; k < header->modeCount; ++k) {
        runner->coefficients[k] = 0.001f * (float)(k + 1);
        runner->exact[k] = 0.001 * (k + 1);
    }
    double bytes = (double)(header->offsets[lb_imageStrain] - header->offsets[lb_imageRestTiles]);
    double written = 12.0 * header->pointCount;
    lb_bench_progress(context, name);
    runner->instances[0] = made;
    runner->count = 1;
    double warm = lb_bench_time(context, 0.3, evaluate_next, runner).median;
    double warmRead = lb_bench_time(context, 0.3, read_next, runner).median;
    runner->withNormals = true;
    double whole = lb_bench_time(context, 0.3, evaluate_next, runner).median;
    runner->withNormals = false;
    LB_TRY(copy_instances(runner, made));
    double cold = lb_bench_time(context, 0.5, evaluate_next, runner).median;
    double coldRead = lb_bench_time(context, 0.5, read_next, runner).median;
    lb_bench_report_of(context, name, "per_s", 1 / warm, "1/s");
    lb_bench_report_of(context, name, "with_normals_per_s", 1 / whole, "1/s");
    lb_bench_report_of(context, name, "gbps_warm", 1e-9 * bytes / warm, "GB/s");
    lb_bench_report_of(context, name, "gbps_cold", 1e-9 * (bytes + written) / cold, "GB/s");
    lb_bench_report_of(context, name, "of_memory_warm", warmRead / warm, "1");
    lb_bench_report_of(context, name, "of_memory_cold", coldRead / cold, "1");
    if (model == 0) {
        lb_bench_report(context, "reaction_ns", 1e9 * lb_bench_time(context, 0.2, react, runner).median, "ns");
    }
    for (int i = 1; i < runner->count; ++i) {
        lbDestroyElastostatic((lbElastostatic*)runner->instances[i]);
    }
    void* arrays[] = {runner->coefficients, runner->exact, runner->forces, runner->positions, runner->normals, runner};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i) {
        lb_release(context->host, arrays[i]);
    }
    lbDestroyElastostatic(made);
    return lb_success();
}

lbResult lb_bench_evaluate(lbBenchContext* context) {
    for (int model = 0; model < lb_elastoModelCount; ++model) {
        LB_TRY(measure(context, model));
    }
    return lb_success();
}
