/* An image of voxels, as limber keeps it. */
#ifndef LIMBER_SRC_VOXEL_IMAGE_H
#define LIMBER_SRC_VOXEL_IMAGE_H

#include "base/math.h"
#include "limber/voxel.h"

struct lbVoxelImage {
    const lbHost* host;
    int size[3];
    lbVec3 origin, spacing; /* m */
    uint16_t* labels;       /* (size[0] x size[1] x size[2]) x fastest */
};

enum { mostImageVoxels = 1 << 28 };

/* An image of zeros. `what`: for messages. */
lbResult lb_make_image(const lbHost* host, const int size[3], lbVec3 origin, lbVec3 spacing, lbVoxelImage** image);

#endif
