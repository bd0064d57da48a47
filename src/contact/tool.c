#include "contact/tool.h"

#include "base/result.h"
#include "limber/describe.h"

#include <string.h>

enum { toolCookie = 0x746f6f6c };

static float sphere_gap(const lbTool* tool, lbPose pose, lbVec3 point, lbVec3* normal) {
    lbVec3 away = vec3_sub(point, pose.position);
    float distance = vec3_length(away);
    *normal = distance > 0 ? vec3_scale(1 / distance, away) : vec3(0, 1, 0);
    return distance - tool->radius;
}

static float half_space_gap(const lbTool* tool, lbPose pose, lbVec3 point, lbVec3* normal) {
    (void)tool;
    *normal = quat_rotate(pose.rotation, vec3(0, 1, 0));
    return vec3_dot(*normal, vec3_sub(point, pose.position));
}

static const struct {
    lbKindInfo info;
    float (*gap)(const lbTool* tool, lbPose pose, lbVec3 point, lbVec3* normal);
} kinds[lb_toolKindCount] = {
    [lb_toolSphere] = {{"sphere", "Ball", "A solid ball"}, sphere_gap},
    [lb_toolHalfSpace] = {{"half-space", "Plane", "All below a plane is solid: the ground, a wall"}, half_space_gap},
};

lbKindInfo lbToolKind_GetInfo(lbToolKind kind) {
    return (unsigned)kind < lb_toolKindCount ? kinds[kind].info : (lbKindInfo){0};
}

const char* lbToolKind_GetName(lbToolKind kind) {
    return lbToolKind_GetInfo(kind).name;
}

bool lbToolKind_FromName(const char* name, lbToolKind* kind) {
    for (int i = 0; i < lb_toolKindCount; ++i) {
        if (strcmp(kinds[i].info.name, name) == 0) {
            *kind = (lbToolKind)i;
            return true;
        }
    }
    return false;
}

lbToolDef lbDefaultToolDef(lbToolKind kind) {
    return (lbToolDef){.kind = kind, .rotation = {0, 0, 0, 1}, .radius = 0.1f, .cookie = toolCookie};
}

lbResult lb_check_tool(const lbToolDef* def) {
    if (def == NULL || def->cookie != toolCookie) {
        return lb_error(lb_errorArgument, "the tool's definition was not made by lbDefaultToolDef()");
    }
    if ((unsigned)def->kind >= lb_toolKindCount) {
        return lb_error(lb_errorArgument, "tool kind %d does not exist", (int)def->kind);
    }
    if (!(def->radius > 0) || !isfinite(def->radius)) {
        return lb_error(lb_errorArgument, "the tool's radius is %g; expected more than 0 m", def->radius);
    }
    return lb_success();
}

lbPose lb_tool_pose(const lbTool* tool, float share) {
    return (lbPose){vec3_lerp(tool->pose.position, tool->next.position, share),
                    quat_nlerp(tool->pose.rotation, tool->next.rotation, share)};
}

float lb_tool_gap(const lbTool* tool, lbPose pose, lbVec3 point, lbVec3* normal) {
    return kinds[tool->kind].gap(tool, pose, point, normal);
}
