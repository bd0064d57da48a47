#include "record/glb_builder.h"

#include "base/result.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are in memory");
static_assert(sizeof(int) == 4, "indices are written as they are in memory");

static const char* const sectionNames[lb_glbSectionCount] = {
    "nodes", "meshes", "materials", "textures", "samplers", "images", "animations", "accessors", "bufferViews"};

static size_t padding(uint64_t size) {
    return (size_t)((4 - size % 4) % 4);
}

void lb_glb_begin(lbGlb* glb, const lbHost* host) {
    *glb = (lbGlb){.host = host};
    for (int i = 0; i < lb_glbSectionCount; ++i) {
        glb->sections[i].host = host;
    }
}

void lb_glb_free(lbGlb* glb) {
    if (glb->host == NULL) {
        return;
    }
    for (int i = 0; i < lb_glbSectionCount; ++i) {
        lb_rtext_free(&glb->sections[i]);
    }
    LB_FREE_ARRAY(glb->host, &glb->pieces);
    LB_FREE_ARRAY(glb->host, &glb->textures);
    *glb = (lbGlb){0};
}

lbText* lb_glb_add_item(lbGlb* glb, lbGlbSection section) {
    lbText* text = &glb->sections[section];
    lb_rtext_print(text, glb->counts[section] > 0 ? ",\n" : "\n");
    glb->counts[section] += 1;
    return text;
}

int lb_glb_add_view(lbGlb* glb, const void* data, size_t size, lbGlbTarget target) {
    lbText* text = lb_glb_add_item(glb, lb_glbBufferViews);
    lb_rtext_print(text, "{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%zu", (unsigned long long)glb->binarySize,
                   size);
    if (target != lb_glbPlain) {
        lb_rtext_print(text, ",\"target\":%d", (int)target);
    }
    lb_rtext_print(text, "}");
    glb->failed = !LB_PUSH(glb->host, &glb->pieces, ((lbGlbPiece){data, size})) || glb->failed;
    glb->binarySize += size + padding(size);
    return glb->counts[lb_glbBufferViews] - 1;
}

static void print_bounds(lbText* text, const float* data, int64_t count, int width) {
    float lower[4], upper[4];
    for (int k = 0; k < width; ++k) {
        lower[k] = upper[k] = data[k];
    }
    for (int64_t i = 1; i < count; ++i) {
        for (int k = 0; k < width; ++k) {
            float value = data[i * width + k];
            lower[k] = value < lower[k] ? value : lower[k];
            upper[k] = value > upper[k] ? value : upper[k];
        }
    }
    lb_rtext_print(text, ",\"min\":");
    lb_rtext_numbers(text, lower, width);
    lb_rtext_print(text, ",\"max\":");
    lb_rtext_numbers(text, upper, width);
}

int lb_glb_add_floats(lbGlb* glb, const float* data, int64_t count, int width, lbGlbTarget target, bool bounded) {
    static const char* const types[5] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    int view = lb_glb_add_view(glb, data, (size_t)count * (size_t)width * sizeof(float), target);
    lbText* text = lb_glb_add_item(glb, lb_glbAccessors);
    lb_rtext_print(text, "{\"bufferView\":%d,\"componentType\":5126,\"count\":%lld,\"type\":\"%s\"", view,
                   (long long)count, types[width]);
    if (bounded) {
        print_bounds(text, data, count, width);
    }
    lb_rtext_print(text, "}");
    return glb->counts[lb_glbAccessors] - 1;
}

int lb_glb_add_indices(lbGlb* glb, const int* data, int64_t count) {
    int view = lb_glb_add_view(glb, data, (size_t)count * sizeof(int), lb_glbIndices);
    lb_rtext_print(lb_glb_add_item(glb, lb_glbAccessors),
                   "{\"bufferView\":%d,\"componentType\":5125,\"count\":%lld,\"type\":\"SCALAR\"}", view,
                   (long long)count);
    return glb->counts[lb_glbAccessors] - 1;
}

static const char* image_type(const unsigned char* data, size_t size) {
    if (size >= 8 && memcmp(data, "\x89PNG\r\n\x1a\n", 8) == 0) {
        return "image/png";
    }
    if (size >= 3 && memcmp(data, "\xff\xd8\xff", 3) == 0) {
        return "image/jpeg";
    }
    return NULL;
}

int lb_glb_add_texture(lbGlb* glb, const unsigned char* data, size_t size) {
    const char* type = data != NULL ? image_type(data, size) : NULL;
    if (type == NULL) {
        return -1;
    }
    for (int i = 0; i < glb->textures.count; ++i) {
        const lbGlbTexture* known = &glb->textures.data[i];
        if (known->piece.size == size && memcmp(known->piece.data, data, size) == 0) {
            return known->texture;
        }
    }
    if (glb->counts[lb_glbSamplers] == 0) { /* smooth and repeating, for all */
        lb_rtext_print(lb_glb_add_item(glb, lb_glbSamplers),
                       "{\"magFilter\":9729,\"minFilter\":9987,\"wrapS\":10497,\"wrapT\":10497}");
    }
    int view = lb_glb_add_view(glb, data, size, lb_glbPlain);
    lb_rtext_print(lb_glb_add_item(glb, lb_glbImages), "{\"bufferView\":%d,\"mimeType\":\"%s\"}", view, type);
    lb_rtext_print(lb_glb_add_item(glb, lb_glbTextures), "{\"sampler\":0,\"source\":%d}",
                   glb->counts[lb_glbImages] - 1);
    int texture = glb->counts[lb_glbTextures] - 1;
    glb->failed = !LB_PUSH(glb->host, &glb->textures, ((lbGlbTexture){{data, size}, texture})) || glb->failed;
    return texture;
}

/* glTF holds these to 0 to 1; what is not a number becomes the fallback. */
static float unit(float value, float fallback) {
    return isnan(value) ? fallback : fminf(fmaxf(value, 0), 1);
}

int lb_glb_add_material(lbGlb* glb, const lbShapeMaterial* material) {
    int texture = lb_glb_add_texture(glb, material->texture, material->textureSize);
    float color[4];
    for (int k = 0; k < 4; ++k) {
        color[k] = unit(material->baseColor[k], 1);
    }
    lbText* text = lb_glb_add_item(glb, lb_glbMaterials);
    lb_rtext_print(text, "{");
    if (material->name != NULL && material->name[0] != 0) {
        lb_rtext_print(text, "\"name\":");
        lb_rtext_json_string(text, material->name);
        lb_rtext_print(text, ",");
    }
    /* Surfaces may be open, so both sides are seen. */
    lb_rtext_print(text, "\"doubleSided\":true,%s\"pbrMetallicRoughness\":{\"baseColorFactor\":",
                   color[3] < 1 ? "\"alphaMode\":\"BLEND\"," : "");
    lb_rtext_numbers(text, color, 4);
    lb_rtext_print(text, ",\"metallicFactor\":");
    lb_rtext_number(text, (double)unit(material->metallic, 0));
    lb_rtext_print(text, ",\"roughnessFactor\":");
    lb_rtext_number(text, (double)unit(material->roughness, 1));
    if (texture >= 0) {
        lb_rtext_print(text, ",\"baseColorTexture\":{\"index\":%d}", texture);
    }
    lb_rtext_print(text, "}}");
    return glb->counts[lb_glbMaterials] - 1;
}

/* The whole JSON chunk, without padding. */
static void write_json(const lbGlb* glb, lbText* json) {
    lb_rtext_print(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"limber %s\"},\n\"scene\":0,", lbGetVersion());
    lb_rtext_print(json, "\"scenes\":[{\"nodes\":[");
    for (int i = 0; i < glb->counts[lb_glbNodes]; ++i) {
        lb_rtext_print(json, i > 0 ? ",%d" : "%d", i);
    }
    lb_rtext_print(json, "]}],\n\"buffers\":[{\"byteLength\":%llu}]", (unsigned long long)glb->binarySize);
    for (int i = 0; i < lb_glbSectionCount; ++i) {
        if (glb->counts[i] > 0) {
            const lbText* section = &glb->sections[i];
            json->failed = json->failed || section->failed;
            lb_rtext_print(json, ",\n\"%s\":[%.*s]", sectionNames[i], section->characters.count,
                           section->characters.data);
        }
    }
    lb_rtext_print(json, "}");
    for (size_t i = padding((uint64_t)json->characters.count); i > 0; --i) {
        lb_rtext_print(json, " ");
    }
}

static void write_words(lbFile* file, const uint32_t* words, int count) {
    lb_write(file, words, (size_t)count * sizeof(uint32_t));
}

lbResult lb_glb_write(const lbGlb* glb, lbFile* file) {
    lbText json = {.host = glb->host};
    write_json(glb, &json);
    uint64_t jsonSize = (uint64_t)json.characters.count, total = 12 + 8 + jsonSize + 8 + glb->binarySize;
    lbResult result = lb_success();
    if (json.failed || glb->failed) {
        result = lb_out_of_memory("a glTF file");
    } else if (total > UINT32_MAX) {
        result = lb_error(lb_errorUnsupported, "%s: would be %.1f GB; a .glb file cannot be above 4 GB", file->path,
                          (double)total / 1e9);
    } else {
        write_words(file, (uint32_t[]){0x46546c67, 2, (uint32_t)total}, 3); /* "glTF", version, size */
        write_words(file, (uint32_t[]){(uint32_t)jsonSize, 0x4e4f534a}, 2); /* "JSON" */
        lb_write(file, json.characters.data, (size_t)jsonSize);
        write_words(file, (uint32_t[]){(uint32_t)glb->binarySize, 0x004e4942}, 2); /* "BIN" and a zero */
        for (int i = 0; i < glb->pieces.count; ++i) {
            static const char zeros[4] = {0};
            lb_write(file, glb->pieces.data[i].data, glb->pieces.data[i].size);
            lb_write(file, zeros, padding(glb->pieces.data[i].size));
        }
    }
    lb_rtext_free(&json);
    return result;
}
