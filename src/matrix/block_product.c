/* The loops over block matrices: packing them row by row, and products. */
#include "base/simd.h"
#include "matrix/block_matrix.h"
#include "matrix/doubles.h"
#include "matrix/reach.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

typedef struct MatrixLoop {
    const lbBlockMatrix* matrix;
    float scale;
    const float *mass, *p, *b;
    const double* x;
    float* q;
    double* partial; /* of each chunk */
} MatrixLoop;

enum { chunkSlices = matrixChunk / LB_LANES };

static inline int chunk_end(const lbBlockPattern* pattern, int chunk) {
    int end = (chunk + 1) * chunkSlices;
    return end < pattern->sliceCount ? end : pattern->sliceCount;
}

INLINE float* block_numbers(const lbBlockMatrix* matrix, int numberCount, int entry) {
    return matrix->values + (size_t)entry * (size_t)numberCount * LB_LANES;
}

/* Where row r, column c of a block is among its numbers. */
static const int nine[3][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}, six[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

/* ---- Packing ----------------------------------------------------------------------------------------------------- */

/* The blocks of one entry, from where the pairs have them to lanes. */
INLINE void collect_blocks(const lbBlockMatrix* matrix, int numberCount, const int* sources, lbLanes* number) {
    const float* blocks[LB_LANES];
    for (int lane = 0; lane < LB_LANES; ++lane) {
        int place = sources[lane];
        blocks[lane] = matrix->pairs + (place ^ (place >> 31)); /* ~place of those that are negative */
    }
    for (int first = 0; first < numberCount; first += LB_LANES) {
        int width = numberCount - first < LB_LANES ? numberCount - first : LB_LANES;
        lbLanes rows[LB_LANES];
        if (width > 1 || LB_LANES == 1) {
            for (int lane = 0; lane < LB_LANES; ++lane) {
                rows[lane] = lanes_load(blocks[lane] + first); /* six numbers stand eight apart */
            }
            lanes_transpose(rows);
            for (int e = 0; e < width; ++e) {
                number[first + e] = rows[e];
            }
        } else {
            float last[LB_LANES];
            for (int lane = 0; lane < LB_LANES; ++lane) {
                last[lane] = blocks[lane][first];
            }
            number[first] = lanes_load(last);
        }
    }
    if (numberCount == 9) {
        lanes_swap_negative(sources, &number[1], &number[3]);
        lanes_swap_negative(sources, &number[2], &number[6]);
        lanes_swap_negative(sources, &number[5], &number[7]);
    }
}

static void add_element_diagonals(const lbBlockMatrix* matrix, int slice) {
    for (int lane = 0; lane < LB_LANES; ++lane) {
        int row = matrix->pattern->rows[slice * LB_LANES + lane];
        float* diagonal = matrix->diagonals + (size_t)slice * 6 * LB_LANES + (size_t)lane;
        for (int e = 0; row >= 0 && e < 6; ++e) {
            const float* blocks = e < 3 ? matrix->elements->first : matrix->elements->second;
            diagonal[e * LB_LANES] += blocks[4 * (size_t)row + (size_t)(e % 3)];
        }
    }
}

INLINE void pack_slice(const MatrixLoop* loop, int numberCount, const int number[3][3], int slice) {
    const lbBlockMatrix* matrix = loop->matrix;
    const lbBlockPattern* pattern = matrix->pattern;
    const int upper[6] = {number[0][0], number[0][1], number[0][2], number[1][1], number[1][2], number[2][2]};
    lbLanes sum[6];
    float weight[LB_LANES];
    for (int lane = 0; lane < LB_LANES; ++lane) {
        int row = pattern->rows[slice * LB_LANES + lane];
        weight[lane] = row >= 0 ? loop->scale * loop->mass[row] : 0;
    }
    lanes_store(matrix->weights + (size_t)slice * LB_LANES, lanes_load(weight));
    for (int e = 0; e < 6; ++e) {
        sum[e] = e == 0 || e == 3 || e == 5 ? lanes_load(weight) : LANES_ALL(0.0f);
    }
    for (int entry = pattern->sliceStarts[slice]; entry < pattern->sliceStarts[slice + 1]; ++entry) {
        lbLanes numbers[9];
        collect_blocks(matrix, numberCount, pattern->sources + (size_t)entry * LB_LANES, numbers);
        float* out = block_numbers(matrix, numberCount, entry);
        for (int e = 0; e < numberCount; ++e) {
            lanes_store(out + e * LB_LANES, numbers[e]);
        }
        for (int e = 0; e < 6; ++e) {
            sum[e] -= numbers[upper[e]];
        }
    }
    for (int e = 0; e < 6; ++e) {
        lanes_store(matrix->diagonals + ((size_t)slice * 6 + (size_t)e) * LB_LANES, sum[e]);
    }
    if (matrix->elements != NULL) {
        add_element_diagonals(matrix, slice);
    }
}

static void pack_chunks(void* context, int firstChunk, int lastChunk) {
    const MatrixLoop* loop = context;
    const lbBlockPattern* pattern = loop->matrix->pattern;
    for (int s = firstChunk * chunkSlices; s < chunk_end(pattern, lastChunk - 1); ++s) {
        if (pattern->numberCount == 6) {
            pack_slice(loop, 6, six, s);
        } else {
            pack_slice(loop, 9, nine, s);
        }
    }
}

void lb_pack_matrix(const lbBlockMatrix* matrix, lbTasks* tasks, float scale, const float* mass) {
    MatrixLoop loop = {.matrix = matrix, .scale = scale, .mass = mass};
    lb_parallel_for(tasks, lb_chunk_count(matrix->pattern->rowCount), 1, pack_chunks, &loop);
    for (int i = 0; i < matrix->own->count; ++i) {
        const lbOwnBlock* block = &matrix->own->blocks[i];
        int slot = matrix->pattern->slots[block->row];
        for (int e = 0; e < 6; ++e) {
            matrix->diagonals[((size_t)(slot / LB_LANES) * 6 + (size_t)e) * LB_LANES + (size_t)(slot % LB_LANES)] +=
                block->numbers[e];
        }
    }
}

enum { zeroGrain = 4096 }; /* pairs */

static void zero_pairs(void* context, int begin, int end) {
    const lbBlockMatrix* matrix = context;
    size_t stride = (size_t)matrix->pattern->pairStride;
    memset(matrix->pairs + (size_t)begin * stride, 0, (size_t)(end - begin) * stride * sizeof(float));
}

void lb_zero_matrix(const lbBlockMatrix* matrix, lbTasks* tasks) {
    lbBlockMatrix loop = *matrix;
    lb_parallel_for(tasks, matrix->pattern->pairCount, zeroGrain, zero_pairs, &loop);
    for (int i = 0; i < matrix->own->count; ++i) {
        matrix->own->indexOf[matrix->own->blocks[i].row] = -1;
    }
    matrix->own->count = 0;
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */

/* q = A p for one slice; returns its share of p.q. */
INLINE float multiply_slice(const lbBlockMatrix* matrix, int numberCount, const int number[3][3], bool weighted,
                            int slice, const float* p, float* q) {
    const lbBlockPattern* pattern = matrix->pattern;
    int begin = pattern->sliceStarts[slice], end = pattern->sliceStarts[slice + 1];
    lbLanes sum[3], own[3];
    gather_nodes(p, pattern->own + (size_t)slice * LB_LANES, own);
    lbLanes weight = weighted ? lanes_load(matrix->weights + (size_t)slice * LB_LANES) : LANES_ALL(0.0f);
    for (int c = 0; c < 3; ++c) {
        sum[c] = weight * own[c];
    }
    for (int entry = begin; entry < end; ++entry) {
        const float* k = block_numbers(matrix, numberCount, entry);
        lbLanes d[3];
        gather_nodes(p, pattern->columns + (size_t)entry * LB_LANES, d);
        for (int c = 0; c < 3; ++c) {
            d[c] -= own[c];
        }
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
                dot += (double)multiply_slice(loop->matrix, 6, six, true, s, loop->p, loop->q);
            }
        } else {
            for (int s = chunk * chunkSlices; s < end; ++s) {
                dot += (double)multiply_slice(loop->matrix, 9, nine, true, s, loop->p, loop->q);
            }
        }
        if (loop->partial != NULL) {
            loop->partial[chunk] = dot;
        }
    }
}

static void dot_chunks(void* context, int firstChunk, int lastChunk) {
    const MatrixLoop* loop = context;
    size_t rowCount = (size_t)loop->matrix->pattern->rowCount;
    for (int chunk = firstChunk; chunk < lastChunk; ++chunk) {
        size_t begin = (size_t)chunk * matrixChunk,
               end = begin + matrixChunk < rowCount ? begin + matrixChunk : rowCount;
        double dot = 0;
        for (size_t first = begin; first < end; first += 8) { /* a few products in float, sums of them in double */
            lbFloat4 sum = {0};
            for (size_t i = first; i < first + 8 && i < end; ++i) {
                sum += load4(loop->p + 4 * i) * load4(loop->q + 4 * i);
            }
            dot += (double)sum[0] + (double)sum[1] + (double)sum[2];
        }
        loop->partial[chunk] = dot;
    }
}

/* q += B p; returns p.B p. */
static double add_own_blocks(const lbOwnBlocks* own, const float* p, float* q) {
    double dot = 0;
    for (int i = 0; i < own->count; ++i) {
        const float* b = own->blocks[i].numbers;
        const float* from = p + 4 * (size_t)own->blocks[i].row;
        float* to = q + 4 * (size_t)own->blocks[i].row;
        for (int c = 0; c < 3; ++c) {
            float sum = b[six[c][0]] * from[0] + b[six[c][1]] * from[1] + b[six[c][2]] * from[2];
            to[c] += sum;
            dot += (double)sum * (double)from[c];
        }
    }
    return dot;
}

double lb_multiply(const lbBlockMatrix* matrix, lbTasks* tasks, const float* p, float* q, double* partial) {
    int chunkCount = lb_chunk_count(matrix->pattern->rowCount);
    MatrixLoop loop = {.matrix = matrix, .p = p, .q = q, .partial = partial};
    lb_parallel_for(tasks, chunkCount, 1, multiply_chunks, &loop);
    double dot = add_own_blocks(matrix->own, p, q);
    if (lb_reaches(matrix->reach)) {
        dot += lb_add_reach(matrix->reach, tasks, p, q);
    }
    if (matrix->elements != NULL) {
        matrix->elements->add(matrix->elements->self, tasks, p, q);
        dot = 0;
        if (partial != NULL) {
            lb_parallel_for(tasks, chunkCount, 1, dot_chunks, &loop);
        }
    }
    for (int i = 0; partial != NULL && i < chunkCount; ++i) {
        dot += partial[i];
    }
    return dot;
}

static void multiply_difference_chunks(void* context, int firstChunk, int lastChunk) {
    const MatrixLoop* loop = context;
    const lbBlockPattern* pattern = loop->matrix->pattern;
    for (int s = firstChunk * chunkSlices; s < chunk_end(pattern, lastChunk - 1); ++s) {
        if (pattern->numberCount == 6) {
            multiply_slice(loop->matrix, 6, six, false, s, loop->p, loop->q);
        } else {
            multiply_slice(loop->matrix, 9, nine, false, s, loop->p, loop->q);
        }
    }
}

void lb_multiply_differences(const lbBlockMatrix* matrix, lbTasks* tasks, const float* p, float* q) {
    MatrixLoop loop = {.matrix = matrix, .p = p, .q = q};
    lb_parallel_for(tasks, lb_chunk_count(matrix->pattern->rowCount), 1, multiply_difference_chunks, &loop);
    add_own_blocks(matrix->own, p, q);
    if (lb_reaches(matrix->reach)) {
        lb_add_reach(matrix->reach, tasks, p, q);
    }
    if (matrix->elements != NULL) {
        matrix->elements->add(matrix->elements->self, tasks, p, q);
    }
}

/* ---- Products in double ------------------------------------------------------------------------------------------ */

/* The rows of lanes `first` to `first` + doubleLanes. */
INLINE void subtract_rows(const MatrixLoop* loop, int numberCount, const int number[3][3], int slice, int first) {
    const lbBlockMatrix* matrix = loop->matrix;
    const lbBlockPattern* pattern = matrix->pattern;
    size_t slot = (size_t)slice * LB_LANES + (size_t)first;
    Doubles sum[3], own[3], weight = widen(matrix->weights + slot);
    gather_doubles(loop->x, pattern->own + slot, own);
    for (int c = 0; c < 3; ++c) {
        sum[c] = weight * own[c];
    }
    for (int entry = pattern->sliceStarts[slice]; entry < pattern->sliceStarts[slice + 1]; ++entry) {
        const float* k = block_numbers(matrix, numberCount, entry) + first;
        Doubles d[3];
        gather_doubles(loop->x, pattern->columns + (size_t)entry * LB_LANES + (size_t)first, d);
        for (int c = 0; c < 3; ++c) {
            d[c] -= own[c];
        }
        for (int c = 0; c < 3; ++c) {
            sum[c] += widen(k + number[c][0] * LB_LANES) * d[0] + widen(k + number[c][1] * LB_LANES) * d[1] +
                      widen(k + number[c][2] * LB_LANES) * d[2];
        }
    }
    for (int lane = 0; lane < doubleLanes; ++lane) {
        int row = pattern->rows[slot + (size_t)lane];
        for (int c = 0; row >= 0 && c < 3; ++c) {
            size_t at = 4 * (size_t)row + (size_t)c;
            loop->q[at] = (float)((double)loop->b[at] - sum[c][lane]);
        }
        if (row >= 0) {
            loop->q[4 * (size_t)row + 3] = 0;
        }
    }
}

static void subtract_chunks(void* context, int firstChunk, int lastChunk) {
    const MatrixLoop* loop = context;
    const lbBlockPattern* pattern = loop->matrix->pattern;
    for (int s = firstChunk * chunkSlices; s < chunk_end(pattern, lastChunk - 1); ++s) {
        for (int first = 0; first < LB_LANES; first += doubleLanes) {
            if (pattern->numberCount == 6) {
                subtract_rows(loop, 6, six, s, first);
            } else {
                subtract_rows(loop, 9, nine, s, first);
            }
        }
    }
}

static void subtract_own_blocks(const lbOwnBlocks* own, const double* x, float* r) {
    for (int i = 0; i < own->count; ++i) {
        const float* b = own->blocks[i].numbers;
        const double* from = x + 4 * (size_t)own->blocks[i].row;
        float* to = r + 4 * (size_t)own->blocks[i].row;
        for (int c = 0; c < 3; ++c) {
            double sum =
                (double)b[six[c][0]] * from[0] + (double)b[six[c][1]] * from[1] + (double)b[six[c][2]] * from[2];
            to[c] = (float)((double)to[c] - sum);
        }
    }
}

void lb_subtract_product(const lbBlockMatrix* matrix, lbTasks* tasks, const double* x, const float* b, float* r) {
    MatrixLoop loop = {.matrix = matrix, .x = x, .b = b, .q = r};
    lb_parallel_for(tasks, lb_chunk_count(matrix->pattern->rowCount), 1, subtract_chunks, &loop);
    subtract_own_blocks(matrix->own, x, r);
    if (lb_reaches(matrix->reach)) {
        lb_subtract_reach(matrix->reach, tasks, x, r);
    }
    if (matrix->elements != NULL) {
        matrix->elements->subtract(matrix->elements->self, tasks, x, r);
    }
}
