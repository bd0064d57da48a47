#include "scene/motion.h"

#include "base/math.h"

#include <string.h>

void lb_start_mover(lbMover* mover, lbScenePose pose, const lbPath* path) {
    *mover = (lbMover){.now = pose};
    if (path->count > 0) {
        lb_mover_follow(mover, path, 0);
    }
}

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

float lb_shape_share_at(const lbShapeKeys* keys, double time, int* before) {
    double begin = 0;
    for (*before = 0; *before < keys->count - 1 && time >= keys->keys[*before].time; ++*before) {
        begin = keys->keys[*before].time;
    }
    return share_of_way(begin, keys->keys[*before].time, time, false);
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

/* Three waves for each axis whose frequencies have no common measure, so that nothing repeats. */
lbVec3 lb_gust_at(const lbGust* gust, double time) {
    static const double pitch[3][3] = {{1, 1.618, 2.303}, {1.272, 1.934, 2.718}, {1.114, 1.732, 2.513}};
    static const double share[3] = {0.5, 0.3, 0.2};
    double turn = 2 * LB_PI * gust->frequency * time, sum[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; ++axis) {
        for (int wave = 0; wave < 3; ++wave) {
            sum[axis] += share[wave] * sin(pitch[axis][wave] * turn);
        }
    }
    lbVec3 most = gust->amplitude;
    return vec3(most.x * (float)sum[0], most.y * (float)sum[1], most.z * (float)sum[2]);
}

static float length_between_keys(const lbSceneMuscle* muscle, double time) {
    lbLengthKey before = {0, 1};
    for (int i = 0; i < muscle->keyCount; ++i) {
        lbLengthKey next = muscle->keys[i];
        if (time < next.time) {
            return before.length +
                   share_of_way(before.time, next.time, time, muscle->smooth) * (next.length - before.length);
        }
        before = next;
    }
    return before.length;
}

float lb_muscle_length_at(const lbSceneMuscle* muscle, double time) {
    if (muscle->keyCount > 0) {
        return length_between_keys(muscle, time);
    }
    double elapsed = fmax(time - muscle->start, 0);
    float rise = share_of_way(0, 1 / muscle->frequency, elapsed, true); /* over the first period, so that none jerks */
    return 1 + muscle->amplitude * rise * (float)sin(2 * LB_PI * muscle->frequency * elapsed + muscle->phase);
}
