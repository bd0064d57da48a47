/* Force feedback at 1 kHz on a block of 10,368 tetrahedra that is pressed and stroked at 60 frames a second, in real
 * time; beside it a bare thread that only sleeps from round to round, in the same run:
 *   period_p50_us, period_p999_us, period_worst_us   from round to round; sleeper_...: of the bare one
 *   p999_over_sleeper_us                             what force feedback adds
 *   missed, energy_made_j, force_step_n              rounds too late; J made; the largest step of the force
 *   loaded_...                                       the same while every processor is kept busy by others */
#include "base/clock.h"
#include "base/math.h"
#include "base/result.h"
#include "bench/benches.h"
#include "bench/resting_cube.h"
#include "haptic/rounds.h"
#include "limber/limber.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static const double frameSeconds = 1.0 / 60;

/* ---- The hand ---------------------------------------------------------------------------------------------------- */

/* Presses 2 cm deep and strokes over the block. */
static bool read_hand(void* user, double time, lbDevicePose* pose) {
    (void)user;
    float depth = 0.02f * (float)sin(2 * time), slide = 0.05f * (float)sin(1.3 * time);
    *pose = (lbDevicePose){{slide, 0.24f - depth, 0}, {0, 0, 0, 1}};
    return true;
}

/* The largest change of the force from one round to the next. */
typedef struct Hand {
    lbVec3 force; /* N, told last */
    double step;  /* N */
} Hand;

static void feel(lbHaptics* haptics, Hand* hand) {
    lbForceSample samples[256];
    int count = lbHaptics_ReadForces(haptics, samples, 256);
    for (int i = 0; i < count; ++i) {
        hand->step = fmax(hand->step, (double)vec3_length(vec3_sub(samples[i].force, hand->force)));
        hand->force = samples[i].force;
    }
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

static void do_nothing(void* self, double time) {
    (void)self, (void)time;
}

static void* burn(void* argument) {
    atomic_bool* stop = argument;
    volatile double sum = 0;
    while (!atomic_load_explicit(stop, memory_order_relaxed)) {
        for (int i = 0; i < 1000; ++i) {
            sum = sum + i;
        }
    }
    return NULL;
}

typedef struct Load {
    atomic_bool stop;
    int count;
    pthread_t threads[64];
} Load;

static void begin_load(Load* load, int count) {
    atomic_init(&load->stop, false);
    for (load->count = 0; load->count < int_min(count, 64); ++load->count) {
        if (pthread_create(&load->threads[load->count], NULL, burn, &load->stop) != 0) {
            break;
        }
    }
}

static void end_load(Load* load) {
    atomic_store(&load->stop, true);
    for (int i = 0; i < load->count; ++i) {
        pthread_join(load->threads[i], NULL);
    }
}

static void wait_until(double when) {
    double left = when - lb_seconds();
    if (left > 0) {
        nanosleep(&(struct timespec){(time_t)left, (long)(1e9 * (left - floor(left)))}, NULL);
    }
}

static lbResult play(lbWorld* world, lbHaptics* haptics, double seconds, Hand* hand) {
    double start = lb_seconds();
    for (double next = start; next < start + seconds; next = fmax(next + frameSeconds, lb_seconds())) {
        wait_until(next);
        LB_TRY(lbHaptics_Follow(haptics));
        LB_TRY(lbWorld_Step(world, frameSeconds));
        LB_TRY(lbHaptics_Refresh(haptics, frameSeconds));
        feel(haptics, hand);
    }
    return lb_success();
}

static void report(lbBenchContext* context, const char* prefix, lbHaptics* haptics, const lbRounds* sleeper,
                   const Hand* hand) {
    lbHapticsStatistics statistics = lbHaptics_GetStatistics(haptics);
    double bare = lb_period_at(&sleeper->periods, 0.999);
    const struct {
        const char* name;
        double value;
        const char* unit;
    } figures[] = {{"period_p50_us", 1e6 * statistics.periodMedian, "us"},
                   {"period_p999_us", 1e6 * statistics.period999, "us"},
                   {"period_worst_us", 1e6 * statistics.worst, "us"},
                   {"sleeper_p50_us", 1e6 * lb_period_at(&sleeper->periods, 0.5), "us"},
                   {"sleeper_p999_us", 1e6 * bare, "us"},
                   {"sleeper_worst_us", 1e-3 * (double)atomic_load(&sleeper->periods.worst), "us"},
                   {"p999_over_sleeper_us", 1e6 * (statistics.period999 - bare), "us"},
                   {"missed", (double)statistics.missed, "1"},
                   {"energy_made_j", statistics.energyMade, "J"},
                   {"force_step_n", hand->step, "N"},
                   {"real_time", statistics.realTime ? 1 : 0, "1"}};
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); ++i) {
        if (prefix == NULL) {
            lb_bench_report(context, figures[i].name, figures[i].value, figures[i].unit);
        } else {
            lb_bench_report_of(context, prefix, figures[i].name, figures[i].value, figures[i].unit);
        }
    }
}

static lbResult measure(lbBenchContext* context, lbWorld* world, const char* prefix, bool loaded) {
    Hand hand = {0};
    lbToolDef tool = lbDefaultToolDef(lb_toolSphere);
    lbHapticsDef def = lbDefaultHapticsDef();
    lbHaptics* haptics = NULL;
    lbRounds* sleeper = calloc(1, sizeof(lbRounds));
    if (sleeper == NULL) {
        return lb_out_of_memory("a thread");
    }
    *sleeper = (lbRounds){.period = 1e-3, .wantsRealTime = true, .round = do_nothing};
    tool.radius = 0.04f;
    tool.position = vec3(0, 0.24f, 0);
    Load load = {.count = 0};
    lbResult result = lbCreateTool(world, &tool, &def.tool);
    def.device = (lbDevice){.read = read_hand};
    if (result.code == lb_ok) {
        result = lbCreateHaptics(world, &def, &haptics);
    }
    if (result.code == lb_ok) {
        result = lbHaptics_Start(haptics);
    }
    if (result.code == lb_ok && lb_start_rounds(sleeper)) {
        begin_load(&load, loaded ? context->threadCount : 0);
        result = play(world, haptics, context->longRun ? 60 : 10, &hand);
        end_load(&load);
        lb_stop_rounds(sleeper);
        lbHaptics_Stop(haptics);
        report(context, prefix, haptics, sleeper, &hand);
    }
    lbDestroyHaptics(haptics);
    free(sleeper);
    lbDestroyTool(world, def.tool);
    return result;
}

lbResult lb_bench_haptics(lbBenchContext* context) {
    lbWorldDef def = lbDefaultWorldDef();
    lbWorld* world = NULL;
    def.threadCount = 1;
    def.host = context->host;
    LB_TRY(lbCreateWorld(&def, &world));
    const lbRestingCube block = {lb_lawCorotational, lb_integratorImplicitEuler, 12, 2e4f};
    lbResult result = lb_create_resting_cube(world, context->host, &block);
    lb_bench_progress(context, "idle");
    if (result.code == lb_ok) {
        result = measure(context, world, NULL, false);
    }
    lb_bench_progress(context, "loaded");
    if (result.code == lb_ok) {
        result = measure(context, world, "loaded", true);
    }
    lbDestroyWorld(world);
    return result;
}
