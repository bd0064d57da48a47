/* Rigid tools that are moved from outside: what they look like to a surface point. */
#ifndef LIMBER_SRC_TOOL_H
#define LIMBER_SRC_TOOL_H

#include "base/math.h"
#include "limber/contact.h"

typedef struct lbTool {
    lbToolKind kind;
    float radius;
    lbPose pose;  /* at the end of the last frame */
    lbPose next;  /* at the end of the next one */
    lbVec3 force; /* N, what bodies did to the tool, mean over the last frame */
} lbTool;

/* Where a tool is between pose (share 0) and next (share 1). */
lbPose lb_tool_pose(const lbTool* tool, float share);

/* Signed distance from the tool in this pose to a point, negative inside, and the outward normal there. */
float lb_tool_gap(const lbTool* tool, lbPose pose, lbVec3 point, lbVec3* normal);

lbResult lb_check_tool(const lbToolDef* def);

#endif
