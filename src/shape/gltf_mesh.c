/* Shapes as glTF meshes: texture seams, materials, textures. */
#include "base/math.h"
#include "base/result.h"
#include "shape/beside.h"
#include "shape/gltf.h"
#include "shape/shape.h"
#include "shape/srgb.h"

#include <string.h>

/* ---- texture seams --------------------------------------------------------------------------------------------------
 */

typedef LB_ARRAY(int) lbIntList;
typedef LB_ARRAY(float) lbFloatList;

/* Vertices in the making. The vertices of one point are a chain from the point's own. */
typedef struct lbSplit {
    const lbHost* host;
    lbIntList points;   /* of each vertex */
    lbIntList next;     /* the next vertex of the same point, -1: none */
    lbFloatList coords; /* (x 2) v upwards, of each vertex */
    bool* taken;        /* (pointCount) whether the point's own vertex has its coordinates */
} lbSplit;

/* The vertex of a point with these coordinates; -1 if there is no memory. */
static int find_vertex(lbSplit* split, int point, const float* coord) {
    int vertex = point;
    if (!split->taken[point]) {
        split->taken[point] = true;
        memcpy(split->coords.data + 2 * (size_t)point, coord, 2 * sizeof(float));
        return point;
    }
    for (;; vertex = split->next.data[vertex]) {
        if (memcmp(split->coords.data + 2 * (size_t)vertex, coord, 2 * sizeof(float)) == 0) {
            return vertex;
        }
        if (split->next.data[vertex] < 0) {
            break;
        }
    }
    int added = split->points.count;
    bool ok = LB_PUSH(split->host, &split->points, point) && LB_PUSH(split->host, &split->next, -1) &&
              LB_PUSH(split->host, &split->coords, coord[0]) && LB_PUSH(split->host, &split->coords, coord[1]);
    split->next.data[vertex] = ok ? added : -1;
    return ok ? added : -1;
}

static bool begin_split(lbSplit* split, const lbShape* shape) {
    split->taken = LB_NEW(split->host, bool, shape->pointCount);
    bool ok = split->taken != NULL;
    for (int i = 0; i < shape->pointCount && ok; ++i) {
        ok = LB_PUSH(split->host, &split->points, i) && LB_PUSH(split->host, &split->next, -1) &&
             LB_PUSH(split->host, &split->coords, 0.0f) && LB_PUSH(split->host, &split->coords, 1.0f);
    }
    return ok;
}

static bool split_corners(lbSplit* split, const lbShape* shape, int* triangles) {
    for (size_t i = 0; i < 3 * (size_t)shape->triangleCount; ++i) {
        int point = shape->triangles[i];
        triangles[i] = shape->textureCoords != NULL ? find_vertex(split, point, shape->textureCoords + 2 * i) : point;
        if (triangles[i] < 0) {
            return false;
        }
    }
    return true;
}

lbResult lb_gltf_split_surface(const lbShape* shape, lbGltfSurface* surface) {
    *surface = (lbGltfSurface){0};
    lbSplit split = {.host = shape->host};
    int* triangles = LB_NEW(shape->host, int, 3 * (int64_t)shape->triangleCount);
    bool ok = triangles != NULL && begin_split(&split, shape) && split_corners(&split, shape, triangles);
    LB_FREE_ARRAY(shape->host, &split.next);
    lb_release(shape->host, split.taken);
    for (int i = 0; i < split.points.count && ok; ++i) {
        split.coords.data[2 * (size_t)i + 1] = 1 - split.coords.data[2 * (size_t)i + 1];
    }
    *surface = (lbGltfSurface){split.points.count, split.points.data, triangles, split.coords.data};
    if (!ok || shape->textureCoords == NULL) {
        LB_FREE_ARRAY(shape->host, &split.coords);
        surface->textureCoords = NULL;
    }
    if (!ok) {
        lb_gltf_free_surface(shape->host, surface);
        return lb_out_of_memory("a surface's vertices");
    }
    return lb_success();
}

void lb_gltf_free_surface(const lbHost* host, lbGltfSurface* surface) {
    lb_release(host, surface->points);
    lb_release(host, surface->triangles);
    lb_release(host, surface->textureCoords);
    *surface = (lbGltfSurface){0};
}

/* ---- materials ------------------------------------------------------------------------------------------------------
 */

/* The number of a texture with the material's picture, -1 if it has none that glTF knows. A picture that an earlier
 * material of the shape has too is written once. */
static int add_texture(lbGltf* gltf, const lbShape* shape, int index, const int* textures) {
    const lbShapeMaterial* material = &shape->materials[index];
    const char* kind =
        material->texture != NULL ? lb_picture_extension(material->texture, material->textureSize) : NULL;
    if (kind == NULL) {
        return -1;
    }
    for (int i = 0; i < index; ++i) {
        const lbShapeMaterial* other = &shape->materials[i];
        if (textures[i] >= 0 && other->textureSize == material->textureSize &&
            strcmp(other->texturePath, material->texturePath) == 0 &&
            memcmp(other->texture, material->texture, material->textureSize) == 0) {
            return textures[i];
        }
    }
    int image = lb_gltf_add_image(gltf, material->texturePath, material->texture, material->textureSize,
                                  strcmp(kind, ".png") == 0 ? "image/png" : "image/jpeg");
    lbText* text;
    int texture = lb_gltf_add_item(gltf, lb_gltfTextures, &text);
    lb_text_print(text, "{\"source\":%d}", image);
    return texture;
}

static void put_share(lbText* text, const char* key, float value) {
    lb_text_print(text, ",\"%s\":", key);
    lb_text_number(text, clamp_to_unit((double)value), 9);
}

static void add_material(lbGltf* gltf, const lbShapeMaterial* material, int texture) {
    lbText* text;
    lb_gltf_add_item(gltf, lb_gltfMaterials, &text);
    lb_text_print(text, "{\"name\":");
    lb_text_json_string(text, material->name);
    lb_text_print(text, ",\"pbrMetallicRoughness\":{\"baseColorFactor\":[");
    for (int k = 0; k < 4; ++k) {
        lb_text_print(text, k > 0 ? "," : "");
        lb_text_number(text, clamp_to_unit((double)material->baseColor[k]), 9);
    }
    lb_text_print(text, "]");
    put_share(text, "metallicFactor", material->metallic);
    put_share(text, "roughnessFactor", material->roughness);
    if (texture >= 0) {
        lb_text_print(text, ",\"baseColorTexture\":{\"index\":%d}", texture);
    }
    lb_text_print(text, "},\"doubleSided\":true%s}", material->baseColor[3] < 1 ? ",\"alphaMode\":\"BLEND\"" : "");
}

/* The number of the shape's first material in the file. */
static int add_materials(lbGltf* gltf, const lbShape* shape) {
    int first = gltf->counts[lb_gltfMaterials];
    int* textures = LB_NEW(gltf->host, int, shape->materialCount);
    for (int i = 0; i < shape->materialCount && textures != NULL; ++i) {
        textures[i] = add_texture(gltf, shape, i, textures);
        add_material(gltf, &shape->materials[i], textures[i]);
    }
    gltf->data.failed = gltf->data.failed || textures == NULL;
    lb_release(gltf->host, textures);
    return first;
}

/* ---- meshes ---------------------------------------------------------------------------------------------------------
 */

/* The attributes of a mesh, by the numbers of their arrays; -1: not there. */
typedef struct lbAttributes {
    int positions, normals, textureCoords, colors;
} lbAttributes;

/* Spreads values of points (pointCount x width) over the vertices and adds them. */
static int add_vertex_array(lbGltf* gltf, const lbGltfSurface* surface, const float* values, int width, bool bounds) {
    float* spread = LB_NEW(gltf->host, float, (int64_t)surface->vertexCount* width);
    if (spread == NULL) {
        gltf->data.failed = true;
        return -1;
    }
    size_t w = (size_t)width;
    for (size_t i = 0; i < (size_t)surface->vertexCount; ++i) {
        memcpy(spread + w * i, values + w * (size_t)surface->points[i], w * sizeof(float));
    }
    int array = lb_gltf_add_array(gltf, &(lbGltfArray){.data = spread,
                                                       .count = surface->vertexCount,
                                                       .components = width,
                                                       .type = LB_GLTF_FLOAT,
                                                       .target = LB_GLTF_VERTICES,
                                                       .bounds = bounds});
    lb_release(gltf->host, spread);
    return array;
}

/* glTF wants unit normals: points that no triangle uses, or only flat ones, get one that is as good as any. */
static int add_normals(lbGltf* gltf, const lbGltfMeshDef* def) {
    float* normals = LB_NEW(gltf->host, float, 3 * (int64_t)def->shape->pointCount);
    if (normals == NULL) {
        gltf->data.failed = true;
        return -1;
    }
    lbShape_ComputeNormals(def->shape, def->positions, normals);
    for (size_t i = 0; i < 3 * (size_t)def->shape->pointCount; i += 3) {
        if (!(vec3_length(vec3_load(normals + i)) > 0.5f)) {
            vec3_store(normals + i, vec3(0, 1, 0));
        }
    }
    int array = add_vertex_array(gltf, def->surface, normals, 3, false);
    lb_release(gltf->host, normals);
    return array;
}

static lbAttributes add_attributes(lbGltf* gltf, const lbGltfMeshDef* def) {
    const lbShape* shape = def->shape;
    lbAttributes attributes = {.textureCoords = -1, .colors = -1};
    attributes.positions =
        add_vertex_array(gltf, def->surface, def->positions != NULL ? def->positions : shape->points, 3, true);
    attributes.normals = add_normals(gltf, def);
    if (def->surface->textureCoords != NULL) {
        attributes.textureCoords = lb_gltf_add_array(gltf, &(lbGltfArray){.data = def->surface->textureCoords,
                                                                          .count = def->surface->vertexCount,
                                                                          .components = 2,
                                                                          .type = LB_GLTF_FLOAT,
                                                                          .target = LB_GLTF_VERTICES});
    }
    if (shape->colors != NULL) {
        attributes.colors = add_vertex_array(gltf, def->surface, shape->colors, 4, false);
    }
    return attributes;
}

static int material_of(const lbShape* shape, int triangle) {
    return shape->materialIndices != NULL ? shape->materialIndices[triangle] : -1;
}

/* The triangles of one material (-1: all that have none) as an array; -1 if there are none. */
static int add_indices(lbGltf* gltf, const lbGltfMeshDef* def, int material) {
    bool narrow = def->surface->vertexCount <= UINT16_MAX; /* the largest index is reserved */
    size_t size = narrow ? 2 : 4, used = 0;
    unsigned char* indices = lb_allocate(gltf->host, 3 * (int64_t)def->shape->triangleCount, size);
    if (indices == NULL) {
        gltf->data.failed = true;
        return -1;
    }
    for (int i = 0; i < def->shape->triangleCount; ++i) {
        for (size_t k = 0; k < 3 && material_of(def->shape, i) == material; ++k) {
            uint32_t index = (uint32_t)def->surface->triangles[3 * (size_t)i + k];
            memcpy(indices + size * used++, &index, size); /* little-endian: the low bytes come first */
        }
    }
    int array = -1;
    if (used > 0) {
        array = lb_gltf_add_array(gltf, &(lbGltfArray){.data = indices,
                                                       .count = (int)used,
                                                       .components = 1,
                                                       .type = narrow ? LB_GLTF_UINT16 : LB_GLTF_UINT32,
                                                       .target = LB_GLTF_INDICES});
    }
    lb_release(gltf->host, indices);
    return array;
}

static void put_attributes(lbText* text, const lbAttributes* attributes) {
    lb_text_print(text, "\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d", attributes->positions, attributes->normals);
    if (attributes->textureCoords >= 0) {
        lb_text_print(text, ",\"TEXCOORD_0\":%d", attributes->textureCoords);
    }
    if (attributes->colors >= 0) {
        lb_text_print(text, ",\"COLOR_0\":%d", attributes->colors);
    }
    lb_text_print(text, "}");
}

static void put_targets(lbText* text, const lbGltfTarget* targets, int count) {
    for (int i = 0; i < count; ++i) {
        lb_text_print(text, i == 0 ? ",\"targets\":[{" : ",{");
        if (targets[i].positions >= 0) {
            lb_text_print(text, "\"POSITION\":%d", targets[i].positions);
        }
        if (targets[i].normals >= 0) {
            lb_text_print(text, "%s\"NORMAL\":%d", targets[i].positions >= 0 ? "," : "", targets[i].normals);
        }
        lb_text_print(text, i == count - 1 ? "}]" : "}");
    }
}

/* One for each material that some triangle has. */
static void put_primitives(lbGltf* gltf, lbText* text, const lbGltfMeshDef* def) {
    const lbShape* shape = def->shape;
    bool plain = shape->materialIndices == NULL;
    int firstMaterial = plain ? 0 : add_materials(gltf, shape);
    lbAttributes attributes = add_attributes(gltf, def);
    const char* separator = "";
    for (int material = plain ? -1 : 0; material < (plain ? 0 : shape->materialCount); ++material) {
        int indices = add_indices(gltf, def, material);
        if (indices < 0) {
            continue;
        }
        lb_text_print(text, "%s{", separator);
        put_attributes(text, &attributes);
        lb_text_print(text, ",\"indices\":%d", indices);
        if (!plain) {
            lb_text_print(text, ",\"material\":%d", firstMaterial + material);
        }
        put_targets(text, def->targets, def->targetCount);
        lb_text_print(text, "}");
        separator = ",";
    }
}

int lb_gltf_add_mesh(lbGltf* gltf, const lbGltfMeshDef* def) {
    lbText primitives = {.host = gltf->host};
    put_primitives(gltf, &primitives, def);
    lbText* text;
    int mesh = lb_gltf_add_item(gltf, lb_gltfMeshes, &text);
    lb_text_print(text, "{\"name\":");
    lb_text_json_string(text, def->name);
    lb_text_print(text, ",\"primitives\":[");
    lb_text_add(text, primitives.data, primitives.size);
    lb_text_print(text, "]}");
    text->failed = text->failed || primitives.failed;
    lb_free_text(&primitives);
    return mesh;
}
