#include "shape/gltf.h"

#include "base/file.h"
#include "base/math.h"
#include "base/result.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "glTF is written in the machine's byte order");

static const char* const listNames[lb_gltfListCount] = {"bufferViews", "accessors", "images", "textures",
                                                        "materials",   "meshes",    "nodes",  "animations"};

void lb_gltf_begin(lbGltf* gltf, const lbHost* host) {
    *gltf = (lbGltf){.host = host};
    for (int i = 0; i < lb_gltfListCount; ++i) {
        gltf->lists[i].host = host;
    }
    gltf->roots.host = gltf->extensions.host = gltf->data.host = host;
}

void lb_gltf_free(lbGltf* gltf) {
    for (int i = 0; i < lb_gltfListCount; ++i) {
        lb_free_text(&gltf->lists[i]);
    }
    lb_free_text(&gltf->roots);
    lb_free_text(&gltf->extensions);
    lb_free_text(&gltf->data);
}

int lb_gltf_add_item(lbGltf* gltf, lbGltfList list, lbText** text) {
    *text = &gltf->lists[list];
    if (gltf->counts[list] > 0) {
        lb_text_print(*text, ",\n");
    }
    return gltf->counts[list]++;
}

void lb_gltf_require_extension(lbGltf* gltf, const char* name) {
    lb_text_print(&gltf->extensions, gltf->extensions.size > 0 ? "," : "");
    lb_text_json_string(&gltf->extensions, name);
}

/* ---- arrays ---------------------------------------------------------------------------------------------------------
 */

static int component_size(int type) {
    return type == LB_GLTF_INT8 || type == LB_GLTF_UINT8 ? 1 : type == LB_GLTF_INT16 || type == LB_GLTF_UINT16 ? 2 : 4;
}

static double component(const lbGltfArray* array, int index, int k) {
    int size = component_size(array->type);
    size_t stride = (size_t)(array->stride > 0 ? array->stride : size * array->components);
    const unsigned char* at = (const unsigned char*)array->data + (size_t)index * stride + (size_t)(k * size);
    int16_t i16;
    uint16_t u16;
    uint32_t u32;
    float f32;
    switch (array->type) {
    case LB_GLTF_INT8:
        return (int8_t)*at;
    case LB_GLTF_UINT8:
        return *at;
    case LB_GLTF_INT16:
        memcpy(&i16, at, sizeof(i16));
        return i16;
    case LB_GLTF_UINT16:
        memcpy(&u16, at, sizeof(u16));
        return u16;
    case LB_GLTF_UINT32:
        memcpy(&u32, at, sizeof(u32));
        return u32;
    default:
        memcpy(&f32, at, sizeof(f32));
        return (double)f32;
    }
}

static void put_bounds(lbText* text, const lbGltfArray* array, bool largest) {
    lb_text_print(text, largest ? ",\"max\":[" : ",\"min\":[");
    for (int k = 0; k < array->components; ++k) {
        double bound = component(array, 0, k);
        for (int i = 1; i < array->count; ++i) {
            double value = component(array, i, k);
            bound = largest == (value > bound) ? value : bound;
        }
        lb_text_print(text, k > 0 ? "," : "");
        lb_text_number(text, bound, 10);
    }
    lb_text_print(text, "]");
}

/* Appends to the binary part at a multiple of four bytes. */
static int add_view(lbGltf* gltf, const void* data, size_t size, int stride, int target) {
    static const char zeros[4] = {0};
    lb_text_add(&gltf->data, zeros, (4 - gltf->data.size % 4) % 4);
    lbText* text;
    int view = lb_gltf_add_item(gltf, lb_gltfBufferViews, &text);
    lb_text_print(text, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", gltf->data.size, size);
    if (stride > 0) {
        lb_text_print(text, ",\"byteStride\":%d", stride);
    }
    if (target != LB_GLTF_NO_TARGET) {
        lb_text_print(text, ",\"target\":%d", target);
    }
    lb_text_print(text, "}");
    lb_text_add(&gltf->data, data, size);
    return view;
}

int lb_gltf_add_array(lbGltf* gltf, const lbGltfArray* array) {
    static const char* const typeNames[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
    size_t packed = (size_t)(component_size(array->type) * array->components);
    size_t size = (size_t)array->count * (array->stride > 0 ? (size_t)array->stride : packed);
    int view = add_view(gltf, array->data, size, array->stride, array->target);
    lbText* text;
    int accessor = lb_gltf_add_item(gltf, lb_gltfAccessors, &text);
    lb_text_print(text, "{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"%s\"", view, array->type,
                  array->count, typeNames[array->components - 1]);
    if (array->normalized) {
        lb_text_print(text, ",\"normalized\":true");
    }
    if (array->bounds && array->count > 0) {
        put_bounds(text, array, false);
        put_bounds(text, array, true);
    }
    lb_text_print(text, "}");
    return accessor;
}

/* ---- nodes and the file ---------------------------------------------------------------------------------------------
 */

int lb_gltf_add_node(lbGltf* gltf, const char* name, int mesh) {
    lbText* text;
    int node = lb_gltf_add_item(gltf, lb_gltfNodes, &text);
    lb_text_print(text, "{\"name\":");
    lb_text_json_string(text, name);
    lb_text_print(text, ",\"mesh\":%d}", mesh);
    lb_text_print(&gltf->roots, gltf->roots.size > 0 ? ",%d" : "%d", node);
    return node;
}

int lb_gltf_add_image(lbGltf* gltf, const char* name, const unsigned char* bytes, size_t size, const char* mediaType) {
    int view = add_view(gltf, bytes, size, 0, LB_GLTF_NO_TARGET);
    lbText* text;
    int image = lb_gltf_add_item(gltf, lb_gltfImages, &text);
    lb_text_print(text, "{\"bufferView\":%d,\"mimeType\":\"%s\",\"name\":", view, mediaType);
    lb_text_json_string(text, name);
    lb_text_print(text, "}");
    return image;
}

static void put_list(lbText* json, const char* name, const lbText* items) {
    if (items->size > 0) {
        lb_text_print(json, ",\n\"%s\":[", name);
        lb_text_add(json, items->data, items->size);
        lb_text_print(json, "]");
    }
    json->failed = json->failed || items->failed;
}

static void put_json(const lbGltf* gltf, lbText* json) {
    lb_text_print(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"limber %s\"},\n\"scene\":0", lbGetVersion());
    lb_text_print(json, ",\n\"scenes\":[{\"nodes\":[%.*s]}]", (int)gltf->roots.size,
                  gltf->roots.data != NULL ? gltf->roots.data : "");
    put_list(json, "extensionsUsed", &gltf->extensions);
    put_list(json, "extensionsRequired", &gltf->extensions);
    for (int i = 0; i < lb_gltfListCount; ++i) {
        put_list(json, listNames[i], &gltf->lists[i]);
    }
    if (gltf->data.size > 0) {
        lb_text_print(json, ",\n\"buffers\":[{\"byteLength\":%zu}]", gltf->data.size);
    }
    lb_text_print(json, "}");
    lb_text_add(json, "   ", (4 - json->size % 4) % 4);
    json->failed = json->failed || gltf->data.failed || gltf->roots.failed;
}

static void write_chunk(lbFile* file, const char* kind, const lbText* text) {
    static const char zeros[4] = {0};
    size_t padding = (4 - text->size % 4) % 4;
    uint32_t length = (uint32_t)(text->size + padding);
    lb_write(file, &length, 4);
    lb_write(file, kind, 4);
    lb_write(file, text->data, text->size);
    lb_write(file, zeros, padding);
}

static lbResult write_glb(const lbGltf* gltf, const lbText* json, const char* path) {
    uint64_t total = 12 + 8 + (uint64_t)json->size + 8 + (gltf->data.size + 3) / 4 * 4;
    if (total > UINT32_MAX) {
        return lb_error(lb_errorUnsupported, "%s: a GLB file holds at most 4 GiB; this one would have %llu bytes", path,
                        (unsigned long long)total);
    }
    lbFile file;
    LB_TRY(lb_open_file(gltf->host, path, &file));
    uint32_t header[2] = {2, (uint32_t)total};
    lb_write(&file, "glTF", 4);
    lb_write(&file, header, sizeof(header));
    write_chunk(&file, "JSON", json);
    write_chunk(&file, "BIN\0", &gltf->data);
    return lb_commit_file(&file);
}

lbResult lb_gltf_save(lbGltf* gltf, const char* path) {
    lbText json = {.host = gltf->host};
    put_json(gltf, &json);
    lbResult result = json.failed ? lb_error(lb_errorMemory, "%s: out of memory for a glTF file", path)
                                  : write_glb(gltf, &json, path);
    lb_free_text(&json);
    return result;
}
