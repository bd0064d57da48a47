/* Marching tetrahedra over the cubes of a grid, each cut into the six tetrahedra of Kuhn's subdivision, which match
 * across cubes: the surface is a closed manifold whatever the field's values are. Blocks of cubes that the field's
 * slope shows to be far from the surface are skipped. The triangles this gives are poor; remesh.c makes them good. */
#include "shape/generate/polygonize.h"

#include "base/result.h"
#include "shape/generate/remesh.h"

enum { blockCells = 8, blockPoints = blockCells + 1, largestGrid = 1 << 19 };

/* Cells as large as the wanted edge give about three times the triangles wanted; remeshing thins them. */
static const double cellPerEdge = 1.03;
/* The mean edge after remeshing is longer than its target by about this factor, found by measuring. */
static const double meanPerTarget = 1.07;

/* Where the surface cuts grid edges: open addressing from edge to point. */
typedef struct lbCutTable {
    uint64_t* keys; /* (capacity) 0: free */
    int* points;    /* (capacity) */
    int64_t capacity, count;
} lbCutTable;

typedef struct lbMarch {
    const lbField* field;
    lbRemesh* mesh;
    const lbHost* host;
    double cell; /* m */
    lbCutTable cuts;
    bool failed;
    double values[blockPoints * blockPoints * blockPoints]; /* the field at the points of the present block */
    int block[3];                                           /* its first cell */
} lbMarch;

/* ---- Points on grid edges ---------------------------------------------------------------------------------------- */

static int64_t cut_slot(const lbCutTable* table, uint64_t key) {
    uint64_t mixed = key * UINT64_C(0x9e3779b97f4a7c15);
    int64_t slot = (int64_t)((mixed ^ (mixed >> 29)) & (uint64_t)(table->capacity - 1));
    while (table->keys[slot] != 0 && table->keys[slot] != key) {
        slot = (slot + 1) & (table->capacity - 1);
    }
    return slot;
}

static bool grow_cuts(const lbHost* host, lbCutTable* table) {
    lbCutTable larger = {.capacity = table->capacity == 0 ? 4096 : 2 * table->capacity, .count = table->count};
    larger.keys = LB_NEW(host, uint64_t, larger.capacity);
    larger.points = LB_NEW(host, int, larger.capacity);
    bool made = larger.keys != NULL && larger.points != NULL;
    for (int64_t i = 0; made && i < table->capacity; ++i) {
        if (table->keys[i] != 0) {
            int64_t slot = cut_slot(&larger, table->keys[i]);
            larger.keys[slot] = table->keys[i];
            larger.points[slot] = table->points[i];
        }
    }
    lbCutTable unused = made ? *table : larger;
    lb_release(host, unused.keys);
    lb_release(host, unused.points);
    if (made) {
        *table = larger;
    }
    return made;
}

static lbVec3d grid_place(const lbMarch* march, const int index[3]) {
    lbVec3d lower = march->field->lower;
    return vec3d(lower.x + march->cell * index[0], lower.y + march->cell * index[1], lower.z + march->cell * index[2]);
}

/* A corner of a cube: bits 0, 1, 2 of `corner` step along x, y, z. */
static void corner_index(const lbMarch* march, const int cell[3], int corner, int index[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        index[axis] = march->block[axis] + cell[axis] + ((corner >> axis) & 1);
    }
}

static double corner_value(const lbMarch* march, const int cell[3], int corner) {
    int i = cell[0] + (corner & 1), j = cell[1] + ((corner >> 1) & 1), k = cell[2] + ((corner >> 2) & 1);
    return march->values[(k * blockPoints + j) * blockPoints + i];
}

/* The point where the surface cuts the grid edge between two corners of a cube. */
static int cut_point(lbMarch* march, const int cell[3], int cornerA, int cornerB) {
    int low = cornerA < cornerB ? cornerA : cornerB, high = cornerA ^ cornerB ^ low;
    int a[3], b[3];
    corner_index(march, cell, low, a);
    corner_index(march, cell, high, b);
    uint64_t key = ((((uint64_t)a[0] << 20 | (uint64_t)a[1]) << 20 | (uint64_t)a[2]) << 3 | (uint64_t)(low ^ high));
    if (2 * march->cuts.count >= march->cuts.capacity && !grow_cuts(march->host, &march->cuts)) {
        march->failed = true;
        return 0;
    }
    int64_t slot = cut_slot(&march->cuts, key);
    if (march->cuts.keys[slot] == 0) {
        double valueA = corner_value(march, cell, low), valueB = corner_value(march, cell, high);
        /* Off the ends, so that no two cuts fall together. */
        double t = fmin(0.95, fmax(0.05, valueA / (valueA - valueB)));
        lbVec3d from = grid_place(march, a);
        lbVec3d place = vec3d_madd(from, t, vec3d_sub(grid_place(march, b), from));
        march->failed = !lb_remesh_add_point(march->mesh, place) || march->failed;
        march->cuts.keys[slot] = key;
        march->cuts.points[slot] = march->mesh->points.count - 1;
        ++march->cuts.count;
    }
    return march->cuts.points[slot];
}

/* ---- Tetrahedra -------------------------------------------------------------------------------------------------- */

static void add_triangle(lbMarch* march, int a, int b, int c) {
    march->failed = march->failed || !lb_remesh_add_triangle(march->mesh, a, b, c);
}

/* Corners in positive orientation but for `flipped`; the first `insideCount` (1 to 3) are inside. */
static void cut_tetrahedron(lbMarch* march, const int cell[3], const int corners[4], int insideCount, bool flipped) {
    const int *v = corners, swap = flipped ? 1 : 0;
    if (insideCount == 2) {
        int c = v[2 + swap], d = v[3 - swap];
        int ac = cut_point(march, cell, v[0], c), ad = cut_point(march, cell, v[0], d);
        int bd = cut_point(march, cell, v[1], d), bc = cut_point(march, cell, v[1], c);
        add_triangle(march, ac, ad, bd);
        add_triangle(march, ac, bd, bc);
        return;
    }
    /* One corner apart from the other three; as the last one instead of the first it sees them the other way round,
     * and as the only one outside once more. */
    int apart = insideCount == 1 ? 0 : 3, first = insideCount == 1 ? 1 : 0;
    int cuts[3];
    for (int k = 0; k < 3; ++k) {
        cuts[k] = cut_point(march, cell, v[apart], v[first + k]);
    }
    add_triangle(march, cuts[0], cuts[1 + swap], cuts[2 - swap]);
}

static void march_tetrahedron(lbMarch* march, const int cell[3], const int corners[4], bool flipped) {
    bool isInside[4];
    int insideCount = 0;
    for (int k = 0; k < 4; ++k) {
        isInside[k] = corner_value(march, cell, corners[k]) < 0;
        insideCount += isInside[k];
    }
    if (insideCount == 0 || insideCount == 4) {
        return;
    }
    int sorted[4], position[4];
    for (int k = 0, inside = 0, outside = insideCount; k < 4; ++k) {
        position[k] = isInside[k] ? inside++ : outside++;
        sorted[position[k]] = corners[k];
    }
    for (int i = 0; i < 4; ++i) { /* each inversion of the sorting turns the orientation */
        for (int j = i + 1; j < 4; ++j) {
            flipped ^= position[i] > position[j];
        }
    }
    cut_tetrahedron(march, cell, sorted, insideCount, flipped);
}

static void march_cell(lbMarch* march, const int cell[3]) {
    /* From corner 0 to corner 7 along the axes in each of their six orders. */
    static const int kuhn[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};
    static const bool flipped[6] = {false, true, true, false, false, true};
    for (int t = 0; t < 6; ++t) {
        march_tetrahedron(march, cell, kuhn[t], flipped[t]);
    }
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

static void march_block(lbMarch* march) {
    int negative = 0;
    for (int i = 0; i < blockPoints * blockPoints * blockPoints; ++i) {
        int index[3] = {march->block[0] + i % blockPoints, march->block[1] + i / blockPoints % blockPoints,
                        march->block[2] + i / (blockPoints * blockPoints)};
        march->values[i] = march->field->distance(march->field->context, grid_place(march, index));
        negative += march->values[i] < 0;
    }
    if (negative == 0 || negative == blockPoints * blockPoints * blockPoints) {
        return;
    }
    for (int i = 0; i < blockCells * blockCells * blockCells && !march->failed; ++i) {
        march_cell(march, (int[3]){i % blockCells, i / blockCells % blockCells, i / (blockCells * blockCells)});
    }
}

/* Halves the region until it is far from the surface or one block. `size` in cells. */
static void march_region(lbMarch* march, const int first[3], int size) {
    lbVec3d upper = march->field->upper, from = grid_place(march, first);
    if (march->failed || from.x > upper.x || from.y > upper.y || from.z > upper.z) {
        return;
    }
    double half = 0.5 * size * march->cell;
    double value = march->field->distance(march->field->context, vec3d_add(from, vec3d(half, half, half)));
    if (fabs(value) > march->field->slope * sqrt(3.0) * half) {
        return;
    }
    if (size == blockCells) {
        for (int axis = 0; axis < 3; ++axis) {
            march->block[axis] = first[axis];
        }
        march_block(march);
        return;
    }
    for (int octant = 0; octant < 8; ++octant) {
        int at[3];
        for (int axis = 0; axis < 3; ++axis) {
            at[axis] = first[axis] + ((octant >> axis) & 1) * (size / 2);
        }
        march_region(march, at, size / 2);
    }
}

static lbResult march_field(const lbField* field, double cell, lbRemesh* mesh) {
    lbVec3d extent = vec3d_sub(field->upper, field->lower);
    double cells = ceil(fmax(extent.x, fmax(extent.y, extent.z)) / cell);
    if (!(cells <= largestGrid)) {
        return lb_error(lb_errorArgument, "the surface needs a grid of %.3g cells; the limit is %d", cells,
                        largestGrid);
    }
    int size = blockCells;
    while (size < cells) {
        size *= 2;
    }
    lbMarch* march = LB_NEW(mesh->host, lbMarch, 1);
    if (march == NULL) {
        return lb_out_of_memory("marching");
    }
    march->field = field, march->mesh = mesh, march->host = mesh->host, march->cell = cell;
    march_region(march, (int[3]){0, 0, 0}, size);
    bool failed = march->failed;
    lb_release(mesh->host, march->cuts.keys);
    lb_release(mesh->host, march->cuts.points);
    lb_release(mesh->host, march);
    return failed ? lb_out_of_memory("the surface of a field") : lb_success();
}

lbResult lb_polygonize(const lbField* field, double edge, lbMeshBuild* build) {
    lbRemesh mesh = {.host = build->host, .field = field, .edge = edge / meanPerTarget};
    lbResult result = march_field(field, fmin(cellPerEdge * edge, 0.6 * field->thinnest), &mesh);
    if (result.code == lb_ok) {
        result = lb_remesh(&mesh);
    }
    if (result.code == lb_ok) {
        lb_remesh_append(&mesh, build);
    }
    lb_remesh_free(&mesh);
    return result;
}
