/* Gmsh: versions 2 (to 2.2) and 4.1, text and binary of both byte orders. Nodes and elements; the physical group of a
 * volume is its region, or the volume itself where there are no groups but several volumes. */
#include "mesh/files/gmsh.h"

#include "base/result.h"

#include <stdio.h>
#include <string.h>

/* ---- Values ------------------------------------------------------------------------------------------------------ */

lbResult lb_gmsh_integer(lbGmshReader* reader, int size, const char* what, int64_t* value) {
    return lb_read_integer(&reader->values, size, value) ? lb_success() : lb_values_error(&reader->values, "%s", what);
}

lbResult lb_gmsh_position(lbGmshReader* reader, int64_t node, double position[3]) {
    for (int k = 0; k < 3; ++k) {
        if (!lb_read_real(&reader->values, 8, &position[k])) {
            return lb_values_error(&reader->values, "'%c' of node %lld, a finite number", "xyz"[k], (long long)node);
        }
    }
    return lb_success();
}

lbResult lb_gmsh_unknown_type(const lbGmshReader* reader, int64_t place, int64_t type) {
    return lb_place_error(reader->values.path, reader->values.binary, place,
                          "element type %lld is none that can be read", (long long)type);
}

/* Points, lines and surfaces are no part of the mesh, but name nodes of it. */
static lbResult add_boundary_nodes(lbGmshReader* reader, const lbGmshType* type, int nodeBytes,
                                   const lbFileElement* element) {
    for (int k = 0; k < type->nodeCount; ++k) {
        int64_t node = 0;
        if (!lb_read_integer(&reader->values, nodeBytes, &node)) {
            return lb_values_error(&reader->values, "node %d of element %lld", k + 1, (long long)element->number);
        }
        for (int g = 0; g < reader->groupCount; ++g) {
            LB_TRY(lb_add_member(reader->file, reader->groups[g], node));
        }
    }
    return lb_success();
}

lbResult lb_gmsh_element(lbGmshReader* reader, const lbGmshType* type, int nodeBytes, lbFileElement* element,
                         int elementary) {
    int64_t nodes[lb_mostCorners];
    int corners = lb_corner_count(type->kind);
    element->kind = type->kind;
    element->nodes = nodes;
    element->higherOrder = type->nodeCount > corners;
    for (int k = 0; k < corners; ++k) {
        if (!lb_read_integer(&reader->values, nodeBytes, &nodes[k])) {
            return lb_values_error(&reader->values, "node %d of element %lld", k + 1, (long long)element->number);
        }
    }
    LB_TRY(corners == 0 ? add_boundary_nodes(reader, type, nodeBytes, element) : lb_success());
    if (corners > 0 && !lb_skip_values(&reader->values, type->nodeCount - corners, nodeBytes)) {
        return lb_values_error(&reader->values, "%d nodes of element %lld", type->nodeCount,
                               (long long)element->number);
    }
    int before = reader->file->tets.count;
    LB_TRY(lb_add_element(reader->file, element));
    for (int g = 0; corners > 0 && g < reader->groupCount; ++g) {
        LB_TRY(lb_add_tet_members(reader->file, reader->groups[g], before, reader->file->tets.count));
    }
    while (reader->elementary.count < reader->file->tets.count) {
        if (!LB_PUSH(reader->file->host, &reader->elementary, elementary)) {
            return lb_error(lb_errorMemory, "%s: out of memory", reader->values.path);
        }
    }
    reader->grouped = reader->grouped || (corners > 0 && element->region != 0);
    return lb_success();
}

void lb_gmsh_end_line(lbGmshReader* reader) {
    if (reader->values.binary) {
        lb_skip_line(&reader->values.scan);
    }
}

/* ---- The header -------------------------------------------------------------------------------------------------- */

static lbResult expect_word(lbGmshReader* reader, const char* word) {
    lbTextScan* scan = &reader->values.scan;
    lb_skip_space(scan);
    lbTextScan before = *scan;
    if (!lb_word_is(lb_scan_word(scan), word)) {
        if (reader->values.binary) {
            return lb_place_error(reader->values.path, true, before.at - reader->values.start, "expected '%s'", word);
        }
        lbResult quoted = lb_error(lb_errorFormat, "'%s'", word);
        return lb_scan_error(&before, reader->values.path, quoted.message);
    }
    return lb_success();
}

/* Binary files have the integer 1 here, which tells the byte order. */
static lbResult read_byte_order(lbGmshReader* reader) {
    lbValues* values = &reader->values;
    static const char little[4] = {1, 0, 0, 0}, big[4] = {0, 0, 0, 1};
    lb_skip_line(&values->scan);
    values->binary = true;
    values->bigEndian = lb_values_left(values) >= 4 && memcmp(values->scan.at, big, 4) == 0;
    if (lb_values_left(values) < 4 || (!values->bigEndian && memcmp(values->scan.at, little, 4) != 0)) {
        return lb_place_error(values->path, true, lb_values_place(values),
                              "expected the integer 1, which tells the byte order");
    }
    values->scan.at += 4;
    return lb_success();
}

static lbResult version_error(const lbGmshReader* reader, lbWord version) {
    return lb_error(lb_errorUnsupported,
                    "%s:%d: Gmsh's file version %.*s is not read; expected 2.2 or 4.1, which Gmsh writes as well "
                    "(-format msh22 or msh41)",
                    reader->values.path, reader->values.scan.line, version.length > 20 ? 20 : (int)version.length,
                    version.text);
}

/* Behind "$MeshFormat". `version` is 2 or 4. */
static lbResult read_format(lbGmshReader* reader, int* version) {
    lbValues* values = &reader->values;
    int64_t isBinary = 0, size = 0;
    lb_skip_space(&values->scan);
    lbTextScan before = values->scan;
    lbWord word = lb_scan_word(&values->scan);
    *version = lb_word_is(word, "4.1") ? 4 : word.length > 0 && word.text[0] == '2' ? 2 : 0;
    if (*version == 0) {
        values->scan = before;
        return version_error(reader, word);
    }
    if (!lb_scan_integer(&values->scan, &isBinary) || isBinary < 0 || isBinary > 1) {
        return lb_values_error(values, "a file type, 0 (text) or 1 (binary)");
    }
    if (!lb_scan_integer(&values->scan, &size) || !(size == 8 || (size == 4 && *version == 4))) {
        return lb_values_error(values, "a data size of 8");
    }
    reader->sizeBytes = *version == 4 ? (int)size : 4;
    lb_name_format(reader->file, "Gmsh %.*s, %s", (int)(word.length > 8 ? 8 : word.length), word.text,
                   isBinary ? "binary" : "text");
    reader->file->binary = isBinary;
    return isBinary ? read_byte_order(reader) : lb_success();
}

/* ---- Sections ---------------------------------------------------------------------------------------------------- */

/* Goes to the line "$EndNAME" of a section that is of no interest. */
static bool find_section_end(lbGmshReader* reader, const char* end) {
    lbTextScan* scan = &reader->values.scan;
    size_t length = strlen(end);
    while (scan->at < scan->end) {
        if (reader->values.binary) { /* what a line is cannot be told in there */
            const char* dollar = memchr(scan->at, '$', (size_t)(scan->end - scan->at));
            scan->at = dollar != NULL ? dollar : scan->end;
        } else {
            lb_skip_space(scan);
        }
        if ((size_t)(scan->end - scan->at) >= length && memcmp(scan->at, end, length) == 0) {
            return true;
        }
        if (reader->values.binary) {
            scan->at += scan->at < scan->end;
        } else {
            lb_skip_line(scan);
        }
    }
    return false;
}

static lbResult read_section(lbGmshReader* reader, lbWord name, int version) {
    static const struct {
        const char* name;
        int version;
        lbGmshSectionFn* read;
    } sections[] = {
        {"$Nodes", 2, lb_read_gmsh2_nodes},        {"$Elements", 2, lb_read_gmsh2_elements},
        {"$Nodes", 4, lb_read_gmsh4_nodes},        {"$Elements", 4, lb_read_gmsh4_elements},
        {"$Entities", 4, lb_read_gmsh4_entities},  {"$PartitionedEntities", 4, lb_read_gmsh4_partitioned_entities},
        {"$PhysicalNames", 0, lb_read_gmsh_names}, {"$ElementData", 0, lb_read_gmsh_element_data},
    };
    char end[64];
    if (name.length < 2 || name.length > 40 || name.text[0] != '$') {
        lbValues before = reader->values;
        before.scan.at = name.text;
        return before.binary ? lb_place_error(before.path, true, lb_values_place(&before), "expected a section, '$...'")
                             : lb_values_error(&before, "a section, '$...'");
    }
    snprintf(end, sizeof(end), "$End%.*s", (int)name.length - 1, name.text + 1);
    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); ++i) {
        if ((sections[i].version == version || sections[i].version == 0) && lb_word_is(name, sections[i].name)) {
            LB_TRY(sections[i].read(reader));
            if (sections[i].version == 0 && !find_section_end(reader, end)) { /* what it has no use for is left */
                break;
            }
            return expect_word(reader, end);
        }
    }
    if (lb_word_is(name, "$ParametricNodes")) {
        return lb_error(lb_errorUnsupported,
                        "%s: nodes with parameters ('$ParametricNodes') are not read; save it without them, or as 4.1",
                        reader->values.path);
    }
    if (!find_section_end(reader, end)) {
        return lb_error(lb_errorFormat, "%s: the section %.*s has no end: '%s' is not there", reader->values.path,
                        (int)name.length, name.text, end);
    }
    return expect_word(reader, end);
}

/* What stands before the format: comments. */
static lbResult find_format(lbGmshReader* reader) {
    lbTextScan* scan = &reader->values.scan;
    for (;;) {
        lb_skip_space(scan);
        lbTextScan before = *scan;
        lbWord word = lb_scan_word(scan);
        if (lb_word_is(word, "$MeshFormat")) {
            return lb_success();
        }
        if (lb_word_is(word, "$NOD")) {
            return version_error(reader, (lbWord){"1", 1});
        }
        if (!lb_word_is(word, "$Comments") || !find_section_end(reader, "$EndComments")) {
            return lb_scan_error(&before, reader->values.path, "'$MeshFormat'");
        }
        lb_skip_line(scan);
    }
}

static lbResult read_sections(lbGmshReader* reader) {
    int version = 0;
    LB_TRY(find_format(reader));
    LB_TRY(read_format(reader, &version));
    LB_TRY(expect_word(reader, "$EndMeshFormat"));
    for (;;) {
        lb_skip_space(&reader->values.scan);
        if (lb_values_left(&reader->values) == 0) {
            return lb_success();
        }
        LB_TRY(read_section(reader, lb_scan_word(&reader->values.scan), version));
    }
}

/* Without groups the volumes of the model are the regions, if there is more than one. */
static void take_volumes_as_regions(const lbGmshReader* reader) {
    const int* elementary = reader->elementary.data;
    int count = reader->elementary.count, same = 0;
    while (same < count && elementary[same] == elementary[0]) {
        ++same;
    }
    for (int i = 0; i < count && same < count; ++i) {
        reader->file->tets.data[i].region = elementary[i];
    }
}

lbResult lb_parse_gmsh(const lbTetSource* source, lbTetFile* file) {
    lbGmshReader reader = {
        .file = file, .lastDimension = -1, .values = lb_values_of_text(source->path, source->bytes, source->size)};
    lbResult result = read_sections(&reader);
    if (result.code == lb_ok && !reader.grouped) {
        take_volumes_as_regions(&reader);
    }
    if (result.code == lb_ok) {
        result = lb_gmsh_apply_matter(&reader);
    }
    LB_FREE_ARRAY(source->host, &reader.elementary);
    LB_FREE_ARRAY(source->host, &reader.volumes);
    LB_FREE_ARRAY(source->host, &reader.names);
    LB_FREE_ARRAY(source->host, &reader.entities);
    LB_FREE_ARRAY(source->host, &reader.matter);
    return result;
}
