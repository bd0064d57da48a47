/* The largest body of each law that keeps 60 frames a second while it rests on the ground: a cube of 0.2 m, cut into
 * cells of six tetrahedra, E = 40 kPa, nu = 0.3, 1000 kg/m^3, with the integrator that is chosen for it (automatic),
 * everything a user gets included. Cubes grow by a quarter in tetrahedra until the median frame takes longer than a
 * sixtieth of a second; what lies between the last two is found by their times. */
#include "base/clock.h"
#include "base/math.h"
#include "base/result.h"
#include "bench/benches.h"
#include "bench/resting_cube.h"
#include "limber/world.h"

#include <stdio.h>

enum { settleFrames = 6, timedFrames = 9 };
static const double frameSeconds = 1.0 / 60;

static lbResult time_frames(lbWorld* world, double* median) {
    double times[timedFrames];
    for (int i = 0; i < settleFrames + timedFrames; ++i) {
        double begin = lb_seconds();
        LB_TRY(lbWorld_Step(world, frameSeconds));
        times[i % timedFrames] = lb_seconds() - begin;
    }
    *median = lb_median(times, timedFrames);
    return lb_success();
}

static lbResult measure_cube(lbBenchContext* context, lbLawKind law, int cells, int threads, double* seconds) {
    lbWorldDef def = lbDefaultWorldDef();
    def.threadCount = threads;
    def.host = context->host;
    lbWorld* world = NULL;
    LB_TRY(lbCreateWorld(&def, &world));
    const lbRestingCube cube = {law, lb_integratorAutomatic, cells, 4e4f};
    lbResult result = lb_create_resting_cube(world, context->host, &cube);
    if (result.code == lb_ok) {
        result = time_frames(world, seconds);
    }
    lbDestroyWorld(world);
    return result;
}

/* Tetrahedra; times go about as their number. */
static lbResult find_largest(lbBenchContext* context, lbLawKind law, int threads, double* largest) {
    enum { fewest = 6, most = 40 };
    double before = 0, last = 0;
    for (int cells = fewest; cells <= most; cells += int_max(1, cells / 12)) {
        double seconds = 0, count = 6.0 * cells * cells * cells;
        LB_TRY(measure_cube(context, law, cells, threads, &seconds));
        if (seconds > frameSeconds) {
            double share = before > 0 ? (frameSeconds - last) / (seconds - last) : frameSeconds / seconds;
            *largest = before + fmax(share, 0) * (count - before);
            return lb_success();
        }
        before = *largest = count;
        last = seconds;
    }
    return lb_success();
}

lbResult lb_bench_resting_tets(lbBenchContext* context) {
    const lbLawKind laws[] = {lb_lawCorotational, lb_lawLinear, lb_lawGreen, lb_lawNeoHookean};
    for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); ++i) {
        for (int all = 0; all < 2; ++all) {
            double largest = 0;
            char metric[80];
            lb_bench_progress(context, "largest_60hz_tets");
            LB_TRY(find_largest(context, laws[i], all ? context->threadCount : 1, &largest));
            snprintf(metric, sizeof(metric), "largest_60hz_%s%stets_%s", i == 0 ? "" : lbLawKind_GetName(laws[i]),
                     i == 0 ? "" : "_", all ? "all" : "1");
            lb_bench_report(context, metric, largest, "1");
        }
    }
    return lb_success();
}
