/* Blocks of LZ4 (its block format description): literals, then a copy of what stands some way back, over and over. */
#include "mesh/files/unpack.h"

#include <string.h>

typedef struct Stream {
    const unsigned char *at, *end;
} Stream;

/* A length of 15 goes on in bytes that are added, up to one that is not 255. */
static bool read_length(Stream* stream, size_t* length) {
    if (*length < 15) {
        return true;
    }
    for (;;) {
        if (stream->at >= stream->end) {
            return false;
        }
        unsigned char more = *stream->at++;
        *length += more;
        if (more != 255) {
            return true;
        }
    }
}

bool lb_unpack_lz4(const unsigned char* packed, size_t packedSize, unsigned char* out, size_t size) {
    enum { shortestCopy = 4 };
    Stream stream = {packed, packed + packedSize};
    size_t used = 0;
    while (stream.at < stream.end) {
        unsigned char lengths = *stream.at++;
        size_t literals = lengths >> 4, copy = lengths & 15;
        if (!read_length(&stream, &literals) || literals > (size_t)(stream.end - stream.at) || literals > size - used) {
            return false;
        }
        memcpy(out + used, stream.at, literals);
        stream.at += literals;
        used += literals;
        if (stream.at == stream.end) { /* the last has no copy */
            break;
        }
        if (stream.end - stream.at < 2) {
            return false;
        }
        size_t distance = (size_t)(stream.at[0] | stream.at[1] << 8);
        stream.at += 2;
        if (!read_length(&stream, &copy) || distance == 0 || distance > used || copy + shortestCopy > size - used) {
            return false;
        }
        for (size_t i = 0; i < copy + shortestCopy; ++i, ++used) { /* byte by byte: it may overlap what it makes */
            out[used] = out[used - distance];
        }
    }
    return used == size;
}
