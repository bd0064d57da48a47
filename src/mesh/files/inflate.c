/* zlib streams (RFC 1950) of deflated data (RFC 1951): VTK packs the arrays of its XML files with it. Codes are decoded
 * bit by bit from the counts of their lengths: slow beside zlib, but short, and safe for any input. */
#include "mesh/files/unpack.h"

#include <stdint.h>
#include <string.h>

enum { mostBits = 15, mostLiterals = 288, mostDistances = 32, lengthCodes = 19, endOfBlock = 256 };

typedef struct Stream {
    const unsigned char *at, *end;
    uint32_t bits; /* taken from the stream but not used yet */
    int bitCount;
    unsigned char* out;
    size_t used, size;
} Stream;

/* A canonical Huffman code: how many codes there are of each length, and the symbols in the order of their codes. */
typedef struct Code {
    int counts[mostBits + 1];
    int symbols[mostLiterals];
} Code;

/* -1 at the end of the stream. */
static int take_bits(Stream* stream, int count) {
    while (stream->bitCount < count) {
        if (stream->at >= stream->end) {
            return -1;
        }
        stream->bits |= (uint32_t)*stream->at++ << stream->bitCount;
        stream->bitCount += 8;
    }
    int value = (int)(stream->bits & ((UINT32_C(1) << count) - 1));
    stream->bits >>= count;
    stream->bitCount -= count;
    return value;
}

/* False if the lengths are of no code: too many short ones. Codes may be incomplete; what they lack is then an error
 * where it is met. */
static bool make_code(Code* code, const unsigned char* lengths, int count) {
    int offsets[mostBits + 2] = {0}, free = 1;
    memset(code->counts, 0, sizeof(code->counts));
    for (int i = 0; i < count; ++i) {
        ++code->counts[lengths[i]];
    }
    code->counts[0] = 0;
    for (int bits = 1; bits <= mostBits; ++bits) {
        free = 2 * free - code->counts[bits];
        if (free < 0) {
            return false;
        }
        offsets[bits + 1] = offsets[bits] + code->counts[bits];
    }
    for (int i = 0; i < count; ++i) {
        if (lengths[i] != 0) {
            code->symbols[offsets[lengths[i]]++] = i;
        }
    }
    return true;
}

/* -1 at the end of the stream and at what is no code. */
static int take_symbol(Stream* stream, const Code* code) {
    int word = 0, first = 0, index = 0;
    for (int bits = 1; bits <= mostBits; ++bits) {
        int bit = take_bits(stream, 1);
        if (bit < 0) {
            return -1;
        }
        word |= bit;
        int count = code->counts[bits];
        if (word - first < count) {
            return code->symbols[index + word - first];
        }
        index += count;
        first = (first + count) << 1;
        word <<= 1;
    }
    return -1;
}

static bool copy_stored(Stream* stream) {
    stream->bits = 0, stream->bitCount = 0; /* the rest of the byte */
    if (stream->end - stream->at < 4) {
        return false;
    }
    size_t length = (size_t)(stream->at[0] | stream->at[1] << 8), check = (size_t)(stream->at[2] | stream->at[3] << 8);
    stream->at += 4;
    if ((length ^ check) != 0xffff || length > (size_t)(stream->end - stream->at) ||
        length > stream->size - stream->used) {
        return false;
    }
    memcpy(stream->out + stream->used, stream->at, length);
    stream->at += length;
    stream->used += length;
    return true;
}

/* A length and a distance: what stands so far back, again. */
static bool copy_back(Stream* stream, int symbol, const Code* distances) {
    static const short lengths[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const short lengthBits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                       2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const int starts[] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                 33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    int code = symbol - endOfBlock - 1;
    if (code >= (int)(sizeof(lengths) / sizeof(lengths[0]))) {
        return false;
    }
    int moreLength = take_bits(stream, lengthBits[code]), back = take_symbol(stream, distances);
    if (moreLength < 0 || back < 0 || back >= (int)(sizeof(starts) / sizeof(starts[0]))) {
        return false;
    }
    int moreDistance = take_bits(stream, back < 2 ? 0 : back / 2 - 1);
    size_t length = (size_t)(lengths[code] + moreLength), distance = (size_t)(starts[back] + moreDistance);
    if (moreDistance < 0 || distance > stream->used || length > stream->size - stream->used) {
        return false;
    }
    for (size_t i = 0; i < length; ++i, ++stream->used) { /* byte by byte: it may overlap what it makes */
        stream->out[stream->used] = stream->out[stream->used - distance];
    }
    return true;
}

static bool copy_coded(Stream* stream, const Code* literals, const Code* distances) {
    for (;;) {
        int symbol = take_symbol(stream, literals);
        if (symbol == endOfBlock) {
            return true;
        }
        if (symbol < 0) {
            return false;
        }
        if (symbol > endOfBlock) {
            if (!copy_back(stream, symbol, distances)) {
                return false;
            }
        } else if (stream->used < stream->size) {
            stream->out[stream->used++] = (unsigned char)symbol;
        } else {
            return false;
        }
    }
}

static void make_fixed_codes(Code* literals, Code* distances) {
    unsigned char lengths[mostLiterals];
    for (int i = 0; i < mostLiterals; ++i) {
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    }
    make_code(literals, lengths, mostLiterals);
    memset(lengths, 5, 30);
    make_code(distances, lengths, 30);
}

/* The lengths of both codes are themselves coded, with runs. */
static bool read_lengths(Stream* stream, const Code* code, unsigned char* lengths, int count) {
    int i = 0;
    while (i < count) {
        int symbol = take_symbol(stream, code);
        if (symbol < 0 || (symbol == 16 && i == 0)) {
            return false;
        }
        if (symbol < 16) {
            lengths[i++] = (unsigned char)symbol;
            continue;
        }
        int more = take_bits(stream, symbol == 16 ? 2 : symbol == 17 ? 3 : 7);
        int times = more + (symbol == 18 ? 11 : 3);
        unsigned char length = symbol == 16 ? lengths[i - 1] : 0;
        if (more < 0 || times > count - i) {
            return false;
        }
        memset(lengths + i, length, (size_t)times);
        i += times;
    }
    return true;
}

static bool read_codes(Stream* stream, Code* literals, Code* distances) {
    static const unsigned char order[lengthCodes] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    unsigned char lengths[mostLiterals + mostDistances] = {0};
    int literalCount = take_bits(stream, 5), distanceCount = take_bits(stream, 5), codeCount = take_bits(stream, 4);
    if (literalCount < 0 || distanceCount < 0 || codeCount < 0 || literalCount + 257 > 286) {
        return false;
    }
    literalCount += 257, distanceCount += 1;
    for (int i = 0; i < codeCount + 4; ++i) {
        int length = take_bits(stream, 3);
        if (length < 0) {
            return false;
        }
        lengths[order[i]] = (unsigned char)length;
    }
    if (!make_code(literals, lengths, lengthCodes)) {
        return false;
    }
    Code lengthCode = *literals;
    memset(lengths, 0, sizeof(lengths));
    return read_lengths(stream, &lengthCode, lengths, literalCount + distanceCount) &&
           make_code(literals, lengths, literalCount) && make_code(distances, lengths + literalCount, distanceCount);
}

static bool inflate_blocks(Stream* stream) {
    Code literals, distances;
    for (;;) {
        int last = take_bits(stream, 1), kind = take_bits(stream, 2);
        bool good = false;
        if (kind == 0) {
            good = copy_stored(stream);
        } else if (kind == 1) {
            make_fixed_codes(&literals, &distances);
            good = copy_coded(stream, &literals, &distances);
        } else if (kind == 2) {
            good = read_codes(stream, &literals, &distances) && copy_coded(stream, &literals, &distances);
        }
        if (!good || last != 0) {
            return good;
        }
    }
}

static uint32_t adler32(const unsigned char* data, size_t size) {
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; ++i) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

bool lb_inflate(const unsigned char* packed, size_t packedSize, unsigned char* out, size_t size) {
    if (packedSize < 6 || (packed[0] & 0x0f) != 8 || (packed[1] & 0x20) != 0 ||
        (packed[0] << 8 | packed[1]) % 31 != 0) {
        return false;
    }
    const unsigned char* sum = packed + packedSize - 4;
    Stream stream = {.at = packed + 2, .end = sum, .out = out, .size = size};
    uint32_t expected = (uint32_t)sum[0] << 24 | (uint32_t)sum[1] << 16 | (uint32_t)sum[2] << 8 | sum[3];
    return inflate_blocks(&stream) && stream.used == size && adler32(out, size) == expected;
}

static uint32_t crc32(const unsigned char* data, size_t size) {
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; ++i) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; ++bit) {
            crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
        }
    }
    return ~crc;
}

/* Behind the text that ends with a zero; NULL if none does. */
static const unsigned char* skip_text(const unsigned char* at, const unsigned char* end) {
    const unsigned char* zero = memchr(at, 0, (size_t)(end - at));
    return zero != NULL ? zero + 1 : NULL;
}

/* Behind the header of a gzip member (RFC 1952); NULL if there is none. */
static const unsigned char* skip_gzip_header(const unsigned char* at, const unsigned char* end) {
    enum { checked = 2, extra = 4, named = 8, commented = 16, unknown = 0xe0 };
    if (end - at < 18 || at[0] != 0x1f || at[1] != 0x8b || at[2] != 8 || (at[3] & unknown) != 0) {
        return NULL;
    }
    int flags = at[3];
    at += 10;
    if (flags & extra) {
        size_t length = (size_t)(at[0] | at[1] << 8);
        at = (size_t)(end - at) >= 2 + length ? at + 2 + length : NULL;
    }
    at = at != NULL && flags & named ? skip_text(at, end) : at;
    at = at != NULL && flags & commented ? skip_text(at, end) : at;
    at = at != NULL && flags & checked ? (end - at >= 2 ? at + 2 : NULL) : at;
    return at != NULL && end - at >= 8 ? at : NULL;
}

bool lb_gunzip(const unsigned char* packed, size_t packedSize, unsigned char* out, size_t size) {
    const unsigned char *end = packed + packedSize, *at = packedSize > 0 ? skip_gzip_header(packed, end) : NULL;
    if (at == NULL) {
        return false;
    }
    const unsigned char* sum = end - 8;
    Stream stream = {.at = at, .end = sum, .out = out, .size = size};
    uint32_t expected = (uint32_t)sum[3] << 24 | (uint32_t)sum[2] << 16 | (uint32_t)sum[1] << 8 | sum[0];
    uint32_t length = (uint32_t)sum[7] << 24 | (uint32_t)sum[6] << 16 | (uint32_t)sum[5] << 8 | sum[4];
    return length == (uint32_t)size && inflate_blocks(&stream) && stream.used == size && crc32(out, size) == expected;
}
