/* A cube of springs, stretched and let go without gravity: whatever the integrator, its momentum stays what it was. */
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "limber/limber.h"
#include "verify/suites.h"

#include <stdio.h>

static lbResult stretch(lbWorld* world, lbBodyId body) {
    int count = lbBody_GetNodeCount(world, body);
    float* x = LB_NEW(lb_resolve_host(NULL), float, 3 * (int64_t)count);
    if (x == NULL) {
        return lb_out_of_memory("a state");
    }
    lbResult result = lbBody_GetState(world, body, x, NULL);
    for (int i = 0; i < count; ++i) {
        x[3 * i] *= 1.1f;
        x[3 * i + 1] += 0.1f * x[3 * i];
    }
    if (result.code == lb_ok) {
        result = lbBody_SetState(world, body, x, NULL);
    }
    lb_release(lb_resolve_host(NULL), x);
    return result;
}

/* The momentum after half a second, relative to what it would be if all its energy moved the body one way. */
static lbResult measure_drift(lbWorld* world, const lbShape* cube, lbIntegratorKind kind, double* drift,
                              double* moved) {
    lbModelDef modelDef = lbDefaultModelDef();
    modelDef.shape = cube;
    modelDef.mesh.edge = 0.25f;
    modelDef.material.massDamping = 0;
    lbModelId model;
    LB_TRY(lbCreateModel(world, &modelDef, &model));
    lbBodyDef def = lbDefaultBodyDef();
    def.model = model;
    def.integrator = kind;
    lbBodyId body;
    LB_TRY(lbCreateBody(world, &def, &body));
    LB_TRY(stretch(world, body));
    lbEnergy energy;
    LB_TRY(lbBody_GetEnergy(world, body, &energy));
    double stored = energy.elastic;
    *moved = 0;
    for (int i = 0; i < 30; ++i) {
        LB_TRY(lbWorld_Step(world, 1.0 / 60));
        LB_TRY(lbBody_GetEnergy(world, body, &energy));
        *moved = fmax(*moved, energy.kinetic / stored);
    }
    lbMomentum momentum;
    LB_TRY(lbBody_GetMomentum(world, body, &momentum));
    const double* p = momentum.linear;
    *drift = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) / sqrt(2 * stored * momentum.mass);
    return lb_success();
}

lbResult lb_verify_free_flight(lbVerifyContext* context) {
    lbGeneratorDef boxDef = lbDefaultGeneratorDef(lb_shapeBox);
    boxDef.size = vec3(1, 1, 1);
    boxDef.edge = 0.5f;
    lbShape* cube = NULL;
    LB_TRY(lbGenerateShape(&boxDef, &cube));
    lbResult result = lb_success();
    for (int kind = 0; kind < lb_integratorKindCount && result.code == lb_ok; ++kind) {
        lbWorldDef def = lbDefaultWorldDef();
        def.gravity = vec3(0, 0, 0);
        lbWorld* world = NULL;
        double drift = 0, moved = 0;
        result = lbCreateWorld(&def, &world);
        if (result.code == lb_ok) {
            result = measure_drift(world, cube, (lbIntegratorKind)kind, &drift, &moved);
        }
        lbDestroyWorld(world);
        char name[128];
        snprintf(name, sizeof(name), "%s: momentum after free flight, relative",
                 lbIntegratorKind_GetName((lbIntegratorKind)kind));
        lb_verify_at_most(context, name, drift, 1e-6); /* rounding of float32 over some hundred steps of 125 nodes */
        snprintf(name, sizeof(name), "%s: share of the energy that moved in it",
                 lbIntegratorKind_GetName((lbIntegratorKind)kind));
        lb_verify_at_least(context, name, moved, 0.1);
    }
    lbDestroyShape(cube);
    return result;
}
