/* A device that presses, and a tool that it moves, with rounds of force feedback between the frames of a world. */
#ifndef LIMBER_VERIFY_HAPTICS_STAGE_H
#define LIMBER_VERIFY_HAPTICS_STAGE_H

#include "base/math.h"
#include "limber/limber.h"

/* A device that goes straight down by `depth` within `time`, and stays. */
typedef struct lbPress {
    lbVec3 from;
    lbQuat rotation; /* of the tool, held */
    double depth, time;
    bool silent, broken; /* it stops answering; it answers nonsense */
    lbVec3 force;        /* as it was told */
    double largest, steepest;
} lbPress;

typedef struct lbFeltTool {
    lbWorld* world;
    lbToolId tool;
    lbHaptics* haptics;
    double clock; /* s, of rounds */
} lbFeltTool;

/* A ball of radius `size`, or a rod of it along x, at `origin`, where the device begins. */
lbResult lb_create_felt_tool(lbWorld* world, lbPress* press, lbToolKind kind, float size, lbVec3 origin,
                             lbFeltTool* felt);
/* Frames with as many rounds as fit into them, one after the other. */
lbResult lb_play_felt(lbFeltTool* felt, double seconds);

#endif
