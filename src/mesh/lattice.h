/* A body-centred cubic lattice: the corners and the centres of cubes. Four of its points, two neighbouring centres and
 * two corners on the face between them, make a tetrahedron; twelve such fill a cube. All tetrahedra are alike: two
 * edges as long as the cube's, four shorter ones from a corner to a centre. */
#ifndef LIMBER_SRC_LATTICE_H
#define LIMBER_SRC_LATTICE_H

#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"

enum { lb_latticeOwnEdges = 7, lb_latticeEdges = 14, lb_tetsPerCube = 12, lb_tetsPerPoint = 6 };

/* A place in half cubes: all three even for a corner, all three odd for a centre. */
typedef struct lbLatticePlace {
    int at[3];
} lbLatticePlace;

typedef struct lbLattice {
    lbVec3d origin; /* m, of the corner (0, 0, 0) */
    double cube;    /* m, edge of the cubes */
    int count[3];   /* cubes along each axis */
    int cornerCount, pointCount;
} lbLattice;

/* The steps from a point to its neighbours, in half cubes. The first seven reach each edge from one of its ends, the
 * others are the same backwards: step k + 7 undoes step k. Those of the first three are the long edges. */
extern const int lb_latticeSteps[lb_latticeEdges][3];

/* m, of the edge that a step takes. */
static inline double lattice_edge_length(const lbLattice* lattice, int step) {
    return lattice->cube * (step % lb_latticeOwnEdges < 3 ? 1 : 0.86602540378443864676);
}

/* The mean edge of the whole lattice: of a point's 14 edges 6 are long, 8 short. */
static inline double lattice_mean_edge(double cube) {
    return cube * (6 + 8 * 0.86602540378443864676) / 14;
}

static inline int lattice_index(const lbLattice* lattice, lbLatticePlace place) {
    int odd = place.at[0] & 1, i = place.at[0] >> 1, j = place.at[1] >> 1, k = place.at[2] >> 1;
    int nx = lattice->count[0] + 1 - odd, ny = lattice->count[1] + 1 - odd;
    return odd * lattice->cornerCount + i + nx * (j + ny * k);
}

static inline lbLatticePlace lattice_place(const lbLattice* lattice, int index) {
    int odd = index >= lattice->cornerCount, rest = index - odd * lattice->cornerCount;
    int nx = lattice->count[0] + 1 - odd, ny = lattice->count[1] + 1 - odd;
    return (lbLatticePlace){{2 * (rest % nx) + odd, 2 * (rest / nx % ny) + odd, 2 * (rest / nx / ny) + odd}};
}

static inline lbVec3d lattice_position(const lbLattice* lattice, lbLatticePlace place) {
    double half = 0.5 * lattice->cube;
    return vec3d(lattice->origin.x + half * place.at[0], lattice->origin.y + half * place.at[1],
                 lattice->origin.z + half * place.at[2]);
}

/* The index of a neighbour, or -1 outside of the lattice. */
static inline int lattice_neighbour(const lbLattice* lattice, lbLatticePlace place, int step) {
    lbLatticePlace next;
    for (int c = 0; c < 3; ++c) {
        next.at[c] = place.at[c] + lb_latticeSteps[step][c];
        if (next.at[c] < 0 || next.at[c] > 2 * lattice->count[c]) {
            return -1;
        }
    }
    return lattice_index(lattice, next);
}

/* Refuses more tetrahedra than memory is likely to hold; says so, and with which edge there would be few enough. */
lbResult lb_check_tet_count(double tetCount, double edge);

/* A lattice around a box, with a whole cube to spare on all sides and a corner at the box's middle. Fails when it would
 * have more points than an int can count or memory is likely to hold; says how many tetrahedra that would be. */
lbResult lb_fit_lattice(lbBox box, double edge, lbLattice* lattice);

#endif
