/* Mixed resolutions in motion: what rigid motion does, and what is kept over a long time. */
#include "base/result.h"
#include "verify/adaptive_stage.h"
#include "verify/suites.h"

#include <stdio.h>
#include <stdlib.h>

/* Fine at the far end, middling in between. */
static int graded(lbVec3 place) {
    return place.x > 0.2f ? 2 : place.x > -0.2f ? 1 : 0;
}

static double largest_force(lbAdaptiveBody* body) {
    double largest = 0;
    lb_adaptive_forces(body, 0);
    for (int k = 0; k < body->set.activeCount; ++k) {
        largest = fmax(largest, (double)vec3_length(vec3_load(body->f + 4 * (size_t)body->scopes.active[k])));
    }
    return largest;
}

/* Turns and stretches all nodes about the origin: x = R (X + s (X.x, 0, 0)). */
static void place_nodes(lbAdaptiveBody* body, lbQuat turn, float stretch) {
    for (int i = 0; i < lb_all_nodes(body); ++i) {
        lbVec3 x = lb_adaptiveNodeOps.start(&body->base, i);
        x.x *= 1 + stretch;
        vec3_store(body->x + 4 * (size_t)i, quat_rotate(turn, x));
    }
}

static lbResult check_rigid(lbVerifyContext* context, lbLawKind law) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    lbAdaptiveStage stage;
    def.law = law;
    LB_TRY(lb_create_adaptive_stage(&def, &stage));
    lb_refine_stage(&stage, graded);
    bool turns = law != lb_lawLinear;
    place_nodes(stage.body, quat_identity(), 0.1f);
    double scale = largest_force(stage.body);
    place_nodes(stage.body, quat_from_axis_angle(vec3(1, 2, -1), turns ? 2 : 0), 0);
    lb_verify_at_most(
        context,
        lb_verify_name(context, "%s: largest force of a rigid motion / of a stretch by 10 %%", lbLawKind_GetName(law)),
        largest_force(stage.body) / scale, 1e-3);
    lb_destroy_adaptive_stage(&stage);
    return lb_success();
}

static lbResult check_spin(lbVerifyContext* context) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    lbAdaptiveStage stage;
    def.angularVelocity = vec3(0.5f, 1, 0.3f);
    def.detail = lbDefaultBodyDef().detail;
    def.material.youngsModulus = 1e6f;
    LB_TRY(lb_create_adaptive_stage(&def, &stage));
    int splits = 0;
    for (int frame = 0; frame < 120; ++frame) {
        lbDetailReport report;
        LB_TRY(lbWorld_Step(stage.world, 1.0 / 60));
        LB_TRY(lbBody_GetDetail(stage.world, stage.id, &report));
        splits += report.splitCount;
    }
    lb_verify_near(context, "a stiff body that spins: nodes that were split", splits, 0, 0);
    lb_destroy_adaptive_stage(&stage);
    return lb_success();
}

/* Strikes a free body so that all of it wobbles. */
static void strike(lbAdaptiveBody* body, float speed) {
    for (int i = 0; i < lb_all_nodes(body); ++i) {
        lbVec3 p = lb_adaptiveNodeOps.start(&body->base, i);
        lbVec3 v = {speed * sinf(3 * p.y), speed * sinf(3 * p.x), speed * cosf(3 * p.x) * p.z};
        vec3_store(body->v + 4 * (size_t)i, v);
    }
}

typedef struct Drift {
    double momentum, angular, least, most; /* of energy, over the first */
    int steps;
} Drift;

static double whole_energy(const lbAdaptiveStage* stage) {
    lbEnergy energy = {0};
    lbBody_GetEnergy(stage->world, stage->id, &energy);
    return energy.kinetic + energy.elastic;
}

static double difference(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static lbResult run_free(lbAdaptiveStage* stage, double seconds, double dt, float speed, Drift* drift) {
    lbMomentum first, last;
    strike(stage->body, speed);
    LB_TRY(lbBody_GetMomentum(stage->world, stage->id, &first));
    double start = whole_energy(stage), scale = first.mass * (double)speed;
    *drift = (Drift){.least = 1, .most = 1};
    for (int frame = 0; frame < (int)(seconds / dt); ++frame) {
        lbResult result = lbWorld_Step(stage->world, dt);
        if (result.code != lb_ok) {
            drift->most = INFINITY;
            return lb_success();
        }
        if (frame % 10 == 0) {
            double energy = whole_energy(stage) / start;
            drift->least = fmin(drift->least, energy);
            drift->most = fmax(drift->most, energy);
        }
    }
    LB_TRY(lbBody_GetMomentum(stage->world, stage->id, &last));
    drift->momentum = difference(first.linear, last.linear) / scale;
    drift->angular = difference(first.angular, last.angular) / scale;
    lbDetailReport report;
    LB_TRY(lbBody_GetDetail(stage->world, stage->id, &report));
    drift->steps = report.stepCount;
    return lb_success();
}

static lbResult check_long(lbVerifyContext* context) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    lbAdaptiveStage stage;
    Drift drift;
    def.edge = 0.34;
    LB_TRY(lb_create_adaptive_stage(&def, &stage));
    lb_refine_stage(&stage, graded);
    LB_TRY(run_free(&stage, 100, 1.0 / 60, 0.02f, &drift));
    lb_verify_at_most(context, "three levels, 100 s undamped, energy: largest / first", drift.most, 1.1);
    lb_verify_at_least(context, "three levels, 100 s undamped, energy: least / first", drift.least, 0.9);
    lb_verify_at_most(context, "three levels, 100 s undamped: momentum gained / mass x speed", drift.momentum, 1e-4);
    lb_verify_at_most(context, "three levels, 100 s undamped: angular momentum gained", drift.angular, 1e-4);
    lb_verify_at_least(context, "three levels, 100 s undamped: longest steps / shortest",
                       1 << (stage.body->scopes.rateCount - 1), 4);
    lb_destroy_adaptive_stage(&stage);
    return lb_success();
}

/* Steps of different lengths can excite each other. Twenty lengths from those that are used down to half of them. */
static lbResult check_resonances(lbVerifyContext* context) {
    double most = 0, least = INFINITY;
    int worst = 0, used = 0;
    for (int k = 0; k < 20; ++k) {
        lbAdaptiveStageDef def = lb_default_adaptive_stage();
        lbAdaptiveStage stage;
        Drift drift;
        def.edge = 0.5;
        LB_TRY(lb_create_adaptive_stage(&def, &stage));
        lb_refine_stage(&stage, graded);
        used = 6 * stage.body->fineSteps; /* which is for frames of 1/60 s */
        stage.body->motion.wantedSteps = used + (used * k + 19) / 20;
        LB_TRY(run_free(&stage, 10, 0.1, 0.02f, &drift));
        worst = drift.most > most ? stage.body->motion.wantedSteps : worst;
        most = fmax(most, drift.most);
        least = fmin(least, drift.least);
        lb_destroy_adaptive_stage(&stage);
    }
    lb_verify_at_most(context,
                      lb_verify_name(context, "resonances: largest energy / first, %d to %d steps a frame (most at %d)",
                                     used, 2 * used, worst),
                      most, 1.1);
    lb_verify_at_least(context, "resonances: least energy / first", least, 0.9);
    return lb_success();
}

/* Energy with the velocities that belong to the positions: those of a step are half of it behind, by which h w / 2 of a
 * motion's energy would appear to come and go. */
static double energy_at_once(const lbAdaptiveStage* stage, double dt) {
    lbAdaptiveBody* body = stage->body;
    lbEnergy energy = {0};
    double kinetic = 0;
    lbBody_GetEnergy(stage->world, stage->id, &energy);
    lb_adaptive_forces(body, 0);
    for (int k = 0; k < body->set.activeCount; ++k) {
        size_t at = 4 * (size_t)body->scopes.active[k];
        int steps = body->motion.wantedSteps > 0 ? body->motion.wantedSteps : body->fineSteps;
        float h = (float)ldexp(dt / steps, body->scopes.motion[at / 4]);
        lbVec3 v = vec3_madd(vec3_load(body->v + at), 0.5f * h * body->inverseMass[at / 4], vec3_load(body->f + at));
        kinetic += 0.5 * (double)body->mass[at / 4] * (double)vec3_dot(v, v);
    }
    return kinetic + energy.elastic;
}

/* A struck body that is damped loses energy for good: by how much it ever rises above what it had come down to, frame
 * by frame, over the first. */
static lbResult check_damped(lbVerifyContext* context, bool changes, int stepCount) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    lbAdaptiveStage stage;
    lbDetailReport report;
    const double dt = 1.0 / 60;
    char name[80];
    double rise = 0;
    int changed = 0;
    snprintf(name, sizeof(name), "damped, %s%s", changes ? "levels that change" : "three levels",
             stepCount > 0 ? ", 64 steps a frame" : "");
    def.edge = 0.34;
    def.material.stiffnessDamping = 0.002f;
    def.stepCount = stepCount;
    if (changes) {
        def.detail.split = 0.0005f;
        def.detail.merge = 0.0001f;
    }
    LB_TRY(lb_create_adaptive_stage(&def, &stage));
    if (!changes) {
        lb_refine_stage(&stage, graded);
    }
    strike(stage.body, 0.2f);
    double first = energy_at_once(&stage, dt), least = first;
    for (int frame = 0; frame < 300; ++frame) {
        LB_TRY(lbWorld_Step(stage.world, dt));
        LB_TRY(lbBody_GetDetail(stage.world, stage.id, &report));
        changed += report.splitCount + report.mergeCount;
        double energy = energy_at_once(&stage, dt);
        rise = fmax(rise, (energy - least) / first);
        least = fmin(least, energy);
    }
    lb_destroy_adaptive_stage(&stage);
    lb_verify_at_most(context, lb_verify_name(context, "%s: largest rise of energy / the first", name), rise, 0.001);
    lb_verify_at_most(context, lb_verify_name(context, "%s, 5 s: energy / the first", name), least / first, 0.5);
    if (changes) {
        lb_verify_at_least(context, lb_verify_name(context, "%s: splits and merges", name), changed, 20);
    }
    return lb_success();
}

lbResult lb_verify_adaptive_motion(lbVerifyContext* context) {
    for (lbLawKind law = 0; law < lb_lawKindCount; ++law) {
        LB_TRY(check_rigid(context, law));
    }
    LB_TRY(check_spin(context));
    LB_TRY(check_damped(context, false, 0));
    LB_TRY(check_damped(context, true, 0));
    LB_TRY(check_damped(context, true, 64));
    LB_TRY(check_resonances(context));
    return check_long(context);
}
