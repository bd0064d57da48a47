#include "mesh/files/vtk_reader.h"

#include "base/result.h"

#include <string.h>

static const lbVtkType valueTypes[] = {
    {"unsigned_char", 1, false, true},  {"char", 1, false, false},         {"signed_char", 1, false, false},
    {"unsigned_short", 2, false, true}, {"short", 2, false, false},        {"unsigned_int", 4, false, true},
    {"int", 4, false, false},           {"unsigned_long", 8, false, true}, {"long", 8, false, false},
    {"vtkIdType", 4, false, false}, /* written as int */
    {"vtktypeint64", 8, false, false},  {"vtktypeuint64", 8, false, true}, {"vtktypeint32", 4, false, false},
    {"vtktypeuint32", 4, false, true},  {"float", 4, true, false},         {"double", 8, true, false},
    {"bit", 0, false, false},           {"string", 0, false, false},       {"unicode_string", 0, false, false},
};

/* ---- Words and values -------------------------------------------------------------------------------------------- */

lbResult lb_vtk_expected(const lbVtkReader* reader, lbTextScan at, const char* what) {
    if (reader->values.binary) {
        return lb_place_error(reader->values.path, true, at.at - reader->values.start, "expected %s", what);
    }
    return lb_scan_error(&at, reader->values.path, what);
}

lbResult lb_vtk_out_of_memory(const lbVtkReader* reader) {
    return lb_error(lb_errorMemory, "%s: out of memory", reader->values.path);
}

lbResult lb_vtk_line_count(lbVtkReader* reader, const char* what, int64_t* count) {
    lbTextScan before = *lb_vtk_scan(reader);
    return lb_scan_integer(lb_vtk_scan(reader), count) && *count >= 0 ? lb_success()
                                                                      : lb_vtk_expected(reader, before, what);
}

lbResult lb_vtk_value_type(lbVtkReader* reader, lbVtkType* type) {
    lbTextScan before = *lb_vtk_scan(reader);
    lbWord word = lb_scan_word(lb_vtk_scan(reader));
    for (size_t i = 0; i < sizeof(valueTypes) / sizeof(valueTypes[0]); ++i) {
        if (lb_word_is_any_case(word, valueTypes[i].name)) {
            *type = valueTypes[i];
            return lb_success();
        }
    }
    return lb_vtk_expected(reader, before, "a type of values, as 'float' or 'int'");
}

lbResult lb_vtk_integers(lbVtkReader* reader, const lbVtkType* type, int64_t count, const char* what,
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
        if (reader->values.binary && type->isUnsigned && type->size < 8) {
            integer &= (INT64_C(1) << 8 * type->size) - 1;
        }
        if (!LB_PUSH(reader->grid.host, list, type->isReal ? lb_region_of_real(real) : integer)) {
            return lb_vtk_out_of_memory(reader);
        }
    }
    return lb_success();
}

lbResult lb_vtk_reals(lbVtkReader* reader, const lbVtkType* type, int64_t count, const char* what, lbRealList* list) {
    LB_TRY(lb_check_promise(&reader->values, count, 1, type->size > 0 ? type->size : 1, what));
    for (int64_t i = 0; i < count; ++i) {
        int64_t integer = 0;
        double real = 0;
        bool good = type->isReal ? lb_read_real(&reader->values, type->size, &real)
                                 : lb_read_integer(&reader->values, type->size, &integer);
        if (!good) {
            return lb_values_error(&reader->values, "%lld %s", (long long)count, what);
        }
        if (!LB_PUSH(reader->grid.host, list, type->isReal ? real : (double)integer)) {
            return lb_vtk_out_of_memory(reader);
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

lbResult lb_vtk_skip_array(lbVtkReader* reader, const lbVtkType* type, int64_t count) {
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

bool lb_vtk_next_is(lbVtkReader* reader, const char* word) {
    lbTextScan ahead = *lb_vtk_scan(reader);
    lb_skip_space(&ahead);
    size_t length = strlen(word);
    return (size_t)(ahead.end - ahead.at) >= length && memcmp(ahead.at, word, length) == 0;
}
