#include "shape/files/ply_header.h"

#include "base/result.h"

#include <string.h>

enum { mostElements = 64, mostProperties = 1024, mostTextures = 256 };

int lb_ply_type_size(lbPlyType type) {
    static const int sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
    return sizes[type];
}

static lbPlyType type_from_word(lbWord word) {
    static const struct {
        const char* name;
        lbPlyType type;
    } names[] = {
        {"char", lb_plyInt8},     {"int8", lb_plyInt8},       {"uchar", lb_plyUint8},    {"uint8", lb_plyUint8},
        {"short", lb_plyInt16},   {"int16", lb_plyInt16},     {"ushort", lb_plyUint16},  {"uint16", lb_plyUint16},
        {"int", lb_plyInt32},     {"int32", lb_plyInt32},     {"uint", lb_plyUint32},    {"uint32", lb_plyUint32},
        {"float", lb_plyFloat32}, {"float32", lb_plyFloat32}, {"double", lb_plyFloat64}, {"float64", lb_plyFloat64},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        if (lb_word_is(word, names[i].name)) {
            return names[i].type;
        }
    }
    return lb_plyNone;
}

static void copy_name(char* name, size_t room, lbWord word) {
    size_t length = word.length < room - 1 ? word.length : room - 1;
    memcpy(name, word.text, length);
    name[length] = 0;
}

static lbResult read_format(lbTextScan* scan, const char* path, lbPlyFormat* format) {
    static const char* const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    lbTextScan before = *scan;
    lbWord word = lb_scan_word(scan);
    for (int i = 0; i < 3; ++i) {
        if (lb_word_is(word, names[i])) {
            *format = (lbPlyFormat)i;
            before = *scan;
            return lb_word_is(lb_scan_word(scan), "1.0") ? lb_success() : lb_scan_error(&before, path, "version 1.0");
        }
    }
    return lb_scan_error(&before, path, "'ascii', 'binary_little_endian' or 'binary_big_endian'");
}

static lbResult read_element(lbTextScan* scan, const lbShapeSource* source, lbPlyHeader* header) {
    lbPlyElement element = {.firstProperty = header->properties.count};
    lbWord name = lb_scan_word(scan);
    if (name.length == 0 || header->elements.count >= mostElements) {
        return lb_scan_error(scan, source->path, name.length == 0 ? "an element's name" : "at most 64 elements");
    }
    copy_name(element.name, sizeof(element.name), name);
    lb_skip_blanks(scan);
    const char* at = scan->at;
    if (!lb_parse_integer(&at, scan->end, &element.count) || element.count < 0) {
        return lb_scan_error(scan, source->path, "how many of the element there are");
    }
    scan->at = at;
    return LB_PUSH(source->host, &header->elements, element) ? lb_success() : lb_out_of_memory("a PLY header");
}

static lbResult read_type(lbTextScan* scan, const char* path, lbPlyType* type) {
    lbTextScan before = *scan;
    *type = type_from_word(lb_scan_word(scan));
    return *type != lb_plyNone ? lb_success() : lb_scan_error(&before, path, "a type (float, uchar, int, ...)");
}

static lbResult read_property(lbTextScan* scan, const lbShapeSource* source, lbPlyHeader* header) {
    if (header->elements.count == 0 || header->properties.count >= mostProperties) {
        return lb_scan_error(scan, source->path,
                             header->elements.count == 0 ? "'element' before 'property'" : "at most 1024 properties");
    }
    lbPlyProperty property = {0};
    lbTextScan ahead = *scan;
    if (lb_word_is(lb_scan_word(&ahead), "list")) {
        *scan = ahead;
        LB_TRY(read_type(scan, source->path, &property.countType));
        if (property.countType >= lb_plyFloat32) {
            return lb_error(lb_errorFormat, "%s:%d: expected an integer type for a list's length", source->path,
                            scan->line);
        }
    }
    LB_TRY(read_type(scan, source->path, &property.type));
    lbWord name = lb_scan_word(scan);
    if (name.length == 0) {
        return lb_scan_error(scan, source->path, "a property's name");
    }
    copy_name(property.name, sizeof(property.name), name);
    if (!LB_PUSH(source->host, &header->properties, property)) {
        return lb_out_of_memory("a PLY header");
    }
    ++header->elements.data[header->elements.count - 1].propertyCount;
    return lb_success();
}

static lbResult read_comment(lbTextScan* scan, const lbShapeSource* source, lbPlyHeader* header) {
    if (lb_word_is(lb_scan_word(scan), "TextureFile") && header->textureFiles.count < mostTextures) {
        lbWord file = lb_scan_rest(scan);
        if (file.length > 0 && !LB_PUSH(source->host, &header->textureFiles, file)) {
            return lb_out_of_memory("a PLY header");
        }
    }
    return lb_success();
}

lbResult lb_parse_ply_header(const lbShapeSource* source, lbPlyHeader* header) {
    lbTextScan scan = lb_scan_text(source->bytes, source->size);
    lbTextScan start = scan;
    bool hasFormat = false;
    if (!lb_word_is(lb_scan_word(&scan), "ply")) {
        return lb_scan_error(&start, source->path, "'ply' at the beginning of a PLY file");
    }
    for (;;) {
        lb_skip_line(&scan);
        lbTextScan before = scan;
        lbWord keyword = lb_scan_word(&scan);
        if (lb_word_is(keyword, "end_header")) {
            lb_skip_line(&scan);
            header->body = scan;
            return hasFormat ? lb_success() : lb_scan_error(&before, source->path, "a line 'format'");
        }
        if (lb_word_is(keyword, "format")) {
            hasFormat = true;
            LB_TRY(read_format(&scan, source->path, &header->format));
        } else if (lb_word_is(keyword, "element")) {
            LB_TRY(read_element(&scan, source, header));
        } else if (lb_word_is(keyword, "property")) {
            LB_TRY(read_property(&scan, source, header));
        } else if (lb_word_is(keyword, "comment")) {
            LB_TRY(read_comment(&scan, source, header));
        } else if (!lb_word_is(keyword, "obj_info") && (keyword.length > 0 || scan.at >= scan.end)) {
            return lb_scan_error(&before, source->path, "a header line (element, property, end_header, ...)");
        }
    }
}

void lb_free_ply_header(const lbHost* host, lbPlyHeader* header) {
    LB_FREE_ARRAY(host, &header->elements);
    LB_FREE_ARRAY(host, &header->properties);
    LB_FREE_ARRAY(host, &header->textureFiles);
}

bool lb_looks_like_ply(const unsigned char* bytes, size_t size) {
    return size > 4 && memcmp(bytes, "ply", 3) == 0 && (bytes[3] == '\n' || bytes[3] == '\r' || bytes[3] == ' ');
}
