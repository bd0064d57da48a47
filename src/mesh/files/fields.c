#include "mesh/files/fields.h"

#include "base/result.h"

#include <stdarg.h>
#include <stdio.h>

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}

static lbWord trimmed(const char* begin, const char* end) {
    while (begin < end && is_blank(*begin)) {
        ++begin;
    }
    while (end > begin && is_blank(end[-1])) {
        --end;
    }
    return (lbWord){begin, (size_t)(end - begin)};
}

bool lb_next_field(lbTextScan* scan, lbWord* field) {
    while (scan->at < scan->end && is_blank(*scan->at)) {
        ++scan->at;
    }
    if (scan->at >= scan->end || is_line_end(*scan->at)) {
        return false;
    }
    const char* begin = scan->at;
    while (scan->at < scan->end && *scan->at != ',' && !is_line_end(*scan->at)) {
        ++scan->at;
    }
    *field = trimmed(begin, scan->at);
    scan->at += scan->at < scan->end && *scan->at == ',';
    return true;
}

bool lb_next_loose_field(lbTextScan* scan, lbWord* field) {
    while (scan->at < scan->end && (is_blank(*scan->at) || *scan->at == ',')) {
        ++scan->at;
    }
    const char* begin = scan->at;
    while (scan->at < scan->end && *scan->at != ',' && !is_blank(*scan->at) && !is_line_end(*scan->at)) {
        ++scan->at;
    }
    *field = (lbWord){begin, (size_t)(scan->at - begin)};
    return field->length > 0;
}

bool lb_field_integer(lbWord field, int64_t* value) {
    const char *at = field.text, *end = at + field.length;
    return lb_parse_integer(&at, end, value) && at == end;
}

bool lb_field_real(lbWord field, double* value) {
    const char *at = field.text, *end = at + field.length;
    return lb_parse_number(&at, end, value) && at == end;
}

lbResult lb_field_error(const char* path, int line, lbWord field, const char* format, ...) {
    char words[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof(words), format, arguments);
    va_end(arguments);
    if (field.length == 0) {
        return lb_error(lb_errorFormat, "%s:%d: expected %s, found nothing", path, line, words);
    }
    return lb_error(lb_errorFormat, "%s:%d: expected %s, found '%.*s%s'", path, line, words,
                    field.length > 40 ? 40 : (int)field.length, field.text, field.length > 40 ? "..." : "");
}
