#include "base/text.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Room for `more` bytes and a zero behind them. */
static bool reserve(lbText* text, size_t more) {
    if (text->failed || more < text->capacity - text->size) {
        return !text->failed;
    }
    size_t grown = text->capacity * 2 + more + 256;
    char* larger = grown <= INT64_MAX ? lb_allocate(text->host, (int64_t)grown, 1) : NULL;
    if (larger == NULL) {
        text->failed = true;
        return false;
    }
    if (text->size > 0) {
        memcpy(larger, text->data, text->size);
    }
    lb_release(text->host, text->data);
    text->data = larger;
    text->capacity = grown;
    return true;
}

void lb_text_add(lbText* text, const void* bytes, size_t size) {
    if (size > 0 && reserve(text, size)) {
        memcpy(text->data + text->size, bytes, size);
        text->size += size;
    }
}

void lb_text_print(lbText* text, const char* format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length < 0) {
        text->failed = true;
    } else if (reserve(text, (size_t)length)) {
        vsnprintf(text->data + text->size, (size_t)length + 1, format, again);
        text->size += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

void lb_text_number(lbText* text, double value, int digits) {
    char number[64];
    int length = snprintf(number, sizeof(number), "%.*g", digits, value);
    size_t used = 0;
    for (int i = 0; i < length; ++i) { /* the locale's decimal point, of one or more bytes, becomes one '.' */
        char c = number[i];
        bool usual = (c >= '0' && c <= '9') || c == '-' || c == '+' || c == 'e';
        if (usual || used == 0 || number[used - 1] != '.') {
            number[used++] = usual ? c : '.';
        }
    }
    lb_text_add(text, number, used);
}

void lb_text_floats(lbText* text, const float* values, int count, const char* separator) {
    for (int i = 0; i < count; ++i) {
        if (i > 0) {
            lb_text_add(text, separator, strlen(separator));
        }
        lb_text_number(text, (double)values[i], 9);
    }
}

/* Length of the UTF-8 character at c; 0 if it is none. */
static size_t utf8_length(const unsigned char* c) {
    if (c[0] < 0x80) {
        return 1;
    }
    size_t length = c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : (c[0] & 0xf0) == 0xe0 ? 3 : c[0] >= 0xf0 && c[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < length; ++i) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    bool outside = (c[0] == 0xed && c[1] >= 0xa0) || (c[0] == 0xf4 && c[1] >= 0x90);
    return overlong || outside ? 0 : length;
}

/* Adds the character at c, or U+FFFD for a byte that is none, and returns what comes behind it. */
static const char* add_character(lbText* text, const char* c) {
    size_t length = utf8_length((const unsigned char*)c);
    if (length == 0) {
        lb_text_add(text, "\xef\xbf\xbd", 3);
        return c + 1;
    }
    lb_text_add(text, c, length);
    return c + length;
}

void lb_text_json_string(lbText* text, const char* string) {
    lb_text_add(text, "\"", 1);
    for (const char* c = string; *c != 0;) {
        if (*c == '"' || *c == '\\') {
            lb_text_print(text, "\\%c", *c++);
        } else if ((unsigned char)*c < 0x20) {
            lb_text_print(text, "\\u%04x", (unsigned)*c++);
        } else {
            c = add_character(text, c);
        }
    }
    lb_text_add(text, "\"", 1);
}

void lb_text_xml_attribute(lbText* text, const char* string) {
    for (const char* c = string; *c != 0;) {
        if (*c == '"' || *c == '&' || *c == '<' || *c == '>') {
            lb_text_print(text, "&#%d;", *c++);
        } else if ((unsigned char)*c < 0x20) {
            lb_text_add(text, "?", 1);
            ++c;
        } else {
            c = add_character(text, c);
        }
    }
}

void lb_text_add_text(lbText* text, const lbText* other) {
    lb_text_add(text, other->data, other->size);
    text->failed = text->failed || other->failed;
}

void lb_text_free(lbText* text) {
    lb_release(text->host, text->data);
    *text = (lbText){.host = text->host};
}

char* lb_copy_text(const lbHost* host, const char* text, size_t length) {
    char* copy = length < INT64_MAX ? lb_allocate(host, (int64_t)length + 1, 1) : NULL;
    if (copy != NULL && length > 0) {
        memcpy(copy, text, length);
    }
    return copy;
}
