/* The data of points and cells in VTK's old format: regions and matter of cells and flags of points are kept, the rest
 * is stepped over. */
#include "mesh/files/vtk_reader.h"

#include "base/result.h"

static lbResult read_flags(lbVtkReader* reader, lbWord name, const lbVtkType* type, int64_t count) {
    lbIntegerList values = {0};
    lbResult result = lb_vtk_integers(reader, type, count, "flags of points", &values);
    if (result.code == lb_ok && !lb_keep_vtk_flags(&reader->grid, name, &values)) {
        result = lb_vtk_out_of_memory(reader);
    }
    LB_FREE_ARRAY(reader->grid.host, &values);
    return result;
}

/* Keeps an array if it says which region each cell is in, else steps over it. */
static lbResult read_data_array(lbVtkReader* reader, lbWord name, const lbVtkType* type, int64_t width, int64_t count) {
    lbIntegerList* regions = &reader->grid.regions;
    bool wanted = reader->ofCells && width == 1 && type->size > 0 && regions->count == 0 && lb_is_region_name(name) &&
                  count == reader->grid.ends.count;
    if (wanted) {
        return lb_vtk_integers(reader, type, count, "regions", regions);
    }
    int which = lb_matter_name(name);
    if (reader->ofCells && width == 1 && type->size > 0 && which >= 0 && reader->grid.matter[which].count == 0 &&
        count == reader->grid.ends.count) {
        return lb_vtk_reals(reader, type, count, "numbers of matter", &reader->grid.matter[which]);
    }
    if (!reader->ofCells && width == 1 && type->size > 0 && !type->isReal && name.length > 0 &&
        count == reader->file->nodes.count) {
        return read_flags(reader, name, type, count);
    }
    if (width < 0 || count < 0 || (width > 0 && count > INT64_MAX / width)) {
        return lb_place_error(reader->values.path, reader->values.binary, lb_values_place(&reader->values),
                              "an array of %lld times %lld values", (long long)count, (long long)width);
    }
    return lb_vtk_skip_array(reader, type, count * width);
}

static void skip_metadata(lbVtkReader* reader) {
    lb_vtk_end_line(reader);
    while (!lb_at_line_end(lb_vtk_scan(reader))) {
        lb_vtk_end_line(reader);
    }
}

/* FIELD name n, then n arrays. */
static lbResult read_field(lbVtkReader* reader) {
    int64_t arrayCount = 0;
    lb_scan_word(lb_vtk_scan(reader));
    LB_TRY(lb_vtk_line_count(reader, "the number of arrays of a field", &arrayCount));
    for (int64_t i = 0; i < arrayCount; ++i) {
        int64_t width = 0, count = 0;
        lbVtkType type;
        lb_skip_space(lb_vtk_scan(reader));
        lbWord name = lb_scan_word(lb_vtk_scan(reader));
        if (lb_word_is(name, "METADATA")) {
            skip_metadata(reader);
            --i;
            continue;
        }
        LB_TRY(lb_vtk_line_count(reader, "the width of an array", &width));
        LB_TRY(lb_vtk_line_count(reader, "the length of an array", &count));
        LB_TRY(lb_vtk_value_type(reader, &type));
        lb_vtk_end_line(reader);
        LB_TRY(read_data_array(reader, name, &type, width, count));
    }
    return lb_success();
}

static lbResult read_scalars(lbVtkReader* reader) {
    int64_t width = 1;
    lbVtkType type;
    lbWord name = lb_scan_word(lb_vtk_scan(reader));
    LB_TRY(lb_vtk_value_type(reader, &type));
    lb_scan_integer(lb_vtk_scan(reader), &width);
    lb_vtk_end_line(reader);
    if (lb_vtk_next_is(reader, "LOOKUP_TABLE")) {
        lb_skip_space(lb_vtk_scan(reader));
        lb_vtk_end_line(reader);
    }
    return read_data_array(reader, name, &type, width, reader->dataCount);
}

/* Attributes that are passed over: NAME [WIDTH] [TYPE]. */
static lbResult skip_attribute(lbVtkReader* reader, int64_t width, bool hasType, int sizeInBinary) {
    lbVtkType type = {"unsigned_char", sizeInBinary, false, true};
    lb_scan_word(lb_vtk_scan(reader));
    if (width == 0) {
        LB_TRY(lb_vtk_line_count(reader, "the width of an array", &width));
    }
    if (hasType) {
        LB_TRY(lb_vtk_value_type(reader, &type));
    }
    lb_vtk_end_line(reader);
    return read_data_array(reader, (lbWord){"", 0}, &type, width, reader->dataCount);
}

static lbResult skip_table(lbVtkReader* reader) {
    static const lbVtkType bytes = {"unsigned_char", 1, false, true};
    int64_t count = 0;
    lb_scan_word(lb_vtk_scan(reader));
    LB_TRY(lb_vtk_line_count(reader, "the size of a table", &count));
    lb_vtk_end_line(reader);
    return read_data_array(reader, (lbWord){"", 0}, &bytes, 4, count);
}

static lbResult begin_data(lbVtkReader* reader, bool ofCells) {
    reader->ofCells = ofCells;
    LB_TRY(lb_vtk_line_count(reader, "the number of values", &reader->dataCount));
    lb_vtk_end_line(reader);
    return lb_success();
}

lbResult lb_read_vtk_data(lbVtkReader* reader, lbWord keyword, bool* known) {
    static const struct {
        const char* name;
        int width; /* 0: told on the line */
        bool hasType;
        int sizeInBinary;
    } skipped[] = {{"VECTORS", 3, true, 0},    {"NORMALS", 3, true, 0},        {"TENSORS", 9, true, 0},
                   {"TENSORS6", 6, true, 0},   {"GLOBAL_IDS", 1, true, 0},     {"PEDIGREE_IDS", 1, true, 0},
                   {"EDGE_FLAGS", 1, true, 0}, {"COLOR_SCALARS", 0, false, 1}, {"TEXTURE_COORDINATES", 0, true, 0}};
    for (size_t i = 0; i < sizeof(skipped) / sizeof(skipped[0]); ++i) {
        if (lb_word_is_any_case(keyword, skipped[i].name)) {
            return skip_attribute(reader, skipped[i].width, skipped[i].hasType, skipped[i].sizeInBinary);
        }
    }
    if (lb_word_is_any_case(keyword, "CELL_DATA") || lb_word_is_any_case(keyword, "POINT_DATA")) {
        return begin_data(reader, lb_word_is_any_case(keyword, "CELL_DATA"));
    }
    if (lb_word_is_any_case(keyword, "FIELD")) {
        return read_field(reader);
    }
    if (lb_word_is_any_case(keyword, "SCALARS")) {
        return read_scalars(reader);
    }
    if (lb_word_is_any_case(keyword, "LOOKUP_TABLE")) {
        return skip_table(reader);
    }
    *known = lb_word_is_any_case(keyword, "METADATA");
    if (*known) {
        skip_metadata(reader);
    }
    return lb_success();
}
