#include "scene/base64.h"

#include "base/memory.h"
#include "base/result.h"

#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void lb_text_base64(lbText* text, const void* data, size_t size) {
    const unsigned char* bytes = data;
    char piece[4096];
    size_t used = 0;
    for (size_t i = 0; i < size; i += 3) {
        unsigned b = i + 1 < size ? bytes[i + 1] : 0, c = i + 2 < size ? bytes[i + 2] : 0;
        unsigned word = (unsigned)bytes[i] << 16 | b << 8 | c;
        piece[used++] = letters[word >> 18];
        piece[used++] = letters[word >> 12 & 63];
        piece[used++] = i + 1 < size ? letters[word >> 6 & 63] : '=';
        piece[used++] = i + 2 < size ? letters[word & 63] : '=';
        if (used + 4 > sizeof(piece)) {
            lb_text_add(text, piece, used);
            used = 0;
        }
    }
    lb_text_add(text, piece, used);
}

/* 64: skipped, 65: the end, 255: wrong. */
static unsigned value_of_letter(char letter) {
    const char* found = letter != 0 ? memchr(letters, letter, 64) : NULL;
    bool space = letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t';
    return found != NULL ? (unsigned)(found - letters) : space ? 64 : letter == '=' ? 65 : 255;
}

lbResult lb_decode_base64(const lbHost* host, const char* text, lbBytes* bytes) {
    size_t length = strlen(text), count = 0;
    *bytes = (lbBytes){.data = lb_allocate(host, (int64_t)(length / 4 * 3 + 4), 1)};
    if (bytes->data == NULL) {
        return lb_out_of_memory("a file within a scene");
    }
    unsigned word = 0;
    int have = 0;
    bool ended = false;
    for (size_t i = 0; i < length; ++i) {
        unsigned value = value_of_letter(text[i]);
        ended = ended || value == 65;
        if (value == 255 || (ended && value < 64)) {
            lb_free_bytes(host, bytes);
            return lb_error(lb_errorFormat, "is no base64 at character %zu", i);
        }
        if (value < 64) {
            word = word << 6 | value;
            have += 6;
        }
        if (have >= 8) {
            have -= 8;
            bytes->data[count++] = (unsigned char)(word >> have);
        }
    }
    bytes->size = count;
    return lb_success();
}
