/* The scheme of Klimenko, Nikitina and Nikitin, appendix 2: points that are inside a probe at rest are shifted to its
 * surface, less strictly within a layer under it. */
#include "base/result.h"
#include "bem/touch.h"

#include <string.h>

lbResult lb_prepare_layer(lbTouch* touch) {
    if (touch->layer == NULL) {
        touch->layer = LB_NEW(touch->host, double, 9 * (int64_t)touch->capacity * touch->capacity);
    }
    return touch->layer != NULL ? lb_success() : lb_out_of_memory("contact by a layer");
}

/* Shifts of points that are inside at rest, and how strictly they are asked for. */
static void fill_layer(lbTouch* touch, const lbTouchProbe* probes, double thickness) {
    double typical = 0;
    size_t stride = 3 * (size_t)touch->capacity, plane = (size_t)touch->blocks.stride;
    for (int i = 0; i < touch->count; ++i) {
        const float* row = lb_block_row(&touch->blocks, i);
        for (size_t k = 0; k < 9; ++k) {
            for (int j = 0; j < touch->count; ++j) {
                touch->layer[(3 * (size_t)i + k / 3) * stride + 3 * (size_t)j + k % 3] =
                    (double)row[k * plane + (size_t)j];
            }
        }
        typical += (double)(row[i] + row[4 * plane + (size_t)i] + row[8 * plane + (size_t)i]) / (3 * touch->count);
    }
    for (int i = 0; i < touch->count; ++i) {
        double depth = fmax(0, -lb_probe_gap(&probes[touch->probeOf[i]], touch->base[i], &touch->n[i]));
        double alpha = thickness > 0 ? fmin(1, fmax(1e-6, depth / thickness)) : 1;
        lbVec3d n = touch->n[i];
        for (size_t c = 0; c < 3; ++c) {
            size_t row = 3 * (size_t)i + c;
            touch->layer[row * stride + row] += typical * ((1 - alpha) / alpha + 1e-7);
        }
        touch->f[3 * i] = depth * n.x, touch->f[3 * i + 1] = depth * n.y, touch->f[3 * i + 2] = depth * n.z;
    }
}

void lb_touch_by_layer(lbTouch* touch, lbTouchProbe* probes, int probeCount, const float* given, double thickness) {
    lb_begin_candidates(touch);
    if (given != NULL) {
        memcpy(touch->u, given, touch->response->stride * sizeof(float));
    } else {
        memset(touch->u, 0, touch->response->stride * sizeof(float));
    }
    lb_find_candidates(touch, probes, probeCount, 0); /* at rest: u is what is given alone */
    lb_gather_candidates(touch, given);
    fill_layer(touch, probes, thickness);
    bool definite = lb_factor_definite(touch->layer, 3 * touch->count, 3 * touch->capacity);
    if (definite) {
        lb_solve_definite(touch->layer, 3 * touch->count, 3 * touch->capacity, touch->f);
    } else {
        memset(touch->f, 0, 3 * (size_t)touch->count * sizeof(double));
    }
    memcpy(touch->x, touch->base, (size_t)touch->count * sizeof(lbVec3d));
    lb_move_candidates(touch);
    lb_take_forces(touch);
    lb_take_shape(touch, given);
    touch->report.rounds = touch->report.factorCount = 1;
    touch->report.candidateCount = touch->count;
    touch->report.converged = definite;
    lb_sum_probes(touch, probes, probeCount);
}
