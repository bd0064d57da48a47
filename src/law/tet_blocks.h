/* Blocks of tetrahedra whose stress is that of linear elasticity in a frame M that goes with them:
 *
 *   dP = M (mu (G + G^T) + lambda tr(G) I), G = M^T dF
 *
 * With g_p the gradient of node p's basis function and m_p = M g_p, the force on p that a motion d of q makes is
 *
 *   -(mu (g_p . g_q) M M^T + mu m_q m_p^T + lambda m_p m_q^T) d
 *
 * M is a rotation for the definite tangent of corotational elements, and F for the damping of all. */
#ifndef LIMBER_SRC_TET_BLOCKS_H
#define LIMBER_SRC_TET_BLOCKS_H

#include "law/element_blocks.h"
#include "law/tet_kernels.h"

typedef struct lbTetFrame {
    lbLanes3 m[4];
    lbLanes lambda, mu;
} lbTetFrame;

/* P Dm^-T of a matrix P are its products with the gradients of nodes 1 to 3; all four sum to zero. */
LB_INLINE void lb_multiply_gradients(const lbTetBatch* batch, const lbLanes33* M, lbLanes3 m[4]) {
    lbLanes33 products = tet_to_edges(batch, M);
    lbLanes3 sum = lanes3_add(products.column[0], lanes3_add(products.column[1], products.column[2]));
    m[0] = lanes3_scale(LANES_ALL(-1.0f), sum);
    for (int k = 0; k < 3; ++k) {
        m[k + 1] = products.column[k];
    }
}

LB_INLINE void lb_fill_frame(const lbTetBatch* batch, const lbLanes33* M, lbLanes lambda, lbLanes mu,
                             lbTetFrame* frame) {
    lb_multiply_gradients(batch, M, frame->m);
    frame->lambda = lambda;
    frame->mu = mu;
}

/* M M^T: xx, yy, zz, xy, xz, yz. */
LB_INLINE lbLanesSymmetric lb_square(const lbLanes33* M) {
    lbLanesSymmetric s;
    const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int e = 0; e < 6; ++e) {
        s.e[e] = M->column[0].c[row[e]] * M->column[0].c[column[e]];
        s.e[e] += M->column[1].c[row[e]] * M->column[1].c[column[e]];
        s.e[e] += M->column[2].c[row[e]] * M->column[2].c[column[e]];
    }
    return s;
}

/* mu m_q m_p^T + lambda m_p m_q^T, for lambda and mu that come with the sign that is wanted. */
LB_INLINE void lb_fill_frame_block(const lbTetFrame* frame, int p, int q, lbLanes numbers[9]) {
    lbLanes3 along = lanes3_scale(frame->lambda, frame->m[p]), turned = lanes3_scale(frame->mu, frame->m[q]);
    for (int e = 0; e < 9; ++e) {
        numbers[e] = along.c[e / 3] * frame->m[q].c[e % 3] + turned.c[e / 3] * frame->m[p].c[e % 3];
    }
}

/* Adds the blocks of a batch to the matrix: elastic ones, whose frame is a rotation, and those of damping in the frame
 * F, unless that is NULL. `places` are the batch's own. */
LB_INLINE void lb_add_frames(const lbTetBatch* batch, const lbTetFrame* elastic, const lbLanes33* F,
                             const lbTetFrame* damping, const int* places, const lbBlockMatrix* matrix) {
    const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    lbLanesSymmetric square = lb_square(F);
    lbLanes3 g[4];
    lbLanes zero = LANES_ALL(0.0f), one = LANES_ALL(1.0f);
    lbLanes33 unit = {{{{one, zero, zero}}, {{zero, one, zero}}, {{zero, zero, one}}}};
    lb_multiply_gradients(batch, &unit, g); /* in the element's own frame */
    for (int p = 0; p < 4; ++p) {
        for (int q = p + 1; q < 4; ++q) {
            lbLanes numbers[9], more[9], across = lanes3_dot(g[p], g[q]);
            lb_fill_frame_block(elastic, p, q, numbers);
            for (int e = 0; e < 9; e += 4) {
                numbers[e] += elastic->mu * across;
            }
            if (damping != NULL) {
                lb_fill_frame_block(damping, p, q, more);
                for (int e = 0; e < 9; ++e) {
                    numbers[e] += more[e] + damping->mu * across * square.e[place[e]];
                }
            }
            lb_add_nine(numbers, places, matrix->pairs);
            places += LB_LANES;
        }
    }
}

#endif
