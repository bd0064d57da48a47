/* VTK's old format, text and binary (which is big-endian), versions 1 to 5.1: an unstructured grid. Of the data that
 * come with it, arrays over the cells that are named as regions or as numbers of matter are read, and integers over the
 * points, as flags of groups; the rest is passed over. */
#include "base/log.h"
#include "base/result.h"
#include "mesh/files/vtk_reader.h"

#include <limits.h>
#include <string.h>

/* ---- Geometry ---------------------------------------------------------------------------------------------------- */

static lbResult read_points(lbVtkReader* reader) {
    int64_t count = 0;
    lbVtkType type;
    LB_TRY(lb_vtk_line_count(reader, "the number of points", &count));
    LB_TRY(lb_vtk_value_type(reader, &type));
    lb_vtk_end_line(reader);
    if (type.size == 0 || reader->hasPoints) {
        return lb_place_error(reader->values.path, reader->values.binary, lb_values_place(&reader->values),
                              "expected one list of points in numbers");
    }
    reader->hasPoints = true;
    LB_TRY(lb_check_promise(&reader->values, count, 3, 3 * type.size, "points"));
    LB_TRY(lb_reserve_nodes(reader->file, count));
    for (int64_t i = 0; i < count; ++i) {
        double position[3];
        lb_values_skip_space(&reader->values);
        int64_t place = lb_values_place(&reader->values), integer = 0;
        for (int k = 0; k < 3; ++k) {
            bool good = type.isReal ? lb_read_real(&reader->values, type.size, &position[k])
                                    : lb_read_integer(&reader->values, type.size, &integer);
            if (!good) {
                return lb_values_error(&reader->values, "'%c' of point %lld, a finite number", "xyz"[k], (long long)i);
            }
            position[k] = type.isReal ? position[k] : (double)integer;
        }
        LB_TRY(lb_add_node(reader->file, place, i, position));
    }
    return lb_success();
}

/* Each cell is the number of its nodes, then the nodes. */
static lbResult read_counted_cells(lbVtkReader* reader, int64_t cellCount, int64_t size) {
    static const lbVtkType integers = {"int", 4, false, false};
    lbVtkGrid* grid = &reader->grid;
    LB_TRY(lb_check_promise(&reader->values, size, 1, 4, "values of cells"));
    LB_TRY(lb_check_promise(&reader->values, cellCount, 1, 4, "cells"));
    for (int64_t i = 0; i < cellCount; ++i) {
        int64_t count = 0;
        lb_values_skip_space(&reader->values);
        int64_t place = lb_values_place(&reader->values);
        if (!lb_read_integer(&reader->values, 4, &count)) {
            return lb_values_error(&reader->values, "the number of nodes of cell %lld", (long long)i);
        }
        if (count < 0 || count >= size) {
            return lb_place_error(reader->values.path, reader->values.binary, place,
                                  "cell %lld says it has %lld nodes, more than the list of cells holds", (long long)i,
                                  (long long)count);
        }
        size -= 1 + count;
        LB_TRY(lb_vtk_integers(reader, &integers, count, "nodes of a cell", &grid->connectivity));
        if (!LB_PUSH(grid->host, &grid->ends, grid->connectivity.count) || !LB_PUSH(grid->host, &grid->places, place)) {
            return lb_vtk_out_of_memory(reader);
        }
    }
    return lb_success();
}

static lbResult read_typed_integers(lbVtkReader* reader, const char* keyword, int64_t count, lbIntegerList* list) {
    lbVtkType type;
    lb_skip_space(lb_vtk_scan(reader));
    lbTextScan before = *lb_vtk_scan(reader);
    if (!lb_word_is_any_case(lb_scan_word(lb_vtk_scan(reader)), keyword)) {
        return lb_vtk_expected(reader, before, keyword);
    }
    LB_TRY(lb_vtk_value_type(reader, &type));
    lb_vtk_end_line(reader);
    return type.size > 0 && !type.isReal ? lb_vtk_integers(reader, &type, count, "values of cells", list)
                                         : lb_vtk_expected(reader, before, "integers");
}

/* Where each cell's nodes begin, then all nodes. */
static lbResult read_offset_cells(lbVtkReader* reader, int64_t offsetCount, int64_t size) {
    lbVtkGrid* grid = &reader->grid;
    LB_TRY(read_typed_integers(reader, "OFFSETS", offsetCount, &grid->ends));
    lb_skip_space(lb_vtk_scan(reader));
    grid->place = lb_values_place(&reader->values);
    LB_TRY(read_typed_integers(reader, "CONNECTIVITY", size, &grid->connectivity));
    for (int i = 0; i < grid->ends.count; ++i) {
        int64_t offset = grid->ends.data[i], before = i > 0 ? grid->ends.data[i - 1] : 0;
        bool last = i + 1 == grid->ends.count;
        if (offset < before || offset > size || (i == 0 && offset != 0) || (last && offset != size)) {
            return lb_place_error(reader->values.path, reader->values.binary, grid->place,
                                  "offset %d of the cells is %lld; expected them to rise from 0 to %lld", i,
                                  (long long)offset, (long long)size);
        }
    }
    if (grid->ends.count > 0) { /* an offset is where a cell begins; the end of the one before it */
        grid->ends.count -= 1;
        memmove(grid->ends.data, grid->ends.data + 1, (size_t)grid->ends.count * sizeof(int64_t));
    }
    return lb_success();
}

static lbResult read_cells(lbVtkReader* reader) {
    int64_t count = 0, size = 0;
    LB_TRY(lb_vtk_line_count(reader, "the number of cells", &count));
    LB_TRY(lb_vtk_line_count(reader, "the size of the list of cells", &size));
    lb_vtk_end_line(reader);
    if (reader->grid.ends.count > 0) {
        return lb_place_error(reader->values.path, reader->values.binary, lb_values_place(&reader->values),
                              "expected one list of cells, found two");
    }
    return lb_vtk_next_is(reader, "OFFSETS") ? read_offset_cells(reader, count, size)
                                             : read_counted_cells(reader, count, size);
}

static lbResult read_cell_types(lbVtkReader* reader) {
    static const lbVtkType integers = {"int", 4, false, false};
    int64_t count = 0;
    LB_TRY(lb_vtk_line_count(reader, "the number of cell types", &count));
    lb_vtk_end_line(reader);
    reader->grid.types.count = 0;
    return lb_vtk_integers(reader, &integers, count, "cell types", &reader->grid.types);
}

/* ---- The whole file ---------------------------------------------------------------------------------------------- */

static lbResult read_dataset(lbVtkReader* reader) {
    lbTextScan before = *lb_vtk_scan(reader);
    return lb_word_is_any_case(lb_scan_word(lb_vtk_scan(reader)), "UNSTRUCTURED_GRID")
               ? lb_success()
               : lb_vtk_expected(reader, before, "'UNSTRUCTURED_GRID', the dataset that holds tetrahedra");
}

/* *known is set to false for a keyword that no one knows. */
static lbResult read_keyword(lbVtkReader* reader, lbWord word, bool* known) {
    static const struct {
        const char* name;
        lbResult (*read)(lbVtkReader* reader);
    } keywords[] = {
        {"DATASET", read_dataset}, {"POINTS", read_points}, {"CELLS", read_cells}, {"CELL_TYPES", read_cell_types}};
    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); ++i) {
        if (lb_word_is_any_case(word, keywords[i].name)) {
            return keywords[i].read(reader);
        }
    }
    return lb_read_vtk_data(reader, word, known);
}

/* "# vtk DataFile Version x.y", a title, ASCII or BINARY. */
static lbResult read_header(lbVtkReader* reader) {
    static const char begins[] = "# vtk DataFile Version";
    lbTextScan before = *lb_vtk_scan(reader);
    lbWord first = lb_scan_rest(lb_vtk_scan(reader));
    if (first.length < sizeof(begins) - 1 || memcmp(first.text, begins, sizeof(begins) - 1) != 0) {
        return lb_scan_error(&before, reader->values.path, "'# vtk DataFile Version'");
    }
    lb_skip_line(lb_vtk_scan(reader));
    lb_skip_line(lb_vtk_scan(reader));
    before = *lb_vtk_scan(reader);
    lbWord encoding = lb_scan_word(lb_vtk_scan(reader));
    bool binary = lb_word_is_any_case(encoding, "BINARY");
    if (!binary && !lb_word_is_any_case(encoding, "ASCII")) {
        return lb_scan_error(&before, reader->values.path, "'ASCII' or 'BINARY'");
    }
    reader->values.binary = reader->values.bigEndian = reader->file->binary = binary;
    lb_name_format(reader->file, "VTK, %s", binary ? "binary" : "text");
    return lb_success();
}

static lbResult read_file(lbVtkReader* reader) {
    LB_TRY(read_header(reader));
    for (;;) {
        lb_skip_space(lb_vtk_scan(reader));
        lbTextScan before = *lb_vtk_scan(reader);
        lbWord word = lb_scan_word(lb_vtk_scan(reader));
        bool known = true;
        if (word.length == 0) {
            break;
        }
        LB_TRY(read_keyword(reader, word, &known));
        if (!known) { /* what may follow the geometry is not needed */
            if (reader->grid.types.count == 0) {
                return lb_vtk_expected(reader, before, "a keyword, as 'POINTS' or 'CELLS'");
            }
            lb_log(reader->grid.host, lb_logWarning, "%s: what follows '%.*s' is passed over", reader->values.path,
                   word.length > 40 ? 40 : (int)word.length, word.text);
            break;
        }
    }
    if (reader->grid.types.count != reader->grid.ends.count) {
        return lb_error(lb_errorFormat, "%s: has %d cells, but types of %d", reader->values.path,
                        reader->grid.ends.count, reader->grid.types.count);
    }
    LB_TRY(lb_add_vtk_cells(reader->file, &reader->grid));
    return lb_group_vtk_flags(reader->file, &reader->grid);
}

lbResult lb_parse_vtk(const lbTetSource* source, lbTetFile* file) {
    lbVtkReader reader = {.file = file,
                          .values = lb_values_of_text(source->path, source->bytes, source->size),
                          .grid.host = source->host};
    lbResult result = read_file(&reader);
    lb_free_vtk_grid(&reader.grid);
    return result;
}
