/* Blocks of the matrix of tetrahedra, in closed form where there is one, else by unit motions of their nodes. */
#ifndef LIMBER_SRC_TET_BLOCKS_H
#define LIMBER_SRC_TET_BLOCKS_H

#include "law/element_blocks.h"
#include "law/tet_kernels.h"

/* a_i . a_j of the gradients of nodes 1, 2, 3: 11, 22, 33, 12, 13, 23. */
LB_INLINE void gradient_products(const lbTetBatch* batch, lbLanes products[6]) {
    lbLanes b[6];
    for (int k = 0; k < 6; ++k) {
        b[k] = lanes_load(batch->rest[k]);
    }
    products[0] = b[0] * b[0] + b[1] * b[1] + b[3] * b[3];
    products[1] = b[2] * b[2] + b[4] * b[4];
    products[2] = b[5] * b[5];
    products[3] = b[1] * b[2] + b[3] * b[4];
    products[4] = b[3] * b[5];
    products[5] = b[4] * b[5];
}

/* Adds the blocks of dP = -T (lambda tr(e) I + 2 mu e), e = sym(T^T dF), for any T; `M` is T T^T:
 *   df_i / dx_j = -(lambda w_i w_j^T + mu w_j w_i^T + mu (a_i . a_j) M),  w_i = T a_i */
LB_INLINE void add_strain_blocks(const lbTetBatch* batch, const lbLanes33* T, const lbLanesSymmetric* M, lbLanes lambda,
                                 lbLanes mu, lbElementBlocks* blocks) {
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    lbLanes33 W = tet_to_edges(batch, T);
    lbLanes products[6];
    gradient_products(batch, products);
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            const lbLanes *p = W.column[i].c, *q = W.column[j].c, along = mu * products[place[i][j]];
            for (int k = 0; k < 9; ++k) {
                int r = k / 3, c = k % 3;
                lbLanes number = lambda * p[r] * q[c] + mu * q[r] * p[c] + along * M->e[place[r][c]];
                blocks->column[i][j][c].c[r] -= number;
                if (i != j) {
                    blocks->column[j][i][r].c[c] -= number;
                }
            }
        }
    }
}

LB_INLINE void clear_blocks(lbElementBlocks* blocks) {
    memset(blocks, 0, sizeof(*blocks));
}

/* Takes away the forces that answer to a unit motion of a node: `change` is dP. `k`: three times the node and the axis.
 */
LB_INLINE void add_motion_block(const lbTetBatch* batch, int k, float a, const lbLanes33* change,
                                lbElementBlocks* blocks) {
    lbLanes33 forces = tet_to_edges(batch, change);
    for (int l = 0; l < 3; ++l) {
        lbLanes3* column = &blocks->column[l][k / 3][k % 3];
        *column = lanes3_madd(*column, LANES_ALL(-a), forces.column[l]);
    }
}

LB_INLINE lbLanes33 unit_motion_gradient(const lbTetBatch* batch, int k) {
    lbLanes3 dp[3];
    lb_unit_motion(3, k / 3, k % 3, dp);
    return tet_from_edges(batch, dp);
}

#endif
