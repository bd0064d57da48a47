/* Differential operators on tetrahedra, by themselves: what the linear law is made of, per unit volume at the nodes. In
 * double, for tests, for measures and for criteria of refinement. */
#ifndef LIMBER_SRC_OPERATORS_H
#define LIMBER_SRC_OPERATORS_H

#include "mesh/mesh.h"

/* Gradients of the four linear basis functions of a tetrahedron, 1/m: they point from the opposite face to the node and
 * are as long as one over the altitude. */
void lb_tet_gradients(const lbMesh* mesh, int tet, lbVec3d gradient[4]);

/* m^3 of the mesh that lie nearer to a node than to others (nodeCount). */
void lb_voronoi_volumes(const lbMesh* mesh, double* volumes);

/* Of a vector field d, given at the nodes; all arrays but `volumes` (nodeCount x 3):
 *
 *   Laplacian(d)_i = -1/V_i sum_e V_e sum_j (a_i . a_j) d_j
 *   grad(div d)_i  = -1/V_i sum_e V_e sum_j a_i (a_j . d_j)
 *
 * Inside they approximate the operators: to the second order of the edge where the mesh looks the same from either side
 * of a node; elsewhere by a factor that depends on the elements around (2/3 or 4/3 on a grid of cubes cut into five)
 * and that no division by volumes removes. At the surface they hold what acts on it, too: V_i (mu Laplacian(d) +
 * (lambda + mu) grad(div d)) is the force of the linear law with the boundary `paper`. */
void lb_laplacian(const lbMesh* mesh, const double* volumes, const double* d, double* result);
void lb_grad_div(const lbMesh* mesh, const double* volumes, const double* d, double* result);

#endif
