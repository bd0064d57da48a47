/* An image as leaves: they are its voxels. */
#include "mesh/voxel/image.h"
#include "mesh/voxel/voxel.h"

#include "base/result.h"

static uint16_t label_at(const lbVoxelImage* image, int i, int j, int k) {
    bool within = i < image->size[0] && j < image->size[1] && k < image->size[2];
    return within ? image->labels[i + (int64_t)image->size[0] * (j + (int64_t)image->size[1] * k)] : 0;
}

/* How many hexahedra hold something if they are 2^levels voxels wide. */
static int64_t count_hexes(const lbVoxelImage* image, int levels) {
    int wide = 1 << levels;
    int64_t count = 0;
    for (int k = 0; k < image->size[2]; k += wide) {
        for (int j = 0; j < image->size[1]; j += wide) {
            for (int i = 0; i < image->size[0]; i += wide) {
                bool any = false;
                for (int s = 0; s < wide * wide * wide && !any; ++s) {
                    any = label_at(image, i + s % wide, j + s / wide % wide, k + s / wide / wide) != 0;
                }
                count += any;
            }
        }
    }
    return count;
}

static int choose_levels(const lbVoxelImage* image, const lbMeshDef* def) {
    int best = def->depth - def->mechanicalDepth;
    double least = INFINITY;
    for (int levels = 0; levels <= mostVoxelLevels && def->elements > 0; ++levels) {
        double off = fabs(log((double)count_hexes(image, levels) / def->elements));
        if (off < least) {
            least = off;
            best = levels;
        }
    }
    return best;
}

lbResult lb_voxelize_image(const lbHost* host, const lbVoxelImage* image, const lbMeshDef* def, lbLeafGrid* grid) {
    *grid = (lbLeafGrid){.host = host};
    if (def->mechanicalDepth < 0 || def->depth < def->mechanicalDepth ||
        def->depth - def->mechanicalDepth > mostVoxelLevels || def->elements < 0) {
        return lb_error(lb_errorArgument,
                        "voxel depths are %d and %d (mechanical); expected the mechanical one at most the other and at "
                        "least %d less",
                        def->depth, def->mechanicalDepth, mostVoxelLevels);
    }
    grid->levels = choose_levels(image, def);
    int wide = 1 << grid->levels;
    for (int c = 0; c < 3; ++c) {
        grid->count[c] = (image->size[c] + wide - 1) / wide * wide;
    }
    grid->origin = vec3d_from(image->origin);
    grid->cell = vec3d_from(image->spacing);
    grid->state = LB_NEW(host, uint8_t, leaf_count(grid));
    grid->fill = LB_NEW(host, uint16_t, leaf_count(grid));
    grid->label = LB_NEW(host, uint16_t, leaf_count(grid));
    if (grid->state == NULL || grid->fill == NULL || grid->label == NULL) {
        return lb_out_of_memory("voxels");
    }
    for (int64_t i = 0; i < leaf_count(grid); ++i) {
        int64_t row = i / grid->count[0];
        uint16_t label =
            label_at(image, (int)(i % grid->count[0]), (int)(row % grid->count[1]), (int)(row / grid->count[1]));
        grid->label[i] = label;
        grid->state[i] = label != 0 ? lb_leafInside : lb_leafOutside;
        grid->fill[i] = label != 0 ? voxelFull : 0;
    }
    return lb_success();
}
