/* Responses: making room, sharing, and questions about them. */
#include "bem/response.h"

#include "base/result.h"

#include <string.h>

enum { lineFloats = 16 };

lbResponse* lb_share_response(lbResponse* made) {
    atomic_fetch_add(&made->userCount, 1);
    return made;
}

void lbDestroyResponse(lbResponse* made) {
    if (made == NULL || atomic_fetch_sub(&made->userCount, 1) > 1) {
        return;
    }
    const lbHost* host = made->host;
    void* arrays[] = {made->rest,   made->triangles, made->matter,    made->freeOf,
                      made->points, made->areas,     made->compliance};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i) {
        lb_release(host, arrays[i]);
    }
    lb_release(host, made);
}

bool lb_reserve_response(const lbHost* host, int pointCount, int triangleCount, lbResponse** result) {
    lbResponse* made = LB_NEW(host, lbResponse, 1);
    *result = NULL;
    if (made == NULL) {
        return false;
    }
    made->host = host;
    atomic_init(&made->userCount, 1);
    made->pointCount = pointCount;
    made->triangleCount = triangleCount;
    made->rest = LB_NEW(host, float, 3 * (int64_t)pointCount);
    made->triangles = LB_NEW(host, int, 3 * (int64_t)triangleCount);
    made->matter = LB_NEW(host, lbSkinMatter, triangleCount);
    made->freeOf = LB_NEW(host, int, pointCount);
    made->points = LB_NEW(host, int, pointCount);
    made->areas = LB_NEW(host, float, pointCount);
    if (made->rest == NULL || made->triangles == NULL || made->matter == NULL || made->freeOf == NULL ||
        made->points == NULL || made->areas == NULL) {
        lbDestroyResponse(made);
        return false;
    }
    *result = made;
    return true;
}

bool lb_number_response(lbResponse* made) {
    made->freeCount = 0;
    for (int i = 0; i < made->pointCount; ++i) {
        if (made->freeOf[i] >= 0) {
            made->points[made->freeCount] = i;
            made->freeOf[i] = made->freeCount++;
        }
    }
    size_t rows = 3 * (size_t)made->freeCount;
    made->stride = (rows + lineFloats - 1) / lineFloats * lineFloats;
    made->compliance = LB_NEW(made->host, float, (int64_t)(rows * made->stride));
    return made->compliance != NULL;
}

void lb_finish_response(lbResponse* made) {
    lbBox box = box_empty();
    double edges = 0;
    for (int i = 0; i < made->pointCount; ++i) {
        box = box_include(box, vec3_load(made->rest + 3 * (size_t)i));
    }
    made->size = vec3_length(box_size(box));
    for (int t = 0; t < made->triangleCount; ++t) {
        const int* corner = made->triangles + 3 * (size_t)t;
        lbVec3d p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = vec3d_load(made->rest + 3 * (size_t)corner[k]);
        }
        double area = vec3d_length(vec3d_cross(vec3d_sub(p[1], p[0]), vec3d_sub(p[2], p[0]))) / 2;
        for (int k = 0; k < 3; ++k) {
            made->areas[corner[k]] += (float)(area / 3);
            edges += vec3d_length(vec3d_sub(p[k], p[(k + 1) % 3]));
        }
    }
    made->edge = (float)(edges / (3.0 * made->triangleCount));
}

int lbResponse_GetPointCount(const lbResponse* made) {
    return made->pointCount;
}
int lbResponse_GetFreeCount(const lbResponse* made) {
    return made->freeCount;
}
const float* lbResponse_GetRestPoints(const lbResponse* made) {
    return made->rest;
}
int lbResponse_GetTriangleCount(const lbResponse* made) {
    return made->triangleCount;
}
const int* lbResponse_GetTriangles(const lbResponse* made) {
    return made->triangles;
}
bool lbResponse_IsHeld(const lbResponse* made, int point) {
    return point >= 0 && point < made->pointCount && made->freeOf[point] < 0;
}

void lbResponse_GetCompliance(const lbResponse* made, int i, int j, float b[9]) {
    memset(b, 0, 9 * sizeof(float));
    bool there = i >= 0 && j >= 0 && i < made->pointCount && j < made->pointCount;
    if (!there || made->freeOf[i] < 0 || made->freeOf[j] < 0) {
        return;
    }
    for (int k = 0; k < 9; ++k) {
        b[k] = lb_response_column(made, made->freeOf[j], k % 3)[3 * made->freeOf[i] + k / 3];
    }
}
