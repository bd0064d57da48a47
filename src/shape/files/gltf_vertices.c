/* A shape's triangles and looks as glTF wants them: see lbGltfMesh. */
#include "base/math.h"
#include "base/result.h"
#include "shape/files/gltf_mesh.h"
#include "shape/files/srgb.h"
#include "shape/shape.h"
#include "shape/weld.h"

#include <limits.h>
#include <string.h>

void lb_gltf_mesh_destroy(lbGltfMesh* mesh) {
    if (mesh->host == NULL) {
        return;
    }
    LB_FREE_ARRAY(mesh->host, &mesh->groups);
    lb_release(mesh->host, mesh->seamPoints);
    lb_release(mesh->host, mesh->indices);
    lb_release(mesh->host, mesh->textureCoords);
    lb_release(mesh->host, mesh->colors);
    *mesh = (lbGltfMesh){0};
}

/* ---- Texture seams ----------------------------------------------------------------------------------------------- */

static float finite_or_zero(float value) {
    return isfinite(value) ? value : 0;
}

/* A vertex is a point with texture coordinates: the row of a corner says which, so that equal rows are one vertex.
 * Whole numbers below 2^24 are exact as floats; a point takes two. */
enum { rowWidth = 4, pointPart = 1 << 16 };

static void make_corner_rows(const lbShape* shape, float* rows) {
    for (size_t i = 0; i < 3 * (size_t)shape->triangleCount; ++i) {
        float* row = rows + rowWidth * i;
        row[0] = (float)(shape->triangles[i] / pointPart);
        row[1] = (float)(shape->triangles[i] % pointPart);
        row[2] = finite_or_zero(shape->textureCoords[2 * i]);
        row[3] = finite_or_zero(1 - shape->textureCoords[2 * i + 1]); /* glTF counts v from the top */
    }
}

/* What the corners are welded to, on the way to vertices. */
typedef struct Welding {
    float* rows;    /* (cornerCount x rowWidth) */
    int* values;    /* (cornerCount) of each corner */
    int* firstRows; /* (cornerCount) of each value */
    int* vertices;  /* (cornerCount) of each value */
    bool* taken;    /* (pointCount) whether the vertex of the point's own number is */
} Welding;

static bool weld_corners(lbGltfMesh* mesh, Welding* welding, int* vertexOfCorner) {
    const lbShape* shape = mesh->shape;
    int cornerCount = 3 * shape->triangleCount;
    welding->rows = LB_NEW(mesh->host, float, rowWidth*(int64_t)cornerCount);
    welding->values = LB_NEW(mesh->host, int, cornerCount);
    welding->firstRows = LB_NEW(mesh->host, int, cornerCount);
    welding->vertices = LB_NEW(mesh->host, int, cornerCount);
    welding->taken = LB_NEW(mesh->host, bool, mesh->pointCount);
    if (welding->rows == NULL || welding->values == NULL || welding->firstRows == NULL || welding->vertices == NULL ||
        welding->taken == NULL) {
        return false;
    }
    make_corner_rows(shape, welding->rows);
    int valueCount =
        lb_weld_rows(mesh->host, welding->rows, cornerCount, rowWidth, welding->values, welding->firstRows);
    for (int i = 0; i < valueCount; ++i) {
        int point = shape->triangles[welding->firstRows[i]];
        welding->vertices[i] = welding->taken[point] ? mesh->vertexCount++ : point;
        welding->taken[point] = true;
    }
    for (int i = 0; i < cornerCount && valueCount >= 0; ++i) {
        vertexOfCorner[i] = welding->vertices[welding->values[i]];
    }
    mesh->seamPoints = LB_NEW(mesh->host, int, mesh->vertexCount - mesh->pointCount);
    mesh->textureCoords = LB_NEW(mesh->host, float, 2 * (int64_t)mesh->vertexCount);
    if (valueCount < 0 || mesh->seamPoints == NULL || mesh->textureCoords == NULL) {
        return false;
    }
    for (int i = 0; i < valueCount; ++i) {
        int vertex = welding->vertices[i], corner = welding->firstRows[i];
        memcpy(mesh->textureCoords + 2 * (size_t)vertex, welding->rows + rowWidth * (size_t)corner + 2,
               2 * sizeof(float));
        if (vertex >= mesh->pointCount) {
            mesh->seamPoints[vertex - mesh->pointCount] = shape->triangles[corner];
        }
    }
    return true;
}

static bool make_vertices(lbGltfMesh* mesh, int* vertexOfCorner) {
    const lbShape* shape = mesh->shape;
    if (shape->textureCoords == NULL) {
        memcpy(vertexOfCorner, shape->triangles, 3 * (size_t)shape->triangleCount * sizeof(int));
        return true;
    }
    Welding welding = {0};
    bool made = weld_corners(mesh, &welding, vertexOfCorner);
    lb_release(mesh->host, welding.rows);
    lb_release(mesh->host, welding.values);
    lb_release(mesh->host, welding.firstRows);
    lb_release(mesh->host, welding.vertices);
    lb_release(mesh->host, welding.taken);
    return made;
}

void lb_gltf_mesh_fill_seams(const lbGltfMesh* mesh, float* values, int width) {
    for (int64_t i = mesh->pointCount; i < mesh->vertexCount; ++i) {
        memcpy(values + i * width, values + (int64_t)mesh->seamPoints[i - mesh->pointCount] * width,
               (size_t)width * sizeof(float));
    }
}

/* ---- Triangles by material --------------------------------------------------------------------------------------- */

static void store_index(lbGltfMesh* mesh, int64_t place, int vertex) {
    uint32_t index = (uint32_t)vertex; /* little-endian: the low bytes come first */
    memcpy((char*)mesh->indices + place * mesh->indexSize, &index, (size_t)mesh->indexSize);
}

static int group_of_triangle(const lbShape* shape, int triangle) {
    return int_max(material_of_triangle(shape, triangle), 0);
}

static bool sort_by_material(lbGltfMesh* mesh, const int* vertexOfCorner) {
    const lbShape* shape = mesh->shape;
    int groupCount = int_max(shape->materialCount, 1);
    int64_t* next = LB_NEW(mesh->host, int64_t, (int64_t)groupCount + 1);
    mesh->indexSize = mesh->vertexCount <= UINT16_MAX ? 2 : 4; /* the largest index of a size is reserved */
    mesh->indices = lb_allocate(mesh->host, 3 * (int64_t)shape->triangleCount, (size_t)mesh->indexSize);
    bool made = next != NULL && mesh->indices != NULL;
    for (int i = 0; made && i < shape->triangleCount; ++i) {
        next[group_of_triangle(shape, i) + 1] += 3;
    }
    for (int g = 0; made && g < groupCount; ++g) {
        lbGltfGroup group = {shape->materialCount > 0 ? g : -1, next[g], next[g + 1]};
        made = group.indexCount == 0 || LB_PUSH(mesh->host, &mesh->groups, group);
        next[g + 1] += next[g];
    }
    for (int64_t i = 0; made && i < 3 * (int64_t)shape->triangleCount; ++i) {
        store_index(mesh, next[group_of_triangle(shape, (int)(i / 3))]++, vertexOfCorner[i]);
    }
    lb_release(mesh->host, next);
    return made;
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

static bool copy_colors(lbGltfMesh* mesh) {
    const float* colors = mesh->shape->colors;
    if (colors == NULL) {
        return true;
    }
    mesh->colors = LB_NEW(mesh->host, float, 4 * (int64_t)mesh->vertexCount);
    if (mesh->colors == NULL) {
        return false;
    }
    for (int64_t i = 0; i < 4 * (int64_t)mesh->pointCount; ++i) {
        mesh->colors[i] = (float)clamp_to_unit((double)colors[i]);
    }
    lb_gltf_mesh_fill_seams(mesh, mesh->colors, 4);
    return true;
}

lbResult lb_gltf_mesh_create(const lbHost* host, const lbShape* shape, lbGltfMesh* mesh) {
    *mesh = (lbGltfMesh){.host = host, .shape = shape, .pointCount = shape->pointCount};
    mesh->vertexCount = mesh->pointCount;
    if (3 * (int64_t)shape->triangleCount + shape->pointCount > INT_MAX) {
        return lb_error(lb_errorUnsupported, "%d points and %d triangles are more than a glTF file can hold",
                        shape->pointCount, shape->triangleCount);
    }
    int* vertexOfCorner = LB_NEW(host, int, 3 * (int64_t)shape->triangleCount);
    bool made = vertexOfCorner != NULL && make_vertices(mesh, vertexOfCorner) &&
                sort_by_material(mesh, vertexOfCorner) && copy_colors(mesh);
    lb_release(host, vertexOfCorner);
    if (!made) {
        lb_gltf_mesh_destroy(mesh);
        return lb_out_of_memory("a surface's glTF mesh");
    }
    return lb_success();
}

void lb_gltf_mesh_normals(const lbGltfMesh* mesh, const float* positions, float* normals) {
    lbShape_ComputeNormals(mesh->shape, positions, normals);
    for (int64_t i = 0; i < 3 * (int64_t)mesh->pointCount; i += 3) {
        if (!(fabsf(vec3_length(vec3_load(normals + i)) - 1) < 0.001f)) { /* glTF wants unit normals */
            vec3_store(normals + i, vec3(0, 0, 1));
        }
    }
    lb_gltf_mesh_fill_seams(mesh, normals, 3);
}
