#include "matrix/grids.h"

#include "base/math.h"
#include "base/morton.h"
#include "base/result.h"

#include <stdlib.h>
#include <string.h>

/* Of the mean distance between neighbours: cells of the first grid. Wider ones leave more to the nodes' own blocks than
 * these can do in one go, narrower ones cost more than they bring. */
static const double firstSpacing = 1.56;

enum { fewNodes = 100, chunkNodes = 512 };

static const float leastWeight = 1e-5f;

/* ---- Hanging points on a grid ------------------------------------------------------------------------------------ */

/* Finer points, in cells of the grid that they shall hang on. */
typedef struct FinerPoint {
    uint64_t cell; /* Morton's key */
    int base[3];   /* the same as coordinates */
    float t[3];    /* place in the cell, 0 to 1 */
    int index;
} FinerPoint;

/* A grid while it is built. */
typedef struct Draft {
    int count;
    uint64_t* keys; /* (count) of the points, rising */
    int* numbers;   /* (count) index of each in the grid */
} Draft;

static int compare_points(const void* left, const void* right) {
    const FinerPoint *p = left, *q = right;
    if (p->cell != q->cell) {
        return p->cell < q->cell ? -1 : 1;
    }
    return (p->index > q->index) - (p->index < q->index);
}

static int compare_keys(const void* left, const void* right) {
    uint64_t p = *(const uint64_t*)left, q = *(const uint64_t*)right;
    return (p > q) - (p < q);
}

static uint64_t corner_key(const int base[3], int corner) {
    return morton_key((uint64_t)(base[0] + (corner & 1)), (uint64_t)(base[1] + (corner >> 1 & 1)),
                      (uint64_t)(base[2] + (corner >> 2)));
}

static void fill_weights(const float t[3], float* weights) {
    for (int k = 0; k < cellCorners; ++k) {
        float w = (k & 1 ? t[0] : 1 - t[0]) * (k & 2 ? t[1] : 1 - t[1]) * (k & 4 ? t[2] : 1 - t[2]);
        weights[k] = w > leastWeight ? w : 0;
    }
}

/* Index of a point; draft->count if there is none. */
static int find_point(const Draft* draft, uint64_t key) {
    int low = 0, high = draft->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (draft->keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < draft->count && draft->keys[low] == key ? draft->numbers[low] : draft->count;
}

/* Cells, finer points and weights, from sorted finer points. */
static bool fill_cells(const lbHost* host, const FinerPoint* points, int count, lbGrid* grid) {
    grid->finerCount = count;
    for (int i = 0; i < count; ++i) {
        grid->cellCount += i == 0 || points[i].cell != points[i - 1].cell;
    }
    grid->cellStarts = LB_NEW(host, int, (int64_t)grid->cellCount + 1);
    grid->finer = LB_NEW(host, int, count);
    grid->offsets = LB_NEW(host, float, (int64_t)count * 4);
    grid->weights = LB_NEW(host, float, (int64_t)count* cellCorners);
    grid->corners = LB_NEW(host, int, (int64_t)grid->cellCount* cellCorners);
    if (grid->cellStarts == NULL || grid->finer == NULL || grid->offsets == NULL || grid->weights == NULL ||
        grid->corners == NULL) {
        return false;
    }
    for (int i = 0, cell = 0; i < count; ++i) {
        if (i == 0 || points[i].cell != points[i - 1].cell) {
            grid->cellStarts[cell++] = i;
        }
        grid->finer[i] = points[i].index;
        memcpy(grid->offsets + 4 * (size_t)i, points[i].t, sizeof(points[i].t));
        fill_weights(points[i].t, grid->weights + (size_t)cellCorners * (size_t)i);
    }
    grid->cellStarts[grid->cellCount] = count;
    return true;
}

static bool corner_is_used(const lbGrid* grid, int cell, int corner) {
    for (int i = grid->cellStarts[cell]; i < grid->cellStarts[cell + 1]; ++i) {
        if (grid->weights[(size_t)cellCorners * (size_t)i + (size_t)corner] > 0) {
            return true;
        }
    }
    return false;
}

/* Numbers points along the longest axis first, so that points that touch have numbers close to one another. */
typedef struct SortedPoint {
    int coordinate[3]; /* the longest axis first */
    int index;
} SortedPoint;

static int compare_places(const void* left, const void* right) {
    const SortedPoint *p = left, *q = right;
    for (int c = 0; c < 3; ++c) {
        if (p->coordinate[c] != q->coordinate[c]) {
            return p->coordinate[c] < q->coordinate[c] ? -1 : 1;
        }
    }
    return 0;
}

static void sort_axes(const Draft* draft, int axes[3]) {
    int extent[3] = {0, 0, 0};
    for (int i = 0; i < 3 * draft->count; ++i) {
        extent[i % 3] = int_max(extent[i % 3], morton_coordinate(draft->keys[i / 3] >> i % 3));
    }
    for (int c = 0; c < 3; ++c) {
        int before = 0;
        for (int d = 0; d < 3; ++d) {
            before += extent[d] > extent[c] || (extent[d] == extent[c] && d < c);
        }
        axes[before] = c;
    }
}

static bool number_along_axes(const lbHost* host, Draft* draft) {
    SortedPoint* sorted = LB_NEW(host, SortedPoint, draft->count);
    if (sorted == NULL) {
        return false;
    }
    int axes[3];
    sort_axes(draft, axes);
    for (int i = 0; i < draft->count; ++i) {
        sorted[i].index = i;
        for (int c = 0; c < 3; ++c) {
            sorted[i].coordinate[c] = morton_coordinate(draft->keys[i] >> axes[c]);
        }
    }
    qsort(sorted, (size_t)draft->count, sizeof(SortedPoint), compare_places);
    for (int i = 0; i < draft->count; ++i) {
        draft->numbers[sorted[i].index] = i;
    }
    lb_release(host, sorted);
    return true;
}

/* The points that something hangs on. */
static bool draft_points(const lbHost* host, const FinerPoint* points, lbGrid* grid, Draft* draft) {
    int64_t most = (int64_t)grid->cellCount * cellCorners;
    *draft = (Draft){.keys = LB_NEW(host, uint64_t, most), .numbers = LB_NEW(host, int, most)};
    if (draft->keys == NULL || draft->numbers == NULL) {
        return false;
    }
    int used = 0;
    for (int64_t i = 0; i < most; ++i) {
        int cell = (int)(i / cellCorners), corner = (int)(i % cellCorners);
        if (corner_is_used(grid, cell, corner)) {
            draft->keys[used++] = corner_key(points[grid->cellStarts[cell]].base, corner);
        }
    }
    qsort(draft->keys, (size_t)used, sizeof(uint64_t), compare_keys);
    for (int i = 0; i < used; ++i) {
        if (draft->count == 0 || draft->keys[i] != draft->keys[draft->count - 1]) {
            draft->keys[draft->count++] = draft->keys[i];
        }
    }
    if (!number_along_axes(host, draft)) {
        return false;
    }
    grid->pointCount = draft->count;
    for (int i = 0; i < (int)most; ++i) {
        grid->corners[i] =
            find_point(draft, corner_key(points[grid->cellStarts[i / cellCorners]].base, i % cellCorners));
    }
    return true;
}

static bool hang_points(const lbHost* host, FinerPoint* points, int count, lbGrid* grid, Draft* draft) {
    qsort(points, (size_t)count, sizeof(FinerPoint), compare_points);
    return fill_cells(host, points, count, grid) && draft_points(host, points, grid, draft);
}

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

static double mean_distance(const lbBlockPattern* pattern, const float* rest) {
    double sum = 0;
    for (int i = 0; i < pattern->sliceCount * LB_LANES; ++i) {
        for (int entry = pattern->sliceStarts[i / LB_LANES]; entry < pattern->sliceStarts[i / LB_LANES + 1]; ++entry) {
            lbVec3d a = vec3d_load(rest + pattern->own[i]),
                    b = vec3d_load(rest + pattern->columns[entry * LB_LANES + i % LB_LANES]);
            sum += vec3d_length(vec3d_sub(a, b)); /* zero for padding */
        }
    }
    return pattern->pairCount > 0 ? 0.5 * sum / pattern->pairCount : 0;
}

/* How wide the first grid's cells are; 0 if all nodes are in one place. */
static double choose_spacing(const lbBlockPattern* pattern, const float* rest, lbBox box) {
    lbVec3 size = box_size(box);
    double largest = fmax(size.x, fmax(size.y, size.z)), least = fmin(size.x, fmin(size.y, size.z));
    double spacing = fmax(firstSpacing * mean_distance(pattern, rest), largest / (1 << (mortonBits - 2)));
    if (!(spacing > 0) || !isfinite(spacing)) {
        return 0;
    }
    /* Cells that are cut by the body's sides are cells too many. */
    return least > spacing ? least / floor(least / spacing + 0.5) : spacing;
}

/* Where nodes are in cells of the first grid; false if all are in one place. What lies on a line between cells, or
 * next to it, belongs to the lower one and hangs on the line alone: a point on which nodes hung by no more than
 * rounding would have a row of rounding in the last grid's matrix. */
static bool locate_nodes(const lbBlockPattern* pattern, const float* rest, FinerPoint* points) {
    const double margin = 1e-4;
    lbBox box = box_empty();
    for (int i = 0; i < pattern->rowCount; ++i) {
        box = box_include(box, vec3_load(rest + 4 * (size_t)i));
    }
    double spacing = choose_spacing(pattern, rest, box);
    const float lower[3] = {box.lower.x, box.lower.y, box.lower.z};
    for (int i = 0; spacing > 0 && i < pattern->rowCount; ++i) {
        FinerPoint* point = &points[i];
        point->index = i;
        for (int c = 0; c < 3; ++c) {
            double u = ((double)rest[4 * (size_t)i + (size_t)c] - (double)lower[c]) / spacing;
            point->base[c] = int_max(0, (int)ceil(u - margin) - 1);
            double t = u - point->base[c];
            point->t[c] = t < margin ? 0 : t > 1 - margin ? 1 : (float)t;
        }
        point->cell = morton_key((uint64_t)point->base[0], (uint64_t)point->base[1], (uint64_t)point->base[2]);
    }
    return spacing > 0;
}

static void locate_points(const Draft* finer, FinerPoint* points) {
    for (int i = 0; i < finer->count; ++i) {
        FinerPoint* point = &points[i];
        point->index = finer->numbers[i];
        for (int c = 0; c < 3; ++c) {
            int coordinate = morton_coordinate(finer->keys[i] >> c);
            point->base[c] = int_max(0, (coordinate - 1) / 2);
            point->t[c] = 0.5f * (float)coordinate - (float)point->base[c];
        }
        point->cell = morton_key((uint64_t)point->base[0], (uint64_t)point->base[1], (uint64_t)point->base[2]);
    }
}

/* The nodes in each cell of grid g. Since nodes follow Morton's curve by cells of the first grid, those of a wider cell
 * follow one another too. */
static bool fill_node_cells(const lbHost* host, const FinerPoint* nodes, int count, int g, const Draft* draft,
                            lbGrid* grid) {
    for (int i = 0; i < count; ++i) {
        grid->nodeCellCount += i == 0 || nodes[i].cell >> 3 * g != nodes[i - 1].cell >> 3 * g;
    }
    grid->nodeCellStarts = LB_NEW(host, int, (int64_t)grid->nodeCellCount + 1);
    grid->nodeCellCorners = LB_NEW(host, int, (int64_t)grid->nodeCellCount* cellCorners);
    grid->nodeWeights = LB_NEW(host, float, (int64_t)count* cellCorners);
    if (grid->nodeCellStarts == NULL || grid->nodeCellCorners == NULL || grid->nodeWeights == NULL) {
        return false;
    }
    for (int i = 0, cell = 0; i < count; ++i) {
        int base[3];
        float t[3];
        for (int c = 0; c < 3; ++c) {
            base[c] = nodes[i].base[c] >> g;
            t[c] = ldexpf((float)(nodes[i].base[c] - (base[c] << g)) + nodes[i].t[c], -g);
        }
        fill_weights(t, grid->nodeWeights + (size_t)cellCorners * (size_t)i);
        if (i > 0 && nodes[i].cell >> 3 * g == nodes[i - 1].cell >> 3 * g) {
            continue;
        }
        for (int k = 0; k < cellCorners; ++k) {
            grid->nodeCellCorners[(size_t)cell * cellCorners + (size_t)k] = find_point(draft, corner_key(base, k));
        }
        grid->nodeCellStarts[cell++] = i;
    }
    grid->nodeCellStarts[grid->nodeCellCount] = count;
    return true;
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

/* Cells of the first grid in pieces of about chunkNodes nodes. */
static bool cut_into_chunks(lbGrids* grids) {
    const lbGrid* first = &grids->grids[0];
    grids->chunkStarts = LB_NEW(grids->host, int, 2 * ((int64_t)grids->nodeCount / chunkNodes) + 3);
    if (grids->chunkStarts == NULL) {
        return false;
    }
    for (int cell = 0, begin = 0; cell < first->cellCount; ++cell) {
        if (first->cellStarts[cell + 1] - first->cellStarts[begin] > chunkNodes && cell > begin) {
            grids->chunkStarts[++grids->chunkCount] = begin = cell;
        }
    }
    grids->chunkStarts[++grids->chunkCount] = first->cellCount;
    return true;
}

/* Adds the next grid: of nodes, or of the points of the grid before, whose draft is replaced. */
static bool add_grid(lbGrids* grids, const FinerPoint* nodes, Draft* draft) {
    const lbHost* host = grids->host;
    int g = grids->gridCount, count = g == 0 ? grids->nodeCount : draft->count;
    FinerPoint* points = LB_NEW(host, FinerPoint, count);
    Draft next = {0};
    lbGrid* grid = &grids->grids[g];
    bool enough = points != NULL;
    if (enough) {
        if (g == 0) {
            memcpy(points, nodes, (size_t)count * sizeof(FinerPoint));
        } else {
            locate_points(draft, points);
        }
        ++grids->gridCount;
        enough = hang_points(host, points, count, grid, &next) &&
                 fill_node_cells(host, nodes, grids->nodeCount, g, &next, grid);
    }
    lb_release(host, points);
    lb_release(host, draft->keys);
    lb_release(host, draft->numbers);
    *draft = next;
    return enough;
}

static bool fill_grids(lbGrids* grids, const lbBlockPattern* pattern, FinerPoint* nodes) {
    qsort(nodes, (size_t)grids->nodeCount, sizeof(FinerPoint), compare_points);
    for (int i = 0; i < grids->nodeCount; ++i) {
        grids->order[i] = nodes[i].index;
    }
    Draft draft = {0};
    bool enough = true, last = false;
    while (enough && !last && grids->gridCount < mostGrids) {
        enough = add_grid(grids, nodes, &draft) && lb_finish_grid(grids, pattern, &last);
    }
    lb_release(grids->host, draft.keys);
    lb_release(grids->host, draft.numbers);
    return enough && cut_into_chunks(grids);
}

lbResult lb_create_grids(const lbBlockPattern* pattern, const float* rest, lbGrids** grids) {
    const lbHost* host = pattern->host;
    lbGrids* made = LB_NEW(host, lbGrids, 1);
    *grids = made;
    if (made == NULL) {
        return lb_out_of_memory("the grids of an implicit integrator");
    }
    *made = (lbGrids){.host = host, .nodeCount = pattern->rowCount};
    made->order = LB_NEW(host, int, made->nodeCount);
    FinerPoint* nodes = LB_NEW(host, FinerPoint, made->nodeCount);
    bool enough = made->order != NULL && nodes != NULL;
    if (enough && made->nodeCount >= fewNodes && locate_nodes(pattern, rest, nodes)) {
        enough = fill_grids(made, pattern, nodes);
    }
    lb_release(host, nodes);
    if (!enough) {
        lb_destroy_grids(made);
        *grids = NULL;
        return lb_out_of_memory("the grids of an implicit integrator");
    }
    return lb_success();
}

static void release_grid(const lbHost* host, lbGrid* grid) {
    lb_release(host, grid->cellStarts);
    lb_release(host, grid->finer);
    lb_release(host, grid->offsets);
    lb_release(host, grid->weights);
    lb_release(host, grid->corners);
    lb_release(host, grid->nodeCellStarts);
    lb_release(host, grid->nodeCellCorners);
    lb_release(host, grid->nodeWeights);
}

void lb_destroy_grids(lbGrids* grids) {
    if (grids == NULL) {
        return;
    }
    const lbHost* host = grids->host;
    for (int g = 0; g < grids->gridCount; ++g) {
        release_grid(host, &grids->grids[g]);
    }
    lb_release(host, grids->order);
    lb_release(host, grids->chunkStarts);
    lb_release(host, grids->pairs);
    lb_release(host, grids->blocks);
    lb_release(host, grids->seen);
    lb_release(host, grids->seenWeights);
    lb_destroy_envelope(host, &grids->envelope);
    lb_release(host, grids);
}
