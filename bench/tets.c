/* Forces on tetrahedra per second: all of a mesh of 100,000 evaluated and scattered, zeroing of the forces included,
 * with nodes and tetrahedra given in shuffled order and put in order by limber; damping off unless the metric says so.
 *
 * What bounds it: arithmetic, and beside it the gathering of nodes and the adding to them, from the caches: in fans an
 * element has some 1.8 nodes of its own. `of_limit` is the share of what the machine's arithmetic allows, or its
 * memory if that is less (the third-level cache, where all of it fits in there): flops as the kernels evaluate the
 * formulas, with the nodes that this mesh's fans really gather and scatter; bytes as an evaluation moves them if
 * nothing stays in a cache: the batches, and each node's position read and its force zeroed, read and written (and its
 * velocity read, with damping). */
#include "law/tets.h"

#include "base/math.h"
#include "base/result.h"
#include "bench/benches.h"
#include "bench/build_info.h"
#include "bench/shuffled_grid.h"
#include "law/linear.h"

/* The forces of a law, and beside it those of averaged volumes. */
typedef struct Averaged {
    lbShuffledGrid* tets;
    lbLawInstance law;
} Averaged;

static void evaluate_both(void* argument) {
    const Averaged* averaged = argument;
    const lbShuffledGrid* tets = averaged->tets;
    lb_zero_grid_forces(averaged->tets);
    lb_add_forces_together(&tets->law, &averaged->law, tets->tasks, NULL, (lbMoment){0, 0}, tets->x, tets->v, tets->f);
}

/* ---- What is measured -------------------------------------------------------------------------------------------- */

typedef struct Measure {
    lbLawKind law;
    const char* name;
    const char* element; /* "tet" or "edge" */
    float damping;       /* s */
    int flops;           /* an element, without what is done for nodes and fans */
    int nodeVectors;     /* that are gathered */
    bool inFans;
    bool averaged; /* volumes (law/averaged_volume.h) */
    bool bothThreads;
} Measure;

static int count_elements(const lbShuffledGrid* tets) {
    int count = 0, nodes[4];
    lbRange all;
    lb_whole_scope(&tets->law, &all);
    for (int i = 0; i < all.end * LB_LANES; ++i) {
        count += tets->law.law->nodes(tets->law.elements, i, nodes);
    }
    return count;
}

/* Batches that begin a fan, as a share of all. */
static double share_of_beginnings(const lbTets* tets) {
    int count = 0;
    for (int i = 0; i < tets->batchCount; ++i) {
        count += tets->continues[i] == 0;
    }
    return (double)count / tets->batchCount;
}

/* Operations on an element: in a fan of n, n + 2 edges are formed of each vector, and forces of n + 3 nodes are added,
 * beside the sums of axis, spoke and rest, 4 vectors for each element; a linear edge has all of its nodes to itself. */
static double count_flops(const Measure* measure, const lbShuffledGrid* tets) {
    if (!measure->inFans) {
        return measure->flops;
    }
    double begun = share_of_beginnings(tets->law.elements);
    return measure->flops + 3 * (measure->nodeVectors * (1 + 2 * begun) + (1 + 3 * begun) + 4);
}

static double count_bytes(const Measure* measure, const lbShuffledGrid* tets, int elementCount) {
    lbRange all;
    lb_whole_scope(&tets->law, &all);
    size_t batch = measure->inFans ? sizeof(lbTetBatch) + 1 : sizeof(lbLinearBatch);
    double nodes = 16.0 * (measure->nodeVectors + 4) * tets->mesh.nodeCount; /* a store fetches its line first */
    return ((double)all.end * (double)batch + nodes) / elementCount;
}

static void report_gain(lbBenchContext* context, const Measure* measure, const lbGain* gain, double machineGain) {
    static const char* const endings[] = {"", "_lower_quartile", "_upper_quartile", "_runs_that_count"};
    const double values[] = {gain->quartiles[1], gain->quartiles[0], gain->quartiles[2], gain->share};
    char metric[64];
    snprintf(metric, sizeof(metric), "%s_gain_of_threads", measure->name);
    lb_bench_report_with_limit(context, metric, values[0], "1", machineGain);
    for (int k = 1; k < 4; ++k) {
        snprintf(metric, sizeof(metric), "%s_gain%s", measure->name, endings[k]);
        lb_bench_report(context, metric, values[k], "1");
    }
}

static void report_rate(lbBenchContext* context, const Measure* measure, int threads, int elementCount, double rate,
                        double flops, double bytes) {
    char metric[64];
    const lbMachineLimits* limits = &context->limits;
    snprintf(metric, sizeof(metric), "%s_%ss_per_s_%s", measure->name, measure->element,
             threads == lb_oneThread ? "1" : "all");
    bool fits = bytes * elementCount < (double)lb_get_cache_size(3);
    double stream = fits ? limits->cache[threads] : limits->memory[threads];
    lb_bench_report_with_limit(context, metric, rate, "1/s", fmin(limits->flops[threads] / flops, stream / bytes));
}

static void report_rates(lbBenchContext* context, const Measure* measure, const lbMachineLimits* limits,
                         lbShuffledGrid* tets) {
    char metric[64];
    int elementCount = count_elements(tets);
    double flops = count_flops(measure, tets), bytes = count_bytes(measure, tets, elementCount);
    lb_bench_progress(context, measure->name);
    tets->tasks = context->tasks[lb_oneThread];
    double alone = elementCount / lb_bench_time(context, 0.4, lb_evaluate_grid, tets).median;
    report_rate(context, measure, lb_oneThread, elementCount, alone, flops, bytes);
    if (measure->bothThreads) {
        lbGainRun run = {lb_evaluate_grid, tets, &tets->tasks, context->tasks};
        lbGain gain = lb_bench_gain(context, 0.6, &run);
        report_rate(context, measure, lb_allThreads, elementCount, elementCount / gain.seconds[lb_allThreads], flops,
                    bytes);
        report_gain(context, measure, &gain, limits->gain);
    }
    snprintf(metric, sizeof(metric), "%s_flops_per_%s", measure->name, measure->element);
    lb_bench_report(context, metric, flops, "1");
    snprintf(metric, sizeof(metric), "%s_bytes_per_%s", measure->name, measure->element);
    lb_bench_report(context, metric, bytes, "B");
}

/* The law with its averaged volumes beside it, at nu = 0.49: what both cost together. */
static lbResult measure_averaged(lbBenchContext* context, const lbModelDef* def, lbShuffledGrid* tets) {
    const lbHost* host = tets->mesh.host;
    Averaged averaged = {.tets = tets};
    LB_TRY(lb_bake_law(&lb_averagedVolume, &tets->mesh, def, &averaged.law));
    averaged.law.shared = LB_NEW(host, float, lb_sharedVectors * 4 * (int64_t)tets->mesh.nodeCount);
    bool enough = averaged.law.shared != NULL;
    if (enough) {
        lb_bench_progress(context, "averaged volumes");
        tets->tasks = context->tasks[lb_oneThread];
        double rate = tets->mesh.tetCount / lb_bench_time(context, 0.4, evaluate_both, &averaged).median;
        lb_bench_report(context, "corotational_averaged_tets_per_s_1", rate, "1/s");
    }
    lb_release(host, averaged.law.shared);
    lb_release_law(host, &averaged.law);
    return enough ? lb_success() : lb_out_of_memory("a bench");
}

static lbResult measure_law(lbBenchContext* context, const Measure* measure, lbShuffledGrid* tets) {
    lbMachineLimits limits;
    LB_TRY(lb_bench_limits(context, &limits));
    lbModelDef def = lbDefaultModelDef();
    def.law.kind = measure->law;
    def.material.stiffnessDamping = measure->damping;
    def.material.poissonsRatio = measure->averaged ? 0.49f : def.material.poissonsRatio;
    LB_TRY(lb_bake_law(lb_find_law(measure->law), &tets->mesh, &def, &tets->law));
    lbResult result = lb_success();
    if (measure->averaged) {
        result = measure_averaged(context, &def, tets);
    } else {
        report_rates(context, measure, &limits, tets);
    }
    lb_release_law(tets->mesh.host, &tets->law);
    return result;
}

lbResult lb_bench_tets(lbBenchContext* context) {
    /* F of edges 15, P Dm^-T 15, and between them: F^T F 30, S 11, F S 45; neo-Hookean cof F 27, |F| 17, det F 5, the
     * two factors 11, P 27; corotational F^T F 30, cof F 27, det F 5, |C| and the quartic 19, the root 2 x 17 + 1, what
     * R is made of 21, F S + b cof F 63. Damping: the rate's gradient 15, S 46, and both added 6. Edges: 6 differences,
     * two products of 15, 6 additions. */
    const Measure measures[] = {
        {lb_lawGreen, "green", "tet", 0, 116, 1, true, false, true},
        {lb_lawGreen, "green_damped", "tet", 0.002f, 183, 2, true, false, false},
        {lb_lawNeoHookean, "neohookean", "tet", 0, 117, 1, true, false, true},
        {lb_lawCorotational, "corotational", "tet", 0, 230, 1, true, false, true},
        {lb_lawCorotational, "corotational_damped", "tet", 0.002f, 297, 2, true, false, false},
        {lb_lawLinear, "linear", "edge", 0, 42, 1, false, false, true},
        {lb_lawCorotational, "corotational_averaged", "tet", 0, 0, 1, true, true, false},
    };
    lbShuffledGrid tets;
    lbResult result =
        lb_create_shuffled_grid(context->host, (const int[3]){25, 20, 40}, (lbDeformation){0.4f, 1.05f, 1e-2f}, &tets);
    for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]) && result.code == lb_ok; ++i) {
        result = measure_law(context, &measures[i], &tets);
    }
    lb_release_shuffled_grid(&tets);
    LB_TRY(result);
    LB_TRY(lb_bench_tet_steps(context));
    LB_TRY(lb_bench_implicit_tets(context));
    return lb_bench_resting_tets(context);
}
