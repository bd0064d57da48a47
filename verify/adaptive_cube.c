/* A cube on a wall (Debunne and others 2000 and 2001), and a block that is loaded: adaptive against the finest mesh,
 * with one setting for both. */
#include "base/result.h"
#include "verify/adaptive_stage.h"
#include "verify/suites.h"
#include "world/world.h"

/* The one setting: thresholds in m for bodies of 1 m, which begin at the middle one of three levels. */
static const float splitAbove = 0.0033f, mergeBelow = 0.0002f;

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
    def.material.youngsModulus = 1e6f;
    def.detail = lbDefaultBodyDef().detail;
    def.detail.split = splitAbove;
    def.detail.merge = mergeBelow;
    def.detail.start = 1;
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

static lbResult check_swing(lbVerifyContext* context) {
    static Swing fine, coarse, adaptive; /* large */
    const int frames = 200;              /* more than five periods */
    LB_TRY(swing_plain(0, frames, &coarse));
    LB_TRY(swing_plain(2, frames, &fine));
    LB_TRY(swing_adaptive(frames, &adaptive));
    lb_verify_near(context, "cube on a wall: period / the finest's", adaptive.period / fine.period, 1, 0.03);
    lb_verify_near(context, "cube on a wall: amplitude / the finest's", adaptive.amplitude / fine.amplitude, 1, 0.05);
    lb_verify_at_most(context, "cube on a wall: node-steps / the finest's", adaptive.nodeSteps / fine.nodeSteps, 0.4);
    double misses =
        fmax(fabs(coarse.period / fine.period - 1) / 0.03, fabs(coarse.amplitude / fine.amplitude - 1) / 0.05);
    lb_verify_at_least(context, "cube on a wall: by how many times the tolerance the coarsest alone is off", misses, 1);
    return lb_success();
}

/* ---- A block that is loaded -------------------------------------------------------------------------------------- */

/* Comes to rest under its weight and a load on its far end: where its skin is then, against the finest mesh. */
static lbResult settle(lbAdaptiveStage* stage, const lbAdaptiveStageDef* def) {
    lbPinId pin;
    lbLoadId id;
    lbLoadDef load = lbDefaultLoadDef();
    LB_TRY(lb_hold_wall(stage, def->size, &pin));
    load.body = stage->id;
    load.region =
        (lbRegion){.kind = lb_regionHalfSpace, .part = lb_partSurface, .point = {0.49f, 0, 0}, .normal = {-1, 0, 0}};
    load.force = vec3(0, -6000, 0);
    LB_TRY(lbCreateLoad(stage->world, &load, &id));
    for (int frame = 0; frame < 300; ++frame) {
        LB_TRY(lbWorld_Step(stage->world, dt));
    }
    return lb_success();
}

static lbResult check_rest(lbVerifyContext* context) {
    lbAdaptiveStageDef def = cube_on_wall();
    lbAdaptiveStage adaptive = {0}, fine = {0};
    lbTetMesh* mesh = NULL;
    def.material.massDamping = 15;
    LB_TRY(lb_make_box_mesh(def.size, def.edge / 4, 19, &mesh));
    lbResult result = lb_create_plain_stage(&def, mesh, &fine);
    lbDestroyTetMesh(mesh);
    result = result.code == lb_ok ? lb_create_adaptive_stage(&def, &adaptive) : result;
    result = result.code == lb_ok ? settle(&fine, &def) : result;
    result = result.code == lb_ok ? settle(&adaptive, &def) : result;
    if (result.code == lb_ok) {
        const lbBody *p = lb_find_body(adaptive.world, adaptive.id), *q = lb_find_body(fine.world, fine.id);
        double apart = 0, most = 0;
        for (int i = 0; i < p->model->skinPointCount; ++i) {
            lbVec3 here = vec3_load(p->skinX + 3 * (size_t)i), there = vec3_load(q->skinX + 3 * (size_t)i);
            apart = fmax(apart, (double)vec3_length(vec3_sub(here, there)));
            most = fmax(most, (double)vec3_length(vec3_sub(there, lb_skin_start(q, i))));
        }
        lb_verify_near(context, "loaded block: skin points of both", p->model->skinPointCount, q->model->skinPointCount,
                       0);
        lb_verify_at_most(context, "loaded block at rest: largest skin distance from the finest / displacement",
                          apart / most, 0.03);
        lb_verify_at_most(context, "loaded block at rest: active nodes / the finest's",
                          (double)adaptive.body->set.activeCount / lbBody_GetNodeCount(fine.world, fine.id), 0.6);
    }
    lb_destroy_adaptive_stage(&adaptive);
    lb_destroy_adaptive_stage(&fine);
    return result;
}

lbResult lb_verify_adaptive_cube(lbVerifyContext* context) {
    LB_TRY(check_swing(context));
    return check_rest(context);
}
