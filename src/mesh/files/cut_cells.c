/* Hexahedra, prisms and pyramids into tetrahedra so that neighbours meet: a quadrilateral is cut by the diagonal from
 * its node of the lowest number, which both its elements see alike. After Dompierre, Labbe, Vallet and Camarero, "How
 * to subdivide pyramids, prisms and hexahedra into tetrahedra" (1999); here every element becomes the tetrahedra from
 * its lowest node to the triangles of the faces that do not have it, which cuts the faces that do have it as the rule
 * says. A hexahedron gives six. */
#include "mesh/files/tet_file.h"

typedef struct Face {
    int cornerCount;
    int corners[4]; /* counter-clockwise seen from outside */
} Face;

typedef struct Cell {
    int cornerCount, faceCount;
    Face faces[6];
} Cell;

static const Cell cells[] = {
    [lb_cellTet] = {4, 4, {{3, {1, 2, 3}}, {3, {0, 3, 2}}, {3, {0, 1, 3}}, {3, {0, 2, 1}}}},
    [lb_cellPyramid] = {5, 5, {{4, {0, 3, 2, 1}}, {3, {0, 1, 4}}, {3, {1, 2, 4}}, {3, {2, 3, 4}}, {3, {3, 0, 4}}}},
    [lb_cellPrism] = {6, 5, {{3, {0, 2, 1}}, {3, {3, 4, 5}}, {4, {0, 1, 4, 3}}, {4, {1, 2, 5, 4}}, {4, {2, 0, 3, 5}}}},
    [lb_cellHexahedron] = {8,
                           6,
                           {{4, {0, 3, 2, 1}},
                            {4, {4, 5, 6, 7}},
                            {4, {0, 1, 5, 4}},
                            {4, {1, 2, 6, 5}},
                            {4, {2, 3, 7, 6}},
                            {4, {3, 0, 4, 7}}}},
};

int lb_corner_count(lbCellKind kind) {
    return kind >= lb_cellTet && kind <= lb_cellHexahedron ? cells[kind].cornerCount : 0;
}

static int lowest_of(const int* corners, int count, const int64_t* nodes) {
    int lowest = 0;
    for (int i = 1; i < count; ++i) {
        lowest = nodes[corners[i]] < nodes[corners[lowest]] ? i : lowest;
    }
    return lowest;
}

/* An element may name a node twice, where an edge or a face of it is shrunk to a point: nothing is left of such a
 * tetrahedron. */
static bool has_four_nodes(const int tet[4], const int64_t* nodes) {
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < i; ++j) {
            if (nodes[tet[i]] == nodes[tet[j]]) {
                return false;
            }
        }
    }
    return true;
}

int lb_cut_cell(lbCellKind kind, const int64_t* nodes, int tets[6][4]) {
    static const int all[lb_mostCorners] = {0, 1, 2, 3, 4, 5, 6, 7};
    const Cell* cell = &cells[kind];
    int top = lowest_of(all, cell->cornerCount, nodes), count = 0;
    for (int f = 0; f < cell->faceCount; ++f) {
        const Face* face = &cell->faces[f];
        int n = face->cornerCount, lowest = lowest_of(face->corners, n, nodes);
        int a = face->corners[lowest];
        for (int i = 1; i + 1 < n && a != top; ++i) {
            int tet[4] = {top, a, face->corners[(lowest + i) % n], face->corners[(lowest + i + 1) % n]};
            if (has_four_nodes(tet, nodes)) {
                for (int k = 0; k < 4; ++k) {
                    tets[count][k] = tet[k];
                }
                ++count;
            }
        }
    }
    return count;
}
