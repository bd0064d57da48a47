#include "mesh/files/vtk_grid.h"

#include "base/result.h"
#include "mesh/files/values.h"

#include <limits.h>

/* By the numbers of vtkCellType.h. Corners come first in all. */
static const lbCellKind kinds[] = {
    [0] = lb_cellPoint, /* nothing at all */
    [1] = lb_cellPoint,       [2] = lb_cellPoint,       [3] = lb_cellLine,        [4] = lb_cellLine,
    [5] = lb_cellSurface,     [6] = lb_cellSurface,     [7] = lb_cellSurface,     [8] = lb_cellSurface,
    [9] = lb_cellSurface,     [lb_vtkTet] = lb_cellTet, [11] = lb_cellHexahedron, /* voxel */
    [12] = lb_cellHexahedron, [13] = lb_cellPrism,      [14] = lb_cellPyramid,    [21] = lb_cellLine,
    [22] = lb_cellSurface,    [23] = lb_cellSurface,    [24] = lb_cellTet,        [25] = lb_cellHexahedron,
    [26] = lb_cellPrism,      [27] = lb_cellPyramid,    [28] = lb_cellSurface,    [29] = lb_cellHexahedron,
    [30] = lb_cellSurface,    [31] = lb_cellPrism,      [32] = lb_cellPrism,      [33] = lb_cellHexahedron,
    [34] = lb_cellSurface,    [35] = lb_cellLine,       [36] = lb_cellSurface,    [37] = lb_cellPyramid,
    [68] = lb_cellLine,       [69] = lb_cellSurface,    [70] = lb_cellSurface,    [71] = lb_cellTet,
    [72] = lb_cellHexahedron, [73] = lb_cellPrism,      [74] = lb_cellPyramid,    [75] = lb_cellLine,
    [76] = lb_cellSurface,    [77] = lb_cellSurface,    [78] = lb_cellTet,        [79] = lb_cellHexahedron,
    [80] = lb_cellPrism,      [81] = lb_cellPyramid,
};

enum { vtkVoxel = 11, vtkWedge = 13, vtkQuadraticWedge = 26, vtkWedgeOf12 = 31, vtkWedgeOf18 = 32 };

/* Which of its nodes a corner is: voxels go row by row, and wedges begin with the triangle that looks outwards. */
static int place_of_corner(int64_t type, int corner) {
    static const int voxel[8] = {0, 1, 3, 2, 4, 5, 7, 6}, wedge[6] = {0, 2, 1, 3, 5, 4};
    bool isWedge = type == vtkWedge || type == vtkQuadraticWedge || type == vtkWedgeOf12 || type == vtkWedgeOf18;
    return type == vtkVoxel ? voxel[corner] : isWedge ? wedge[corner] : corner;
}

static lbCellKind kind_of(int64_t type) {
    return type >= 0 && type < (int64_t)(sizeof(kinds) / sizeof(kinds[0])) ? kinds[type] : lb_cellUnknown;
}

bool lb_is_region_name(lbWord name) {
    static const char* const names[] = {"region",        "regions",       "region_id",     "regionid",    "material",
                                        "materials",     "material_id",   "materialid",    "materialids", "attribute",
                                        "gmsh:physical", "cellentityids", "medit:ref",     "tetgen:ref",  "cell_tags",
                                        "physicalids",   "physical",      "cell_entity_id"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        if (lb_word_is_any_case(name, names[i])) {
            return true;
        }
    }
    return false;
}

int lb_region_of_real(double value) {
    return value > -INT_MAX && value < INT_MAX ? (int)value : 0;
}

static int clamp_region(int64_t region) {
    return region > INT_MAX ? INT_MAX : region < INT_MIN ? INT_MIN : (int)region;
}

static lbResult add_cell(lbTetFile* file, const lbVtkGrid* grid, int index) {
    int64_t type = grid->types.data[index], start = index > 0 ? grid->ends.data[index - 1] : 0;
    int64_t count = grid->ends.data[index] - start, nodes[lb_mostCorners];
    lbFileElement element = {.kind = kind_of(type),
                             .number = grid->firstCell + index,
                             .place = grid->places.count > 0 ? grid->places.data[index] : grid->place,
                             .region = grid->regions.count > 0 ? clamp_region(grid->regions.data[index]) : 0,
                             .nodes = nodes};
    int corners = lb_corner_count(element.kind);
    if (element.kind == lb_cellUnknown || count < corners) {
        return element.kind == lb_cellUnknown
                   ? lb_place_error(file->path, file->binary, element.place,
                                    "cell %lld is of type %lld, which cannot be read or cut into tetrahedra",
                                    (long long)element.number, (long long)type)
                   : lb_place_error(file->path, file->binary, element.place,
                                    "cell %lld of type %lld has %lld nodes; expected at least %d",
                                    (long long)element.number, (long long)type, (long long)count, corners);
    }
    element.higherOrder = count > corners;
    for (int k = 0; k < corners; ++k) {
        nodes[k] = grid->firstNode + grid->connectivity.data[start + place_of_corner(type, k)];
    }
    return lb_add_element(file, &element);
}

lbResult lb_add_vtk_cells(lbTetFile* file, const lbVtkGrid* grid) {
    int firstTet = file->tets.count;
    LB_TRY(lb_reserve_elements(file, grid->types.count));
    for (int i = 0; i < grid->types.count; ++i) {
        LB_TRY(add_cell(file, grid, i));
    }
    for (int i = 0; i < grid->arrays.count; ++i) {
        const lbVtkArray* array = &grid->arrays.data[i];
        LB_TRY(lb_group_by_values(file, array->name.text, array->name.length, array->ofCells, array->values.data,
                                  array->values.count, array->ofCells ? grid->firstCell : grid->firstNode, firstTet));
    }
    return lb_success();
}

lbIntegerList* lb_add_vtk_array(lbVtkGrid* grid, lbWord name, bool ofCells) {
    enum { mostArrays = 64 };
    lbVtkArray array = {.name = name, .ofCells = ofCells};
    if (grid->arrays.count == mostArrays || name.length == 0 || !LB_PUSH(grid->host, &grid->arrays, array)) {
        return NULL;
    }
    return &grid->arrays.data[grid->arrays.count - 1].values;
}

static void free_arrays(lbVtkGrid* grid) {
    for (int i = 0; i < grid->arrays.count; ++i) {
        LB_FREE_ARRAY(grid->host, &grid->arrays.data[i].values);
    }
    grid->arrays.count = 0;
}

void lb_empty_vtk_grid(lbVtkGrid* grid) {
    grid->connectivity.count = grid->ends.count = grid->types.count = 0;
    grid->regions.count = grid->places.count = 0;
    free_arrays(grid);
}

void lb_free_vtk_grid(lbVtkGrid* grid) {
    LB_FREE_ARRAY(grid->host, &grid->connectivity);
    LB_FREE_ARRAY(grid->host, &grid->ends);
    LB_FREE_ARRAY(grid->host, &grid->types);
    LB_FREE_ARRAY(grid->host, &grid->regions);
    LB_FREE_ARRAY(grid->host, &grid->places);
    free_arrays(grid);
    LB_FREE_ARRAY(grid->host, &grid->arrays);
}
