#include "shape/shape.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/result.h"

#include <string.h>

enum { shapeCookie = 0x73686170 };

lbShapeDef lbDefaultShapeDef(void) {
    return (lbShapeDef){.cookie = shapeCookie};
}

/* A copy of `count` items; an empty or missing array gives NULL and is no failure. */
static void* copy_array(const lbHost* host, const void* source, int64_t count, size_t size, bool* failed) {
    if (source == NULL || count == 0) {
        return NULL;
    }
    void* copy = lb_allocate(host, count, size);
    if (copy == NULL) {
        *failed = true;
        return NULL;
    }
    memcpy(copy, source, (size_t)count * size);
    return copy;
}

static char* copy_text(const lbHost* host, const char* text, bool* failed) {
    const char* source = text != NULL ? text : "";
    return copy_array(host, source, (int64_t)strlen(source) + 1, 1, failed);
}

static lbResult check_triangles(const lbShapeDef* def) {
    for (int64_t i = 0; i < 3 * (int64_t)def->triangleCount; ++i) {
        int point = def->triangles[i];
        if (point < 0 || point >= def->pointCount) {
            return lb_error(lb_errorFormat, "triangle %d uses point %d, but there are %d points (0 to %d)",
                            (int)(i / 3), point, def->pointCount, def->pointCount - 1);
        }
    }
    for (int i = 0; def->materialIndices != NULL && i < def->triangleCount; ++i) {
        int material = def->materialIndices[i];
        if (material < 0 || material >= def->materialCount) {
            return lb_error(lb_errorFormat, "triangle %d uses material %d of %d", i, material, def->materialCount);
        }
    }
    return lb_success();
}

static lbResult check_def(const lbShapeDef* def) {
    if (def == NULL || def->cookie != shapeCookie) {
        return lb_error(lb_errorArgument, "the shape's definition was not made by lbDefaultShapeDef()");
    }
    LB_TRY(lb_check_host(def->host));
    if (def->pointCount < 1 || def->points == NULL) {
        return lb_error(lb_errorFormat, "a shape needs points; there are none");
    }
    if (def->triangleCount < 1 || def->triangles == NULL) {
        return lb_error(lb_errorFormat, "a shape needs triangles; there are none");
    }
    for (int i = 0; i < def->pointCount; ++i) {
        if (!vec3_finite(vec3_load(def->points + 3 * (size_t)i))) {
            return lb_error(lb_errorFormat, "point %d has a coordinate that is not a finite number", i);
        }
    }
    return check_triangles(def);
}

static void copy_materials(lbShape* shape, const lbShapeDef* def, bool* failed) {
    shape->materials = LB_NEW(shape->host, lbShapeMaterial, def->materialCount);
    if (shape->materials == NULL) {
        *failed = true;
        return;
    }
    shape->materialCount = def->materialCount;
    for (int i = 0; i < def->materialCount; ++i) {
        const lbShapeMaterial* source = &def->materials[i];
        lbShapeMaterial* copy = &shape->materials[i];
        *copy = *source;
        copy->name = copy_text(shape->host, source->name, failed);
        copy->texturePath = copy_text(shape->host, source->texturePath, failed);
        copy->texture = copy_array(shape->host, source->texture, (int64_t)source->textureSize, 1, failed);
        copy->textureSize = copy->texture != NULL ? source->textureSize : 0;
    }
}

static lbBox used_bounds(const lbShape* shape) {
    lbBox box = box_empty();
    for (int64_t i = 0; i < 3 * (int64_t)shape->triangleCount; ++i) {
        box = box_include(box, vec3_load(shape->points + 3 * (size_t)shape->triangles[i]));
    }
    return box;
}

lbResult lbCreateShape(const lbShapeDef* def, lbShape** shape) {
    *shape = NULL;
    LB_TRY(check_def(def));
    const lbHost* host = lb_resolve_host(def->host);
    lbShape* made = LB_NEW(host, lbShape, 1);
    if (made == NULL) {
        return lb_out_of_memory("a shape");
    }
    bool failed = false;
    int64_t points = def->pointCount, triangles = def->triangleCount;
    made->host = host;
    made->pointCount = def->pointCount;
    made->triangleCount = def->triangleCount;
    made->points = copy_array(host, def->points, 3 * points, sizeof(float), &failed);
    made->triangles = copy_array(host, def->triangles, 3 * triangles, sizeof(int), &failed);
    made->colors = copy_array(host, def->colors, 4 * points, sizeof(float), &failed);
    made->textureCoords = copy_array(host, def->textureCoords, 6 * triangles, sizeof(float), &failed);
    made->materialIndices = copy_array(host, def->materialIndices, triangles, sizeof(int), &failed);
    copy_materials(made, def, &failed);
    if (failed) {
        lbDestroyShape(made);
        return lb_out_of_memory("a shape");
    }
    made->bounds = used_bounds(made);
    *shape = made;
    return lb_success();
}

void lbDestroyShape(lbShape* shape) {
    if (shape == NULL) {
        return;
    }
    const lbHost* host = shape->host;
    for (int i = 0; i < shape->materialCount; ++i) {
        lb_release(host, (void*)shape->materials[i].name);
        lb_release(host, (void*)shape->materials[i].texturePath);
        lb_release(host, (void*)shape->materials[i].texture);
    }
    lb_release(host, shape->materials);
    lb_release(host, shape->points);
    lb_release(host, shape->triangles);
    lb_release(host, shape->colors);
    lb_release(host, shape->textureCoords);
    lb_release(host, shape->materialIndices);
    lb_release(host, shape);
}

int lbShape_GetPointCount(const lbShape* shape) {
    return shape->pointCount;
}
const float* lbShape_GetPoints(const lbShape* shape) {
    return shape->points;
}
int lbShape_GetTriangleCount(const lbShape* shape) {
    return shape->triangleCount;
}
const int* lbShape_GetTriangles(const lbShape* shape) {
    return shape->triangles;
}
const float* lbShape_GetColors(const lbShape* shape) {
    return shape->colors;
}
const float* lbShape_GetTextureCoords(const lbShape* shape) {
    return shape->textureCoords;
}
const int* lbShape_GetMaterialIndices(const lbShape* shape) {
    return shape->materialIndices;
}
int lbShape_GetMaterialCount(const lbShape* shape) {
    return shape->materialCount;
}
const lbShapeMaterial* lbShape_GetMaterials(const lbShape* shape) {
    return shape->materials;
}
lbBox lbShape_GetBounds(const lbShape* shape) {
    return shape->bounds;
}

/* A mirrored shape would be inside out: turn its triangles (and their corners) round again. */
static void flip_triangles(lbShape* shape) {
    for (int i = 0; i < shape->triangleCount; ++i) {
        int* triangle = shape->triangles + 3 * (size_t)i;
        int second = triangle[1];
        triangle[1] = triangle[2], triangle[2] = second;
        if (shape->textureCoords != NULL) {
            float* corner = shape->textureCoords + 6 * (size_t)i;
            for (int k = 0; k < 2; ++k) {
                float swapped = corner[2 + k];
                corner[2 + k] = corner[4 + k], corner[4 + k] = swapped;
            }
        }
    }
}

static lbResult copy_shape(const lbShape* shape, lbShape** copy) {
    lbShapeDef def = lbDefaultShapeDef();
    def.pointCount = shape->pointCount, def.points = shape->points;
    def.triangleCount = shape->triangleCount, def.triangles = shape->triangles;
    def.colors = shape->colors, def.textureCoords = shape->textureCoords;
    def.materialIndices = shape->materialIndices;
    def.materialCount = shape->materialCount, def.materials = shape->materials;
    def.host = shape->host;
    return lbCreateShape(&def, copy);
}

lbResult lbShape_Flip(const lbShape* shape, lbShape** flipped) {
    LB_TRY(copy_shape(shape, flipped));
    flip_triangles(*flipped);
    return lb_success();
}

lbResult lbShape_Transform(const lbShape* shape, lbVec3 scale, lbQuat rotation, lbVec3 translation, lbShape** moved) {
    *moved = NULL;
    if (!vec3_finite(scale) || scale.x == 0 || scale.y == 0 || scale.z == 0) {
        return lb_error(lb_errorArgument, "scale (%g, %g, %g) must be finite and not zero", scale.x, scale.y, scale.z);
    }
    lbShape* copy = NULL;
    LB_TRY(copy_shape(shape, &copy));
    lbQuat turn = quat_normalize(rotation);
    for (int i = 0; i < copy->pointCount; ++i) {
        float* p = copy->points + 3 * (size_t)i;
        lbVec3 scaled = vec3(scale.x * p[0], scale.y * p[1], scale.z * p[2]);
        lbVec3 placed = vec3_add(quat_rotate(turn, scaled), translation);
        if (!vec3_finite(placed)) {
            lbDestroyShape(copy);
            return lb_error(lb_errorArgument, "the transform moves point %d beyond what a number can hold", i);
        }
        vec3_store(p, placed);
    }
    if (scale.x * scale.y * scale.z < 0) {
        flip_triangles(copy);
    }
    copy->bounds = used_bounds(copy);
    *moved = copy;
    return lb_success();
}

void lbShape_ComputeNormals(const lbShape* shape, const float* positions, float* normals) {
    const float* points = positions != NULL ? positions : shape->points;
    memset(normals, 0, 3 * (size_t)shape->pointCount * sizeof(float));
    for (int i = 0; i < shape->triangleCount; ++i) {
        const int* t = shape->triangles + 3 * (size_t)i;
        lbVec3 a = vec3_load(points + 3 * (size_t)t[0]);
        lbVec3 ab = vec3_sub(vec3_load(points + 3 * (size_t)t[1]), a);
        lbVec3 ac = vec3_sub(vec3_load(points + 3 * (size_t)t[2]), a);
        lbVec3 doubleArea = vec3_cross(ab, ac);
        for (int k = 0; k < 3; ++k) {
            float* n = normals + 3 * (size_t)t[k];
            vec3_store(n, vec3_add(vec3_load(n), doubleArea));
        }
    }
    for (int i = 0; i < shape->pointCount; ++i) {
        float* n = normals + 3 * (size_t)i;
        vec3_store(n, vec3_normalize(vec3_load(n)));
    }
}
