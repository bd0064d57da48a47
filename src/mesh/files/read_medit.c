/* Medit's .mesh (text) and .meshb (binary, versions 1 to 4, both byte orders). An element's reference is its region. */
#include "base/result.h"
#include "mesh/files/medit.h"
#include "mesh/files/values.h"

#include <limits.h>
#include <string.h>

static const lbMeditSection sections[] = {
    {"Edges", 5, lb_cellLine, 2},
    {"Triangles", 6, lb_cellSurface, 3},
    {"Quadrilaterals", 7, lb_cellSurface, 4},
    {"Tetrahedra", lb_meditTetrahedra, lb_cellTet, 4},
    {"Prisms", 9, lb_cellPrism, 6},
    {"Pentahedra", 9, lb_cellPrism, 6},
    {"Hexahedra", 10, lb_cellHexahedron, 8},
    {"TrianglesP2", 24, lb_cellSurface, 6},
    {"EdgesP2", 25, lb_cellLine, 3},
    {"QuadrilateralsQ2", 27, lb_cellSurface, 9},
    {"TetrahedraP2", 30, lb_cellTet, 10},
    {"HexahedraQ2", 33, lb_cellHexahedron, 27},
    {"Pyramids", 49, lb_cellPyramid, 5},
    {"PrismsP2", 86, lb_cellPrism, 18},
    {"PyramidsP2", 87, lb_cellPyramid, 14},
    {"QuadrilateralsQ3", 88, lb_cellSurface, 16},
    {"QuadrilateralsQ4", 89, lb_cellSurface, 25},
    {"TrianglesP3", 90, lb_cellSurface, 10},
    {"TrianglesP4", 91, lb_cellSurface, 15},
    {"EdgesP3", 92, lb_cellLine, 4},
    {"EdgesP4", 93, lb_cellLine, 5},
    {"TetrahedraP3", 96, lb_cellTet, 20},
    {"TetrahedraP4", 97, lb_cellTet, 35},
    {"HexahedraQ3", 98, lb_cellHexahedron, 64},
    {"HexahedraQ4", 99, lb_cellHexahedron, 125},
};

typedef struct Reader {
    lbTetFile* file;
    lbValues values;
    int64_t version;
    int integerBytes, realBytes; /* in binary */
} Reader;

static lbResult read_integer(Reader* reader, const char* what, int64_t* value) {
    return lb_read_integer(&reader->values, reader->integerBytes, value) ? lb_success()
                                                                         : lb_values_error(&reader->values, "%s", what);
}

static lbResult read_count(Reader* reader, const char* what, int leastValues, int leastBytes, int64_t* count) {
    lbResult words = lb_error(lb_errorFormat, "the number of %s", what);
    LB_TRY(read_integer(reader, words.message, count));
    return lb_check_promise(&reader->values, *count, leastValues, leastBytes, what);
}

static lbResult read_vertices(Reader* reader) {
    lbValues* values = &reader->values;
    int64_t count = 0, reference = 0;
    LB_TRY(read_count(reader, "vertices", 4, 3 * reader->realBytes + reader->integerBytes, &count));
    LB_TRY(lb_reserve_nodes(reader->file, count));
    for (int64_t i = 1; i <= count; ++i) {
        double position[3];
        lb_values_skip_space(values);
        int64_t place = lb_values_place(values);
        for (int k = 0; k < 3; ++k) {
            if (!lb_read_real(values, reader->realBytes, &position[k])) {
                return lb_values_error(values, "'%c' of vertex %lld, a finite number", "xyz"[k], (long long)i);
            }
        }
        LB_TRY(read_integer(reader, "a vertex's reference", &reference));
        LB_TRY(lb_add_node(reader->file, place, i, position));
    }
    return lb_success();
}

static int as_region(int64_t reference) {
    return reference > INT_MAX ? INT_MAX : reference < INT_MIN ? INT_MIN : (int)reference;
}

static lbResult read_element(Reader* reader, const lbMeditSection* section, int64_t number) {
    lbValues* values = &reader->values;
    int64_t nodes[lb_mostCorners], reference = 0;
    int corners = lb_corner_count(section->kind);
    lb_values_skip_space(values);
    int64_t place = lb_values_place(values);
    for (int k = 0; k < corners; ++k) {
        if (!lb_read_integer(values, reader->integerBytes, &nodes[k])) {
            return lb_values_error(values, "vertex %d of element %lld of '%s'", k + 1, (long long)number,
                                   section->name);
        }
    }
    if (!lb_skip_values(values, section->nodeCount - corners, reader->integerBytes)) {
        return lb_values_error(values, "%d vertices of element %lld of '%s'", section->nodeCount, (long long)number,
                               section->name);
    }
    LB_TRY(read_integer(reader, "an element's reference", &reference));
    lbFileElement element = {.kind = section->kind,
                             .higherOrder = section->nodeCount > corners,
                             .number = number,
                             .place = place,
                             .region = as_region(reference),
                             .nodes = nodes};
    return lb_add_element(reader->file, &element);
}

static lbResult read_elements(Reader* reader, const lbMeditSection* section) {
    int64_t count = 0;
    int valueCount = section->nodeCount + 1;
    LB_TRY(read_count(reader, "elements", valueCount, valueCount * reader->integerBytes, &count));
    if (lb_corner_count(section->kind) > 0) {
        LB_TRY(lb_reserve_elements(reader->file, count));
    }
    for (int64_t i = 1; i <= count; ++i) {
        LB_TRY(read_element(reader, section, i));
    }
    return lb_success();
}

static lbResult read_dimension(Reader* reader) {
    int64_t dimension = 0;
    int64_t place = lb_values_place(&reader->values);
    if (!lb_read_integer(&reader->values, 4, &dimension)) { /* in binary of four bytes in all versions */
        return lb_values_error(&reader->values, "the dimension");
    }
    return dimension == 3 ? lb_success()
                          : lb_place_error(reader->values.path, reader->values.binary, place,
                                           "expected a mesh of dimension 3, found %lld", (long long)dimension);
}

static lbResult check_version(const Reader* reader) {
    if (reader->version >= 1 && reader->version <= 4) {
        return lb_success();
    }
    return lb_error(lb_errorUnsupported, "%s: Medit's file version %lld is not read; expected 1 to 4",
                    reader->values.path, (long long)reader->version);
}

/* ---- Text -------------------------------------------------------------------------------------------------------- */

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Goes to the next word that is no number: sections of other names are of no interest. */
static void skip_section(Reader* reader) {
    lbTextScan* scan = &reader->values.scan;
    for (;;) {
        lb_values_skip_space(&reader->values);
        if (scan->at >= scan->end || is_letter(*scan->at)) {
            return;
        }
        if (*scan->at == '"') {
            lb_skip_line(scan);
        } else {
            lb_scan_word(scan);
        }
    }
}

static lbResult read_text_section(Reader* reader, lbWord name) {
    if (lb_word_is_any_case(name, "Dimension")) {
        return read_dimension(reader);
    }
    if (lb_word_is_any_case(name, "Vertices")) {
        return read_vertices(reader);
    }
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); ++i) {
        if (lb_word_is_any_case(name, sections[i].name)) {
            return read_elements(reader, &sections[i]);
        }
    }
    skip_section(reader);
    return lb_success();
}

lbResult lb_parse_medit(const lbTetSource* source, lbTetFile* file) {
    Reader reader = {.file = file, .values = lb_values_of_text(source->path, source->bytes, source->size)};
    lbValues* values = &reader.values;
    values->comment = '#';
    lb_values_skip_space(values);
    lbTextScan before = values->scan;
    if (!lb_word_is_any_case(lb_scan_word(&values->scan), "MeshVersionFormatted")) {
        return lb_scan_error(&before, source->path, "'MeshVersionFormatted'");
    }
    LB_TRY(read_integer(&reader, "a version from 1 to 4", &reader.version));
    LB_TRY(check_version(&reader));
    lb_name_format(file, "Medit, text");
    for (;;) {
        lb_values_skip_space(values);
        before = values->scan;
        lbWord name = lb_scan_word(&values->scan);
        if (name.length == 0 || lb_word_is_any_case(name, "End")) {
            return lb_success();
        }
        if (!is_letter(name.text[0])) {
            return lb_scan_error(&before, source->path, "the name of a section");
        }
        LB_TRY(read_text_section(&reader, name));
    }
}

/* ---- Binary ------------------------------------------------------------------------------------------------------ */

static lbResult read_binary_section(Reader* reader, int64_t code) {
    if (code == lb_meditDimension) {
        return read_dimension(reader);
    }
    if (code == lb_meditVertices) {
        return read_vertices(reader);
    }
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); ++i) {
        if (code == sections[i].code) {
            return read_elements(reader, &sections[i]);
        }
    }
    return lb_success();
}

static lbResult read_binary_header(Reader* reader) {
    lbValues* values = &reader->values;
    int64_t one = 0;
    if (lb_values_left(values) >= 4 && values->scan.at[0] == 0) {
        values->bigEndian = true;
    }
    if (!lb_read_integer(values, 4, &one) || one != 1 || !lb_read_integer(values, 4, &reader->version)) {
        return lb_place_error(values->path, true, 0,
                              "expected the integer 1, which tells the byte order, and a version");
    }
    LB_TRY(check_version(reader));
    reader->integerBytes = reader->version >= 4 ? 8 : 4;
    reader->realBytes = reader->version == 1 ? 4 : 8;
    return lb_success();
}

lbResult lb_parse_medit_binary(const lbTetSource* source, lbTetFile* file) {
    const char* bytes = (const char*)source->bytes;
    Reader reader = {.file = file, .values = {.path = source->path, .start = bytes, .binary = true}};
    lbValues* values = &reader.values;
    values->scan = (lbTextScan){bytes, bytes + source->size, 1};
    file->binary = true;
    LB_TRY(read_binary_header(&reader));
    lb_name_format(file, "Medit %d, binary", (int)reader.version);
    for (;;) {
        int64_t code = 0, next = 0, place = lb_values_place(values);
        if (!lb_read_integer(values, 4, &code)) {
            return lb_values_error(values, "the code of a section");
        }
        if (code == lb_meditEnd) {
            return lb_success();
        }
        if (!lb_read_integer(values, reader.version >= 3 ? 8 : 4, &next)) {
            return lb_values_error(values, "the place of the next section");
        }
        LB_TRY(read_binary_section(&reader, code));
        if (next == 0) {
            return lb_success();
        }
        if (next <= place || next > (int64_t)source->size) {
            return lb_place_error(values->path, true, place,
                                  "section %lld says that the next one is at byte %lld; expected a later place in the "
                                  "file, which has %zu bytes",
                                  (long long)code, (long long)next, source->size);
        }
        values->scan.at = bytes + next;
    }
}
