/* Coulomb's friction between a surface and probes, by increments from frame to frame. s_i is how a point has slid along
 * its probe since the last frame, t_i the tangential force on it:
 *
 *   |t_i| <= mu l_i,   s_i = 0 where |t_i| < mu l_i,   t_i = -mu l_i s_i / |s_i| elsewhere
 *
 * For given pressures l that is the least of a convex function over discs (P. D. Panagiotopoulos, 1975, who alternates
 * it with the normal problem, as the rounds of touch.c do), found by projected Gauss-Seidel sweeps over the points that
 * are pressed. */
#include "bem/touch.h"

#include <string.h>

enum { mostSweeps = 200 };
/* What a sweep may still move: of the body's size, and of what the strongest friction moves its own point by. */
static const double enough = 1e-7, enoughOfOwn = 1e-4;

/* In double: what sticks moves by far less than it is away from the probe's middle. */
static lbVec3d rotate(lbQuat q, lbVec3d v) {
    lbVec3d axis = {(double)q.x, (double)q.y, (double)q.z};
    lbVec3d across = vec3d_scale(2, vec3d_cross(axis, v));
    return vec3d_add(vec3d_madd(v, (double)q.w, across), vec3d_cross(axis, across));
}

static lbVec3d tangential(lbVec3d v, lbVec3d n) {
    return vec3d_madd(v, -vec3d_dot(v, n), n);
}

void lb_begin_friction(lbTouch* touch, const lbTouchProbe* probes) {
    const lbResponse* r = touch->response;
    for (int i = 0; i < touch->count; ++i) {
        const lbTouchProbe* probe = &probes[touch->probeOf[i]];
        touch->slid[i] = vec3d(0, 0, 0);
        lbVec3d t = {0, 0, 0};
        if (probe->friction > 0) {
            size_t point = (size_t)touch->points[i];
            lbVec3d was =
                vec3d_add(vec3d_load(r->rest + 3 * (size_t)r->points[point]), vec3d_load(touch->uBefore + 3 * point));
            lbVec3d held =
                rotate(quat_conjugate(probe->before.rotation), vec3d_sub(was, vec3d_from(probe->before.position)));
            /* Where it would be now, had it stuck. */
            lbVec3d now = vec3d_add(rotate(probe->pose.rotation, held), vec3d_from(probe->pose.position));
            touch->slid[i] = vec3d_sub(touch->base[i], now);
            const double* f = touch->f + 3 * (size_t)i;
            t = tangential(vec3d(f[0], f[1], f[2]), touch->n[i]);
        }
        touch->t[3 * i] = t.x, touch->t[3 * i + 1] = t.y, touch->t[3 * i + 2] = t.z;
    }
}

/* The largest compliance of a point to its own tangential forces, m/N. */
static double own_compliance(const lbTouch* touch, int i) {
    size_t stride = (size_t)touch->blocks.stride;
    const float* at = lb_block_row(&touch->blocks, i) + i;
    lbVec3d n = touch->n[i], side = fabs(n.x) < 0.7 ? vec3d(1, 0, 0) : vec3d(0, 1, 0);
    lbVec3d e[2] = {vec3d_normalize(vec3d_cross(n, side))};
    e[1] = vec3d_cross(n, e[0]);
    double h[2][2];
    for (int a = 0; a < 2; ++a) {
        lbVec3d g = {
            (double)at[0] * e[a].x + (double)at[stride] * e[a].y + (double)at[2 * stride] * e[a].z,
            (double)at[3 * stride] * e[a].x + (double)at[4 * stride] * e[a].y + (double)at[5 * stride] * e[a].z,
            (double)at[6 * stride] * e[a].x + (double)at[7 * stride] * e[a].y + (double)at[8 * stride] * e[a].z};
        h[a][0] = vec3d_dot(e[0], g), h[a][1] = vec3d_dot(e[1], g);
    }
    return 0.5 * (h[0][0] + h[1][1]) + hypot(0.5 * (h[0][0] - h[1][1]), h[0][1]);
}

/* One point's force, given all others; how far that moves it, m. */
static double relax(lbTouch* touch, int i, double bound, double compliance) {
    lbTouchBlocks* blocks = &touch->blocks;
    size_t stride = (size_t)blocks->stride;
    const float* d = blocks->d + i;
    double* own = touch->t + 3 * (size_t)i;
    lbVec3d t = {own[0], own[1], own[2]};
    lbVec3d slip = tangential(vec3d((double)d[0], (double)d[stride], (double)d[2 * stride]), touch->n[i]);
    lbVec3d next = vec3d_madd(t, -1 / compliance, slip);
    double length = vec3d_length(next);
    next = length > bound ? vec3d_scale(bound / length, next) : next;
    lbVec3d change = vec3d_sub(next, t);
    double moved = vec3d_length(change) * compliance;
    if (moved > 0) {
        own[0] = next.x, own[1] = next.y, own[2] = next.z;
        lb_push_block(blocks, i, change);
    }
    return moved;
}

/* Places against the probes by the forces there are now; tangential forces within their discs. */
static void start(lbTouch* touch, const lbTouchProbe* probes) {
    for (int i = 0; i < touch->count; ++i) {
        double *t = touch->t + 3 * (size_t)i, bound = probes[touch->probeOf[i]].friction * touch->problem.l[i];
        lbVec3d n = touch->n[i], now = tangential(vec3d(t[0], t[1], t[2]), n);
        double length = vec3d_length(now);
        now = length > bound ? vec3d_scale(bound / length, now) : now;
        lbVec3d all = vec3d_madd(now, touch->problem.l[i], n);
        t[0] = now.x, t[1] = now.y, t[2] = now.z;
        double* f = touch->scratch + 3 * (size_t)i;
        f[0] = all.x, f[1] = all.y, f[2] = all.z;
    }
    lb_add_block_forces(&touch->blocks, touch->scratch, touch->slid, touch->moved);
    size_t stride = (size_t)touch->blocks.stride;
    for (size_t i = 0; i < stride; ++i) {
        bool there = i < (size_t)touch->count;
        touch->blocks.d[i] = there ? (float)touch->moved[i].x : 0;
        touch->blocks.d[stride + i] = there ? (float)touch->moved[i].y : 0;
        touch->blocks.d[2 * stride + i] = there ? (float)touch->moved[i].z : 0;
    }
}

void lb_solve_friction(lbTouch* touch, const lbTouchProbe* probes, double roughly) {
    double most = 0;
    start(touch, probes);
    for (int i = 0; i < touch->count; ++i) {
        touch->scratch[i] = touch->problem.l[i] > 0 ? own_compliance(touch, i) : 0;
        most = fmax(most, probes[touch->probeOf[i]].friction * touch->problem.l[i] * touch->scratch[i]);
    }
    double last = fmax(roughly, fmin(enough * (double)touch->response->size, enoughOfOwn * most));
    for (int sweep = 0; sweep < mostSweeps; ++sweep) {
        double worst = 0;
        touch->report.stickCount = 0;
        for (int i = 0; i < touch->count; ++i) {
            double bound = probes[touch->probeOf[i]].friction * touch->problem.l[i];
            if (bound > 0) {
                worst = fmax(worst, relax(touch, i, bound, touch->scratch[i]));
                const double* t = touch->t + 3 * (size_t)i;
                touch->report.stickCount += sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]) < (1 - 1e-9) * bound;
            }
        }
        touch->report.sweeps += 1;
        if (worst <= last) {
            break;
        }
    }
}
