/* Levels of detail against the finest of them: a ball is pushed into a block whose finest level has 105,456 tetrahedra.
 * Two blocks, alike but for their size and stiffness: a cube of jelly of 1 m (50 kPa) and one of an organ's size (0.2
 * m, 20 kPa); the ball has a tenth of their size and goes in by 8 % of it within 40 frames, and rests there for 20. One
 * thread; processor time, as means over all frames, with everything a user gets.
 *
 *   frame_cost_ratio  the finest mesh alone / the adaptive body, same motion; of the cube, at one setting
 *   surface_error     largest distance of the two skins / largest displacement, over all points and frames
 *   organ_...         the same of the other block, at the same setting (relative to its size)
 *   split_...         along a curve of thresholds
 *   overhead          of a step at more than 5,000 active nodes, half of the cube finest: what it takes beyond its
 *                     node-steps at the plain body's price / all of it. overhead_whole: all of the finest level
 *   ns_per_active_node_step   slope of a frame's time over its node-steps, levels that stay; slope_r2 how linear that
 * is real_time_nodes   active nodes of the cube that a frame of 1/60 s has time for, by that slope */
#include "base/result.h"
#include "bench/benches.h"
#include "verify/adaptive_stage.h"
#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { frames = 60, still = 24 };

static double processor_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

/* The one setting: thresholds over the size of the body. */
static const float chosenSplit = 0.016f;

/* ---- A ball is pushed in ----------------------------------------------------------------------------------------- */

typedef struct Poke {
    double* skins; /* (frames x points x 3) m */
    int points;
    double seconds, nodeSteps, active; /* means of a frame */
} Poke;

static lbAdaptiveStageDef poked_block(double size, float youngsModulus) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    def.size = vec3((float)size, (float)size, (float)size);
    def.edge = 0.154 * size; /* 6, 13 and 26 cells */
    def.law = lb_lawNeoHookean;
    def.material =
        (lbMaterial){.density = 1000, .youngsModulus = youngsModulus, .poissonsRatio = 0.3f, .massDamping = 5};
    return def;
}

static void keep_skin(const lbBody* body, int frame, Poke* out) {
    double* skin = out->skins + (size_t)frame * (size_t)out->points * 3;
    for (int i = 0; i < 3 * out->points; ++i) {
        skin[i] = (double)body->skinX[i];
    }
}

static lbResult count_nodes(const lbAdaptiveStage* stage, Poke* out) {
    lbDetailReport report = {0};
    if (stage->body != NULL) {
        LB_TRY(lbBody_GetDetail(stage->world, stage->id, &report));
    } else {
        report.activeCount = lbBody_GetNodeCount(stage->world, stage->id);
        report.nodeSteps = (double)report.activeCount * lbWorld_GetCounters(stage->world).stepCount;
    }
    out->nodeSteps += report.nodeSteps / frames;
    out->active += (double)report.activeCount / frames;
    return lb_success();
}

static lbResult poke(lbAdaptiveStage* stage, const lbAdaptiveStageDef* def, Poke* out) {
    lbPinId pin;
    lbToolId tool;
    float size = def->size.x;
    LB_TRY(lb_hold_wall(stage, def->size, &pin));
    lbToolDef ball = lbDefaultToolDef(lb_toolSphere);
    ball.radius = 0.1f * size;
    ball.position = vec3(0.605f * size, 0, 0);
    LB_TRY(lbCreateTool(stage->world, &ball, &tool));
    const lbBody* body = lb_find_body(stage->world, stage->id);
    *out = (Poke){.points = body->model->skinPointCount};
    out->skins = malloc((size_t)frames * (size_t)out->points * 3 * sizeof(double));
    for (int frame = 0; frame < frames; ++frame) {
        float depth = 0.085f * fminf(1, (float)(frame + 1) / 40);
        LB_TRY(lbTool_MoveTo(stage->world, tool, vec3((0.605f - depth) * size, 0, 0), quat_identity()));
        double start = processor_seconds();
        LB_TRY(lbWorld_Step(stage->world, 1.0 / 60));
        out->seconds += (processor_seconds() - start) / frames;
        keep_skin(body, frame, out);
        LB_TRY(count_nodes(stage, out));
    }
    return lbDestroyTool(stage->world, tool);
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

static lbResult create_finest(const lbAdaptiveStageDef* def, lbAdaptiveStage* stage) {
    lbTetMesh* mesh = NULL;
    LB_TRY(lb_make_box_mesh(def->size, def->edge / 4, 19, &mesh));
    lbResult result = lb_create_plain_stage(def, mesh, stage);
    lbDestroyTetMesh(mesh);
    return result;
}

static lbResult poke_finest(const lbAdaptiveStageDef* def, Poke* out) {
    lbAdaptiveStage stage = {0};
    lbResult result = create_finest(def, &stage);
    result = result.code == lb_ok ? poke(&stage, def, out) : result;
    lb_destroy_adaptive_stage(&stage);
    return result;
}

/* Another body of the same model takes the place of the last. */
static lbResult renew_body(lbAdaptiveStage* stage, const lbDetailDef* detail) {
    lbBodyDef def = lbDefaultBodyDef();
    def.model = stage->model;
    def.integrator = lb_integratorSymplecticEuler;
    def.detail = *detail;
    LB_TRY(lbDestroyBody(stage->world, stage->id));
    LB_TRY(lbCreateBody(stage->world, &def, &stage->id));
    stage->body = lb_adaptive(lb_find_body(stage->world, stage->id));
    return lb_success();
}

typedef struct Gain {
    double cost, error, active, nodeSteps; /* cost and node-steps: of the finest / of the adaptive body */
} Gain;

static lbResult measure_gain(lbAdaptiveStage* stage, const lbAdaptiveStageDef* def, float split, const Poke* finest,
                             Gain* gain) {
    Poke adaptive = {0};
    lbDetailDef detail = lbDefaultBodyDef().detail;
    detail.split = split * def->size.x;
    lbResult result = renew_body(stage, &detail);
    result = result.code == lb_ok ? poke(stage, def, &adaptive) : result;
    if (result.code == lb_ok) {
        *gain = (Gain){finest->seconds / adaptive.seconds, surface_error(&adaptive, finest), adaptive.active,
                       finest->nodeSteps / adaptive.nodeSteps};
    }
    free(adaptive.skins);
    return result;
}

/* ---- Levels that stay -------------------------------------------------------------------------------------------- */

typedef struct Still {
    double frame; /* s of processor time, the median frame */
    double step;  /* s, of that in forces and what bodies do beside them in steps: the least, since that is no processor
                     time, and others may run in between */
    double nodeSteps, active;
} Still;

static lbResult hold_still(lbAdaptiveStage* stage, Still* out) {
    double seconds[still], least = INFINITY;
    Poke counts = {0};
    for (int frame = 0; frame < still; ++frame) {
        double start = processor_seconds();
        LB_TRY(lbWorld_Step(stage->world, 1.0 / 60));
        lbProfile profile = lbWorld_GetProfile(stage->world);
        seconds[frame] = processor_seconds() - start;
        least = fmin(least, profile.forces + profile.advance);
        counts = (Poke){0};
        LB_TRY(count_nodes(stage, &counts));
    }
    *out = (Still){lb_median(seconds, still), least, frames * counts.nodeSteps, frames * counts.active};
    return lb_success();
}

/* Finest where x is at least this share of the size away from the held side; 1: nowhere. */
static lbResult hold_half(lbAdaptiveStage* stage, float size, float share, Still* out) {
    lbDetailRegion region = {.level = 2};
    lbDetailDef detail = lbDefaultBodyDef().detail;
    region.region = (lbRegion){.kind = lb_regionBox,
                               .part = lb_partNodes,
                               .box = {vec3((share - 0.5f) * size, -size, -size), vec3(size, size, size)}};
    detail.split = INFINITY;
    detail.regionCount = 1;
    detail.regions = &region;
    LB_TRY(renew_body(stage, &detail));
    return hold_still(stage, out);
}

static double share_beyond(const Still* mixed, const Still* plain) {
    return 1 - plain->step / plain->nodeSteps * mixed->nodeSteps / mixed->step;
}

static lbResult measure_overhead(lbBenchContext* context, lbAdaptiveStage* stage, const lbAdaptiveStageDef* def) {
    lbAdaptiveStage finest = {0};
    Still plain = {0}, half, whole;
    lb_bench_progress(context, "overhead");
    lbResult result = create_finest(def, &finest);
    result = result.code == lb_ok ? hold_still(&finest, &plain) : result;
    lb_destroy_adaptive_stage(&finest);
    LB_TRY(result);
    LB_TRY(hold_half(stage, def->size.x, 0.5f, &half));
    LB_TRY(hold_half(stage, def->size.x, -0.1f, &whole));
    lb_bench_report(context, "overhead", share_beyond(&half, &plain), "");
    lb_bench_report(context, "overhead_active_nodes", half.active, "");
    lb_bench_report(context, "overhead_whole", share_beyond(&whole, &plain), "");
    lb_bench_report(context, "plain_ns_per_node_step", 1e9 * plain.frame / plain.nodeSteps, "ns");
    return lb_success();
}

/* A straight line through frames of bodies with ever more active nodes. */
static lbResult measure_slope(lbBenchContext* context, lbAdaptiveStage* stage, const lbAdaptiveStageDef* def) {
    const float shares[] = {1.1f, 0.85f, 0.7f, 0.5f, 0.3f};
    enum { count = 5 };
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0, stepsPerNode = 0;
    lb_bench_progress(context, "ns_per_active_node_step");
    for (int i = 0; i < count; ++i) {
        Still at;
        LB_TRY(hold_half(stage, def->size.x, shares[i], &at));
        n += 1, x += at.nodeSteps, y += at.frame;
        xx += at.nodeSteps * at.nodeSteps, xy += at.nodeSteps * at.frame, yy += at.frame * at.frame;
        stepsPerNode = at.nodeSteps / at.active;
    }
    double sxx = xx - x * x / n, sxy = xy - x * y / n, syy = yy - y * y / n, slope = sxy / sxx;
    double rest = (y - slope * x) / n;
    lb_bench_report(context, "ns_per_active_node_step", 1e9 * slope, "ns");
    lb_bench_report(context, "slope_r2", sxy * sxy / (sxx * syy), "");
    lb_bench_report(context, "real_time_nodes", (1.0 / 60 - rest) / slope / stepsPerNode, "");
    return lb_success();
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

static void report_gain(lbBenchContext* context, const char* name, const Gain* gain) {
    lb_bench_report_of(context, name, "cost_ratio", gain->cost, "");
    lb_bench_report_of(context, name, "error", gain->error, "");
    lb_bench_report_of(context, name, "active_nodes", gain->active, "");
    lb_bench_report_of(context, name, "node_steps_ratio", gain->nodeSteps, "");
}

static lbResult follow_curve(lbBenchContext* context, lbAdaptiveStage* stage, const lbAdaptiveStageDef* def,
                             const Poke* finest) {
    const float splits[] = {0.064f, 0.032f, 0.008f, 0.004f, 0.002f};
    Gain gain;
    LB_TRY(measure_gain(stage, def, chosenSplit, finest, &gain));
    lb_bench_report(context, "frame_cost_ratio", gain.cost, "");
    lb_bench_report(context, "surface_error", gain.error, "");
    report_gain(context, "split_16mm", &gain);
    for (size_t i = 0; i < sizeof(splits) / sizeof(splits[0]); ++i) {
        char name[32];
        snprintf(name, sizeof(name), "split_%gmm", 1e3 * (double)splits[i]);
        lb_bench_progress(context, name);
        LB_TRY(measure_gain(stage, def, splits[i], finest, &gain));
        report_gain(context, name, &gain);
    }
    return lb_success();
}

static lbResult bench_block(lbBenchContext* context, const lbAdaptiveStageDef* def, bool organ) {
    lbAdaptiveStage stage = {0};
    Poke finest = {0};
    Gain gain;
    lb_bench_progress(context, organ ? "organ_cost_ratio" : "frame_cost_ratio");
    lbResult result = poke_finest(def, &finest);
    result = result.code == lb_ok ? lb_create_adaptive_stage(def, &stage) : result;
    if (result.code == lb_ok && organ) {
        result = measure_gain(&stage, def, chosenSplit, &finest, &gain);
        if (result.code == lb_ok) {
            report_gain(context, "organ", &gain);
        }
    } else if (result.code == lb_ok) {
        lb_bench_report(context, "finest_frame_ms", 1e3 * finest.seconds, "ms");
        result = follow_curve(context, &stage, def, &finest);
        result = result.code == lb_ok ? measure_overhead(context, &stage, def) : result;
        result = result.code == lb_ok ? measure_slope(context, &stage, def) : result;
    }
    free(finest.skins);
    lb_destroy_adaptive_stage(&stage);
    return result;
}

lbResult lb_bench_adaptive(lbBenchContext* context) {
    lbAdaptiveStageDef cube = poked_block(1, 50000), organ = poked_block(0.2, 20000);
    LB_TRY(bench_block(context, &cube, false));
    return bench_block(context, &organ, true);
}
