/* VTK's old format, text and binary (which is big-endian), versions 1 to 5.1: an unstructured grid. Of the data that
 * come with it, an array over the cells that is named as one of regions or materials is read; the rest is passed over.
 */
#include "base/log.h"
#include "base/result.h"
#include "mesh/files/values.h"
#include "mesh/files/vtk_grid.h"

#include <limits.h>
#include <string.h>

typedef struct Reader {
    lbTetFile* file;
    lbValues values;
    lbVtkGrid grid;
    bool hasPoints;
    bool ofCells;      /* whether data are of cells, not of points */
    int64_t dataCount; /* how many of them */
} Reader;

/* What values of an array are. */
typedef struct ValueType {
    const char* name;
    int size; /* bytes in binary; 0: bits or strings */
    bool isReal;
} ValueType;

static const ValueType valueTypes[] = {
    {"unsigned_char", 1, false},  {"char", 1, false},          {"signed_char", 1, false},  {"unsigned_short", 2, false},
    {"short", 2, false},          {"unsigned_int", 4, false},  {"int", 4, false},          {"unsigned_long", 8, false},
    {"long", 8, false},           {"vtkIdType", 4, false}, /* written as int */
    {"vtktypeint64", 8, false},   {"vtktypeuint64", 8, false}, {"vtktypeint32", 4, false}, {"vtktypeuint32", 4, false},
    {"float", 4, true},           {"double", 8, true},         {"bit", 0, false},          {"string", 0, false},
    {"unicode_string", 0, false},
};

/* ---- Words and values -------------------------------------------------------------------------------------------- */

static lbTextScan* scan_of(Reader* reader) {
    return &reader->values.scan;
}

static lbResult expected(const Reader* reader, lbTextScan at, const char* what) {
    if (reader->values.binary) {
        return lb_place_error(reader->values.path, true, at.at - reader->values.start, "expected %s", what);
    }
    return lb_scan_error(&at, reader->values.path, what);
}

static lbResult out_of_memory(const Reader* reader) {
    return lb_error(lb_errorMemory, "%s: out of memory", reader->values.path);
}

/* A count on the line of a keyword. */
static lbResult read_line_count(Reader* reader, const char* what, int64_t* count) {
    lbTextScan before = *scan_of(reader);
    return lb_scan_integer(scan_of(reader), count) && *count >= 0 ? lb_success() : expected(reader, before, what);
}

static lbResult read_value_type(Reader* reader, ValueType* type) {
    lbTextScan before = *scan_of(reader);
    lbWord word = lb_scan_word(scan_of(reader));
    for (size_t i = 0; i < sizeof(valueTypes) / sizeof(valueTypes[0]); ++i) {
        if (lb_word_is_any_case(word, valueTypes[i].name)) {
            *type = valueTypes[i];
            return lb_success();
        }
    }
    return expected(reader, before, "a type of values, as 'float' or 'int'");
}

/* Data begin behind the line of their keyword. */
static void end_line(Reader* reader) {
    lb_skip_line(scan_of(reader));
}

static lbResult read_integers(Reader* reader, const ValueType* type, int64_t count, const char* what,
                              lbIntegerList* list) {
    LB_TRY(lb_check_promise(&reader->values, count, 1, type->size > 0 ? type->size : 1, what));
    for (int64_t i = 0; i < count; ++i) {
        int64_t integer = 0;
        double real = 0;
        bool good = type->isReal ? lb_read_real(&reader->values, type->size, &real)
                                 : lb_read_integer(&reader->values, type->size, &integer);
        if (!good) {
            return lb_values_error(&reader->values, "%lld %s", (long long)count, what);
        }
        if (!LB_PUSH(reader->grid.host, list, type->isReal ? lb_region_of_real(real) : integer)) {
            return out_of_memory(reader);
        }
    }
    return lb_success();
}

/* In binary the length of a string is in its first 1, 2, 4 or 8 bytes, as their first two bits tell. */
static bool skip_binary_string(lbValues* values) {
    if (lb_values_left(values) < 1) {
        return false;
    }
    int form = (unsigned char)*values->scan.at >> 6, size = 1 << (3 - form);
    int64_t length = 0;
    if (lb_values_left(values) < size) {
        return false;
    }
    for (int i = 0; i < size; ++i) {
        int byte = (unsigned char)values->scan.at[i];
        length = length << 8 | (i == 0 ? byte & 0x3f : byte);
    }
    values->scan.at += size;
    return lb_skip_values(values, length, 1);
}

static lbResult skip_array(Reader* reader, const ValueType* type, int64_t count) {
    lbValues* values = &reader->values;
    bool good = true;
    if (type->size > 0) {
        good = lb_skip_values(values, count, type->size);
    } else if (strcmp(type->name, "bit") == 0) {
        good = lb_skip_values(values, values->binary ? count / 8 + (count % 8 != 0) : count, 1);
    } else {
        for (int64_t i = 0; good && i < count; ++i) {
            good = values->binary ? skip_binary_string(values) : lb_values_left(values) > 0;
            if (!values->binary) {
                lb_skip_line(&values->scan);
            }
        }
    }
    return good ? lb_success() : lb_values_error(values, "%lld values of an array", (long long)count);
}

/* ---- Geometry ---------------------------------------------------------------------------------------------------- */

static lbResult read_points(Reader* reader) {
    int64_t count = 0;
    ValueType type;
    LB_TRY(read_line_count(reader, "the number of points", &count));
    LB_TRY(read_value_type(reader, &type));
    end_line(reader);
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
static lbResult read_counted_cells(Reader* reader, int64_t cellCount, int64_t size) {
    static const ValueType integers = {"int", 4, false};
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
        LB_TRY(read_integers(reader, &integers, count, "nodes of a cell", &grid->connectivity));
        if (!LB_PUSH(grid->host, &grid->ends, grid->connectivity.count) || !LB_PUSH(grid->host, &grid->places, place)) {
            return out_of_memory(reader);
        }
    }
    return lb_success();
}

static lbResult read_typed_integers(Reader* reader, const char* keyword, int64_t count, lbIntegerList* list) {
    ValueType type;
    lb_skip_space(scan_of(reader));
    lbTextScan before = *scan_of(reader);
    if (!lb_word_is_any_case(lb_scan_word(scan_of(reader)), keyword)) {
        return expected(reader, before, keyword);
    }
    LB_TRY(read_value_type(reader, &type));
    end_line(reader);
    return type.size > 0 && !type.isReal ? read_integers(reader, &type, count, "values of cells", list)
                                         : expected(reader, before, "integers");
}

/* Where each cell's nodes begin, then all nodes. */
static lbResult read_offset_cells(Reader* reader, int64_t offsetCount, int64_t size) {
    lbVtkGrid* grid = &reader->grid;
    LB_TRY(read_typed_integers(reader, "OFFSETS", offsetCount, &grid->ends));
    lb_skip_space(scan_of(reader));
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

static bool next_word_is(Reader* reader, const char* word) {
    lbTextScan ahead = *scan_of(reader);
    lb_skip_space(&ahead);
    size_t length = strlen(word);
    return (size_t)(ahead.end - ahead.at) >= length && memcmp(ahead.at, word, length) == 0;
}

static lbResult read_cells(Reader* reader) {
    int64_t count = 0, size = 0;
    LB_TRY(read_line_count(reader, "the number of cells", &count));
    LB_TRY(read_line_count(reader, "the size of the list of cells", &size));
    end_line(reader);
    if (reader->grid.ends.count > 0) {
        return lb_place_error(reader->values.path, reader->values.binary, lb_values_place(&reader->values),
                              "expected one list of cells, found two");
    }
    return next_word_is(reader, "OFFSETS") ? read_offset_cells(reader, count, size)
                                           : read_counted_cells(reader, count, size);
}

static lbResult read_cell_types(Reader* reader) {
    static const ValueType integers = {"int", 4, false};
    int64_t count = 0;
    LB_TRY(read_line_count(reader, "the number of cell types", &count));
    end_line(reader);
    reader->grid.types.count = 0;
    return read_integers(reader, &integers, count, "cell types", &reader->grid.types);
}

/* ---- Data of points and cells ------------------------------------------------------------------------------------ */

/* Keeps an array if it says which region each cell is in, else steps over it. */
static lbResult read_data_array(Reader* reader, lbWord name, const ValueType* type, int64_t width, int64_t count) {
    lbIntegerList* regions = &reader->grid.regions;
    bool wanted = reader->ofCells && width == 1 && type->size > 0 && regions->count == 0 && lb_is_region_name(name) &&
                  count == reader->grid.ends.count;
    if (wanted) {
        return read_integers(reader, type, count, "regions", regions);
    }
    if (width < 0 || count < 0 || (width > 0 && count > INT64_MAX / width)) {
        return lb_place_error(reader->values.path, reader->values.binary, lb_values_place(&reader->values),
                              "an array of %lld times %lld values", (long long)count, (long long)width);
    }
    return skip_array(reader, type, count * width);
}

static void skip_metadata(Reader* reader) {
    end_line(reader);
    while (!lb_at_line_end(scan_of(reader))) {
        end_line(reader);
    }
}

/* FIELD name n, then n arrays. */
static lbResult read_field(Reader* reader) {
    int64_t arrayCount = 0;
    lb_scan_word(scan_of(reader));
    LB_TRY(read_line_count(reader, "the number of arrays of a field", &arrayCount));
    for (int64_t i = 0; i < arrayCount; ++i) {
        int64_t width = 0, count = 0;
        ValueType type;
        lb_skip_space(scan_of(reader));
        lbWord name = lb_scan_word(scan_of(reader));
        if (lb_word_is(name, "METADATA")) {
            skip_metadata(reader);
            --i;
            continue;
        }
        LB_TRY(read_line_count(reader, "the width of an array", &width));
        LB_TRY(read_line_count(reader, "the length of an array", &count));
        LB_TRY(read_value_type(reader, &type));
        end_line(reader);
        LB_TRY(read_data_array(reader, name, &type, width, count));
    }
    return lb_success();
}

static lbResult read_scalars(Reader* reader) {
    int64_t width = 1;
    ValueType type;
    lbWord name = lb_scan_word(scan_of(reader));
    LB_TRY(read_value_type(reader, &type));
    lb_scan_integer(scan_of(reader), &width);
    end_line(reader);
    if (next_word_is(reader, "LOOKUP_TABLE")) {
        lb_skip_space(scan_of(reader));
        end_line(reader);
    }
    return read_data_array(reader, name, &type, width, reader->dataCount);
}

/* Attributes that are passed over: NAME [WIDTH] [TYPE]. */
static lbResult skip_attribute(Reader* reader, int64_t width, bool hasType, int sizeInBinary) {
    ValueType type = {"unsigned_char", sizeInBinary, false};
    lb_scan_word(scan_of(reader));
    if (width == 0) {
        LB_TRY(read_line_count(reader, "the width of an array", &width));
    }
    if (hasType) {
        LB_TRY(read_value_type(reader, &type));
    }
    end_line(reader);
    return read_data_array(reader, (lbWord){"", 0}, &type, width, reader->dataCount);
}

static lbResult skip_lookup_table(Reader* reader) {
    static const ValueType bytes = {"unsigned_char", 1, false};
    int64_t count = 0;
    lb_scan_word(scan_of(reader));
    LB_TRY(read_line_count(reader, "the size of a table", &count));
    end_line(reader);
    return read_data_array(reader, (lbWord){"", 0}, &bytes, 4, count);
}

static lbResult begin_data(Reader* reader, bool ofCells) {
    reader->ofCells = ofCells;
    LB_TRY(read_line_count(reader, "the number of values", &reader->dataCount));
    end_line(reader);
    return lb_success();
}

/* ---- The whole file ---------------------------------------------------------------------------------------------- */

static lbResult read_dataset(Reader* reader) {
    lbTextScan before = *scan_of(reader);
    return lb_word_is_any_case(lb_scan_word(scan_of(reader)), "UNSTRUCTURED_GRID")
               ? lb_success()
               : expected(reader, before, "'UNSTRUCTURED_GRID', the dataset that holds tetrahedra");
}

/* *known is set to false for a keyword that no one knows. */
static lbResult read_keyword(Reader* reader, lbWord word, bool* known) {
    static const struct {
        const char* name;
        int width; /* 0: told on the line */
        bool hasType;
        int sizeInBinary;
    } skipped[] = {{"VECTORS", 3, true, 0},       {"NORMALS", 3, true, 0},
                   {"TENSORS", 9, true, 0},       {"TENSORS6", 6, true, 0},
                   {"GLOBAL_IDS", 1, true, 0},    {"PEDIGREE_IDS", 1, true, 0},
                   {"EDGE_FLAGS", 1, true, 0},    {"TEXTURE_COORDINATES", 0, true, 0},
                   {"COLOR_SCALARS", 0, false, 1}};
    static const struct {
        const char* name;
        lbResult (*read)(Reader* reader);
    } keywords[] = {{"DATASET", read_dataset},
                    {"POINTS", read_points},
                    {"CELLS", read_cells},
                    {"FIELD", read_field},
                    {"CELL_TYPES", read_cell_types},
                    {"SCALARS", read_scalars},
                    {"LOOKUP_TABLE", skip_lookup_table}};
    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); ++i) {
        if (lb_word_is_any_case(word, keywords[i].name)) {
            return keywords[i].read(reader);
        }
    }
    for (size_t i = 0; i < sizeof(skipped) / sizeof(skipped[0]); ++i) {
        if (lb_word_is_any_case(word, skipped[i].name)) {
            return skip_attribute(reader, skipped[i].width, skipped[i].hasType, skipped[i].sizeInBinary);
        }
    }
    if (lb_word_is_any_case(word, "CELL_DATA") || lb_word_is_any_case(word, "POINT_DATA")) {
        return begin_data(reader, lb_word_is_any_case(word, "CELL_DATA"));
    }
    if (lb_word_is_any_case(word, "METADATA")) {
        skip_metadata(reader);
        return lb_success();
    }
    *known = false;
    return lb_success();
}

/* "# vtk DataFile Version x.y", a title, ASCII or BINARY. */
static lbResult read_header(Reader* reader) {
    static const char begins[] = "# vtk DataFile Version";
    lbTextScan before = *scan_of(reader);
    lbWord first = lb_scan_rest(scan_of(reader));
    if (first.length < sizeof(begins) - 1 || memcmp(first.text, begins, sizeof(begins) - 1) != 0) {
        return lb_scan_error(&before, reader->values.path, "'# vtk DataFile Version'");
    }
    lb_skip_line(scan_of(reader));
    lb_skip_line(scan_of(reader));
    before = *scan_of(reader);
    lbWord encoding = lb_scan_word(scan_of(reader));
    bool binary = lb_word_is_any_case(encoding, "BINARY");
    if (!binary && !lb_word_is_any_case(encoding, "ASCII")) {
        return lb_scan_error(&before, reader->values.path, "'ASCII' or 'BINARY'");
    }
    reader->values.binary = reader->values.bigEndian = reader->file->binary = binary;
    lb_name_format(reader->file, "VTK, %s", binary ? "binary" : "text");
    return lb_success();
}

static lbResult read_file(Reader* reader) {
    LB_TRY(read_header(reader));
    for (;;) {
        lb_skip_space(scan_of(reader));
        lbTextScan before = *scan_of(reader);
        lbWord word = lb_scan_word(scan_of(reader));
        bool known = true;
        if (word.length == 0) {
            break;
        }
        LB_TRY(read_keyword(reader, word, &known));
        if (!known) { /* what may follow the geometry is not needed */
            if (reader->grid.types.count == 0) {
                return expected(reader, before, "a keyword, as 'POINTS' or 'CELLS'");
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
    return lb_add_vtk_cells(reader->file, &reader->grid);
}

lbResult lb_parse_vtk(const lbTetSource* source, lbTetFile* file) {
    Reader reader = {.file = file,
                     .values = lb_values_of_text(source->path, source->bytes, source->size),
                     .grid.host = source->host};
    lbResult result = read_file(&reader);
    lb_free_vtk_grid(&reader.grid);
    return result;
}
