#include "bem/touch_blocks.h"

#include <string.h>

enum { lanes = 8 };

bool lb_create_blocks(const lbResponse* response, int capacity, lbTouchBlocks* blocks) {
    const lbHost* host = response->host;
    int64_t padded = (capacity + lanes - 1) / lanes * lanes;
    *blocks = (lbTouchBlocks){.response = response, .capacity = capacity};
    blocks->points = LB_NEW(host, int, capacity);
    blocks->slotOf = LB_NEW(host, int, response->freeCount);
    blocks->rows = LB_NEW(host, float, 9 * padded * capacity);
    blocks->spare = LB_NEW(host, float, 9 * padded * capacity);
    blocks->from = LB_NEW(host, int, capacity);
    blocks->f = LB_NEW(host, float, 3 * padded);
    blocks->d = LB_NEW(host, float, 3 * padded);
    if (blocks->points == NULL || blocks->slotOf == NULL || blocks->rows == NULL || blocks->spare == NULL ||
        blocks->from == NULL || blocks->f == NULL || blocks->d == NULL) {
        lb_free_blocks(blocks);
        return false;
    }
    memset(blocks->slotOf, -1, (size_t)response->freeCount * sizeof(int));
    return true;
}

void lb_free_blocks(lbTouchBlocks* blocks) {
    if (blocks->response == NULL) {
        return;
    }
    void* arrays[] = {blocks->points, blocks->slotOf, blocks->rows, blocks->spare, blocks->from, blocks->f, blocks->d};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i) {
        lb_release(blocks->response->host, arrays[i]);
    }
    *blocks = (lbTouchBlocks){0};
}

/* What stays of a row: runs of points that stand side by side before and after. */
static void keep_row(const float* before, size_t oldStride, const int* from, int count, float* row, size_t stride) {
    for (int j = 0; j < count;) {
        int run = 1;
        while (j + run < count && from[j] >= 0 && from[j + run] == from[j] + run) {
            ++run;
        }
        for (size_t k = 0; from[j] >= 0 && k < 9; ++k) {
            memcpy(row + k * stride + (size_t)j, before + k * oldStride + (size_t)from[j], (size_t)run * sizeof(float));
        }
        j += run;
    }
}

/* How a new point moves for forces on all: by symmetry its own columns, at all of them. */
static void gather_row(const lbResponse* r, int point, const int* points, int count, float* row, size_t stride) {
    for (size_t a = 0; a < 3; ++a) {
        const float* column = lb_response_column(r, point, (int)a);
        for (size_t b = 0; b < 3; ++b) {
            float* plane = row + (3 * a + b) * stride;
            for (int j = 0; j < count; ++j) {
                plane[j] = column[3 * (size_t)points[j] + b];
            }
        }
    }
}

void lb_update_blocks(lbTouchBlocks* blocks, const int* points, int count) {
    if (count == blocks->count && memcmp(points, blocks->points, (size_t)count * sizeof(int)) == 0) {
        return;
    }
    size_t old = (size_t)blocks->stride, stride = (size_t)((count + lanes - 1) / lanes * lanes);
    for (int i = 0; i < count; ++i) {
        blocks->from[i] = blocks->slotOf[points[i]];
    }
    for (int i = 0; i < count; ++i) {
        float* row = blocks->spare + 9 * (size_t)i * stride;
        int from = blocks->from[i];
        for (size_t k = 0; k < 9; ++k) {
            memset(row + k * stride + (size_t)count, 0, (stride - (size_t)count) * sizeof(float));
        }
        if (from >= 0) {
            keep_row(blocks->rows + 9 * (size_t)from * old, old, blocks->from, count, row, stride);
        } else {
            gather_row(blocks->response, points[i], points, count, row, stride);
        }
    }
    for (int j = 0; j < count; ++j) { /* forces on new points move the others */
        for (int i = 0; blocks->from[j] < 0 && i < count; ++i) {
            const float* back = blocks->spare + 9 * (size_t)j * stride + (size_t)i;
            float* row = blocks->spare + 9 * (size_t)i * stride + (size_t)j;
            for (size_t k = 0; k < 9; ++k) {
                row[k * stride] = back[(3 * (k % 3) + k / 3) * stride];
            }
        }
    }
    float* rows = blocks->rows;
    blocks->rows = blocks->spare, blocks->spare = rows;
    for (int i = 0; i < blocks->count; ++i) {
        blocks->slotOf[blocks->points[i]] = -1;
    }
    memcpy(blocks->points, points, (size_t)count * sizeof(int));
    for (int i = 0; i < count; ++i) {
        blocks->slotOf[points[i]] = i;
    }
    blocks->count = count;
    blocks->stride = (int)stride;
}
