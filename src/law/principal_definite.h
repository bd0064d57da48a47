/* For law files that give `principal_slopes(state, s)`: the definite tangent that tet_loops.h asks for. */
#include "law/principal.h"
#include "law/tet_blocks.h"

static inline void add_definite_blocks(const lbTetBatch* batch, const State* state, float a, lbElementBlocks* blocks) {
    lbPrincipalTangent tangent;
    lbLanes s[3];
    principal_axes(&state->F, s, &tangent.U, &tangent.V);
    tangent.slopes = principal_slopes(state, s);
    make_definite(&tangent.slopes);
    for (int k = 0; k < 9; ++k) {
        lbLanes33 dF = unit_motion_gradient(batch, k), change = principal_change(&tangent, &dF);
        add_motion_block(batch, k, a, &change, blocks);
    }
}
