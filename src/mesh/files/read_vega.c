/* Vega's .veg: *VERTICES, *ELEMENTS (TET, or CUBIC, which are cut), and the *SETs that *REGIONs give a material.
 * *INCLUDE is followed to files beside this one. Regions count from 1 in their order; what is in the set of all
 * elements only is in none, 0. */
#include "base/file.h"
#include "base/result.h"
#include "mesh/files/element_sets.h"
#include "mesh/files/fields.h"
#include "mesh/files/values.h"
#include "shape/files/beside.h"

#include <string.h>

enum { mostDepth = 4, mostIncludes = 64 };

/* A file being read: the one that was named, or one that it includes. */
typedef struct Layer {
    const char* path;
    lbTextScan scan;
} Layer;

typedef enum Block { blockNone, blockVertices, blockElementType, blockElements, blockSet, blockRegion } Block;

typedef struct Reader {
    const lbTetSource* source;
    lbTetFile* file;
    Layer layers[mostDepth];
    int depth;                  /* of the layer being read, from 0 */
    LB_ARRAY(lbBytes) included; /* contents, kept to the end: names point into them */
    lbElementSets sets;
    Block block;
    bool hasCount;       /* the line with the number of vertices or elements is behind */
    bool checked;        /* that number fits what is left */
    int64_t count, read; /* promised, and read so far */
    lbCellKind kind;     /* of elements */
    int set;
    bool hasVertices, hasElements;
} Reader;

static Layer* top(Reader* reader) {
    return &reader->layers[reader->depth];
}

static lbResult out_of_memory(const Reader* reader) {
    return lb_error(lb_errorMemory, "%s: out of memory", reader->source->path);
}

static lbResult expected(Reader* reader, lbWord found, const char* what) {
    return lb_field_error(top(reader)->path, top(reader)->scan.line, found, "%s", what);
}

/* ---- Includes ---------------------------------------------------------------------------------------------------- */

/* A name that leads to a file beside this one, or below it, and nowhere else. */
static bool leads_below(lbWord name) {
    if (name.length == 0 || name.length > 255 || name.text[0] == '/' || name.text[0] == '\\' ||
        memchr(name.text, ':', name.length) != NULL) {
        return false;
    }
    for (size_t i = 0; i + 1 < name.length; ++i) {
        if (name.text[i] == '.' && name.text[i + 1] == '.') {
            return false;
        }
    }
    return true;
}

static lbResult open_layer(Reader* reader, const char* path, lbBytes bytes) {
    if (!LB_PUSH(reader->source->host, &reader->included, bytes)) {
        lb_free_bytes(reader->source->host, &bytes);
        return out_of_memory(reader);
    }
    lb_skip_line(&top(reader)->scan);
    ++reader->depth;
    *top(reader) = (Layer){path, lb_scan_text(bytes.data, bytes.size)};
    return lb_success();
}

static lbResult include_file(Reader* reader, lbWord name) {
    const lbHost* host = reader->source->host;
    if (reader->source->alone || !leads_below(name) || reader->depth + 1 == mostDepth ||
        reader->included.count == mostIncludes) {
        return lb_error(lb_errorUnsupported,
                        "%s:%d: *INCLUDE of '%.*s' is not followed; expected the name of a file "
                        "beside this one",
                        top(reader)->path, top(reader)->scan.line, name.length > 80 ? 80 : (int)name.length, name.text);
    }
    char text[256];
    memcpy(text, name.text, name.length);
    text[name.length] = 0;
    char* path = lb_path_beside(host, reader->source->path, text);
    lbBytes bytes;
    if (!lb_keep_path(reader->file, path)) {
        return out_of_memory(reader);
    }
    LB_TRY(
        lb_in_context(lb_read_file(host, path, &bytes), "%s:%d: *INCLUDE", top(reader)->path, top(reader)->scan.line));
    return open_layer(reader, path, bytes);
}

/* Goes to the next line that is neither empty nor a comment. False at the end of the last file. */
static bool find_line(Reader* reader) {
    for (;;) {
        lbTextScan* scan = &top(reader)->scan;
        lb_skip_space(scan);
        if (scan->at < scan->end && *scan->at == '#') {
            lb_skip_line(scan);
        } else if (scan->at < scan->end) {
            return true;
        } else if (reader->depth == 0) {
            return false;
        } else {
            --reader->depth;
        }
    }
}

/* ---- Data lines -------------------------------------------------------------------------------------------------- */

/* The number of vertices or elements; what else stands on its line is of no interest. */
static lbResult read_count(Reader* reader, const char* what) {
    lbWord field;
    lb_next_loose_field(&top(reader)->scan, &field);
    if (!lb_field_integer(field, &reader->count) || reader->count < 0) {
        return expected(reader, field, what);
    }
    reader->hasCount = true;
    return lb_success();
}

/* Once the first line of data is found, in this file or an included one. */
static lbResult check_count(Reader* reader, int leastValues, const char* what) {
    if (reader->checked) {
        return lb_success();
    }
    reader->checked = true;
    lbValues values = {.path = top(reader)->path, .scan = top(reader)->scan};
    return lb_check_promise(&values, reader->count, leastValues, 0, what);
}

static lbResult read_number(Reader* reader, const char* what, int64_t* number) {
    lbWord field;
    lb_next_loose_field(&top(reader)->scan, &field);
    return lb_field_integer(field, number) ? lb_success() : expected(reader, field, what);
}

static lbResult read_vertex(Reader* reader) {
    int64_t number = 0;
    double position[3];
    lbWord field;
    reader->file->path = top(reader)->path;
    LB_TRY(check_count(reader, 4, "vertices"));
    LB_TRY(read_number(reader, "a vertex's number", &number));
    for (int k = 0; k < 3; ++k) {
        lb_next_loose_field(&top(reader)->scan, &field);
        if (!lb_field_real(field, &position[k])) {
            return lb_field_error(top(reader)->path, top(reader)->scan.line, field,
                                  "'%c' of vertex %lld, a finite number", "xyz"[k], (long long)number);
        }
    }
    ++reader->read;
    return lb_add_node(reader->file, top(reader)->scan.line, number, position);
}

static lbResult read_element_type(Reader* reader) {
    lbWord field;
    lb_next_loose_field(&top(reader)->scan, &field);
    lbWord head = {field.text, field.length < 3 ? field.length : 3};
    reader->kind = lb_word_is_any_case(head, "TET")      ? lb_cellTet
                   : lb_word_is_any_case(field, "CUBIC") ? lb_cellHexahedron
                                                         : lb_cellUnknown;
    reader->block = blockElements;
    return reader->kind != lb_cellUnknown ? lb_success() : expected(reader, field, "elements TET or CUBIC");
}

static lbResult read_element(Reader* reader) {
    int64_t nodes[lb_mostCorners];
    int corners = lb_corner_count(reader->kind);
    lbFileElement element = {.kind = reader->kind, .place = top(reader)->scan.line, .nodes = nodes};
    reader->file->path = top(reader)->path;
    LB_TRY(check_count(reader, 1 + corners, "elements"));
    LB_TRY(read_number(reader, "an element's number", &element.number));
    for (int k = 0; k < corners; ++k) {
        LB_TRY(read_number(reader, "an element's vertex", &nodes[k]));
    }
    ++reader->read;
    LB_TRY(lb_add_element(reader->file, &element));
    return lb_note_tet_set(&reader->sets, reader->file, -1) ? lb_success() : out_of_memory(reader);
}

static lbResult read_set(Reader* reader) {
    lbWord field;
    while (lb_next_loose_field(&top(reader)->scan, &field)) {
        lbSetRange range = {.set = reader->set, .other = -1, .step = 1};
        if (!lb_field_integer(field, &range.first)) {
            return expected(reader, field, "an element's number");
        }
        range.last = range.first;
        if (!LB_PUSH(reader->sets.host, &reader->sets.ranges, range)) {
            return out_of_memory(reader);
        }
    }
    return lb_success();
}

enum { allElements = 0 }; /* the set that every file has */

/* SET, MATERIAL */
static lbResult read_region(Reader* reader) {
    lbWord field = {"", 0};
    lb_next_field(&top(reader)->scan, &field);
    int set = lb_find_set(&reader->sets, field);
    if (set < 0) {
        return expected(reader, field, "the name of a set");
    }
    if (set == allElements) {
        return lb_success();
    }
    return LB_PUSH(reader->sets.host, &reader->sets.sections, set) ? lb_success() : out_of_memory(reader);
}

static lbResult read_data(Reader* reader) {
    switch (reader->block) {
    case blockVertices:
        return reader->hasCount ? read_vertex(reader) : read_count(reader, "the number of vertices");
    case blockElementType:
        return read_element_type(reader);
    case blockElements:
        return reader->hasCount ? read_element(reader) : read_count(reader, "the number of elements");
    case blockSet:
        return read_set(reader);
    case blockRegion:
        return read_region(reader);
    default:
        return lb_success();
    }
}

/* ---- Keywords ---------------------------------------------------------------------------------------------------- */

/* What was promised must be there when its block ends. */
static lbResult end_block(Reader* reader) {
    bool counted = reader->block == blockVertices || reader->block == blockElements;
    if (counted && reader->read != reader->count) {
        return lb_error(lb_errorFormat, "%s:%d: the file says it has %lld %s, but %lld are there", top(reader)->path,
                        top(reader)->scan.line, (long long)reader->count,
                        reader->block == blockVertices ? "vertices" : "elements", (long long)reader->read);
    }
    reader->block = blockNone;
    reader->hasCount = reader->checked = false;
    reader->count = reader->read = 0;
    return lb_success();
}

static lbResult begin_set(Reader* reader) {
    lbWord name = lb_scan_rest(&top(reader)->scan);
    reader->block = blockSet;
    reader->set = lb_find_or_make_set(&reader->sets, name);
    return reader->set >= 0 ? lb_success() : out_of_memory(reader);
}

static lbResult begin_once(Reader* reader, bool* begun, Block block, const char* what) {
    reader->block = block;
    if (*begun) {
        return lb_error(lb_errorFormat, "%s:%d: a second %s; expected one", top(reader)->path, top(reader)->scan.line,
                        what);
    }
    *begun = true;
    return lb_success();
}

static lbResult read_keyword(Reader* reader) {
    lbWord word = lb_scan_word(&top(reader)->scan);
    if (lb_word_is_any_case(word, "*INCLUDE")) {
        return include_file(reader, lb_scan_rest(&top(reader)->scan));
    }
    LB_TRY(end_block(reader));
    if (lb_word_is_any_case(word, "*VERTICES")) {
        return begin_once(reader, &reader->hasVertices, blockVertices, "*VERTICES");
    }
    if (lb_word_is_any_case(word, "*ELEMENTS")) {
        return begin_once(reader, &reader->hasElements, blockElementType, "*ELEMENTS");
    }
    if (lb_word_is_any_case(word, "*SET")) {
        return begin_set(reader);
    }
    reader->block = lb_word_is_any_case(word, "*REGION") ? blockRegion : blockNone;
    return lb_success();
}

static lbResult read_files(Reader* reader) {
    const char* elementPath = reader->source->path;
    if (lb_find_or_make_set(&reader->sets, (lbWord){"allElements", 11}) != allElements) {
        return out_of_memory(reader);
    }
    while (find_line(reader)) {
        bool included = false;
        if (*top(reader)->scan.at == '*') {
            int depth = reader->depth;
            LB_TRY(read_keyword(reader));
            included = reader->depth > depth;
        } else {
            LB_TRY(read_data(reader));
            elementPath = reader->block == blockElements ? top(reader)->path : elementPath;
        }
        if (!included) {
            lb_skip_line(&top(reader)->scan);
        }
    }
    reader->file->path = elementPath;
    LB_TRY(end_block(reader));
    return lb_set_regions(&reader->sets, reader->file);
}

lbResult lb_parse_vega(const lbTetSource* source, lbTetFile* file) {
    Reader reader = {.source = source, .file = file, .sets.host = source->host};
    reader.layers[0] = (Layer){source->path, lb_scan_text(source->bytes, source->size)};
    lb_name_format(file, "Vega, text");
    lbResult result = read_files(&reader);
    for (int i = 0; i < reader.included.count; ++i) {
        lb_free_bytes(source->host, &reader.included.data[i]);
    }
    LB_FREE_ARRAY(source->host, &reader.included);
    lb_free_element_sets(&reader.sets);
    return result;
}
