/* For law files that give `principal_slopes(state, s)`: the definite tangent that tet_loops.h asks for. */
#include "law/principal.h"
#include "law/tet_blocks.h"

/* The block of two nodes in the frame of U, p and q the gradients of their basis functions in that of V:
 *   B_rc = sum over k, l of (dP'_rk / dF'_cl) p_k q_l */
LB_INLINE lbLanes33 principal_block(const lbPrincipalSlopes* slopes, const lbLanes* p, const lbLanes* q) {
    lbLanes33 A = symmetric_columns(&slopes->stretching), B;
    for (int r = 0; r < 3; ++r) {
        int i = (r + 1) % 3, j = (r + 2) % 3;
        lbLanes across = 0.5f * (slopes->shear[j] + slopes->turning[j]) * p[i] * q[i] +
                         0.5f * (slopes->shear[i] + slopes->turning[i]) * p[j] * q[j];
        B.column[r].c[r] = A.column[r].c[r] * p[r] * q[r] + across;
        for (int k = 1; k < 3; ++k) {
            int c = (r + k) % 3, other = 3 - r - c;
            lbLanes turned = 0.5f * (slopes->shear[other] - slopes->turning[other]);
            B.column[c].c[r] = A.column[c].c[r] * p[r] * q[c] + turned * p[c] * q[r];
        }
    }
    return B;
}

static inline void add_definite_blocks(const lbTetBatch* batch, const State* state, float a, lbElementBlocks* blocks) {
    lbLanes s[3];
    lbLanes33 U, V;
    principal_axes(&state->F, s, &U, &V);
    lbPrincipalSlopes slopes = principal_slopes(state, s);
    make_definite(&slopes);
    lbLanes33 turned = lanes33_transpose(&V), W = tet_to_edges(batch, &turned), Ut = lanes33_transpose(&U);
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            lbLanes33 B = principal_block(&slopes, W.column[i].c, W.column[j].c), UB = lanes33_product(&U, &B);
            lbLanes33 block = lanes33_product(&UB, &Ut);
            for (int k = 0; k < 9; ++k) {
                int r = k / 3, c = k % 3;
                lbLanes number = a * block.column[c].c[r];
                blocks->column[i][j][c].c[r] -= number;
                if (i != j) {
                    blocks->column[j][i][r].c[c] -= number;
                }
            }
        }
    }
}
