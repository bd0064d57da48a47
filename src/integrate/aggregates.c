#include "integrate/aggregates.h"

#include "base/math.h"
#include "base/simd.h"

#include <string.h>

lbAggregates lb_take_aggregates(lbArena* arena, int count) {
    lbAggregates made = {.count = count};
    size_t groups = (size_t)count;
    for (int level = 0; level <= groupLevels; ++level) {
        made.inverse[level] = lb_arena_take(arena, 12 * groups * sizeof(float));
        groups = (groups + groupSize - 1) / groupSize;
    }
    return made;
}

/* ---- Inverse blocks ---------------------------------------------------------------------------------------------- */

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
    for (int lane = 0; lane < LB_LANES; ++lane) { /* blocks of nodes that cannot move are zero */
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

/* Sums of the blocks between nodes of one group; groups of a chunk on all levels. */
typedef struct ChunkSums {
    float level[groupLevels][matrixChunk / groupSize][6];
} ChunkSums;

/* Where xx, yy, zz, xy, xz, yz are in a block. */
static const int inNine[6] = {0, 4, 8, 1, 2, 5}, inSix[6] = {0, 3, 5, 1, 2, 4};

/* One in the lanes whose node is in another lane's group of 2^k..., that is, whose index differs in bits from
 * `least` to below `most` at the highest; else zero. Indices come four times as large. */
static inline lbLanes lanes_apart(const uint32_t* a, const uint32_t* b, uint32_t least, uint32_t most) {
    float weight[LB_LANES];
    for (int lane = 0; lane < LB_LANES; ++lane) { /* becomes three instructions */
        uint32_t differ = a[lane] ^ b[lane];
        weight[lane] = (float)((differ >= 4 * least) & (differ < 4 * most));
    }
    return lanes_load(weight);
}

/* Each block counts on the finest level that has both its nodes in one group; nodes are in one group of 2^k when their
 * indices differ in the lowest k bits only. */
static inline __attribute__((always_inline)) void sum_slice(const lbBlockMatrix* matrix, const int number[6],
                                                            int numberCount, int slice, ChunkSums* sums) {
    const lbBlockPattern* pattern = matrix->pattern;
    int begin = pattern->sliceStarts[slice], end = pattern->sliceStarts[slice + 1];
    const uint32_t* own = pattern->columns + (size_t)begin * LB_LANES;
    lbLanes total[groupLevels][6];
    for (int e = 0; e < 6 * groupLevels; ++e) {
        total[e / 6][e % 6] = LANES_ALL(0.0f);
    }
    for (int entry = begin; entry < end; ++entry) {
        const uint32_t* column = pattern->columns + (size_t)entry * LB_LANES;
        const float* k = matrix->values + (size_t)entry * (size_t)numberCount * LB_LANES;
        const lbLanes weight[groupLevels] = {lanes_apart(own, column, 0, 8), lanes_apart(own, column, 8, 64),
                                             lanes_apart(own, column, 64, 512)};
        for (int e = 0; e < 6; ++e) {
            lbLanes value = lanes_load(k + number[e] * LB_LANES);
            for (int level = 0; level < groupLevels; ++level) {
                total[level][e] += weight[level] * value;
            }
        }
    }
    float lanes[groupLevels][6][LB_LANES];
    memcpy(lanes, total, sizeof(lanes));
    for (int lane = 0; lane < LB_LANES; ++lane) {
        int row = pattern->rows[slice * LB_LANES + lane], local = row % matrixChunk;
        for (int e = 0; row >= 0 && e < 6; ++e) {
            sums->level[0][local / 8][e] += lanes[0][e][lane];
            sums->level[1][local / 64][e] += lanes[1][e][lane];
            sums->level[2][local / 512][e] += lanes[2][e][lane];
        }
    }
}

typedef struct PrepareLoop {
    lbAggregates* aggregates;
    const lbBlockMatrix* matrix;
} PrepareLoop;

static void invert_nodes(const PrepareLoop* loop, const int number[6], int slice) {
    const lbBlockPattern* pattern = loop->matrix->pattern;
    const float* diagonal =
        loop->matrix->values + (size_t)pattern->sliceStarts[slice] * (size_t)pattern->numberCount * LB_LANES;
    LaneBlocks block = {lanes_load(diagonal + number[0] * LB_LANES), lanes_load(diagonal + number[1] * LB_LANES),
                        lanes_load(diagonal + number[2] * LB_LANES), lanes_load(diagonal + number[3] * LB_LANES),
                        lanes_load(diagonal + number[4] * LB_LANES), lanes_load(diagonal + number[5] * LB_LANES)};
    LaneBlocks inverse = invert(&block);
    store_inverse(&inverse, pattern->rows + (size_t)slice * LB_LANES, loop->aggregates->inverse[0]);
}

/* Sums of `count` groups to inverse blocks, LB_LANES at a time. */
static void invert_groups(float (*sums)[6], int count, float* inverse) {
    for (int first = 0; first < count; first += LB_LANES) {
        float lanes[6][LB_LANES] = {0};
        int rows[LB_LANES];
        for (int lane = 0; lane < LB_LANES; ++lane) {
            rows[lane] = first + lane < count ? first + lane : -1;
            for (int e = 0; e < 6 && rows[lane] >= 0; ++e) {
                lanes[e][lane] = sums[first + lane][e];
            }
        }
        LaneBlocks block = {lanes_load(lanes[0]), lanes_load(lanes[1]), lanes_load(lanes[2]),
                            lanes_load(lanes[3]), lanes_load(lanes[4]), lanes_load(lanes[5])};
        LaneBlocks inverted = invert(&block);
        store_inverse(&inverted, rows, inverse);
    }
}

static void prepare_chunk(const PrepareLoop* loop, int chunk) {
    const lbBlockPattern* pattern = loop->matrix->pattern;
    const int slices = matrixChunk / LB_LANES;
    ChunkSums sums = {0};
    for (int s = chunk * slices; s < int_min((chunk + 1) * slices, pattern->sliceCount); ++s) {
        if (pattern->numberCount == 6) {
            sum_slice(loop->matrix, inSix, 6, s, &sums);
            invert_nodes(loop, inSix, s);
        } else {
            sum_slice(loop->matrix, inNine, 9, s, &sums);
            invert_nodes(loop, inNine, s);
        }
    }
    int nodes = int_min(matrixChunk, loop->aggregates->count - chunk * matrixChunk), groups = matrixChunk;
    for (int level = 0; level < groupLevels; ++level) {
        groups /= groupSize;
        nodes = (nodes + groupSize - 1) / groupSize;
        float* inverse = loop->aggregates->inverse[1 + level] + 12 * (size_t)chunk * (size_t)groups;
        for (int g = 0; g < nodes && level + 1 < groupLevels; ++g) {
            for (int e = 0; e < 6; ++e) {
                sums.level[level + 1][g / groupSize][e] += sums.level[level][g][e];
            }
        }
        invert_groups(sums.level[level], nodes, inverse);
    }
}

static void prepare_chunks(void* context, int begin, int end) {
    for (int chunk = begin; chunk < end; ++chunk) {
        prepare_chunk(context, chunk);
    }
}

void lb_prepare_aggregates(lbAggregates* aggregates, lbTasks* tasks, const lbBlockMatrix* matrix) {
    PrepareLoop loop = {aggregates, matrix};
    aggregates->grouped = true;
    lb_parallel_for(tasks, lb_chunk_count(aggregates->count), 1, prepare_chunks, &loop);
}

void lb_prepare_masses(lbAggregates* aggregates, const float* mass) {
    aggregates->grouped = false;
    for (int i = 0; i < aggregates->count; ++i) {
        float s = 1 / mass[i];
        const float columns[12] = {s, 0, 0, 0, 0, s, 0, 0, 0, 0, s, 0};
        memcpy(aggregates->inverse[0] + 12 * (size_t)i, columns, sizeof(columns));
    }
}

/* ---- Applying ---------------------------------------------------------------------------------------------------- */

static inline lbFloat4 times(const float* columns, lbFloat4 r) {
    return load4(columns) * r[0] + load4(columns + 4) * r[1] + load4(columns + 8) * r[2];
}

/* The motions of a chunk's groups of 8, with those of the larger groups around them. */
static void move_groups(const lbAggregates* aggregates, int chunk, int groups, lbFloat4* sums, lbFloat4* motion) {
    enum { most = matrixChunk / groupSize };
    const lbFloat4 zero = {0};
    lbFloat4 larger[most / groupSize], whole = zero;
    const float *inverse8 = aggregates->inverse[1] + 12 * (size_t)chunk * most,
                *inverse64 = aggregates->inverse[2] + 12 * (size_t)chunk * (most / groupSize),
                *inverse512 = aggregates->inverse[3] + 12 * (size_t)chunk;
    for (int g = 0; g < groups; g += groupSize) {
        lbFloat4 sum = zero;
        for (int i = g; i < int_min(g + groupSize, groups); ++i) {
            sum += sums[i];
        }
        larger[g / groupSize] = times(inverse64 + 12 * (g / groupSize), sum);
        whole += sum;
    }
    whole = times(inverse512, whole);
    for (int g = 0; g < groups; ++g) {
        motion[g] = times(inverse8 + 12 * g, sums[g]) + larger[g / groupSize] + whole;
    }
}

static inline double sum_components(lbFloat4 a) {
    return (double)a[0] + (double)a[1] + (double)a[2];
}

double lb_precondition_chunk(const lbAggregates* aggregates, int chunk, const float* r, float* z, double* rr) {
    int begin = chunk * matrixChunk, end = int_min(begin + matrixChunk, aggregates->count);
    int groups = (end - begin + groupSize - 1) / groupSize;
    lbFloat4 sums[matrixChunk / groupSize], motion[matrixChunk / groupSize];
    const lbFloat4 zero = {0};
    *rr = 0;
    for (int g = 0; g < groups; ++g) {
        lbFloat4 squares = zero; /* eight products in float, sums of them in double */
        sums[g] = motion[g] = zero;
        for (int i = begin + g * groupSize; i < int_min(begin + (g + 1) * groupSize, end); ++i) {
            lbFloat4 residual = load4(r + 4 * (size_t)i);
            sums[g] += residual;
            squares += residual * residual;
            store4(z + 4 * (size_t)i, times(aggregates->inverse[0] + 12 * (size_t)i, residual));
        }
        *rr += sum_components(squares);
    }
    if (aggregates->grouped) {
        move_groups(aggregates, chunk, groups, sums, motion);
    }
    double dot = 0;
    for (int g = 0; g < groups; ++g) {
        lbFloat4 partial = zero;
        for (int i = begin + g * groupSize; i < int_min(begin + (g + 1) * groupSize, end); ++i) {
            lbFloat4 moved = load4(z + 4 * (size_t)i) + motion[g];
            store4(z + 4 * (size_t)i, moved);
            partial += load4(r + 4 * (size_t)i) * moved;
        }
        dot += sum_components(partial);
    }
    return dot;
}
