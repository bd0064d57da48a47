/* What a scene measures: motion of points and regions, energies, forces. */
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "scene/scene.h"

/* ---- What is measured -------------------------------------------------------------------------------------------- */

static lbResult allocate_target(const lbHost* host, lbProbeTarget* target, int count) {
    target->indices = LB_NEW(host, int, count);
    target->weights = LB_NEW(host, float, count);
    if (target->indices == NULL || target->weights == NULL) {
        return lb_out_of_memory("a probe");
    }
    target->count = count;
    return lb_success();
}

static lbResult aim_at_point(const lbSceneProbe* probe, const lbSceneRun* run, lbProbeTarget* target) {
    LB_TRY(allocate_target(run->host, target, 1));
    target->skin = true;
    target->weights[0] = 1;
    return lbBody_FindSkinPoint(run->world, run->bodies[probe->body], probe->point, &target->indices[0]);
}

static lbResult aim_at_region(const lbSceneDef* def, const lbSceneProbe* probe, const lbSceneRun* run,
                              lbProbeTarget* target) {
    const lbRegion* region = &def->regions[probe->region].region;
    lbBodyId body = run->bodies[probe->body];
    int count = 0;
    LB_TRY(lbBody_Select(run->world, body, region, NULL, 0, &count));
    LB_TRY(allocate_target(run->host, target, count));
    LB_TRY(lbBody_Select(run->world, body, region, target->indices, count, &count));
    target->skin = region->part == lb_partSurface;
    if (!target->skin) {
        LB_TRY(lbBody_GetMasses(run->world, body, run->scratch));
    }
    double sum = 0;
    for (int i = 0; i < target->count; ++i) {
        sum += target->skin ? 1.0 : (double)run->scratch[target->indices[i]];
    }
    for (int i = 0; i < target->count; ++i) {
        double weight = target->skin ? 1.0 : (double)run->scratch[target->indices[i]];
        target->weights[i] = (float)(weight / sum);
    }
    return lb_success();
}

static lbResult allocate_scratch(const lbSceneDef* def, lbSceneRun* run) {
    int most = 1;
    for (int i = 0; i < def->bodyCount; ++i) {
        most = int_max(most, lbBody_GetNodeCount(run->world, run->bodies[i]));
        most = int_max(most, lbBody_GetSkinPointCount(run->world, run->bodies[i]));
    }
    run->scratch = LB_NEW(run->host, float, (int64_t)most * 6);
    return run->scratch != NULL ? lb_success() : lb_out_of_memory("probes");
}

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

static lbResult measure_whole_body(const lbSceneRun* run, lbBodyId body, bool velocity, double* values) {
    lbMomentum momentum;
    LB_TRY(lbBody_GetMomentum(run->world, body, &momentum));
    for (int axis = 0; axis < 3; ++axis) {
        values[axis] = velocity ? momentum.linear[axis] / momentum.mass : momentum.center[axis];
    }
    return lb_success();
}

static lbResult measure_motion(const lbSceneRun* run, lbBodyId body, const lbProbeTarget* target, bool velocity,
                               double* values) {
    if (target->count == 0) {
        return measure_whole_body(run, body, velocity, values);
    }
    float* positions = velocity ? NULL : run->scratch;
    float* velocities = velocity ? run->scratch : NULL;
    LB_TRY(target->skin ? lbBody_GetSkin(run->world, body, positions, velocities, NULL)
                        : lbBody_GetState(run->world, body, positions, velocities));
    values[0] = values[1] = values[2] = 0;
    for (int i = 0; i < target->count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            float value = run->scratch[3 * (size_t)target->indices[i] + (size_t)axis];
            values[axis] += (double)target->weights[i] * (double)value;
        }
    }
    return lb_success();
}

static lbResult measure_energy(const lbSceneDef* def, const lbSceneRun* run, int body, double* values) {
    values[0] = values[1] = values[2] = 0;
    for (int i = 0; i < def->bodyCount; ++i) {
        if (body != lb_noIndex && body != i) {
            continue;
        }
        lbEnergy energy;
        LB_TRY(lbBody_GetEnergy(run->world, run->bodies[i], &energy));
        values[0] += energy.kinetic;
        values[1] += energy.elastic;
        values[2] += energy.gravity;
    }
    return lb_success();
}

/* What is gone, or not there yet, feels nothing. */
static lbResult measure_force(const lbSceneProbe* probe, const lbSceneRun* run, double* values) {
    lbVec3 force = {0, 0, 0};
    if (probe->pin != lb_noIndex && run->pins[probe->pin].index1 != 0) {
        LB_TRY(lbPin_GetForce(run->world, run->pins[probe->pin], &force));
    } else if (probe->tool != lb_noIndex) {
        LB_TRY(lbTool_GetForce(run->world, run->tools[probe->tool], &force));
    } else if (probe->grab != lb_noIndex && run->grabs[probe->grab].index1 != 0) {
        LB_TRY(lbGrab_GetForce(run->world, run->grabs[probe->grab], &force));
    }
    values[0] = (double)force.x, values[1] = (double)force.y, values[2] = (double)force.z;
    return lb_success();
}

lbResult lb_read_probe(const lbSceneDef* def, const lbSceneRun* run, int index, double* values) {
    const lbSceneProbe* probe = &def->probes[index];
    if (probe->what == lb_probeEnergy) {
        return measure_energy(def, run, probe->body, values);
    }
    if (probe->what == lb_probeForce) {
        return measure_force(probe, run, values);
    }
    const lbProbeTarget* target = &run->targets[index];
    LB_TRY(measure_motion(run, run->bodies[probe->body], target, probe->what == lb_probeVelocity, values));
    for (int axis = 0; axis < 3 && probe->what == lb_probeDisplacement; ++axis) {
        values[axis] -= target->rest[axis];
    }
    return lb_success();
}

/* ---- Building ---------------------------------------------------------------------------------------------------- */

static lbResult build_target(const lbSceneDef* def, const lbSceneRun* run, int index) {
    const lbSceneProbe* probe = &def->probes[index];
    lbProbeTarget* target = &run->targets[index];
    if (probe->what == lb_probeEnergy || probe->what == lb_probeForce) {
        return lb_success();
    }
    if (probe->hasPoint) {
        LB_TRY(aim_at_point(probe, run, target));
    } else if (probe->region != lb_noIndex) {
        LB_TRY(aim_at_region(def, probe, run, target));
    }
    return measure_motion(run, run->bodies[probe->body], target, false, target->rest);
}

lbResult lb_build_probes(const lbSceneDef* def, lbSceneRun* run) {
    LB_TRY(allocate_scratch(def, run));
    run->targets = LB_NEW(run->host, lbProbeTarget, def->probeCount);
    if (run->targets == NULL) {
        return lb_out_of_memory("probes");
    }
    for (int i = 0; i < def->probeCount; ++i) {
        LB_TRY(lb_in_context(build_target(def, run, i), "probes[%d]", i));
    }
    return lb_success();
}

void lb_free_probes(const lbSceneDef* def, lbSceneRun* run) {
    for (int i = 0; run->targets != NULL && i < def->probeCount; ++i) {
        lb_release(run->host, run->targets[i].indices);
        lb_release(run->host, run->targets[i].weights);
    }
    lb_release(run->host, run->targets);
    lb_release(run->host, run->scratch);
}
