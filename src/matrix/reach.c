#include "matrix/reach.h"

#include "base/math.h"
#include "base/result.h"
#include "base/simd.h"
#include "matrix/block_matrix.h"

#include <string.h>

lbResult lb_create_reach(const lbHost* host, const lbNumberMatrix* averages, lbReach** reach) {
    *reach = LB_NEW(host, lbReach, 1);
    if (*reach == NULL) {
        return lb_out_of_memory("a matrix");
    }
    const lbNodeGraph* graph = averages->graph;
    **reach = (lbReach){.host = host,
                        .averages = averages,
                        .gradients = LB_NEW(host, float, (int64_t)graph->entryCount * 6 * LB_LANES),
                        .scratch = LB_NEW(host, float, 2 * 4 * (int64_t)graph->nodeCount)};
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

/* ---- Loops over chunks ------------------------------------------------------------------------------------------- */

enum { chunkSlices = matrixChunk / LB_LANES };

static int end_slice(const lbNodeGraph* graph, int endChunk) {
    return int_min(endChunk * chunkSlices, graph->sliceCount);
}

/* H in for one slice: numbers 0 and 1. */
static inline void multiply_slice(const lbNumberMatrix* matrix, int slice, const float* in, lbLanes sum[3]) {
    const lbNodeGraph* graph = matrix->graph;
    sum[0] = sum[1] = sum[2] = LANES_ALL(0.0f);
    for (int entry = graph->sliceStarts[slice]; entry < graph->sliceStarts[slice + 1]; ++entry) {
        lbLanes number = lanes_load(matrix->values + (size_t)entry * LB_LANES), v[3];
        gather_nodes(in, graph->offsets + (size_t)entry * LB_LANES, v);
        sum[0] += number * v[0];
        sum[1] += number * v[1];
    }
}

void lb_multiply_numbers(const lbNumberMatrix* matrix, int begin, int end, const float* in, float* out) {
    const lbNodeGraph* graph = matrix->graph;
    for (int slice = begin * chunkSlices; slice < end_slice(graph, end); ++slice) {
        lbLanes sum[3];
        multiply_slice(matrix, slice, in, sum);
        store_nodes(out, 4, graph->rows + (size_t)slice * LB_LANES, sum);
    }
}

static inline void store_beside(const int* rows, lbLanes numbers, const float* x, float* beside) {
    float lanes[LB_LANES];
    memcpy(lanes, &numbers, sizeof(lanes));
    for (int lane = 0; lane < LB_LANES && rows[lane] >= 0; ++lane) {
        size_t at = 4 * (size_t)rows[lane];
        lbFloat4 node = load4(x + at);
        node[3] = lanes[lane];
        store4(beside + at, node);
    }
}

void lb_multiply_numbers_beside(const lbNumberMatrix* matrix, int begin, int end, const float* in, const float* x,
                                float* beside, const float* p, float* besideP) {
    const lbNodeGraph* graph = matrix->graph;
    for (int slice = begin * chunkSlices; slice < end_slice(graph, end); ++slice) {
        const int* rows = graph->rows + (size_t)slice * LB_LANES;
        lbLanes sum[3];
        multiply_slice(matrix, slice, in, sum);
        store_beside(rows, sum[0], x, beside);
        if (p != NULL) {
            store_beside(rows, sum[1], p, besideP);
        }
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
    const lbNodeGraph* graph = reach->averages->graph;
    int first = graph->sliceStarts[begin * chunkSlices], last = graph->sliceStarts[end_slice(graph, end)];
    memset(reach->gradients + (size_t)first * 6 * LB_LANES, 0, (size_t)(last - first) * 6 * LB_LANES * sizeof(float));
}

void lb_zero_reach(const lbReach* reach, lbTasks* tasks) {
    ReachLoop loop = {.reach = reach};
    lb_parallel_for(tasks, lb_chunk_count(reach->averages->graph->nodeCount), 1, zero_chunks, &loop);
}

static inline lbLanes gradient_component(const lbReach* reach, int entry, int c) {
    return lanes_load(reach->gradients + ((size_t)entry * 6 + (size_t)c) * LB_LANES);
}

/* B p: of each row the sum of B_ij (p_j - p_i). */
static void average_chunks(void* context, int begin, int end) {
    const ReachLoop* loop = context;
    const lbNodeGraph* graph = loop->reach->averages->graph;
    for (int slice = begin * chunkSlices; slice < end_slice(graph, end); ++slice) {
        lbLanes sum[3] = {LANES_ALL(0.0f), LANES_ALL(0.0f), LANES_ALL(0.0f)}, own[3];
        gather_nodes(loop->p, graph->own + (size_t)slice * LB_LANES, own);
        for (int entry = graph->sliceStarts[slice]; entry < graph->sliceStarts[slice + 1]; ++entry) {
            lbLanes v[3];
            gather_nodes(loop->p, graph->offsets + (size_t)entry * LB_LANES, v);
            sum[0] += gradient_component(loop->reach, entry, 0) * (v[0] - own[0]) +
                      gradient_component(loop->reach, entry, 1) * (v[1] - own[1]) +
                      gradient_component(loop->reach, entry, 2) * (v[2] - own[2]);
        }
        store_nodes(loop->averages, 4, graph->rows + (size_t)slice * LB_LANES, sum);
    }
}

static void answer_chunks(void* context, int begin, int end) {
    const ReachLoop* loop = context;
    lb_multiply_numbers(loop->reach->averages, begin, end, loop->averages, loop->answers);
}

/* q += scale B^T answers: to each row the sum of B_ji r_j - B_ij r_i. */
static void push_chunks(void* context, int begin, int end) {
    const ReachLoop* loop = context;
    const lbNodeGraph* graph = loop->reach->averages->graph;
    lbLanes scale = LANES_ALL(loop->reach->scale);
    for (int slice = begin * chunkSlices; slice < end_slice(graph, end); ++slice) {
        lbLanes sum[3] = {LANES_ALL(0.0f), LANES_ALL(0.0f), LANES_ALL(0.0f)}, own[3], before[3];
        gather_nodes(loop->answers, graph->own + (size_t)slice * LB_LANES, own);
        for (int entry = graph->sliceStarts[slice]; entry < graph->sliceStarts[slice + 1]; ++entry) {
            lbLanes v[3];
            gather_nodes(loop->answers, graph->offsets + (size_t)entry * LB_LANES, v);
            for (int c = 0; c < 3; ++c) {
                sum[c] += gradient_component(loop->reach, entry, 3 + c) * v[0];
                sum[c] -= gradient_component(loop->reach, entry, c) * own[0];
            }
        }
        gather_nodes(loop->q, graph->own + (size_t)slice * LB_LANES, before);
        for (int c = 0; c < 3; ++c) {
            sum[c] = before[c] + scale * sum[c];
        }
        store_nodes(loop->q, 4, graph->rows + (size_t)slice * LB_LANES, sum);
    }
}

void lb_add_reach(const lbReach* reach, lbTasks* tasks, const float* p, float* q) {
    int count = reach->averages->graph->nodeCount, chunkCount = lb_chunk_count(count);
    ReachLoop loop = {reach, p, reach->scratch, reach->scratch + 4 * (size_t)count, q};
    lb_parallel_for(tasks, chunkCount, 1, average_chunks, &loop);
    lb_parallel_for(tasks, chunkCount, 1, answer_chunks, &loop);
    lb_parallel_for(tasks, chunkCount, 1, push_chunks, &loop);
}

/* ---- In double, node by node ------------------------------------------------------------------------------------- */

static const float* gradients_at(const lbReach* reach, int place) {
    return reach->gradients + place / LB_LANES * 6 * LB_LANES + place % LB_LANES;
}

static double average_of(const lbReach* reach, int node, const double* x) {
    const lbNodeGraph* graph = reach->averages->graph;
    double sum = 0;
    for (int k = graph->starts[node]; k < graph->starts[node + 1]; ++k) {
        const float* gradient = gradients_at(reach, graph->places[k]);
        const double *at = x + 4 * (size_t)graph->columns[k], *own = x + 4 * (size_t)node;
        for (int c = 0; c < 3; ++c) {
            sum += (double)gradient[c * LB_LANES] * (at[c] - own[c]);
        }
    }
    return sum;
}

static double answer_of(const lbReach* reach, int node, const double* averages) {
    const lbNodeGraph* graph = reach->averages->graph;
    double sum = 0;
    for (int k = graph->starts[node]; k < graph->starts[node + 1]; ++k) {
        sum += (double)reach->averages->values[graph->places[k]] * averages[graph->columns[k]];
    }
    return sum;
}

static void subtract_push(const lbReach* reach, int node, const double* answers, float* r) {
    const lbNodeGraph* graph = reach->averages->graph;
    double sum[3] = {0, 0, 0};
    for (int k = graph->starts[node]; k < graph->starts[node + 1]; ++k) {
        const float* gradient = gradients_at(reach, graph->places[k]);
        for (int c = 0; c < 3; ++c) {
            sum[c] += (double)gradient[(3 + c) * LB_LANES] * answers[graph->columns[k]];
            sum[c] -= (double)gradient[c * LB_LANES] * answers[node];
        }
    }
    for (int c = 0; c < 3; ++c) {
        r[4 * node + c] = (float)((double)r[4 * node + c] - (double)reach->scale * sum[c]);
    }
}

void lb_subtract_reach(const lbReach* reach, const double* x, float* r) {
    int count = reach->averages->graph->nodeCount;
    double *averages = (double*)reach->scratch, *answers = averages + count;
    for (int i = 0; i < count; ++i) {
        averages[i] = average_of(reach, i, x);
    }
    for (int i = 0; i < count; ++i) {
        answers[i] = answer_of(reach, i, averages);
    }
    for (int i = 0; i < count; ++i) {
        subtract_push(reach, i, answers, r);
    }
}

/* ---- The diagonal ------------------------------------------------------------------------------------------------ */

/* Row sums of H bound it by a diagonal: its numbers are positive. */
static void sum_chunks(void* context, int begin, int end) {
    const ReachLoop* loop = context;
    const lbNumberMatrix* matrix = loop->reach->averages;
    const lbNodeGraph* graph = matrix->graph;
    for (int slice = begin * chunkSlices; slice < end_slice(graph, end); ++slice) {
        lbLanes sum[3] = {LANES_ALL(0.0f), LANES_ALL(0.0f), LANES_ALL(0.0f)};
        for (int entry = graph->sliceStarts[slice]; entry < graph->sliceStarts[slice + 1]; ++entry) {
            sum[0] += lanes_load(matrix->values + (size_t)entry * LB_LANES);
        }
        store_nodes(loop->averages, 4, graph->rows + (size_t)slice * LB_LANES, sum);
    }
}

static inline void add_outer(lbLanes weight, const lbLanes g[3], lbLanes block[6]) {
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int e = 0; e < 6; ++e) {
        block[e] += weight * g[pairs[e][0]] * g[pairs[e][1]];
    }
}

/* To each row the sum of h_j B_ji B_ji^T, itself included: where j is i, what is stored is zero. */
static void diagonal_chunks(void* context, int begin, int end) {
    const ReachLoop* loop = context;
    const lbReach* reach = loop->reach;
    const lbNodeGraph* graph = reach->averages->graph;
    for (int slice = begin * chunkSlices; slice < end_slice(graph, end); ++slice) {
        lbLanes block[6], own[3] = {LANES_ALL(0.0f), LANES_ALL(0.0f), LANES_ALL(0.0f)}, h[3];
        for (int e = 0; e < 6; ++e) {
            block[e] = LANES_ALL(0.0f);
        }
        for (int entry = graph->sliceStarts[slice]; entry < graph->sliceStarts[slice + 1]; ++entry) {
            lbLanes g[3];
            for (int c = 0; c < 3; ++c) {
                g[c] = gradient_component(reach, entry, 3 + c);
                own[c] -= gradient_component(reach, entry, c);
            }
            gather_nodes(loop->averages, graph->offsets + (size_t)entry * LB_LANES, h);
            add_outer(h[0], g, block);
        }
        gather_nodes(loop->averages, graph->own + (size_t)slice * LB_LANES, h);
        add_outer(h[0], own, block);
        float numbers[6][LB_LANES];
        memcpy(numbers, block, sizeof(numbers));
        for (int i = 0; i < 6 * LB_LANES; ++i) {
            int row = graph->rows[slice * LB_LANES + i % LB_LANES];
            if (row >= 0) {
                loop->q[6 * (size_t)row + (size_t)(i / LB_LANES)] += reach->scale * numbers[i / LB_LANES][i % LB_LANES];
            }
        }
    }
}

void lb_add_reach_diagonals(const lbReach* reach, lbTasks* tasks, float* blocks) {
    int chunkCount = lb_chunk_count(reach->averages->graph->nodeCount);
    ReachLoop loop = {.reach = reach, .averages = reach->scratch, .q = blocks};
    lb_parallel_for(tasks, chunkCount, 1, sum_chunks, &loop);
    lb_parallel_for(tasks, chunkCount, 1, diagonal_chunks, &loop);
}
