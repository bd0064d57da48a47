/* The semi-implicit filter of 2001: that it is what it says, that it makes and takes no energy, and what it costs. */
#include "base/result.h"
#include "base/symmetric.h"
#include "verify/adaptive_stage.h"
#include "verify/suites.h"

#include <stdio.h>

static const lbVec3 weight = {0, -9.81f, 0};
static const double dt = 1.0 / 120;

/* A body that is moved by the filter, with steps so many times longer. */
static lbResult create_filtered(const lbAdaptiveStageDef* def, float longer, bool compensate, lbAdaptiveStage* stage) {
    lbIntegratorSettings settings = lbDefaultBodyDef().settings;
    settings.longer = longer;
    settings.compensate = compensate;
    LB_TRY(lb_create_adaptive_stage(def, stage));
    return lbBody_SetIntegrator(stage->world, stage->id, lb_integratorFilteredEuler, &settings);
}

/* m' of an active node, from its inverse. */
static lbVec3 heavy(const lbAdaptiveBody* body, int node, lbVec3 p) {
    double inverse[6], mass[6];
    float rounded[6];
    for (int e = 0; e < 6; ++e) {
        inverse[e] = (double)body->filter[6 * (size_t)node + (size_t)e];
    }
    symmetric_invert(inverse, mass);
    for (int e = 0; e < 6; ++e) {
        rounded[e] = (float)mass[e];
    }
    return symmetric_apply(rounded, p);
}

static lbVec3 force_at(lbAdaptiveBody* body, int node) {
    lb_adaptive_forces(body, 0);
    return vec3_load(body->f + 4 * (size_t)node);
}

/* The blocks against central differences of forces. */
static lbResult check_blocks(lbVerifyContext* context, lbLawKind law) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    lbAdaptiveStage stage;
    double worst = 0;
    def.law = law;
    LB_TRY(lb_create_adaptive_stage(&def, &stage));
    const lbLevelElements* elements = &stage.body->model->elements[0];
    for (int node = 0; node < stage.body->model->levels[0]->nodeCount; node += 7) {
        const float* block = elements->blocks + 6 * (size_t)node;
        float *x = stage.body->x + 4 * (size_t)node, step = 2e-3f;
        for (int c = 0; c < 3; ++c) {
            float before = x[c];
            lbVec3 unit = {c == 0, c == 1, c == 2};
            x[c] = before + step;
            lbVec3 above = force_at(stage.body, node);
            x[c] = before - step;
            lbVec3 below = force_at(stage.body, node);
            x[c] = before;
            lbVec3 found = vec3_scale(-0.5f / step, vec3_sub(above, below));
            double off = (double)vec3_length(vec3_sub(found, symmetric_apply(block, unit)));
            worst = fmax(worst, off / symmetric_largest_eigenvalue(block));
        }
    }
    /* Green's forces are cubic: differences over a step of a hundredth of an edge are off by about its square. */
    lb_verify_at_most(
        context,
        lb_verify_name(context, "filter, %s: blocks against differences of forces, relative", lbLawKind_GetName(law)),
        worst, 1e-3);
    lb_verify_at_most(context,
                      lb_verify_name(context, "filter, %s: stiffness / blocks, largest eigenvalue (4 is proven)",
                                     lbLawKind_GetName(law)),
                      (double)elements->spread, 4 * 1.06);
    lb_destroy_adaptive_stage(&stage);
    return lb_success();
}

static int graded(lbVec3 place) {
    return place.x > 0.2f ? 2 : place.x > -0.2f ? 1 : 0;
}

static void strike(lbAdaptiveBody* body, float speed) {
    for (int i = 0; i < lb_all_nodes(body); ++i) {
        lbVec3 p = lb_adaptiveNodeOps.start(&body->base, i);
        vec3_store(body->v + 4 * (size_t)i, vec3(speed * sinf(3 * p.y), speed * sinf(3 * p.x), 0));
    }
}

/* Energy and momentum with m' for m. */
typedef struct Heavy {
    double energy;
    lbVec3d momentum, light; /* with m' and with m */
} Heavy;

static Heavy measure(const lbAdaptiveStage* stage) {
    const lbAdaptiveBody* body = stage->body;
    lbEnergy energy = {0};
    lbBody_GetEnergy(stage->world, stage->id, &energy);
    Heavy sum = {.energy = energy.elastic};
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        lbVec3 v = vec3_load(body->v + 4 * (size_t)node), p = heavy(body, node, v);
        sum.energy += 0.5 * (double)vec3_dot(v, p);
        sum.momentum = vec3d_add(sum.momentum, vec3d(p.x, p.y, p.z));
        sum.light = vec3d_madd(sum.light, (double)body->mass[node], vec3d(v.x, v.y, v.z));
    }
    return sum;
}

/* A free body that was struck, without damping, for ten seconds. */
static lbResult check_energy(lbVerifyContext* context, float longer, bool compensate) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    lbAdaptiveStage stage;
    const float speed = 0.02f; /* so slow that no node's step is shortened by it: the filter's mass depends on steps */
    char name[80];
    snprintf(name, sizeof(name), "filter, steps %g times longer%s, three levels", (double)longer,
             compensate ? ", compensated" : "");
    def.edge = 0.34;
    def.law = lb_lawLinear; /* a body that stiffens changes the filter's mass with it */
    LB_TRY(create_filtered(&def, longer, compensate, &stage));
    lb_refine_stage(&stage, graded);
    strike(stage.body, speed);
    for (int frame = 0; frame < 10; ++frame) { /* from here on rates stay, and so does the filter */
        LB_TRY(lbWorld_Step(stage.world, dt));
    }
    Heavy first = measure(&stage), last = first;
    double least = 1, most = 1, drift = 0, scale = stage.body->model->totalMass * (double)speed;
    for (int frame = 0; frame < 600; ++frame) {
        LB_TRY(lbWorld_Step(stage.world, dt));
        last = measure(&stage);
        least = fmin(least, last.energy / first.energy);
        most = fmax(most, last.energy / first.energy);
        drift = fmax(drift, vec3d_length(vec3d_sub(last.light, first.light)) / scale);
    }
    lb_verify_at_most(
        context, lb_verify_name(context, "%s, 10 s: largest energy / first, with the filter's mass", name), most, 1.1);
    lb_verify_at_least(context, lb_verify_name(context, "%s, 10 s: least (1: it damps nothing)", name), least, 0.9);
    lb_verify_at_most(context,
                      lb_verify_name(context, "%s: momentum with the filter's mass, drift / mass x speed", name),
                      vec3d_length(vec3d_sub(last.momentum, first.momentum)) / scale, 1e-4);
    lb_verify_at_most(context,
                      lb_verify_name(context, "%s: momentum, largest drift / mass x speed (told, not asked)", name),
                      drift, 1);
    lb_destroy_adaptive_stage(&stage);
    return lb_success();
}

static double mean_height(const lbAdaptiveBody* body) {
    double sum = 0;
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        sum += (double)body->mass[node] * (double)body->x[4 * (size_t)node + 1];
    }
    return sum / body->model->totalMass;
}

/* A cube on a wall, of one level, with steps that are all alike. */
static lbAdaptiveStageDef wall_def(void) {
    lbAdaptiveStageDef def = lb_default_adaptive_stage();
    def.law = lb_lawLinear;
    def.gravity = weight;
    def.material.youngsModulus = 5e4f;
    def.detail.uniformSteps = true;
    return def;
}

static lbResult hang_up(const lbAdaptiveStageDef* def, lbAdaptiveStage* stage) {
    lbPinId pin;
    LB_TRY(lb_hold_wall(stage, def->size, &pin));
    lb_activate_stage_level(stage, 1);
    return lb_success();
}

static lbResult settle(lbAdaptiveStage* stage, double* height) {
    double start = mean_height(stage->body);
    for (int frame = 0; frame < 360; ++frame) {
        LB_TRY(lbWorld_Step(stage->world, dt));
    }
    *height = start - mean_height(stage->body);
    return lb_success();
}

/* Adds what the filter's mass weighs beyond a node's own to its load. */
static void weigh_filter(const lbAdaptiveBody* filtered, lbAdaptiveBody* body) {
    for (int k = 0; k < body->set.activeCount; ++k) {
        int node = body->scopes.active[k];
        lbVec3 more = vec3_madd(heavy(filtered, node, weight), -body->mass[node], weight);
        vec3_store(body->load + 4 * (size_t)node, more);
    }
    body->loadsChanged = true;
}

/* How deep a held body hangs. */
static lbResult check_rest(lbVerifyContext* context) {
    lbAdaptiveStageDef def = wall_def();
    lbAdaptiveStage plain, all, inner;
    double depth, compensated, deep, predicted;
    def.material.massDamping = 8;
    LB_TRY(lb_create_adaptive_stage(&def, &plain));
    LB_TRY(create_filtered(&def, 4, true, &all));
    LB_TRY(create_filtered(&def, 4, false, &inner));
    LB_TRY(hang_up(&def, &plain));
    LB_TRY(hang_up(&def, &all));
    LB_TRY(hang_up(&def, &inner));
    LB_TRY(settle(&plain, &depth));
    LB_TRY(settle(&all, &compensated));
    LB_TRY(settle(&inner, &deep));
    weigh_filter(inner.body, plain.body);
    double before = mean_height(plain.body);
    for (int frame = 0; frame < 360; ++frame) {
        LB_TRY(lbWorld_Step(plain.world, dt));
    }
    predicted = depth + before - mean_height(plain.body);
    lb_verify_near(context, "filter, compensated: how deep a held cube hangs / without a filter", compensated / depth,
                   1, 0.005);
    lb_verify_near(context, "filter, not compensated: the same / as predicted by its mass", deep / predicted, 1, 0.01);
    lb_verify_at_least(context, "filter, not compensated: how deep it hangs / without (told)", deep / depth, 1);
    lb_destroy_adaptive_stage(&plain);
    lb_destroy_adaptive_stage(&all);
    lb_destroy_adaptive_stage(&inner);
    return lb_success();
}

/* Half a period: until the mean height of a cube that was let go turns, by a parabola through three frames. */
static lbResult half_period(lbAdaptiveStage* stage, double* seconds) {
    double last[3] = {mean_height(stage->body), mean_height(stage->body), mean_height(stage->body)};
    for (int frame = 0; frame < 600; ++frame) {
        LB_TRY(lbWorld_Step(stage->world, dt));
        last[0] = last[1], last[1] = last[2], last[2] = mean_height(stage->body);
        if (frame > 2 && last[2] > last[1] && last[1] <= last[0]) {
            *seconds = dt * (frame + 0.5 * (last[0] - last[2]) / (last[0] - 2 * last[1] + last[2]));
            return lb_success();
        }
    }
    return lb_error(lb_errorUnstable, "a cube on a wall did not come back");
}

/* How much slower a held cube swings, against Rayleigh's quotient of the shape that it takes: sqrt(u m' u / u m u). */
static lbResult check_slowness(lbVerifyContext* context, float longer) {
    lbAdaptiveStageDef def = wall_def();
    lbAdaptiveStage plain, filtered;
    double free, slow, above = 0, below = 0;
    LB_TRY(lb_create_adaptive_stage(&def, &plain));
    LB_TRY(create_filtered(&def, longer, true, &filtered));
    LB_TRY(hang_up(&def, &plain));
    LB_TRY(hang_up(&def, &filtered));
    LB_TRY(half_period(&plain, &free));
    LB_TRY(half_period(&filtered, &slow));
    for (int k = 0; k < plain.body->set.activeCount; ++k) {
        int node = plain.body->scopes.active[k];
        lbVec3 u =
            vec3_sub(vec3_load(plain.body->x + 4 * (size_t)node), lb_adaptiveNodeOps.start(&plain.body->base, node));
        above += (double)vec3_dot(u, heavy(filtered.body, node, u));
        below += (double)plain.body->mass[node] * (double)vec3_dot(u, u);
    }
    lb_verify_near(context,
                   lb_verify_name(context,
                                  "filter, steps %g times longer: a cube's period / without, over Rayleigh's %.2f",
                                  (double)longer, sqrt(above / below)),
                   slow / free / sqrt(above / below), 1, 0.05);
    lb_destroy_adaptive_stage(&plain);
    lb_destroy_adaptive_stage(&filtered);
    return lb_success();
}

lbResult lb_verify_adaptive_filter(lbVerifyContext* context) {
    LB_TRY(check_blocks(context, lb_lawLinear));
    LB_TRY(check_blocks(context, lb_lawGreen));
    LB_TRY(check_energy(context, 2, true));
    LB_TRY(check_energy(context, 4, false));
    LB_TRY(check_rest(context));
    LB_TRY(check_slowness(context, 1));
    return check_slowness(context, 4);
}
