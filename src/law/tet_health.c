/* Whether tetrahedra are still tetrahedra. */
#include "law/tet_measures.h"

int lb_count_inverted_tets(const lbScope* scope, const float* x, int* number) {
    const lbTets* tets = scope->elements;
    int count = 0;
    *number = -1;
    for (int r = 0; r < scope->rangeCount; ++r) {
        for (int i = scope->ranges[r].begin; i < scope->ranges[r].end; ++i) {
            const lbTetBatch* batch = &tets->batches[i];
            lbLanes33 F = tet_gradient(batch, x);
            unsigned inverted = inverted_lanes(&F, batch->mu);
            if (inverted != 0) {
                count += __builtin_popcount(inverted);
                *number = *number >= 0 ? *number : tets->numbers[i * LB_LANES + __builtin_ctz(inverted)];
            }
        }
    }
    return count;
}
