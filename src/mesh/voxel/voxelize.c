/* From a surface to leaves: boundary cells by an exact test of triangles against boxes, found by halving; outside by
 * flooding from the border; the rest is inside (Nesme, Payan and Faure 2006, section 3.1). Then how full they are. */
#include "mesh/voxel/voxel.h"

#include "base/log.h"
#include "base/result.h"
#include "mesh/voxel/columns.h"
#include "mesh/voxel/flood.h"
#include "shape/shape.h"
#include "shape/triangle_geometry.h"

#include <string.h>

/* The box around the surface is larger than it by this share. */
static const double inflation = 0.01;
/* A cell that the surface passes through, but whose samples all miss the matter in it. */
static const double leastFill = 0.02;
/* Bytes of grids while voxelising, beyond which a depth is refused. */
static const double mostBytes = 1.5e9;
static const double bytesPerLeaf = 12;
/* Along each side: how full leaves are. */
enum { linesPerLeaf = 4 };

void lb_destroy_leaves(lbLeafGrid* grid) {
    lb_release(grid->host, grid->state);
    lb_release(grid->host, grid->fill);
    lb_release(grid->host, grid->label);
    lb_release(grid->host, grid->part);
    *grid = (lbLeafGrid){.host = grid->host};
}

/* ---- The grid ---------------------------------------------------------------------------------------------------- */

static lbResult check_depths(const lbMeshDef* def) {
    if (def->depth < 0 || def->depth > mostVoxelDepth || def->mechanicalDepth < 0 ||
        def->mechanicalDepth > def->depth || def->depth - def->mechanicalDepth > mostVoxelLevels) {
        return lb_error(lb_errorArgument,
                        "voxel depths are %d and %d (mechanical); expected 0 to %d, the mechanical one at most the "
                        "other and at least %d less",
                        def->depth, def->mechanicalDepth, mostVoxelDepth, mostVoxelLevels);
    }
    if (def->elements < 0) {
        return lb_error(lb_errorArgument, "%d voxel elements are wanted; expected 0 (by depth) or more", def->elements);
    }
    if (!(def->sheetThickness >= 0) || !isfinite(def->sheetThickness)) {
        return lb_error(lb_errorArgument, "the thickness of sheets is %g m; expected 0 or more",
                        (double)def->sheetThickness);
    }
    return lb_success();
}

/* Hexahedra as cubes, `along` of them along the longest side, around the middle of the surface. */
static lbResult fit_grid(const lbShape* shape, double along, int levels, lbLeafGrid* grid) {
    lbBox bounds = lbShape_GetBounds(shape);
    lbVec3d size = vec3d_sub(vec3d_from(bounds.upper), vec3d_from(bounds.lower));
    double sides[3] = {size.x, size.y, size.z}, longest = fmax(size.x, fmax(size.y, size.z)), leaves = 1;
    if (!(longest > 0) || !isfinite(longest)) {
        return lb_error(lb_errorArgument, "the surface is a single point: there is nothing to voxelise");
    }
    double edge = (1 + inflation) * longest / along, leaf = edge / (1 << levels);
    for (int c = 0; c < 3; ++c) {
        /* a side that is a whole number of edges shall not become one more by rounding */
        double hexes = fmax(1, ceil((1 + inflation) * sides[c] / edge - 1e-9));
        grid->count[c] = (int)fmin(hexes * (1 << levels), 1 << 20);
        leaves *= hexes * (1 << levels);
    }
    if (leaves * bytesPerLeaf > mostBytes) {
        return lb_error(
            lb_errorArgument,
            "voxels of %.3g m are %.3g cells, which take %.3g MB to find; the limit is %.3g MB (less depth, "
            "or fewer elements)",
            leaf, leaves, 1e-6 * leaves * bytesPerLeaf, 1e-6 * mostBytes);
    }
    lbVec3d middle = vec3d_scale(0.5, vec3d_add(vec3d_from(bounds.upper), vec3d_from(bounds.lower)));
    grid->levels = levels;
    grid->cell = vec3d(leaf, leaf, leaf);
    grid->origin = vec3d(middle.x - 0.5 * leaf * grid->count[0], middle.y - 0.5 * leaf * grid->count[1],
                         middle.z - 0.5 * leaf * grid->count[2]);
    grid->state = LB_NEW(grid->host, uint8_t, leaf_count(grid));
    grid->fill = LB_NEW(grid->host, uint16_t, leaf_count(grid));
    return grid->state != NULL && grid->fill != NULL ? lb_success() : lb_out_of_memory("voxels");
}

/* ---- Boundary ---------------------------------------------------------------------------------------------------- */

typedef struct Range {
    int low[3], high[3]; /* leaves low <= i < high */
} Range;

typedef struct Marking {
    lbLeafGrid* grid;
    const float* corners; /* (3 x 3) of the triangle */
    bool solid;           /* of the triangle */
    double thickness;     /* m, of sheets; 0: their cells are half full */
} Marking;

static lbBox range_box(const lbLeafGrid* grid, const Range* range) {
    return (lbBox){vec3_from(leaf_place(grid, range->low[0], range->low[1], range->low[2])),
                   vec3_from(leaf_place(grid, range->high[0], range->high[1], range->high[2]))};
}

/* The area of a triangle within a box, by cutting it along the box's planes. */
static double area_in_box(const float* corners, lbBox box) {
    enum { most = 3 + 6 };
    lbVec3d points[most + 1], next[most + 1];
    int count = 3;
    for (int k = 0; k < 3; ++k) {
        points[k] = vec3d_load(corners + 3 * (size_t)k);
    }
    const double planes[6] = {box.lower.x, box.upper.x, box.lower.y, box.upper.y, box.lower.z, box.upper.z};
    for (int plane = 0; plane < 6 && count > 0; ++plane) {
        int made = 0;
        bool within = false; /* what lies in an upper side belongs to the box beyond */
        double sign = plane % 2 == 0 ? 1 : -1;
        for (int k = 0; k < count; ++k) {
            lbVec3d p = points[k], q = points[(k + 1) % count];
            const double at[2][3] = {{p.x, p.y, p.z}, {q.x, q.y, q.z}};
            double a = sign * (at[0][plane / 2] - planes[plane]), b = sign * (at[1][plane / 2] - planes[plane]);
            within |= a > 0 || (a == 0 && plane % 2 == 0);
            if (a >= 0) {
                next[made++] = p;
            }
            if ((a >= 0) != (b >= 0)) {
                next[made++] = vec3d_madd(p, a / (a - b), vec3d_sub(q, p));
            }
        }
        count = within ? int_min(made, most) : 0;
        memcpy(points, next, sizeof(points));
    }
    lbVec3d sum = {0, 0, 0};
    for (int k = 2; k < count; ++k) {
        sum = vec3d_add(sum, vec3d_cross(vec3d_sub(points[k - 1], points[0]), vec3d_sub(points[k], points[0])));
    }
    return 0.5 * vec3d_length(sum);
}

/* Cells of sheets get their fill here, those of solids when inside and outside are known. */
static void mark_leaf(const Marking* marking, const Range* range, lbBox box) {
    lbLeafGrid* grid = marking->grid;
    int64_t at = leaf_index(grid, range->low[0], range->low[1], range->low[2]);
    grid->state[at] = lb_leafBoundary;
    if (marking->solid) {
        return;
    }
    double fill = 0.5;
    if (marking->thickness > 0) {
        double volume = grid->cell.x * grid->cell.y * grid->cell.z;
        fill = grid->fill[at] / (double)voxelFull + area_in_box(marking->corners, box) * marking->thickness / volume;
    }
    grid->fill[at] = (uint16_t)fmax(1, fmin(voxelFull, fill * voxelFull));
}

static void mark_range(const Marking* marking, Range range) {
    lbBox box = range_box(marking->grid, &range);
    if (!triangle_meets_box(marking->corners, box)) {
        return;
    }
    int longest = 0;
    for (int c = 1; c < 3; ++c) {
        longest = range.high[c] - range.low[c] > range.high[longest] - range.low[longest] ? c : longest;
    }
    if (range.high[longest] - range.low[longest] == 1) {
        mark_leaf(marking, &range, box);
        return;
    }
    Range lower = range, upper = range;
    lower.high[longest] = upper.low[longest] = (range.low[longest] + range.high[longest]) / 2;
    mark_range(marking, lower);
    mark_range(marking, upper);
}

/* Leaves around a box, one more on each side for rounding. */
static Range range_around(const lbLeafGrid* grid, lbVec3d lower, lbVec3d upper) {
    const double low[3] = {(lower.x - grid->origin.x) / grid->cell.x, (lower.y - grid->origin.y) / grid->cell.y,
                           (lower.z - grid->origin.z) / grid->cell.z};
    const double high[3] = {(upper.x - grid->origin.x) / grid->cell.x, (upper.y - grid->origin.y) / grid->cell.y,
                            (upper.z - grid->origin.z) / grid->cell.z};
    Range range;
    for (int c = 0; c < 3; ++c) {
        range.low[c] = int_max(0, int_min(grid->count[c] - 1, (int)floor(low[c]) - 1));
        range.high[c] = int_max(range.low[c] + 1, int_min(grid->count[c], (int)floor(high[c]) + 2));
    }
    return range;
}

static void mark_triangle(lbLeafGrid* grid, const lbShape* shape, int triangle, bool solid, double thickness) {
    const int* corner = lbShape_GetTriangles(shape) + 3 * (size_t)triangle;
    float corners[9];
    for (int k = 0; k < 3; ++k) {
        memcpy(corners + 3 * (size_t)k, lbShape_GetPoints(shape) + 3 * (size_t)corner[k], sizeof(float[3]));
    }
    lbVec3d lower = vec3d_load(corners), upper = lower;
    for (int k = 1; k < 3; ++k) {
        lbVec3d p = vec3d_load(corners + 3 * (size_t)k);
        lower = vec3d(fmin(lower.x, p.x), fmin(lower.y, p.y), fmin(lower.z, p.z));
        upper = vec3d(fmax(upper.x, p.x), fmax(upper.y, p.y), fmax(upper.z, p.z));
    }
    Marking marking = {grid, corners, solid, thickness};
    mark_range(&marking, range_around(grid, lower, upper));
}

/* ---- Inside ------------------------------------------------------------------------------------------------------ */

static lbVec3 leaf_middle(const lbLeafGrid* grid, int64_t leaf) {
    int64_t row = leaf / grid->count[0];
    return vec3_from(leaf_place(grid, (double)(leaf % grid->count[0]) + 0.5, (double)(row % grid->count[1]) + 0.5,
                                (double)(row / grid->count[1]) + 0.5));
}

enum { windingBlock = 4 };

/* The leaves of a block of windingBlock along each axis that are in the grid; calls for one that is not boundary. */
static void wind_block(lbLeafGrid* grid, const lbShapeQuery* solid, const int first[3]) {
    int end[3], known = -1;
    bool whole = true;
    for (int c = 0; c < 3; ++c) {
        end[c] = int_min(first[c] + windingBlock, grid->count[c]);
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = first[2]; k < end[2]; ++k) {
            for (int j = first[1]; j < end[1]; ++j) {
                for (int i = first[0]; i < end[0]; ++i) {
                    int64_t leaf = leaf_index(grid, i, j, k);
                    if (grid->state[leaf] == lb_leafBoundary) {
                        whole = false;
                    } else if (pass == 1) {
                        known = whole && known >= 0 ? known : lbShapeQuery_IsInside(solid, leaf_middle(grid, leaf));
                        grid->state[leaf] = known ? lb_leafInside : lb_leafOutside;
                    }
                }
            }
        }
    }
}

/* By the winding number of the solid parts: what was flooded through holes is inside still. One look is enough for a
 * block of leaves that the surface does not pass through. */
static void fill_by_winding(lbLeafGrid* grid, const lbShapeQuery* solid) {
    for (int k = 0; k < grid->count[2]; k += windingBlock) {
        for (int j = 0; j < grid->count[1]; j += windingBlock) {
            for (int i = 0; i < grid->count[0]; i += windingBlock) {
                wind_block(grid, solid, (int[3]){i, j, k});
            }
        }
    }
}

/* As many samples as a few hundred thousand in all allow. */
static int choose_samples(int64_t boundaryCount) {
    return boundaryCount < 8000 ? 4 : boundaryCount < 40000 ? 3 : 2;
}

static double sampled_fill(const lbLeafGrid* grid, const lbShapeQuery* solid, int64_t leaf, int samples) {
    lbVec3d middle = vec3d_from(leaf_middle(grid, leaf));
    int inside = 0;
    for (int s = 0; s < samples * samples * samples; ++s) {
        double a = (s % samples + 0.5) / samples - 0.5, b = (s / samples % samples + 0.5) / samples - 0.5;
        double c = (s / (samples * samples) + 0.5) / samples - 0.5;
        lbVec3d p = vec3d(middle.x + a * grid->cell.x, middle.y + b * grid->cell.y, middle.z + c * grid->cell.z);
        inside += lbShapeQuery_IsInside(solid, vec3_from(p));
    }
    return inside / (double)(samples * samples * samples);
}

static int64_t count_state(const lbLeafGrid* grid, lbLeafState state) {
    int64_t count = 0;
    for (int64_t i = 0; i < leaf_count(grid); ++i) {
        count += grid->state[i] == state;
    }
    return count;
}

/* `solid` may be NULL: nothing encloses anything. `known` may be NULL: then samples are taken. Cells of sheets have
 * their fill already. */
static void fill_leaves(lbLeafGrid* grid, const lbShapeQuery* solid, const float* known, lbVoxelFill kind) {
    int samples = choose_samples(count_state(grid, lb_leafBoundary));
    for (int64_t i = 0; i < leaf_count(grid); ++i) {
        if (grid->state[i] == lb_leafInside) {
            grid->fill[i] = voxelFull;
        } else if (grid->state[i] == lb_leafBoundary && (kind == lb_fillHalf || solid == NULL)) {
            grid->fill[i] = kind == lb_fillHalf || grid->fill[i] == 0 ? voxelFull / 2 : grid->fill[i];
        } else if (grid->state[i] == lb_leafBoundary) {
            double own = known != NULL && !isnan(known[i]) ? (double)known[i] : sampled_fill(grid, solid, i, samples);
            double fill = fmax(own, grid->fill[i] / (double)voxelFull);
            grid->fill[i] = (uint16_t)(fmax(leastFill, fill) * voxelFull);
        }
    }
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

static lbResult make_solid_query(const lbShape* shape, const bool* solid, int solidCount, lbShape** part,
                                 lbShapeQuery** query) {
    int triangleCount = lbShape_GetTriangleCount(shape);
    if (solidCount == triangleCount) {
        return lbCreateShapeQuery(shape, query);
    }
    lbShapeDef def = lbDefaultShapeDef();
    LB_ARRAY(int) triangles = {0};
    for (int t = 0; t < 3 * triangleCount; ++t) {
        if (solid[t / 3] && !LB_PUSH(NULL, &triangles, lbShape_GetTriangles(shape)[t])) {
            LB_FREE_ARRAY(NULL, &triangles);
            return lb_out_of_memory("the solid parts of a surface");
        }
    }
    def.pointCount = lbShape_GetPointCount(shape);
    def.points = lbShape_GetPoints(shape);
    def.triangleCount = solidCount;
    def.triangles = triangles.data;
    lbResult result = lbCreateShape(&def, part);
    LB_FREE_ARRAY(NULL, &triangles);
    LB_TRY(result);
    return lbCreateShapeQuery(*part, query);
}

/* Which cells are what, once the boundary is known. */
static lbResult find_inside(lbLeafGrid* grid, const lbMeshDef* def, const lbShapeQuery* solid, bool broken) {
    bool winding = def->inside == lb_insideWinding || (def->inside == lb_insideAuto && broken);
    if (winding && solid != NULL) {
        fill_by_winding(grid, solid);
        return lb_success();
    }
    LB_TRY(lb_flood_outside(grid));
    return def->keepVoids && solid != NULL ? lb_empty_voids(grid, solid) : lb_success();
}

static lbResult voxelize_at(const lbShape* shape, const lbMeshDef* def, double along, int levels, const bool* solid,
                            const lbShapeQuery* query, bool broken, lbLeafGrid* grid) {
    LB_TRY(fit_grid(shape, along, levels, grid));
    for (int t = 0; t < lbShape_GetTriangleCount(shape); ++t) {
        mark_triangle(grid, shape, t, solid[t], def->fill == lb_fillFraction ? (double)def->sheetThickness : 0);
    }
    return find_inside(grid, def, query, broken);
}

/* How many hexahedra hold something, parts that are not connected not told apart. */
static int64_t count_hexes(const lbLeafGrid* grid) {
    int wide = 1 << grid->levels;
    int64_t count = 0;
    for (int k = 0; k < grid->count[2]; k += wide) {
        for (int j = 0; j < grid->count[1]; j += wide) {
            for (int i = 0; i < grid->count[0]; i += wide) {
                bool any = false;
                for (int s = 0; s < wide * wide * wide && !any; ++s) {
                    any = grid->state[leaf_index(grid, i + s % wide, j + s / wide % wide, k + s / wide / wide)] !=
                          lb_leafOutside;
                }
                count += any;
            }
        }
    }
    return count;
}

/* What choose_along works on. */
typedef struct Choice {
    const lbShape* shape;
    const lbMeshDef* def;
    const bool* solid;
    const lbShapeQuery* query;
    bool broken;
    double best, bestError; /* so far */
} Choice;

/* How many hexahedra there are with so many along the longest side; infinitely many if there is no room for them. */
static double try_along(Choice* choice, double along) {
    lbLeafGrid grid = {.host = choice->shape->host};
    lbResult result =
        voxelize_at(choice->shape, choice->def, along, 0, choice->solid, choice->query, choice->broken, &grid);
    double count = result.code == lb_ok ? (double)count_hexes(&grid) : INFINITY;
    lb_destroy_leaves(&grid);
    double error = fabs(count / choice->def->elements - 1);
    if (error < choice->bestError) {
        choice->best = along;
        choice->bestError = error;
    }
    return count;
}

/* How many hexahedra along the longest side make about as many as are wanted in all. Their number does not grow evenly
 * with that where they are few: then more is tried around the best. */
static double choose_along(Choice* choice) {
    enum { few = 3000, trials = 24 };
    double wanted = choice->def->elements, low = 0, high = fmax(2, 4 * wanted), along = ceil(cbrt(wanted)) + 1;
    for (int i = 0; i < 14 && high - low > 0.02 * high && choice->bestError > 0.02; ++i) {
        double count = try_along(choice, along);
        *(count < wanted ? &low : &high) = along;
        double guess = isfinite(count) && count > 0 ? along * cbrt(wanted / count) : 0.5 * (low + high);
        along = guess > low && guess < high ? guess : 0.5 * (low + high);
    }
    double around = choice->best;
    for (int i = 0; i <= trials && wanted < few && choice->bestError > 0.02; ++i) {
        try_along(choice, around * (0.7 + 0.7 * i / trials));
    }
    return choice->best;
}

lbResult lb_voxelize(const lbHost* host, const lbShape* shape, const lbMeshDef* def, lbLeafGrid* grid) {
    *grid = (lbLeafGrid){.host = host};
    LB_TRY(check_depths(def));
    int solidCount = 0, levels = def->depth - def->mechanicalDepth;
    double along = ldexp(1, def->mechanicalDepth);
    bool broken = false, *solid = LB_NEW(host, bool, lbShape_GetTriangleCount(shape));
    lbShape* part = NULL;
    lbShapeQuery* query = NULL;
    lbShapeReport report;
    float* fill = NULL;
    lbResult result = solid != NULL ? lb_find_solid_parts(host, shape, solid, &broken) : lb_out_of_memory("voxels");
    if (result.code != lb_ok) {
        goto done;
    }
    for (int t = 0; t < lbShape_GetTriangleCount(shape); ++t) {
        solid[t] |= def->inside == lb_insideWinding;
        solidCount += solid[t];
    }
    if (solidCount > 0) {
        LB_TRY_OR_DONE(make_solid_query(shape, solid, solidCount, &part, &query));
    }
    if (def->elements > 0) {
        Choice choice = {shape, def, solid, query, broken, 1, INFINITY};
        along = choose_along(&choice);
    }
    LB_TRY_OR_DONE(voxelize_at(shape, def, along, levels, solid, query, broken, grid));
    bool lines = query != NULL && def->inside != lb_insideWinding && def->fill == lb_fillFraction;
    if (lines) {
        fill = LB_NEW(host, float, leaf_count(grid));
        LB_TRY_OR_DONE(fill != NULL ? lb_measure_columns(grid, shape, solid, linesPerLeaf, fill)
                                    : lb_out_of_memory("voxels"));
    }
    fill_leaves(grid, query, fill, def->fill);
    LB_TRY_OR_DONE(lbShape_Inspect(shape, &report));
    /* Parts may overlap, and cavities may be filled: the volume is then not what signed triangles enclose. */
    grid->volume = report.oriented && report.volume > 0 && report.componentCount == 1 ? report.volume : 0;
done:
    lb_release(host, solid);
    lb_release(host, fill);
    lbDestroyShapeQuery(query);
    lbDestroyShape(part);
    return result;
}
