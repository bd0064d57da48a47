/* The loops over block matrices: products, and what is done to a matrix once it is assembled. */
#include "base/simd.h"
#include "law/block_matrix.h"
#include "law/reach.h"

#include <string.h>

/* ---- Loops over chunks ------------------------------------------------------------------------------------------- */

typedef struct MatrixLoop {
    const lbBlockMatrix* matrix;
    float scale;
    const float* mass;
    const float* p;
    float* q;
    double* partial; /* of each chunk */
} MatrixLoop;

enum { chunkSlices = matrixChunk / LB_LANES };

static inline int chunk_end(const lbBlockPattern* pattern, int chunk) {
    int end = (chunk + 1) * chunkSlices;
    return end < pattern->sliceCount ? end : pattern->sliceCount;
}

static inline const float* block_numbers(const lbBlockMatrix* matrix, int entry) {
    return matrix->values + (size_t)entry * (size_t)matrix->pattern->numberCount * LB_LANES;
}

/* Where row r, column c of a block is among its numbers. */
static const int nine[3][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}, six[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

/* q = A p for one slice; returns its share of p.q. */
static inline __attribute__((always_inline)) float multiply_slice(const lbBlockMatrix* matrix, const int number[3][3],
                                                                  int slice, const float* p, float* q) {
    const lbBlockPattern* pattern = matrix->pattern;
    int begin = pattern->sliceStarts[slice], end = pattern->sliceStarts[slice + 1];
    lbLanes sum[3] = {LANES_ALL(0.0f), LANES_ALL(0.0f), LANES_ALL(0.0f)}, own[3];
    gather_nodes(p, pattern->columns + (size_t)begin * LB_LANES, own);
    for (int entry = begin; entry < end; ++entry) {
        const float* k = block_numbers(matrix, entry);
        lbLanes d[3];
        gather_nodes(p, pattern->columns + (size_t)entry * LB_LANES, d);
        for (int c = 0; c < 3; ++c) {
            lbLanes force = lanes_load(k + number[c][0] * LB_LANES) * d[0];
            force += lanes_load(k + number[c][1] * LB_LANES) * d[1];
            force += lanes_load(k + number[c][2] * LB_LANES) * d[2];
            sum[c] += force; /* apart, so that entries need not wait for one another */
        }
    }
    store_nodes(q, 4, pattern->rows + (size_t)slice * LB_LANES, sum);
    return lanes_sum(own[0] * sum[0] + own[1] * sum[1] + own[2] * sum[2]); /* lanes without a row have zero sums */
}

static void multiply_chunks(void* context, int firstChunk, int lastChunk) {
    const MatrixLoop* loop = context;
    for (int chunk = firstChunk; chunk < lastChunk; ++chunk) {
        double dot = 0;
        int end = chunk_end(loop->matrix->pattern, chunk);
        if (loop->matrix->pattern->numberCount == 6) {
            for (int s = chunk * chunkSlices; s < end; ++s) {
                dot += (double)multiply_slice(loop->matrix, six, s, loop->p, loop->q);
            }
        } else {
            for (int s = chunk * chunkSlices; s < end; ++s) {
                dot += (double)multiply_slice(loop->matrix, nine, s, loop->p, loop->q);
            }
        }
        loop->partial[chunk] = dot;
    }
}

static void dot_chunks(void* context, int begin, int end) {
    const MatrixLoop* loop = context;
    int rowCount = loop->matrix->pattern->rowCount;
    for (int chunk = begin; chunk < end; ++chunk) {
        lbFloat4 dot = {0};
        int last = (chunk + 1) * matrixChunk < rowCount ? (chunk + 1) * matrixChunk : rowCount;
        for (size_t i = 4 * (size_t)chunk * matrixChunk; i < 4 * (size_t)last; i += 4) {
            dot += load4(loop->p + i) * load4(loop->q + i);
        }
        loop->partial[chunk] = (double)dot[0] + (double)dot[1] + (double)dot[2];
    }
}

double lb_multiply(const lbBlockMatrix* matrix, lbTasks* tasks, const float* p, float* q, double* partial) {
    int chunkCount = lb_chunk_count(matrix->pattern->rowCount);
    MatrixLoop loop = {.matrix = matrix, .p = p, .q = q, .partial = partial};
    lb_parallel_for(tasks, chunkCount, 1, multiply_chunks, &loop);
    if (matrix->reach != NULL) {
        lb_add_reach(matrix->reach, tasks, p, q);
        lb_parallel_for(tasks, chunkCount, 1, dot_chunks, &loop);
    }
    double dot = 0;
    for (int i = 0; i < chunkCount; ++i) {
        dot += partial[i];
    }
    return dot;
}

static void zero_chunks(void* context, int begin, int end) {
    const MatrixLoop* loop = context;
    const lbBlockPattern* pattern = loop->matrix->pattern;
    int first = pattern->sliceStarts[begin * chunkSlices], last = pattern->sliceStarts[chunk_end(pattern, end - 1)];
    size_t entryFloats = (size_t)pattern->numberCount * LB_LANES;
    memset(loop->matrix->values + (size_t)first * entryFloats, 0, (size_t)(last - first) * entryFloats * sizeof(float));
}

void lb_zero_matrix(const lbBlockMatrix* matrix, lbTasks* tasks) {
    MatrixLoop loop = {.matrix = matrix};
    lb_parallel_for(tasks, lb_chunk_count(matrix->pattern->rowCount), 1, zero_chunks, &loop);
}

static void complete_slice(const MatrixLoop* loop, int slice) {
    const lbBlockPattern* pattern = loop->matrix->pattern;
    int begin = pattern->sliceStarts[slice], end = pattern->sliceStarts[slice + 1];
    const int count = pattern->numberCount;
    float* diagonal = loop->matrix->values + (size_t)begin * (size_t)count * LB_LANES;
    lbLanes sum[9];
    for (int e = 0; e < count; ++e) {
        sum[e] = lanes_load(diagonal + e * LB_LANES);
    }
    for (int entry = begin + 1; entry < end; ++entry) {
        const float* k = block_numbers(loop->matrix, entry);
        for (int e = 0; e < count; ++e) {
            sum[e] -= lanes_load(k + e * LB_LANES);
        }
    }
    memcpy(diagonal, sum, (size_t)count * sizeof(lbLanes));
    for (int lane = 0; lane < LB_LANES; ++lane) {
        int row = pattern->rows[slice * LB_LANES + lane];
        for (int c = 0; row >= 0 && c < 3; ++c) {
            int number = count == 6 ? six[c][c] : nine[c][c];
            diagonal[number * LB_LANES + lane] += loop->scale * loop->mass[row];
        }
    }
}

static void complete_chunks(void* context, int begin, int end) {
    const MatrixLoop* loop = context;
    for (int s = begin * chunkSlices; s < chunk_end(loop->matrix->pattern, end - 1); ++s) {
        complete_slice(loop, s);
    }
}

void lb_complete_diagonals(const lbBlockMatrix* matrix, lbTasks* tasks, float scale, const float* mass) {
    MatrixLoop loop = {.matrix = matrix, .scale = scale, .mass = mass};
    lb_parallel_for(tasks, lb_chunk_count(matrix->pattern->rowCount), 1, complete_chunks, &loop);
}
