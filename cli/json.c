#include "cli/json.h"

#include <math.h>
#include <stdlib.h>

/* The length of the UTF-8 sequence at `text` (RFC 3629: no overlong forms, no surrogates), 0 if there is none. */
static int sequence_length(const unsigned char* text) {
    if (text[0] < 0x80) {
        return 1;
    }
    int length = text[0] >= 0xc2 && text[0] < 0xe0 ? 2 : (text[0] & 0xf0) == 0xe0 ? 3 : 0;
    length = text[0] >= 0xf0 && text[0] <= 0xf4 ? 4 : length;
    for (int i = 1; i < length; ++i) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    bool surrogate = text[0] == 0xed && text[1] > 0x9f;
    bool tooLarge = text[0] == 0xf4 && text[1] > 0x8f;
    return overlong || surrogate || tooLarge ? 0 : length;
}

static void write_string(FILE* stream, const char* value) {
    fputc('"', stream);
    const unsigned char* text = (const unsigned char*)value;
    while (*text != 0) {
        int length = sequence_length(text);
        if (length == 0) {
            fputs("\\ufffd", stream);
            length = 1;
        } else if (*text == '"' || *text == '\\') {
            fprintf(stream, "\\%c", *text);
        } else if (*text < 0x20 || *text == 0x7f) {
            fprintf(stream, "\\u%04x", *text);
        } else {
            fwrite(text, 1, (size_t)length, stream);
        }
        text += length;
    }
    fputc('"', stream);
}

static void write_key(lbJson* json, const char* key) {
    if (!json->first) {
        fputs(", ", json->stream);
    }
    json->first = false;
    write_string(json->stream, key);
    fputs(": ", json->stream);
}

static void write_number(FILE* stream, double value, bool single) {
    if (!isfinite(value)) {
        fputs("null", stream);
        return;
    }
    char text[40];
    for (int digits = 6; digits <= 17; ++digits) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        double read = strtod(text, NULL);
        if (single ? (float)read == (float)value : read == value) {
            break;
        }
    }
    fputs(text, stream);
}

lbJson lb_jsonline_begin(FILE* stream) {
    fputc('{', stream);
    return (lbJson){.stream = stream, .first = true};
}

void lb_jsonline_end(lbJson* json) {
    fputs("}\n", json->stream);
    fflush(json->stream);
}

void lb_jsonline_string(lbJson* json, const char* key, const char* value) {
    write_key(json, key);
    write_string(json->stream, value);
}

void lb_jsonline_number(lbJson* json, const char* key, double value) {
    write_key(json, key);
    write_number(json->stream, value, false);
}

void lb_jsonline_integer(lbJson* json, const char* key, int64_t value) {
    write_key(json, key);
    fprintf(json->stream, "%lld", (long long)value);
}

void lb_jsonline_bool(lbJson* json, const char* key, bool value) {
    write_key(json, key);
    fputs(value ? "true" : "false", json->stream);
}

void lb_jsonline_floats(lbJson* json, const char* key, const float* values, int count) {
    write_key(json, key);
    for (int i = 0; i < count; ++i) {
        fputs(i == 0 ? "[" : ", ", json->stream);
        write_number(json->stream, values[i], true);
    }
    fputs(count == 0 ? "[]" : "]", json->stream);
}

void lb_jsonline_begin_object(lbJson* json, const char* key) {
    write_key(json, key);
    fputc('{', json->stream);
    json->first = true;
}

void lb_jsonline_end_object(lbJson* json) {
    fputc('}', json->stream);
    json->first = false;
}
