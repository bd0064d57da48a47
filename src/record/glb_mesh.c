#include "record/glb_mesh.h"

#include "base/math.h"
#include "base/result.h"

#include <limits.h>
#include <string.h>

void lb_glb_mesh_destroy(lbGlbMesh* mesh) {
    if (mesh->host == NULL) {
        return;
    }
    LB_FREE_ARRAY(mesh->host, &mesh->seamPoints);
    LB_FREE_ARRAY(mesh->host, &mesh->groups);
    lb_release(mesh->host, mesh->indices);
    lb_release(mesh->host, mesh->textureCoords);
    lb_release(mesh->host, mesh->colors);
    *mesh = (lbGlbMesh){0};
}

/* Where a shape's triangles go when they are sorted by material: indices and groups. */
static bool sort_by_material(lbGlbMesh* mesh, const lbShape* shape, int64_t* places) {
    const int* materials = lbShape_GetMaterialIndices(shape);
    int triangleCount = lbShape_GetTriangleCount(shape), materialCount = lbShape_GetMaterialCount(shape);
    int groupCount = int_max(materialCount, 1);
    int64_t* next = LB_NEW(mesh->host, int64_t, (int64_t)groupCount + 1);
    if (next == NULL) {
        return false;
    }
    for (int i = 0; i < triangleCount; ++i) {
        next[(materials != NULL ? materials[i] : 0) + 1] += 1;
    }
    bool room = true;
    for (int g = 0; g < groupCount; ++g) {
        lbGlbGroup group = {materialCount > 0 ? g : -1, 3 * next[g], 3 * next[g + 1]};
        room = room && (group.indexCount == 0 || LB_PUSH(mesh->host, &mesh->groups, group));
        next[g + 1] += next[g];
    }
    for (int i = 0; i < triangleCount; ++i) {
        places[i] = next[materials != NULL ? materials[i] : 0]++;
    }
    lb_release(mesh->host, next);
    return room;
}

/* Finds the vertex of a point that has these texture coordinates, or makes one. -1: no memory.
 * nextSeam (vertexCount so far) links the vertices of a point; -1 ends, -2 is a point that no corner has used yet. */
typedef struct SeamSearch {
    LB_ARRAY(int) nextSeam;
    LB_ARRAY(lbVec3) coords; /* of each vertex; z is not used */
} SeamSearch;

static int find_vertex(lbGlbMesh* mesh, SeamSearch* search, int point, lbVec3 coords) {
    int vertex = point;
    if (search->nextSeam.data[point] == -2) {
        search->nextSeam.data[point] = -1;
        search->coords.data[point] = coords;
        return point;
    }
    for (;;) {
        if (search->coords.data[vertex].x == coords.x && search->coords.data[vertex].y == coords.y) {
            return vertex;
        }
        if (search->nextSeam.data[vertex] < 0) {
            break;
        }
        vertex = search->nextSeam.data[vertex];
    }
    int made = mesh->vertexCount;
    if (made == INT_MAX || !LB_PUSH(mesh->host, &mesh->seamPoints, point) ||
        !LB_PUSH(mesh->host, &search->nextSeam, -1) || !LB_PUSH(mesh->host, &search->coords, coords)) {
        return -1;
    }
    search->nextSeam.data[vertex] = made;
    mesh->vertexCount += 1;
    return made;
}

static float finite_or_zero(float value) {
    return isfinite(value) ? value : 0;
}

static bool split_seams(lbGlbMesh* mesh, const lbShape* shape, const int64_t* places, SeamSearch* search) {
    const int* triangles = lbShape_GetTriangles(shape);
    const float* corners = lbShape_GetTextureCoords(shape);
    for (int i = 0; i < mesh->pointCount; ++i) {
        if (!LB_PUSH(mesh->host, &search->nextSeam, -2) || !LB_PUSH(mesh->host, &search->coords, vec3(0, 0, 0))) {
            return false;
        }
    }
    for (int64_t i = 0; i < 3 * (int64_t)lbShape_GetTriangleCount(shape); ++i) {
        /* glTF counts v from the top */
        lbVec3 coords = vec3(finite_or_zero(corners[2 * i]), finite_or_zero(1 - corners[2 * i + 1]), 0);
        int vertex = find_vertex(mesh, search, triangles[i], coords);
        if (vertex < 0) {
            return false;
        }
        mesh->indices[3 * places[i / 3] + i % 3] = vertex;
    }
    mesh->textureCoords = LB_NEW(mesh->host, float, 2 * (int64_t)mesh->vertexCount);
    for (int64_t i = 0; mesh->textureCoords != NULL && i < mesh->vertexCount; ++i) {
        mesh->textureCoords[2 * i] = search->coords.data[i].x;
        mesh->textureCoords[2 * i + 1] = search->coords.data[i].y;
    }
    return mesh->textureCoords != NULL;
}

static bool make_vertices(lbGlbMesh* mesh, const lbShape* shape, const int64_t* places) {
    if (lbShape_GetTextureCoords(shape) != NULL) {
        SeamSearch search = {0};
        bool made = split_seams(mesh, shape, places, &search);
        LB_FREE_ARRAY(mesh->host, &search.nextSeam);
        LB_FREE_ARRAY(mesh->host, &search.coords);
        return made;
    }
    for (int64_t i = 0; i < 3 * (int64_t)lbShape_GetTriangleCount(shape); ++i) {
        mesh->indices[3 * places[i / 3] + i % 3] = lbShape_GetTriangles(shape)[i];
    }
    return true;
}

static bool copy_colors(lbGlbMesh* mesh, const lbShape* shape) {
    const float* colors = lbShape_GetColors(shape);
    if (colors == NULL) {
        return true;
    }
    mesh->colors = LB_NEW(mesh->host, float, 4 * (int64_t)mesh->vertexCount);
    if (mesh->colors == NULL) {
        return false;
    }
    for (int64_t i = 0; i < 4 * (int64_t)mesh->pointCount; ++i) {
        mesh->colors[i] = fminf(fmaxf(finite_or_zero(colors[i]), 0), 1);
    }
    lb_glb_mesh_fill_seams(mesh, mesh->colors, 4);
    return true;
}

lbResult lb_glb_mesh_create(const lbHost* host, const lbShape* shape, lbGlbMesh* mesh) {
    int64_t triangleCount = lbShape_GetTriangleCount(shape);
    *mesh = (lbGlbMesh){.host = host, .pointCount = lbShape_GetPointCount(shape)};
    mesh->vertexCount = mesh->pointCount;
    mesh->indices = LB_NEW(host, int, 3 * triangleCount);
    int64_t* places = LB_NEW(host, int64_t, triangleCount);
    bool made = mesh->indices != NULL && places != NULL && sort_by_material(mesh, shape, places) &&
                make_vertices(mesh, shape, places) && copy_colors(mesh, shape);
    lb_release(host, places);
    if (!made) {
        lb_glb_mesh_destroy(mesh);
        return lb_out_of_memory("a surface's glTF mesh");
    }
    return lb_success();
}

void lb_glb_mesh_fill_seams(const lbGlbMesh* mesh, float* values, int width) {
    for (int i = 0; i < mesh->seamPoints.count; ++i) {
        memcpy(values + (int64_t)(mesh->pointCount + i) * width, values + (int64_t)mesh->seamPoints.data[i] * width,
               (size_t)width * sizeof(float));
    }
}

int lb_glb_add_materials(lbGlb* glb, const lbShape* shape) {
    int first = glb->counts[lb_glbMaterials];
    int count = lbShape_GetMaterialCount(shape);
    for (int i = 0; i < count; ++i) {
        lb_glb_add_material(glb, &lbShape_GetMaterials(shape)[i]);
    }
    if (count == 0) {
        /* glTF's own default is a rough metal, which looks black in a viewer without surroundings to mirror. */
        float shade = lbShape_GetColors(shape) != NULL ? 1.0f : 0.8f;
        lbShapeMaterial plain = {.name = "plain", .baseColor = {shade, shade, shade, 1}, .roughness = 0.6f};
        lb_glb_add_material(glb, &plain);
    }
    return first;
}

int lb_glb_group_material(const lbGlbGroup* group, int first) {
    return first + int_max(group->material, 0);
}
