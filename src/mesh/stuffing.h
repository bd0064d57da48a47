/* The parts of isosurface stuffing: a lattice with signs, cut points on its edges, and what is left of a tetrahedron
 * when the outside is cut away.
 *
 * F. Labelle, J. R. Shewchuk, "Isosurface Stuffing: Fast Tetrahedral Meshes with Good Dihedral Angles", SIGGRAPH 2007;
 * the uniform mesh. */
#ifndef LIMBER_SRC_STUFFING_H
#define LIMBER_SRC_STUFFING_H

#include "base/tasks.h"
#include "limber/shape.h"
#include "limber/tet_mesh.h"
#include "mesh/lattice.h"

/* A point is moved onto the surface if an edge from it is cut nearer than this share of the edge's length. The paper
 * has several pairs; this one makes the smallest angle as large as it can be. The angles are the extremes over all
 * signs, cuts and moves that can come together; tests/test_stuffing.c goes through them. (The paper's other pair,
 * 0.24999 and 0.41189, gives 9.317 to 161.643.) */
static const double lb_longAlpha = 0.2851, lb_shortAlpha = 0.3988;
static const double lb_stuffingSmallestAngle = 10.78, lb_stuffingLargestAngle = 164.74; /* degrees */

/* What is known of a point at the surface: the cuts on the seven edges that it owns, and where it was moved to. */
typedef struct lbBandPoint {
    int point;                        /* of the lattice */
    float cuts[lb_latticeOwnEdges];   /* share of the edge from here to the cut, 0 to 1; below 0: no cut */
    int cutNodes[lb_latticeOwnEdges]; /* of the mesh, or -1: not yet one */
    lbVec3d place;                    /* m, of a point that was moved */
} lbBandPoint;

typedef struct lbStuffing {
    const lbHost* host;
    lbTasks* tasks; /* may be NULL */
    lbLattice lattice;
    signed char* signs; /* (lattice.pointCount) 1 inside, -1 outside, 0 on the surface */
    int* bandIndices;   /* (lattice.pointCount) into band, or -1 */
    int bandCount;
    lbBandPoint* band; /* (bandCount) points with a cut edge, by rising index */
} lbStuffing;

/* Finds which points are inside. Needs `lattice`; allocates `signs`. `closed`: the winding number changes only at
 * triangles, because the surface is closed and oriented. */
lbResult lb_find_signs(lbStuffing* stuffing, bool closed, const lbShapeQuery* query);
/* Finds the cuts on all edges from inside to outside. Allocates `bandIndices` and `band`. */
lbResult lb_find_cuts(lbStuffing* stuffing, const lbShapeQuery* query);
/* Moves points that are too near to a cut onto it. */
lbResult lb_warp_points(lbStuffing* stuffing);

/* Tells the host's log how much of the surface the mesh does not reach. */
lbResult lb_tell_lost_surface(const lbStuffing* stuffing, const lbShape* shape, const lbTetMesh* mesh);

/* The cut on the edge that a step takes from a point, and where its node's number stands; NULL if the point is far
 * from the surface. `share` is measured from the point. */
float* lb_cut_of(const lbStuffing* stuffing, int point, int step, double* share, int** node);

/* One tetrahedron of the lattice, as it is cut. */
typedef struct lbLatticeTet {
    lbLatticePlace places[4];
    signed char signs[4];
    int nodes[4];   /* of the mesh, of the points that are not outside */
    int cuts[4][4]; /* of the mesh, of the cut between an inner point i and an outer point j */
} lbLatticeTet;

/* Writes what is left of a tetrahedron with an inner point, or with all points on the surface; returns how many
 * tetrahedra, 1 to 3. Their orientation is not settled. */
int lb_stuff_tet(const lbLatticeTet* tet, int tets[3][4]);

#endif
