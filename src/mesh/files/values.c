#include "mesh/files/values.h"

#include "base/result.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

lbValues lb_values_of_text(const char* path, const void* bytes, size_t size) {
    return (lbValues){.path = path, .start = bytes, .scan = lb_scan_text(bytes, size)};
}

int64_t lb_values_place(const lbValues* values) {
    return values->binary ? values->scan.at - values->start : values->scan.line;
}

int64_t lb_values_left(const lbValues* values) {
    return values->scan.end - values->scan.at;
}

void lb_values_skip_space(lbValues* values) {
    if (values->binary) {
        return;
    }
    lb_skip_space(&values->scan);
    while (values->comment != 0 && values->scan.at < values->scan.end && *values->scan.at == values->comment) {
        lb_skip_line(&values->scan);
        lb_skip_space(&values->scan);
    }
}

/* ---- Binary ------------------------------------------------------------------------------------------------------ */

static uint64_t read_bits(lbValues* values, int size) {
    uint64_t bits = 0;
    for (int i = 0; i < size; ++i) {
        int shift = 8 * (values->bigEndian ? size - 1 - i : i);
        bits |= (uint64_t)(unsigned char)values->scan.at[i] << shift;
    }
    values->scan.at += size;
    return bits;
}

static int64_t extend_sign(uint64_t bits, int size) {
    switch (size) {
    case 1:
        return (int8_t)bits;
    case 2:
        return (int16_t)bits;
    case 4:
        return (int32_t)(uint32_t)bits;
    default:
        return (int64_t)bits;
    }
}

static double real_of_bits(uint64_t bits, int size) {
    if (size == 4) {
        uint32_t low = (uint32_t)bits;
        float single;
        memcpy(&single, &low, sizeof(single));
        return (double)single;
    }
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* ---- Either ------------------------------------------------------------------------------------------------------ */

bool lb_read_integer(lbValues* values, int size, int64_t* value) {
    if (!values->binary) {
        lb_values_skip_space(values);
        return lb_scan_integer(&values->scan, value);
    }
    if (lb_values_left(values) < size) {
        return false;
    }
    *value = extend_sign(read_bits(values, size), size);
    return true;
}

bool lb_read_real(lbValues* values, int size, double* value) {
    if (!values->binary) {
        lb_values_skip_space(values);
        return lb_scan_number(&values->scan, value);
    }
    if (lb_values_left(values) < size) {
        return false;
    }
    *value = real_of_bits(read_bits(values, size), size);
    return true;
}

bool lb_skip_values(lbValues* values, int64_t count, int size) {
    if (values->binary) {
        if (count < 0 || count > lb_values_left(values) / size) {
            return false;
        }
        values->scan.at += count * size;
        return true;
    }
    for (int64_t i = 0; i < count; ++i) {
        lb_values_skip_space(values);
        if (lb_scan_word(&values->scan).length == 0) {
            return false;
        }
    }
    return count >= 0;
}

/* ---- What is wrong ----------------------------------------------------------------------------------------------- */

lbResult lb_place_error(const char* path, bool binary, int64_t place, const char* format, ...) {
    char words[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof(words), format, arguments);
    va_end(arguments);
    return lb_error(lb_errorFormat, binary ? "%s: byte %lld: %s" : "%s:%lld: %s", path, (long long)place, words);
}

lbResult lb_values_error(const lbValues* values, const char* format, ...) {
    char words[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof(words), format, arguments);
    va_end(arguments);
    if (!values->binary) {
        return lb_scan_error(&values->scan, values->path, words);
    }
    return lb_place_error(values->path, true, lb_values_place(values), "expected %s, found the end of the file", words);
}

lbResult lb_check_promise(const lbValues* values, int64_t count, int leastValues, int leastBytes, const char* what) {
    /* in text a value takes a character and a blank, but for the last one of the file */
    int64_t least = values->binary ? (int64_t)leastBytes : 2 * (int64_t)leastValues;
    int64_t left = lb_values_left(values) + (values->binary ? 0 : 1);
    if (count < 0) {
        return lb_place_error(values->path, values->binary, lb_values_place(values),
                              "expected a number of %s, found %lld", what, (long long)count);
    }
    if (count > left / least) {
        return lb_place_error(values->path, values->binary, lb_values_place(values),
                              "the file says it has %lld %s, which take at least %lld bytes each, but only %lld bytes "
                              "are left",
                              (long long)count, what, (long long)least, (long long)lb_values_left(values));
    }
    if (count > INT_MAX / 4) {
        return lb_error(lb_errorUnsupported, "%s: has %lld %s, more than %d", values->path, (long long)count, what,
                        INT_MAX / 4);
    }
    return lb_success();
}
