/* Inverses of the nodes' own blocks, which are symmetric: by cofactors, LB_LANES of them at once. */
#include "base/simd.h"
#include "matrix/preconditioner.h"

#include <float.h>
#include <string.h>

typedef struct LaneBlocks {
    lbLanes xx, yy, zz, xy, xz, yz;
} LaneBlocks;

/* A preconditioner must be positive definite whatever the matrix is: where a block is not, it is taken for a multiple
 * of one, and for infinite where it is zero. */
static void replace_indefinite(LaneBlocks* inverse, const float* good, const float* scale) {
    bool allGood = true;
    for (int lane = 0; lane < LB_LANES; ++lane) {
        allGood &= good[lane] > 0;
    }
    if (allGood) {
        return;
    }
    float numbers[6][LB_LANES];
    memcpy(numbers, inverse, sizeof(numbers));
    for (int lane = 0; lane < LB_LANES; ++lane) {
        for (int e = 0; e < 6 && !(good[lane] > 0); ++e) {
            numbers[e][lane] = e < 3 ? 3 * scale[lane] : 0;
        }
    }
    memcpy(inverse, numbers, sizeof(numbers));
}

static LaneBlocks invert(const LaneBlocks* block) {
    const float least = 1e-6f; /* for directions that are held: there, residuals are zero */
    lbLanes trace =
        lanes_max(block->xx, -block->xx) + lanes_max(block->yy, -block->yy) + lanes_max(block->zz, -block->zz);
    float scales[LB_LANES], good[LB_LANES];
    memcpy(scales, &trace, sizeof(scales));
    for (int lane = 0; lane < LB_LANES; ++lane) { /* blocks of what cannot move are zero */
        scales[lane] = scales[lane] > FLT_MIN ? 1 / scales[lane] : 0;
    }
    lbLanes scale = lanes_load(scales);
    lbLanes a = block->xx * scale + least, b = block->yy * scale + least, c = block->zz * scale + least;
    lbLanes d = block->xy * scale, e = block->xz * scale, f = block->yz * scale;
    lbLanes minor = a * b - d * d, xx = b * c - f * f, xy = e * f - d * c, xz = d * f - b * e;
    lbLanes determinant = a * xx + d * xy + e * xz;
    lbLanes s = scale / determinant;
    LaneBlocks inverse = {s * xx, s * (a * c - e * e), s * minor, s * xy, s * xz, s * (d * e - a * f)};
    /* a, minor and determinant are positive: Sylvester's criterion */
    lbLanes smallest = -lanes_max(-a, lanes_max(-minor, -determinant));
    memcpy(good, &smallest, sizeof(good));
    replace_indefinite(&inverse, good, scales);
    return inverse;
}

/* As three columns each, x, y, z, 0. */
static void store_inverse(const LaneBlocks* inverse, const int* row, float* out) {
    const lbLanes columns[3][3] = {{inverse->xx, inverse->xy, inverse->xz},
                                   {inverse->xy, inverse->yy, inverse->yz},
                                   {inverse->xz, inverse->yz, inverse->zz}};
    for (int c = 0; c < 3; ++c) {
        store_nodes(out + 4 * c, 12, row, columns[c]);
    }
}

void lb_invert_lanes(const float* numbers, const int* rows, float* out) {
    LaneBlocks block = {lanes_load(numbers),
                        lanes_load(numbers + 3 * LB_LANES),
                        lanes_load(numbers + 5 * LB_LANES),
                        lanes_load(numbers + LB_LANES),
                        lanes_load(numbers + 2 * LB_LANES),
                        lanes_load(numbers + 4 * LB_LANES)};
    LaneBlocks inverse = invert(&block);
    store_inverse(&inverse, rows, out);
}

void lb_invert_blocks(const float* blocks, int count, float* inverse) {
    for (int first = 0; first < count; first += LB_LANES) {
        float numbers[6 * LB_LANES] = {0};
        int rows[LB_LANES];
        for (int lane = 0; lane < LB_LANES; ++lane) {
            rows[lane] = first + lane < count ? first + lane : -1;
            for (int e = 0; e < 6 && rows[lane] >= 0; ++e) {
                numbers[e * LB_LANES + lane] = blocks[8 * (size_t)(first + lane) + (size_t)e];
            }
        }
        lb_invert_lanes(numbers, rows, inverse);
    }
}
