/* Sparse symmetric matrices of 3x3 blocks in double: for static equilibrium, where what is left when neighbours move
 * alike is lost in float32. Rows whole, by nodes that share an element; and, where averages over the elements around
 * nodes answer to nodes farther away, a product of sparse matrices beside the blocks (reach.h says why):
 *
 *   K + B^T H B
 */
#ifndef LIMBER_SRC_STIFFNESS_H
#define LIMBER_SRC_STIFFNESS_H

#include "matrix/node_graph.h"

typedef struct lbPreciseStiffness {
    const lbHost* host;
    int count;          /* of nodes */
    lbNodeGraph* graph; /* which nodes share an element */
    double* blocks;     /* (graph->starts[count] x 9) row by row */

    const lbNodeGraph* reach; /* of averages; NULL: there are none */
    double* gradients;        /* (reach->starts[count] x 3) B_ij: how the average at node i answers to node j */
    double* weights;          /* (reach->starts[count]) H_ij */
    double* averages;         /* (2 x count) scratch */
} lbPreciseStiffness;

/* Room for the blocks of all pairs of nodes that share an element of the list. `reach` may be NULL, and is not owned.
 */
lbResult lb_create_stiffness(const lbHost* host, int count, const lbElementList* list, const lbNodeGraph* reach,
                             lbPreciseStiffness* stiffness);
void lb_destroy_stiffness(lbPreciseStiffness* stiffness);

void lb_zero_stiffness(const lbPreciseStiffness* stiffness);
/* Adds the matrix (3 n x 3 n) of an element of n nodes; pairs that have no block are passed over. */
void lb_add_element_stiffness(const lbPreciseStiffness* stiffness, int n, const int* nodes, const double* element);

/* q = (K + B^T H B) p, (count x 3) both. */
void lb_stiffness_times(const lbPreciseStiffness* stiffness, const double* p, double* q);

/* The sum over all nodes of what is on the diagonal of K. */
double lb_stiffness_trace(const lbPreciseStiffness* stiffness);

#endif
