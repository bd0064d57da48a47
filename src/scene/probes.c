/* What a scene measures: motion of points, regions and whole bodies, energies, forces, pressures. */
#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"
#include "limber/field.h"
#include "scene/scene.h"

#include <string.h>

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

/* Of a rotation, without a region: the whole body. */
static lbResult aim_at_region(const lbSceneDef* def, const lbSceneProbe* probe, const lbSceneRun* run,
                              lbProbeTarget* target) {
    bool hasNodes = lbBody_GetNodeCount(run->world, run->bodies[probe->body]) > 0;
    const lbRegion all = {.kind = lb_regionAll, .part = hasNodes ? lb_partNodes : lb_partSurface};
    const lbRegion* region = probe->region != lb_noIndex ? &def->regions[probe->region].region : &all;
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

/* The weights of skin points by the area that they stand for, so that means do not depend on the triangles' sizes. */
static lbResult weigh_by_area(const lbSceneRun* run, lbBodyId body, lbProbeTarget* target) {
    const lbShape* shape = lbModel_GetShape(run->world, lbBody_GetModel(run->world, body));
    const int* triangles = lbShape_GetTriangles(shape);
    int count = lbBody_GetSkinPointCount(run->world, body);
    float* areas = run->scratch + 3 * (size_t)count;
    LB_TRY(lbBody_GetSkinStart(run->world, body, run->scratch));
    memset(areas, 0, sizeof(float) * (size_t)count);
    for (int i = 0; i < lbShape_GetTriangleCount(shape); ++i) {
        lbVec3 a = vec3_load(run->scratch + 3 * (size_t)triangles[3 * i]);
        lbVec3 b = vec3_load(run->scratch + 3 * (size_t)triangles[3 * i + 1]);
        lbVec3 c = vec3_load(run->scratch + 3 * (size_t)triangles[3 * i + 2]);
        float third = vec3_length(vec3_cross(vec3_sub(b, a), vec3_sub(c, a))) / 6;
        for (int corner = 0; corner < 3; ++corner) {
            areas[triangles[3 * i + corner]] += third;
        }
    }
    double sum = 0;
    for (int i = 0; i < target->count; ++i) {
        sum += (double)areas[target->indices[i]];
    }
    for (int i = 0; i < target->count; ++i) {
        target->weights[i] = sum > 0 ? (float)((double)areas[target->indices[i]] / sum) : 0;
    }
    return lb_success();
}

static lbResult aim_at_surface(const lbSceneDef* def, const lbSceneProbe* probe, const lbSceneRun* run,
                               lbProbeTarget* target) {
    const lbRegion all = {.kind = lb_regionAll, .part = lb_partSurface};
    const lbRegion* region = probe->region != lb_noIndex ? &def->regions[probe->region].region : &all;
    lbBodyId body = run->bodies[probe->body];
    int count = 0;
    LB_TRY(lbBody_Select(run->world, body, region, NULL, 0, &count));
    LB_TRY(allocate_target(run->host, target, count));
    LB_TRY(lbBody_Select(run->world, body, region, target->indices, count, &count));
    return weigh_by_area(run, body, target);
}

static lbResult allocate_scratch(const lbSceneDef* def, lbSceneRun* run) {
    int most = 1;
    for (int i = 0; i < def->bodyCount; ++i) {
        most = int_max(most, lbBody_GetNodeCount(run->world, run->bodies[i]));
        most = int_max(most, lbBody_GetSkinPointCount(run->world, run->bodies[i]));
    }
    run->scratch = LB_NEW(run->host, float, (int64_t)most * 6);
    run->preciseScratch = LB_NEW(run->host, double, (int64_t)most * 3);
    return run->scratch != NULL && run->preciseScratch != NULL ? lb_success() : lb_out_of_memory("probes");
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

static void store(lbVec3 vector, double* values) {
    values[0] = (double)vector.x;
    values[1] = (double)vector.y;
    values[2] = (double)vector.z;
}

/* The body or tool of a probe that may be on either. */
static lbBodyId touched(const lbSceneProbe* probe, const lbSceneRun* run) {
    return probe->tool != lb_noIndex ? run->tools[probe->tool] : run->bodies[probe->body];
}

/* What is gone, or not there yet, feels nothing. */
static lbResult measure_force(const lbSceneProbe* probe, const lbSceneRun* run, double* values) {
    lbVec3 force = {0, 0, 0};
    if (probe->pin != lb_noIndex && run->pins[probe->pin].index1 != 0) {
        LB_TRY(lbPin_GetForce(run->world, run->pins[probe->pin], &force));
    } else if (probe->grab != lb_noIndex && run->grabs[probe->grab].index1 != 0) {
        LB_TRY(lbGrab_GetForce(run->world, run->grabs[probe->grab], &force));
    } else if (probe->attachment != lb_noIndex && run->attachments[probe->attachment].index1 != 0) {
        LB_TRY(lbAttachment_GetForce(run->world, run->attachments[probe->attachment], &force));
    } else if (probe->tool != lb_noIndex || probe->body != lb_noIndex) {
        LB_TRY(lbBody_GetContactForce(run->world, touched(probe, run), &force, NULL));
    }
    store(force, values);
    return lb_success();
}

static lbResult measure_torque(const lbSceneProbe* probe, const lbSceneRun* run, double* values) {
    lbVec3 torque = {0, 0, 0};
    LB_TRY(lbBody_GetContactForce(run->world, touched(probe, run), NULL, &torque));
    store(torque, values);
    return lb_success();
}

static lbResult measure_pose(const lbSceneProbe* probe, const lbSceneRun* run, double* values) {
    lbVec3 position;
    lbQuat rotation;
    LB_TRY(lbBody_GetPose(run->world, touched(probe, run), &position, &rotation));
    store(position, values);
    const float turn[4] = {rotation.x, rotation.y, rotation.z, rotation.w};
    for (int i = 0; i < 4; ++i) {
        values[3 + i] = (double)turn[i];
    }
    return lb_success();
}

static lbResult measure_angular_velocity(const lbSceneProbe* probe, const lbSceneRun* run, double* values) {
    lbVec3 velocity, angular;
    LB_TRY(lbBody_GetVelocity(run->world, touched(probe, run), &velocity, &angular));
    store(angular, values);
    return lb_success();
}

/* The most, and the mean by area. */
static lbResult measure_pressure(const lbSceneProbe* probe, const lbSceneRun* run, const lbProbeTarget* target,
                                 double* values) {
    LB_TRY(lbBody_GetField(run->world, run->bodies[probe->body], lb_fieldContactPressure, run->scratch));
    values[0] = values[1] = 0;
    for (int i = 0; i < target->count; ++i) {
        double pressure = (double)run->scratch[target->indices[i]];
        values[0] = fmax(values[0], pressure);
        values[1] += (double)target->weights[i] * pressure;
    }
    return lb_success();
}

static lbResult measure_violation(const lbSceneProbe* probe, const lbSceneRun* run, double* values) {
    float violation = 0;
    if (run->attachments[probe->attachment].index1 != 0) {
        LB_TRY(lbAttachment_GetViolation(run->world, run->attachments[probe->attachment], &violation));
    }
    values[0] = (double)violation;
    return lb_success();
}

static lbResult measure_solver(const lbSceneProbe* probe, const lbSceneRun* run, double* values) {
    lbSolverReport report;
    LB_TRY(lbBody_GetSolver(run->world, run->bodies[probe->body], &report));
    values[0] = report.iterations;
    values[1] = report.residual;
    return lb_success();
}

static lbResult measure_equilibrium(const lbSceneProbe* probe, const lbSceneRun* run, double* values) {
    const lbEquilibriumReport* report = &run->reports[probe->body];
    values[0] = report->iterations;
    values[1] = report->residual;
    values[2] = report->worstForce;
    return lb_success();
}

/* Of nodes, in all the digits that an equilibrium has. */
static lbResult measure_displacement(const lbSceneRun* run, lbBodyId body, const lbProbeTarget* target,
                                     double* values) {
    LB_TRY(lbBody_GetDisplacements(run->world, body, run->preciseScratch));
    values[0] = values[1] = values[2] = 0;
    for (int i = 0; i < target->count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            values[axis] +=
                (double)target->weights[i] * run->preciseScratch[3 * (size_t)target->indices[i] + (size_t)axis];
        }
    }
    return lb_success();
}

static lbResult measure_path(const lbSceneDef* def, const lbSceneProbe* probe, const lbSceneRun* run,
                             const lbProbeTarget* target, double* values) {
    bool ofNodes = target->count > 0 && !target->skin && def->bodies[probe->body].kind == lb_modelDynamic;
    if (probe->what == lb_probeDisplacement && ofNodes) {
        return measure_displacement(run, run->bodies[probe->body], target, values);
    }
    LB_TRY(measure_motion(run, run->bodies[probe->body], target, probe->what == lb_probeVelocity, values));
    for (int axis = 0; axis < 3 && probe->what == lb_probeDisplacement; ++axis) {
        values[axis] -= target->rest[axis];
    }
    return lb_success();
}

lbResult lb_read_probe(const lbSceneDef* def, const lbSceneRun* run, int index, double* values) {
    const lbSceneProbe* probe = &def->probes[index];
    switch (probe->what) {
    case lb_probeEnergy:
        return measure_energy(def, run, probe->body, values);
    case lb_probeForce:
        return measure_force(probe, run, values);
    case lb_probeTorque:
        return measure_torque(probe, run, values);
    case lb_probePose:
        return measure_pose(probe, run, values);
    case lb_probeAngularVelocity:
        return measure_angular_velocity(probe, run, values);
    case lb_probeContactPressure:
        return measure_pressure(probe, run, &run->targets[index], values);
    case lb_probeViolation:
        return measure_violation(probe, run, values);
    case lb_probeSolver:
        return measure_solver(probe, run, values);
    case lb_probeRotation:
        return lb_measure_rotation(run, run->bodies[probe->body], &run->targets[index], values);
    case lb_probeEquilibrium:
        return measure_equilibrium(probe, run, values);
    default:
        return measure_path(def, probe, run, &run->targets[index], values);
    }
}

/* ---- Building ---------------------------------------------------------------------------------------------------- */

static lbResult build_target(const lbSceneDef* def, const lbSceneRun* run, int index) {
    const lbSceneProbe* probe = &def->probes[index];
    lbProbeTarget* target = &run->targets[index];
    if (probe->what == lb_probeContactPressure) {
        return aim_at_surface(def, probe, run, target);
    }
    if (probe->what == lb_probeRotation) {
        LB_TRY(aim_at_region(def, probe, run, target));
        LB_TRY(measure_motion(run, run->bodies[probe->body], target, false, target->rest));
        return lb_aim_rotation(run, run->bodies[probe->body], target);
    }
    bool moves =
        probe->what == lb_probePosition || probe->what == lb_probeDisplacement || probe->what == lb_probeVelocity;
    if (!moves) {
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
        lb_release(run->host, run->targets[i].offsets);
    }
    lb_release(run->host, run->targets);
    lb_release(run->host, run->scratch);
    lb_release(run->host, run->preciseScratch);
}
