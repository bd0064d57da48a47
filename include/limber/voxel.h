/* Images made of voxels: one label for each cell of a box, such as a segmented scan. A body can be made of one. */
#ifndef LIMBER_VOXEL_H
#define LIMBER_VOXEL_H

#include "limber/base.h"
#include "limber/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbVoxelImage lbVoxelImage;

typedef struct lbVoxelImageDef {
    int size[3];            /* voxels along x, y, z */
    lbVec3 origin;          /* m, the lowest corner of the first voxel */
    lbVec3 spacing;         /* m, sides of a voxel */
    const uint16_t* labels; /* (size[0] x size[1] x size[2]) x fastest; 0: nothing is there. Copied */
} lbVoxelImageDef;

LB_API lbResult lbCreateVoxelImage(const lbHost* host, const lbVoxelImageDef* def, lbVoxelImage** image);
/* Reads a file in NRRD format: raw, ASCII or gzip, attached or detached data, either byte order, integers of any size.
 * Lengths in the file are multiplied by `scale`. */
LB_API lbResult lbLoadVoxelImage(const lbHost* host, const char* path, float scale, lbVoxelImage** image);
/* The same of bytes in memory; detached data is refused. */
LB_API lbResult lbReadVoxelImage(const lbHost* host, const void* bytes, size_t size, float scale, lbVoxelImage** image);
LB_API void lbDestroyVoxelImage(lbVoxelImage* image);
/* What it was made from, or what the file holds. `labels` is the image's own. */
LB_API lbVoxelImageDef lbVoxelImage_GetDef(const lbVoxelImage* image);
/* The faces between voxels that hold something and those that hold nothing, as a closed surface, smoothed so that steps
 * do not show. */
LB_API lbResult lbVoxelImage_MakeSurface(const lbVoxelImage* image, lbShape** shape);

#ifdef __cplusplus
}
#endif

#endif
