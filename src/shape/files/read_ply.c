/* PLY, as text and binary of both byte orders: points, colours, texture coordinates (of points or of corners),
 * polygons, strips of triangles. Elements and properties of other names are stepped over. */
#include "base/result.h"
#include "base/text.h"
#include "shape/files/beside.h"
#include "shape/files/ply_reader.h"
#include "shape/files/srgb.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static int64_t bytes_left(const lbPlyReader* reader) {
    return reader->scan.end - reader->scan.at;
}

lbResult lb_ply_out_of_memory(const lbPlyReader* reader) {
    return lb_error(lb_errorMemory, "%s: out of memory", reader->source->path);
}

lbResult lb_ply_error(const lbPlyReader* reader, const char* what) {
    const char* element = reader->element->name;
    long long item = (long long)reader->item;
    if (lb_ply_is_text(reader)) {
        return lb_error(lb_errorFormat, "%s:%d: %s %lld: %s", reader->source->path, reader->scan.line, element, item,
                        what);
    }
    long long byte = (long long)(reader->scan.at - (const char*)reader->source->bytes);
    return lb_error(lb_errorFormat, "%s: byte %lld: %s %lld: %s", reader->source->path, byte, element, item, what);
}

/* ---- single values ----------------------------------------------------------------------------------------------- */

static uint64_t read_bits(lbPlyReader* reader, int size) {
    uint64_t bits = 0;
    for (int i = 0; i < size; ++i) {
        int shift = 8 * (reader->header.format == lb_plyLittleEndian ? i : size - 1 - i);
        bits |= (uint64_t)(unsigned char)reader->scan.at[i] << shift;
    }
    reader->scan.at += size;
    return bits;
}

static double value_of_bits(uint64_t bits, lbPlyType type) {
    float single;
    double value;
    uint32_t low = (uint32_t)bits;
    switch (type) {
    case lb_plyInt8:
        return (int8_t)bits;
    case lb_plyInt16:
        return (int16_t)bits;
    case lb_plyInt32:
        return (int32_t)low;
    case lb_plyFloat32:
        memcpy(&single, &low, sizeof(single));
        return (double)single;
    case lb_plyFloat64:
        memcpy(&value, &bits, sizeof(value));
        return value;
    default:
        return (double)bits;
    }
}

bool lb_ply_value(lbPlyReader* reader, lbPlyType type, double* value) {
    if (lb_ply_is_text(reader)) {
        lb_skip_space(&reader->scan);
        return lb_scan_number(&reader->scan, value);
    }
    int size = lb_ply_type_size(type);
    if (bytes_left(reader) < size) {
        return false;
    }
    *value = value_of_bits(read_bits(reader, size), type);
    return true;
}

lbResult lb_ply_value_error(const lbPlyReader* reader, const lbPlyProperty* property) {
    if (lb_ply_is_text(reader)) {
        lbResult words = lb_error(lb_errorFormat, "a number for '%s' of %s %lld", property->name, reader->element->name,
                                  (long long)reader->item);
        return lb_scan_error(&reader->scan, reader->source->path, words.message);
    }
    lbResult words = lb_error(lb_errorFormat, "expected property '%s', found the end of the file", property->name);
    return lb_ply_error(reader, words.message);
}

lbResult lb_ply_length(lbPlyReader* reader, const lbPlyProperty* property, int64_t* length) {
    double value = 0;
    if (!lb_ply_value(reader, property->countType, &value)) {
        return lb_ply_value_error(reader, property);
    }
    /* in text each value takes a digit and a blank */
    int64_t room =
        lb_ply_is_text(reader) ? (bytes_left(reader) + 1) / 2 : bytes_left(reader) / lb_ply_type_size(property->type);
    if (!(value >= 0) || value != floor(value) || value > (double)room) {
        lbResult words = lb_error(lb_errorFormat,
                                  "the list '%s' says it has %.0f values, but the rest of the file holds at most %lld",
                                  property->name, value, (long long)room);
        return lb_ply_error(reader, words.message);
    }
    *length = (int64_t)value;
    return lb_success();
}

lbResult lb_ply_skip(lbPlyReader* reader, const lbPlyProperty* property) {
    int64_t length = 1;
    double value = 0;
    if (property->countType != lb_plyNone) {
        LB_TRY(lb_ply_length(reader, property, &length));
    }
    for (int64_t i = 0; i < length; ++i) {
        if (!lb_ply_value(reader, property->type, &value)) {
            return lb_ply_value_error(reader, property);
        }
    }
    return lb_success();
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

static lbPlyRole point_role(const lbPlyProperty* property) {
    static const struct {
        const char* name;
        lbPlyRole role;
    } names[] = {
        {"x", lb_plyX},         {"y", lb_plyY},         {"z", lb_plyZ},         {"red", lb_plyRed},
        {"green", lb_plyGreen}, {"blue", lb_plyBlue},   {"alpha", lb_plyAlpha}, {"diffuse_red", lb_plyRed},
        {"r", lb_plyRed},       {"g", lb_plyGreen},     {"b", lb_plyBlue},      {"diffuse_green", lb_plyGreen},
        {"s", lb_plyU},         {"t", lb_plyV},         {"u", lb_plyU},         {"diffuse_blue", lb_plyBlue},
        {"v", lb_plyV},         {"texture_u", lb_plyU}, {"texture_v", lb_plyV},
    };
    for (size_t i = 0; property->countType == lb_plyNone && i < sizeof(names) / sizeof(names[0]); ++i) {
        if (strcmp(property->name, names[i].name) == 0) {
            return names[i].role;
        }
    }
    return lb_plyIgnored;
}

/* From 0 to 1; colours in integers are as a screen takes them, those in floats are linear. */
static double color_share(double value, lbPlyType type, bool isAlpha) {
    double largest = type == lb_plyUint8 ? 255 : type == lb_plyUint16 ? 65535 : type >= lb_plyFloat32 ? 1 : 255;
    double share = clamp_to_unit(value / largest);
    return isAlpha || type >= lb_plyFloat32 ? share : linear_from_srgb(share);
}

static lbResult read_point(lbPlyReader* reader, const lbPlyRole* roles, const bool* present) {
    double values[lb_plyRoleCount] = {[lb_plyAlpha] = 1};
    const lbPlyProperty* properties = reader->header.properties.data + reader->element->firstProperty;
    for (int i = 0; i < reader->element->propertyCount; ++i) {
        const lbPlyProperty* property = &properties[i];
        lbPlyRole role = roles[i];
        if (role == lb_plyIgnored) {
            LB_TRY(lb_ply_skip(reader, property));
            continue;
        }
        if (!lb_ply_value(reader, property->type, &values[role])) {
            return lb_ply_value_error(reader, property);
        }
        if (role >= lb_plyRed && role <= lb_plyAlpha) {
            values[role] = color_share(values[role], property->type, role == lb_plyAlpha);
        } else if (!isfinite((float)values[role])) {
            lbResult words = lb_error(lb_errorFormat, "'%s' is not a finite number", property->name);
            return lb_ply_error(reader, words.message);
        }
    }
    lbSurfaceBuilder* surface = &reader->surface;
    bool ok = lb_add_point(surface, (float)values[lb_plyX], (float)values[lb_plyY], (float)values[lb_plyZ]);
    if (ok && present[lb_plyRed] && present[lb_plyGreen] && present[lb_plyBlue]) {
        ok = lb_set_color(surface, values[lb_plyRed], values[lb_plyGreen], values[lb_plyBlue], values[lb_plyAlpha]);
    }
    if (ok && reader->pointsHaveCoords) {
        ok = lb_add_texture_coord(surface, (float)values[lb_plyU], (float)values[lb_plyV]);
    }
    return ok ? lb_success() : lb_ply_out_of_memory(reader);
}

static lbResult read_points(lbPlyReader* reader, lbPlyRole* roles) {
    bool present[lb_plyIgnored + 1] = {false};
    for (int i = 0; i < reader->element->propertyCount; ++i) {
        roles[i] = point_role(&reader->header.properties.data[reader->element->firstProperty + i]);
        present[roles[i]] = true;
    }
    if (!present[lb_plyX] || !present[lb_plyY] || !present[lb_plyZ]) {
        return lb_error(lb_errorFormat, "%s: expected the properties x, y and z of element 'vertex' in the header",
                        reader->source->path);
    }
    if (reader->surface.points.count > 0) {
        return lb_error(lb_errorFormat, "%s: expected one element 'vertex', found two", reader->source->path);
    }
    reader->pointsHaveCoords = present[lb_plyU] && present[lb_plyV];
    for (reader->item = 0; reader->item < reader->element->count; ++reader->item) {
        LB_TRY(read_point(reader, roles, present));
    }
    return lb_success();
}

/* ---- the whole file ---------------------------------------------------------------------------------------------- */

static lbResult skip_element(lbPlyReader* reader) {
    for (reader->item = 0; reader->item < reader->element->count; ++reader->item) {
        for (int i = 0; i < reader->element->propertyCount; ++i) {
            LB_TRY(lb_ply_skip(reader, &reader->header.properties.data[reader->element->firstProperty + i]));
        }
    }
    return lb_success();
}

/* Whether the rest of the file can hold the element at all: a header may claim anything. */
static lbResult check_element_size(const lbPlyReader* reader) {
    const lbPlyElement* element = reader->element;
    int64_t least = 0;
    for (int i = 0; i < element->propertyCount; ++i) {
        const lbPlyProperty* property = &reader->header.properties.data[element->firstProperty + i];
        lbPlyType first = property->countType != lb_plyNone ? property->countType : property->type;
        least += lb_ply_is_text(reader) ? 2 : lb_ply_type_size(first);
    }
    int64_t room = bytes_left(reader) + (lb_ply_is_text(reader) ? 1 : 0); /* no line end behind the last value */
    if (element->count > room / least) {
        return lb_error(lb_errorFormat,
                        "%s: the header says %lld of element '%s', which take at least %lld bytes each, but only %lld "
                        "bytes are left",
                        reader->source->path, (long long)element->count, element->name, (long long)least,
                        (long long)bytes_left(reader));
    }
    return lb_success();
}

static lbResult read_element(lbPlyReader* reader) {
    if (reader->element->propertyCount == 0) {
        return lb_success();
    }
    LB_TRY(check_element_size(reader));
    static const struct {
        const char* name;
        lbResult (*read)(lbPlyReader* reader, lbPlyRole* roles);
    } kinds[] = {{"vertex", read_points},
                 {"face", lb_read_ply_faces},
                 {"tristrips", lb_read_ply_strips},
                 {"tristrip", lb_read_ply_strips}};
    size_t kindCount = sizeof(kinds) / sizeof(kinds[0]), kind = 0;
    while (kind < kindCount && strcmp(reader->element->name, kinds[kind].name) != 0) {
        ++kind;
    }
    if (kind == kindCount) {
        return skip_element(reader);
    }
    lbPlyRole* roles = LB_NEW(reader->source->host, lbPlyRole, reader->element->propertyCount);
    if (roles == NULL) {
        return lb_ply_out_of_memory(reader);
    }
    lbResult result = kinds[kind].read(reader, roles);
    lb_release(reader->source->host, roles);
    return result;
}

static lbResult add_textures(lbPlyReader* reader) {
    const lbHost* host = reader->source->host;
    for (int i = 0; i < reader->header.textureFiles.count; ++i) {
        lbWord file = reader->header.textureFiles.data[i];
        int number = lb_add_material(&reader->surface, file.text, file.length);
        char* path = number >= 0 ? lb_copy_text(host, file.text, file.length) : NULL;
        if (path == NULL) {
            return lb_ply_out_of_memory(reader);
        }
        lbShapeMaterial* material = &reader->surface.materials.data[number];
        lb_release(host, (void*)material->texturePath);
        material->texturePath = path;
        material->baseColor[0] = material->baseColor[1] = material->baseColor[2] = 1;
        if (!reader->source->alone) {
            lb_load_texture(host, reader->source->path, material);
        }
    }
    return lb_success();
}

static lbResult read_body(lbPlyReader* reader, lbShape** shape) {
    reader->surface.binary = !lb_ply_is_text(reader);
    reader->scan = reader->header.body;
    LB_TRY(add_textures(reader));
    for (int i = 0; i < reader->header.elements.count; ++i) {
        reader->element = &reader->header.elements.data[i];
        LB_TRY(read_element(reader));
    }
    return lb_finish_surface(&reader->surface, shape);
}

lbResult lb_parse_ply(const lbShapeSource* source, lbShape** shape) {
    *shape = NULL;
    lbPlyReader reader = {.source = source};
    reader.surface.host = source->host;
    reader.surface.path = source->path;
    lbResult result = lb_parse_ply_header(source, &reader.header);
    if (result.code == lb_ok) {
        result = read_body(&reader, shape);
    }
    LB_FREE_ARRAY(source->host, &reader.indices);
    LB_FREE_ARRAY(source->host, &reader.cornerCoords);
    lb_free_surface_builder(&reader.surface);
    lb_free_ply_header(source->host, &reader.header);
    return result;
}
