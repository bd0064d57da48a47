/* The machine's own limits, which every other figure is to be seen beside.
 *   memory_gbps       the triad a = b + s c over arrays of at least four times the largest cache (as in McCalpin's
 *                     STREAM), with plain stores, as limber's kernels use them. All bytes that move are counted: two
 *                     arrays read, one written, and that one read first because a store fetches its line: 16 per number
 *   memory_read_gbps  the sum of one such array
 *   l1_cache_gbps     the sum of an array of half the size of a cache; l2 and l3 (an eighth: it is shared) too
 *   fma_gflops        fused multiply-adds in registers, single precision, two operations each
 *   gain_of_threads   how much faster that is on all threads, by runs that take turns
 *   clock_ghz         dependent additions, one a cycle; fma_flops_per_cycle follows from it */
#include "base/result.h"
#include "bench/benches.h"
#include "bench/build_info.h"
#include "bench/machine_kernels.h"

#include <stdlib.h>

enum { piecesPerThread = 16 };
static const double secondsPerMetric = 0.5;

typedef struct lbMachineBench {
    lbTasks* tasks;
    int pieceCount;
    size_t count;          /* numbers per array */
    float* a;              /* (count) */
    float* b;              /* (count) */
    float* c;              /* (count) */
    int64_t rounds;        /* of arithmetic in a piece */
    int repeats;           /* of reading a piece */
    volatile float result; /* keeps the work from being left out */
    volatile uint64_t sum; /* the same */
} lbMachineBench;

static size_t piece_begin(const lbMachineBench* bench, int piece) {
    size_t blocks = bench->count / lb_vectorBlock;
    return blocks * (size_t)piece / (size_t)bench->pieceCount * lb_vectorBlock;
}

/* ---- What each piece does ---------------------------------------------------------------------------------------- */

static void fill_pieces(void* context, int begin, int end) {
    lbMachineBench* bench = context;
    for (size_t i = piece_begin(bench, begin); i < piece_begin(bench, end); ++i) {
        bench->a[i] = 0;
        bench->b[i] = 1;
        bench->c[i] = 2;
    }
}

static void triad_pieces(void* context, int begin, int end) {
    lbMachineBench* bench = context;
    size_t first = piece_begin(bench, begin), last = piece_begin(bench, end);
    lb_kernel_triad(bench->a + first, bench->b + first, bench->c + first, 3, last - first);
}

static void read_pieces(void* context, int begin, int end) {
    lbMachineBench* bench = context;
    size_t first = piece_begin(bench, begin), last = piece_begin(bench, end);
    bench->result = lb_kernel_read(bench->b + first, last - first, bench->repeats);
}

static void fma_pieces(void* context, int begin, int end) {
    lbMachineBench* bench = context;
    bench->result = lb_kernel_fma(bench->rounds * (end - begin), 0.999f, 0.001f);
}

static void run_triad(void* argument) {
    lbMachineBench* bench = argument;
    lb_parallel_for(bench->tasks, bench->pieceCount, 1, triad_pieces, bench);
}

static void run_read(void* argument) {
    lbMachineBench* bench = argument;
    lb_parallel_for(bench->tasks, bench->pieceCount, 1, read_pieces, bench);
}

static void run_fma(void* argument) {
    lbMachineBench* bench = argument;
    lb_parallel_for(bench->tasks, bench->pieceCount, 1, fma_pieces, bench);
}

static void run_cycles(void* argument) {
    lbMachineBench* bench = argument;
    bench->sum = lb_kernel_count_cycles(bench->rounds, (uint64_t)bench->rounds);
}

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

static float* make_array(size_t count) {
    return aligned_alloc(64, count * sizeof(float));
}

/* Not from lb_allocate, which would touch every page on one thread: memory lies near the processor that touches it
 * first. */
static lbResult make_arrays(lbBenchContext* context, lbMachineBench* bench) {
    size_t bytes = 4 * lb_get_cache_size(3);
    bytes = bytes < (size_t)64 << 20 ? (size_t)64 << 20 : bytes > (size_t)512 << 20 ? (size_t)512 << 20 : bytes;
    /* No power of two: places that are such a distance apart would share the same lines of a cache. */
    bench->count = bytes / 97 * 100 / sizeof(float) / lb_vectorBlock * lb_vectorBlock;
    bench->pieceCount = piecesPerThread * context->threadCount;
    bench->repeats = 1;
    bench->a = make_array(bench->count);
    bench->b = make_array(bench->count);
    bench->c = make_array(bench->count);
    if (bench->a == NULL || bench->b == NULL || bench->c == NULL) {
        return lb_out_of_memory("three arrays larger than the caches");
    }
    lb_parallel_for(context->tasks[lb_allThreads], bench->pieceCount, 1, fill_pieces, bench);
    return lb_success();
}

static void free_arrays(lbMachineBench* bench) {
    free(bench->a);
    free(bench->b);
    free(bench->c);
}

static void measure_memory(lbBenchContext* context, lbMachineBench* bench, lbMachineLimits* limits) {
    for (int threads = lb_oneThread; threads <= lb_allThreads; ++threads) {
        bench->tasks = context->tasks[threads];
        lb_bench_progress(context, "memory");
        lbTiming triad = lb_bench_time(context, secondsPerMetric, run_triad, bench);
        lbTiming read = lb_bench_time(context, secondsPerMetric, run_read, bench);
        limits->memory[threads] = 16 * (double)bench->count / triad.median;
        limits->memoryRead[threads] = 4 * (double)bench->count / read.median;
    }
}

static double measure_clock(lbBenchContext* context) {
    lbMachineBench bench = {.rounds = 1 << 20};
    lbTiming timing = lb_bench_time(context, 0.4 * secondsPerMetric, run_cycles, &bench);
    return (double)bench.rounds / timing.median;
}

static void measure_flops(lbBenchContext* context, lbMachineBench* bench, lbMachineLimits* limits) {
    for (int threads = lb_oneThread; threads <= lb_allThreads; ++threads) {
        bench->tasks = context->tasks[threads];
        bench->pieceCount = piecesPerThread * (threads == lb_oneThread ? 1 : context->threadCount);
        bench->rounds = 50000;
        lb_bench_progress(context, "arithmetic");
        lbTiming timing = lb_bench_time(context, secondsPerMetric, run_fma, bench);
        double flops = (double)lb_fmaFlopsPerRound * (double)bench->rounds * bench->pieceCount;
        limits->flops[threads] = flops / timing.median;
        limits->clock = threads == lb_oneThread ? measure_clock(context) : limits->clock;
    }
}

/* What threads gain in what needs no memory. In pieces, as laws have them. */
static void measure_gain(lbBenchContext* context, lbMachineBench* bench, lbMachineLimits* limits) {
    bench->pieceCount = 2 * piecesPerThread * context->threadCount;
    bench->rounds = 400;
    lbGainRun run = {run_fma, bench, &bench->tasks, context->tasks};
    limits->gain = lb_bench_gain(context, secondsPerMetric, &run).quartiles[1];
}

static double measure_cache(lbBenchContext* context, float* array, size_t bytes) {
    const size_t bytesPerCall = 16 << 20; /* so that what surrounds the loop does not count */
    lbMachineBench bench = {.b = array, .pieceCount = 1, .tasks = context->tasks[lb_oneThread]};
    bench.count = bytes / sizeof(float) / lb_vectorBlock * lb_vectorBlock;
    bench.repeats = 1 + (int)(bytesPerCall / bytes);
    lbTiming timing = lb_bench_time(context, 0.4 * secondsPerMetric, run_read, &bench);
    return 4 * (double)bench.count * bench.repeats / timing.median;
}

lbResult lb_measure_limits(lbBenchContext* context, lbMachineLimits* limits) {
    lbMachineBench bench = {0};
    lbResult result = make_arrays(context, &bench);
    if (result.code == lb_ok) {
        measure_memory(context, &bench, limits);
        measure_flops(context, &bench, limits);
        measure_gain(context, &bench, limits);
        limits->cache[lb_oneThread] = measure_cache(context, bench.b, lb_get_cache_size(3) / 8);
        limits->cache[lb_allThreads] = limits->gain * limits->cache[lb_oneThread];
    }
    free_arrays(&bench);
    return result;
}

static lbResult report_caches(lbBenchContext* context) {
    const char* metrics[] = {"l1_cache_gbps_1", "l2_cache_gbps_1", "l3_cache_gbps_1"};
    size_t sizes[3];
    for (int level = 1; level <= 3; ++level) {
        sizes[level - 1] = lb_get_cache_size(level) / (level == 3 ? 8 : 2);
    }
    float* array = make_array(sizes[2] / 64 * 16);
    if (array == NULL) {
        return lb_out_of_memory("an array of the size of a cache");
    }
    for (size_t i = 0; i < sizes[2] / 64 * 16; ++i) {
        array[i] = 1;
    }
    for (int level = 0; level < 3; ++level) {
        size_t size = sizes[level] < sizes[2] ? sizes[level] : sizes[2];
        lb_bench_report(context, metrics[level], 1e-9 * measure_cache(context, array, size), "GB/s");
    }
    free(array);
    return lb_success();
}

lbResult lb_bench_machine(lbBenchContext* context) {
    lbMachineLimits limits;
    LB_TRY(lb_bench_limits(context, &limits));
    lb_bench_report(context, "memory_gbps_1", 1e-9 * limits.memory[lb_oneThread], "GB/s");
    lb_bench_report(context, "memory_gbps_all", 1e-9 * limits.memory[lb_allThreads], "GB/s");
    lb_bench_report(context, "memory_read_gbps_1", 1e-9 * limits.memoryRead[lb_oneThread], "GB/s");
    lb_bench_report(context, "memory_read_gbps_all", 1e-9 * limits.memoryRead[lb_allThreads], "GB/s");
    LB_TRY(report_caches(context));
    lb_bench_report(context, "fma_gflops_1", 1e-9 * limits.flops[lb_oneThread], "GFLOP/s");
    lb_bench_report(context, "fma_gflops_all", 1e-9 * limits.flops[lb_allThreads], "GFLOP/s");
    lb_bench_report(context, "gain_of_threads", limits.gain, "1");
    lb_bench_report(context, "clock_ghz", 1e-9 * limits.clock, "GHz");
    lb_bench_report(context, "fma_flops_per_cycle_1", limits.flops[lb_oneThread] / limits.clock, "");
    return lb_success();
}
