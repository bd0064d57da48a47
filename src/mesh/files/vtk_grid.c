#include "mesh/files/vtk_grid.h"

#include "base/result.h"
#include "mesh/files/values.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

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
    int before = file->tets.count;
    LB_TRY(lb_add_element(file, &element));
    for (int which = 0; which < 3; ++which) {
        for (int i = before; index < grid->matter[which].count && i < file->tets.count; ++i) {
            lb_set_tet_matter(&file->tets.data[i], which, grid->matter[which].data[index]);
        }
    }
    return lb_success();
}

lbResult lb_add_vtk_cells(lbTetFile* file, const lbVtkGrid* grid) {
    LB_TRY(lb_reserve_elements(file, grid->types.count));
    for (int i = 0; i < grid->types.count; ++i) {
        LB_TRY(add_cell(file, grid, i));
    }
    return lb_success();
}

/* ---- Flags of points --------------------------------------------------------------------------------------------- */

bool lb_keep_vtk_flags(lbVtkGrid* grid, lbWord name, const lbIntegerList* values) {
    int array = 0;
    while (array < grid->flagNames.count && !(grid->flagNames.data[array].length == name.length &&
                                              memcmp(grid->flagNames.data[array].text, name.text, name.length) == 0)) {
        ++array;
    }
    if (array == grid->flagNames.count && !LB_PUSH(grid->host, &grid->flagNames, name)) {
        return false;
    }
    for (int i = 0; i < values->count; ++i) {
        lbVtkFlag flag = {array, grid->firstNode + i, values->data[i]};
        if (flag.value != 0 && !LB_PUSH(grid->host, &grid->flags, flag)) {
            return false;
        }
    }
    return true;
}

enum { mostFlagValues = 64 };

/* The values of an array; -1: too many. */
static int list_values(const lbVtkGrid* grid, int array, int64_t values[mostFlagValues]) {
    int count = 0;
    for (int i = 0; i < grid->flags.count; ++i) {
        const lbVtkFlag* flag = &grid->flags.data[i];
        int k = 0;
        while (flag->array == array && k < count && values[k] != flag->value) {
            ++k;
        }
        if (flag->array == array && k == count) {
            if (count == mostFlagValues) {
                return -1;
            }
            values[count++] = flag->value;
        }
    }
    return count;
}

static int name_group(lbTetFile* file, lbWord name, int64_t value, bool alone) {
    char text[lb_groupNameLimit + 32];
    if (alone) {
        return lb_find_or_make_group(file, name);
    }
    int length = snprintf(text, sizeof(text), "%.*s %lld", name.length > 40 ? 40 : (int)name.length, name.text,
                          (long long)value);
    return lb_find_or_make_group(file, (lbWord){text, (size_t)length});
}

lbResult lb_group_vtk_flags(lbTetFile* file, const lbVtkGrid* grid) {
    for (int array = 0; array < grid->flagNames.count && array < lb_mostGroups; ++array) {
        int64_t values[mostFlagValues];
        int groups[mostFlagValues], count = list_values(grid, array, values);
        for (int k = 0; k < count; ++k) {
            groups[k] = name_group(file, grid->flagNames.data[array], values[k], count == 1 && values[0] == 1);
        }
        for (int i = 0; count > 0 && i < grid->flags.count; ++i) {
            const lbVtkFlag* flag = &grid->flags.data[i];
            for (int k = 0; flag->array == array && k < count; ++k) {
                LB_TRY(values[k] == flag->value ? lb_add_member(file, groups[k], flag->node) : lb_success());
            }
        }
    }
    return lb_success();
}

void lb_empty_vtk_grid(lbVtkGrid* grid) {
    for (int which = 0; which < 3; ++which) {
        grid->matter[which].count = 0;
    }
    grid->connectivity.count = grid->ends.count = grid->types.count = 0;
    grid->regions.count = grid->places.count = 0;
}

void lb_free_vtk_grid(lbVtkGrid* grid) {
    LB_FREE_ARRAY(grid->host, &grid->connectivity);
    LB_FREE_ARRAY(grid->host, &grid->ends);
    LB_FREE_ARRAY(grid->host, &grid->types);
    LB_FREE_ARRAY(grid->host, &grid->regions);
    LB_FREE_ARRAY(grid->host, &grid->places);
    LB_FREE_ARRAY(grid->host, &grid->flagNames);
    LB_FREE_ARRAY(grid->host, &grid->flags);
    for (int which = 0; which < 3; ++which) {
        LB_FREE_ARRAY(grid->host, &grid->matter[which]);
    }
}
