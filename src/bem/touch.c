#include "bem/touch.h"

#include "base/result.h"

#include <string.h>

static const double tolerance = 4e-7; /* of the body's size */
enum { mostRounds = 30, mostSearches = 4 };
/* A probe presses on a point from outside if its normal does not point the way the surface's does. */
static const float facing = 0.2f;

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
    int64_t points = response->freeCount, most = lb_mostTouched;
    lbComplementarity* problem = &touch->problem;
    touch->normals = LB_NEW(host, float, 3 * points);
    touch->forces = LB_NEW(host, double, 3 * points);
    touch->u = LB_NEW(host, float, (int64_t)response->stride);
    touch->points = LB_NEW(host, int, most);
    touch->probeOf = LB_NEW(host, int, most);
    touch->marked = LB_NEW(host, bool, points);
    touch->x = LB_NEW(host, lbVec3d, most);
    touch->base = LB_NEW(host, lbVec3d, most);
    touch->n = LB_NEW(host, lbVec3d, most);
    touch->gap = LB_NEW(host, double, most);
    touch->f = LB_NEW(host, double, 3 * most);
    touch->blocks = LB_NEW(host, float, 9 * most * most);
    problem->capacity = lb_mostTouched;
    problem->a = LB_NEW(host, double, most* most);
    problem->factor = LB_NEW(host, double, most* most);
    problem->q = LB_NEW(host, double, 4 * most);
    problem->active = LB_NEW(host, bool, most);
    problem->rows = LB_NEW(host, int, 2 * most);
    bool there = touch->normals != NULL && touch->forces != NULL && touch->u != NULL && touch->points != NULL &&
                 touch->probeOf != NULL && touch->marked != NULL && touch->x != NULL && touch->base != NULL &&
                 touch->n != NULL && touch->gap != NULL && touch->f != NULL && touch->blocks != NULL &&
                 problem->a != NULL && problem->factor != NULL && problem->q != NULL && problem->active != NULL &&
                 problem->rows != NULL;
    if (!there) {
        lb_destroy_touch(touch);
        return lb_out_of_memory("contact of a precomputed surface");
    }
    problem->l = problem->q + most;
    problem->w = problem->l + most;
    problem->x = problem->w + most;
    problem->wrong = problem->rows + most;
    find_normals(touch);
    return lb_success();
}

lbResult lb_prepare_layer(lbTouch* touch) {
    if (touch->layer == NULL) {
        touch->layer = LB_NEW(touch->host, double, 9 * (int64_t)lb_mostTouched * lb_mostTouched);
    }
    return touch->layer != NULL ? lb_success() : lb_out_of_memory("contact by a layer");
}

void lb_destroy_touch(lbTouch* touch) {
    void* arrays[] = {touch->normals,
                      touch->forces,
                      touch->u,
                      touch->points,
                      touch->probeOf,
                      touch->marked,
                      touch->x,
                      touch->base,
                      touch->n,
                      touch->gap,
                      touch->f,
                      touch->blocks,
                      touch->problem.a,
                      touch->problem.factor,
                      touch->problem.q,
                      touch->problem.active,
                      touch->problem.rows,
                      touch->layer};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i) {
        lb_release(touch->host, arrays[i]);
    }
    *touch = (lbTouch){.host = touch->host};
}

/* ---- Which points may touch which probe -----------------------------------------------------------------------------
 */

static double probe_gap(const lbTouchProbe* probe, lbVec3d x, lbVec3d* normal) {
    lbVec3 local = pose_local(probe->pose, vec3_from(x)), n;
    float gap = lb_shape_distance(probe->shape, local, &n);
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
        double gap = probe_gap(&probes[p], x, &n);
        if (gap < reach && vec3_dot(vec3_from(n), vec3_load(touch->normals + 3 * (size_t)point)) < facing) {
            reach = gap;
            found = p;
        }
    }
    return found;
}

static void add_candidate(lbTouch* touch, int point, int probe) {
    if (touch->count >= lb_mostTouched) {
        touch->report.crowded = true;
        return;
    }
    touch->points[touch->count] = point;
    touch->probeOf[touch->count++] = probe;
    touch->marked[point] = true;
}

static void bound_probes(const lbTouchProbe* probes, int probeCount, float margin, lbBox* boxes) {
    for (int p = 0; p < probeCount; ++p) {
        boxes[p] = lb_shape_bounds(probes[p].shape, probes[p].pose);
        boxes[p].lower = vec3_sub(boxes[p].lower, vec3(margin, margin, margin));
        boxes[p].upper = vec3_add(boxes[p].upper, vec3(margin, margin, margin));
    }
}

/* Points that are, or were at rest, within `reach` of a probe; returns how many were added. */
static int find_candidates(lbTouch* touch, const lbTouchProbe* probes, int probeCount, const float* given,
                           double reach) {
    lbBox boxes[lb_mostProbes];
    int before = touch->count;
    bound_probes(probes, probeCount, (float)fmax(reach, 0), boxes);
    for (int i = 0; i < touch->response->freeCount; ++i) {
        if (touch->marked[i]) {
            continue;
        }
        lbVec3d rest = with(rest_of(touch, i), given, i);
        int probe = deepest_probe(touch, probes, boxes, probeCount, with(rest_of(touch, i), touch->u, i), i, reach);
        if (probe < 0 && reach > 0) {
            probe = deepest_probe(touch, probes, boxes, probeCount, rest, i, reach);
        }
        if (probe >= 0) {
            add_candidate(touch, i, probe);
        }
    }
    return touch->count - before;
}

/* The compliance among candidates, and where they would be without these forces. */
static void gather(lbTouch* touch, const float* given) {
    const lbResponse* r = touch->response;
    for (int j = 0; j < touch->count; ++j) {
        const float* column = lb_response_column(r, touch->points[j], 0);
        touch->base[j] = with(rest_of(touch, touch->points[j]), given, touch->points[j]);
        for (int i = 0; i < touch->count; ++i) {
            float* block = touch->blocks + 9 * ((size_t)i * lb_mostTouched + (size_t)j);
            const float* at = column + 3 * (size_t)touch->points[i];
            for (size_t c = 0; c < 3; ++c) {
                block[c] = at[c * r->stride], block[3 + c] = at[c * r->stride + 1],
                block[6 + c] = at[c * r->stride + 2];
            }
        }
    }
}

/* Places of all candidates; returns how far the farthest has moved. */
static double move_candidates(lbTouch* touch) {
    double moved = 0;
    for (int i = 0; i < touch->count; ++i) {
        lbVec3d x = touch->base[i];
        for (int j = 0; j < touch->count; ++j) {
            const double* f = touch->f + 3 * (size_t)j;
            if (f[0] == 0 && f[1] == 0 && f[2] == 0) {
                continue;
            }
            const float* b = touch->blocks + 9 * ((size_t)i * lb_mostTouched + (size_t)j);
            x.x += (double)b[0] * f[0] + (double)b[1] * f[1] + (double)b[2] * f[2];
            x.y += (double)b[3] * f[0] + (double)b[4] * f[1] + (double)b[5] * f[2];
            x.z += (double)b[6] * f[0] + (double)b[7] * f[1] + (double)b[8] * f[2];
        }
        moved = fmax(moved, vec3d_length(vec3d_sub(x, touch->x[i])));
        touch->x[i] = x;
    }
    return moved;
}

/* What is not as it should be: |g| of those that push, -g of the others, m. */
static double measure_gaps(lbTouch* touch, const lbTouchProbe* probes) {
    double worst = 0;
    for (int i = 0; i < touch->count; ++i) {
        touch->gap[i] = probe_gap(&probes[touch->probeOf[i]], touch->x[i], &touch->n[i]);
        worst = fmax(worst, touch->problem.active[i] ? fabs(touch->gap[i]) : -touch->gap[i]);
    }
    return worst;
}

/* A = n . G n, q the gaps without forces as they are linearised now. */
static void fill_problem(lbTouch* touch) {
    lbComplementarity* problem = &touch->problem;
    double largest = 0;
    problem->count = touch->count;
    for (int i = 0; i < touch->count; ++i) {
        lbVec3d n = touch->n[i];
        double* row = problem->a + (size_t)i * lb_mostTouched;
        problem->q[i] = touch->gap[i] + vec3d_dot(n, vec3d_sub(touch->base[i], touch->x[i]));
        for (int j = 0; j < touch->count; ++j) {
            const float* b = touch->blocks + 9 * ((size_t)i * lb_mostTouched + (size_t)j);
            lbVec3d m = touch->n[j];
            row[j] = (n.x * (double)b[0] + n.y * (double)b[3] + n.z * (double)b[6]) * m.x +
                     (n.x * (double)b[1] + n.y * (double)b[4] + n.z * (double)b[7]) * m.y +
                     (n.x * (double)b[2] + n.y * (double)b[5] + n.z * (double)b[8]) * m.z;
        }
        largest = fmax(largest, row[i]);
    }
    for (int i = 0; i < touch->count; ++i) { /* what float32 may have taken of its being definite */
        problem->a[(size_t)i * lb_mostTouched + (size_t)i] += 1e-7 * largest;
    }
}

/* ---- The exact scheme
 * ------------------------------------------------------------------------------------------------ */

static void warm_start(lbTouch* touch) {
    for (int i = 0; i < touch->count; ++i) {
        const double* f = touch->forces + 3 * (size_t)touch->points[i];
        memcpy(touch->f + 3 * (size_t)i, f, 3 * sizeof(double));
        touch->problem.active[i] = f[0] != 0 || f[1] != 0 || f[2] != 0;
        touch->x[i] = touch->base[i];
    }
}

static void solve_rounds(lbTouch* touch, const lbTouchProbe* probes) {
    double enough = tolerance * (double)touch->response->size;
    move_candidates(touch);
    touch->report.residual = measure_gaps(touch, probes);
    for (int round = 0; round < mostRounds; ++round) {
        fill_problem(touch);
        for (int i = 0; round == 0 && i < touch->count; ++i) {
            touch->problem.active[i] |= touch->gap[i] < 0;
        }
        if (!lb_solve_complementarity(&touch->problem)) {
            break;
        }
        touch->report.rounds += 1;
        touch->report.factorCount += touch->problem.factorCount;
        for (int i = 0; i < touch->count; ++i) {
            lbVec3d f = vec3d_scale(touch->problem.l[i], touch->n[i]);
            touch->f[3 * i] = f.x, touch->f[3 * i + 1] = f.y, touch->f[3 * i + 2] = f.z;
            touch->problem.active[i] = touch->problem.l[i] > 0;
        }
        double moved = move_candidates(touch);
        touch->report.residual = fmax(measure_gaps(touch, probes), round > 0 ? moved : 0);
        if (touch->report.residual < enough && (round > 0 || moved < enough)) {
            break;
        }
    }
}

/* Forces of candidates become the state, and the shape follows. */
static void take_forces(lbTouch* touch, const float* given) {
    const lbResponse* r = touch->response;
    memset(touch->forces, 0, 3 * (size_t)r->freeCount * sizeof(double));
    int count = 0, *points = touch->problem.rows;
    double* f = touch->problem.factor; /* scratch */
    for (int i = 0; i < touch->count; ++i) {
        const double* own = touch->f + 3 * (size_t)i;
        if (own[0] != 0 || own[1] != 0 || own[2] != 0) {
            memcpy(touch->forces + 3 * (size_t)touch->points[i], own, 3 * sizeof(double));
            memcpy(f + 3 * (size_t)count, own, 3 * sizeof(double));
            points[count++] = touch->points[i];
        }
    }
    if (given != NULL) {
        memcpy(touch->u, given, r->stride * sizeof(float));
    } else {
        memset(touch->u, 0, r->stride * sizeof(float));
    }
    lb_add_columns(r, count, points, f, touch->u);
    touch->report.touchedCount = count;
}

static void sum_probes(lbTouch* touch, lbTouchProbe* probes, int probeCount) {
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
        probe->touchedCount += f[0] != 0 || f[1] != 0 || f[2] != 0;
    }
}

static void begin(lbTouch* touch) {
    touch->count = 0;
    touch->report = (lbTouchReport){0};
    memset(touch->marked, 0, (size_t)touch->response->freeCount * sizeof(bool));
}

void lb_touch_exactly(lbTouch* touch, lbTouchProbe* probes, int probeCount, const float* given) {
    double margin = (double)touch->response->edge, enough = tolerance * (double)touch->response->size;
    begin(touch);
    find_candidates(touch, probes, probeCount, given, margin);
    for (int search = 0; search < mostSearches; ++search) {
        gather(touch, given);
        warm_start(touch);
        if (touch->count > 0) {
            solve_rounds(touch, probes);
        }
        take_forces(touch, given);
        if (find_candidates(touch, probes, probeCount, given, -enough) == 0) {
            break; /* nothing else is in a probe */
        }
    }
    touch->report.candidateCount = touch->count;
    touch->report.converged = touch->report.residual < 1e-6 * (double)touch->response->size && !touch->report.crowded;
    sum_probes(touch, probes, probeCount);
}

/* ---- The layer's scheme
 * ---------------------------------------------------------------------------------------------- */

/* Shifts of points that are inside at rest, and how strictly they are asked for. */
static void fill_layer(lbTouch* touch, const lbTouchProbe* probes, double thickness) {
    double typical = 0;
    size_t stride = 3 * (size_t)lb_mostTouched;
    for (int i = 0; i < touch->count; ++i) {
        for (int j = 0; j < touch->count; ++j) {
            const float* b = touch->blocks + 9 * ((size_t)i * lb_mostTouched + (size_t)j);
            for (size_t k = 0; k < 9; ++k) {
                touch->layer[(3 * (size_t)i + k / 3) * stride + 3 * (size_t)j + k % 3] = (double)b[k];
            }
        }
        const float* own = touch->blocks + 9 * ((size_t)i * lb_mostTouched + (size_t)i);
        typical += (double)(own[0] + own[4] + own[8]) / (3 * touch->count);
    }
    for (int i = 0; i < touch->count; ++i) {
        double depth = fmax(0, -probe_gap(&probes[touch->probeOf[i]], touch->base[i], &touch->n[i]));
        lbVec3d n = touch->n[i];
        double alpha = thickness > 0 ? fmin(1, fmax(1e-6, depth / thickness)) : 1;
        for (size_t c = 0; c < 3; ++c) {
            size_t row = 3 * (size_t)i + c;
            touch->layer[row * stride + row] += typical * ((1 - alpha) / alpha + 1e-7);
        }
        touch->f[3 * i] = depth * n.x, touch->f[3 * i + 1] = depth * n.y, touch->f[3 * i + 2] = depth * n.z;
    }
}

void lb_touch_by_layer(lbTouch* touch, lbTouchProbe* probes, int probeCount, const float* given, double thickness) {
    begin(touch);
    if (given != NULL) {
        memcpy(touch->u, given, touch->response->stride * sizeof(float));
    } else {
        memset(touch->u, 0, touch->response->stride * sizeof(float));
    }
    find_candidates(touch, probes, probeCount, given, 0); /* at rest: u is what is given alone */
    gather(touch, given);
    fill_layer(touch, probes, thickness);
    bool definite = lb_factor_definite(touch->layer, 3 * touch->count, 3 * lb_mostTouched);
    if (definite) {
        lb_solve_definite(touch->layer, 3 * touch->count, 3 * lb_mostTouched, touch->f);
    } else {
        memset(touch->f, 0, 3 * (size_t)touch->count * sizeof(double));
    }
    memcpy(touch->x, touch->base, (size_t)touch->count * sizeof(lbVec3d));
    move_candidates(touch);
    take_forces(touch, given);
    touch->report.rounds = touch->report.factorCount = 1;
    touch->report.candidateCount = touch->count;
    touch->report.converged = definite;
    sum_probes(touch, probes, probeCount);
}
