#include "record/text.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool reserve(lbText* text, size_t more) {
    if (!text->failed && (more > (size_t)(INT_MAX - text->characters.count) ||
                          !lb_array_reserve(text->host, (void**)&text->characters.data, &text->characters.capacity,
                                            text->characters.count + (int)more, 1))) {
        text->failed = true;
    }
    return !text->failed;
}

static void append(lbText* text, const char* characters, size_t count) {
    if (reserve(text, count)) {
        memcpy(text->characters.data + text->characters.count, characters, count);
        text->characters.count += (int)count;
    }
}

void lb_rtext_free(lbText* text) {
    LB_FREE_ARRAY(text->host, &text->characters);
}

void lb_rtext_print(lbText* text, const char* format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) {
        text->failed = true;
    } else if (reserve(text, (size_t)length + 1)) { /* vsnprintf writes a zero behind the text */
        vsnprintf(text->characters.data + text->characters.count, (size_t)length + 1, format, again);
        text->characters.count += length;
    }
    va_end(again);
}

void lb_rtext_number(lbText* text, double number) {
    char digits[40], plain[40];
    snprintf(digits, sizeof(digits), "%.9g", number);
    size_t used = 0;
    bool inPoint = false;
    for (const char* c = digits; *c != 0; ++c) {
        bool usual = (*c >= '0' && *c <= '9') || *c == '-' || *c == '+' || *c == 'e';
        if (usual) {
            plain[used++] = *c;
        } else if (!inPoint) { /* the locale's decimal point, of one byte or more */
            plain[used++] = '.';
        }
        inPoint = !usual;
    }
    append(text, plain, used);
}

void lb_rtext_numbers(lbText* text, const float* numbers, int count) {
    append(text, "[", 1);
    for (int i = 0; i < count; ++i) {
        if (i > 0) {
            append(text, ",", 1);
        }
        lb_rtext_number(text, (double)numbers[i]);
    }
    append(text, "]", 1);
}

/* Bytes of the UTF-8 character at `s`; 0 if it is none. */
static int utf8_length(const unsigned char* s) {
    static const unsigned smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (s[0] < 0x80) {
        return 1;
    }
    int length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4) {
        return 0;
    }
    unsigned code = s[0] & (0x7fu >> length);
    for (int i = 1; i < length; ++i) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (s[i] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code >= smallest[length] && code <= 0x10ffff && !surrogate ? length : 0;
}

/* Appends the character at `s`, which needs no escape, or U+FFFD for a byte that is no character. Returns the bytes
 * used. */
static int append_character(lbText* text, const char* s) {
    int length = utf8_length((const unsigned char*)s);
    if (length == 0) {
        append(text, "\xef\xbf\xbd", 3);
        return 1;
    }
    append(text, s, (size_t)length);
    return length;
}

void lb_rtext_json_string(lbText* text, const char* string) {
    append(text, "\"", 1);
    for (const char* s = string; *s != 0;) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\') {
            lb_rtext_print(text, "\\%c", c);
            ++s;
        } else if (c < 0x20 || c == 0x7f) {
            lb_rtext_print(text, "\\u%04x", c);
            ++s;
        } else {
            s += append_character(text, s);
        }
    }
    append(text, "\"", 1);
}

void lb_rtext_xml_attribute(lbText* text, const char* string) {
    for (const char* s = string; *s != 0;) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '&' || c == '<' || c == '>') {
            lb_rtext_print(text, "&#%d;", c);
            ++s;
        } else if (c < 0x20) { /* XML has no way to say these */
            append(text, "?", 1);
            ++s;
        } else {
            s += append_character(text, s);
        }
    }
}
