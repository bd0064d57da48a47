#include "mesh/voxel/flood.h"

#include "base/result.h"

typedef LB_ARRAY(int64_t) LeafStack;

enum { lb_leafUnknown = 3, lb_leafSeen = 4 };

static const int neighbours[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};

/* Gives every leaf that faces connect to the ones on the stack, all of state `from`, the state `to`. */
static bool spread(lbLeafGrid* grid, LeafStack* stack, int from, int to) {
    while (stack->count > 0) {
        int64_t leaf = stack->data[--stack->count], row = leaf / grid->count[0];
        int at[3] = {(int)(leaf % grid->count[0]), (int)(row % grid->count[1]), (int)(row / grid->count[1])};
        for (int n = 0; n < 6; ++n) {
            int i = at[0] + neighbours[n][0], j = at[1] + neighbours[n][1], k = at[2] + neighbours[n][2];
            if (i < 0 || j < 0 || k < 0 || i >= grid->count[0] || j >= grid->count[1] || k >= grid->count[2]) {
                continue;
            }
            int64_t next = leaf_index(grid, i, j, k);
            if (grid->state[next] == from) {
                grid->state[next] = (uint8_t)to;
                if (!LB_PUSH(grid->host, stack, next)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool start_at(lbLeafGrid* grid, LeafStack* stack, int64_t leaf, int to) {
    grid->state[leaf] = (uint8_t)to;
    return LB_PUSH(grid->host, stack, leaf);
}

lbResult lb_flood_outside(lbLeafGrid* grid) {
    LeafStack stack = {0};
    bool enough = true;
    for (int64_t i = 0; i < leaf_count(grid); ++i) {
        grid->state[i] = grid->state[i] == lb_leafBoundary ? lb_leafBoundary : lb_leafUnknown;
    }
    for (int k = 0; k < grid->count[2]; ++k) {
        for (int j = 0; j < grid->count[1]; ++j) {
            bool side = k == 0 || j == 0 || k == grid->count[2] - 1 || j == grid->count[1] - 1;
            for (int i = 0; i < grid->count[0] && enough; i += side ? 1 : int_max(1, grid->count[0] - 1)) {
                int64_t leaf = leaf_index(grid, i, j, k);
                enough = grid->state[leaf] != lb_leafUnknown || start_at(grid, &stack, leaf, lb_leafOutside);
            }
        }
    }
    enough = enough && spread(grid, &stack, lb_leafUnknown, lb_leafOutside);
    for (int64_t i = 0; i < leaf_count(grid); ++i) {
        grid->state[i] = grid->state[i] == lb_leafUnknown ? lb_leafInside : grid->state[i];
    }
    LB_FREE_ARRAY(grid->host, &stack);
    return enough ? lb_success() : lb_out_of_memory("voxels");
}

lbResult lb_empty_voids(lbLeafGrid* grid, const lbShapeQuery* solid) {
    LeafStack stack = {0};
    bool enough = true;
    for (int64_t i = 0; i < leaf_count(grid) && enough; ++i) {
        if (grid->state[i] != lb_leafInside) {
            continue;
        }
        int64_t row = i / grid->count[0];
        lbVec3d middle = leaf_place(grid, (double)(i % grid->count[0]) + 0.5, (double)(row % grid->count[1]) + 0.5,
                                    (double)(row / grid->count[1]) + 0.5);
        int to = lbShapeQuery_IsInside(solid, vec3_from(middle)) ? lb_leafSeen : lb_leafOutside;
        enough = start_at(grid, &stack, i, to) && spread(grid, &stack, lb_leafInside, to);
    }
    for (int64_t i = 0; i < leaf_count(grid); ++i) {
        grid->state[i] = grid->state[i] == lb_leafSeen ? lb_leafInside : grid->state[i];
    }
    LB_FREE_ARRAY(grid->host, &stack);
    return enough ? lb_success() : lb_out_of_memory("voxels");
}
