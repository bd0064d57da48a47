/* A surface under construction: points and triangles are appended, and a failed allocation is remembered, so that
 * generators read as geometry and ask once at the end. */
#ifndef LIMBER_SRC_MESH_BUILD_H
#define LIMBER_SRC_MESH_BUILD_H

#include "base/math.h"
#include "base/memory.h"

typedef struct lbTriangleIndices {
    int a, b, c; /* counter-clockwise seen from outside */
} lbTriangleIndices;

typedef struct lbTextureCoord {
    float u, v;
} lbTextureCoord;

typedef struct lbTriangleTexture {
    lbTextureCoord a, b, c;
} lbTriangleTexture;

typedef struct lbMeshBuild {
    const lbHost* host;
    LB_ARRAY(lbVec3) points;
    LB_ARRAY(lbTriangleIndices) triangles;
    LB_ARRAY(lbTriangleTexture) texture; /* one per triangle, or empty */
    bool failed;                         /* there was no memory for something */
} lbMeshBuild;

/* Returns the point's index. */
static inline int build_point(lbMeshBuild* build, double x, double y, double z) {
    lbVec3 point = vec3((float)x, (float)y, (float)z);
    if (!LB_PUSH(build->host, &build->points, point)) {
        build->failed = true;
    }
    return build->points.count - 1;
}

static inline void build_triangle(lbMeshBuild* build, int a, int b, int c) {
    lbTriangleIndices triangle = {a, b, c};
    if (!LB_PUSH(build->host, &build->triangles, triangle)) {
        build->failed = true;
    }
}

/* The texture of the triangle that was appended last. */
static inline void build_texture(lbMeshBuild* build, lbTextureCoord a, lbTextureCoord b, lbTextureCoord c) {
    lbTriangleTexture texture = {a, b, c};
    if (!LB_PUSH(build->host, &build->texture, texture)) {
        build->failed = true;
    }
}

static inline void build_reserve(lbMeshBuild* build, int pointCount, int triangleCount) {
    bool reserved = lb_array_reserve(build->host, (void**)&build->points.data, &build->points.capacity, pointCount,
                                     sizeof(*build->points.data)) &&
                    lb_array_reserve(build->host, (void**)&build->triangles.data, &build->triangles.capacity,
                                     triangleCount, sizeof(*build->triangles.data)) &&
                    lb_array_reserve(build->host, (void**)&build->texture.data, &build->texture.capacity, triangleCount,
                                     sizeof(*build->texture.data));
    build->failed = build->failed || !reserved;
}

static inline void build_free(lbMeshBuild* build) {
    LB_FREE_ARRAY(build->host, &build->points);
    LB_FREE_ARRAY(build->host, &build->triangles);
    LB_FREE_ARRAY(build->host, &build->texture);
}

#endif
