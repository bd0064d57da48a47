/* Reads a recording's GLB file back, for tests only: by Jansson, and only what limber writes (float accessors that lie
 * tightly in their view). Independent of the code that writes. */
#ifndef LIMBER_TEST_GLB_READER_H
#define LIMBER_TEST_GLB_READER_H

#include "test.h"

#include <jansson.h>
#include <math.h>

typedef struct Glb {
    unsigned char* file;
    size_t size;
    json_t* root;
    const unsigned char* binary;
    size_t binarySize;
} Glb;

typedef struct Numbers {
    const float* data;
    int64_t count; /* of vectors */
    int width;
} Numbers;

static inline uint32_t glb_word(const Glb* glb, size_t offset) {
    uint32_t word = 0;
    if (offset + 4 <= glb->size) {
        memcpy(&word, glb->file + offset, 4);
    }
    return word;
}

/* Checks the container too: magic, version, sizes, alignment, padding. */
static inline bool glb_open(const char* path, Glb* glb) {
    *glb = (Glb){0};
    FILE* stream = fopen(path, "rb");
    if (stream == NULL) {
        return false;
    }
    fseek(stream, 0, SEEK_END);
    glb->size = (size_t)ftell(stream);
    rewind(stream);
    glb->file = malloc(glb->size);
    bool complete = fread(glb->file, 1, glb->size, stream) == glb->size;
    fclose(stream);
    size_t jsonSize = glb_word(glb, 12);
    CHECK(complete && glb_word(glb, 0) == 0x46546c67 && glb_word(glb, 4) == 2 && glb_word(glb, 8) == glb->size);
    CHECK(glb_word(glb, 16) == 0x4e4f534a && jsonSize % 4 == 0 && 28 + jsonSize <= glb->size);
    glb->binarySize = glb_word(glb, 20 + jsonSize);
    CHECK(glb_word(glb, 24 + jsonSize) == 0x004e4942 && 28 + jsonSize + glb->binarySize == glb->size);
    glb->binary = glb->file + 28 + jsonSize;
    json_error_t error;
    glb->root = json_loadb((const char*)glb->file + 20, jsonSize, JSON_REJECT_DUPLICATES, &error);
    if (glb->root == NULL) {
        printf("    %s: JSON line %d: %s\n", path, error.line, error.text);
    }
    CHECK(glb->root != NULL);
    return glb->root != NULL;
}

static inline void glb_close(Glb* glb) {
    json_decref(glb->root);
    free(glb->file);
    *glb = (Glb){0};
}

static inline json_t* glb_item(const Glb* glb, const char* section, int index) {
    return json_array_get(json_object_get(glb->root, section), (size_t)index);
}

static inline int glb_count(const Glb* glb, const char* section) {
    return (int)json_array_size(json_object_get(glb->root, section));
}

static inline int glb_index(const json_t* object, const char* key) {
    const json_t* value = json_object_get(object, key);
    return json_is_integer(value) ? (int)json_integer_value(value) : -1;
}

static inline const unsigned char* glb_view(const Glb* glb, int view, size_t* size) {
    const json_t* found = glb_item(glb, "bufferViews", view);
    size_t offset = (size_t)json_integer_value(json_object_get(found, "byteOffset"));
    *size = (size_t)json_integer_value(json_object_get(found, "byteLength"));
    CHECK(found != NULL && offset % 4 == 0 && offset + *size <= glb->binarySize);
    return glb->binary + offset;
}

static inline Numbers glb_floats(const Glb* glb, int accessor) {
    const json_t* found = glb_item(glb, "accessors", accessor);
    const char* type = json_string_value(json_object_get(found, "type"));
    CHECK(found != NULL && glb_index(found, "componentType") == 5126 && type != NULL);
    if (found == NULL || type == NULL) {
        return (Numbers){0};
    }
    size_t size;
    Numbers numbers = {.width = strcmp(type, "SCALAR") == 0 ? 1 : type[3] - '0', .count = glb_index(found, "count")};
    numbers.data = (const float*)(const void*)glb_view(glb, glb_index(found, "bufferView"), &size);
    CHECK(size == (size_t)numbers.count * (size_t)numbers.width * sizeof(float));
    return numbers;
}

/* The indices of an accessor, of 16 or 32 bits each. */
typedef struct Indices {
    const unsigned char* data;
    size_t size; /* bytes of one */
    int64_t count;
} Indices;

static inline Indices glb_indices(const Glb* glb, int accessor) {
    const json_t* found = glb_item(glb, "accessors", accessor);
    int type = glb_index(found, "componentType");
    CHECK(type == 5123 || type == 5125);
    Indices indices = {.size = type == 5123 ? 2 : 4, .count = glb_index(found, "count")};
    size_t size;
    indices.data = glb_view(glb, glb_index(found, "bufferView"), &size);
    CHECK(size == (size_t)indices.count * indices.size);
    return indices;
}

static inline uint32_t glb_index_at(const Indices* indices, int64_t place) {
    uint32_t index = 0;
    CHECK(place < indices->count);
    memcpy(&index, indices->data + (size_t)place * indices->size, indices->size);
    return index;
}

/* The output of the animation's channel for a node; count 0 if it has none. `times` may be NULL. */
static inline Numbers glb_channel(const Glb* glb, int node, const char* what, Numbers* times) {
    const json_t* animation = glb_item(glb, "animations", 0);
    size_t index;
    const json_t* channel;
    json_array_foreach(json_object_get(animation, "channels"), index, channel) {
        const json_t* target = json_object_get(channel, "target");
        if (glb_index(target, "node") == node &&
            strcmp(json_string_value(json_object_get(target, "path")), what) == 0) {
            const json_t* sampler =
                json_array_get(json_object_get(animation, "samplers"), (size_t)glb_index(channel, "sampler"));
            if (times != NULL) {
                *times = glb_floats(glb, glb_index(sampler, "input"));
            }
            return glb_floats(glb, glb_index(sampler, "output"));
        }
    }
    return (Numbers){0};
}

static inline json_t* glb_primitive(const Glb* glb, int node, int primitive) {
    json_t* mesh = glb_item(glb, "meshes", glb_index(glb_item(glb, "nodes", node), "mesh"));
    return json_array_get(json_object_get(mesh, "primitives"), (size_t)primitive);
}

static inline Numbers glb_attribute(const Glb* glb, int node, const char* name) {
    const json_t* attributes = json_object_get(glb_primitive(glb, node, 0), "attributes");
    return glb_floats(glb, glb_index(attributes, name));
}

static inline int glb_target_count(const Glb* glb, int node) {
    return (int)json_array_size(json_object_get(glb_primitive(glb, node, 0), "targets"));
}

/* An attribute ("POSITION" or "NORMAL") morphed by a frame's weights, then rotated (and for positions moved) by its
 * node. In double, from the floats in the file. out (vertices x 3) */
static inline int64_t glb_evaluate(const Glb* glb, int node, int frame, const char* name, double* out) {
    Numbers base = glb_attribute(glb, node, name);
    Numbers weights = glb_channel(glb, node, "weights", NULL);
    Numbers rotations = glb_channel(glb, node, "rotation", NULL);
    Numbers moves = glb_channel(glb, node, "translation", NULL);
    const json_t* targets = json_object_get(glb_primitive(glb, node, 0), "targets");
    const json_t* still = json_object_get(glb_item(glb, "nodes", node), "translation");
    int targetCount = glb_target_count(glb, node);
    for (int64_t i = 0; i < 3 * base.count; ++i) {
        out[i] = (double)base.data[i];
    }
    for (int k = 0; k < targetCount; ++k) {
        Numbers target = glb_floats(glb, glb_index(json_array_get(targets, (size_t)k), name));
        double weight = (double)weights.data[(int64_t)frame * targetCount + k];
        for (int64_t i = 0; i < 3 * base.count; ++i) {
            out[i] += weight * (double)target.data[i];
        }
    }
    double q[4] = {0, 0, 0, 1}, t[3];
    for (int k = 0; k < 4 && rotations.count > 0; ++k) {
        q[k] = (double)rotations.data[4 * (int64_t)frame + k];
    }
    for (int k = 0; k < 3; ++k) {
        t[k] = moves.count > 0 ? (double)moves.data[3 * (int64_t)frame + k]
                               : json_number_value(json_array_get(still, (size_t)k));
        t[k] = strcmp(name, "POSITION") == 0 ? t[k] : 0;
    }
    for (int64_t i = 0; i < base.count; ++i) {
        double* p = out + 3 * i;
        double c[3] = {2 * (q[1] * p[2] - q[2] * p[1]), 2 * (q[2] * p[0] - q[0] * p[2]),
                       2 * (q[0] * p[1] - q[1] * p[0])};
        double turned[3] = {p[0] + q[3] * c[0] + q[1] * c[2] - q[2] * c[1],
                            p[1] + q[3] * c[1] + q[2] * c[0] - q[0] * c[2],
                            p[2] + q[3] * c[2] + q[0] * c[1] - q[1] * c[0]};
        for (int k = 0; k < 3; ++k) {
            p[k] = turned[k] + t[k];
        }
    }
    return base.count;
}

#endif
