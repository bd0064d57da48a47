/* A frame rate that holds: an adaptive body that would take five times a frame's time if it were fully refined, and
 * asks for it, at 60 frames a second in real time, while another process takes a core half of the time. Ten seconds,
 * sixty with --long.
 *
 *   needed          a frame of the finest level / the period
 *   share_in_time   of frames that were done within the period, by a budget in seconds
 *   median_ms, worst_ms   how long they took
 *   quality_share   active nodes on average / those of the largest fixed budget of node-steps that is in time in 99 of
 *                   100 frames, beside the same thief, found by halving
 *   active_nodes, fixed_nodes   the two */
#include "base/clock.h"
#include "base/result.h"
#include "bench/benches.h"
#include "verify/adaptive_stage.h"
#include "world/world.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double period = 1.0 / 60;
/* The thief works and sleeps by turns, for so long each. */
static const double turn = 0.1;

enum { mostFrames = 3600, warmUp = 60, halvings = 6, triedFrames = 200 };

/* ---- The thief --------------------------------------------------------------------------------------------------- */

static void sleep_until(double time) {
    double left = time - lb_seconds();
    if (left > 0) {
        struct timespec rest = {(time_t)left, (long)(1e9 * (left - floor(left)))};
        nanosleep(&rest, NULL);
    }
}

/* Ends by itself, too, when whoever started it is gone. */
static pid_t start_thief(void) {
    pid_t parent = getpid(), thief = fork();
    while (thief == 0 && getppid() == parent) {
        for (double end = lb_seconds() + turn; lb_seconds() < end;) {
        }
        sleep_until(lb_seconds() + turn);
    }
    if (thief == 0) {
        _exit(0);
    }
    return thief;
}

static void stop_thief(pid_t thief) {
    if (thief > 0) {
        kill(thief, SIGKILL);
        waitpid(thief, NULL, 0);
    }
}

/* ---- The scene --------------------------------------------------------------------------------------------------- */

static lbAdaptiveStageDef stirred_block(int threads) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    def.size = vec3(0.2f, 0.2f, 0.2f);
    def.edge = 0.154 * 0.2; /* 6, 13 and 26 cells */
    def.law = lb_lawNeoHookean;
    def.material = (lbMaterial){.density = 1000, .youngsModulus = 1e6f, .poissonsRatio = 0.3f, .massDamping = 5};
    def.detail = lbDefaultBodyDef().detail;
    def.detail.split = 1e-6f; /* all that there is */
    def.detail.merge = 1e-7f;
    def.threads = threads;
    return def;
}

typedef struct Frames {
    int count, inTime;
    double active; /* mean */
    double seconds[mostFrames], worst;
} Frames;

/* A ball goes round in the block's face. */
static lbResult run_frames(lbAdaptiveStage* stage, lbToolId tool, int count, Frames* out) {
    *out = (Frames){0};
    double next = lb_seconds();
    for (int frame = -warmUp; frame < count; ++frame) {
        float angle = 0.02f * (float)frame;
        lbVec3 place = vec3(0.11f, 0.04f * cosf(angle), 0.04f * sinf(angle));
        LB_TRY(lbTool_MoveTo(stage->world, tool, place, quat_identity()));
        double start = lb_seconds();
        LB_TRY(lbWorld_Step(stage->world, period));
        double seconds = lb_seconds() - start;
        if (frame >= 0) {
            out->active += stage->body->set.activeCount;
            out->inTime += seconds <= period;
            out->worst = fmax(out->worst, seconds);
            out->seconds[out->count++] = seconds;
        }
        next = fmax(next + period, lb_seconds());
        sleep_until(next);
    }
    out->active /= out->count;
    return lb_success();
}

static lbResult renew(lbAdaptiveStage* stage, const lbAdaptiveStageDef* def, double budget) {
    lbBodyDef body = lbDefaultBodyDef();
    lbPinId pin;
    body.model = stage->model;
    body.detail = def->detail;
    body.detail.budget = budget;
    LB_TRY(lbDestroyBody(stage->world, stage->id));
    LB_TRY(lbCreateBody(stage->world, &body, &stage->id));
    stage->body = lb_adaptive(lb_find_body(stage->world, stage->id));
    return lb_hold_wall(stage, def->size, &pin);
}

/* ---- The best that is fixed -------------------------------------------------------------------------------------- */

static lbResult find_fixed(lbAdaptiveStage* stage, const lbAdaptiveStageDef* def, lbToolId tool, double mostSteps,
                           Frames* scratch, double* nodes) {
    double low = 0, high = mostSteps;
    *nodes = 0;
    LB_TRY(lbWorld_SetBudget(stage->world, 0));
    for (int i = 0; i < halvings; ++i) {
        double budget = low > 0 ? sqrt(low * high) : high / 4;
        LB_TRY(renew(stage, def, budget));
        LB_TRY(run_frames(stage, tool, triedFrames, scratch));
        if (scratch->inTime >= 0.99 * scratch->count) {
            low = budget;
            *nodes = fmax(*nodes, scratch->active);
        } else {
            high = budget;
        }
    }
    return lb_success();
}

/* A frame in which all of the finest level is active, and its node-steps. */
static lbResult measure_whole(const lbAdaptiveStageDef* def, double* seconds, double* nodeSteps) {
    lbAdaptiveStageDef whole = *def;
    lbAdaptiveStage stage = {0};
    double frames[5];
    whole.detail.split = INFINITY;
    whole.detail.start = 2;
    lbResult result = lb_create_adaptive_stage(&whole, &stage);
    for (int i = 0; i < 5 && result.code == lb_ok; ++i) {
        double start = lb_seconds();
        result = lbWorld_Step(stage.world, period);
        frames[i] = lb_seconds() - start;
        *nodeSteps = stage.body->nodeSteps;
    }
    *seconds = lb_median(frames, 5);
    lb_destroy_adaptive_stage(&stage);
    return result;
}

static lbResult bench(lbBenchContext* context, lbAdaptiveStage* stage, const lbAdaptiveStageDef* def, double mostSteps,
                      Frames* frames) {
    lbToolId tool;
    double fixed;
    lbToolDef ball = lbDefaultToolDef(lb_toolSphere);
    ball.radius = 0.02f;
    ball.position = vec3(0.13f, 0.04f, 0);
    LB_TRY(lbCreateTool(stage->world, &ball, &tool));
    lb_bench_progress(context, "share_in_time");
    LB_TRY(renew(stage, def, 0));
    LB_TRY(lbWorld_SetBudget(stage->world, period));
    LB_TRY(run_frames(stage, tool, context->longRun ? mostFrames : 600, frames));
    double active = frames->active;
    lb_bench_report(context, "share_in_time", (double)frames->inTime / frames->count, "");
    lb_bench_report(context, "median_ms", 1e3 * lb_median(frames->seconds, frames->count), "ms");
    lb_bench_report(context, "worst_ms", 1e3 * frames->worst, "ms");
    lb_bench_progress(context, "quality_share");
    LB_TRY(find_fixed(stage, def, tool, mostSteps, frames, &fixed));
    lb_bench_report(context, "quality_share", fixed > 0 ? active / fixed : 0, "");
    lb_bench_report(context, "active_nodes", active, "");
    lb_bench_report(context, "fixed_nodes", fixed, "");
    return lb_success();
}

lbResult lb_bench_frames(lbBenchContext* context) {
    lbAdaptiveStageDef def = stirred_block(context->threadCount);
    lbAdaptiveStage stage = {0};
    double whole = 0, nodeSteps = 0;
    Frames* frames = malloc(sizeof(Frames));
    if (frames == NULL) {
        return lb_out_of_memory("a bench");
    }
    lb_bench_progress(context, "needed");
    lbResult result = measure_whole(&def, &whole, &nodeSteps);
    lb_bench_report(context, "needed", whole / period, "");
    result = result.code == lb_ok ? lb_create_adaptive_stage(&def, &stage) : result;
    pid_t thief = start_thief();
    result = result.code == lb_ok ? bench(context, &stage, &def, nodeSteps, frames) : result;
    stop_thief(thief);
    lb_destroy_adaptive_stage(&stage);
    free(frames);
    return result;
}
