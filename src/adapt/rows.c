/* Values out to nodes that are slaved, and forces back from them. */
#include "adapt/scopes.h"

#include "base/simd.h"

void lb_pull_rows(const lbScopes* scopes, int rate, float* q) {
    for (int k = scopes->rowStarts[rate]; k < scopes->rowStarts[rate + 1]; ++k) {
        int place = scopes->rowLists[k], node = scopes->ghosts[place];
        const lbLink* row = &scopes->rows[place];
        lbFloat4 sum = row->weight[0] * load4(q + 4 * (size_t)row->node[0]);
        for (int c = 1; c < 4; ++c) {
            sum += row->weight[c] * load4(q + 4 * (size_t)row->node[c]);
        }
        store4(q + 4 * (size_t)node, sum);
    }
}

void lb_push_rows(const lbScopes* scopes, int rate, float* f) {
    for (int k = scopes->rowStarts[rate + 1] - 1; k >= scopes->rowStarts[rate]; --k) {
        int place = scopes->rowLists[k], node = scopes->ghosts[place];
        const lbLink* row = &scopes->rows[place];
        lbFloat4 force = load4(f + 4 * (size_t)node);
        for (int c = 0; c < 4; ++c) {
            float* at = f + 4 * (size_t)row->node[c];
            store4(at, load4(at) + row->weight[c] * force);
        }
        store4(f + 4 * (size_t)node, (lbFloat4){0, 0, 0, 0});
    }
}
