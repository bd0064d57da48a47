#include "scene/motion.h"

#include "base/math.h"

#include <string.h>

void lb_mover_follow(lbMover* mover, const lbPath* path, double time) {
    mover->path = path;
    mover->startTime = time;
    mover->start = mover->now;
}

/* How far between two moments, 0 to 1. */
static float share_of_way(double begin, double end, double time, bool smooth) {
    if (time >= end) {
        return 1;
    }
    double s = time <= begin ? 0 : (time - begin) / (end - begin);
    return (float)(smooth ? s * s * (3 - 2 * s) : s);
}

void lb_mover_advance(lbMover* mover, double time) {
    if (mover->path == NULL) {
        return;
    }
    double elapsed = time - mover->startTime;
    lbScenePose pose = mover->start;
    double poseTime = 0;
    for (int i = 0; i < mover->path->count; ++i) {
        const lbWaypoint* point = &mover->path->points[i];
        lbScenePose next = {point->pose.position, point->turns ? point->pose.rotation : pose.rotation};
        if (elapsed < point->time) {
            float share = share_of_way(poseTime, point->time, elapsed, mover->path->smooth);
            mover->now.position = vec3_lerp(pose.position, next.position, share);
            mover->now.rotation = quat_nlerp(pose.rotation, next.rotation, share);
            return;
        }
        pose = next;
        poseTime = point->time;
    }
    mover->now = pose;
}

lbRamp lb_ramp_at(lbVec3 vector, float scalar) {
    float value[4] = {vector.x, vector.y, vector.z, scalar};
    lbRamp ramp = {0};
    memcpy(ramp.from, value, sizeof(value));
    memcpy(ramp.to, value, sizeof(value));
    memcpy(ramp.now, value, sizeof(value));
    return ramp;
}

void lb_ramp_toward(lbRamp* ramp, lbVec3 vector, float scalar, double time, double duration) {
    float value[4] = {vector.x, vector.y, vector.z, scalar};
    memcpy(ramp->from, ramp->now, sizeof(value));
    memcpy(ramp->to, value, sizeof(value));
    ramp->startTime = time;
    ramp->duration = duration;
}

bool lb_ramp_advance(lbRamp* ramp, double time) {
    float share = share_of_way(ramp->startTime, ramp->startTime + ramp->duration, time, false);
    bool changed = false;
    for (int i = 0; i < 4; ++i) {
        float value = share >= 1 ? ramp->to[i] : ramp->from[i] + share * (ramp->to[i] - ramp->from[i]);
        changed = changed || value != ramp->now[i];
        ramp->now[i] = value;
    }
    return changed;
}
