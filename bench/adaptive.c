/* Levels of detail against the finest of them: a ball is pushed into a cube whose finest level has 105,456 tetrahedra.
 *
 *   frame_cost_ratio  median frame of the finest mesh alone / of the adaptive body, same motion, one thread, everything
 * a user gets; at one setting surface_error     largest distance of the two skins / largest displacement, over all
 * frames
 *   ..._at_N          the same along a curve of thresholds
 *   ns_per_active_node_step   of frames in which levels do not change
 *   overhead          time of a frame that is not spent in force laws, at more than 5,000 active nodes, beyond what the
 *                     plain finest body has of it / the frame */
#include "base/result.h"
#include "bench/benches.h"
#include "verify/adaptive_stage.h"
#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>

enum { frames = 60 };

typedef struct Poke {
    double* skins; /* (frames x points x 3) */
    int points;
    double seconds[frames], forces[frames], nodeSteps, active, meanSeconds;
} Poke;

static lbAdaptiveStageDef poked_cube(void) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    def.edge = 0.154; /* 6, 13 and 26 cells */
    def.law = lb_lawNeoHookean;
    def.material = (lbMaterial){.density = 1000, .youngsModulus = 50000, .poissonsRatio = 0.3f, .massDamping = 5};
    return def;
}

static lbResult poke(lbAdaptiveStage* stage, const lbAdaptiveStageDef* def, Poke* out) {
    lbPinId pin;
    lbToolId tool;
    LB_TRY(lb_hold_wall(stage, def->size, &pin));
    lbToolDef ball = lbDefaultToolDef(lb_toolSphere);
    ball.radius = 0.1f;
    ball.position = vec3(0.605f, 0, 0);
    LB_TRY(lbCreateTool(stage->world, &ball, &tool));
    const lbBody* body = lb_find_body(stage->world, stage->id);
    out->points = body->model->skinPointCount;
    out->skins = malloc((size_t)frames * (size_t)out->points * 3 * sizeof(double));
    out->nodeSteps = out->active = out->meanSeconds = 0;
    for (int frame = 0; frame < frames; ++frame) {
        float depth = 0.08f * fminf(1, (float)(frame + 1) / 40);
        LB_TRY(lbTool_MoveTo(stage->world, tool, vec3(0.605f - depth, 0, 0), quat_identity()));
        LB_TRY(lbWorld_Step(stage->world, 1.0 / 60));
        lbProfile profile = lbWorld_GetProfile(stage->world);
        out->seconds[frame] = profile.total;
        out->forces[frame] = profile.forces;
        out->meanSeconds += profile.total / frames;
        for (int i = 0; i < 3 * out->points; ++i) {
            out->skins[(size_t)frame * (size_t)out->points * 3 + (size_t)i] = (double)body->skinX[i];
        }
        if (stage->body != NULL) {
            lbDetailReport report;
            LB_TRY(lbBody_GetDetail(stage->world, stage->id, &report));
            out->nodeSteps += report.nodeSteps / frames;
            out->active += (double)report.activeCount / frames;
        }
    }
    return lb_success();
}

static double surface_error(const Poke* a, const Poke* b) {
    double apart = 0, most = 0;
    for (size_t i = 0; i < (size_t)frames * (size_t)a->points; ++i) {
        const double *p = a->skins + 3 * i, *q = b->skins + 3 * i;
        const double* rest = b->skins + 3 * (i % (size_t)a->points);
        double d = 0, u = 0;
        for (int c = 0; c < 3; ++c) {
            d += (p[c] - q[c]) * (p[c] - q[c]);
            u += (q[c] - rest[c]) * (q[c] - rest[c]);
        }
        apart = fmax(apart, d);
        most = fmax(most, u);
    }
    return sqrt(apart / most);
}

static lbResult poke_finest(const lbAdaptiveStageDef* def, Poke* out) {
    lbAdaptiveStage stage = {0};
    lbTetMesh* mesh = NULL;
    LB_TRY(lb_make_box_mesh(def->size, def->edge / 4, 19, &mesh));
    lbResult result = lb_create_plain_stage(def, mesh, &stage);
    lbDestroyTetMesh(mesh);
    result = result.code == lb_ok ? poke(&stage, def, out) : result;
    lb_destroy_adaptive_stage(&stage);
    return result;
}

static lbResult poke_adaptive(const lbAdaptiveStageDef* def, Poke* out) {
    lbAdaptiveStage stage = {0};
    lbResult result = lb_create_adaptive_stage(def, &stage);
    result = result.code == lb_ok ? poke(&stage, def, out) : result;
    lb_destroy_adaptive_stage(&stage);
    return result;
}

/* All of the finest level, as an adaptive body has it, against the plain body. */
static lbResult measure_overhead(lbBenchContext* context, const lbAdaptiveStageDef* def, Poke* finest) {
    lbAdaptiveStageDef whole = *def;
    Poke all = {0};
    whole.detail.start = 2;
    whole.detail.split = INFINITY;
    lb_bench_progress(context, "overhead");
    LB_TRY(poke_adaptive(&whole, &all));
    double forces = lb_median(all.forces, frames), total = lb_median(all.seconds, frames);
    double plainForces = lb_median(finest->forces, frames), plainTotal = lb_median(finest->seconds, frames);
    /* Per second of forces, so that other lengths of steps do not count. */
    double beyond = (total - forces) / forces - (plainTotal - plainForces) / plainForces;
    lb_bench_report(context, "overhead", beyond * forces / total, "");
    lb_bench_report(context, "whole_ns_per_node_step", 1e9 * all.meanSeconds / all.nodeSteps, "ns");
    free(all.skins);
    return lb_success();
}

lbResult lb_bench_adaptive(lbBenchContext* context) {
    const float splits[] = {0.008f, 0.004f, 0.002f, 0.001f};
    const int chosen = 2;
    lbAdaptiveStageDef def = poked_cube();
    Poke finest = {0};
    lb_bench_progress(context, "frame_cost_ratio");
    LB_TRY(poke_finest(&def, &finest));
    double whole = lb_median(finest.seconds, frames);
    lb_bench_report(context, "finest_frame_ms", 1e3 * whole, "ms");
    for (int i = 0; i < 4; ++i) {
        Poke adaptive = {0};
        char name[32];
        def.detail = lbDefaultBodyDef().detail;
        def.detail.split = splits[i];
        LB_TRY(poke_adaptive(&def, &adaptive));
        double median = lb_median(adaptive.seconds, frames), error = surface_error(&adaptive, &finest);
        if (i == chosen) {
            lb_bench_report(context, "frame_cost_ratio", whole / median, "");
            lb_bench_report(context, "surface_error", error, "");
            lb_bench_report(context, "ns_per_active_node_step", 1e9 * adaptive.meanSeconds / adaptive.nodeSteps, "ns");
        }
        snprintf(name, sizeof(name), "split_%gmm", 1e3 * (double)splits[i]);
        lb_bench_report_of(context, name, "cost_ratio", whole / median, "");
        lb_bench_report_of(context, name, "error", error, "");
        lb_bench_report_of(context, name, "active_nodes", adaptive.active, "");
        free(adaptive.skins);
    }
    lbResult result = measure_overhead(context, &def, &finest);
    free(finest.skins);
    return result;
}
