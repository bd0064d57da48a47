#include "shape/files/gltf.h"

#include "base/result.h"
#include "shape/files/beside.h"

#include <assert.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "glTF is written in the machine's byte order");

static const char* const listNames[lb_gltfListCount] = {"nodes",  "meshes",     "materials", "textures",   "samplers",
                                                        "images", "animations", "accessors", "bufferViews"};

static size_t padding(uint64_t size) {
    return (size_t)((4 - size % 4) % 4);
}

void lb_gltf_begin(lbGltf* gltf, const lbHost* host) {
    *gltf = (lbGltf){.host = host, .roots.host = host};
    for (int i = 0; i < lb_gltfListCount; ++i) {
        gltf->lists[i].host = host;
    }
}

void lb_gltf_free(lbGltf* gltf) {
    for (int i = 0; i < lb_gltfListCount; ++i) {
        lb_text_free(&gltf->lists[i]);
    }
    lb_text_free(&gltf->roots);
    LB_FREE_ARRAY(gltf->host, &gltf->pieces);
    LB_FREE_ARRAY(gltf->host, &gltf->pictures);
}

int lb_gltf_add_item(lbGltf* gltf, lbGltfList list, lbText** text) {
    *text = &gltf->lists[list];
    lb_text_print(*text, gltf->counts[list] > 0 ? ",\n" : "\n");
    return gltf->counts[list]++;
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

/* Pieces are padded, so that each begins at a multiple of four bytes. */
static int add_view(lbGltf* gltf, const void* data, size_t size, lbGltfUse use) {
    lbText* text;
    int view = lb_gltf_add_item(gltf, lb_gltfBufferViews, &text);
    lb_text_print(text, "{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%zu", (unsigned long long)gltf->binarySize,
                  size);
    if (use != lb_gltfPlain) {
        lb_text_print(text, ",\"target\":%d", (int)use);
    }
    lb_text_print(text, "}");
    gltf->failed = !LB_PUSH(gltf->host, &gltf->pieces, ((lbGltfPiece){data, size})) || gltf->failed;
    gltf->binarySize += size + padding(size);
    return view;
}

static void put_bounds(lbText* text, const float* data, int64_t count, int width) {
    float lower[4], upper[4];
    memcpy(lower, data, (size_t)width * sizeof(float));
    memcpy(upper, data, (size_t)width * sizeof(float));
    for (int64_t i = 1; i < count; ++i) {
        for (int k = 0; k < width; ++k) {
            float value = data[i * width + k];
            lower[k] = value < lower[k] ? value : lower[k];
            upper[k] = value > upper[k] ? value : upper[k];
        }
    }
    lb_text_print(text, ",\"min\":[");
    lb_text_floats(text, lower, width, ",");
    lb_text_print(text, "],\"max\":[");
    lb_text_floats(text, upper, width, ",");
    lb_text_print(text, "]");
}

int lb_gltf_add_floats(lbGltf* gltf, const float* data, int64_t count, int width, lbGltfUse use, bool bounded) {
    static const char* const types[5] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    int view = add_view(gltf, data, (size_t)count * (size_t)width * sizeof(float), use);
    lbText* text;
    int accessor = lb_gltf_add_item(gltf, lb_gltfAccessors, &text);
    lb_text_print(text, "{\"bufferView\":%d,\"componentType\":5126,\"count\":%lld,\"type\":\"%s\"", view,
                  (long long)count, types[width]);
    if (bounded) {
        put_bounds(text, data, count, width);
    }
    lb_text_print(text, "}");
    return accessor;
}

int lb_gltf_add_indices(lbGltf* gltf, const void* data, int64_t count, int size) {
    int view = add_view(gltf, data, (size_t)count * (size_t)size, lb_gltfIndices);
    lbText* text;
    int accessor = lb_gltf_add_item(gltf, lb_gltfAccessors, &text);
    lb_text_print(text, "{\"bufferView\":%d,\"componentType\":%d,\"count\":%lld,\"type\":\"SCALAR\"}", view,
                  size == 2 ? 5123 : 5125, (long long)count);
    return accessor;
}

/* ---- Textures and nodes ------------------------------------------------------------------------------------------ */

static int add_image(lbGltf* gltf, const lbGltfPicture* picture, const char* mediaType) {
    int view = add_view(gltf, picture->piece.data, picture->piece.size, lb_gltfPlain);
    lbText* text;
    int image = lb_gltf_add_item(gltf, lb_gltfImages, &text);
    lb_text_print(text, "{\"bufferView\":%d,\"mimeType\":\"%s\"", view, mediaType);
    if (picture->name[0] != 0) {
        lb_text_print(text, ",\"name\":");
        lb_text_json_string(text, picture->name);
    }
    lb_text_print(text, "}");
    return image;
}

int lb_gltf_add_texture(lbGltf* gltf, const unsigned char* bytes, size_t size, const char* name) {
    const char* kind = bytes != NULL ? lb_picture_extension(bytes, size) : NULL;
    if (kind == NULL) {
        return -1;
    }
    lbGltfPicture picture = {.piece = {bytes, size}, .name = name != NULL ? name : ""};
    for (int i = 0; i < gltf->pictures.count; ++i) {
        const lbGltfPicture* known = &gltf->pictures.data[i];
        if (known->piece.size == size && strcmp(known->name, picture.name) == 0 &&
            memcmp(known->piece.data, bytes, size) == 0) {
            return known->texture;
        }
    }
    lbText* text;
    if (gltf->counts[lb_gltfSamplers] == 0) { /* smooth and repeating, for all */
        lb_gltf_add_item(gltf, lb_gltfSamplers, &text);
        lb_text_print(text, "{\"magFilter\":9729,\"minFilter\":9987,\"wrapS\":10497,\"wrapT\":10497}");
    }
    int image = add_image(gltf, &picture, strcmp(kind, ".png") == 0 ? "image/png" : "image/jpeg");
    picture.texture = lb_gltf_add_item(gltf, lb_gltfTextures, &text);
    lb_text_print(text, "{\"sampler\":0,\"source\":%d}", image);
    gltf->failed = !LB_PUSH(gltf->host, &gltf->pictures, picture) || gltf->failed;
    return picture.texture;
}

int lb_gltf_add_node(lbGltf* gltf, const char* name, int mesh, const float* translation) {
    lbText* text;
    int node = lb_gltf_add_item(gltf, lb_gltfNodes, &text);
    lb_text_print(text, "{\"name\":");
    lb_text_json_string(text, name);
    lb_text_print(text, ",\"mesh\":%d", mesh);
    if (translation != NULL) {
        lb_text_print(text, ",\"translation\":[");
        lb_text_floats(text, translation, 3, ",");
        lb_text_print(text, "]");
    }
    lb_text_print(text, "}");
    lb_text_print(&gltf->roots, gltf->roots.size > 0 ? ",%d" : "%d", node);
    return node;
}

/* ---- The file ---------------------------------------------------------------------------------------------------- */

/* The whole JSON chunk, with its padding. */
static void put_json(const lbGltf* gltf, lbText* json) {
    lb_text_print(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"limber %s\"},\n\"scene\":0", lbGetVersion());
    lb_text_print(json, ",\n\"scenes\":[{\"nodes\":[");
    lb_text_add_text(json, &gltf->roots);
    lb_text_print(json, "]}],\n\"buffers\":[{\"byteLength\":%llu}]", (unsigned long long)gltf->binarySize);
    for (int i = 0; i < lb_gltfListCount; ++i) {
        if (gltf->counts[i] > 0) {
            lb_text_print(json, ",\n\"%s\":[", listNames[i]);
            lb_text_add_text(json, &gltf->lists[i]);
            lb_text_print(json, "]");
        }
    }
    lb_text_print(json, "}");
    lb_text_add(json, "   ", padding(json->size));
    json->failed = json->failed || gltf->failed;
}

static void write_words(lbFile* file, const uint32_t* words, int count) {
    lb_write(file, words, (size_t)count * sizeof(uint32_t));
}

static lbResult write_chunks(const lbGltf* gltf, const lbText* json, lbFile* file) {
    uint64_t total = 12 + 8 + (uint64_t)json->size + 8 + gltf->binarySize;
    if (total > UINT32_MAX) {
        return lb_error(lb_errorUnsupported, "%s: would be %.1f GB; a .glb file cannot be above 4 GB", file->path,
                        (double)total / 1e9);
    }
    write_words(file, (uint32_t[]){0x46546c67, 2, (uint32_t)total}, 3);   /* "glTF", version, size */
    write_words(file, (uint32_t[]){(uint32_t)json->size, 0x4e4f534a}, 2); /* "JSON" */
    lb_write(file, json->data, json->size);
    write_words(file, (uint32_t[]){(uint32_t)gltf->binarySize, 0x004e4942}, 2); /* "BIN" and a zero */
    for (int i = 0; i < gltf->pieces.count; ++i) {
        static const char zeros[4] = {0};
        lb_write(file, gltf->pieces.data[i].data, gltf->pieces.data[i].size);
        lb_write(file, zeros, padding(gltf->pieces.data[i].size));
    }
    return lb_success();
}

lbResult lb_gltf_write(const lbGltf* gltf, lbFile* file) {
    lbText json = {.host = gltf->host};
    put_json(gltf, &json);
    lbResult result = json.failed ? lb_out_of_memory("a glTF file") : write_chunks(gltf, &json, file);
    lb_text_free(&json);
    return result;
}

lbResult lb_gltf_save(const lbGltf* gltf, const char* path) {
    lbFile file;
    LB_TRY(lb_open_file(gltf->host, path, &file));
    lbResult result = lb_gltf_write(gltf, &file);
    if (result.code == lb_ok) {
        return lb_commit_file(&file);
    }
    lb_discard_file(&file);
    return result;
}
