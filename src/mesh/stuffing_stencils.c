/* What is left of a lattice tetrahedron when the outside is cut away: the paper's stencils (its figure 3). Where a face
 * is cut to a quadrilateral, both of its tetrahedra must choose the same diagonal from what they know of the face. */
#include "mesh/stuffing.h"

#include "base/assert.h"

#include <string.h>

static bool is_long(const lbLatticeTet* tet, int i, int j) {
    return ((tet->places[i].at[0] ^ tet->places[j].at[0]) & 1) == 0;
}

/* Whether the quadrilateral that is left of a face, without its corner `lost`, is divided by the diagonal from `a`
 * rather than from `b`. Where one of the cut edges is long, the diagonal ends at the cut on it. Where neither is, the
 * paper's parity rule decides: of two corners on a long edge, exactly one has an even number of coordinates above those
 * of the lost corner. Neighbouring faces then choose differently, which keeps the angles in bounds. */
static bool diagonal_from(const lbLatticeTet* tet, int a, int b, int lost) {
    if (!is_long(tet, a, b)) {
        return is_long(tet, b, lost);
    }
    int above = 0;
    for (int c = 0; c < 3; ++c) {
        above += tet->places[a].at[c] > tet->places[lost].at[c];
    }
    return above % 2 == 0;
}

static int put(int tets[3][4], int count, int a, int b, int c, int d) {
    const int tet[4] = {a, b, c, d};
    memcpy(tets[count], tet, sizeof(tet));
    return count + 1;
}

/* One corner inside: it stays, and the outer ones move to the cuts. */
static int cut_to_corner(const lbLatticeTet* tet, int inner, int tets[3][4]) {
    int node[4];
    for (int i = 0; i < 4; ++i) {
        node[i] = tet->signs[i] < 0 ? tet->cuts[inner][i] : tet->nodes[i];
    }
    return put(tets, 0, node[0], node[1], node[2], node[3]);
}

/* Two corners inside, one on the surface: a pyramid over the quadrilateral. */
static int cut_to_pyramid(const lbLatticeTet* tet, int a, int b, int apex, int lost, int tets[3][4]) {
    if (!diagonal_from(tet, a, b, lost)) {
        int swapped = a;
        a = b, b = swapped;
    }
    int count = put(tets, 0, tet->nodes[apex], tet->nodes[a], tet->nodes[b], tet->cuts[b][lost]);
    return put(tets, count, tet->nodes[apex], tet->nodes[a], tet->cuts[b][lost], tet->cuts[a][lost]);
}

/* Two corners inside, two outside: a wedge with the inner edge as one of its ridges. The diagonals of the two
 * quadrilaterals never start at the same corner: the rules above see to that. */
static int cut_to_wedge(const lbLatticeTet* tet, int a, int b, int c, int d, int tets[3][4]) {
    if (!diagonal_from(tet, a, b, c)) {
        int swapped = c;
        c = d, d = swapped;
    }
    LB_ASSERT(diagonal_from(tet, a, b, c) && !diagonal_from(tet, a, b, d));
    int count = put(tets, 0, tet->nodes[a], tet->nodes[b], tet->cuts[a][d], tet->cuts[b][c]);
    count = put(tets, count, tet->nodes[a], tet->cuts[a][c], tet->cuts[a][d], tet->cuts[b][c]);
    return put(tets, count, tet->nodes[b], tet->cuts[b][c], tet->cuts[b][d], tet->cuts[a][d]);
}

/* Three corners inside: a prism between them and their cuts. One corner has two diagonals, one has one, one has none:
 * the long edge that is cut makes sure that they do not go round in a circle. */
static int cut_to_prism(const lbLatticeTet* tet, const int inner[3], int lost, int tets[3][4]) {
    int order[3];
    for (int i = 0; i < 3; ++i) {
        int a = inner[i], b = inner[(i + 1) % 3], c = inner[(i + 2) % 3];
        order[2 - diagonal_from(tet, a, b, lost) - diagonal_from(tet, a, c, lost)] = a;
    }
    int a = order[0], b = order[1], c = order[2];
    int count = put(tets, 0, tet->nodes[a], tet->nodes[b], tet->nodes[c], tet->cuts[c][lost]);
    count = put(tets, count, tet->nodes[a], tet->nodes[b], tet->cuts[b][lost], tet->cuts[c][lost]);
    return put(tets, count, tet->nodes[a], tet->cuts[a][lost], tet->cuts[b][lost], tet->cuts[c][lost]);
}

int lb_stuff_tet(const lbLatticeTet* tet, int tets[3][4]) {
    int inner[4], outer[4], innerCount = 0, outerCount = 0, surface = -1;
    for (int i = 0; i < 4; ++i) {
        if (tet->signs[i] > 0) {
            inner[innerCount++] = i;
        } else if (tet->signs[i] < 0) {
            outer[outerCount++] = i;
        } else {
            surface = i;
        }
    }
    LB_ASSERT(innerCount > 0 || outerCount == 0);
    if (outerCount == 0) {
        return put(tets, 0, tet->nodes[0], tet->nodes[1], tet->nodes[2], tet->nodes[3]);
    }
    if (innerCount == 1) {
        return cut_to_corner(tet, inner[0], tets);
    }
    if (innerCount == 3) {
        return cut_to_prism(tet, inner, outer[0], tets);
    }
    if (outerCount == 1) {
        return cut_to_pyramid(tet, inner[0], inner[1], surface, outer[0], tets);
    }
    return cut_to_wedge(tet, inner[0], inner[1], outer[0], outer[1], tets);
}
