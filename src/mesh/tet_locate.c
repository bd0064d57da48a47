/* Places inside are found in a grid of lists of the tetrahedra whose boxes touch a cell; places outside by the nearest
 * triangle of the mesh's surface. */
#include "mesh/tet_locate.h"

#include "base/result.h"
#include "mesh/tet_surface.h"

/* Coordinates may be so much negative in the tetrahedron that holds a place on its face, by rounding. */
static const double tolerance = 1e-9;

struct lbTetLocator {
    const lbTetMesh* mesh;
    lbVec3d lower; /* m */
    double cell;   /* m */
    int count[3];  /* cells along each axis */
    int* starts;   /* (cells + 1) */
    int* tets;     /* by cell */
    lbTetSurface surface;
    lbShape* shape; /* the surface, for `query` */
    lbShapeQuery* query;
};

typedef struct CellRange {
    int lower[3], upper[3]; /* both inclusive */
} CellRange;

static int cell_along(const lbTetLocator* locator, double from, double at, int axis) {
    double cell = floor((at - from) / locator->cell);
    return cell > 0 ? (cell < locator->count[axis] ? (int)cell : locator->count[axis] - 1) : 0;
}

static CellRange cells_of(const lbTetLocator* locator, lbVec3d lower, lbVec3d upper) {
    return (CellRange){
        {cell_along(locator, locator->lower.x, lower.x, 0), cell_along(locator, locator->lower.y, lower.y, 1),
         cell_along(locator, locator->lower.z, lower.z, 2)},
        {cell_along(locator, locator->lower.x, upper.x, 0), cell_along(locator, locator->lower.y, upper.y, 1),
         cell_along(locator, locator->lower.z, upper.z, 2)},
    };
}

static lbVec3d lower_of(lbVec3d a, lbVec3d b) {
    return vec3d(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}

static lbVec3d upper_of(lbVec3d a, lbVec3d b) {
    return vec3d(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

static CellRange cells_of_tet(const lbTetLocator* locator, int tet) {
    const int* node = locator->mesh->tets + 4 * (size_t)tet;
    lbVec3d lower = tet_point(locator->mesh->points, node[0]), upper = lower;
    for (int i = 1; i < 4; ++i) {
        lower = lower_of(lower, tet_point(locator->mesh->points, node[i]));
        upper = upper_of(upper, tet_point(locator->mesh->points, node[i]));
    }
    return cells_of(locator, lower, upper);
}

/* Cells of about a tetrahedron's size, but not many more of them than tetrahedra. */
static void fit_cells(lbTetLocator* locator) {
    const lbTetMesh* mesh = locator->mesh;
    lbVec3d upper = tet_point(mesh->points, 0);
    double volume = 0;
    locator->lower = upper;
    for (int i = 1; i < mesh->pointCount; ++i) {
        locator->lower = lower_of(locator->lower, tet_point(mesh->points, i));
        upper = upper_of(upper, tet_point(mesh->points, i));
    }
    for (int i = 0; i < mesh->tetCount; ++i) {
        volume += tet_shape(mesh->points, mesh->tets + 4 * (size_t)i).volume;
    }
    lbVec3d size = vec3d_sub(upper, locator->lower);
    locator->cell = cbrt(fmax(6 * volume, size.x * size.y * size.z) / mesh->tetCount);
    const double sides[3] = {size.x, size.y, size.z};
    for (int c = 0; c < 3; ++c) {
        locator->count[c] = 1 + (int)fmin(sides[c] / locator->cell, 1000);
    }
}

static int cell_index(const lbTetLocator* locator, int i, int j, int k) {
    return i + locator->count[0] * (j + locator->count[1] * k);
}

/* Counts (tets == NULL) or writes each tetrahedron into the lists of its cells. */
static void list_tets(lbTetLocator* locator) {
    for (int t = locator->mesh->tetCount - 1; t >= 0; --t) { /* backwards: lists then rise */
        CellRange range = cells_of_tet(locator, t);
        for (int k = range.lower[2]; k <= range.upper[2]; ++k) {
            for (int j = range.lower[1]; j <= range.upper[1]; ++j) {
                for (int i = range.lower[0]; i <= range.upper[0]; ++i) {
                    int* start = &locator->starts[cell_index(locator, i, j, k)];
                    if (locator->tets == NULL) {
                        ++*start;
                    } else {
                        locator->tets[--*start] = t;
                    }
                }
            }
        }
    }
}

static lbResult fill_grid(lbTetLocator* locator) {
    const lbHost* host = locator->mesh->host;
    int64_t cellCount = (int64_t)locator->count[0] * locator->count[1] * locator->count[2];
    locator->starts = LB_NEW(host, int, cellCount + 1);
    if (locator->starts == NULL) {
        return lb_out_of_memory("a search in a tetrahedral mesh");
    }
    list_tets(locator);
    for (int64_t i = 0; i < cellCount; ++i) {
        locator->starts[i + 1] += locator->starts[i];
    }
    locator->tets = LB_NEW(host, int, locator->starts[cellCount]);
    if (locator->tets == NULL) {
        return lb_out_of_memory("a search in a tetrahedral mesh");
    }
    list_tets(locator);
    return lb_success();
}

lbResult lb_create_tet_locator(const lbTetMesh* mesh, lbTetLocator** locator) {
    *locator = NULL;
    lbTetLocator* made = LB_NEW(mesh->host, lbTetLocator, 1);
    if (made == NULL) {
        return lb_out_of_memory("a search in a tetrahedral mesh");
    }
    *made = (lbTetLocator){.mesh = mesh, .surface = {.host = mesh->host}};
    fit_cells(made);
    lbResult result;
    LB_TRY_OR_DONE(fill_grid(made));
    LB_TRY_OR_DONE(lb_find_tet_surface(mesh, &made->surface));
    LB_TRY_OR_DONE(lb_make_surface_shape(mesh, &made->surface, &made->shape));
    LB_TRY_OR_DONE(lbCreateShapeQuery(made->shape, &made->query));
    *locator = made;
    return result;
done:
    lb_destroy_tet_locator(made);
    return result;
}

void lb_destroy_tet_locator(lbTetLocator* locator) {
    if (locator == NULL) {
        return;
    }
    const lbHost* host = locator->mesh->host;
    lbDestroyShapeQuery(locator->query);
    lbDestroyShape(locator->shape);
    lb_free_tet_surface(&locator->surface);
    lb_release(host, locator->starts);
    lb_release(host, locator->tets);
    lb_release(host, locator);
}

/* Returns the least coordinate. */
static double barycentric(const lbTetMesh* mesh, int tet, lbVec3d place, double weights[4]) {
    const int* node = mesh->tets + 4 * (size_t)tet;
    lbVec3d p[4];
    for (int i = 0; i < 4; ++i) {
        p[i] = tet_point(mesh->points, node[i]);
    }
    double whole = tet_volume_of(p[0], p[1], p[2], p[3]), least = INFINITY;
    for (int i = 0; i < 4; ++i) {
        lbVec3d corner = p[i];
        p[i] = place;
        weights[i] = tet_volume_of(p[0], p[1], p[2], p[3]) / whole;
        p[i] = corner;
        least = weights[i] < least ? weights[i] : least;
    }
    return least;
}

/* The tetrahedron that a place is deepest in, or -1. */
static int find_holding(const lbTetLocator* locator, lbVec3d place) {
    CellRange range = cells_of(locator, place, place);
    int cell = cell_index(locator, range.lower[0], range.lower[1], range.lower[2]), found = -1;
    double best = -tolerance;
    for (int i = locator->starts[cell]; i < locator->starts[cell + 1]; ++i) {
        double weights[4], least = barycentric(locator->mesh, locator->tets[i], place, weights);
        if (least > best) {
            best = least;
            found = locator->tets[i];
        }
    }
    return found;
}

int lb_locate_tet(const lbTetLocator* locator, lbVec3d place, double weights[4]) {
    int tet = find_holding(locator, place);
    if (tet < 0) {
        tet = locator->surface.tets[lbShapeQuery_ClosestPoint(locator->query, vec3_from(place)).triangle];
    }
    barycentric(locator->mesh, tet, place, weights);
    return tet;
}
