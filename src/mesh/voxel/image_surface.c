/* The surface of an image: faces between something and nothing. Steps are smoothed away, but no point leaves its place
 * by more than half a voxel (S. F. F. Gibson, Constrained Elastic Surface Nets, 1998). */
#include "mesh/voxel/image.h"

#include "base/memory.h"
#include "base/result.h"

#include <string.h>

typedef struct Surface {
    const lbVoxelImage* image;
    const lbHost* host;
    int* pointAt;            /* (lattice points) number there, or -1 */
    LB_ARRAY(lbVec3) places; /* in voxels */
    LB_ARRAY(int) quads;     /* (quads x 4) outwards */
} Surface;

static bool holds(const lbVoxelImage* image, const int at[3]) {
    for (int c = 0; c < 3; ++c) {
        if (at[c] < 0 || at[c] >= image->size[c]) {
            return false;
        }
    }
    return image->labels[at[0] + (int64_t)image->size[0] * (at[1] + (int64_t)image->size[1] * at[2])] != 0;
}

static int point_at(Surface* surface, const int at[3]) {
    const int* size = surface->image->size;
    int* number = &surface->pointAt[at[0] + (int64_t)(size[0] + 1) * (at[1] + (int64_t)(size[1] + 1) * at[2])];
    if (*number < 0) {
        *number = surface->places.count;
        if (!LB_PUSH(surface->host, &surface->places, vec3((float)at[0], (float)at[1], (float)at[2]))) {
            return -1;
        }
    }
    return *number;
}

/* The face of a voxel towards `axis`, on its upper or lower side. */
static bool add_face(Surface* surface, const int voxel[3], int axis, bool upper) {
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int k = 0; k < 4; ++k) {
        int corner = upper ? k : 3 - k, at[3] = {voxel[0], voxel[1], voxel[2]};
        at[axis] += upper;
        at[u] += corner == 1 || corner == 2;
        at[v] += corner >= 2;
        int point = point_at(surface, at);
        if (point < 0 || !LB_PUSH(surface->host, &surface->quads, point)) {
            return false;
        }
    }
    return true;
}

static bool add_faces(Surface* surface) {
    const int* size = surface->image->size;
    bool enough = true;
    for (int64_t i = 0; i < (int64_t)size[0] * size[1] * size[2] && enough; ++i) {
        const int voxel[3] = {(int)(i % size[0]), (int)(i / size[0] % size[1]), (int)(i / size[0] / size[1])};
        for (int side = 0; side < 6 && surface->image->labels[i] != 0 && enough; ++side) {
            int next[3] = {voxel[0], voxel[1], voxel[2]};
            next[side / 2] += side % 2 != 0 ? 1 : -1;
            enough = holds(surface->image, next) || add_face(surface, voxel, side / 2, side % 2 != 0);
        }
    }
    return enough;
}

/* Each point goes half way to the mean of its neighbours along edges, and stays within half a voxel of its place. */
static bool smooth(Surface* surface) {
    enum { rounds = 8 };
    int count = surface->places.count;
    lbVec3* sums = LB_NEW(surface->host, lbVec3, count);
    lbVec3* first = LB_NEW(surface->host, lbVec3, count);
    int* neighbours = LB_NEW(surface->host, int, count);
    bool enough = sums != NULL && first != NULL && neighbours != NULL;
    if (enough) {
        memcpy(first, surface->places.data, (size_t)count * sizeof(lbVec3));
    }
    for (int round = 0; round < rounds && enough; ++round) {
        memset(sums, 0, (size_t)count * sizeof(lbVec3));
        memset(neighbours, 0, (size_t)count * sizeof(int));
        for (int q = 0; q < surface->quads.count; ++q) {
            int a = surface->quads.data[q], b = surface->quads.data[q % 4 == 3 ? q - 3 : q + 1];
            sums[a] = vec3_add(sums[a], surface->places.data[b]);
            sums[b] = vec3_add(sums[b], surface->places.data[a]);
            ++neighbours[a], ++neighbours[b];
        }
        for (int i = 0; i < count; ++i) {
            lbVec3 mean = vec3_scale(1 / (float)neighbours[i], sums[i]);
            lbVec3 p = vec3_lerp(surface->places.data[i], mean, 0.5f), away = vec3_sub(p, first[i]);
            away = vec3_max(vec3(-0.45f, -0.45f, -0.45f), vec3_min(vec3(0.45f, 0.45f, 0.45f), away));
            surface->places.data[i] = vec3_add(first[i], away);
        }
    }
    lb_release(surface->host, sums);
    lb_release(surface->host, first);
    lb_release(surface->host, neighbours);
    return enough;
}

static lbResult make_shape(const Surface* surface, lbShape** shape) {
    const lbVoxelImage* image = surface->image;
    int quadCount = surface->quads.count / 4;
    float* points = LB_NEW(surface->host, float, 3 * (int64_t)surface->places.count);
    int* triangles = LB_NEW(surface->host, int, 6 * (int64_t)quadCount);
    lbResult result = lb_out_of_memory("the surface of an image");
    if (points != NULL && triangles != NULL) {
        for (int i = 0; i < surface->places.count; ++i) {
            lbVec3 p = surface->places.data[i];
            vec3_store(points + 3 * (size_t)i,
                       vec3(image->origin.x + p.x * image->spacing.x, image->origin.y + p.y * image->spacing.y,
                            image->origin.z + p.z * image->spacing.z));
        }
        for (int q = 0; q < quadCount; ++q) {
            const int* corner = surface->quads.data + 4 * (size_t)q;
            const int two[6] = {corner[0], corner[1], corner[2], corner[0], corner[2], corner[3]};
            memcpy(triangles + 6 * (size_t)q, two, sizeof(two));
        }
        lbShapeDef def = lbDefaultShapeDef();
        def.pointCount = surface->places.count;
        def.points = points;
        def.triangleCount = 2 * quadCount;
        def.triangles = triangles;
        def.host = surface->host;
        result = lbCreateShape(&def, shape);
    }
    lb_release(surface->host, points);
    lb_release(surface->host, triangles);
    return result;
}

lbResult lbVoxelImage_MakeSurface(const lbVoxelImage* image, lbShape** shape) {
    *shape = NULL;
    if (image == NULL) {
        return lb_error(lb_errorArgument, "there is no image");
    }
    const int* size = image->size;
    int64_t lattice = (int64_t)(size[0] + 1) * (size[1] + 1) * (size[2] + 1);
    Surface surface = {.image = image, .host = image->host, .pointAt = LB_NEW(image->host, int, lattice)};
    lbResult result = lb_out_of_memory("the surface of an image");
    if (surface.pointAt != NULL) {
        memset(surface.pointAt, 0xff, (size_t)lattice * sizeof(int));
        if (add_faces(&surface) && (surface.places.count == 0 || smooth(&surface))) {
            result = surface.places.count > 0
                         ? make_shape(&surface, shape)
                         : lb_error(lb_errorArgument, "every voxel of the image is labelled 0: it holds nothing");
        }
    }
    lb_release(image->host, surface.pointAt);
    LB_FREE_ARRAY(image->host, &surface.places);
    LB_FREE_ARRAY(image->host, &surface.quads);
    return result;
}
