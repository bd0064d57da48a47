/* Exact meshes of boxes, tubes and cylinders: cells along the shape's own directions, each cut into tetrahedra. */
#include "mesh/mesher.h"

#include "base/result.h"

#include <limits.h>

enum { generatorCookie = 0x74676e72, mostTets = 40000000 };

/* Corners of a cell are numbered by their bits: first direction 1, second 2, third 4. Six tetrahedra, each a way from
 * corner 0 to corner 7 along three edges (H. W. Kuhn, 1960): all cells are cut alike, and neighbours agree. */
static const int sixTets[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};
/* Five: four corners cut off, and the rest. Every second cell is mirrored along its first direction. */
static const int fiveTets[5][4] = {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 4, 2, 7}, {1, 2, 4, 7}};

typedef struct Grid {
    const lbTetGeneratorDef* def;
    int cells[3];
    int pointCount, tetCount;
    lbVec3d* points;
    lbFourNodes* tets;
} Grid;

lbTetGeneratorDef lbDefaultTetGeneratorDef(lbShapeKind kind) {
    lbGeneratorDef shape = lbDefaultGeneratorDef(kind);
    return (lbTetGeneratorDef){
        .kind = kind,
        .size = {shape.size.x, shape.size.y, shape.size.z},
        .radius = shape.radius,
        .innerRadius = shape.innerRadius,
        .length = shape.length,
        .edge = 0.05,
        .cookie = generatorCookie,
    };
}

/* ---- What is asked ----------------------------------------------------------------------------------------------- */

static lbResult check_length(const char* name, double value, double above) {
    if (!(value > above) || !isfinite(value)) {
        return lb_error(lb_errorArgument, "%s is %g; expected more than %g m", name, value, above);
    }
    return lb_success();
}

static lbResult check_def(const lbTetGeneratorDef* def) {
    if (def == NULL || def->cookie != generatorCookie) {
        return lb_error(lb_errorArgument, "the generator's definition was not made by lbDefaultTetGeneratorDef()");
    }
    LB_TRY(lb_check_host(def->host));
    if (def->kind != lb_shapeBox && def->kind != lb_shapeCylinder && def->kind != lb_shapeTube) {
        return lb_error(lb_errorArgument, "there is no exact mesh of a %s; expected a box, a cylinder or a tube",
                        (unsigned)def->kind < lb_shapeKindCount ? lbShapeKind_GetName(def->kind) : "shape of no kind");
    }
    if (def->pattern != lb_tetPatternSix && def->pattern != lb_tetPatternFive) {
        return lb_error(lb_errorArgument, "pattern %d does not exist", (int)def->pattern);
    }
    for (int c = 0; c < 3; ++c) {
        if (def->cells[c] < 0) {
            return lb_error(lb_errorArgument, "%d cells were asked for; expected 0 or more", def->cells[c]);
        }
        if (def->kind == lb_shapeBox) {
            LB_TRY(check_length("the box's size", def->size[c], 0));
        }
    }
    if (def->kind != lb_shapeBox) {
        LB_TRY(check_length("innerRadius", def->kind == lb_shapeTube ? def->innerRadius : 1, 0));
        LB_TRY(check_length("radius", def->radius, def->kind == lb_shapeTube ? def->innerRadius : 0));
        LB_TRY(check_length("length", def->length, 0));
    }
    return check_length("edge", def->edge, 0);
}

static lbResult count_cells(Grid* grid) {
    const lbTetGeneratorDef* def = grid->def;
    bool tube = def->kind == lb_shapeTube, cylinder = def->kind == lb_shapeCylinder;
    double around = LB_PI * (def->radius + def->innerRadius); /* the mean circle */
    const double boxMeasures[3] = {def->size[0], def->size[1], def->size[2]};
    const double roundMeasures[3] = {tube ? def->radius - def->innerRadius : def->radius, around, def->length};
    double cellCount = 1;
    for (int c = 0; c < 3; ++c) {
        double least = tube && c == 1 ? 3 : 1, length = def->kind == lb_shapeBox ? boxMeasures[c] : roundMeasures[c];
        double wanted = def->cells[c] > 0 ? def->cells[c] : fmin(fmax(least, round(length / def->edge)), INT_MAX / 2);
        if (tube && c == 1 && def->pattern == lb_tetPatternFive && def->cells[c] == 0) {
            wanted += fmod(wanted, 2);
        }
        grid->cells[c] = (int)wanted;
        cellCount *= cylinder && c == 1 ? 1 : wanted;
    }
    if (cylinder && def->cells[1] != 0 && def->cells[1] != 6 * grid->cells[0]) {
        return lb_error(lb_errorArgument, "a cylinder of %d rings has %d cells around, not %d", grid->cells[0],
                        6 * grid->cells[0], def->cells[1]);
    }
    if (tube && grid->cells[1] < 3) {
        return lb_error(lb_errorArgument, "a tube has %d cells around; expected 3 at least", grid->cells[1]);
    }
    if (tube && def->pattern == lb_tetPatternFive && grid->cells[1] % 2 != 0) {
        return lb_error(lb_errorArgument, "a tube in the pattern of five has %d cells around; expected an even number",
                        grid->cells[1]);
    }
    double perCell = cylinder ? 18.0 * grid->cells[0] : def->pattern == lb_tetPatternFive ? 5 : 6;
    if (perCell * cellCount > mostTets) {
        return lb_error(lb_errorArgument, "%d x %d x %d cells would make %.3g tetrahedra; the limit is %d",
                        grid->cells[0], cylinder ? 6 * grid->cells[0] : grid->cells[1], grid->cells[2],
                        perCell * cellCount, (int)mostTets);
    }
    grid->tetCount = (int)(perCell * cellCount);
    return lb_success();
}

static bool reserve(const lbHost* host, Grid* grid) {
    grid->points = LB_NEW(host, lbVec3d, grid->pointCount);
    grid->tets = LB_NEW(host, lbFourNodes, grid->tetCount);
    return grid->points != NULL && grid->tets != NULL;
}

static void put_tet(Grid* grid, int* count, int a, int b, int c, int d) {
    const lbVec3d* p = grid->points;
    bool turned = tet_volume_of(p[a], p[b], p[c], p[d]) < 0;
    grid->tets[(*count)++] = (lbFourNodes){{a, b, turned ? d : c, turned ? c : d}};
}

/* ---- Boxes and tubes: cells of six sides ------------------------------------------------------------------------- */

static int points_along(const Grid* grid, int direction) {
    bool closed = grid->def->kind == lb_shapeTube && direction == 1;
    return closed ? grid->cells[1] : grid->cells[direction] + 1;
}

static int grid_point(const Grid* grid, int i, int j, int k) {
    int m = points_along(grid, 1);
    return i + points_along(grid, 0) * (j % m + m * k);
}

/* The end of a range exactly, and the middle too. */
static double along(double size, int i, int count) {
    return size * ((double)(2 * (int64_t)i - count) / (2.0 * count));
}

static lbVec3d grid_place(const Grid* grid, int i, int j, int k) {
    const lbTetGeneratorDef* def = grid->def;
    if (def->kind == lb_shapeBox) {
        return vec3d(along(def->size[0], i, grid->cells[0]), along(def->size[1], j, grid->cells[1]),
                     along(def->size[2], k, grid->cells[2]));
    }
    double share = (double)i / grid->cells[0], angle = 2 * LB_PI * j / grid->cells[1];
    double radius = (1 - share) * def->innerRadius + share * def->radius;
    return vec3d(radius * cos(angle), along(def->length, k, grid->cells[2]), radius * sin(angle));
}

static void cut_cell(Grid* grid, int* count, int i, int j, int k) {
    bool five = grid->def->pattern == lb_tetPatternFive;
    int corner[8], mirror = five && ((i + j + k) & 1) ? 1 : 0;
    for (int c = 0; c < 8; ++c) {
        corner[c ^ mirror] = grid_point(grid, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
    }
    for (int t = 0; t < (five ? 5 : 6); ++t) {
        const int* tet = five ? fiveTets[t] : sixTets[t];
        put_tet(grid, count, corner[tet[0]], corner[tet[1]], corner[tet[2]], corner[tet[3]]);
    }
}

static bool fill_grid(const lbHost* host, Grid* grid) {
    grid->pointCount = points_along(grid, 0) * points_along(grid, 1) * points_along(grid, 2);
    if (!reserve(host, grid)) {
        return false;
    }
    int count = 0;
    for (int k = 0; k < points_along(grid, 2); ++k) {
        for (int j = 0; j < points_along(grid, 1); ++j) {
            for (int i = 0; i < points_along(grid, 0); ++i) {
                grid->points[grid_point(grid, i, j, k)] = grid_place(grid, i, j, k);
            }
        }
    }
    for (int k = 0; k < grid->cells[2]; ++k) {
        for (int j = 0; j < grid->cells[1]; ++j) {
            for (int i = 0; i < grid->cells[0]; ++i) {
                cut_cell(grid, &count, i, j, k);
            }
        }
    }
    return true;
}

/* ---- Cylinders: rings of triangles, drawn out to prisms ---------------------------------------------------------- */

/* Ring r > 0 has 6 r points; ring 0 is the axis. Points of a layer before ring r: 1 + 3 r (r - 1). */
static int ring_point(const Grid* grid, int layer, int ring, int i) {
    int layerSize = 1 + 3 * grid->cells[0] * (grid->cells[0] + 1);
    return layer * layerSize + (ring == 0 ? 0 : 1 + 3 * ring * (ring - 1) + i % (6 * ring));
}

/* A prism over a triangle of a layer. Each of its upright sides is divided from the lower end of the edge below whose
 * number is the smaller, which the neighbour sees alike. */
static void cut_prism(Grid* grid, int* count, int a, int b, int c) {
    int layerSize = 1 + 3 * grid->cells[0] * (grid->cells[0] + 1);
    int low = int_min(a, int_min(b, c)), high = int_max(a, int_max(b, c)), middle = a + b + c - low - high;
    put_tet(grid, count, low, middle, high, high + layerSize);
    put_tet(grid, count, low, middle, middle + layerSize, high + layerSize);
    put_tet(grid, count, low, low + layerSize, middle + layerSize, high + layerSize);
}

/* The triangles between a ring and the next one out, in one of six sectors. */
static void cut_sector(Grid* grid, int* count, int layer, int ring, int sector) {
    for (int i = 0; i <= ring; ++i) {
        int inner = ring_point(grid, layer, ring, sector * ring + i);
        int outer = ring_point(grid, layer, ring + 1, sector * (ring + 1) + i);
        int next = ring_point(grid, layer, ring + 1, sector * (ring + 1) + i + 1);
        cut_prism(grid, count, inner, outer, next);
        if (i < ring) {
            cut_prism(grid, count, inner, next, ring_point(grid, layer, ring, sector * ring + i + 1));
        }
    }
}

static bool fill_cylinder(const lbHost* host, Grid* grid) {
    const lbTetGeneratorDef* def = grid->def;
    int rings = grid->cells[0], count = 0;
    grid->pointCount = (1 + 3 * rings * (rings + 1)) * (grid->cells[2] + 1);
    if (!reserve(host, grid)) {
        return false;
    }
    for (int layer = 0; layer <= grid->cells[2]; ++layer) {
        for (int ring = 0; ring <= rings; ++ring) {
            for (int i = 0; i < int_max(1, 6 * ring); ++i) {
                double radius = def->radius * ring / rings, angle = 2 * LB_PI * i / int_max(1, 6 * ring);
                grid->points[ring_point(grid, layer, ring, i)] =
                    vec3d(radius * cos(angle), along(def->length, layer, grid->cells[2]), radius * sin(angle));
            }
        }
    }
    for (int layer = 0; layer < grid->cells[2]; ++layer) {
        for (int ring = 0; ring < rings; ++ring) {
            for (int sector = 0; sector < 6; ++sector) {
                cut_sector(grid, &count, layer, ring, sector);
            }
        }
    }
    return true;
}

lbResult lbGenerateTetMesh(const lbTetGeneratorDef* def, lbTetMesh** mesh) {
    *mesh = NULL;
    LB_TRY(check_def(def));
    const lbHost* host = lb_resolve_host(def->host);
    Grid grid = {.def = def};
    LB_TRY(count_cells(&grid));
    bool complete = def->kind == lb_shapeCylinder ? fill_cylinder(host, &grid) : fill_grid(host, &grid);
    lbResult result = complete ? lb_take_tet_mesh(host, grid.points, grid.pointCount, grid.tets, grid.tetCount, mesh)
                               : lb_out_of_memory("a tetrahedral mesh");
    lb_release(host, grid.points);
    lb_release(host, grid.tets);
    return result;
}
