/* A cube on a wall (Debunne and others 2000 and 2001), and a block that is loaded: adaptive against the finest mesh, with
 * one setting for both. */
#include "base/result.h"
#include "verify/adaptive_stage.h"
#include "verify/suites.h"
#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>

/* The one setting: thresholds in m for bodies of 1 m. */
static const float splitAbove = 0.0035f, mergeBelow = 0.0005f;

enum { mostFrames = 1200 };

typedef struct Swing {
    int count;
    double heights[mostFrames]; /* m, of the free corner below, frame by frame */
    double nodeSteps;           /* in all */
    double period, amplitude;   /* s, m: over the first five */
    double active;              /* mean number of active nodes */
} Swing;

static const double dt = 1.0 / 120;

static lbAdaptiveStageDef cube_on_wall(void) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    def.gravity = vec3(0, -9.81f, 0);
    def.material.youngsModulus = 2e5f;
    def.detail = lbDefaultBodyDef().detail;
    def.detail.split = splitAbove;
    def.detail.merge = mergeBelow;
    if (getenv("SPLIT")) def.detail.split = (float)atof(getenv("SPLIT"));
    if (getenv("MERGE")) def.detail.merge = (float)atof(getenv("MERGE"));
    if (getenv("COUPLING")) def.detail.coupling = lb_couplingPaper;
    if (getenv("YOUNG")) def.material.youngsModulus = (float)atof(getenv("YOUNG"));
    return def;
}

/* The skin point farthest from the wall, lowest and foremost. */
static int find_corner(const lbAdaptiveStage* stage) {
    int corner = -1;
    lbResult result = lbBody_FindSkinPoint(stage->world, stage->id, vec3(0.5f, -0.5f, 0.5f), &corner);
    return result.code == lb_ok ? corner : -1;
}

static lbResult node_steps(const lbAdaptiveStage* stage, double* steps, double* active) {
    if (stage->body == NULL) {
        *active = lbBody_GetNodeCount(stage->world, stage->id);
        *steps = *active * lbWorld_GetCounters(stage->world).stepCount;
        return lb_success();
    }
    lbDetailReport report;
    LB_TRY(lbBody_GetDetail(stage->world, stage->id, &report));
    *active = report.activeCount;
    *steps = report.nodeSteps;
    return lb_success();
}

/* Minima and maxima of a swing that begins at its top: five periods are ten of them. The heights between are those of
 * parabolas through three frames. */
static void measure_swing(Swing* swing) {
    double mean = 0, first = 0, last = 0, before, lowest = 0;
    int passages = 0, frames = swing->count;
    for (int i = 0; i < frames; ++i) {
        lowest = fmin(lowest, swing->heights[i] - swing->heights[0]);
    }
    mean = swing->heights[0] + 0.5 * lowest;
    before = swing->heights[0];
    for (int i = 1; i < frames && passages <= 10; ++i) {
        double now = swing->heights[i];
        if ((before - mean) * (now - mean) < 0) {
            last = dt * (i - (now - mean) / (now - before));
            first = passages++ == 0 ? last : first;
        }
        before = now;
    }
    swing->period = passages > 1 ? 2 * (last - first) / (passages - 1) : 0;
    swing->amplitude = -lowest;
}

static lbResult run_swing(lbAdaptiveStage* stage, const lbAdaptiveStageDef* def, int frames, Swing* swing) {
    lbPinId pin;
    LB_TRY(lb_hold_wall(stage, def->size, &pin));
    int corner = find_corner(stage);
    const lbBody* body = lb_find_body(stage->world, stage->id);
    *swing = (Swing){.count = frames};
    for (int frame = 0; frame < frames; ++frame) {
        double steps, active;
        swing->heights[frame] = (double)body->skinX[3 * corner + 1];
        LB_TRY(lbWorld_Step(stage->world, dt));
        LB_TRY(node_steps(stage, &steps, &active));
        if (getenv("TRACE") && stage->body && frame % 4 == 0) { lbDetailReport r; lbBody_GetDetail(stage->world, stage->id, &r); lbEnergy e; lbBody_GetEnergy(stage->world, stage->id, &e); fprintf(stderr, "%d: %d %d %d ghosts %d steps %d ns %g split %d merge %d E %g h %g rates %d\n", frame, r.levelNodes[0], r.levelNodes[1], r.levelNodes[2], r.ghostCount, r.stepCount, r.nodeSteps, r.splitCount, r.mergeCount, e.kinetic+e.elastic+e.gravity, swing->heights[frame], stage->body->scopes.rateCount); }
        swing->nodeSteps += steps;
        swing->active += active / frames;
    }
    measure_swing(swing);
    return lb_success();
}

static lbResult swing_plain(int level, int frames, Swing* swing) {
    lbAdaptiveStageDef def = cube_on_wall();
    lbAdaptiveStage stage = {0};
    lbTetMesh* mesh = NULL;
    LB_TRY(lb_make_box_mesh(def.size, def.edge / (1 << level), 17u + (unsigned)level, &mesh));
    lbResult result = lb_create_plain_stage(&def, mesh, &stage);
    lbDestroyTetMesh(mesh);
    result = result.code == lb_ok ? run_swing(&stage, &def, frames, swing) : result;
    lb_destroy_adaptive_stage(&stage);
    return result;
}

static lbResult swing_adaptive(int frames, Swing* swing) {
    lbAdaptiveStageDef def = cube_on_wall();
    lbAdaptiveStage stage = {0};
    lbResult result = lb_create_adaptive_stage(&def, &stage);
    result = result.code == lb_ok ? run_swing(&stage, &def, frames, swing) : result;
    lb_destroy_adaptive_stage(&stage);
    return result;
}

lbResult lb_verify_adaptive_cube(lbVerifyContext* context) {
    static Swing fine, middle, coarse, adaptive; /* large */
    const int frames = 240;
    LB_TRY(swing_plain(0, frames, &coarse));
    LB_TRY(swing_plain(1, frames, &middle));
    LB_TRY(swing_plain(2, frames, &fine));
    LB_TRY(swing_adaptive(frames, &adaptive));
    fprintf(stderr, "periods %g %g %g adaptive %g; amplitudes %g %g %g adaptive %g; active %g\n", coarse.period, middle.period, fine.period, adaptive.period, coarse.amplitude, middle.amplitude, fine.amplitude, adaptive.amplitude, adaptive.active);
    lb_verify_near(context, "cube on a wall: period / the finest's", adaptive.period / fine.period, 1, 0.03);
    lb_verify_near(context, "cube on a wall: amplitude / the finest's", adaptive.amplitude / fine.amplitude, 1, 0.05);
    lb_verify_at_most(context, "cube on a wall: node-steps / the finest's", adaptive.nodeSteps / fine.nodeSteps, 0.4);
    lb_verify_at_least(context, "cube on a wall: the coarsest alone misses the period or amplitude by",
                       fmax(fabs(coarse.period / fine.period - 1) / 0.03, fabs(coarse.amplitude / fine.amplitude - 1) / 0.05), 1);
    return lb_success();
}
