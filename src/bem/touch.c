#include "bem/touch.h"

#include "base/result.h"

#include <string.h>

/* Of the body's size. */
static const double tolerance = 1e-7;
/* Of a probe's size: distances to others than balls are float32, with about five roundings of 6e-8 each. */
static const double rounding = 3e-7;
/* Points so far from a probe, of an edge, are looked at from the beginning; others once they are in it. */
static const double reach = 0.25;
enum { mostRounds = 30, mostSearches = 4, lanes = 8 };

/* ---- Making one -----------------------------------------------------------------------------------------------------
 */

static void find_normals(lbTouch* touch) {
    const lbResponse* r = touch->response;
    for (int t = 0; t < r->triangleCount; ++t) {
        const int* corner = r->triangles + 3 * (size_t)t;
        lbVec3 a = vec3_load(r->rest + 3 * (size_t)corner[0]);
        lbVec3 across = vec3_cross(vec3_sub(vec3_load(r->rest + 3 * (size_t)corner[1]), a),
                                   vec3_sub(vec3_load(r->rest + 3 * (size_t)corner[2]), a));
        for (int k = 0; k < 3; ++k) {
            int point = r->freeOf[corner[k]];
            if (point >= 0) {
                float* n = touch->normals + 3 * (size_t)point;
                vec3_store(n, vec3_add(vec3_load(n), across));
            }
        }
    }
    for (int i = 0; i < r->freeCount; ++i) {
        float* n = touch->normals + 3 * (size_t)i;
        vec3_store(n, vec3_normalize(vec3_load(n)));
    }
}

lbResult lb_create_touch(const lbHost* host, const lbResponse* response, lbTouch* touch) {
    *touch = (lbTouch){.host = host, .response = response};
    touch->capacity = int_min(lb_mostTouched, response->freeCount);
    int64_t points = response->freeCount, most = touch->capacity, padded = (most + lanes - 1) / lanes * lanes;
    lbComplementarity* problem = &touch->problem;
    touch->normals = LB_NEW(host, float, 3 * points);
    touch->forces = LB_NEW(host, double, 3 * points);
    touch->u = LB_NEW(host, float, (int64_t)response->stride);
    touch->uBefore = LB_NEW(host, float, (int64_t)response->stride);
    touch->points = LB_NEW(host, int, most);
    touch->probeOf = LB_NEW(host, int, most);
    touch->marked = LB_NEW(host, bool, points);
    touch->x = LB_NEW(host, lbVec3d, most);
    touch->base = LB_NEW(host, lbVec3d, most);
    touch->n = LB_NEW(host, lbVec3d, most);
    touch->gap = LB_NEW(host, double, most);
    touch->f = LB_NEW(host, double, 3 * most);
    touch->slid = LB_NEW(host, lbVec3d, most);
    touch->t = LB_NEW(host, double, 3 * most);
    touch->scratch = LB_NEW(host, double, 3 * most);
    touch->moved = LB_NEW(host, lbVec3d, most);
    problem->a = LB_NEW(host, double, padded* padded);
    problem->factor = LB_NEW(host, double, padded* padded);
    problem->q = LB_NEW(host, double, 4 * padded);
    problem->active = LB_NEW(host, bool, most);
    problem->rows = LB_NEW(host, int, 2 * most);
    bool there = touch->normals != NULL && touch->forces != NULL && touch->u != NULL && touch->uBefore != NULL &&
                 touch->points != NULL && touch->probeOf != NULL && touch->marked != NULL && touch->x != NULL &&
                 touch->base != NULL && touch->n != NULL && touch->gap != NULL && touch->f != NULL &&
                 touch->slid != NULL && touch->t != NULL && touch->scratch != NULL && touch->moved != NULL &&
                 problem->a != NULL && problem->factor != NULL && problem->q != NULL && problem->active != NULL &&
                 problem->rows != NULL;
    if (!there || !lb_create_blocks(response, touch->capacity, &touch->blocks)) {
        lb_destroy_touch(touch);
        return lb_out_of_memory("contact of a precomputed surface");
    }
    problem->l = problem->q + padded;
    problem->w = problem->l + padded;
    problem->x = problem->w + padded;
    problem->wrong = problem->rows + most;
    find_normals(touch);
    return lb_success();
}

void lb_destroy_touch(lbTouch* touch) {
    lbComplementarity* problem = &touch->problem;
    void* arrays[] = {touch->normals, touch->forces,   touch->u,       touch->uBefore, touch->points, touch->probeOf,
                      touch->marked,  touch->x,        touch->base,    touch->n,       touch->gap,    touch->f,
                      touch->slid,    touch->t,        touch->scratch, touch->moved,   problem->a,    problem->factor,
                      problem->q,     problem->active, problem->rows,  touch->layer};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i) {
        lb_release(touch->host, arrays[i]);
    }
    lb_free_blocks(&touch->blocks);
    *touch = (lbTouch){.host = touch->host};
}

/* ---- One linearisation ----------------------------------------------------------------------------------------------
 */

/* What is not as it should be: |g| of those that push, -g of the others, m. */
static double measure_gaps(lbTouch* touch, const lbTouchProbe* probes) {
    double worst = 0;
    for (int i = 0; i < touch->count; ++i) {
        touch->gap[i] = lb_probe_gap(&probes[touch->probeOf[i]], touch->x[i], &touch->n[i]);
        worst = fmax(worst, touch->problem.active[i] ? fabs(touch->gap[i]) : -touch->gap[i]);
    }
    return worst;
}

/* A = n . G n, q the gaps without pressure as they are linearised now. */
static void fill_problem(lbTouch* touch, bool rough) {
    lbComplementarity* problem = &touch->problem;
    problem->count = touch->count;
    problem->capacity = touch->blocks.stride;
    lb_project_blocks(&touch->blocks, touch->n, touch->n, problem->a, problem->capacity);
    const lbVec3d* without = touch->base;
    if (rough) {
        lb_add_block_forces(&touch->blocks, touch->t, touch->base, touch->moved);
        without = touch->moved;
    }
    double largest = 0;
    for (int i = 0; i < touch->count; ++i) {
        problem->q[i] = touch->gap[i] + vec3d_dot(touch->n[i], vec3d_sub(without[i], touch->x[i]));
        largest = fmax(largest, problem->a[(size_t)i * (size_t)problem->capacity + (size_t)i]);
    }
    for (int i = 0; i < touch->count; ++i) { /* what float32 may have taken of its being definite */
        problem->a[(size_t)i * (size_t)problem->capacity + (size_t)i] += 1e-7 * largest;
    }
}

static void warm_start(lbTouch* touch, const lbTouchProbe* probes, bool rough) {
    for (int i = 0; i < touch->count; ++i) {
        const double* f = touch->forces + 3 * (size_t)touch->points[i];
        memcpy(touch->f + 3 * (size_t)i, f, 3 * sizeof(double));
        touch->problem.active[i] = f[0] != 0 || f[1] != 0 || f[2] != 0;
        touch->x[i] = touch->base[i];
    }
    lb_move_candidates(touch);
    touch->report.residual = measure_gaps(touch, probes);
    if (rough) {
        lb_begin_friction(touch, probes);
    }
    for (int i = 0; i < touch->count; ++i) {
        touch->problem.active[i] |= touch->gap[i] < 0;
    }
}

static void set_forces(lbTouch* touch, bool rough) {
    for (int i = 0; i < touch->count; ++i) {
        lbVec3d f = vec3d_scale(touch->problem.l[i], touch->n[i]);
        const double* t = touch->t + 3 * (size_t)i;
        f = rough ? vec3d_add(f, vec3d(t[0], t[1], t[2])) : f;
        touch->f[3 * i] = f.x, touch->f[3 * i + 1] = f.y, touch->f[3 * i + 2] = f.z;
        touch->problem.active[i] = touch->problem.l[i] > 0;
    }
}

/* m: what cannot be told from nothing. */
static double find_tolerance(const lbTouch* touch, const lbTouchProbe* probes, int probeCount) {
    double size = (double)touch->response->size, largest = 0;
    for (int p = 0; p < probeCount; ++p) {
        if (lb_shape_kind(probes[p].shape) != lb_collisionSphere) {
            largest = fmax(largest, fmin(size, (double)lb_shape_radius(probes[p].shape)));
        }
    }
    return tolerance * size + rounding * largest;
}

static void solve_rounds(lbTouch* touch, const lbTouchProbe* probes, double enough, bool rough) {
    warm_start(touch, probes, rough);
    double moved = touch->report.residual;
    for (int round = 0; round < mostRounds; ++round) {
        fill_problem(touch, rough);
        if (!lb_solve_complementarity(&touch->problem)) {
            break;
        }
        touch->report.rounds += 1;
        touch->report.factorCount += touch->problem.factorCount;
        if (rough) {
            lb_solve_friction(touch, probes, 0.03 * moved); /* pressures will change by more than that */
        }
        set_forces(touch, rough);
        moved = lb_move_candidates(touch);
        touch->report.residual = fmax(measure_gaps(touch, probes), round > 0 ? moved : 0);
        if (touch->report.residual < enough && (round > 0 || moved < enough)) {
            break;
        }
    }
}

void lb_touch_exactly(lbTouch* touch, lbTouchProbe* probes, int probeCount, const float* given) {
    double margin = reach * (double)touch->response->edge, enough = find_tolerance(touch, probes, probeCount);
    bool rough = false;
    for (int p = 0; p < probeCount; ++p) {
        rough |= probes[p].friction > 0;
    }
    if (rough) {
        memcpy(touch->uBefore, touch->u, touch->response->stride * sizeof(float));
    }
    lb_begin_candidates(touch);
    lb_find_candidates(touch, probes, probeCount, margin);
    for (int search = 0; search < mostSearches; ++search) {
        touch->report.searches += 1;
        lb_gather_candidates(touch, given);
        if (touch->count > 0) {
            solve_rounds(touch, probes, enough, rough);
        }
        lb_take_forces(touch);
        lb_take_shape(touch, given);
        if (lb_find_candidates(touch, probes, probeCount, -enough) == 0) {
            break; /* nothing else is in a probe */
        }
    }
    touch->report.candidateCount = touch->count;
    touch->report.converged = touch->report.residual < 1e-6 * (double)touch->response->size && !touch->report.crowded;
    lb_sum_probes(touch, probes, probeCount);
}
