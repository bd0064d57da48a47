/* How a mesh lies in a glTF file: materials, attributes, primitives. */
#include "shape/files/gltf_mesh.h"

#include "shape/files/srgb.h"
#include "shape/shape.h"

#include <string.h>

/* ---- Materials --------------------------------------------------------------------------------------------------- */

static void put_share(lbText* text, const char* key, float value) {
    lb_text_print(text, ",\"%s\":", key);
    lb_text_number(text, clamp_to_unit((double)value), 9);
}

static void add_material(lbGltf* gltf, const lbShapeMaterial* material) {
    int texture = lb_gltf_add_texture(gltf, material->texture, material->textureSize, material->texturePath);
    float color[4];
    for (int k = 0; k < 4; ++k) {
        color[k] = (float)clamp_to_unit((double)material->baseColor[k]);
    }
    lbText* text;
    lb_gltf_add_item(gltf, lb_gltfMaterials, &text);
    lb_text_print(text, "{\"name\":");
    lb_text_json_string(text, material->name);
    /* Surfaces may be open, so both sides are seen. */
    lb_text_print(text, ",\"doubleSided\":true%s", color[3] < 1 ? ",\"alphaMode\":\"BLEND\"" : "");
    lb_text_print(text, ",\"pbrMetallicRoughness\":{\"baseColorFactor\":[");
    lb_text_floats(text, color, 4, ",");
    lb_text_print(text, "]");
    put_share(text, "metallicFactor", material->metallic);
    put_share(text, "roughnessFactor", material->roughness);
    if (texture >= 0) {
        lb_text_print(text, ",\"baseColorTexture\":{\"index\":%d}", texture);
    }
    lb_text_print(text, "}}");
}

/* The file's number of the shape's first material; -1 if the mesh goes without. */
static int add_materials(lbGltf* gltf, const lbGltfMeshDef* def) {
    const lbShape* shape = def->mesh->shape;
    int first = gltf->counts[lb_gltfMaterials];
    for (int i = 0; i < shape->materialCount; ++i) {
        add_material(gltf, &shape->materials[i]);
    }
    if (shape->materialCount == 0 && def->plainLook) {
        float shade = shape->colors != NULL ? 1.0f : 0.8f;
        add_material(gltf,
                     &(lbShapeMaterial){.name = "plain", .baseColor = {shade, shade, shade, 1}, .roughness = 0.6f});
    }
    return gltf->counts[lb_gltfMaterials] > first ? first : -1;
}

/* ---- Primitives -------------------------------------------------------------------------------------------------- */

/* Accessors that all primitives of a mesh share; -1: there is none. */
typedef struct Attributes {
    int positions, normals, textureCoords, colors;
    int firstMorph; /* positions and normals of the first morph target, then of the next */
} Attributes;

static Attributes add_attributes(lbGltf* gltf, const lbGltfMeshDef* def) {
    const lbGltfMesh* mesh = def->mesh;
    int64_t count = mesh->vertexCount;
    Attributes added = {.textureCoords = -1, .colors = -1};
    added.positions = lb_gltf_add_floats(gltf, def->positions, count, 3, lb_gltfVertices, true);
    added.normals = lb_gltf_add_floats(gltf, def->normals, count, 3, lb_gltfVertices, false);
    if (mesh->textureCoords != NULL) {
        added.textureCoords = lb_gltf_add_floats(gltf, mesh->textureCoords, count, 2, lb_gltfVertices, false);
    }
    if (mesh->colors != NULL) {
        added.colors = lb_gltf_add_floats(gltf, mesh->colors, count, 4, lb_gltfVertices, false);
    }
    added.firstMorph = gltf->counts[lb_gltfAccessors];
    for (int i = 0; i < def->morphCount; ++i) {
        lb_gltf_add_floats(gltf, def->morphs[i].positions, count, 3, lb_gltfVertices, true);
        lb_gltf_add_floats(gltf, def->morphs[i].normals, count, 3, lb_gltfVertices, false);
    }
    return added;
}

static int add_group_indices(lbGltf* gltf, const lbGltfMesh* mesh, const lbGltfGroup* group) {
    const char* indices = mesh->indices;
    return lb_gltf_add_indices(gltf, indices + group->firstIndex * mesh->indexSize, group->indexCount, mesh->indexSize);
}

/* material: -1 for none */
static void put_primitive(lbText* text, Attributes attributes, int indices, int material, int morphCount) {
    lb_text_print(text, "{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d", attributes.positions, attributes.normals);
    if (attributes.textureCoords >= 0) {
        lb_text_print(text, ",\"TEXCOORD_0\":%d", attributes.textureCoords);
    }
    if (attributes.colors >= 0) {
        lb_text_print(text, ",\"COLOR_0\":%d", attributes.colors);
    }
    lb_text_print(text, "},\"indices\":%d", indices);
    if (material >= 0) {
        lb_text_print(text, ",\"material\":%d", material);
    }
    for (int i = 0; i < morphCount; ++i) {
        lb_text_print(text, "%s{\"POSITION\":%d,\"NORMAL\":%d}", i == 0 ? ",\"targets\":[" : ",",
                      attributes.firstMorph + 2 * i, attributes.firstMorph + 2 * i + 1);
    }
    lb_text_print(text, morphCount > 0 ? "]}" : "}");
}

static void put_morph_names(lbText* text, const lbGltfMeshDef* def) {
    for (int i = 0; i < def->morphCount; ++i) {
        lb_text_print(text, i == 0 ? ",\"extras\":{\"targetNames\":[" : ",");
        lb_text_json_string(text, def->morphs[i].name);
    }
    lb_text_print(text, def->morphCount > 0 ? "]}" : "");
}

int lb_gltf_add_mesh(lbGltf* gltf, const lbGltfMeshDef* def) {
    int firstMaterial = add_materials(gltf, def);
    Attributes attributes = add_attributes(gltf, def);
    lbText* text;
    int mesh = lb_gltf_add_item(gltf, lb_gltfMeshes, &text);
    lb_text_print(text, "{\"name\":");
    lb_text_json_string(text, def->name);
    lb_text_print(text, ",\"primitives\":[");
    for (int g = 0; g < def->mesh->groups.count; ++g) {
        const lbGltfGroup* group = &def->mesh->groups.data[g];
        int material = group->material >= 0 ? firstMaterial + group->material : firstMaterial;
        lb_text_print(text, "%s", g > 0 ? "," : "");
        put_primitive(text, attributes, add_group_indices(gltf, def->mesh, group), material, def->morphCount);
    }
    lb_text_print(text, "]");
    put_morph_names(text, def);
    lb_text_print(text, "}");
    return mesh;
}
