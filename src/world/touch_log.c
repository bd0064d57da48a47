#include "world/touch_log.h"

#include <string.h>

void lb_begin_touch_log(lbTouchLog* log, const lbBody* tool) {
    log->tool = tool;
    log->stepCount = 0;
    log->planeCount = 0;
    memset(log->bins, 0, sizeof(log->bins));
}

/* Shares a step's force between the bins that it lies in. */
static void add_felt(lbTouchLog* log, const lbFelt* felt, double begin, double end) {
    const int count = lb_touchBins;
    int first = (int)(begin * count), last = int_min((int)(end * count), count - 1);
    for (int i = first; i <= last; ++i) {
        double share = fmin(end * count, i + 1) - fmax(begin * count, i);
        if (share > 0) {
            log->bins[i].force = vec3d_madd(log->bins[i].force, share, felt->force);
            log->bins[i].normal = vec3d_madd(log->bins[i].normal, share, felt->normal);
            log->bins[i].torque = vec3d_madd(log->bins[i].torque, share, felt->torque);
        }
    }
}

/* The nearest are kept. */
static void add_plane(lbTouchLog* log, lbFeltPlane plane) {
    int place = log->planeCount;
    if (place == lb_mostFeltPlanes) {
        place = 0;
        for (int i = 1; i < lb_mostFeltPlanes; ++i) {
            place = log->planes[i].gap > log->planes[place].gap ? i : place;
        }
        if (log->planes[place].gap <= plane.gap) {
            return;
        }
    } else {
        log->planeCount += 1;
    }
    log->planes[place] = plane;
}

void lb_log_touches(lbTouchLog* log, const lbRow* rows, int count, const lbStep* step) {
    lbFelt felt = {0};
    bool pushed = false, last = step->end >= 1;
    lbVec3d begin = {0}, end = {0};
    for (int i = 0; i < count; ++i) {
        const lbRow* row = &rows[i];
        bool second = row->b.body == log->tool;
        if (row->isHold || (!second && row->a.body != log->tool)) {
            continue;
        }
        if (!pushed) { /* the first of the tool's */
            begin = vec3d_from(log->tool->ops->frame->poseAt(log->tool, step->begin).position);
            end = vec3d_from(log->tool->ops->frame->poseAt(log->tool, step->end).position);
            pushed = true;
        }
        double sign = second ? -1 : 1;
        lbVec3d normal = vec3d_scale(sign, vec3d_from(row->normal));
        lbVec3d force = vec3d_scale(sign / step->h, vec3d_from(row->impulse));
        if (vec3d_dot(force, force) > 0) {
            felt.force = vec3d_add(felt.force, force);
            felt.normal = vec3d_madd(felt.normal, vec3d_dot(force, normal), normal);
            felt.torque = vec3d_add(felt.torque, vec3d_cross(vec3d_sub(vec3d_from(row->point), end), force));
        } else if (last && row->gap > 0) {
            pthread_mutex_lock(&log->mutex);
            add_plane(log, (lbFeltPlane){normal, vec3d_dot(normal, begin) - (double)row->gap, (double)row->gap});
            pthread_mutex_unlock(&log->mutex);
        }
    }
    if (pushed) {
        pthread_mutex_lock(&log->mutex);
        log->stepCount = int_max(log->stepCount, (int)(1 / (step->end - step->begin) + 0.5f));
        add_felt(log, &felt, (double)step->begin, (double)step->end);
        pthread_mutex_unlock(&log->mutex);
    }
}
