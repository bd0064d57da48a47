/* A step of implicit Euler on the lecture's object (docs/mass-spring.md): 15 x 15 x 15 cubes of 0.1 m, each cut into
 * five tetrahedra: 4,096 points of 1 g, 22,320 springs of 1000 N/m and 0.05 N s/m; one face fixed, gravity; steps of 10
 * ms, to a true relative residual of 1e-3, on one thread.
 *
 * What bounds it: products with the matrix, one for each iteration. Each reads 22,320 x 2 + 4,096 blocks of 6 numbers
 * and an index, 1.3 MB, which do not fit the second-level cache, and gathers a node for each of them. */
#include "base/clock.h"
#include "base/math.h"
#include "base/result.h"
#include "bench/benches.h"
#include "limber/body.h"
#include "limber/holds.h"
#include "limber/model.h"
#include "limber/world.h"
#include "world/world.h"

#include <stdlib.h>

enum { stepCount = 50 };
static const double stepSeconds = 0.01;

/* How the object is set in motion. */
typedef enum Start {
    released, /* from rest, gravity alone */
    hit,      /* a corner of 0.3 m is struck downwards at 5 m/s: all wavelengths */
} Start;

typedef struct Run {
    double times[stepCount];      /* s */
    double iterations[stepCount]; /* of conjugate gradients */
    double worstResidual;
} Run;

static lbResult create_model(lbWorld* world, lbModelId* model) {
    lbGeneratorDef boxDef = lbDefaultGeneratorDef(lb_shapeBox);
    boxDef.size = vec3(1.5f, 1.5f, 1.5f);
    boxDef.edge = 1.5f;
    lbShape* box = NULL;
    LB_TRY(lbGenerateShape(&boxDef, &box));
    lbModelDef def = lbDefaultModelDef();
    def.shape = box;
    def.mesh.edge = 0.1f;
    def.law.springStiffness = 1000;
    def.law.springDamping = 0.05f;
    def.nodeMass = 0.001f;
    def.material.massDamping = 0;
    lbResult result = lbCreateModel(world, &def, model);
    lbDestroyShape(box);
    return result;
}

static lbResult create_body(lbWorld* world, lbModelId model, lbBodyId* body) {
    lbBodyDef bodyDef = lbDefaultBodyDef();
    bodyDef.model = model;
    bodyDef.integrator = lb_integratorImplicitEuler;
    bodyDef.settings = (lbIntegratorSettings){.tolerance = 1e-3f, .iterationLimit = 1000};
    LB_TRY(lbCreateBody(world, &bodyDef, body));
    lbPinDef pinDef = lbDefaultPinDef();
    pinDef.body = *body;
    pinDef.region = (lbRegion){.kind = lb_regionHalfSpace, .point = {-0.749f, 0, 0}, .normal = {1, 0, 0}};
    lbPinId pin;
    return lbCreatePin(world, &pinDef, &pin);
}

static void strike(lbBody* body) {
    for (int i = 0; i < body->model->nodeCount; ++i) {
        const float* x = body->x + 4 * (size_t)i;
        if (x[0] > 0.44f && x[1] > 0.44f && x[2] > 0.44f) {
            body->v[4 * (size_t)i + 1] = -5;
        }
    }
}

static lbResult run_steps(lbWorld* world, lbModelId model, Start start, Run* run) {
    lbBodyId id;
    LB_TRY(create_body(world, model, &id));
    lbBody* body = lb_find_body(world, id);
    if (start == hit) {
        strike(body);
    }
    run->worstResidual = 0;
    for (int i = 0; i < stepCount; ++i) {
        double begin = lb_seconds();
        body->ops->advance(body, i * stepSeconds, stepSeconds);
        run->times[i] = lb_seconds() - begin;
        run->iterations[i] = body->solve.iterations;
        run->worstResidual = fmax(run->worstResidual, body->solve.residual);
    }
    return lbDestroyBody(world, id);
}

/* Each step of the run is timed in several runs; the median of each step, and of them the median and the first. */
static lbResult measure(lbBenchContext* context, lbWorld* world, lbModelId model, Start start, const char* ending) {
    enum { runs = 11 };
    static Run all[runs];
    for (int r = 0; r < runs; ++r) {
        LB_TRY(run_steps(world, model, start, &all[r]));
    }
    double steps[stepCount], samples[runs];
    for (int i = 0; i < stepCount; ++i) {
        for (int r = 0; r < runs; ++r) {
            samples[r] = all[r].times[i];
        }
        steps[i] = lb_median(samples, runs);
    }
    char metric[64];
    double first = steps[0];
    snprintf(metric, sizeof(metric), "implicit_22k%s_first_step_ms", ending);
    lb_bench_report(context, metric, 1e3 * first, "ms");
    snprintf(metric, sizeof(metric), "implicit_22k%s_step_ms", ending);
    lb_bench_report(context, metric, 1e3 * lb_median(steps, stepCount), "ms");
    snprintf(metric, sizeof(metric), "implicit_22k%s_slowest_step_ms", ending);
    lb_bench_report(context, metric, 1e3 * steps[stepCount - 1], "ms"); /* sorted by now */
    snprintf(metric, sizeof(metric), "implicit_22k%s_iterations", ending);
    lb_bench_report(context, metric, lb_median(all[0].iterations, stepCount), "1");
    snprintf(metric, sizeof(metric), "implicit_22k%s_worst_residual", ending);
    lb_bench_report(context, metric, all[0].worstResidual, "1");
    return lb_success();
}

lbResult lb_bench_implicit(lbBenchContext* context) {
    lbWorldDef def = lbDefaultWorldDef();
    def.threadCount = 1;
    lbWorld* world = NULL;
    LB_TRY(lbCreateWorld(&def, &world));
    lb_bench_progress(context, "implicit_22k_step_ms");
    lbModelId model;
    lbResult result = create_model(world, &model);
    if (result.code == lb_ok) {
        result = measure(context, world, model, released, "");
    }
    if (result.code == lb_ok) {
        result = measure(context, world, model, hit, "_hit");
    }
    lbDestroyWorld(world);
    return result;
}
