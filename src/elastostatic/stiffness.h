/* The stiffness matrix of tetrahedra for linear statics, in double, and its products with many vectors at once.
 *
 *   K = K0 + G^T H G
 *
 * K0 holds what each element keeps of its elasticity, K_ij = V (mu (a_i.a_j) I + lambda a_i a_j^T + mu a_j a_i^T) of
 * gradients a_i of its basis functions. Nearly incompressible matter hands the rest of its lambda to averaged volumes
 * (law/averaged_volume.h): s = G u is how much volume the matter around each node gains, H s the pressures. So K is
 * that of the linear law, and what is precomputed from it is what lbBody_SolveEquilibrium finds. K itself reaches three
 * rings of neighbours and is never written out; K0, G and H share one graph. */
#ifndef LIMBER_SRC_STIFFNESS_H
#define LIMBER_SRC_STIFFNESS_H

#include "base/math.h"
#include "base/memory.h"
#include "base/tasks.h"
#include "limber/model.h"
#include "limber/tet_mesh.h"

/* What an element is made of. */
typedef struct lbElementMatter {
    double density;    /* kg/m^3 */
    double lambda, mu; /* Pa, as the element itself carries them */
    double kappa;      /* Pa, what averages carry of lambda */
} lbElementMatter;

typedef struct lbStiffness {
    const lbHost* host;
    const lbTetMesh* mesh;
    int nodeCount;
    lbElementMatter* matter; /* (tetCount) */
    int64_t* starts;         /* (nodeCount + 1) first entry of each row */
    int* columns;            /* (entries) ascending in each row; the row itself is among them */
    double* blocks;          /* (entries x 9) K0, row-major, N/m */
    double* volumes;         /* (entries x 3) G, m^2: s_row by u_column; NULL: no averages */
    double* pressures;       /* (entries) H, Pa/m^3; NULL: no averages */
    double* mass;            /* (nodeCount) kg */
} lbStiffness;

/* How elements and averages share the elasticity of matter. */
lbElementMatter lb_element_matter(const lbMatter* matter, lbIncompressible incompressible);
/* V (mu (a_i.a_j) I + lambda a_i a_j^T + mu a_j a_i^T), row by row, added to a block. */
void lb_add_element_block(const lbElementMatter* matter, double volume, lbVec3d ai, lbVec3d aj, double block[9]);

/* Density, E and nu of every element of a mesh, (tetCount). */
lbResult lb_assemble_stiffness(const lbHost* host, const lbTetMesh* mesh, const lbMatter* matter,
                               lbIncompressible incompressible, lbStiffness* stiffness);
void lb_free_stiffness(lbStiffness* stiffness);

/* Vectors of all nodes side by side: (nodeCount x 3 x count), the number of the vector running fastest. */

/* y = K x. `scratch` (nodeCount x 2 x count) is used where there are averages; else it may be NULL. */
void lb_multiply_stiffness(const lbStiffness* stiffness, lbTasks* tasks, const double* x, double* y, double* scratch,
                           int count);

/* Gradients of the basis functions of a tetrahedron, 1/m, and its volume, m^3. */
double lb_element_gradients(const lbTetMesh* mesh, int tet, lbVec3d gradient[4]);

/* Bytes that assembly takes, before it is done: of a mesh of so many nodes and tetrahedra. */
double lb_stiffness_bytes(int nodeCount, int tetCount);

#endif
