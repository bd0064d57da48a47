/* Controls of precomputed bodies. */
#include "base/result.h"
#include "body/elastostatic/elastostatic_body.h"
#include "world/world.h"

#include <string.h>

static lbResult find(const lbWorld* world, lbBodyId id, lbElastostaticBody** body) {
    lbBody* base = lb_find_body(world, id);
    if (base == NULL) {
        return lb_no_such("body");
    }
    *body = lb_elastostatic(base);
    if (*body == NULL) {
        return lb_error(lb_errorArgument, "body '%s' is %s: it has no controls", base->name, base->ops->kind);
    }
    return lb_success();
}

/* A control that something may move. */
static lbResult find_control(const lbWorld* world, lbBodyId id, int control, lbElastostaticBody** body) {
    LB_TRY(find(world, id, body));
    if (control < 0 || control >= (*body)->controlCount) {
        return lb_error(lb_errorArgument, "body '%s' has no control %d; it has %d", (*body)->base.name, control,
                        (*body)->controlCount);
    }
    return lb_success();
}

static lbResult refuse_fixed(const lbElastostaticBody* body, int control) {
    const lbControlRecord* record = &body->data->controls[control];
    return record->fixed
               ? lb_error(lb_errorArgument, "control '%s' of body '%s' is fixed", record->name, body->base.name)
               : lb_success();
}

static bool all_finite(const float* values, int count) {
    for (int i = 0; i < count; ++i) {
        if (!isfinite(values[i]) || fabsf(values[i]) > 1e9f) {
            return false;
        }
    }
    return true;
}

lbResult lbBody_SetControl(lbWorld* world, lbBodyId id, int control, const lbControlPose* pose) {
    lbElastostaticBody* body = NULL;
    LB_TRY(find_control(world, id, control, &body));
    LB_TRY(refuse_fixed(body, control));
    if (!all_finite(&pose->translation.x, 3) || !all_finite(pose->matrix, 9)) {
        return lb_error(lb_errorArgument, "the pose of control '%s' is not finite, or beyond all reason",
                        body->data->controls[control].name);
    }
    lbControlMap map = {{pose->translation.x, pose->translation.y, pose->translation.z}, {0}};
    for (int k = 0; k < 9; ++k) {
        map.a[k] = (double)pose->matrix[k];
    }
    return lb_hold_control(body, control, &map);
}

lbResult lbBody_MoveControl(lbWorld* world, lbBodyId id, int control, lbVec3 center, lbQuat rotation, lbVec3 scale) {
    lbElastostaticBody* body = NULL;
    LB_TRY(find_control(world, id, control, &body));
    const float scales[3] = {scale.x, scale.y, scale.z};
    lbQuat toBody = quat_conjugate(body->base.rotation), turn = quat_multiply(toBody, quat_normalize(rotation));
    lbVec3 local = quat_rotate(toBody, vec3_sub(center, body->base.position));
    const double* c = body->data->controls[control].center;
    lbControlPose pose = {vec3_sub(local, vec3((float)c[0], (float)c[1], (float)c[2])), {0}};
    for (int k = 0; k < 3; ++k) {
        lbVec3 column = vec3_scale(scales[k], quat_rotate(turn, vec3(k == 0, k == 1, k == 2)));
        pose.matrix[k] = column.x, pose.matrix[3 + k] = column.y, pose.matrix[6 + k] = column.z;
    }
    return lbBody_SetControl(world, id, control, &pose);
}

lbResult lbBody_SetControlForce(lbWorld* world, lbBodyId id, int control, lbVec3 force, lbVec3 torque) {
    lbElastostaticBody* body = NULL;
    LB_TRY(find_control(world, id, control, &body));
    LB_TRY(refuse_fixed(body, control));
    if (!vec3_finite(force) || !vec3_finite(torque)) {
        return lb_error(lb_errorArgument, "the force on control '%s' is not finite",
                        body->data->controls[control].name);
    }
    return lb_free_control(body, control, force, torque);
}

lbResult lbBody_SetModeLoad(lbWorld* world, lbBodyId id, int load, float share) {
    lbElastostaticBody* body = NULL;
    LB_TRY(find(world, id, &body));
    if (load < 0 || load >= body->data->header->loadCount) {
        return lb_error(lb_errorArgument, "body '%s' has no load %d; it has %d", body->base.name, load,
                        body->data->header->loadCount);
    }
    if (!isfinite(share)) {
        return lb_error(lb_errorArgument, "the share of load '%s' is not finite", body->data->loads[load].name);
    }
    body->shares[load] = share;
    body->asking = true;
    return lb_success();
}

lbResult lbBody_SetLinearityLimits(lbWorld* world, lbBodyId id, lbLinearityLimits limits) {
    lbElastostaticBody* body = NULL;
    LB_TRY(find(world, id, &body));
    if (!(limits.strain >= 0) || !(limits.stretch >= 0) || !(limits.angle >= 0) || !all_finite(&limits.strain, 3)) {
        return lb_error(lb_errorArgument, "limits of linearity are %g, %g and %g; expected 0 (none) or more",
                        (double)limits.strain, (double)limits.stretch, (double)limits.angle);
    }
    body->limits = limits;
    body->asking = true;
    return lb_success();
}

int lbBody_GetControlCount(const lbWorld* world, lbBodyId id) {
    const lbElastostaticBody* body = lb_elastostatic_const(lb_find_body(world, id));
    return body != NULL ? body->controlCount : 0;
}

static lbVec3 to_world(const lbElastostaticBody* body, lbVec3d v) {
    return quat_rotate(body->base.rotation, vec3_from(v));
}

lbResult lbBody_GetControl(const lbWorld* world, lbBodyId id, int control, lbControlState* state) {
    lbElastostaticBody* body = NULL;
    LB_TRY(find_control(world, id, control, &body));
    const lbControlRecord* record = &body->data->controls[control];
    const lbControlMap* map = &body->maps[control];
    *state = (lbControlState){.name = record->name, .fixed = record->fixed != 0, .free = body->free[control]};
    lbVec3d center = {record->center[0] + map->t[0], record->center[1] + map->t[1], record->center[2] + map->t[2]};
    state->center = vec3_add(body->base.position, to_world(body, center));
    state->pose.translation = vec3((float)map->t[0], (float)map->t[1], (float)map->t[2]);
    for (int k = 0; k < 3; ++k) {
        state->axes[k] = to_world(body, vec3d(map->a[k], map->a[3 + k], map->a[6 + k]));
    }
    for (int k = 0; k < 9; ++k) {
        state->pose.matrix[k] = (float)map->a[k];
    }
    lbVec3 force, torque;
    lb_control_forces(body, body->forces);
    lbReaction_Read(body->forces, control, &force, &torque);
    state->force = to_world(body, lb_rotate33(body->now.rotation, vec3d_from(force)));
    state->torque = to_world(body, lb_rotate33(body->now.rotation, vec3d_from(torque)));
    return lb_success();
}

lbResult lb_control_stiffness(const lbWorld* world, lbBodyId id, int control, lbVec3d column[3]) {
    lbElastostaticBody* body = NULL;
    LB_TRY(find_control(world, id, control, &body));
    const size_t modes = (size_t)body->modeCount, first = lb_controlModes * (size_t)control;
    for (int k = 0; k < 3; ++k) {
        lbVec3 axis = {k == 0, k == 1, k == 2};
        lbVec3d own = vec3d_from(quat_rotate(quat_conjugate(body->base.rotation), axis)), force;
        lbVec3d local = lb_unrotate33(body->now.rotation, own);
        const double* row = body->data->reaction + first * modes + first;
        force.x = row[0] * local.x + row[1] * local.y + row[2] * local.z, row += modes;
        force.y = row[0] * local.x + row[1] * local.y + row[2] * local.z, row += modes;
        force.z = row[0] * local.x + row[1] * local.y + row[2] * local.z;
        column[k] = vec3d_from(to_world(body, lb_rotate33(body->now.rotation, force)));
    }
    return lb_success();
}

lbRefusal lbBody_GetRefusal(const lbWorld* world, lbBodyId id, double* value, double* limit) {
    const lbElastostaticBody* body = lb_elastostatic_const(lb_find_body(world, id));
    if (value != NULL) {
        *value = body != NULL ? body->refused[0] : 0;
    }
    if (limit != NULL) {
        *limit = body != NULL ? body->refused[1] : 0;
    }
    return body != NULL ? (lbRefusal)body->refusal : lb_refusalNone;
}

const char* lbRefusal_GetName(lbRefusal refusal) {
    static const char* const names[lb_refusalCount] = {"none", "strain", "stretch", "angle", "singular"};
    return (unsigned)refusal < lb_refusalCount ? names[refusal] : NULL;
}

static lbResult get_component(const lbWorld* world, lbBodyId id, bool stress, int component, float* values) {
    lbElastostaticBody* body = NULL;
    LB_TRY(find(world, id, &body));
    if (component < 0 || component > 5) {
        return lb_error(lb_errorArgument, "component %d does not exist; expected 0 (xx) to 5 (yz)", component);
    }
    if ((stress ? body->data->stress : body->data->strain) == NULL) {
        return lb_error(lb_errorArgument, "body '%s' was precomputed without a basis of its %s", body->base.name,
                        stress ? "stress" : "strain");
    }
    lb_elastostatic_measure_tensor(body, stress, component, values);
    return lb_success();
}

lbResult lbBody_GetStrainComponent(const lbWorld* world, lbBodyId id, int component, float* values) {
    return get_component(world, id, false, component, values);
}

lbResult lbBody_GetStressComponent(const lbWorld* world, lbBodyId id, int component, float* values) {
    return get_component(world, id, true, component, values);
}
