#include "mesh/files/gmsh_types.h"

/* By the numbers of Gmsh's manual, section "MSH file format"; those beyond it by its elements' own descriptions. */
static const lbGmshType types[] = {
    [1] = {lb_cellLine, 2},          [2] = {lb_cellSurface, 3},       [3] = {lb_cellSurface, 4},
    [4] = {lb_cellTet, 4},           [5] = {lb_cellHexahedron, 8},    [6] = {lb_cellPrism, 6},
    [7] = {lb_cellPyramid, 5},       [8] = {lb_cellLine, 3},          [9] = {lb_cellSurface, 6},
    [10] = {lb_cellSurface, 9},      [11] = {lb_cellTet, 10},         [12] = {lb_cellHexahedron, 27},
    [13] = {lb_cellPrism, 18},       [14] = {lb_cellPyramid, 14},     [15] = {lb_cellPoint, 1},
    [16] = {lb_cellSurface, 8},      [17] = {lb_cellHexahedron, 20},  [18] = {lb_cellPrism, 15},
    [19] = {lb_cellPyramid, 13},     [20] = {lb_cellSurface, 9},      [21] = {lb_cellSurface, 10},
    [22] = {lb_cellSurface, 12},     [23] = {lb_cellSurface, 15},     [24] = {lb_cellSurface, 15},
    [25] = {lb_cellSurface, 21},     [26] = {lb_cellLine, 4},         [27] = {lb_cellLine, 5},
    [28] = {lb_cellLine, 6},         [29] = {lb_cellTet, 20},         [30] = {lb_cellTet, 35},
    [31] = {lb_cellTet, 56},         [32] = {lb_cellTet, 22},         [33] = {lb_cellTet, 28},
    [36] = {lb_cellSurface, 16},     [37] = {lb_cellSurface, 25},     [38] = {lb_cellSurface, 36},
    [39] = {lb_cellSurface, 12},     [40] = {lb_cellSurface, 16},     [41] = {lb_cellSurface, 20},
    [42] = {lb_cellSurface, 28},     [43] = {lb_cellSurface, 36},     [44] = {lb_cellSurface, 45},
    [45] = {lb_cellSurface, 55},     [46] = {lb_cellSurface, 66},     [47] = {lb_cellSurface, 49},
    [48] = {lb_cellSurface, 64},     [49] = {lb_cellSurface, 81},     [50] = {lb_cellSurface, 100},
    [51] = {lb_cellSurface, 121},    [52] = {lb_cellSurface, 18},     [53] = {lb_cellSurface, 21},
    [54] = {lb_cellSurface, 24},     [55] = {lb_cellSurface, 27},     [56] = {lb_cellSurface, 30},
    [57] = {lb_cellSurface, 24},     [58] = {lb_cellSurface, 28},     [59] = {lb_cellSurface, 32},
    [60] = {lb_cellSurface, 36},     [61] = {lb_cellSurface, 40},     [62] = {lb_cellLine, 7},
    [63] = {lb_cellLine, 8},         [64] = {lb_cellLine, 9},         [65] = {lb_cellLine, 10},
    [66] = {lb_cellLine, 11},        [71] = {lb_cellTet, 84},         [72] = {lb_cellTet, 120},
    [73] = {lb_cellTet, 165},        [74] = {lb_cellTet, 220},        [75] = {lb_cellTet, 286},
    [79] = {lb_cellTet, 34},         [80] = {lb_cellTet, 40},         [81] = {lb_cellTet, 46},
    [82] = {lb_cellTet, 52},         [83] = {lb_cellTet, 58},         [92] = {lb_cellHexahedron, 64},
    [93] = {lb_cellHexahedron, 125}, [94] = {lb_cellHexahedron, 216}, [95] = {lb_cellHexahedron, 343},
    [96] = {lb_cellHexahedron, 512}, [97] = {lb_cellHexahedron, 729}, [98] = {lb_cellHexahedron, 1000},
    [137] = {lb_cellTet, 16},
};

lbGmshType lb_gmsh_type(int64_t type) {
    if (type < 0 || type >= (int64_t)(sizeof(types) / sizeof(types[0]))) {
        return (lbGmshType){lb_cellUnknown, 0};
    }
    return types[type];
}
