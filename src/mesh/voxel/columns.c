/* How full leaves are, by lines through them along z: where lines cross the solid parts of a surface, and which way,
 * says how often it winds around what is between. Exact for closed surfaces, parts that overlap included. */
#include "mesh/voxel/columns.h"

#include "base/result.h"

#include <stdlib.h>
#include <string.h>

typedef struct Crossing {
    int column;
    float z; /* in leaves */
    int sign;
} Crossing;

typedef struct Columns {
    const lbLeafGrid* grid;
    int samples, count[2];
    LB_ARRAY(Crossing) crossings;
} Columns;

/* Lines lie beside the middle of their cells by a little, so that none meets an edge of a regular mesh. */
static const double beside[2] = {0.0123, -0.0217};

static double column_place(int index, int samples, int axis) {
    return (index + 0.5 + beside[axis]) / samples;
}

static double cross(const double a[2], const double b[2], double x, double y) {
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

/* `p`: corners in leaves. */
static bool cross_triangle(Columns* columns, double p[3][3]) {
    double area = cross(p[0], p[1], p[2][0], p[2][1]);
    int low[2], high[2], s = columns->samples;
    for (int c = 0; c < 2; ++c) {
        double least = fmin(p[0][c], fmin(p[1][c], p[2][c])), most = fmax(p[0][c], fmax(p[1][c], p[2][c]));
        low[c] = int_max(0, (int)floor(least * s) - 1);
        high[c] = int_min(columns->count[c] - 1, (int)floor(most * s) + 1);
    }
    for (int j = low[1]; j <= high[1] && area != 0; ++j) {
        for (int i = low[0]; i <= high[0]; ++i) {
            double x = column_place(i, s, 0), y = column_place(j, s, 1);
            double a = cross(p[1], p[2], x, y) / area, b = cross(p[2], p[0], x, y) / area, c = 1 - a - b;
            if (a >= 0 && b >= 0 && c >= 0) {
                Crossing crossing = {i + columns->count[0] * j, (float)(a * p[0][2] + b * p[1][2] + c * p[2][2]),
                                     area < 0 ? 1 : -1}; /* seen from below: entered where it faces down */
                if (!LB_PUSH(columns->grid->host, &columns->crossings, crossing)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static int compare_crossings(const void* left, const void* right) {
    const Crossing *p = left, *q = right;
    if (p->column != q->column) {
        return p->column < q->column ? -1 : 1;
    }
    return p->z < q->z ? -1 : p->z > q->z;
}

/* Adds the lengths between crossings that are inside to the leaves along one line. */
static void add_inside(const Columns* columns, int column, double from, double to, float* sum) {
    const lbLeafGrid* grid = columns->grid;
    int i = column % columns->count[0] / columns->samples, j = column / columns->count[0] / columns->samples;
    for (int k = int_max(0, (int)floor(from)); k <= int_min(grid->count[2] - 1, (int)floor(to)); ++k) {
        double length = fmin(to, k + 1) - fmax(from, k);
        sum[leaf_index(grid, i, j, k)] += (float)fmax(0, length);
    }
}

/* What a line through a hole says is nothing. */
static void spoil_column(const Columns* columns, int column, float* sum) {
    int i = column % columns->count[0] / columns->samples, j = column / columns->count[0] / columns->samples;
    for (int k = 0; k < columns->grid->count[2]; ++k) {
        sum[leaf_index(columns->grid, i, j, k)] = NAN;
    }
}

lbResult lb_measure_columns(const lbLeafGrid* grid, const lbShape* shape, const bool* solid, int samples, float* fill) {
    Columns columns = {.grid = grid, .samples = samples, .count = {grid->count[0] * samples, grid->count[1] * samples}};
    bool enough = true;
    for (int t = 0; t < lbShape_GetTriangleCount(shape) && enough; ++t) {
        double p[3][3];
        for (int k = 0; k < 3; ++k) {
            lbVec3d at = vec3d_load(lbShape_GetPoints(shape) +
                                    3 * (size_t)lbShape_GetTriangles(shape)[3 * (size_t)t + (size_t)k]);
            p[k][0] = (at.x - grid->origin.x) / grid->cell.x;
            p[k][1] = (at.y - grid->origin.y) / grid->cell.y;
            p[k][2] = (at.z - grid->origin.z) / grid->cell.z;
        }
        enough = !solid[t] || cross_triangle(&columns, p);
    }
    if (enough && columns.crossings.count > 0) {
        qsort(columns.crossings.data, (size_t)columns.crossings.count, sizeof(Crossing), compare_crossings);
    }
    for (int i = 0, winding = 0; i < columns.crossings.count && enough; ++i) {
        const Crossing* here = &columns.crossings.data[i];
        bool last = i + 1 == columns.crossings.count || here[1].column != here->column;
        winding = (i > 0 && here[-1].column == here->column ? winding : 0) + here->sign;
        if (winding != 0 && last) {
            spoil_column(&columns, here->column, fill);
        } else if (winding != 0) {
            add_inside(&columns, here->column, (double)here->z, (double)here[1].z, fill);
        }
    }
    LB_FREE_ARRAY(grid->host, &columns.crossings);
    for (int64_t i = 0; i < leaf_count(grid); ++i) {
        fill[i] = isnan(fill[i]) ? NAN : fminf(1, fill[i] / (float)(samples * samples));
    }
    return enough ? lb_success() : lb_out_of_memory("voxels");
}
