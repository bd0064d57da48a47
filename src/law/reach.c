#include "law/reach.h"

#include "base/assert.h"
#include "base/math.h"
#include "base/result.h"
#include "base/simd.h"

#include <string.h>

lbResult lb_create_reach(const lbHost* host, const lbNumberMatrix* averages, lbReach** reach) {
    *reach = LB_NEW(host, lbReach, 1);
    if (*reach == NULL) {
        return lb_out_of_memory("a matrix");
    }
    const lbBlockPattern* pattern = averages->pattern;
    **reach = (lbReach){.host = host,
                        .averages = averages,
                        .gradients = LB_NEW(host, float, (int64_t)pattern->entryCount * 6 * LB_LANES),
                        .scratch = LB_NEW(host, float, 2 * 4 * (int64_t)pattern->rowCount)};
    if ((*reach)->gradients == NULL || (*reach)->scratch == NULL) {
        lb_destroy_reach(*reach);
        *reach = NULL;
        return lb_out_of_memory("a matrix");
    }
    return lb_success();
}

void lb_destroy_reach(lbReach* reach) {
    if (reach != NULL) {
        lb_release(reach->host, reach->gradients);
        lb_release(reach->host, reach->scratch);
        lb_release(reach->host, reach);
    }
}

int lb_number_place(const lbBlockPattern* pattern, int row, int column) {
    int slice = pattern->slots[row] / LB_LANES, lane = pattern->slots[row] % LB_LANES;
    int entry = pattern->sliceStarts[slice];
    while (pattern->columns[entry * LB_LANES + lane] != 4 * (uint32_t)column) {
        ++entry;
        LB_ASSERT(entry < pattern->sliceStarts[slice + 1]);
    }
    return entry * LB_LANES + lane;
}

/* ---- Loops over chunks ------------------------------------------------------------------------------------------- */

enum { chunkSlices = matrixChunk / LB_LANES };

static int end_slice(const lbBlockPattern* pattern, int endChunk) {
    return int_min(endChunk * chunkSlices, pattern->sliceCount);
}

void lb_multiply_numbers(const lbNumberMatrix* matrix, int begin, int end, const float* in, float* out) {
    const lbBlockPattern* pattern = matrix->pattern;
    for (int slice = begin * chunkSlices; slice < end_slice(pattern, end); ++slice) {
        lbLanes sum[3] = {LANES_ALL(0.0f), LANES_ALL(0.0f), LANES_ALL(0.0f)};
        for (int entry = pattern->sliceStarts[slice]; entry < pattern->sliceStarts[slice + 1]; ++entry) {
            lbLanes number = lanes_load(matrix->values + (size_t)entry * LB_LANES), v[3];
            gather_nodes(in, pattern->columns + (size_t)entry * LB_LANES, v);
            sum[0] += number * v[0];
            sum[1] += number * v[1];
        }
        store_nodes(out, 4, pattern->rows + (size_t)slice * LB_LANES, sum);
    }
}

typedef struct ReachLoop {
    const lbReach* reach;
    const float* p;
    float *averages, *answers; /* node vectors, one number each */
    float* q;
} ReachLoop;

static void zero_chunks(void* context, int begin, int end) {
    const lbReach* reach = ((const ReachLoop*)context)->reach;
    const lbBlockPattern* pattern = reach->averages->pattern;
    int first = pattern->sliceStarts[begin * chunkSlices], last = pattern->sliceStarts[end_slice(pattern, end)];
    memset(reach->gradients + (size_t)first * 6 * LB_LANES, 0, (size_t)(last - first) * 6 * LB_LANES * sizeof(float));
}

void lb_zero_reach(const lbReach* reach, lbTasks* tasks) {
    ReachLoop loop = {.reach = reach};
    lb_parallel_for(tasks, lb_chunk_count(reach->averages->pattern->rowCount), 1, zero_chunks, &loop);
}

/* The nodes of a slice's own rows. */
static inline const lbNodeOffset* own_nodes(const lbBlockPattern* pattern, int slice) {
    return pattern->columns + (size_t)pattern->sliceStarts[slice] * LB_LANES;
}

static inline lbLanes gradient_component(const lbReach* reach, int entry, int c) {
    return lanes_load(reach->gradients + ((size_t)entry * 6 + (size_t)c) * LB_LANES);
}

/* B p: of each row the sum of B_ij (p_j - p_i). */
static void average_chunks(void* context, int begin, int end) {
    const ReachLoop* loop = context;
    const lbBlockPattern* pattern = loop->reach->averages->pattern;
    for (int slice = begin * chunkSlices; slice < end_slice(pattern, end); ++slice) {
        lbLanes sum[3] = {LANES_ALL(0.0f), LANES_ALL(0.0f), LANES_ALL(0.0f)}, own[3];
        gather_nodes(loop->p, own_nodes(pattern, slice), own);
        for (int entry = pattern->sliceStarts[slice] + 1; entry < pattern->sliceStarts[slice + 1]; ++entry) {
            lbLanes v[3];
            gather_nodes(loop->p, pattern->columns + (size_t)entry * LB_LANES, v);
            sum[0] += gradient_component(loop->reach, entry, 0) * (v[0] - own[0]) +
                      gradient_component(loop->reach, entry, 1) * (v[1] - own[1]) +
                      gradient_component(loop->reach, entry, 2) * (v[2] - own[2]);
        }
        store_nodes(loop->averages, 4, pattern->rows + (size_t)slice * LB_LANES, sum);
    }
}

static void answer_chunks(void* context, int begin, int end) {
    const ReachLoop* loop = context;
    lb_multiply_numbers(loop->reach->averages, begin, end, loop->averages, loop->answers);
}

/* q += scale B^T answers: to each row the sum of B_ji r_j - B_ij r_i. */
static void push_chunks(void* context, int begin, int end) {
    const ReachLoop* loop = context;
    const lbBlockPattern* pattern = loop->reach->averages->pattern;
    lbLanes scale = LANES_ALL(loop->reach->scale);
    for (int slice = begin * chunkSlices; slice < end_slice(pattern, end); ++slice) {
        lbLanes sum[3] = {LANES_ALL(0.0f), LANES_ALL(0.0f), LANES_ALL(0.0f)}, own[3], before[3];
        gather_nodes(loop->answers, own_nodes(pattern, slice), own);
        for (int entry = pattern->sliceStarts[slice] + 1; entry < pattern->sliceStarts[slice + 1]; ++entry) {
            lbLanes v[3];
            gather_nodes(loop->answers, pattern->columns + (size_t)entry * LB_LANES, v);
            for (int c = 0; c < 3; ++c) {
                sum[c] += gradient_component(loop->reach, entry, 3 + c) * v[0];
                sum[c] -= gradient_component(loop->reach, entry, c) * own[0];
            }
        }
        gather_nodes(loop->q, own_nodes(pattern, slice), before);
        for (int c = 0; c < 3; ++c) {
            sum[c] = before[c] + scale * sum[c];
        }
        store_nodes(loop->q, 4, pattern->rows + (size_t)slice * LB_LANES, sum);
    }
}

void lb_add_reach(const lbReach* reach, lbTasks* tasks, const float* p, float* q) {
    int count = reach->averages->pattern->rowCount, chunkCount = lb_chunk_count(count);
    ReachLoop loop = {reach, p, reach->scratch, reach->scratch + 4 * (size_t)count, q};
    lb_parallel_for(tasks, chunkCount, 1, average_chunks, &loop);
    lb_parallel_for(tasks, chunkCount, 1, answer_chunks, &loop);
    lb_parallel_for(tasks, chunkCount, 1, push_chunks, &loop);
}

/* ---- The diagonal ------------------------------------------------------------------------------------------------ */

/* Row sums of H bound it by a diagonal: its numbers are positive. */
static void sum_chunks(void* context, int begin, int end) {
    const ReachLoop* loop = context;
    const lbNumberMatrix* matrix = loop->reach->averages;
    const lbBlockPattern* pattern = matrix->pattern;
    for (int slice = begin * chunkSlices; slice < end_slice(pattern, end); ++slice) {
        lbLanes sum[3] = {LANES_ALL(0.0f), LANES_ALL(0.0f), LANES_ALL(0.0f)};
        for (int entry = pattern->sliceStarts[slice]; entry < pattern->sliceStarts[slice + 1]; ++entry) {
            sum[0] += lanes_load(matrix->values + (size_t)entry * LB_LANES);
        }
        store_nodes(loop->averages, 4, pattern->rows + (size_t)slice * LB_LANES, sum);
    }
}

static inline void add_outer(lbLanes weight, const lbLanes g[3], lbLanes block[6]) {
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int e = 0; e < 6; ++e) {
        block[e] += weight * g[pairs[e][0]] * g[pairs[e][1]];
    }
}

/* To each row the sum of h_j B_ji B_ji^T, itself included. */
static void diagonal_chunks(void* context, int begin, int end) {
    const ReachLoop* loop = context;
    const lbReach* reach = loop->reach;
    const lbBlockPattern* pattern = reach->averages->pattern;
    for (int slice = begin * chunkSlices; slice < end_slice(pattern, end); ++slice) {
        lbLanes block[6], own[3] = {LANES_ALL(0.0f), LANES_ALL(0.0f), LANES_ALL(0.0f)}, h[3];
        for (int e = 0; e < 6; ++e) {
            block[e] = LANES_ALL(0.0f);
        }
        for (int entry = pattern->sliceStarts[slice] + 1; entry < pattern->sliceStarts[slice + 1]; ++entry) {
            lbLanes g[3];
            for (int c = 0; c < 3; ++c) {
                g[c] = gradient_component(reach, entry, 3 + c);
                own[c] -= gradient_component(reach, entry, c);
            }
            gather_nodes(loop->averages, pattern->columns + (size_t)entry * LB_LANES, h);
            add_outer(h[0], g, block);
        }
        gather_nodes(loop->averages, own_nodes(pattern, slice), h);
        add_outer(h[0], own, block);
        float numbers[6][LB_LANES];
        memcpy(numbers, block, sizeof(numbers));
        for (int i = 0; i < 6 * LB_LANES; ++i) {
            int row = pattern->rows[slice * LB_LANES + i % LB_LANES];
            if (row >= 0) {
                loop->q[6 * (size_t)row + (size_t)(i / LB_LANES)] += reach->scale * numbers[i / LB_LANES][i % LB_LANES];
            }
        }
    }
}

void lb_add_reach_diagonals(const lbReach* reach, lbTasks* tasks, float* blocks) {
    int chunkCount = lb_chunk_count(reach->averages->pattern->rowCount);
    ReachLoop loop = {.reach = reach, .averages = reach->scratch, .q = blocks};
    lb_parallel_for(tasks, chunkCount, 1, sum_chunks, &loop);
    lb_parallel_for(tasks, chunkCount, 1, diagonal_chunks, &loop);
}
