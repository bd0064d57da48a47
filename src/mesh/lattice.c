#include "mesh/lattice.h"

/* Nine bytes of memory a point. A shape may fill little of its box. */
static const double mostPoints = 60e6;
/* 300 bytes each while a mesh is made and cleaned up. */
static const double mostTets = 40e6;

const int lb_latticeSteps[lb_latticeEdges][3] = {
    {2, 0, 0},  {0, 2, 0},  {0, 0, 2},  {1, 1, 1},    {-1, 1, 1},  {1, -1, 1},  {-1, -1, 1},
    {-2, 0, 0}, {0, -2, 0}, {0, 0, -2}, {-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
};

lbResult lb_check_tet_count(double tetCount, double edge) {
    return tetCount <= mostTets
               ? lb_success()
               : lb_error(lb_errorArgument,
                          "an edge of %g m would make about %.3g tetrahedra; expected a longer edge, %.3g m at least "
                          "(for %.3g)",
                          edge, tetCount, edge * cbrt(tetCount / mostTets), mostTets);
}

lbResult lb_fit_lattice(lbBox box, double edge, lbLattice* lattice) {
    double cube = edge / lattice_mean_edge(1), pointCount = 2;
    lbVec3d lower = vec3d_from(box.lower), upper = vec3d_from(box.upper);
    lbVec3d size = vec3d_sub(upper, lower), middle = vec3d_madd(lower, 0.5, size);
    double sides[3] = {size.x, size.y, size.z}, counts[3];
    for (int c = 0; c < 3; ++c) {
        counts[c] = 2 * (ceil(0.5 * sides[c] / cube) + 1);
        pointCount *= counts[c] + 1;
    }
    if (!(pointCount <= mostPoints)) {
        return lb_error(lb_errorArgument,
                        "an edge of %g m would make up to %.3g tetrahedra; expected a longer edge, %.3g m at least",
                        edge, lb_tetsPerCube * sides[0] * sides[1] * sides[2] / (cube * cube * cube),
                        edge * cbrt(pointCount / mostPoints));
    }
    for (int c = 0; c < 3; ++c) {
        lattice->count[c] = (int)counts[c];
    }
    lattice->cube = cube;
    lattice->origin =
        vec3d(middle.x - 0.5 * counts[0] * cube, middle.y - 0.5 * counts[1] * cube, middle.z - 0.5 * counts[2] * cube);
    lattice->cornerCount = (lattice->count[0] + 1) * (lattice->count[1] + 1) * (lattice->count[2] + 1);
    lattice->pointCount = lattice->cornerCount + lattice->count[0] * lattice->count[1] * lattice->count[2];
    return lb_success();
}
