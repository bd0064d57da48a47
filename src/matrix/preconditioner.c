#include "matrix/preconditioner.h"

#include "base/math.h"
#include "base/simd.h"

#include <string.h>

/* What grids bring beside the nodes' own blocks: motions that several of them can show are not to count too often. */
static const float pointShare = 0.65f, lastShare = 0.5f;

/* A node's stiffness over its mass from which on grids pay. */
static const double leastStiffness = 8;

enum { pieceNodes = 512, pointGrain = 512, cellGrain = 128 };

/* ---- Room -------------------------------------------------------------------------------------------------------- */

static size_t cell_sum_bytes(const lbGrids* grids) {
    size_t most = 0;
    for (int g = 0; g < grids->gridCount; ++g) {
        most = (size_t)grids->grids[g].cellCount > most ? (size_t)grids->grids[g].cellCount : most;
    }
    return 32 * most * sizeof(float);
}

size_t lb_grid_bytes(const lbGrids* grids) {
    if (grids == NULL || grids->gridCount == 0) {
        return 0;
    }
    const size_t line = 64;
    size_t bytes = (size_t)grids->nodeCount + line;
    for (int g = 0; g < grids->gridCount; ++g) {
        bytes += 20 * ((size_t)grids->grids[g].pointCount + 1) * sizeof(float) + 3 * line;
    }
    bytes += cell_sum_bytes(grids) + line + lb_factor_bytes(&grids->envelope);
    bytes += (size_t)grids->envelope.tileRowCount * tileSize * sizeof(float) + line;
    return bytes + lb_grid_sum_bytes(grids) + line;
}

lbPreconditioner lb_take_preconditioner(lbArena* arena, int count, const lbGrids* grids) {
    lbPreconditioner made = {.count = count, .inverse = lb_arena_take(arena, 12 * (size_t)count * sizeof(float))};
    if (grids == NULL || grids->gridCount == 0) {
        return made;
    }
    made.grids = grids;
    made.still = lb_arena_take(arena, (size_t)count * sizeof(bool));
    for (int g = 0; g < grids->gridCount; ++g) {
        size_t points = (size_t)grids->grids[g].pointCount;
        made.pointInverse[g] = lb_arena_take(arena, 12 * points * sizeof(float));
        made.residual[g] = lb_arena_take(arena, 4 * (points + 1) * sizeof(float));
        made.motion[g] = lb_arena_take(arena, 4 * (points + 1) * sizeof(float));
    }
    made.cellSums = lb_arena_take(arena, cell_sum_bytes(grids));
    made.factor = lb_take_factor(arena, &grids->envelope);
    made.solution = lb_arena_take(arena, (size_t)grids->envelope.tileRowCount * tileSize * sizeof(float));
    made.sums = lb_arena_take(arena, lb_grid_sum_bytes(grids));
    return made;
}

/* ---- Preparing --------------------------------------------------------------------------------------------------- */

typedef struct InvertLoop {
    const lbPreconditioner* made;
    const lbBlockMatrix* matrix;
} InvertLoop;

static void invert_slices(void* context, int begin, int end) {
    const InvertLoop* loop = context;
    for (int slice = begin; slice < end; ++slice) {
        lb_invert_lanes(loop->matrix->diagonals + (size_t)slice * 6 * LB_LANES,
                        loop->matrix->pattern->rows + (size_t)slice * LB_LANES, loop->made->inverse);
    }
}

/* How much stiffer than their masses nodes are, in the mean. */
static double mean_stiffness(const lbBlockMatrix* matrix) {
    double stiffness = 0, weight = 0;
    for (int slice = 0; slice < matrix->pattern->sliceCount; ++slice) {
        const float* d = matrix->diagonals + (size_t)slice * 6 * LB_LANES;
        lbLanes trace = lanes_load(d) + lanes_load(d + 3 * LB_LANES) + lanes_load(d + 5 * LB_LANES);
        stiffness += (double)lanes_sum(trace);
        weight += 3 * (double)lanes_sum(lanes_load(matrix->weights + (size_t)slice * LB_LANES));
    }
    return weight > 0 ? stiffness / weight - 1 : INFINITY;
}

void lb_prepare_preconditioner(lbPreconditioner* made, lbTasks* tasks, const lbBlockMatrix* matrix, lbVec3 motion,
                               const float* free) {
    InvertLoop loop = {made, matrix};
    lb_parallel_for(tasks, matrix->pattern->sliceCount, matrixChunk / LB_LANES, invert_slices, &loop);
    made->stiffness = mean_stiffness(matrix);
    if (made->grids == NULL || made->stiffness < leastStiffness) {
        made->grids = NULL;
        return;
    }
    for (int i = 0; i < made->count; ++i) {
        lbVec3 left = vec3_load(free + 4 * (size_t)made->grids->order[i]);
        made->still[i] = left.x != motion.x || left.y != motion.y || left.z != motion.z;
    }
    int last = made->grids->gridCount - 1;
    for (int g = 0; g < last; ++g) {
        lb_sum_point_blocks(made, tasks, matrix, g);
    }
    lb_fill_factor(made, tasks, matrix);
    lb_factor(&made->factor);
    for (int g = 0; g <= last; ++g) {
        memset(made->motion[g] + 4 * (size_t)made->grids->grids[g].pointCount, 0, 4 * sizeof(float));
    }
}

void lb_prepare_masses(lbPreconditioner* made, const float* mass) {
    made->grids = NULL;
    for (int i = 0; i < made->count; ++i) {
        float s = 1 / mass[i];
        const float columns[12] = {s, 0, 0, 0, 0, s, 0, 0, 0, 0, s, 0};
        memcpy(made->inverse + 12 * (size_t)i, columns, sizeof(columns));
    }
}

/* ---- Pieces ------------------------------------------------------------------------------------------------------ */

int lb_piece_count(const lbPreconditioner* made) {
    return made->grids != NULL ? made->grids->chunkCount : (made->count + pieceNodes - 1) / pieceNodes;
}

lbPiece lb_piece(const lbPreconditioner* made, int index) {
    if (made->grids == NULL) {
        return (lbPiece){index * pieceNodes, int_min((index + 1) * pieceNodes, made->count), NULL};
    }
    const int *chunks = made->grids->chunkStarts, *cells = made->grids->grids[0].cellStarts;
    int begin = cells[chunks[index]];
    return (lbPiece){begin, cells[chunks[index + 1]], made->grids->order + begin};
}

/* ---- To the grids and back --------------------------------------------------------------------------------------- */

/* Components of eight corners to four numbers each. */
static inline void store_corners(lbFloat8 x, lbFloat8 y, lbFloat8 z, float* out) {
    const lbFloat8 zero = {0};
    lbFloat8 xy0 = __builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13);
    lbFloat8 xy1 = __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15);
    lbFloat8 zw0 = __builtin_shufflevector(z, zero, 0, 8, 1, 9, 4, 12, 5, 13);
    lbFloat8 zw1 = __builtin_shufflevector(z, zero, 2, 10, 3, 11, 6, 14, 7, 15);
    lbFloat8 corner04 = __builtin_shufflevector(xy0, zw0, 0, 1, 8, 9, 4, 5, 12, 13);
    lbFloat8 corner15 = __builtin_shufflevector(xy0, zw0, 2, 3, 10, 11, 6, 7, 14, 15);
    lbFloat8 corner26 = __builtin_shufflevector(xy1, zw1, 0, 1, 8, 9, 4, 5, 12, 13);
    lbFloat8 corner37 = __builtin_shufflevector(xy1, zw1, 2, 3, 10, 11, 6, 7, 14, 15);
    store8(out, __builtin_shufflevector(corner04, corner15, 0, 1, 2, 3, 8, 9, 10, 11));
    store8(out + 8, __builtin_shufflevector(corner26, corner37, 0, 1, 2, 3, 8, 9, 10, 11));
    store8(out + 16, __builtin_shufflevector(corner04, corner15, 4, 5, 6, 7, 12, 13, 14, 15));
    store8(out + 24, __builtin_shufflevector(corner26, corner37, 4, 5, 6, 7, 12, 13, 14, 15));
}

/* Adds up in each cell what its corners get from a vector of 4 numbers for each finer point. */
static void sum_to_corners(const lbGrid* grid, int begin, int end, const float* vector, float* sums) {
    const int *starts = grid->cellStarts, *finer = grid->finer;
    for (int cell = begin; cell < end; ++cell) {
        lbFloat8 x = {0}, y = {0}, z = {0};
        for (int i = starts[cell]; i < starts[cell + 1]; ++i) {
            const float* at = vector + 4 * (size_t)finer[i];
            lbFloat8 weights = load8(grid->weights + (size_t)cellCorners * (size_t)i);
            x += weights * at[0];
            y += weights * at[1];
            z += weights * at[2];
        }
        store_corners(x, y, z, sums + 32 * (size_t)cell);
    }
}

typedef struct PointLoop {
    const lbPreconditioner* made;
    int g;
} PointLoop;

static void sum_cells_of_grid(void* context, int begin, int end) {
    const PointLoop* loop = context;
    sum_to_corners(&loop->made->grids->grids[loop->g], begin, end, loop->made->residual[loop->g - 1],
                   loop->made->cellSums);
}

static inline lbFloat4 times(const float* columns, lbFloat4 r) {
    return load4(columns) * r[0] + load4(columns + 4) * r[1] + load4(columns + 8) * r[2];
}

/* What each point gets from its cells: one after the other, so that sums do not depend on threads. */
static void add_cells(const lbPreconditioner* made, int g) {
    const lbGrid* grid = &made->grids->grids[g];
    float* residual = made->residual[g];
    const float* sums = made->cellSums;
    const int *corners = grid->corners, *end = corners + (size_t)grid->cellCount * cellCorners;
    memset(residual, 0, 4 * ((size_t)grid->pointCount + 1) * sizeof(float));
    for (; corners < end; corners += cellCorners, sums += 4 * cellCorners) {
        for (int k = 0; k < cellCorners; ++k) {
            float* at = residual + 4 * (size_t)corners[k];
            store4(at, load4(at) + load4(sums + 4 * k));
        }
    }
}

/* Each point's motion from what it gets alone. */
static void move_points(void* context, int begin, int end) {
    const PointLoop* loop = context;
    const float *inverse = loop->made->pointInverse[loop->g], *residual = loop->made->residual[loop->g];
    float* motion = loop->made->motion[loop->g];
    for (size_t point = (size_t)begin; point < (size_t)end; ++point) {
        store4(motion + 4 * point, pointShare * times(inverse + 12 * point, load4(residual + 4 * point)));
    }
}

static void solve_last(const lbPreconditioner* made) {
    int last = made->grids->gridCount - 1, points = made->grids->grids[last].pointCount;
    int size = made->grids->envelope.tileRowCount * tileSize;
    for (int i = 0; i < 3 * points; ++i) {
        made->solution[i] = lastShare * made->residual[last][4 * (i / 3) + i % 3];
    }
    memset(made->solution + 3 * points, 0, (size_t)(size - 3 * points) * sizeof(float));
    lb_solve_factored(&made->factor, made->solution);
    for (int i = 0; i < points; ++i) {
        const float* u = made->solution + 3 * (size_t)i;
        store4(made->motion[last] + 4 * (size_t)i, (lbFloat4){u[0], u[1], u[2], 0});
    }
}

/* A motion within a cell, as it is below and above: from x = y = 0 on, and how it changes along x, y and both. */
typedef struct CellMotion {
    lbFloat8 base, x, y, xy;
} CellMotion;

static inline CellMotion load_cell(const lbGrid* grid, int cell, const float* motion) {
    lbFloat8 corner[4]; /* the one below and the one above */
    for (int k = 0; k < 4; ++k) {
        lbFloat4 below = load4(motion + 4 * (size_t)grid->corners[cell * cellCorners + k]);
        lbFloat4 above = load4(motion + 4 * (size_t)grid->corners[cell * cellCorners + k + 4]);
        corner[k] = __builtin_shufflevector(below, above, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    lbFloat8 x = corner[1] - corner[0];
    return (CellMotion){corner[0], x, corner[2] - corner[0], corner[3] - corner[2] - x};
}

static inline lbFloat4 interpolate(const CellMotion* cell, const float* offset) {
    lbFloat8 both = cell->base + offset[0] * cell->x + offset[1] * (cell->y + offset[0] * cell->xy);
    lbFloat4 below = __builtin_shufflevector(both, both, 0, 1, 2, 3),
             above = __builtin_shufflevector(both, both, 4, 5, 6, 7);
    return below + offset[2] * (above - below);
}

/* Adds a grid's motion to that of the points of the one before. */
static void move_finer_points(void* context, int begin, int end) {
    const PointLoop* loop = context;
    const lbPreconditioner* made = loop->made;
    const lbGrid* grid = &made->grids->grids[loop->g];
    for (int cell = begin; cell < end; ++cell) {
        CellMotion motion = load_cell(grid, cell, made->motion[loop->g]);
        for (int i = grid->cellStarts[cell]; i < grid->cellStarts[cell + 1]; ++i) {
            float* at = made->motion[loop->g - 1] + 4 * (size_t)grid->finer[i];
            store4(at, load4(at) + interpolate(&motion, grid->offsets + 4 * (size_t)i));
        }
    }
}

void lb_restrict_piece(const lbPreconditioner* made, int index, const float* r) {
    if (made->grids != NULL) {
        const int* chunks = made->grids->chunkStarts;
        sum_to_corners(&made->grids->grids[0], chunks[index], chunks[index + 1], r, made->cellSums);
    }
}

void lb_solve_grids(const lbPreconditioner* made, lbTasks* tasks) {
    if (made->grids == NULL) {
        return;
    }
    const lbGrid* grids = made->grids->grids;
    PointLoop loop = {made, 0};
    for (loop.g = 0; loop.g < made->grids->gridCount; ++loop.g) {
        if (loop.g > 0) {
            lb_parallel_for(tasks, grids[loop.g].cellCount, cellGrain, sum_cells_of_grid, &loop);
        }
        add_cells(made, loop.g);
        if (loop.g < made->grids->gridCount - 1) {
            lb_parallel_for(tasks, grids[loop.g].pointCount, pointGrain, move_points, &loop);
        }
    }
    solve_last(made);
    for (loop.g = made->grids->gridCount - 1; loop.g > 0; --loop.g) {
        lb_parallel_for(tasks, grids[loop.g].cellCount, cellGrain, move_finer_points, &loop);
    }
}

static inline double sum_components(lbFloat4 a) {
    return (double)a[0] + (double)a[1] + (double)a[2];
}

static double precondition_nodes(const lbPreconditioner* made, lbPiece piece, const float* r, float* z) {
    double dot = 0;
    for (int first = piece.begin; first < piece.end; first += 16) {
        lbFloat4 partial = {0}; /* a few products in float, sums of them in double */
        for (int i = first; i < int_min(first + 16, piece.end); ++i) {
            lbFloat4 residual = load4(r + 4 * (size_t)i);
            lbFloat4 moved = times(made->inverse + 12 * (size_t)i, residual);
            store4(z + 4 * (size_t)i, moved);
            partial += residual * moved;
        }
        dot += sum_components(partial);
    }
    return dot;
}

double lb_precondition_piece(const lbPreconditioner* made, int index, const float* r, float* z) {
    if (made->grids == NULL) {
        return precondition_nodes(made, lb_piece(made, index), r, z);
    }
    const lbGrid* grid = &made->grids->grids[0];
    const int *chunks = made->grids->chunkStarts, *starts = grid->cellStarts, *nodes = grid->finer;
    const float *offsets = grid->offsets, *inverse = made->inverse;
    double dot = 0;
    for (int cell = chunks[index], last = chunks[index + 1]; cell < last; ++cell) {
        CellMotion motion = load_cell(grid, cell, made->motion[0]);
        lbFloat4 partial = {0};
        for (int i = starts[cell], end = starts[cell + 1]; i < end; ++i) {
            size_t node = (size_t)nodes[i];
            lbFloat4 residual = load4(r + 4 * node);
            lbFloat4 moved = times(inverse + 12 * node, residual) + interpolate(&motion, offsets + 4 * (size_t)i);
            store4(z + 4 * node, moved);
            partial += residual * moved;
        }
        dot += sum_components(partial);
    }
    return dot;
}
