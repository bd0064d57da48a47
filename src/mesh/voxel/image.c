#include "mesh/voxel/image.h"

#include "base/memory.h"
#include "base/result.h"

#include <string.h>

static bool positive(float value) {
    return value > 0 && isfinite(value);
}

lbResult lb_make_image(const lbHost* host, const int size[3], lbVec3 origin, lbVec3 spacing, lbVoxelImage** image) {
    double voxels = (double)size[0] * size[1] * size[2];
    if (size[0] < 1 || size[1] < 1 || size[2] < 1 || voxels > mostImageVoxels) {
        return lb_error(lb_errorArgument, "the image has %d x %d x %d voxels; expected 1 to %d in all", size[0],
                        size[1], size[2], mostImageVoxels);
    }
    if (!positive(spacing.x) || !positive(spacing.y) || !positive(spacing.z)) {
        return lb_error(lb_errorArgument, "voxels are %g x %g x %g m; expected more than 0", (double)spacing.x,
                        (double)spacing.y, (double)spacing.z);
    }
    if (!vec3_finite(origin)) {
        return lb_error(lb_errorArgument, "the image's origin is not finite");
    }
    lbVoxelImage* made = LB_NEW(host, lbVoxelImage, 1);
    uint16_t* labels = LB_NEW(host, uint16_t, (int64_t)voxels);
    if (made == NULL || labels == NULL) {
        lb_release(host, made);
        lb_release(host, labels);
        return lb_out_of_memory("an image");
    }
    *made = (lbVoxelImage){host, {size[0], size[1], size[2]}, origin, spacing, labels};
    *image = made;
    return lb_success();
}

lbResult lbCreateVoxelImage(const lbHost* host, const lbVoxelImageDef* def, lbVoxelImage** image) {
    *image = NULL;
    LB_TRY(lb_check_host(host));
    if (def == NULL || def->labels == NULL) {
        return lb_error(lb_errorArgument, "the image's definition has no labels");
    }
    LB_TRY(lb_make_image(lb_resolve_host(host), def->size, def->origin, def->spacing, image));
    memcpy((*image)->labels, def->labels,
           (size_t)def->size[0] * (size_t)def->size[1] * (size_t)def->size[2] * sizeof(uint16_t));
    return lb_success();
}

void lbDestroyVoxelImage(lbVoxelImage* image) {
    if (image != NULL) {
        const lbHost* host = image->host;
        lb_release(host, image->labels);
        lb_release(host, image);
    }
}

lbVoxelImageDef lbVoxelImage_GetDef(const lbVoxelImage* image) {
    return (lbVoxelImageDef){
        {image->size[0], image->size[1], image->size[2]}, image->origin, image->spacing, image->labels};
}
