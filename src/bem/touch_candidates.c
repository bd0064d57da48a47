/* Which points of a surface may touch which probe, where they are, and what becomes of their forces. */
#include "bem/touch.h"

#include <string.h>

/* A probe presses on a point from outside if its normal does not point the way the surface's does. */
static const float facing = 0.2f;

/* To 1e-7 of the probe's size, which float32 carries, not of how far away both are from the origin; of balls, which are
 * the most usual, to all digits. */
double lb_probe_gap(const lbTouchProbe* probe, lbVec3d x, lbVec3d* normal) {
    lbVec3d away = vec3d_sub(x, vec3d_from(probe->pose.position));
    double square = vec3d_dot(away, away);
    if (lb_shape_kind(probe->shape) == lb_collisionSphere && square > 0) {
        double length = sqrt(square);
        *normal = vec3d_scale(1 / length, away);
        return length - (double)lb_shape_radius(probe->shape);
    }
    lbVec3 n;
    float gap = lb_shape_distance(probe->shape, quat_rotate(quat_conjugate(probe->pose.rotation), vec3_from(away)), &n);
    *normal = vec3d_from(pose_rotate(probe->pose, n));
    return (double)gap;
}

static lbVec3d rest_of(const lbTouch* touch, int point) {
    return vec3d_load(touch->response->rest + 3 * (size_t)touch->response->points[point]);
}

static lbVec3d with(lbVec3d x, const float* u, int point) {
    return u != NULL ? vec3d_add(x, vec3d_load(u + 3 * (size_t)point)) : x;
}

/* The probe that has a place deepest, among those that press on the surface there from outside; -1: none within reach.
 */
static int deepest_probe(const lbTouch* touch, const lbTouchProbe* probes, const lbBox* boxes, int probeCount,
                         lbVec3d x, int point, double reach) {
    int found = -1;
    for (int p = 0; p < probeCount; ++p) {
        lbVec3d n;
        if (lb_shape_is_bounded(probes[p].shape) && !box_contains(boxes[p], vec3_from(x))) {
            continue;
        }
        double gap = lb_probe_gap(&probes[p], x, &n);
        if (gap < reach && vec3_dot(vec3_from(n), vec3_load(touch->normals + 3 * (size_t)point)) < facing) {
            reach = gap;
            found = p;
        }
    }
    return found;
}

static void bound_probes(const lbTouchProbe* probes, int probeCount, float margin, lbBox* boxes) {
    for (int p = 0; p < probeCount; ++p) {
        boxes[p] = lb_shape_bounds(probes[p].shape, probes[p].pose);
        boxes[p].lower = vec3_sub(boxes[p].lower, vec3(margin, margin, margin));
        boxes[p].upper = vec3_add(boxes[p].upper, vec3(margin, margin, margin));
    }
}

void lb_begin_candidates(lbTouch* touch) {
    touch->count = 0;
    touch->report = (lbTouchReport){0};
    memset(touch->marked, 0, (size_t)touch->response->freeCount * sizeof(bool));
}

static void add_candidate(lbTouch* touch, int point, int probe) {
    if (touch->count >= touch->capacity) {
        touch->report.crowded = true;
        return;
    }
    touch->points[touch->count] = point;
    touch->probeOf[touch->count++] = probe;
    touch->marked[point] = true;
}

int lb_find_candidates(lbTouch* touch, const lbTouchProbe* probes, int probeCount, double reach) {
    lbBox boxes[lb_mostProbes], all = box_empty();
    int before = touch->count;
    bound_probes(probes, probeCount, (float)fmax(reach, 0), boxes);
    for (int p = 0; p < probeCount; ++p) {
        all = box_include(box_include(all, boxes[p].lower), boxes[p].upper);
    }
    for (int i = 0; i < touch->response->freeCount; ++i) {
        const float* u = touch->u + 3 * (size_t)i;
        lbVec3 at = vec3_load(touch->response->rest + 3 * (size_t)touch->response->points[i]);
        if (touch->marked[i] || !box_contains(all, vec3_add(at, vec3_load(u)))) {
            continue; /* most of them */
        }
        int probe = deepest_probe(touch, probes, boxes, probeCount, with(rest_of(touch, i), touch->u, i), i, reach);
        if (probe >= 0) {
            add_candidate(touch, i, probe);
        }
    }
    return touch->count - before;
}

void lb_gather_candidates(lbTouch* touch, const float* given) {
    lb_update_blocks(&touch->blocks, touch->points, touch->count);
    for (int i = 0; i < touch->count; ++i) {
        touch->base[i] = with(rest_of(touch, touch->points[i]), given, touch->points[i]);
    }
}

double lb_move_candidates(lbTouch* touch) {
    double moved = 0;
    memcpy(touch->moved, touch->x, (size_t)touch->count * sizeof(lbVec3d));
    lb_add_block_forces(&touch->blocks, touch->f, touch->base, touch->x);
    for (int i = 0; i < touch->count; ++i) {
        moved = fmax(moved, vec3d_length(vec3d_sub(touch->x[i], touch->moved[i])));
    }
    return moved;
}

static bool pushes(const double* f) {
    return f[0] != 0 || f[1] != 0 || f[2] != 0;
}

void lb_take_forces(lbTouch* touch) {
    memset(touch->forces, 0, 3 * (size_t)touch->response->freeCount * sizeof(double));
    touch->report.touchedCount = 0;
    for (int i = 0; i < touch->count; ++i) {
        const double* f = touch->f + 3 * (size_t)i;
        memcpy(touch->forces + 3 * (size_t)touch->points[i], f, 3 * sizeof(double));
        touch->report.touchedCount += pushes(f);
    }
}

void lb_take_shape(lbTouch* touch, const float* given) {
    const lbResponse* r = touch->response;
    int count = 0, *points = touch->problem.rows;
    double* f = touch->scratch;
    for (int i = 0; i < touch->count; ++i) {
        if (pushes(touch->f + 3 * (size_t)i)) {
            memcpy(f + 3 * (size_t)count, touch->f + 3 * (size_t)i, 3 * sizeof(double));
            points[count++] = touch->points[i];
        }
    }
    if (given != NULL) {
        memcpy(touch->u, given, r->stride * sizeof(float));
    } else {
        memset(touch->u, 0, r->stride * sizeof(float));
    }
    lb_add_columns(r, count, points, f, touch->u);
}

void lb_sum_probes(lbTouch* touch, lbTouchProbe* probes, int probeCount) {
    for (int p = 0; p < probeCount; ++p) {
        probes[p].force = probes[p].torque = vec3d(0, 0, 0);
        probes[p].touchedCount = 0;
    }
    for (int i = 0; i < touch->count; ++i) {
        lbTouchProbe* probe = &probes[touch->probeOf[i]];
        const double* f = touch->f + 3 * (size_t)i;
        lbVec3d force = {-f[0], -f[1], -f[2]};
        lbVec3d arm = vec3d_sub(touch->x[i], vec3d_from(probe->pose.position));
        probe->force = vec3d_add(probe->force, force);
        probe->torque = vec3d_add(probe->torque, vec3d_cross(arm, force));
        probe->touchedCount += pushes(f);
    }
}
