/* JSON lines: one object on one line, written as it is put together. */
#ifndef LIMBER_CLI_JSON_H
#define LIMBER_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct lbJson {
    FILE* stream;
    bool first; /* nothing in the innermost object yet */
} lbJson;

lbJson lb_jsonline_begin(FILE* stream);
/* Ends the line and flushes it, so that a program that listens has it at once. */
void lb_jsonline_end(lbJson* json);

/* Bytes that are not UTF-8 (a file's name may be anything) become U+FFFD. */
void lb_jsonline_string(lbJson* json, const char* key, const char* value);
/* The shortest text that reads back as the same number; null if it is not finite. */
void lb_jsonline_number(lbJson* json, const char* key, double value);
void lb_jsonline_integer(lbJson* json, const char* key, int64_t value);
void lb_jsonline_bool(lbJson* json, const char* key, bool value);
/* An array of single-precision numbers. */
void lb_jsonline_floats(lbJson* json, const char* key, const float* values, int count);
/* What follows belongs to an object inside, until lb_jsonline_end_object. */
void lb_jsonline_begin_object(lbJson* json, const char* key);
void lb_jsonline_end_object(lbJson* json);

#endif
