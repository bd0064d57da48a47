/* Loops over the compliance of points in contact: eight points side by side. */
#include "base/simd.h"
#include "bem/touch_blocks.h"

enum { lanes = 8 };

static double sum8(lbFloat8 v) {
    double a = (double)v[0] + (double)v[1], b = (double)v[2] + (double)v[3];
    double c = (double)v[4] + (double)v[5], d = (double)v[6] + (double)v[7];
    return (a + b) + (c + d);
}

/* Vectors by component, for lanes; what fills up is 0. */
static void split(const lbTouchBlocks* blocks, const double* f) {
    size_t stride = (size_t)blocks->stride;
    for (size_t c = 0; c < 3; ++c) {
        float* to = blocks->f + c * stride;
        for (size_t j = 0; j < stride; ++j) {
            to[j] = j < (size_t)blocks->count ? (float)f[3 * j + c] : 0;
        }
    }
}

void lb_add_block_forces(lbTouchBlocks* blocks, const double* f, const lbVec3d* base, lbVec3d* x) {
    size_t stride = (size_t)blocks->stride;
    split(blocks, f);
    for (int i = 0; i < blocks->count; ++i) {
        const float* row = lb_block_row(blocks, i);
        lbFloat8 sum[3] = {{0}, {0}, {0}};
        for (size_t j = 0; j < stride; j += lanes) {
            for (size_t b = 0; b < 3; ++b) {
                lbFloat8 force = load8(blocks->f + b * stride + j);
                sum[0] += load8(row + b * stride + j) * force;
                sum[1] += load8(row + (3 + b) * stride + j) * force;
                sum[2] += load8(row + (6 + b) * stride + j) * force;
            }
        }
        x[i] = vec3d_add(base[i], vec3d(sum8(sum[0]), sum8(sum[1]), sum8(sum[2])));
    }
}

void lb_push_block(lbTouchBlocks* blocks, int j, lbVec3d f) {
    size_t stride = (size_t)blocks->stride;
    const float* row = lb_block_row(blocks, j); /* by symmetry, what others do at j is what it does to them */
    float x = (float)f.x, y = (float)f.y, z = (float)f.z;
    for (size_t b = 0; b < 3; ++b) {
        const float* plane = row + b * stride;
        float* d = blocks->d + b * stride;
        for (size_t i = 0; i < stride; i += lanes) {
            store8(d + i, load8(d + i) + x * load8(plane + i) + y * load8(plane + 3 * stride + i) +
                              z * load8(plane + 6 * stride + i));
        }
    }
}

void lb_project_blocks(lbTouchBlocks* blocks, const lbVec3d* n, const lbVec3d* m, double* a, int strideA) {
    size_t stride = (size_t)blocks->stride;
    split(blocks, &m[0].x);
    for (int i = 0; i < blocks->count; ++i) {
        const float* row = lb_block_row(blocks, i);
        double* to = a + (size_t)i * (size_t)strideA;
        float x = (float)n[i].x, y = (float)n[i].y, z = (float)n[i].z;
        for (size_t j = 0; j < stride; j += lanes) {
            lbFloat8 sum = {0};
            for (size_t b = 0; b < 3; ++b) {
                const float* at = row + b * stride + j;
                sum += (x * load8(at) + y * load8(at + 3 * stride) + z * load8(at + 6 * stride)) *
                       load8(blocks->f + b * stride + j);
            }
            for (size_t lane = 0; lane < lanes; ++lane) {
                to[j + lane] = (double)sum[lane];
            }
        }
    }
}
