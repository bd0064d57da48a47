/* Spring forces per second: all springs of a grid evaluated and scattered, zeroing of the forces included, with points
 * and springs given in shuffled order.
 *
 * What bounds it: a spring reads two nodes and adds to two (loads and stores from the caches while the nodes fit), and
 * streams its batch: two offsets, stiffness and rest length, 16 bytes. */
#include "base/math.h"
#include "base/result.h"
#include "bench/benches.h"
#include "bench/shuffled_grid.h"

/* A cube of `cells` cells a side, k = 1000 N/m; slightly deformed. */
static lbResult build(lbShuffledGrid* springs, const lbHost* host, int cells, float damping) {
    LB_TRY(
        lb_create_shuffled_grid(host, (const int[3]){cells, cells, cells}, (lbDeformation){0, 1.01f, 1e-3f}, springs));
    lbModelDef def = lbDefaultModelDef();
    def.law.springStiffness = 1000;
    def.law.springDamping = damping;
    return lb_bake_law(&lb_springs, &springs->mesh, &def, &springs->law);
}

static double springs_per_second(lbBenchContext* context, lbShuffledGrid* springs, int threads) {
    springs->tasks = context->tasks[threads];
    return springs->mesh.springCount / lb_bench_time(context, 0.3, lb_evaluate_grid, springs).median;
}

/* What a spring takes at least: 3 differences, 3 + 3 for the length, root, division, 2 for the pull, 3 + 6 for the
 * forces. From memory, its own 16 bytes, and its share of a node's position and force, read and written: a node has
 * about six springs. */
enum { flopsPerSpring = 22, bytesPerSpring = 16 + (16 + 16 + 16) / 6 };

static lbResult measure(lbBenchContext* context, const char* size, int cells, float damping, bool fromMemory) {
    lbShuffledGrid springs;
    lbMachineLimits limits;
    LB_TRY(lb_bench_limits(context, &limits));
    lbResult result = build(&springs, context->host, cells, damping);
    const char* const endings[] = {"1", "all"};
    double rates[2] = {0, 0};
    for (int threads = lb_oneThread; threads <= lb_allThreads && result.code == lb_ok; ++threads) {
        char metric[64];
        snprintf(metric, sizeof(metric), "%s_springs_per_s_%s", size, endings[threads]);
        lb_bench_progress(context, metric);
        rates[threads] = springs_per_second(context, &springs, threads);
        double limit = limits.flops[threads] / flopsPerSpring;
        limit = fromMemory ? fmin(limit, limits.memory[threads] / bytesPerSpring) : limit;
        lb_bench_report_with_limit(context, metric, rates[threads], "1/s", limit);
    }
    if (result.code == lb_ok) {
        char metric[64];
        snprintf(metric, sizeof(metric), "%s_gain_of_threads", size);
        double machineGain = limits.flops[lb_allThreads] / limits.flops[lb_oneThread];
        lb_bench_report_with_limit(context, metric, rates[1] / rates[0], "1", machineGain);
    }
    lb_release_shuffled_grid(&springs);
    return result;
}

lbResult lb_bench_springs(lbBenchContext* context) {
    LB_TRY(measure(context, "small", 15, 0, false));
    LB_TRY(measure(context, "small_damped", 15, 0.05f, false));
    return measure(context, "large", 69, 0, true);
}
