#include "mesh/files/vtu_data.h"

#include "base/file.h"
#include "base/result.h"
#include "mesh/files/values.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct ValueType {
    const char* name;
    int size; /* bytes */
    bool isReal, isUnsigned;
} ValueType;

static const ValueType valueTypes[] = {
    {"Int8", 1, false, false},   {"UInt8", 1, false, true},   {"Int16", 2, false, false}, {"UInt16", 2, false, true},
    {"Int32", 4, false, false},  {"UInt32", 4, false, true},  {"Int64", 8, false, false}, {"UInt64", 8, false, true},
    {"Float32", 4, true, false}, {"Float64", 8, true, false},
};

/* ---- Words ------------------------------------------------------------------------------------------------------- */

lbResult lb_vtu_error(const lbVtuFile* file, const char* place, const char* format, ...) {
    char words[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof(words), format, arguments);
    va_end(arguments);
    return lb_place_error(file->path, false, lb_xml_line(&file->scan, place), "%s", words);
}

lbResult lb_vtu_count(const lbVtuFile* file, const lbXmlTag* tag, const char* attribute, int64_t* count) {
    lbWord value = {"", 0};
    lb_find_attribute(tag, attribute, &value);
    lbTextScan scan = {value.text, value.text + value.length, 1};
    if (!lb_scan_integer(&scan, count) || *count < 0) {
        return lb_vtu_error(file, tag->place, "expected %s with a number in <%.*s>, found '%.*s'", attribute,
                            (int)tag->name.length, tag->name.text, value.length > 40 ? 40 : (int)value.length,
                            value.text);
    }
    return lb_success();
}

/* An array's name, for messages. */
static lbWord name_of(const lbXmlTag* tag) {
    lbWord name = {"", 0};
    lb_find_attribute(tag, "Name", &name);
    name.length = name.length > 40 ? 40 : name.length;
    return name;
}

lbResult lb_vtu_array_error(const lbVtuFile* file, const lbXmlTag* tag, const char* what) {
    lbWord name = name_of(tag);
    return lb_vtu_error(file, tag->place, "the array '%.*s' %s", (int)name.length, name.text, what);
}

lbResult lb_vtu_out_of_memory(const lbVtuFile* file) {
    return lb_error(lb_errorMemory, "%s: out of memory", file->path);
}

static lbResult find_type(const lbVtuFile* file, const lbXmlTag* tag, const ValueType** type) {
    for (size_t i = 0; i < sizeof(valueTypes) / sizeof(valueTypes[0]); ++i) {
        if (lb_attribute_is(tag, "type", valueTypes[i].name)) {
            *type = &valueTypes[i];
            return lb_success();
        }
    }
    return lb_vtu_array_error(file, tag, "has no type that can be read, as Float64 or Int32");
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

/* Where decoded values go: one of the two. */
typedef struct Target {
    lbIntegerList* integers;
    lbRealList* reals;
} Target;

static bool push(const lbHost* host, const Target* target, bool isReal, double real, int64_t integer) {
    if (target->integers != NULL) {
        int64_t value = isReal ? (int64_t)lb_region_of_real(real) : integer;
        return LB_PUSH(host, target->integers, value);
    }
    double value = isReal ? real : (double)integer;
    return LB_PUSH(host, target->reals, value);
}

static bool reserve(const lbHost* host, const Target* target, int64_t count) {
    if (target->integers != NULL) {
        int64_t needed = target->integers->count + count;
        return needed <= INT_MAX / 2 && lb_array_reserve(host, (void**)&target->integers->data,
                                                         &target->integers->capacity, (int)needed, sizeof(int64_t));
    }
    int64_t needed = target->reals->count + count;
    return needed <= INT_MAX / 2 &&
           lb_array_reserve(host, (void**)&target->reals->data, &target->reals->capacity, (int)needed, sizeof(double));
}

/* The next value of either kind. */
static bool next_value(lbValues* values, const ValueType* type, double* real, int64_t* integer) {
    if (type->isReal) {
        return lb_read_real(values, type->size, real);
    }
    if (!lb_read_integer(values, type->size, integer)) {
        return false;
    }
    if (values->binary && type->isUnsigned && type->size < 8) {
        *integer &= (INT64_C(1) << 8 * type->size) - 1;
    }
    return true;
}

static lbResult count_error(const lbVtuFile* file, const lbXmlTag* tag, int64_t found, int64_t count) {
    lbResult words = lb_error(lb_errorFormat, "has %lld values; expected %lld", (long long)found, (long long)count);
    return lb_vtu_array_error(file, tag, words.message);
}

static lbResult read_text_values(const lbVtuFile* file, const lbXmlTag* tag, lbWord text, int64_t count,
                                 const ValueType* type, const Target* target) {
    lbValues values = lb_values_of_text(file->path, text.text, text.length);
    values.scan.line = lb_xml_line(&file->scan, text.text);
    if (count >= 0) {
        LB_TRY(lb_check_promise(&values, count, 1, 1, "values of an array"));
    }
    for (int64_t found = 0;; ++found) {
        double real = 0;
        int64_t integer = 0;
        lb_values_skip_space(&values);
        if (lb_values_left(&values) == 0) {
            return count < 0 || found == count ? lb_success() : count_error(file, tag, found, count);
        }
        if (found == count) {
            return count_error(file, tag, count + 1, count);
        }
        if (!next_value(&values, type, &real, &integer)) {
            return lb_values_error(&values, "%s of the array '%.*s'", type->isReal ? "a finite number" : "an integer",
                                   (int)name_of(tag).length, name_of(tag).text);
        }
        if (!push(file->host, target, type->isReal, real, integer)) {
            return lb_vtu_out_of_memory(file);
        }
    }
}

static lbResult read_binary_values(const lbVtuFile* file, const lbXmlTag* tag, const lbBytes* bytes, int64_t count,
                                   const ValueType* type, const Target* target) {
    int64_t found = (int64_t)(bytes->size / (size_t)type->size);
    if (bytes->size % (size_t)type->size != 0 || (count >= 0 && found != count)) {
        return count_error(file, tag, found, count < 0 ? found + 1 : count);
    }
    if (!reserve(file->host, target, found)) {
        return lb_vtu_out_of_memory(file);
    }
    const char* start = (const char*)bytes->data;
    lbValues values = {.path = file->path, .start = start, .binary = true, .bigEndian = file->bigEndian};
    values.scan = (lbTextScan){start, start + bytes->size, 1};
    for (int64_t i = 0; i < found; ++i) {
        double real = 0;
        int64_t integer = 0;
        if (!next_value(&values, type, &real, &integer) || !push(file->host, target, type->isReal, real, integer)) {
            return lb_vtu_out_of_memory(file);
        }
    }
    return lb_success();
}

static lbResult read_values(const lbVtuFile* file, const lbXmlTag* tag, lbWord text, int64_t count,
                            const Target* target) {
    const ValueType* type = NULL;
    LB_TRY(find_type(file, tag, &type));
    if (lb_attribute_is(tag, "format", "ascii")) {
        return read_text_values(file, tag, text, count, type, target);
    }
    lbBytes bytes;
    lbResult result = lb_read_vtu_bytes(file, tag, text, &bytes);
    if (result.code == lb_ok) {
        result = read_binary_values(file, tag, &bytes, count, type, target);
    }
    lb_release(file->host, bytes.data);
    return result;
}

lbResult lb_read_vtu_integers(const lbVtuFile* file, const lbXmlTag* tag, lbWord text, int64_t count,
                              lbIntegerList* list) {
    return read_values(file, tag, text, count, &(Target){.integers = list});
}

lbResult lb_read_vtu_reals(const lbVtuFile* file, const lbXmlTag* tag, lbWord text, int64_t count, lbRealList* list) {
    return read_values(file, tag, text, count, &(Target){.reals = list});
}
